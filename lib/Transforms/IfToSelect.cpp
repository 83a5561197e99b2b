//===- IfToSelect.cpp - Small branches become selections
//--------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A branch that only computes a few cheap values and stores one of them into a
// scalar slot (`let x = if c { a } else { b }`, the right side of `&&`)
// computes them anyway and selects what is stored. Every operation of the
// language is total, so nothing can go wrong that did not before. Enables
// mem-forward to see the value, and bounds to see the conditions joined by
// `&&`.
//
//===----------------------------------------------------------------------===//
#include "RewritePass.h"

namespace goldy {
namespace {

/// Values computed needlessly, at most.
constexpr size_t MaxSpeculated = 6;

class SelectRewriter : public PassRewriter {
public:
  using PassRewriter::PassRewriter;

protected:
  InstId visit(InstId I) override {
    return Src.Insts[I].Opcode == Op::If ? visitIf(I) : copy(I);
  }

private:
  InstId visitIf(InstId I);
  bool isCheap(InstId I) const;
  InstId onlyStore(BlockId B) const;
  PlaceBase slotOf(InstId Store) const {
    return Src.Places[Src.Insts[Store].Where].Base;
  }
  /// Copies the block's values and returns what its store would write.
  ValueId speculate(BlockId Block);
};

bool SelectRewriter::isCheap(InstId I) const {
  const Inst &N = Src.Insts[I];
  if (N.Opcode == Op::Div || N.Opcode == Op::Rem || N.Opcode == Op::Sqrt ||
      N.Opcode == Op::NearQuotient)
    return false;
  bool Local = N.Opcode == Op::Load && !Src.guard(I) && Src.wholeSlotOf(I);
  return (isPure(N.Opcode) || Local) && M.Types.isScalar(N.Type);
}

/// The store that ends the block, if all before it is cheap.
InstId SelectRewriter::onlyStore(BlockId B) const {
  const std::vector<InstId> &Insts = Src.Blocks[B].Insts;
  if (Insts.empty() || Insts.size() > MaxSpeculated + 1)
    return {};
  for (size_t K = 0; K + 1 < Insts.size(); ++K)
    if (!isCheap(Insts[K]))
      return {};
  const Inst &Last = Src.Insts[Insts.back()];
  if (Last.Opcode != Op::Store || Src.guard(Insts.back()))
    return {};
  bool Scalar = Src.wholeSlotOf(Insts.back()) &&
                M.Types.isScalar(Src.Places[Last.Where].Type);
  return Scalar ? Insts.back() : InstId();
}

ValueId SelectRewriter::speculate(BlockId Block) {
  const std::vector<InstId> &Insts = Src.Blocks[Block].Insts;
  for (size_t K = 0; K + 1 < Insts.size(); ++K)
    setMapping(Insts[K], copy(Insts[K]));
  return map(Src.operand(Insts.back(), 0));
}

InstId SelectRewriter::visitIf(InstId I) {
  const Inst &N = Src.Insts[I];
  InstId Then = onlyStore(N.Blocks[0]);
  InstId Else = N.Blocks[1] ? onlyStore(N.Blocks[1]) : InstId();
  bool Same =
      Then && (N.Blocks[1] ? Else && slotOf(Then) == slotOf(Else) : true);
  if (!Same || !spend())
    return copy(I);
  ValueId Cond = map(Src.operand(I, 0));
  PlaceId Slot = B.place(slotOf(Then));
  ValueId A = speculate(N.Blocks[0]);
  ValueId C = Else ? speculate(N.Blocks[1]) : B.load(Slot);
  return B.store(Slot, B.select(Cond, A, C));
}

class IfToSelectPass : public Pass {
public:
  std::string_view name() const override { return "if-to-select"; }
  PassResult run(Module &M, PassContext &Context) override {
    return rewriteFunctions<SelectRewriter>(M, Context);
  }
};

} // namespace

std::unique_ptr<Pass> createIfToSelectPass() {
  return std::make_unique<IfToSelectPass>();
}

} // namespace goldy
