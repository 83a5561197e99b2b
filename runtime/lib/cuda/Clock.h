//===- Clock.h - The device's clock on the host's -------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver tells no time, only the span between two events, as a 32-bit float
// of milliseconds. So there is an event whose host time is known, and it is
// replaced before a second has passed: spans from it keep some 60 ns. The first
// one is set by looking at the host's clock before and after the event, a few
// times; later ones follow the device's own clock, so that runs keep their
// order, and are set anew after a pause in which that would cost precision.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CUDA_CLOCK_H
#define GOLDY_RUNTIME_CUDA_CLOCK_H

#include "core/RunTimes.h"
#include "cuda/Device.h"

namespace goldy::rt::cuda {

/// Nanoseconds from one event to a later one; both are done.
Status spanNs(Device &D, const OwnedEvent &From, const OwnedEvent &To,
              uint64_t &Out);

/// Makes the event, which measures times, if it is not there.
Status makeTimedEvent(Device &D, OwnedEvent &E);

/// May be used from several threads at once.
class Clock {
public:
  /// An event that is done, and when it was, on the host's steady clock.
  struct Base {
    explicit Base(const Api &Cu) : At(Cu) {}
    OwnedEvent At;
    uint64_t HostNs = 0;
  };

  /// `Now`: the host's steady clock, in nanoseconds.
  explicit Clock(Device &D, uint64_t (*Now)() = steadyNs) : D(D), Now(Now) {}
  /// Every base is gone but this clock's own.
  ~Clock();

  /// A base that is at most a second old.
  Status base(std::shared_ptr<const Base> &Out);

private:
  Status open();
  Status mark(const OwnedEvent &E);
  Status look(Base &B);
  Status follow(Base &B);

  Device &D;
  uint64_t (*Now)();
  std::mutex Mutex;        ///< of all below
  Stream Beside = nullptr; ///< of no work but the events of bases
  std::shared_ptr<const Base> Last;
};

} // namespace goldy::rt::cuda

#endif
