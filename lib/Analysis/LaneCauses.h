//===- LaneCauses.h - Why lanes differ ------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_ANALYSIS_LANECAUSES_H
#define GOLDYC_LIB_ANALYSIS_LANECAUSES_H

#include "goldyc/Analysis/LaneRemarks.h"

#include <optional>
#include <set>

namespace goldy {

/// Finds what makes values and control differ over the lanes of a plan.
class LaneCauses {
public:
  LaneCauses(const Function &F, const Structure &S, const LanePlan &Plan)
      : F(F), S(S), Plan(Plan) {}

  /// The first place on the way back from a value at which lanes come to
  /// differ. The value is not uniform.
  LaneNote ofValue(ValueId V) const;
  /// Why not all lanes of the vector reach a statement; nothing if all do.
  std::optional<LaneNote> ofMask(InstId I) const;
  /// The exit by which lanes leave the loop one by one.
  LaneNote ofLoop(InstId Loop) const;

  /// "`x`" of a parameter or array; a name for what has none.
  std::string baseName(const Place &P) const;

private:
  std::optional<LaneNote> trace(ValueId V, std::set<ValueId> &Seen) const;
  LaneNote ofMoving(ValueId V) const;
  std::optional<LaneNote> ofId(ValueId V) const;
  std::optional<LaneNote> ofSlot(ValueId Load, SlotId Slot,
                                 std::set<ValueId> &Seen) const;
  LaneNote ofMemory(ValueId Load) const;
  std::optional<LaneNote> divergentBefore(BlockId B, InstId I) const;
  std::optional<LaneNote> ofExit(InstId Exit, InstId Loop) const;
  /// A divergent exit inside `Outer` whose target is farther out.
  bool leaves(InstId Exit, InstId Outer) const;
  const LaneValue &shape(ValueId V) const { return Plan.Vector.Value[V]; }

  const Function &F;
  const Structure &S;
  const LanePlan &Plan;
};

} // namespace goldy

#endif
