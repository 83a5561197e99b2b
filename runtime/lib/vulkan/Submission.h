//===- Submission.h - A prepared submission as command buffers ------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A submission that is the same in each run is recorded once and submitted any
// number of times. Else there is a recording for each run that is pending at
// once, recorded when it is first used. A later run of it writes its words into
// the blocks that the commands find by their addresses, and the groups of its
// grids beside them, for indirect dispatches. What else a run brings is part of
// the commands: words in push constants, ends of copies that move, memories
// that are copied or filled. Such a recording is recorded anew if they changed,
// with the memory that it has (docs/decisions/0024-retained-runs.md). A timed
// one has a recording for each of the last runs, whose queries keep their
// times.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_VULKAN_SUBMISSION_H
#define GOLDY_RUNTIME_VULKAN_SUBMISSION_H

#include "core/RunMemories.h"
#include "vulkan/Clock.h"
#include "vulkan/Images.h"
#include "vulkan/Memory.h"
#include "vulkan/Pipeline.h"
#include "vulkan/WordBindings.h"

namespace goldy::rt::vk {

/// What a driver's MemoryId is.
struct BufferMemory {
  Allocation Piece;
  uint64_t Bytes = 0;
  void *Borrowed = nullptr; ///< the host's memory that it is
  /// Of no other memory, before or after; commands that name a buffer are for
  /// the memory of that number.
  uint64_t Serial = nextSerial();
  static uint64_t nextSerial();
};
MemoryRange rangeOf(MemoryId Memory);

class Submission {
public:
  /// `Pattern`: the memory of FillPattern.
  Submission(Device &D, MemoryPool &Pool, Clock &Time,
             const Allocation &Pattern, SubmissionDesc Desc)
      : D(D), Pool(Pool), Time(Time), Pattern(Pattern), Desc(std::move(Desc)),
        Brought(this->Desc, rangeOf) {}
  /// No run is pending.
  ~Submission();

  Status prepare();
  Status run(const RunInput &Input, uint64_t &Point);
  Status times(uint64_t Point, std::vector<PartTime> &Out);

private:
  struct Recording {
    explicit Recording(Device &D) : Sets(D) {}
    Commands Work;
    Allocation Far; ///< parameter blocks behind addresses
    WordSets Sets;
    std::vector<std::vector<std::byte>> Blocks; ///< of the parts
    std::vector<VkDescriptorSet> PartSets;
    std::vector<uint64_t> FarOffsets; ///< in Far, of the parts' blocks
    std::vector<uint32_t> Pieces;     ///< that there is room for there
    std::vector<uint64_t> Words;      ///< that it holds
    std::vector<uint64_t> Serials;    ///< of memories in commands
    bool Apart = true;                ///< they are different ones
    bool Recorded = false;
    VkQueryPool Queries = VK_NULL_HANDLE; ///< two for each part
    uint64_t StartedNs = 0;               ///< on the host
    uint64_t Point = 0;
  };
  /// Where a word of the run is seen.
  enum class SlotPlace : uint8_t {
    Memory,   ///< in a block behind an address
    Commands, ///< in push constants
    Sets      ///< in an address that is bound by a descriptor
  };
  SlotPlace placeOf(const Slot &S) const;
  void plan();
  Status fillBlocks(Recording &R, const RunInput &Input);
  Status makeSets(Recording &R, const RunInput &Input);
  Status makeRoom(Recording &R);
  bool fits(Recording &R, const RunInput &Input) const;
  Status record(Recording &R, VkCommandBufferUsageFlags Usage,
                const RunInput &Input);
  Status runRecorded(const RunInput &Input, uint64_t &Point);
  /// Puts what the run brings where the commands find it.
  Status update(Recording &R, const RunInput &Input);
  void writeChanged(Recording &R, const RunInput &Input, bool &NewCommands,
                    bool &NewSets) const;
  void writeSlot(Recording &R, const Slot &S, uint64_t Word) const;
  void writeGrid(Recording &R, uint32_t Part, const RunInput &Input) const;
  bool commandsDiffer(const Recording &R, const RunInput &Input) const;
  bool isIndirect(uint32_t Part) const;
  bool isFixed() const {
    return Desc.Slots.empty() && !Desc.Timed && !Desc.Memories &&
           Grids.empty() && Moved.empty();
  }
  Recording &freeRecording();
  Status makeQueries(Recording &R);
  Status makeImages();
  void release(Recording &R);

  Device &D;
  MemoryPool &Pool;
  Clock &Time;
  const Allocation &Pattern;
  SubmissionDesc Desc;
  std::map<uint32_t, std::unique_ptr<LaunchImages>> Images; ///< by part
  std::mutex Mutex;                                         ///< of Recordings
  std::vector<Recording> Recordings;
  RunMemories Brought; ///< under Mutex
  // Of the parts, made once.
  std::vector<bool> Waits;          ///< if a run's memories are different ones
  std::vector<SlotPlace> Places;    ///< of the slots
  std::vector<uint32_t> Grids;      ///< parts whose grids are words
  std::vector<uint32_t> Moved;      ///< words that move ends of copies
  std::vector<uint32_t> InCommands; ///< memories that are filled or copied
};

/// Bytes that fills of a few bytes are copied from: four of each value.
std::vector<std::byte> fillPattern();

} // namespace goldy::rt::vk

#endif
