//===- LanesTrips.cpp - Loops that lanes may leave together ---------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `for i in (l..n).step_by(256)`, where neighbours start at neighbouring
// numbers, runs equally often in all lanes of most vectors. Such loops are
// found here in the form that lower-for gives them; how often lanes run one
// follows from where they start, so one test before the loop will do.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Analysis/Lanes.h"

#include <algorithm>
#include <optional>

using namespace goldy;

namespace {

class TripFinder {
public:
  TripFinder(const Function &F, const Structure &S, const LanePlan &Plan)
      : F(F), S(S), Plan(Plan) {}

  std::optional<LaneTrips> trips(InstId Loop) const {
    BlockId End = F.Insts[Loop].Blocks[1];
    if (!End || !Plan.HasDivergentExit[Loop] || leavesElsewhere(Loop))
      return std::nullopt;
    std::optional<LaneTrips> T;
    for (InstId I : F.Blocks[End].Insts)
      if (F.Insts[I].Opcode == Op::BreakIf)
        T = condition(F.operand(I, 0));
    if (!T || inLoop(Loop, T->Limit) || !stepsAtEndOnly(Loop, *T))
      return std::nullopt;
    return T;
  }

private:
  bool inLoop(InstId Loop, ValueId V) const {
    if (opInfo(F.Insts[V].Opcode).Effects == Effect::Leaf)
      return false;
    for (BlockId B : F.Insts[Loop].Blocks)
      if (B && S.contains(B, V))
        return true;
    return false;
  }

  /// Another exit than the end's is divergent.
  bool leavesElsewhere(InstId Loop) const {
    bool Leaves = false;
    forEachInst(F, F.Insts[Loop].Blocks[0], [&](InstId I) {
      Leaves |= isExit(F.Insts[I].Opcode) && Plan.Vector.Divergent[I];
    });
    return Leaves;
  }

  bool isLoadOf(ValueId V, SlotId Slot) const {
    return F.Insts[V].Opcode == Op::Load && F.wholeSlotOf(V) == Slot;
  }

  /// `limit - counter <= step`, or `<` of an inclusive range.
  std::optional<LaneTrips> condition(ValueId V) const {
    const Inst &N = F.Insts[V];
    if ((N.Opcode != Op::Le && N.Opcode != Op::Lt) ||
        F.typeOf(F.operand(V, 0)) != types::U32 || !F.isConst(F.operand(V, 1)))
      return std::nullopt;
    ValueId Distance = F.operand(V, 0);
    if (F.Insts[Distance].Opcode == Op::Cast)
      Distance = F.operand(Distance, 0);
    if (F.Insts[Distance].Opcode != Op::Sub)
      return std::nullopt;
    ValueId Limit = F.operand(Distance, 0), Counter = F.operand(Distance, 1);
    if (F.Insts[Counter].Opcode != Op::Load || !F.wholeSlotOf(Counter) ||
        !has32Bits(F.typeOf(Limit)))
      return std::nullopt;
    LaneTrips T;
    T.Step = static_cast<uint32_t>(F.Insts[F.operand(V, 1)].Imm);
    T.Counter = F.wholeSlotOf(Counter);
    T.Limit = Limit;
    T.Inclusive = N.Opcode == Op::Lt;
    LaneValue Moves = Plan.Vector.OfSlot[T.Counter];
    if (Plan.Vector.Value[Limit].Shape != LaneShape::Uniform ||
        Moves.Shape != LaneShape::Strided || Moves.Stride != 1)
      return std::nullopt;
    return T;
  }
  static bool has32Bits(TypeId T) { return T == types::U32 || T == types::I32; }

  /// The one store to the counter in the loop adds the step, at its end.
  bool stepsAtEndOnly(InstId Loop, const LaneTrips &T) const {
    const std::vector<InstId> &End = F.Blocks[F.Insts[Loop].Blocks[1]].Insts;
    unsigned Stores = 0;
    bool Steps = false;
    for (BlockId B : F.Insts[Loop].Blocks)
      forEachInst(F, B, [&](InstId I) {
        if (F.Insts[I].Opcode != Op::Store || F.wholeSlotOf(I) != T.Counter)
          return;
        ++Stores;
        ValueId V = F.operand(I, 0);
        bool AtEnd = std::find(End.begin(), End.end(), I) != End.end();
        Steps = AtEnd && F.Insts[V].Opcode == Op::Add &&
                isLoadOf(F.operand(V, 0), T.Counter) &&
                F.isConst(F.operand(V, 1)) &&
                static_cast<uint32_t>(F.Insts[F.operand(V, 1)].Imm) == T.Step;
      });
    return Stores == 1 && Steps;
  }

  const Function &F;
  const Structure &S;
  const LanePlan &Plan;
};

} // namespace

void goldy::findTrips(const Function &F, const Structure &S, LanePlan &Plan) {
  TripFinder Finder(F, S, Plan);
  forEachInst(F, [&](InstId I) {
    if (F.Insts[I].Opcode == Op::Loop)
      if (std::optional<LaneTrips> T = Finder.trips(I))
        Plan.Strips.set(I, *T);
  });
}
