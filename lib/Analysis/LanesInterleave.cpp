//===- LanesInterleave.cpp - How many registers make a vector -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rule of cost. A loop whose trip needs what the trip before gave takes at
// least the latency of that chain a trip, however little else it does; several
// registers of lanes in one trip fill the time, and share what is done once a
// trip. Against it stand registers (what does not fit is stored and loaded) and
// the size of the code.
//
// Estimated cycles a trip with n registers:
//
//   max(chain, (n * operations + spills) / 3, (n * operations + once) / 4)
//
// `chain` is the latency from a variable's value at the start of a trip to its
// value at the end, and at least n times the latency of the whole trip by the
// number of registers that the machine's window holds operations for, which is
// at least n. `once` are scalar operations and the loop's own; around loops it
// is the memory of buffers that limits, and they do not count. Code in a loop
// counts costs::Trips times. Larger code costs up to SizeCost of the time.
//
// Beside that, the order of memory: a group whose row is several vectors walks
// its loops once for each, and where a trip is a row away from the next, each
// walk reads a small piece of every row. A region whose loops do little but
// read or write neighbours takes as many registers as stay registers.
//
//===----------------------------------------------------------------------===//
#include "LaneCosts.h"
#include "LanesRegions.h"

#include <algorithm>
#include <bit>
#include <map>

using namespace goldy;

namespace {

/// Operations on masks that a loop has whose lanes leave one by one.
constexpr double MaskWork = 2;
/// Operations of all registers that the wide code of a region may have.
constexpr unsigned MaxOperations = 320;
/// The same of all regions of a kernel.
constexpr unsigned MaxOfKernel = 640;
/// Registers that loops take for the order of memory: all, and of a machine
/// with less than ManyRegisters those that write, or whose lanes count for
/// themselves. Results and constants would not fit beside them.
constexpr unsigned MostOrder = 16, MostOfFew = 4, ManyRegisters = 32;
/// Registers of a vector that is a row, its variables in memory.
constexpr unsigned MostRow = 32;
/// The same where loops are straight code, which has made it long already. Up
/// to there two registers are taken: the chain is longer than the window.
constexpr unsigned MaxStraight = 128;
/// Operations of one register of a stream, which takes costs::MaxRegisters; and
/// the least lanes of one, as shorter ones gain less and cost as much code.
constexpr double MaxStream = 12;
constexpr unsigned MinStreamLanes = 8;
/// What code of MaxOperations must gain.
constexpr double SizeCost = 0.15;

/// What a loop's body, or the code around loops, takes.
struct Stretch {
  double Operations = 0, Once = costs::LoopOnce, Chain = 0, Depth = 0,
         Weight = 1;
  bool Loop = false;
  bool Buffers = false; ///< accesses elements of buffers
  bool Writes = false;  ///< and some are stores
  bool Counts = false;  ///< lanes count their own trips
  bool Apart = false;   ///< of elements that are no neighbours
};

class Estimate {
public:
  Estimate(const Function &F, const LanePlan &Plan, const LaneRegion &R)
      : F(F), Plan(Plan) {
    region(R);
  }

  /// Registers that are missing when a vector is `N` of them.
  double spilled(unsigned N, unsigned Registers) const {
    // What is alive for short is so in one register of lanes after the other.
    double Needed = double(Through) * N + (Live - Through) + 2;
    return std::max(0.0, Needed - Registers);
  }

  /// Cycles for each register of lanes when a vector is `N` of them.
  double cycles(unsigned N, unsigned Registers) const {
    double Spilled = spilled(N, Registers);
    double Sum = 0;
    for (const Stretch &S : Stretches) {
      double Work = N * S.Operations + 2 * Spilled;
      double Together =
          std::max(double(N), costs::Window / std::max(1.0, S.Operations));
      double Wait = std::max(S.Chain, S.Depth * N / Together);
      double All =
          S.Loop || !S.Buffers ? (N * S.Operations + S.Once) / costs::Rate : 0;
      Sum += S.Weight * std::max({Wait, Work / costs::VectorRate, All}) / N;
    }
    return Sum;
  }

