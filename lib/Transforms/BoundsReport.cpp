//===- BoundsReport.cpp - What became of every check
//------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a plan in the user's terms: spans instead of instructions.
//
//===----------------------------------------------------------------------===//
#include "BoundsPlan.h"

#include <algorithm>

namespace goldy {
namespace {

std::string nameOf(const Function &F, const PlaceBase &Base) {
  switch (Base.Kind) {
  case BaseKind::Param:
    return F.Params[Base.Index].Name;
  case BaseKind::Workgroup:
    return F.WorkgroupArrays[WorkgroupId(Base.Index)].Name;
  case BaseKind::Slot:
    return F.Slots[SlotId(Base.Index)].Name;
  case BaseKind::Table:
    return "";
  }
  return "";
}

TestPlace placeOf(const Function &F, const BoundsRegion &R) {
  return R.Entry.PerGroup                           ? TestPlace::Group
         : F.Insts[R.Entry.At].Opcode == Op::Assume ? TestPlace::Assumption
                                                    : TestPlace::Loop;
}

Span spanOf(const Function &F, ValueId V) {
  return V ? F.Insts[V].Loc : Span();
}
std::string nameOf(const Function &F, ValueId V) {
  return V ? std::string(F.nameOf(V)) : "";
}

CheckRecord recordOf(const Function &F, const BoundsPlan &Plan, unsigned N) {
  const AccessIndex &A = Plan.Indices[N];
  CheckRecord R;
  R.Access = F.Insts[A.Access].Loc;
  R.Index = spanOf(F, A.Element.Index);
  R.IndexName = nameOf(F, A.Element.Index);
  R.Resource = nameOf(F, A.Base);
  R.Writes = F.Insts[A.Access].Opcode != Op::Load;
  R.Fate = A.State == IndexState::Inside    ? CheckFate::Proven
           : A.State == IndexState::Outside ? CheckFate::Outside
                                            : CheckFate::Checked;
  if (A.State != IndexState::Open)
    return R;
  for (const BoundsRegion &Region : Plan.Regions)
    if (std::find(Region.Covered.begin(), Region.Covered.end(), N) !=
        Region.Covered.end()) {
      R.Fate = CheckFate::Tested;
      R.Test = placeOf(F, Region);
      R.TestAt = Region.Entry.PerGroup ? F.Loc : F.Insts[Region.Entry.At].Loc;
      return R;
    }
  R.Reason = CheckReason::NoCopies;
  std::map<unsigned, BoundsPlan::Stay>::const_iterator Why = Plan.Stays.find(N);
  if (Why != Plan.Stays.end()) {
    R.Reason = Why->second.Reason;
    if (R.Reason == CheckReason::Unbounded) {
      R.Cause = spanOf(F, Why->second.Cause);
      R.CauseName = nameOf(F, Why->second.Cause);
    }
  }
  return R;
}

void add(std::vector<CheckRecord> &All, CheckRecord R) {
  for (CheckRecord &Old : All) {
    R.Copies = Old.Copies;
    if (Old != R)
      continue;
    ++Old.Copies;
    return;
  }
  R.Copies = 1;
  All.push_back(std::move(R));
}

} // namespace

void reportBounds(const Function &F, const BoundsPlan &Plan,
                  BoundsReport &Report) {
  for (unsigned N = 0; N < Plan.Indices.size(); ++N)
    add(Report.Checks, recordOf(F, Plan, N));
  forEachInst(F, [&](InstId I) {
    if (F.Insts[I].Opcode != Op::Assume)
      return;
    AssumeRecord R{F.Insts[I].Loc, TestPlace::None};
    for (const BoundsRegion &Region : Plan.Regions)
      if (Region.Entry.At == I ||
          std::find(Region.Assumes.begin(), Region.Assumes.end(), I) !=
              Region.Assumes.end())
        R.Test = placeOf(F, Region);
    if (std::find(Report.Assumes.begin(), Report.Assumes.end(), R) ==
        Report.Assumes.end())
      Report.Assumes.push_back(R);
  });
}

} // namespace goldy
