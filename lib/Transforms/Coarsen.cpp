//===- Coarsen.cpp - Several work-items a thread --------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dispatched group stands for several of the kernel's along x: R of them side
// by side, K times after each other, R chosen so that it is not too small.
// Thread t does the places t of K rows of groups, so neighbours still touch
// neighbouring elements. Work-items of a kernel without barriers are not
// ordered, so their statements may be interleaved: a statement under control
// that a thread's work-items share is copied once a work-item where it stands,
// which puts the loads of all of them before the first use; what is the same
// for all of them is copied once; what one may do and another not is copied as
// a whole. That is the code for threads whose work-items pass the tests of
// CoarsenVersion.h and whose groups are all in the grid. Other threads do one
// work-item after the other, in a loop.
//
//===----------------------------------------------------------------------===//
#include "CoarsenPlan.h"
#include "CoarsenVersion.h"
#include "RewritePass.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <utility>

namespace goldy {
namespace {

/// Instructions that a kernel may grow to.
constexpr uint64_t MaxCoarsened = 1 << 16;
/// Work-items whose arithmetic is done in turn.
constexpr uint32_t ItemsInTurn = 4;

/// What is known of a kernel whose work-items are copied.
struct Analysed {
  VersionedKernel Kernel;
  Uniformity U;
  CoarsenParts Parts;
  Analysed(const Module &M, VersionedKernel V)
      : Kernel(std::move(V)),
        U(analyseUniformity(M, Kernel.F, Among::Columns, Kernel.Test)),
        Parts(Kernel.F, U, Kernel.common()) {}
  Analysed(const Analysed &) = delete;
  Analysed &operator=(const Analysed &) = delete;
};

class Coarsener : public Rewriter {
public:
  Coarsener(Module &M, const Analysed &A, CoarsenShape Shape)
      : Rewriter(M, A.Kernel.F), A(A), Shape(Shape), Items(Shape.Items),
        Width(Src.WorkgroupSize[0]), End(Items), Of(Items), SlotOf(Items) {
    forEachInst(
        Src, [&](InstId I) { Returns |= Src.Insts[I].Opcode == Op::Return; });
    copySlots();
    for (const goldy::Block &Statements : Src.Blocks)
      findTexels(Statements);
  }

  Function coarsen() {
    Dst.Body = B.newBlock();
    B.setBlock(Dst.Body);
    if (A.Kernel.Test)
      copyBlock(Src.Body);
    else
      inTurn(Src.Body);
    Dst.WorkgroupSize[0] = Width * Shape.Beside;
    return std::move(Dst);
  }

protected:
  InstId visit(InstId I) override { return Alone ? plain(I) : together(I); }

private:
  void copySlots();
  bool isShared(SlotId S) const { return SlotOf[Items - 1][S] == SlotOf[0][S]; }
  bool isSame(ValueId V) const { return !Split[V]; }
  /// An id that is not the dispatched group's.
  bool isOwnId(InstId I) const {
    const Inst &N = Src.Insts[I];
    return N.Imm == 0 &&
           (N.Opcode == Op::GlobalId || N.Opcode == Op::WorkgroupId ||
            (N.Opcode == Op::LocalId && Shape.Beside > 1));
  }
  /// An id that is not the same for a thread's work-items.
  bool differs(InstId I) const {
    return isOwnId(I) && Src.Insts[I].Opcode != Op::LocalId;
  }
  bool isOnce(InstId I) const;
  void choose(uint32_t K, InstId I);
  void chooseAll(uint32_t K, InstId I);
  InstId together(InstId I);
  void findTexels(const goldy::Block &Statements);
  void texel(InstId Last);
  InstId plain(InstId I);
  ValueId ownId(Op O);
  ValueId after(ValueId First, uint32_t Step);
  ValueId inGrid();
  void body(BlockId Block);
  void version(InstId I);
  void inTurn(BlockId Block);
  void inBatches(BlockId Block);
  void copyFor(std::span<const InstId> Statements, uint32_t From, uint32_t To);
  ValueId allPass(ValueId V);
  bool stands(ValueId V, uint32_t K) const;

