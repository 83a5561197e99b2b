//===- CoarsenPlan.cpp - Which kernels do several work-items a thread ----===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rule of cost wants kernels that wait for memory: several loads in flight
// a thread, without fewer threads on the device. Work-items whose control parts
// would be done one after the other by fewer threads, long loops have loads in
// flight already, and many live values take the registers of other threads.
//
//===----------------------------------------------------------------------===//
#include "CoarsenPlan.h"

#include <algorithm>
#include <bit>

namespace goldy {
namespace {

// --- The rule of cost

/// Loads that a thread should have in flight.
constexpr uint32_t ItemsByCost = 4;
/// … where arithmetic takes as long as memory: what a thread does once counts.
constexpr uint32_t ItemsOfLong = 8;
/// Instructions an access of such work-items, and of all of one.
constexpr uint64_t LongPerAccess = 20, MaxLong = 512;
/// Threads below which groups stand side by side: devices start a limited
/// number of groups in a given time, and hold a limited number of them.
constexpr uint32_t FewThreads = 256;
/// Instructions of a shared loop's body.
constexpr uint64_t MaxLoop = 32;
/// Instructions of a work-item.
constexpr uint64_t MaxItem = 1024;
/// Values of a work-item that live at once.
constexpr uint32_t MaxLive = 16;

/// What keeps the kernel as it is. Sets Reason and Cause.
class Obstacles {
public:
  Obstacles(const Function &F, CoarsenReport &Out) : F(F), Out(Out) {
    forEachInst(F, [&](InstId I) {
      forEachUse(F, I, [&](ValueId V) { Used.set(V, true); });
    });
    forEachInst(F, [&](InstId I) { note(I); });
  }

private:
  void note(InstId I) {
    const Inst &N = F.Insts[I];
    if (opInfo(N.Opcode).Effects == Effect::Sync)
      block(CoarsenReason::Together, I);
    else if (N.Where && F.Places[N.Where].Base.Kind == BaseKind::Workgroup)
      block(CoarsenReason::Memory, I);
    else if (isAtomic(N.Opcode) && Used[I])
      block(CoarsenReason::OldValues, I);
    else if (N.Opcode == Op::Debug)
      block(CoarsenReason::Prints, I);
  }
  void block(CoarsenReason Why, InstId I) {
    if (Out.Reason != CoarsenReason::None)
      return;
    Out.Reason = Why;
    Out.Cause = F.Insts[I].Loc;
  }

  const Function &F;
  CoarsenReport &Out;
  SideMap<Inst, bool> Used{false};
};

/// The most values of a work-item that live at once, in program order; a value
/// from before a loop lives to its end. A private variable lives throughout.
class LiveValues {
public:
  LiveValues(const Function &F, const Uniformity &U, BlockId Root)
      : F(F), U(U) {
    walk(Root);
    SideMap<Slot, bool> Seen{false};
    forEachInst(F, Root, [&](InstId I) {
      SlotId S = F.slotOf(I);
      if (!S)
        return;
      Variables += !Seen[S] && !U.SlotUniform[S];
      Seen.set(S, true);
    });
  }

  uint32_t most() const {
    std::vector<int> Change(Time + 2, 0);
    for (ValueId V : Defined) {
      ++Change[Begin[V]];
      --Change[std::max(End[V], Begin[V])];
    }
    int Now = 0, Most = 0;
    for (int C : Change)
      Most = std::max(Most, Now += C);
    return static_cast<uint32_t>(Most) + Variables;
  }

private:
  void walk(BlockId B) {
    for (InstId I : F.Blocks[B].Insts) {
      ++Time;
      forEachUse(F, I, [&](ValueId V) { use(V); });
      const Inst &N = F.Insts[I];
      if (N.Type != types::Void && !U.Value[I]) {
        Begin.set(I, Time);
        Defined.push_back(I);
      }
      if (N.Opcode == Op::Loop)
        walkLoop(N);
      else
        walkBlocks(N);
    }
  }
  void walkBlocks(const Inst &N) {
    for (BlockId Inner : N.Blocks)
      if (Inner)
        walk(Inner);
  }
  void walkLoop(const Inst &N) {
    uint32_t First = Time;
    size_t Before = Defined.size();
    walkBlocks(N);
    for (size_t K = 0; K < Before; ++K)
      if (End[Defined[K]] > First)
        End.set(Defined[K], Time);
  }
  void use(ValueId V) { End.set(V, Time); }

