//===- Bounds.cpp - The rule on indices becomes explicit guards
//-------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A region becomes
//
//   if <tests and assumptions> { copy without the covered checks }
//   else { copy with all checks }
//
// The second copy has local variables of its own, so that each of them lives
// in one copy alone.
//
//===----------------------------------------------------------------------===//
#include "BoundsRewriter.h"

#include <algorithm>
#include <utility>

namespace goldy {

BoundsRewriter::BoundsRewriter(Module &M, const Function &Src,
                               PassContext &Context, bool WithRegions)
    : PassRewriter(M, Src, Context), Where(Src), Known(M, Src) {
  if (M.Bounds == BoundsMode::Checked)
    Plan = planBounds(M, Src, Context.Caps, WithRegions);
  if (Context.Bounds)
    reportBounds(Src, Plan, *Context.Bounds);
  Unchecked.resize(Plan.Indices.size());
}

InstId BoundsRewriter::visit(InstId I) {
  if (Done.count(I))
    return {};
  if (const BoundsRegion *R = regionAt(I); R && spend()) {
    if (R->Pieces.empty()) {
      emitRegion(*R);
      return {};
    }
    Begun.push_back(R);
    InPieces = R;
    PieceTest = testOf(*R);
  }
  if (isPiece(I)) {
    PiecesBegun.insert(I);
    emitCopies(PieceTest, *InPieces, {I});
    return {};
  }
  Op O = Src.Insts[I].Opcode;
  if (O == Op::Assume && spend())
    return {};
  if (accessesPlace(O) && M.Bounds == BoundsMode::Checked)
    return guardAccess(I);
  InstId New = copy(I);
  if (InChecked && O == Op::For && Src.Insts[I].Unroll == 0)
    Dst.Insts[New].Unroll = 1; // rarely runs: stays small
  return New;
}

// --- Accesses

InstId BoundsRewriter::guardAccess(InstId I) {
  auto [First, Count] = Plan.IndicesOf[I];
  std::vector<const AccessIndex *> Open;
  bool Outside = false;
  for (unsigned N = First; N < First + Count; ++N) {
    Outside |= Plan.Indices[N].State == IndexState::Outside;
    if (Plan.Indices[N].State == IndexState::Open && !Unchecked[N])
      Open.push_back(&Plan.Indices[N]);
  }
  if ((!Outside && Open.empty()) || !spend())
    return copy(I);
  if (Outside)
    return withoutAccess(I);
  Known.moveTo(I);
  ValueId Guard = Src.guard(I) ? map(Src.guard(I)) : ValueId();
  for (const AccessIndex *A : Open)
    Guard = both(Guard, condition(*A));
  if (Src.Insts[I].Opcode == Op::WorkgroupUniformLoad)
    return uniformLoad(I, Guard);
  return copyAccess(I, mapPlace(Src.Insts[I].Where), Guard);
}

/// It synchronises in any case, so the index is replaced, not the load.
InstId BoundsRewriter::uniformLoad(InstId I, ValueId Guard) {
  Place P = Src.Places[Src.Insts[I].Where];
  ValueId Index = map(P.Path[0].Index);
  TypeId T = Dst.typeOf(Index);
  ValueId Inside = B.select(Guard, Index, B.constant(T, 0));
  ValueId V = B.uniformLoad(B.place(P.Base, {{Inside, 0}}));
  return B.select(Guard, V, B.constant(Dst.typeOf(V), 0));
}

InstId BoundsRewriter::withoutAccess(InstId I) {
  TypeId T = Src.Insts[I].Type;
  if (Src.Insts[I].Opcode == Op::WorkgroupUniformLoad)
    B.barrier();
  return T == types::Void ? InstId() : B.zero(T);
}

ValueId BoundsRewriter::condition(const AccessIndex &A) {
  const PathElement &E = A.Element;
  ValueId Index = E.isDynamic() ? map(E.Index) : B.u32(E.Member);
  bool Signed = Dst.typeOf(Index) == types::I32;
  ValueId Bits = Signed ? B.cast(Index, types::U32) : Index;
  // Extents are below 2^31: a negative index is above them as a u32.
  if (A.Extent)
    return B.op(Op::Lt, {Bits, B.u32(static_cast<uint32_t>(A.Extent))});
  ValueId Below = B.op(Op::Lt, {Bits, B.len(A.Base)});
  if (!Signed || Known.rangeOf(E.Index).Lo >= 0)
    return Below;
  return both(B.op(Op::Ge, {Index, B.i32(0)}), Below);
}

// --- Regions

const BoundsRegion *BoundsRewriter::regionAt(InstId I) const {
  for (const BoundsRegion &R : Plan.Regions)
    if (R.Entry.At == I && !InChecked &&
        std::find(Begun.begin(), Begun.end(), &R) == Begun.end())
      return &R;
  return nullptr;
}

std::vector<InstId> BoundsRewriter::statementsOf(const BoundsRegion &R) const {
  if (!R.ToEnd)
    return {R.Entry.At};
  const std::vector<InstId> &All = Src.Blocks[Where.blockOf(R.Entry.At)].Insts;
  return {std::find(All.begin(), All.end(), R.Entry.At), All.end()};
}

bool BoundsRewriter::isPiece(InstId I) const {
  return InPieces && !InChecked && !PiecesBegun.count(I) &&
         std::find(InPieces->Pieces.begin(), InPieces->Pieces.end(), I) !=
             InPieces->Pieces.end();
}

void BoundsRewriter::emitRegion(const BoundsRegion &R) {
  Begun.push_back(&R);
  std::vector<InstId> Statements = statementsOf(R);
  emitCopies(testOf(R), R, Statements);
  Done.insert(Statements.begin(), Statements.end());
}

void BoundsRewriter::emitCopies(ValueId Test, const BoundsRegion &R,
                                const std::vector<InstId> &Statements) {
  BlockId Outer = B.block();
  InstId If = B.createIf(Test, true);
  for (unsigned N : R.Covered)
    Unchecked[N] = true;
  B.setBlock(Dst.Insts[If].Blocks[0]);
  copyStatements(Statements);
  for (unsigned N : R.Covered)
    Unchecked[N] = false;
  renewSlots(Statements);
  InChecked = true;
  B.setBlock(Dst.Insts[If].Blocks[1]);
  copyStatements(Statements);
  InChecked = false;
  B.setBlock(Outer);
}

ValueId BoundsRewriter::testOf(const BoundsRegion &R) {
  Again.clear();
  BoundEmitter Emitter(B, Plan.Terms,
                       [this](ValueId V) { return available(V); });
  ValueId Test;
  for (InstId I : R.Assumes)
    Test = both(Test, available(Src.operand(I, 0)));
  for (const BoundTest &T : R.Tests) {
    ValueId Upper = Emitter.emit(T.Upper);
    Test = both(Test, B.op(Op::Lt, {Upper, Emitter.emit(T.Limit)}));
  }
  return Test ? Test : B.boolean(true);
}

ValueId BoundsRewriter::available(ValueId V) {
  const Inst &N = Src.Insts[V];
  InstId At = Begun.back()->Entry.At;
  if (opInfo(N.Opcode).Effects == Effect::Leaf || Where.dominates(V, At))
    return map(V);
  std::map<ValueId, ValueId>::iterator Found = Again.find(V);
  if (Found != Again.end())
    return Found->second;
  std::vector<ValueId> Operands;
  for (ValueId Operand : Src.operands(V))
    Operands.push_back(available(Operand));
  Inst New = N;
  New.Name = 0;
  if (N.Where)
    New.Where = mapPlace(N.Where);
  return Again[V] = B.append(New, Operands);
}

void BoundsRewriter::copyStatements(const std::vector<InstId> &Statements) {
  // What an inner region took along in one copy is still to do in the other.
  std::set<InstId> DoneBefore = std::exchange(Done, {});
  for (InstId I : Statements) {
    B.setLoc(Src.Insts[I].Loc);
    if (InstId New = visit(I))
      setMapping(I, New);
  }
  Done = std::move(DoneBefore);
}

/// Slots that only these statements access.
void BoundsRewriter::renewSlots(const std::vector<InstId> &Statements) {
  SideMap<Slot, bool> Inside{false}, Outside{false};
  SideMap<Inst, bool> Begins{false};
  for (InstId I : Statements)
    Begins.set(I, true);
  forEachInst(Src, [&](InstId I) {
    SlotId Slot = Src.slotOf(I);
    if (!Slot)
      return;
    InstId P = I;
    while (P && !Begins[P])
      P = Where.parentOf(P);
    (P ? Inside : Outside).set(Slot, true);
  });
  for (uint32_t K = 0; K < Src.Slots.size(); ++K)
    if (Inside[SlotId(K)] && !Outside[SlotId(K)])
      setSlot(SlotId(K),
              B.slot(Src.Slots[SlotId(K)].Name, Src.Slots[SlotId(K)].Type));
}

namespace {

class WithRegions : public BoundsRewriter {
public:
  WithRegions(Module &M, const Function &Src, PassContext &Context)
      : BoundsRewriter(M, Src, Context, true) {}
};

class BoundsPass : public Pass {
public:
  std::string_view name() const override { return "bounds"; }
  PassResult run(Module &M, PassContext &Context) override {
    return rewriteFunctions<WithRegions>(M, Context);
  }
};

} // namespace

std::unique_ptr<Pass> createBoundsPass() {
  return std::make_unique<BoundsPass>();
}

} // namespace goldy
