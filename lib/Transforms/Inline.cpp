//===- Inline.cpp - Expands calls of helpers
//--------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One expander copies one helper to where a builder stands. Its slots become
// fresh slots of the caller. If the only Return is the helper's last statement
// the value passes straight through; otherwise the body goes into a Block,
// each Return stores into a result slot and breaks out.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Transforms/Inline.h"

#include "goldyc/Analysis/Structure.h"
#include "goldyc/IR/Rewriter.h"
#include "goldyc/Transforms/Pass.h"

namespace goldy {
namespace {

class Expander {
public:
  Expander(Builder &B, const Module &From, const Function &Src,
           std::span<const ValueId> Args)
      : B(B), From(From), Src(Src), Args(Args.begin(), Args.end()) {}

  ValueId run();

private:
  void copyBlock(BlockId Block);
  InstId copy(InstId I);
  InstId copyControl(InstId I);
  InstId copyPlain(InstId I);
  InstId copyReturn(InstId I);
  ValueId expandNested(InstId I);
  ValueId map(ValueId V);
  std::vector<ValueId> mapAll(std::span<const ValueId> Values);
  PlaceBase mapBase(PlaceBase Base);
  PlaceId mapPlace(PlaceId P);
  bool hasEarlyReturn() const;
  bool isLast(InstId I) const { return Src.Blocks[Src.Body].Insts.back() == I; }

