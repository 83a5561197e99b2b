//===- RunEvents.h - Events of a submission's last runs -------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each of the runs whose times are kept has events of its own: one before it in
// the stream, and two for each part, which nodes of the graph record. The graph
// is pointed at a run's events before it is started.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CUDA_RUNEVENTS_H
#define GOLDY_RUNTIME_CUDA_RUNEVENTS_H

#include "core/Driver.h"
#include "cuda/Clock.h"

namespace goldy::rt::cuda {

/// The events of one run; not yet made, or all of them.
struct RunEvents {
  uint64_t Point = 0; ///< of the run; 0: of none
  std::shared_ptr<const Clock::Base> Base;
  std::unique_ptr<OwnedEvent> Start;
  std::vector<std::unique_ptr<OwnedEvent>> Stamps; ///< begin and end of parts

  Status make(Device &D, size_t Parts);
  /// Of a run that is done.
  Status read(Device &D, std::vector<PartTime> &Out) const;
};

/// The last TimedRunsKept runs, and a place for the next one, so that a run
/// that fails to start costs no other its times. The owner guards it.
class RunRing {
public:
  RunEvents &next() { return Runs[Turn]; }
  /// The run that next() was asked for is `Point`.
  void started(uint64_t Point) {
    next().Point = Point;
    Turn = (Turn + 1) % Runs.size();
    next().Point = 0;
  }
  const RunEvents *find(uint64_t Point) const;

private:
  std::array<RunEvents, TimedRunsKept + 1> Runs;
  size_t Turn = 0;
};

} // namespace goldy::rt::cuda

#endif