  const Stretch *costliest() const {
    const Stretch *Most = nullptr;
    for (const Stretch &S : Stretches)
      if (!Most || S.Weight * std::max(S.Operations, S.Chain) >
                       Most->Weight * std::max(Most->Operations, Most->Chain))
        Most = &S;
    return Most;
  }
  unsigned operations() const {
    double Sum = 0;
    for (const Stretch &S : Stretches)
      Sum += S.Operations;
    return static_cast<unsigned>(Sum);
  }
  unsigned live() const { return Live; }
  /// Registers that the order of memory would have.
  unsigned inOrder(unsigned Registers) const {
    unsigned Most = Undivided < MostOrder ? 0 : MostOrder;
    bool Loops = false;
    for (const Stretch &S : Stretches) {
      if (!S.Loop)
        continue;
      Loops = true;
      if (!S.Buffers || S.Apart)
        Most = 0;
      else if ((S.Writes || S.Counts) && Registers < ManyRegisters)
        Most = std::min(Most, MostOfFew);
    }
    return Loops ? Most : 0;
  }
  bool straight() const { return Straight; }
  /// Short code without loops that reads and writes neighbours: what is done
  /// once a vector and what tests results for NaN is a great part of it.
  bool streams() const {
    return Stretches.size() == 1 && !Stretches[0].Loop && Stretches[0].Writes &&
           !Stretches[0].Apart && Choices <= 1 &&
           Stretches[0].Operations <= MaxStream;
  }
  unsigned maxOperations() const {
    return Straight ? MaxStraight : MaxOperations;
  }
  /// Registers beyond which vectors would often be divided. Lanes that access
  /// memory by what they have loaded, or for as long as each likes, part in
  /// nearly every vector; by where they are, in a loop, in some.
  unsigned undivided() const { return Undivided; }

private:
  bool varies(ValueId V) const { return !Plan.Vector.Value[V].isScalar(); }
  bool varies(SlotId S) const { return !Plan.Vector.OfSlot[S].isScalar(); }

  void region(const LaneRegion &R) {
    Position = 0;
    Ranges.clear();
    SlotRanges.clear();
    Stretch Code;
    statements(R.Insts, Code);
    if (Code.Operations > 0)
      Stretches.push_back(Code);
    countLive();
  }

  /// Adds the statements to the stretch; loops make their own.
  void statements(const std::vector<InstId> &List, Stretch &Into) {
    for (InstId I : List)
      statement(I, Into);
  }

  void statement(InstId I, Stretch &Into) {
    const Inst &N = F.Insts[I];
    ++Position;
    note(I);
    if (N.Opcode == Op::Loop && Plan.AlwaysUnrolled[I]) {
      Straight = true;
      for (uint32_t Trip = 0; Trip < Plan.Unrolled[I]; ++Trip)
        for (BlockId B : N.Blocks)
          statements(F.Blocks[B].Insts, Into);
      return;
    }
    if (N.Opcode == Op::Loop) {
      loop(I, Into.Weight);
      return;
    }
    if (N.Opcode == Op::If && Plan.Vector.Divergent[I] &&
        accesses(N.Blocks[0])) {
      if (Into.Loop)
        Undivided = std::min(Undivided, 2u);
      if (ofData(F.operand(I, 0)))
        Undivided = 1;
    }
    Choices += N.Blocks[0] || N.Opcode == Op::BreakIf;
    for (BlockId B : N.Blocks)
      if (B)
        statements(F.Blocks[B].Insts, Into);
    if (N.Opcode == Op::If || N.Opcode == Op::Block)
      return;
    operation(I, Into);
  }