  Builder &B;
  const Module &From;
  const Function &Src;
  std::vector<ValueId> Args;
  SideMap<Inst, InstId> Mapping;
  SideMap<Slot, SlotId> Slots;
  InstId ExitBlock; ///< the Block that early returns leave
  SlotId Result;    ///< what they store into
  ValueId Value;    ///< of the only Return
};

bool Expander::hasEarlyReturn() const {
  bool Early = false;
  forEachInst(Src, [&](InstId I) {
    Early |= Src.Insts[I].Opcode == Op::Return && !isLast(I);
  });
  return Early;
}

ValueId Expander::run() {
  if (!hasEarlyReturn()) {
    copyBlock(Src.Body);
    return Value;
  }
  BlockId Outer = B.block();
  bool HasValue = Src.ReturnType != types::Void;
  if (HasValue) {
    Result = B.slot(Src.Name, Src.ReturnType);
    if (fallsThrough(Src, Src.Body))
      B.store(B.slotPlace(Result), B.zero(Src.ReturnType));
  }
  ExitBlock = B.createBlock();
  B.setBlock(B.function().Insts[ExitBlock].Blocks[0]);
  copyBlock(Src.Body);
  B.setBlock(Outer);
  return HasValue ? B.load(B.slotPlace(Result)) : ValueId();
}

void Expander::copyBlock(BlockId Block) {
  for (InstId I : Src.Blocks[Block].Insts) {
    if (Src.Insts[I].Loc.isValid()) // the prelude's have none
      B.setLoc(Src.Insts[I].Loc);
    InstId New = copy(I);
    Mapping.set(I, New);
    if (New && Src.Insts[I].Name)
      B.setName(New, Src.nameOf(I));
    if (Src.Insts[I].Opcode == Op::Return)
      return;
  }
}

InstId Expander::copy(InstId I) {
  switch (Src.Insts[I].Opcode) {
  case Op::If:
  case Op::Loop:
  case Op::For:
  case Op::Block:
    return copyControl(I);
  case Op::Break:
    return B.breakTo(Mapping[Src.Insts[I].Target]);
  case Op::Continue:
    return B.continueTo(Mapping[Src.Insts[I].Target]);
  case Op::Return:
    return copyReturn(I);
  case Op::Call:
    return expandNested(I);
  case Op::Len:
    return B.len(mapBase(Src.Places[Src.Insts[I].Where].Base));
  case Op::WorkgroupSize:
    if (B.function().Kind == FuncKind::Kernel)
      return B.u32(B.function().WorkgroupSize[Src.Insts[I].Imm]);
    return copyPlain(I);
  default:
    return copyPlain(I);
  }
}

InstId Expander::copyReturn(InstId I) {
  std::span<const ValueId> Operands = Src.operands(I);
  ValueId V = Operands.empty() ? ValueId() : map(Operands[0]);
  if (!ExitBlock) {
    Value = V;
    return {};
  }
  if (V && Result)
    B.store(B.slotPlace(Result), V);
  return isLast(I) ? InstId() : B.breakTo(ExitBlock);
}

ValueId Expander::expandNested(InstId I) {
  std::vector<ValueId> Inner = mapAll(Src.operands(I));
  return expandCall(B, From, From.Functions[Src.Insts[I].Callee], Inner);
}

InstId Expander::copyControl(InstId I) {
  const Inst &Old = Src.Insts[I];
  InstId New;
  if (Old.Opcode == Op::If)
    New = B.createIf(map(Src.operand(I, 0)), Old.Blocks[1].isValid());
  else if (Old.Opcode == Op::Loop)
    New = B.createLoop(Old.Blocks[1].isValid());
  else if (Old.Opcode == Op::Block)
    New = B.createBlock();
  else
    New = B.createFor(map(Src.operand(I, 0)), map(Src.operand(I, 1)), Old.Imm,
                      Old.Flags & FlagInclusive, Old.Unroll);
  B.function().Insts[New].Unroll = Old.Unroll;
  Mapping.set(I, New);
  if (Old.Var) {
    InstId Var = B.function().Insts[New].Var;
    Mapping.set(Old.Var, Var);
    B.setName(Var, Src.nameOf(Old.Var));
  }
  BlockId Outer = B.block();
  for (unsigned N = 0; N != 2; ++N) {
    if (!Old.Blocks[N])
      continue;
    B.setBlock(B.function().Insts[New].Blocks[N]);
    copyBlock(Old.Blocks[N]);
  }
  B.setBlock(Outer);
  return New;
}

InstId Expander::copyPlain(InstId I) {
  Inst New = Src.Insts[I];
  New.Name = 0;
  std::vector<ValueId> Operands = mapAll(Src.operands(I));
  if (New.Where)
    New.Where = mapPlace(New.Where);
  return B.append(New, Operands);
}

std::vector<ValueId> Expander::mapAll(std::span<const ValueId> Values) {
  std::vector<ValueId> Result;
  for (ValueId V : Values)
    Result.push_back(map(V));
  return Result;
}

ValueId Expander::map(ValueId V) {
  const Inst &I = Src.Insts[V];
  switch (I.Opcode) {
  case Op::Const:
    return B.constant(I.Type, I.Imm);
  case Op::ParamValue:
    return Args[I.Imm];
  case Op::Ref:
    return B.ref(mapBase(Src.Places[I.Where].Base));
  case Op::SpecConst:
    return B.specConst(SpecId(static_cast<uint32_t>(I.Imm)));
  case Op::DeviceSwitch:
    return B.deviceSwitch(static_cast<uint32_t>(I.Imm));
  default:
    return Mapping[V];
  }
}

PlaceBase Expander::mapBase(PlaceBase Base) {
  if (Base.Kind == BaseKind::Param) {
    const Function &Dst = B.function();
    return Dst.Places[Dst.Insts[Args[Base.Index]].Where].Base;
  }
  if (Base.Kind != BaseKind::Slot)
    return Base;
  SlotId Old(Base.Index);
  if (!Slots[Old])
    Slots.set(Old, B.slot(Src.Slots[Old].Name, Src.Slots[Old].Type));
  return {BaseKind::Slot, Slots[Old].index()};
}

PlaceId Expander::mapPlace(PlaceId P) {
  PlaceBase Base = mapBase(Src.Places[P].Base);
  std::vector<PathElement> Path = Src.Places[P].Path;
  for (PathElement &E : Path)
    if (E.isDynamic())
      E.Index = map(E.Index);
  // A constant index of a buffer may lie outside the array that stands for it.
  if (Base.Kind == BaseKind::Workgroup && !Path[0].isDynamic())
    Path[0] = {B.u32(Path[0].Member), 0};
  return B.place(Base, std::move(Path));
}

/// Replaces the calls of one kernel.
class CallRewriter : public Rewriter {
public:
  using Rewriter::Rewriter;

protected:
  InstId visit(InstId I) override {
    const Inst &Old = Src.Insts[I];
    if (Old.Opcode != Op::Call)
      return copy(I);
    std::vector<ValueId> Args;
    for (ValueId V : Src.operands(I))
      Args.push_back(map(V));
    Span Loc = B.loc();
    B.setLoc(Old.Loc);
    ValueId Value = expandCall(B, M, M.Functions[Old.Callee], Args);
    B.setLoc(Loc);
    return Value;
  }
};

class InlinePass : public Pass {
public:
  std::string_view name() const override { return "inline"; }
  PassResult run(Module &M, PassContext &Context) override {
    return inlineCalls(M) ? PassResult::Changed : PassResult::Unchanged;
  }
};

} // namespace

ValueId expandCall(Builder &B, const Module &From, const Function &Callee,
                   std::span<const ValueId> Args) {
  Span Loc = B.loc();
  ValueId V = Expander(B, From, Callee, Args).run();
  B.setLoc(Loc);
  return V;
}

bool inlineCalls(Module &M) {
  Arena<Function> Kernels;
  bool Changed = false;
  for (const Function &F : M.Functions) {
    if (F.Kind != FuncKind::Kernel) {
      Changed = true;
      continue;
    }
    bool Calls = false;
    forEachInst(F, [&](InstId I) { Calls |= F.Insts[I].Opcode == Op::Call; });
    Kernels.push(Calls ? CallRewriter(M, F).run() : F);
    Changed |= Calls;
  }
  M.Functions = std::move(Kernels);
  return Changed;
}

std::unique_ptr<Pass> createInlinePass() {
  return std::make_unique<InlinePass>();
}

} // namespace goldy
