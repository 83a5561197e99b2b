//===- Coarsen.cpp - Several work-items a thread --------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The group keeps its number and loses threads: with P = ceil(W / K) of them
// along the first axis of K work-items or more, thread t does the work-items
// t, t + P, t + 2 P …, so neighbours still touch neighbouring elements. Work-
// items of a kernel without barriers are not ordered, so their statements may
// be interleaved: a statement under control that all of a group share is copied
// once a work-item where it stands, which puts the loads of all of them before
// the first use; what one work-item may do and another not (a branch on its id,
// a loop that it leaves early) is copied as a whole. Where W is no multiple of
// K, or work-items return early, the whole body is copied, and a work-item past
// the group's end is left out by a test.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Transforms/Coarsen.h"
#include "RewritePass.h"

#include "goldyc/Analysis/Structure.h"
#include "goldyc/Analysis/Uniformity.h"

#include <algorithm>

namespace goldy {
namespace {

/// Instructions that a kernel may grow to.
constexpr uint64_t MaxCoarsened = 1 << 16;

bool isExit(Op O) {
  return O == Op::Break || O == Op::Continue || O == Op::Return ||
         O == Op::BreakIf;
}

/// What keeps the kernel as it is. Sets Reason and Cause.
class Obstacles {
public:
  Obstacles(const Function &F, CoarsenReport &Out) : F(F), Out(Out) {
    forEachInst(F, [&](InstId I) {
      for (ValueId V : F.operands(I))
        Used.set(V, true);
      if (F.Insts[I].Where)
        for (const PathElement &E : F.Places[F.Insts[I].Where].Path)
          if (E.isDynamic())
            Used.set(E.Index, true);
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

/// Statements that are copied as a whole.
class Apart {
public:
  Apart(const Function &F, const Uniformity &U) : F(F), U(U), Where(F) {
    do {
      Changed = false;
      forEachInst(F, [&](InstId I) { note(I); });
    } while (Changed);
  }
  bool operator[](InstId I) const { return Marked[I]; }
  bool wholeBody() const { return Body; }
  /// `I` stands in a statement that is copied as a whole.
  bool encloses(InstId I) const {
    for (InstId Up = Where.parentOf(I); Up; Up = Where.parentOf(Up))
      if (Marked[Up])
        return true;
    return Body;
  }

private:
  void mark(InstId I) {
    Changed |= !Marked[I];
    Marked.set(I, true);
  }
  void markBody() {
    Changed |= !Body;
    Body = true;
  }
  /// Where an exit goes: invalid for the end of the kernel.
  InstId targetOf(InstId I) const {
    Op O = F.Insts[I].Opcode;
    return O == Op::BreakIf  ? Where.parentOf(I)
           : O == Op::Return ? InstId()
                             : F.Insts[I].Target;
  }
  void note(InstId I);

  const Function &F;
  const Uniformity &U;
  Structure Where;
  SideMap<Inst, bool> Marked{false};
  bool Body = false, Changed = false;
};

void Apart::note(InstId I) {
  const Inst &N = F.Insts[I];
  if (N.Opcode == Op::If && !U.Value[F.operand(I, 0)] &&
      !F.isConst(F.operand(I, 0)))
    mark(I);
  if (!isExit(N.Opcode))
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

class Coarsener : public Rewriter {
public:
  Coarsener(Module &M, const Function &Src, uint32_t Items, uint32_t Axis)
      : Rewriter(M, Src), Items(Items), Axis(Axis),
        Extent(Src.WorkgroupSize[Axis]), Threads((Extent + Items - 1) / Items),
        U(analyseUniformity(M, Src)), Parts(Src, U), Of(Items), SlotOf(Items) {
    forEachInst(
        Src, [&](InstId I) { Returns |= Src.Insts[I].Opcode == Op::Return; });
    copySlots();
  }

  Function coarsen() {
    Dst.Body = B.newBlock();
    B.setBlock(Dst.Body);
    if (Parts.wholeBody() || Extent % Items)
      for (uint32_t K = 0; K * Threads < Extent; ++K)
        wholeItem(K);
    else
      copyBlock(Src.Body);
    Dst.WorkgroupSize[Axis] = Threads;
    return std::move(Dst);
  }

protected:
  InstId visit(InstId I) override { return Alone ? plain(I) : together(I); }

private:
  void copySlots();
  bool isShared(SlotId S) const { return SlotOf[Items - 1][S] == SlotOf[0][S]; }
  bool isSame(ValueId V) const { return !Split[V]; }
  bool isOwnId(InstId I) const {
    const Inst &N = Src.Insts[I];
    return (N.Opcode == Op::LocalId || N.Opcode == Op::GlobalId) &&
           N.Imm == Axis;
  }
  bool isOnce(InstId I) const;
  void choose(uint32_t K, InstId I);
  void chooseAll(uint32_t K, InstId I);
  InstId together(InstId I);
  InstId plain(InstId I);
  ValueId localId();
  void wholeItem(uint32_t K);

  const uint32_t Items, Axis, Extent, Threads;
  const Uniformity U;
  const Apart Parts;
  /// By work-item of a thread: new values of old ones that were copied
  /// together, and slots.
  std::vector<SideMap<Inst, InstId>> Of;
  std::vector<SideMap<Slot, SlotId>> SlotOf;
  SideMap<Inst, bool> Split{false}; ///< one value a work-item
  uint32_t Item = 0;                ///< that is copied now
  bool Alone = false; ///< all of it, not a statement of each in turn
  bool Returns = false;
  InstId Body; ///< the Block that a Return leaves, when alone
};

/// A slot is shared if all store the same into it at the same time.
void Coarsener::copySlots() {
  SideMap<Slot, bool> Own{false};
  forEachInst(Src, [&](InstId I) {
    const Inst &N = Src.Insts[I];
    bool Writes = N.Opcode == Op::Store || isAtomic(N.Opcode);
    if (Writes && Src.Places[N.Where].Base.Kind == BaseKind::Slot &&
        Parts.encloses(I))
      Own.set(SlotId(Src.Places[N.Where].Base.Index), true);
  });
  for (uint32_t N = 0; N < Src.Slots.size(); ++N) {
    SlotId S(N);
    bool Shared = U.SlotUniform[S] && !Own[S];
    for (uint32_t K = 0; K < Items; ++K)
      SlotOf[K].set(S, K && !Shared ? Dst.Slots.push(Slot(Src.Slots[S])) : S);
  }
}

/// One copy does for all work-items of the thread.
bool Coarsener::isOnce(InstId I) const {
  const Inst &N = Src.Insts[I];
  if (isOwnId(I) || !std::ranges::all_of(Src.operands(I),
                                         [&](ValueId V) { return isSame(V); }))
    return false;
  if (!N.Where)
    return isPure(N.Opcode);
  const Place &P = Src.Places[N.Where];
  for (const PathElement &E : P.Path)
    if (E.isDynamic() && !isSame(E.Index))
      return false;
  if (P.Base.Kind == BaseKind::Slot)
    return isShared(SlotId(P.Base.Index)) &&
           (N.Opcode == Op::Load || N.Opcode == Op::Store);
  return isPure(N.Opcode) || (N.Opcode == Op::Load && U.Value[I]);
}

/// From now on the operands of `I` are those of a work-item.
void Coarsener::choose(uint32_t K, InstId I) {
  Item = K;
  auto Take = [&](ValueId V) {
    if (InstId New = Of[K][V])
      setMapping(V, New);
  };
  for (ValueId V : Src.operands(I))
    Take(V);
  const Inst &N = Src.Insts[I];
  if (!N.Where)
    return;
  const Place &P = Src.Places[N.Where];
  for (const PathElement &E : P.Path)
    if (E.isDynamic())
      Take(E.Index);
  if (P.Base.Kind == BaseKind::Slot)
    setSlot(SlotId(P.Base.Index), SlotOf[K][SlotId(P.Base.Index)]);
}

void Coarsener::chooseAll(uint32_t K, InstId I) {
  choose(K, I);
  for (BlockId Inner : Src.Insts[I].Blocks)
    if (Inner)
      forEachInst(Src, Inner, [&](InstId J) { choose(K, J); });
}

InstId Coarsener::together(InstId I) {
  if (Parts[I]) {
    for (uint32_t K = 0; K < Items; ++K) {
      chooseAll(K, I);
      Alone = true;
      copy(I);
      Alone = false;
    }
    return {};
  }
  const Inst &N = Src.Insts[I];
  bool Shared =
      opInfo(N.Opcode).Effects == Effect::Control && N.Opcode != Op::Assume;
  if (Shared || isOnce(I)) {
    choose(0, I);
    InstId New = plain(I);
    for (SideMap<Inst, InstId> &Map : Of)
      Map.set(I, New);
    return New;
  }
  Split.set(I, true);
  for (uint32_t K = 0; K < Items; ++K) {
    choose(K, I);
    Of[K].set(I, plain(I));
  }
  return {};
}

/// One work-item's copy.
InstId Coarsener::plain(InstId I) {
  const Inst &N = Src.Insts[I];
  if (N.Opcode == Op::Return && Alone && Body)
    return B.breakTo(Body);
  if (!isOwnId(I))
    return copy(I);
  ValueId Local = localId();
  if (N.Opcode == Op::LocalId)
    return Local;
  ValueId First = B.op(Op::Mul, {B.id(Op::WorkgroupId, Axis), B.u32(Extent)});
  return B.op(Op::Add, {First, Local});
}

ValueId Coarsener::localId() {
  ValueId Thread = B.id(Op::LocalId, Axis);
  return Item ? B.op(Op::Add, {Thread, B.u32(Item * Threads)}) : Thread;
}

void Coarsener::wholeItem(uint32_t K) {
  Item = K;
  Alone = true;
  for (uint32_t N = 0; N < Src.Slots.size(); ++N)
    setSlot(SlotId(N), SlotOf[K][SlotId(N)]);
  BlockId Outer = B.block();
  if ((K + 1) * Threads > Extent) {
    ValueId Inside = B.op(Op::Lt, {localId(), B.u32(Extent)});
    InstId Test = B.createIf(Inside, false);
    B.setBlock(Dst.Insts[Test].Blocks[0]);
  }
  if (Returns) {
    Body = B.createBlock();
    B.setBlock(Dst.Insts[Body].Blocks[0]);
  }
  copyBlock(Src.Body);
  B.setBlock(Outer);
}

/// The first axis of `Items` work-items or more; 3 if there is none.
uint32_t axisOf(const Function &F, uint32_t Items) {
  uint32_t Axis = 0;
  while (Axis < 3 && F.WorkgroupSize[Axis] < Items)
    ++Axis;
  return Axis;
}

uint64_t placedIn(const Function &F) {
  uint64_t Count = 0;
  forEachInst(F, [&](InstId) { ++Count; });
  return Count;
}

/// Whether the kernel can be coarsened; the report says why not.
bool judge(const Function &F, CoarsenReport &R) {
  Obstacles Found(F, R);
  if (R.Reason != CoarsenReason::None)
    return false;
  if (axisOf(F, R.Asked) == 3)
    R.Reason = CoarsenReason::Narrow;
  else if (placedIn(F) * R.Asked > MaxCoarsened)
    R.Reason = CoarsenReason::Large;
  return R.Reason == CoarsenReason::None;
}

class CoarsenPass : public Pass {
public:
  std::string_view name() const override { return "coarsen"; }
  PassResult run(Module &M, PassContext &Context) override {
    PassResult Result = PassResult::Unchanged;
    for (FuncId K : M.kernels()) {
      CoarsenReport R;
      R.Asked = Context.ItemsPerThread;
      Function &F = M.Functions[K];
      if (R.Asked > 1 && judge(F, R) && Context.RewriteFuel.use()) {
        F = Coarsener(M, F, R.Asked, axisOf(F, R.Asked)).coarsen();
        R.ItemsPerThread = R.Asked;
        Result = PassResult::Changed;
      }
      if (Context.Coarsening)
        *Context.Coarsening = R;
    }
    return Result;
  }
};

} // namespace

std::unique_ptr<Pass> createCoarsenPass() {
  return std::make_unique<CoarsenPass>();
}

} // namespace goldy
