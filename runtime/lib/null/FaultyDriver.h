//===- FaultyDriver.h - A device whose calls fail on demand ---------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tests of what stands above a driver: stands before another driver, passes
// its calls on, and makes the n-th call that can fail, of any kind or of one,
// fail without passing it on. A device that is lost that way stays lost.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_NULL_FAULTYDRIVER_H
#define GOLDY_RUNTIME_NULL_FAULTYDRIVER_H

#include "core/Driver.h"

#include <atomic>
#include <optional>

namespace goldy::rt {

enum class DriverCall : uint8_t {
  Allocate,
  Write,
  Read,
  Map,
  Unmap,
  LoadImage,
  Prepare,
  Run,
  Times,
  Wait,
  Borrow
};
/// "allocate".
const char *callName(DriverCall Call);

/// Not for calls from several threads while a fault is set.
class FaultyDriver final : public Driver {
public:
  explicit FaultyDriver(std::unique_ptr<Driver> Real) : Real(std::move(Real)) {}

  /// The `N`-th call from now on, 1 the next, fails with `Code`, of one kind or
  /// of any. GOLDY_LOST: so does every later one.
  void failAt(uint64_t N, goldy_code_t Code,
              std::optional<DriverCall> Of = std::nullopt);
  /// Calls of that kind, or of any, since the last `failAt`.
  uint64_t calls() const { return Calls; }
  /// The call that failed; empty if none did since the last `failAt`.
  std::optional<DriverCall> failed() const { return Failed; }
  /// Memories, images and submissions that were made and not released.
  int64_t alive() const { return Alive; }

  const DeviceFacts &facts() const override { return Real->facts(); }
  Status allocate(uint64_t Bytes, MemoryId &Out) override;
  Status borrow(void *Host, uint64_t Bytes, MemoryId &Out) override;
  void release(MemoryId Memory) override;
  uint64_t address(MemoryId Memory) const override {
    return Real->address(Memory);
  }
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
  uint64_t lastPoint() const override { return Real->lastPoint(); }
  Status wait(uint64_t Point, uint64_t TimeoutNs) override;

private:
  Status enter(DriverCall Call);
  Status made(Status S);

  std::unique_ptr<Driver> Real;
  std::optional<DriverCall> Kind, Failed;
  goldy_code_t Code = GOLDY_OK;
  uint64_t FailingCall = 0, Calls = 0;
  bool Lost = false;
  std::atomic<int64_t> Alive{0};
};

} // namespace goldy::rt

#endif