  void operation(InstId I, Stretch &Into) {
    const Inst &N = F.Insts[I];
    costs::OpCost C = costs::of(N);
    SlotId Slot = F.slotOf(I);
    double From = -1, Before = 0;
    for (ValueId V : F.operands(I)) {
      From = std::max(From, Carried[V]);
      Before = std::max(Before, Depth[V]);
    }
    if (Slot && N.Opcode == Op::Load) {
      // A trip's first read is what the trip before wrote.
      Carried.set(I, Written.count(Slot.index()) ? Written[Slot.index()] : 0);
      Depth.set(I, SlotDepth[Slot]);
      return;
    }
    if (Slot && N.Opcode == Op::Store) {
      Written[Slot.index()] = From;
      SlotDepth.set(Slot, Before);
      Into.Chain = std::max(Into.Chain, varies(Slot) ? From : 0);
      return;
    }
    bool Vector = N.Type != types::Void ? varies(I) : anyVaries(I);
    bool Memory = N.Where && N.Opcode != Op::Len;
    if (Memory && F.Places[N.Where].Base.Kind == BaseKind::Param) {
      LaneAccess A = Plan.Access[I];
      Into.Buffers = true;
      Into.Writes |= N.Opcode != Op::Load;
      Into.Apart |= A == LaneAccess::Gather || A == LaneAccess::Strided;
    }
    if (Vector || Memory)
      Into.Operations += lanesOf(I, C.Work);
    else
      Into.Once += 1;
    Carried.set(I, From < 0 ? -1 : From + C.Latency);
    Depth.set(I, Before + (Vector ? C.Latency : 0));
    Into.Depth = std::max(Into.Depth, Depth[I]);
  }

  /// The condition is more than where lanes are.
  bool ofData(ValueId V) const {
    for (ValueId Operand : F.operands(V)) {
      bool Bool = F.typeOf(Operand) == types::Bool;
      if (Bool ? varies(Operand) && ofData(Operand) : varies(Operand))
        return true;
    }
    return F.operands(V).empty() && varies(V);
  }

  bool accesses(BlockId B) const {
    bool Any = false;
    forEachInst(F, B, [&](InstId I) {
      Any |= F.Insts[I].Where && !F.slotOf(I) && F.Insts[I].Opcode != Op::Len;
    });
    return Any;
  }

  bool anyVaries(InstId I) const {
    for (ValueId V : F.operands(I))
      if (varies(V))
        return true;
    return false;
  }
  /// Gathers and scatters go lane by lane.
  double lanesOf(InstId I, double Work) const {
    const Inst &N = F.Insts[I];
    if (!N.Where || F.slotOf(I) || N.Opcode == Op::Len)
      return Work;
    LaneAccess A = Plan.Access[I];
    bool Each = A == LaneAccess::Gather || A == LaneAccess::Strided;
    return Each ? Plan.Machine : 1;
  }

  void loop(InstId I, double Weight) {
    const Inst &N = F.Insts[I];
    unsigned Start = Position;
    std::map<uint32_t, double> Outside = std::move(Written);
    SideMap<Inst, double> Around = Carried;
    Written.clear();
    Carried = SideMap<Inst, double>(-1);
    Stretch Trip;
    Trip.Loop = true;
    Trip.Counts = Plan.HasDivergentExit[I];
    if (Plan.HasDivergentExit[I] && !Plan.Strips[I].Step)
      leavesOneByOne(I, Trip);
    Trip.Weight = Weight * costs::Trips;
    for (BlockId B : N.Blocks)
      if (B)
        statements(F.Blocks[B].Insts, Trip);
    Written = std::move(Outside);
    Carried = std::move(Around);
    if (Trip.Operations > 0)
      Stretches.push_back(Trip);
    stretchOver(Start, Position);
  }

  void leavesOneByOne(InstId I, Stretch &Trip) {
    Trip.Operations += MaskWork;
    if (accesses(F.Insts[I].Blocks[0]))
      Undivided = 1;
  }