  const Function &F;
  const Uniformity &U;
  SideMap<Inst, uint32_t> Begin{0}, End{0};
  std::vector<ValueId> Defined;
  uint32_t Time = 0, Variables = 0;
};

} // namespace

CoarsenParts::CoarsenParts(const Function &F, const Uniformity &U, BlockId Root)
    : F(F), U(U), Where(F) {
  do {
    Changed = false;
    forEachInst(F, Root, [&](InstId I) { note(I); });
  } while (Changed);
}

bool CoarsenParts::encloses(InstId I) const {
  for (InstId Up = Where.parentOf(I); Up; Up = Where.parentOf(Up))
    if (Marked[Up])
      return true;
  return Body;
}

/// Where an exit goes: invalid for the end of the kernel.
InstId CoarsenParts::targetOf(InstId I) const {
  Op O = F.Insts[I].Opcode;
  return O == Op::BreakIf  ? Where.parentOf(I)
         : O == Op::Return ? InstId()
                           : F.Insts[I].Target;
}

void CoarsenParts::note(InstId I) {
  const Inst &N = F.Insts[I];
  if (N.Opcode == Op::If && !U.Value[F.operand(I, 0)] &&
      !F.isConst(F.operand(I, 0)))
    mark(I);
  if (!isExit(N.Opcode) && N.Opcode != Op::BreakIf)
    return;
  InstId Target = targetOf(I);
  bool Parts =
      !U.Reached[I] || (N.Opcode == Op::BreakIf && !U.Value[F.operand(I, 0)]);
  for (InstId Up = Where.parentOf(I); Up && Up != Target;
       Up = Where.parentOf(Up))
    Parts |= Marked[Up];
  if (Parts && Target)
    mark(Target);
  else if (Parts)
    markBody();
}

void findObstacle(const Function &F, CoarsenReport &R) { Obstacles(F, R); }

uint64_t placedUnder(const Function &F, BlockId Root) {
  uint64_t Count = 0;
  forEachInst(F, Root, [&](InstId) { ++Count; });
  return Count;
}

void weigh(const Function &F, const Uniformity &U, const CoarsenParts &Parts,
           BlockId Root, CoarsenReport &R) {
  auto Because = [&](CoarsenReason Why, Span Cause = {}) {
    if (R.Reason == CoarsenReason::None)
      R.Reason = Why, R.Cause = Cause;
  };
  if (F.WorkgroupSize[0] == 1)
    Because(CoarsenReason::Narrow);
  if (Parts.wholeBody())
    Because(CoarsenReason::Early);
  forEachInst(F, Root, [&](InstId I) {
    const Inst &N = F.Insts[I];
    if (N.Opcode == Op::Loop && Parts[I])
      Because(CoarsenReason::OwnLoop, N.Loc);
    else if (N.Opcode == Op::Loop && placedUnder(F, N.Blocks[0]) > MaxLoop)
      Because(CoarsenReason::LongLoop, N.Loc);
    if (F.slotOf(I) && !F.wholeSlotOf(I))
      Because(CoarsenReason::Array, N.Loc);
  });
  if (placedUnder(F, Root) > MaxItem)
    Because(CoarsenReason::Large);
  if (LiveValues(F, U, Root).most() > MaxLive)
    Because(CoarsenReason::Values);
}

uint32_t itemsByCost(const Function &F, BlockId Root) {
  uint64_t Accesses = 0, Count = 0;
  for (InstId I : F.Blocks[Root].Insts) {
    Op O = F.Insts[I].Opcode;
    bool Moves = O == Op::Load || O == Op::Store;
    if (!Moves && !isPure(O))
      return ItemsByCost;
    Accesses += Moves;
    ++Count;
  }
  bool Long = Count >= Accesses * LongPerAccess && Count <= MaxLong;
  return Long ? ItemsOfLong : ItemsByCost;
}

CoarsenShape shapeFor(const Function &F, uint32_t Asked) {
  uint32_t Threads =
      F.WorkgroupSize[0] * F.WorkgroupSize[1] * F.WorkgroupSize[2];
  return {Asked == CoarsenByCost ? ItemsByCost : Asked,
          std::bit_floor(std::max(FewThreads / Threads, 1u))};
}

} // namespace goldy
