//===- Submission.h - A prepared submission as command buffers ------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without slots a submission is recorded once and submitted any number of
// times. With slots its words are part of the commands (push constants) or of
// memory that a pending run reads, so each run records into a recording that no
// pending run uses. A timed one has a recording for each of the last runs,
// whose queries keep their times.
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
    Allocation Blocks; ///< parameter blocks behind addresses
    WordSets Sets;
    VkQueryPool Queries = VK_NULL_HANDLE; ///< two for each part
    uint64_t StartedNs = 0;               ///< on the host
    uint64_t Point = 0;
  };
  Status record(Recording &R, std::span<const uint64_t> Words,
                VkCommandBufferUsageFlags Usage);
  Status runRecorded(std::span<const uint64_t> Words, uint64_t &Point);
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
};

/// Bytes that fills of a few bytes are copied from: four of each value.
std::vector<std::byte> fillPattern();

} // namespace goldy::rt::vk

#endif
