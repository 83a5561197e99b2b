//===- Submission.h - A prepared submission as a graph --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts are nodes of a CUDA graph that is made once. Parameter blocks are the
// kernels' by-value parameters, so a run whose words differ from those of the
// run before it updates the nodes that take them, in place; runs that are under
// way keep what they were started with. So are ends of copies, memories of the
// run and grids; a graph is made anew only if a grid falls into another number
// of pieces or memories that were different ones are the same, and until its
// first run if it cannot be made without one. The first run of a lone launch is
// started as it is: a graph of one node costs three launches to make, and is
// faster to start and to wait for from then on.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CUDA_SUBMISSION_H
#define GOLDY_RUNTIME_CUDA_SUBMISSION_H

#include "core/RunMemories.h"
#include "cuda/GraphBuilder.h"

namespace goldy::rt::cuda {

/// No run is pending when it is destroyed.
class Submission {
public:
  Submission(Device &D, Clock &Time, SubmissionDesc Desc, PartSources From,
             RunMemories::RangeOf RangeOf)
      : D(D), Time(Time), Desc(std::move(Desc)), From(From),
        Memories(this->Desc, RangeOf) {}

  Status prepare();
  Status run(const RunInput &Input, uint64_t &Point);
  Status times(uint64_t Point, std::vector<PartTime> &Out);

private:
  Status build(const RunInput *Input);
  Status ready(const RunInput &Input);
  Status launchAlone(const RunInput &Input);
  Status launchGraph();
  Status stampWith(const RunEvents &R);
  Status launchTimed(const RunEvents &R);
  Status runTimed(uint64_t &Point);

  Device &D;
  Clock &Time;
  SubmissionDesc Desc;
  PartSources From;
  std::mutex Mutex; ///< of all below
  RunMemories Memories;
  bool Alone = false; ///< one launch of one piece that was not run yet
  std::unique_ptr<ReadyGraph> Built;
  RunRing Runs; ///< of a timed one
};

} // namespace goldy::rt::cuda

#endif