  const Analysed &A;
  const CoarsenShape Shape;
  const uint32_t Items, Width;
  uint32_t First = 0, End; ///< work-items whose statements are copied now
  /// By work-item of a thread: new values of old ones that were copied
  /// together, and slots.
  std::vector<SideMap<Inst, InstId>> Of;
  std::vector<SideMap<Slot, SlotId>> SlotOf;
  SideMap<Inst, bool> Split{false}; ///< one value a work-item
  /// Of stores into an image's element, which is written whole: all of them,
  /// where the last stands; nothing for the ones before it.
  std::map<InstId, std::vector<InstId>> Texels;
  uint32_t Item = 0;  ///< that is copied now
  ValueId Turn;       ///< groups before a work-item that is not a constant
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
        A.Parts.encloses(I))
      Own.set(SlotId(Src.Places[N.Where].Base.Index), true);
  });
  for (uint32_t N = 0; N < Src.Slots.size(); ++N) {
    SlotId S(N);
    bool Shared = A.U.SlotUniform[S] && !Own[S];
    for (uint32_t K = 0; K < Items; ++K)
      SlotOf[K].set(S, K && !Shared ? Dst.Slots.push(Slot(Src.Slots[S])) : S);
  }
}

/// One copy does for all work-items of the thread.
bool Coarsener::isOnce(InstId I) const {
  const Inst &N = Src.Insts[I];
  if (differs(I) || !std::ranges::all_of(Src.operands(I),
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
  return isPure(N.Opcode) || (N.Opcode == Op::Load && A.U.Value[I]);
}

/// From now on the operands of `I` are those of a work-item.
void Coarsener::choose(uint32_t K, InstId I) {
  Item = K;
  forEachUse(Src, I, [&](ValueId V) {
    if (InstId New = Of[K][V])
      setMapping(V, New);
  });
  if (SlotId Slot = Src.slotOf(I))
    setSlot(Slot, SlotOf[K][Slot]);
}

void Coarsener::chooseAll(uint32_t K, InstId I) {
  choose(K, I);
  forEachWithin(Src, I, [&](InstId J) { choose(K, J); });
}

InstId Coarsener::together(InstId I) {
  if (I == A.Kernel.Test) {
    version(I);
    return {};
  }
  if (A.Parts[I]) {
    for (uint32_t K = First; K < End; ++K) {
      chooseAll(K, I);
      Alone = true;
      copy(I);
      Alone = false;
    }
    return {};
  }
  if (Texels.contains(I)) {
    texel(I);
    return {};
  }
  const Inst &N = Src.Insts[I];
  bool Shared =
      opInfo(N.Opcode).Effects == Effect::Control && N.Opcode != Op::Assume;
  if (Shared || isOnce(I)) {
    if (First > 0)
      return Of[0][I];
    choose(0, I);
    InstId New = plain(I);
    for (SideMap<Inst, InstId> &Map : Of)
      Map.set(I, New);
    return New;
  }
  Split.set(I, true);
  for (uint32_t K = First; K < End; ++K) {
    choose(K, I);
    Of[K].set(I, plain(I));
  }
  return {};
}

void Coarsener::findTexels(const goldy::Block &Statements) {
  std::vector<InstId> Stores;
  for (InstId I : Statements.Insts) {
    const Inst &N = Src.Insts[I];
    if (N.Opcode != Op::Store)
      continue;
    const Place &P = Src.Places[N.Where];
    if (P.Base.Kind != BaseKind::Param ||
        Src.Params[P.Base.Index].Kind != ParamKind::Image || P.Path.size() == 2)
      continue;
    Stores.push_back(I);
    Texels[I] = {};
    if (Stores.size() == 4)
      Texels[I] = std::exchange(Stores, {});
  }
}

/// The stores of one element, for one work-item after the other.
void Coarsener::texel(InstId Last) {
  for (uint32_t K = First; K < End; ++K)
    for (InstId I : Texels[Last]) {
      choose(K, I);
      plain(I);
    }
}

/// One work-item's copy.
InstId Coarsener::plain(InstId I) {
  const Inst &N = Src.Insts[I];
  if (N.Opcode == Op::Return && Alone && Body)
    return B.breakTo(Body);
  return isOwnId(I) ? ownId(N.Opcode) : copy(I);
}

/// `Step` more for every group that comes before the work-item's.
ValueId Coarsener::after(ValueId First, uint32_t Step) {
  if (Turn && Step == 1)
    return B.op(Op::Add, {First, Turn});
  if (Turn)
    return B.op(Op::Add, {First, B.op(Op::Mul, {Turn, B.u32(Step)})});
  uint32_t Before = Item * Shape.Beside * Step;
  return Before ? B.op(Op::Add, {First, B.u32(Before)}) : First;
}

/// A work-item's id along x.
ValueId Coarsener::ownId(Op O) {
  ValueId Thread = B.id(Op::LocalId, 0), Groups = B.u32(Shape.groups());
  if (O == Op::LocalId)
    return B.op(Op::RawRem, {Thread, B.u32(Width)});
  ValueId First = B.op(Op::Mul, {B.id(Op::WorkgroupId, 0), Groups});
  if (O == Op::GlobalId)
    return after(B.op(Op::Add, {B.op(Op::Mul, {First, B.u32(Width)}), Thread}),
                 Width);
  if (Shape.Beside > 1)
    First = B.op(Op::Add, {First, B.op(Op::RawDiv, {Thread, B.u32(Width)})});
  return after(First, 1);
}

/// The work-item's group is one of the grid's.
ValueId Coarsener::inGrid() {
  return B.op(Op::Lt, {ownId(Op::WorkgroupId), B.id(Op::NumWorkgroups, 0)});
}

/// The whole kernel for one work-item, where it stands alone.
void Coarsener::body(BlockId Block) {
  Alone = true;
  if (Returns) {
    Body = B.createBlock();
    B.setBlock(Dst.Insts[Body].Blocks[0]);
  }
  copyBlock(Block);
  Alone = false;
}

/// All work-items of a thread pass the tests: their statements in turn. Else
/// one work-item after the other.
void Coarsener::version(InstId I) {
  const Inst &N = Src.Insts[I];
  ValueId Pass = Src.operand(I, 0);
  Item = Items - 1;
  ValueId All = inGrid();
  if (!Src.isConst(Pass))
    All = B.op(Op::And, {All, allPass(Pass)});
  InstId Test = B.createIf(All, true);
  BlockId Outer = B.block();
  B.setBlock(Dst.Insts[Test].Blocks[0]);
  inBatches(N.Blocks[0]);
  B.setBlock(Dst.Insts[Test].Blocks[1]);
  inTurn(N.Blocks[1]);
  B.setBlock(Outer);
}

void Coarsener::copyFor(std::span<const InstId> Statements, uint32_t From,
                        uint32_t To) {
  First = From;
  End = To;
  for (InstId I : Statements) {
    B.setLoc(Src.Insts[I].Loc);
    if (InstId New = visit(I))
      setMapping(I, New);
  }
}

/// All loads first; where there is no control, the rest for a few work-items at
/// a time, whose values have registers.
void Coarsener::inBatches(BlockId Block) {
  std::span<const InstId> All = Src.Blocks[Block].Insts;
  size_t Loads = 0;
  for (size_t N = 0; N < All.size(); ++N) {
    Op O = Src.Insts[All[N]].Opcode;
    if (O == Op::Load)
      Loads = N + 1;
    else if (!isPure(O) && O != Op::Store)
      return copyBlock(Block);
  }
  copyFor(All.first(Loads), 0, Items);
  for (uint32_t From = 0; From < Items; From += ItemsInTurn)
    copyFor(All.subspan(Loads), From, std::min(From + ItemsInTurn, Items));
  First = 0;
  End = Items;
}

/// The tests for all work-items of a thread.
ValueId Coarsener::allPass(ValueId V) {
  auto Both = [&](ValueId A, ValueId C) {
    return A ? B.op(Op::And, {A, C}) : C;
  };
  if (isSame(V))
    return map(V);
  if (Src.Insts[V].Opcode == Op::And) {
    ValueId First = allPass(Src.operand(V, 0));
    return Both(First, allPass(Src.operand(V, 1)));
  }
  // A uniform condition beside the test is the same for all.
  if (Src.Insts[V].Opcode == Op::Or && isSame(Src.operand(V, 1)))
    return B.op(Op::Or, {allPass(Src.operand(V, 0)), map(Src.operand(V, 1))});
  ValueId All;
  for (uint32_t K = 0; K < Items; ++K)
    if (stands(V, K))
      All = Both(All, Of[K][V]);
  return All;
}

/// The test of work-item K is not implied by another one's. Ids of a thread's
/// work-items grow, unless 2^32 is among them.
bool Coarsener::stands(ValueId V, uint32_t K) const {
  const Inst &N = Src.Insts[V];
  if (!isOrder(N.Opcode) || !std::has_single_bit(Width * Shape.groups()))
    return true;
  ValueId Left = Src.operand(V, 0), Right = Src.operand(V, 1);
  if (!differs(Left) || !isSame(Right))
    return true;
  bool FromAbove = N.Opcode == Op::Lt || N.Opcode == Op::Le;
  return K == (FromAbove ? Items - 1 : 0);
}

/// One work-item of the thread after the other.
void Coarsener::inTurn(BlockId Block) {
  for (uint32_t N = 0; N < Src.Slots.size(); ++N)
    setSlot(SlotId(N), SlotOf[0][SlotId(N)]);
  SlotId Before = B.slot("before", types::U32);
  B.store(B.slotPlace(Before), B.u32(0));
  InstId Loop = B.createLoop(true);
  B.setBlock(Dst.Insts[Loop].Blocks[0]);
  Turn = B.load(B.slotPlace(Before));
  InstId Test = B.createIf(inGrid(), false);
  B.setBlock(Dst.Insts[Test].Blocks[0]);
  body(Block);
  Turn = {};
  B.setBlock(Dst.Insts[Loop].Blocks[1]);
  ValueId Next =
      B.op(Op::Add, {B.load(B.slotPlace(Before)), B.u32(Shape.Beside)});
  B.store(B.slotPlace(Before), Next);
  B.breakIf(B.op(Op::Eq, {Next, B.u32(Shape.groups())}));
}

/// Coarsens the kernel if that can be done and is worth it; the report says why
/// not.
bool coarsenKernel(Module &M, Function &F, CoarsenReport &R, Fuel &Left) {
  findObstacle(F, R);
  CoarsenShape Shape = shapeFor(F, R.Asked);
  if (R.Reason == CoarsenReason::None &&
      placedUnder(F, F.Body) * Shape.Items > MaxCoarsened)
    R.Reason = CoarsenReason::Large;
  if (R.Reason != CoarsenReason::None)
    return false;
  std::optional<Analysed> A;
  A.emplace(M, versionKernel(M, F));
  if (R.Asked == CoarsenByCost) {
    weigh(A->Kernel.F, A->U, A->Parts, A->Kernel.common(), R);
    Shape.Items = itemsByCost(A->Kernel.F, A->Kernel.common());
  }
  if (R.Reason != CoarsenReason::None || !Left.use())
    return false;
  if (A->Parts.wholeBody())
    A.emplace(M, VersionedKernel{F, {}});
  F = Coarsener(M, *A, Shape).coarsen();
  R.ItemsPerThread = Shape.Items;
  R.GroupsAtOnce = Shape.groups();
  return true;
}

class CoarsenPass : public Pass {
public:
  std::string_view name() const override { return "coarsen"; }
  PassResult run(Module &M, PassContext &Context) override {
    PassResult Result = PassResult::Unchanged;
    for (FuncId K : M.kernels()) {
      CoarsenReport R;
      R.Asked = Context.ItemsPerThread;
      if (R.Asked != 1 &&
          coarsenKernel(M, M.Functions[K], R, Context.RewriteFuel))
        Result = PassResult::Changed;
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
