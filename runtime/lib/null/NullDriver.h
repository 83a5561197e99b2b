//===- NullDriver.h - The device that only records ------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tests of what stands above a driver, and the smallest whole driver. It
// calls no host function. It takes command words (PartKind::Words), 64-bit and
// little-endian, up to a 0 or the end of where they lie:
//
//   0                    the end
//   1 N                  records the line `word N`
//   2 K OFFSET BYTES V   fills bytes of the part's K-th use, K from 1, with V
//
// Any others, and bytes beyond the use or of one that is not written, are
// GOLDY_INVALID_ARGUMENT, and nothing behind them is done.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_NULL_NULLDRIVER_H
#define GOLDY_RUNTIME_NULL_NULLDRIVER_H

#include "core/RunTimes.h"
#include "cpu/HostMemory.h"

#include <map>
#include <mutex>

namespace goldy::rt {

class NullDriver : public Driver {
public:
  /// `MaxGroups` of one dispatch, along each axis.
  NullDriver(std::string Arch, uint64_t MaxGroups = UINT32_MAX);

  const DeviceFacts &facts() const override { return Facts; }
  Status allocate(uint64_t Bytes, MemoryId &Out) override;
  Status borrow(void *Host, uint64_t Bytes, MemoryId &Out) override;
  void release(MemoryId Memory) override;
  uint64_t address(MemoryId Memory) const override;
  Status write(MemoryId Memory, uint64_t Offset,
               std::span<const std::byte> Data) override;
  Status read(MemoryId Memory, uint64_t Offset,
              std::span<std::byte> Data) override;
  Status map(MemoryId Memory, void *&Out) override;
  Status unmap(MemoryId Memory) override;
  Status loadImage(const Kernel &K, const Image &I, ImageId &Out) override;
  void releaseImage(ImageId Image) override;
  Status prepare(SubmissionDesc Desc, SubmissionId &Out) override;
  Status run(SubmissionId Submission, const RunInput &Input,
             uint64_t &Point) override;
  void releaseSubmission(SubmissionId Submission) override;
  Status times(SubmissionId Submission, uint64_t Point,
               std::vector<PartTime> &Out) override;
  uint64_t lastPoint() const override;
  Status wait(uint64_t Point, uint64_t TimeoutNs) override;

  /// What was asked so far, one line a call: `allocate 1 64`, `launch saxpy
  /// 4 1 1`; pieces of a larger grid as `launch saxpy 4 1 1 at 65535 0 0`.
  std::vector<std::string> record() const;

  /// Each part of a timed run takes as long, right after the one before it.
  static constexpr uint64_t PartNs = 1000;

private:
  struct Prepared {
    SubmissionDesc Desc;
    RunTimes Times;
  };
  Status runPart(const Part &P, const RunInput &Input);
  void launch(const Part &P, const RunInput &Input);
  void fill(const MemoryUse &U, MemoryId Of, uint8_t Value);
  void copy(const Part &P, const RunInput &Input);
  Status words(const Part &P, const RunInput &Input);
  std::vector<PartTime> measure(const SubmissionDesc &Desc);
  void note(std::string Line) { Lines.push_back(std::move(Line)); }
  void noteEnd(const char *What, uint64_t Number) noexcept;
  HostMemory &memory(MemoryId M) const { return *Memories.at(M); }

  DeviceFacts Facts;
  mutable std::mutex Mutex; ///< of all below
  uint64_t Last = 0, Points = 0;
  std::map<MemoryId, std::unique_ptr<HostMemory>> Memories;
  std::map<ImageId, std::string> Images;
  std::map<SubmissionId, Prepared> Submissions;
  uint64_t ClockNs = 0;
  std::vector<std::string> Lines;
};

} // namespace goldy::rt

#endif
