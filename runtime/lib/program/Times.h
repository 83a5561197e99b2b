//===- Times.h - When a run's parts began and ended -----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of programs that were loaded to be timed; others have none of it. Devices
// keep the times of the last runs of a submission only, so those of a loop's
// trips are fetched as it goes: the host waits for the eighth last one.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_PROGRAM_TIMES_H
#define GOLDY_RUNTIME_PROGRAM_TIMES_H

#include "program/Plan.h"

#include <deque>
#include <map>

struct goldy_program;

namespace goldy::rt {

/// A part of the last run.
struct TimedSpan {
  uint32_t Step = 0;         ///< in Plan::Steps
  uint32_t Part = NoIndex;   ///< of the step; NoIndex: a move
  uint32_t Named = NoIndex;  ///< in Plan::PartNames; NoIndex: a move
  uint32_t Device = NoIndex; ///< NoIndex: the host
  PartTime Time;
};

class ProgramTimes {
public:
  /// Spans of a run that are kept; more are counted.
  static constexpr size_t MostKept = size_t(1) << 20;

  explicit ProgramTimes(const goldy_program &L) : L(L) {}
  /// A run begins.
  void clear();
  /// Makes room for the times of one more run of a submission.
  Status beforeStart(uint32_t Prepared);
  /// Submission `Prepared` was started, which is these submits of the plan, of
  /// the steps from `Step` on.
  void started(uint32_t Step, Range Submits, uint32_t Prepared, uint64_t Point);
  /// The host made a move.
  void moved(uint32_t Step, PartTime Time);
  /// Waits for what was started and fetches the rest.
  Status finish();

  const std::vector<TimedSpan> &spans() const { return Spans; }
  size_t leftOut() const { return LeftOut; }
  /// "steps[2].body[0].parts[1]"; lasts as long as this.
  const std::string &placeOf(const TimedSpan &S);

private:
  /// What was started, or a move that is done.
  struct Started {
    uint32_t Step = 0;
    Range Submits;
    uint32_t Prepared = NoIndex; ///< NoIndex: a move
    uint64_t Point = 0;
    PartTime Move;
  };
  Status fetch(const Started &W);
  Status fetchFirst();
  void add(const TimedSpan &S);

  const goldy_program &L;
  std::deque<Started> Pending;     ///< in the order in which it was started
  std::vector<uint32_t> PendingOf; ///< by submission
  std::vector<PartTime> Fetched;
  std::vector<TimedSpan> Spans;
  size_t LeftOut = 0;
  std::map<std::pair<uint32_t, uint32_t>, std::string> Places;
};

} // namespace goldy::rt

#endif
