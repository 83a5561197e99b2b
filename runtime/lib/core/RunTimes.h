//===- RunTimes.h - Times of a submission's last runs ---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For drivers that know a run's times when it is done.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CORE_RUNTIMES_H
#define GOLDY_RUNTIME_CORE_RUNTIMES_H

#include "core/Driver.h"

#include <mutex>

namespace goldy::rt {

/// Nanoseconds of the host's steady clock.
uint64_t steadyNs();

/// May be used from several threads at once.
class RunTimes {
public:
  /// The run of `Point`, which is not 0; the oldest of TimedRunsKept goes.
  void keep(uint64_t Point, std::vector<PartTime> Parts);
  Status find(uint64_t Point, std::vector<PartTime> &Out) const;

private:
  struct Run {
    uint64_t Point = 0;
    std::vector<PartTime> Parts;
  };
  mutable std::mutex Mutex; ///< of all below
  std::array<Run, TimedRunsKept> Last;
  size_t Next = 0;
};

} // namespace goldy::rt

#endif
