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
// *Neighbours.* Where aligned blocks of work-items exchange values directly
// (warps, subgroups), a block makes its part of the tree in registers and one
// value a block goes through memory: three barriers instead of eleven for a
// group of 256 with blocks of 32. Levels and operands are the same, so are the
// bits.
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
  ValueId byMemory(Op Combine, ValueId V, PlaceBase Scratch);
  ValueId byNeighbours(Op Combine, ValueId V, PlaceBase Scratch, uint32_t Most);
  ValueId blockTree(Op Combine, ValueId V, uint32_t Values);
  void keepBlocks(ValueId V, PlaceBase Scratch, uint32_t Block, uint32_t Live);
  ValueId lanes(Op O, ValueId V, uint32_t Lanes) {
    ValueId Operands[] = {V, B.u32(Lanes)};
    return B.opTyped(O, Dst.typeOf(V), Operands);
  }
  void level(Op Combine, PlaceBase Scratch, ValueId Item, ValueId Level);
};

/// Where the device says how many neighbours exchange values, all forms are
/// there; its compiler knows the switches.
ValueId CollectiveRewriter::reduce(Op Combine, ValueId V, PlaceBase Scratch) {
  if (uint32_t Most = Context.Caps.Neighbours)
    return byNeighbours(Combine, V, Scratch, Most);
  if (!Context.Caps.NeighbourSwitches)
    return byMemory(Combine, V, Scratch);
  SlotId Result = B.slot("total", Dst.typeOf(V));
  BlockId Outer = B.block();
  for (DeviceSwitch S :
       {DeviceSwitch::Neighbours32, DeviceSwitch::Neighbours8}) {
    uint32_t Most = S == DeviceSwitch::Neighbours32 ? 32 : 8;
    if (Src.WorkgroupSize[0] < Most)
      continue;
    InstId If = B.createIf(B.deviceSwitch(static_cast<uint32_t>(S)), true);
    B.setBlock(Dst.Insts[If].Blocks[0]);
    B.store(B.slotPlace(Result), byNeighbours(Combine, V, Scratch, Most));
    B.setBlock(Dst.Insts[If].Blocks[1]);
  }
  B.store(B.slotPlace(Result), byMemory(Combine, V, Scratch));
  B.setBlock(Outer);
  return B.load(B.slotPlace(Result));
}

/// The first work-item of every block has the tree over its first `Values`
/// ones; what the others have means nothing.
ValueId CollectiveRewriter::blockTree(Op Combine, ValueId V, uint32_t Values) {
  for (uint32_t Distance = 1; Distance < Values; Distance *= 2)
    V = B.op(Combine, {V, lanes(Op::LaneExchange, V, Distance)});
  return V;
}

/// Values of the first work-items of blocks, of the first `Live` work-items,
/// into neighbouring places.
void CollectiveRewriter::keepBlocks(ValueId V, PlaceBase Scratch,
                                    uint32_t Block, uint32_t Live) {
  ValueId Item = B.id(Op::LocalId, 0);
  ValueId First =
      B.op(Op::Eq, {B.op(Op::And, {Item, B.u32(Block - 1)}), B.u32(0)});
  if (Live < Src.WorkgroupSize[0])
    First = B.op(Op::And, {First, B.op(Op::Lt, {Item, B.u32(Live)})});
  InstId If = B.createIf(First, false);
  BlockId Outer = B.block();
  B.setBlock(Dst.Insts[If].Blocks[0]);
  ValueId Place = B.op(Op::Shr, {Item, B.u32(std::countr_zero(Block))});
  B.store(element(Scratch, Place), V);
  B.setBlock(Outer);
}

/// Blocks of at most `Most` work-items make trees of their own without memory;
/// their values are the leaves of the next round, in which every block that has
/// nothing else to do repeats the first ones' work. So all of them end with the
/// whole group's value.
ValueId CollectiveRewriter::byNeighbours(Op Combine, ValueId V,
                                         PlaceBase Scratch, uint32_t Most) {
  uint32_t Values = Src.WorkgroupSize[0], Block = std::min(Most, Values);
  B.barrier();
  V = blockTree(Combine, V, Block);
  bool InMemory = Values > Block;
  for (bool Again = false; Values > Block; Again = true) {
    if (Again)
      B.barrier();
    keepBlocks(V, Scratch, Block, Values);
    B.barrier();
    Values /= Block;
    ValueId Item = B.id(Op::LocalId, 0);
    ValueId Place = B.op(Op::And, {Item, B.u32(Values - 1)});
    V = blockTree(Combine, B.load(element(Scratch, Place)),
                  std::min(Values, Block));
  }
  V = lanes(Op::LaneFirst, V, Block);
  if (InMemory)
    B.barrier();
  return V;
}

ValueId CollectiveRewriter::byMemory(Op Combine, ValueId V, PlaceBase Scratch) {
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
