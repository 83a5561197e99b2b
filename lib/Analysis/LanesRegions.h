//===- LanesRegions.h - The steps by which regions are found --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Over a function whose shapes are known: which statements run once per group
// (LanesGroup.cpp), how the rest falls into regions (LanesRegions.cpp), what
// must outlive them (LanesContexts.cpp). Private to Analysis.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_ANALYSIS_LANESREGIONS_H
#define GOLDYC_LIB_ANALYSIS_LANESREGIONS_H

#include "goldyc/Analysis/Lanes.h"

#include <algorithm>
#include <set>

namespace goldy {

/// Operations that a region repeats rather than reading a kept value.
inline constexpr unsigned MaxAgain = 6;

/// The statement that an exit leaves, or goes on with.
inline InstId targetOfExit(const Function &F, const Structure &S, InstId I) {
  const Inst &N = F.Insts[I];
  return N.Opcode == Op::BreakIf ? S.parentOf(I) : N.Target;
}

/// Fills HasDivergentExit, GroupLevel and FirstChoice; gives the forms of first
/// choices that seldom run.
std::set<BlockId> markGroupLevel(const Function &F, const Structure &S,
                                 LanePlan &Plan, bool PerItem);

/// Fills the regions' statements and what runs once for the group; wants
/// GroupSlot too. Gives the block of each region, or a plan that is refused.
std::vector<BlockId> collectRegions(const Function &F, const Structure &S,
                                    LanePlan &Plan,
                                    const std::set<BlockId> &Cold,
                                    bool PerItem);

/// Fills what regions read, compute again and keep, and where; plans rows.
void planContexts(const Module &M, const Function &F, const Structure &S,
                  LanePlan &Plan, const std::vector<BlockId> &BlockOfRegion,
                  bool PerItem);

/// What rules more registers a vector out, whatever they would gain; Gains:
/// nothing does.
InterleaveReason obstacleToRegisters(const Module &M, const Function &F,
                                     const LanePlan &Plan, const LaneRegion &R);

/// The region changes a variable that all lanes of the plan's vectors share.
inline bool changesShared(const LanePlan &Plan, const LaneRegion &R) {
  return std::any_of(
      R.ContextWrites.begin(), R.ContextWrites.end(),
      [&](SlotId S) { return Plan.Vector.OfSlot[S].isScalar(); });
}

/// Fills the regions and all that the plan says of what runs once per group.
void planRegions(const Module &M, const Function &F, const Structure &S,
                 LanePlan &Plan, bool PerItem);

} // namespace goldy

#endif