  // --- Values alive at once
  struct Range {
    unsigned From = 0, To = 0;
  };
  static void extend(std::map<uint32_t, Range> &In, uint32_t Key, unsigned At) {
    auto [It, New] = In.insert({Key, {At, At}});
    if (!New)
      It->second.To = std::max(It->second.To, At);
  }
  void note(InstId I) {
    if (SlotId S = F.slotOf(I)) {
      if (varies(S))
        extend(SlotRanges, S.index(), Position);
    } else if (F.Insts[I].Type != types::Void && varies(I)) {
      extend(Ranges, I.index(), Position);
    }
    for (ValueId V : F.operands(I)) {
      bool Leaf = opInfo(F.Insts[V].Opcode).Effects == Effect::Leaf;
      if (!Leaf && varies(V) && !F.slotOf(V))
        extend(Ranges, V.index(), Position);
    }
  }
  /// What a loop uses and does not make lives all through it.
  void stretchOver(unsigned From, unsigned To) {
    unsigned Across = 0;
    for (std::map<uint32_t, Range> *Each : {&Ranges, &SlotRanges})
      for (auto &[Key, R] : *Each) {
        bool Slot = Each == &SlotRanges;
        if (R.To < From || (R.From >= From && !Slot))
          continue;
        R = {std::min(R.From, From), To};
        ++Across;
      }
    Through = std::max(Through, Across);
  }
  void countLive() {
    std::map<unsigned, int> Changes;
    for (const std::map<uint32_t, Range> *Each : {&Ranges, &SlotRanges})
      for (const auto &[Key, R] : *Each) {
        ++Changes[R.From];
        --Changes[R.To];
      }
    int Now = 0, Most = 0;
    for (const auto &[At, By] : Changes)
      Most = std::max(Most, Now += By);
    Live = std::max(Live, static_cast<unsigned>(Most));
  }

  const Function &F;
  const LanePlan &Plan;
  std::vector<Stretch> Stretches;
  unsigned Live = 0, Position = 0;
  unsigned Undivided = MostOrder;
  unsigned Choices = 0;
  bool Straight = false; ///< with loops that are unrolled
  unsigned Through = 0;  ///< alive all through some loop
  /// Latency since the start of the trip; -1: does not depend on the last one.
  SideMap<Inst, double> Carried{-1};
  std::map<uint32_t, double> Written; ///< the same, of slots written so far
  SideMap<Inst, double> Depth{0};     ///< latency since the region's start
  SideMap<Slot, double> SlotDepth{0};
  std::map<uint32_t, Range> Ranges, SlotRanges;
};

/// Registers of a vector that is the whole row: of a machine that has no more
/// than those, where loops walk memory. 0: none.
unsigned wholeRow(const Function &F, const LanePlan &Plan, const Estimate &E,
                  const LaneMachine &On, unsigned Size) {
  unsigned N = F.WorkgroupSize[0] / Plan.Machine;
  bool Walks = E.inOrder(ManyRegisters) == MostOrder;
  if (!Walks || On.Registers >= ManyRegisters || N < On.Registers ||
      N > MostRow || F.WorkgroupSize[0] % Plan.Machine != 0 ||
      !std::has_single_bit(N) || N * Size > E.maxOperations())
    return 0;
  return N;
}

/// How many registers make a vector of the region.
LaneInterleave chooseFor(const Module &M, const Function &F,
                         const LanePlan &Plan, const LaneRegion &R,
                         const LaneMachine &On) {
  LaneInterleave Choice;
  Choice.Why = obstacleToRegisters(M, F, Plan, R);
  Estimate E(F, Plan, R);
  if (const Stretch *Most = E.costliest()) {
    Choice.Operations = static_cast<unsigned>(Most->Operations);
    Choice.Latency =
        static_cast<unsigned>(Most->Loop ? Most->Chain : Most->Depth);
  }
  Choice.Live = E.live();
  Choice.Size = E.operations();
  if (F.WorkgroupSize[1] * F.WorkgroupSize[2] > 1) { // decided with the rows
    Choice.Why = R.Interleave.Why;
    Choice.Registers = R.Interleave.Registers;
    Choice.Percent = R.Interleave.Percent;
    return Choice;
  }
  if (Choice.Why != InterleaveReason::Gains || R.Cold)
    return Choice;
  Choice.Why = InterleaveReason::NoGain;
  double One = E.cycles(1, On.Registers), Best = 0;
  for (unsigned N = 1; N <= costs::MaxRegisters && One > 0; N *= 2) {
    unsigned Size = N * Choice.Size;
    bool Row = F.WorkgroupSize[0] % (N * Plan.Machine) != 0;
    double Time = E.cycles(N, On.Registers) / One;
    double Cost = Time * (1 + SizeCost * Size / MaxOperations);
    if (N > 1 && !E.straight() && (Cost >= Best || Time > costs::Gains))
      continue;
    if (N > E.undivided()) {
      Choice.Why = InterleaveReason::Divides;
      break;
    }
    if (N > 1 && (Row || Size > E.maxOperations())) {
      Choice.Why = Row ? InterleaveReason::Row : InterleaveReason::Large;
      break;
    }
    Best = Cost;
    Choice.Registers = N;
    Choice.Percent = static_cast<unsigned>(100 * Time);
    Choice.Why = N > 1 ? InterleaveReason::Gains : InterleaveReason::NoGain;
  }
  if (unsigned N = wholeRow(F, Plan, E, On, Choice.Size)) {
    Choice.Registers = N;
    Choice.Percent =
        static_cast<unsigned>(100 * E.cycles(N, On.Registers) / One);
    Choice.Why = InterleaveReason::Order;
    return Choice;
  }
  for (unsigned N = 2 * Choice.Registers;
       N <= E.inOrder(On.Registers) && E.spilled(N, On.Registers) == 0 &&
       F.WorkgroupSize[0] % (N * Plan.Machine) == 0 &&
       N * Choice.Size <= E.maxOperations();
       N *= 2) {
    Choice.Registers = N;
    Choice.Percent =
        static_cast<unsigned>(100 * E.cycles(N, On.Registers) / One);
    Choice.Why = InterleaveReason::Order;
  }
  if (Choice.Registers < costs::MaxRegisters && On.Registers < ManyRegisters &&
      Plan.Machine >= MinStreamLanes && E.streams() &&
      E.undivided() >= costs::MaxRegisters &&
      E.spilled(costs::MaxRegisters, On.Registers) == 0 &&
      F.WorkgroupSize[0] % (costs::MaxRegisters * Plan.Machine) == 0) {
    Choice.Registers = costs::MaxRegisters;
    Choice.Why = InterleaveReason::Stream;
  }
  return Choice;
}

} // namespace

