//===- LanesTiles.cpp - Registers of a vector beside rows in step ---------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LanesTiles.h"
#include "LaneCosts.h"

using namespace goldy;

// --- The estimate

void PassWork::add(const Function &F, const LanePlan &Plan, InstId I,
                   double Weight) {
  const Inst &N = F.Insts[I];
  bool Access = N.Where && N.Opcode != Op::Len;
  bool Vector = N.Type != types::Void ? !Plan.Vector.Value[I].isScalar()
                                      : Plan.Access[I] != LaneAccess::Broadcast;
  bool Row = Plan.OfRow[I];
  if (Access) {
    LaneAccess A = Plan.Access[I];
    bool Each = A == LaneAccess::Gather || A == LaneAccess::Strided;
    Memory.Of[Row][Vector] += Weight * (Each ? Plan.Machine : 1);
  } else if (N.Type == types::F32) {
    bool Apart = N.Opcode == Op::Fma && !Plan.MachineFuses;
    Floats.Of[Row][Vector] +=
        Weight * (Apart ? costs::FmaByDoubles : costs::of(N).Work);
  } else if (Vector) { // scalar ones become parts of addresses
    Others.Of[Row][Vector] += Weight * costs::of(N).Work;
  }
}

double PassWork::Counts::total(unsigned Rows, unsigned Registers) const {
  return Of[0][0] + Of[0][1] * Registers + Of[1][0] * Rows +
         Of[1][1] * Rows * Registers;
}

double PassWork::cycles(unsigned Rows, unsigned Registers, bool Sums) const {
  double M = Memory.total(Rows, Registers), A = Floats.total(Rows, Registers);
  double Vector = A + Others.total(Rows, Registers);
  double All = M + Vector + costs::LoopOnce * Ends;
  double Wait = Sums ? costs::FloatLatency * Ends : 0;
  return std::max({M / costs::MemoryRate, A / costs::FloatRate,
                   Vector / costs::VectorRate, All / costs::Rate, Wait}) /
         (Rows * Registers);
}

// --- What may be wide

/// Narrow code starts all rows of a pass from one value of what lanes share.
static bool sharesInContext(const LanePlan &Plan) {
  return std::any_of(
      Plan.Regions.begin(), Plan.Regions.end(),
      [&](const LaneRegion &R) { return changesShared(Plan, R); });
}

WideRegions::WideRegions(const Module &M, const Function &F, const Structure &S,
                         const LanePlan &Plan)
    : M(M), F(F), Plan(Plan) {
  if (F.WorkgroupSize[1] == 1 || Plan.Machine < MinLanes ||
      sharesInContext(Plan))
    return;
  while (Most < costs::MaxRegisters &&
         F.WorkgroupSize[0] % (2 * Most * Plan.Machine) == 0)
    Most *= 2;
  if (Most > 1)
    Widest = analyseLanes(M, F, S, Plan.Scopes, LaneScope::Vector,
                          Most * Plan.Machine);
}

unsigned WideRegions::most(uint32_t Region) const {
  const LaneRegion &R = Plan.Regions[Region];
  if (Most == 1 || R.Cold ||
      obstacleToRegisters(M, F, Plan, R) != InterleaveReason::Gains)
    return 1;
  bool Divided = !R.Exits.empty() || !R.Absent.empty();
  forEachOf(F, R.Insts, [&](InstId I) {
    Divided |= Widest.Divergent[I] || Widest.Partial[I];
  });
  return Divided ? 1 : Most;
}
