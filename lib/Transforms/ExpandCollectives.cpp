//===- ExpandCollectives.cpp - Trees over workgroup memory
//------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction becomes barriers and accesses to its scratch array. Level s of
// the tree combines element l, a multiple of 2^(s+1), with element l + 2^s and
// leaves the result at l. Work-item t does that for l = t * 2^(s+1): those that
// work are neighbours, so whole subgroups and vectors drop out level by level.
// An element is touched by one work-item a level, so one barrier before each
// level is enough. The first barrier lets the group finish with the scratch
// array before it is overwritten; the uniform load at the end synchronises
// before it reads and again before anybody may write. A target with trees of
// its own (Capabilities) keeps the reduction. Softmax is a sequence of the
// prelude over such reductions.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Transforms/Collectives.h"

#include "goldyc/Analysis/Structure.h"
#include "goldyc/Prelude/Prelude.h"
#include "goldyc/Transforms/Inline.h"

#include "RewritePass.h"

#include <bit>

namespace goldy {
namespace {

Op combinationOf(Op Collective) {
  switch (Collective) {
  case Op::WorkgroupSum:
    return Op::Add;
  case Op::WorkgroupMax:
    return Op::Max;
  default:
    return Op::Min;
  }
}

class SoftmaxRewriter : public Rewriter {
public:
  using Rewriter::Rewriter;

protected:
  InstId visit(InstId I) override {
    if (Src.Insts[I].Opcode != Op::WorkgroupSoftmax)
      return copy(I);
    std::vector<ValueId> Args;
    for (ValueId V : Src.operands(I))
      Args.push_back(map(V));
    Args.push_back(B.u32(Src.WorkgroupSize[0]));
    const Module &From = collectivesPrelude();
    Span Loc = B.loc();
    uint32_t First = Dst.Insts.size();
    expandCall(B, From, From.Functions[From.find("softmax")], Args);
    for (uint32_t N = First; N < Dst.Insts.size(); ++N)
      Dst.Insts[InstId(N)].Loc = Loc;
    return {};
  }
};

class CollectiveRewriter : public PassRewriter {
public:
  using PassRewriter::PassRewriter;

protected:
  InstId visit(InstId I) override {
    Op O = Src.Insts[I].Opcode;
    bool Reduction = isCollective(O) && O != Op::WorkgroupSoftmax;
    if (!Reduction || Context.Caps.Trees || !spend())
      return copy(I);
    ValueId Result =
        reduce(combinationOf(O), map(Src.operand(I, 0)),
               Src.Places[Src.Insts[Src.operand(I, 1)].Where].Base);
    if (Src.Insts[I].Name)
      B.setName(Result, Src.nameOf(I));
    return Result;
  }

private:
  PlaceId element(PlaceBase Scratch, ValueId Index) {
    return B.place(Scratch, {{Index, 0}});
  }
  ValueId reduce(Op Combine, ValueId V, PlaceBase Scratch);
  void level(Op Combine, PlaceBase Scratch, ValueId Item, ValueId Level);
};

ValueId CollectiveRewriter::reduce(Op Combine, ValueId V, PlaceBase Scratch) {
  uint32_t Levels = std::countr_zero(Src.WorkgroupSize[0]);
  ValueId Item = B.id(Op::LocalId, 0);
  B.barrier();
  B.store(element(Scratch, Item), V);
  if (Levels != 0) {
    InstId For = B.createFor(B.u32(0), B.u32(Levels), 1, false, UnrollFull);
    BlockId Outer = B.block();
    B.setBlock(Dst.Insts[For].Blocks[0]);
    level(Combine, Scratch, Item, Dst.Insts[For].Var);
    B.setBlock(Outer);
  }
  return B.uniformLoad(element(Scratch, B.u32(0)));
}

void CollectiveRewriter::level(Op Combine, PlaceBase Scratch, ValueId Item,
                               ValueId Level) {
  ValueId Pairs = B.u32(Src.WorkgroupSize[0] / 2);
  B.barrier();
  ValueId Works = B.op(Op::Lt, {Item, B.op(Op::Shr, {Pairs, Level})});
  InstId If = B.createIf(Works, false);
  BlockId Outer = B.block();
  B.setBlock(Dst.Insts[If].Blocks[0]);
  ValueId Left = B.op(Op::Shl, {Item, B.op(Op::Add, {Level, B.u32(1)})});
  ValueId Distance = B.op(Op::Shl, {B.u32(1), Level});
  ValueId Right = B.op(Op::Add, {Left, Distance});
  ValueId A = B.load(element(Scratch, Left));
  ValueId C = B.load(element(Scratch, Right));
  B.store(element(Scratch, Left), B.op(Combine, {A, C}));
  B.setBlock(Outer);
}

class ExpandCollectivesPass : public Pass {
public:
  std::string_view name() const override { return "expand-collectives"; }
  PassResult run(Module &M, PassContext &Context) override {
    bool Changed = expandSoftmax(M);
    PassResult R = rewriteFunctions<CollectiveRewriter>(M, Context);
    return Changed ? PassResult::Changed : R;
  }
};

} // namespace

bool expandSoftmax(Module &M) {
  bool Changed = false;
  for (Function &F : M.Functions) {
    bool Any = false;
    forEachInst(
        F, [&](InstId I) { Any |= F.Insts[I].Opcode == Op::WorkgroupSoftmax; });
    if (Any)
      F = SoftmaxRewriter(M, F).run();
    Changed |= Any;
  }
  return Changed;
}

bool expandCollectives(Module &M) {
  DiagSink Silent;
  Fuel Unlimited;
  Capabilities None;
  PassContext Context{Silent, None, Unlimited};
  bool Changed = expandSoftmax(M);
  return rewriteFunctions<CollectiveRewriter>(M, Context) ==
             PassResult::Changed ||
         Changed;
}

std::unique_ptr<Pass> createExpandCollectivesPass() {
  return std::make_unique<ExpandCollectivesPass>();
}

} // namespace goldy