InterleaveReason goldy::obstacleToRegisters(const Module &M, const Function &F,
                                            const LanePlan &Plan,
                                            const LaneRegion &R) {
  if (Plan.Machine == 1 || F.WorkgroupSize[0] % (2 * Plan.Machine) != 0)
    return InterleaveReason::Row;
  for (uint32_t I = 0; I < F.Slots.size(); ++I)
    if (M.Types.memberCount(F.Slots[SlotId(I)].Type))
      return InterleaveReason::Array;
  bool EachLane = false;
  auto Look = [&](InstId I) {
    Op O = F.Insts[I].Opcode;
    bool Long = F.Insts[I].Type != types::Void &&
                M.Types.isInteger(F.Insts[I].Type) &&
                M.Types.bits(F.Insts[I].Type) == 64;
    EachLane |= isAtomic(O) || isCollective(O) || O == Op::Debug ||
                O == Op::Watch ||
                (Long && (O == Op::RawDiv || O == Op::RawRem));
  };
  forEachOf(F, R.Insts, Look);
  return EachLane ? InterleaveReason::LaneByLane : InterleaveReason::Gains;
}

std::vector<LaneInterleave> goldy::chooseInterleave(const Module &M,
                                                    const Function &F,
                                                    const LanePlan &Plan,
                                                    const LaneMachine &On) {
  std::vector<LaneInterleave> Choices;
  for (const LaneRegion &R : Plan.Regions)
    Choices.push_back(chooseFor(M, F, Plan, R, On));
  auto Code = [&](const LaneInterleave &C) {
    // Those that are as many as there are come in a loop.
    return C.Size *
           (C.Registers < On.Registers ? C.Registers : costs::MaxRegisters);
  };
  auto Total = [&] {
    unsigned Sum = 0;
    for (const LaneInterleave &C : Choices)
      Sum += C.Registers > 1 ? Code(C) : 0;
    return Sum;
  };
  while (Total() > MaxOfKernel) {
    LaneInterleave *Most = nullptr;
    for (LaneInterleave &C : Choices)
      if (C.Registers > 1 && (!Most || Code(C) > Code(*Most)))
        Most = &C;
    Most->Registers /= 2;
    Most->Why = InterleaveReason::Large;
  }
  return Choices;
}
