//===- Submission.h - A prepared submission as command buffers ------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without slots a submission is recorded once and submitted any number of
// times. With slots there is a recording for each run that is pending at once,
// recorded when it is first used. A later run of it writes its words into the
// blocks that the commands find by their addresses. Words in push constants are
// part of the commands: such a recording is recorded anew if they changed, with
// the memory that it has. A timed one has a recording for each of the last
// runs, whose queries keep their times.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_VULKAN_SUBMISSION_H
#define GOLDY_RUNTIME_VULKAN_SUBMISSION_H

#include "core/Driver.h"
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
};

class Submission {
public:
  /// `Pattern`: the memory of FillPattern.
  Submission(Device &D, MemoryPool &Pool, Clock &Time,
             const Allocation &Pattern, SubmissionDesc Desc)
      : D(D), Pool(Pool), Time(Time), Pattern(Pattern), Desc(std::move(Desc)) {}
  /// No run is pending.
  ~Submission();

  Status prepare();
  Status run(std::span<const uint64_t> Words, uint64_t &Point);
  Status times(uint64_t Point, std::vector<PartTime> &Out);

private:
  struct Recording {
    explicit Recording(Device &D) : Sets(D) {}
    Commands Work;
    Allocation Far; ///< parameter blocks behind addresses
    WordSets Sets;
    std::vector<std::vector<std::byte>> Blocks; ///< of the parts
    std::vector<VkDescriptorSet> PartSets;
    std::vector<uint64_t> Words; ///< that the blocks hold
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
  Status fillBlocks(Recording &R, std::span<const uint64_t> Words);
  Status record(Recording &R, VkCommandBufferUsageFlags Usage);
  Status runRecorded(std::span<const uint64_t> Words, uint64_t &Point);
  /// Puts `Words` where the commands find them.
  Status update(Recording &R, std::span<const uint64_t> Words);
  void writeSlot(Recording &R, const Slot &S, uint64_t Word) const;
  bool isFixed() const { return Desc.Slots.empty() && !Desc.Timed; }
  Recording &freeRecording();
  Status makeQueries(Recording &R);
  Status makeImages();
  uint64_t farBlockBytes() const;
  void release(Recording &R);

  Device &D;
  MemoryPool &Pool;
  Clock &Time;
  const Allocation &Pattern;
  SubmissionDesc Desc;
  std::map<uint32_t, std::unique_ptr<LaunchImages>> Images; ///< by part
  std::mutex Mutex;                                         ///< of Recordings
  std::vector<Recording> Recordings;
  // Of the parts, made once.
  std::vector<uint64_t> FarOffsets;
  std::vector<bool> Waits;
  std::vector<SlotPlace> Places; ///< of the slots
};

/// Bytes that fills of a few bytes are copied from: four of each value.
std::vector<std::byte> fillPattern();

} // namespace goldy::rt::vk

#endif
