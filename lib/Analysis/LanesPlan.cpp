//===- LanesPlan.cpp - The plan of a kernel, step by step -----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LanesRegions.h"

#include <algorithm>
#include <cassert>

using namespace goldy;

// --- Accesses

static LaneAccess accessOf(const Module &M, const Function &F,
                           const LanePlan &Plan, InstId I) {
  const Place &P = F.Places[F.Insts[I].Where];
  FlatPlace Flat = flatten(M, F, P);
  int64_t Stride = 0;
  unsigned Moving = 0;
  for (const FlatPlace::Term &T : Flat.Terms) {
    const LaneValue &V = Plan.Vector.Value[T.Index];
    if (V.Shape == LaneShape::Varying)
      return LaneAccess::Gather;
    if (V.Shape != LaneShape::Strided)
      continue;
    ++Moving;
    Stride = V.Stride * static_cast<int64_t>(T.Stride);
  }
  if (Moving == 0)
    return LaneAccess::Broadcast;
  if (Moving > 1)
    return LaneAccess::Gather;
  bool Neighbours = Stride == static_cast<int64_t>(M.Types.layout(P.Type).Size);
  return Neighbours ? LaneAccess::Contiguous : LaneAccess::Strided;
}

/// Loads up to four words apart, both ways; stores backwards: between its own
/// words an access may read, but not write.
static int32_t distanceOf(const Module &M, const Function &F,
                          const LanePlan &Plan, InstId I) {
  constexpr int64_t MaxDistance = 4, Word = 4;
  const Place &P = F.Places[F.Insts[I].Where];
  bool Stores = F.Insts[I].Opcode == Op::Store;
  if (Plan.Access[I] != LaneAccess::Strided || P.Base.Kind == BaseKind::Slot ||
      M.Types.layout(P.Type).Size != Word ||
      (!Stores && F.Insts[I].Opcode != Op::Load))
    return 0;
  int64_t Stride = 0;
  for (const FlatPlace::Term &T : flatten(M, F, P).Terms)
    if (Plan.Vector.Value[T.Index].Shape == LaneShape::Strided)
      Stride =
          Plan.Vector.Value[T.Index].Stride * static_cast<int64_t>(T.Stride);
  int64_t Most = Stores ? 1 : MaxDistance;
  if (Stride % Word || Stride / Word < -Most || Stride / Word > Most)
    return 0;
  return static_cast<int32_t>(Stride / Word);
}

/// For vectors of `Registers` of the machine.
static LanePlan planWidth(const Module &M, const Function &F,
                          const LaneMachine &On, unsigned Registers,
                          bool PerItem = false) {
  LanePlan Plan;
  unsigned Width = On.Lanes * Registers;
  Plan.Width = Width;
  Plan.Machine = On.Lanes;
  Plan.MachineRegisters = On.Registers;
  Plan.MachineFuses = On.Fuses;
  Plan.VectorsPerRow = (F.WorkgroupSize[0] + Width - 1) / Width;
  Plan.VectorsPerGroup =
      Plan.VectorsPerRow * F.WorkgroupSize[1] * F.WorkgroupSize[2];
  Structure S(F);
  Plan.Scopes = slotScopes(M, F, S);
  Plan.Vector = analyseLanes(M, F, S, Plan.Scopes, LaneScope::Vector, Width);
  Plan.Group = analyseLanes(M, F, S, Plan.Scopes, LaneScope::Group, Width);
  forEachInst(F, [&](InstId I) {
    if (F.Insts[I].Where && F.Insts[I].Opcode != Op::Len)
      Plan.Access.set(I, accessOf(M, F, Plan, I));
    if (F.Insts[I].Where && F.Insts[I].Opcode != Op::Len)
      Plan.Distance.set(I, distanceOf(M, F, Plan, I));
  });
  planAtomics(F, S, Plan);
  planRegions(M, F, S, Plan, PerItem);
  findTrips(F, S, Plan);
  if (!PerItem) {
    planArrays(M, F, Plan);
    planRuns(F, Plan);
    planVersions(F, S, Plan);
  }
  return Plan;
}

LanePlan goldy::planLanes(const Module &M, const Function &F, unsigned Width,
                          bool PerItem) {
  LaneMachine On;
  On.Lanes = Width;
  LanePlan Plan = planWidth(M, F, On, 1, PerItem);
  planItems(F, Plan);
  if (!PerItem) {
    planSplits(F, Plan);
    planJoins(F, Plan);
  }
  return Plan;
}

LanePlan goldy::planLanes(const Module &M, const Function &F,
                          const LaneMachine &Of) {
  LaneMachine On = Of;
  On.Lanes = chooseWidth(F, Of.Lanes);
  LanePlan Plan = planWidth(M, F, On, 1);
  if (!Plan.Refused.empty())
    return Plan;
  std::vector<LaneInterleave> Choices = chooseInterleave(M, F, Plan, On);
  unsigned Registers = 1;
  for (const LaneInterleave &C : Choices)
    Registers = std::max(Registers, C.Registers);
  if (Registers > 1)
    Plan = planWidth(M, F, On, Registers);
  assert(Plan.Regions.size() == Choices.size() &&
         "what is done once a group does not hang on widths");
  for (size_t R = 0; R < Choices.size(); ++R)
    Plan.Regions[R].Interleave = Choices[R];
  planItems(F, Plan);
  planSplits(F, Plan);
  planJoins(F, Plan);
  return Plan;
}

unsigned goldy::chooseWidth(const Function &F, unsigned MaxWidth) {
  uint32_t Row = F.WorkgroupSize[0];
  uint32_t AtMost = (Row + MaxWidth - 1) / MaxWidth + 1;
  for (unsigned W = MaxWidth; W >= MinLanes; W /= 2)
    if (Row % W == 0 && Row / W <= AtMost)
      return W;
  unsigned W = MaxWidth;
  while (W > MinLanes && W / 2 >= Row)
    W /= 2;
  return W;
}
