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

#include "BodyCopier.h"
#include "goldyc/Analysis/Structure.h"
#include "goldyc/IR/NamedLocal.h"
#include "goldyc/IR/Rewriter.h"
#include "goldyc/Transforms/Pass.h"

namespace goldy {
namespace {

class Expander : public BodyCopier {
public:
  Expander(Builder &B, const Module &From, const Function &Src,
           std::span<const ValueId> Args, CallMarks Marks)
      : BodyCopier(B, Src), From(From), Args(Args.begin(), Args.end()),
        Marks(Src.Loc.isValid() ? Marks : CallMarks::None) {}

  ValueId run();

protected:
  ValueId mapParam(uint32_t Param) override { return Args[Param]; }
  PlaceBase mapResource(uint32_t Param) override {
    const Function &Dst = B.function();
    return Dst.Places[Dst.Insts[Args[Param]].Where].Base;
  }
  std::optional<InstId> replace(InstId I) override;

private:
  ValueId expand();
  void markArguments();
  InstId copyReturn(InstId I);
  ValueId expandNested(InstId I);
  bool hasEarlyReturn() const;
  bool isLast(InstId I) const { return Src.Blocks[Src.Body].Insts.back() == I; }

  const Module &From;
  std::vector<ValueId> Args;
  InstId ExitBlock; ///< the Block that early returns leave
  SlotId Result;    ///< what they store into
  ValueId Value;    ///< of the only Return
  CallMarks Marks;
};

bool Expander::hasEarlyReturn() const {
  bool Early = false;
  forEachInst(Src, [&](InstId I) {
    Early |= Src.Insts[I].Opcode == Op::Return && !isLast(I);
  });
  return Early;
}

ValueId Expander::run() {
  if (Marks == CallMarks::None)
    return expand();
  PlaceId Mark =
      B.slotPlace(B.slot(std::string(CallMark) + Src.Name, types::U32));
  B.store(Mark, B.u32(1));
  if (Marks == CallMarks::Arguments)
    markArguments();
  ValueId V = expand();
  B.store(Mark, B.u32(0));
  return V;
}

void Expander::markArguments() {
  for (uint32_t N = 0; N < Src.Params.size(); ++N) {
    const Param &P = Src.Params[N];
    if (P.Kind == ParamKind::Scalar)
      continue;
    SlotId S = B.slot(std::string(ArgumentMark) + P.Name, types::U32);
    B.function().Slots[S].Loc = P.Loc;
    B.store(B.slotPlace(S), B.u32(ArgumentCode{N, mapResource(N)}.bits()));
  }
}

ValueId Expander::expand() {
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

std::optional<InstId> Expander::replace(InstId I) {
  switch (Src.Insts[I].Opcode) {
  case Op::Return:
    return copyReturn(I);
  case Op::Call:
    return expandNested(I);
  case Op::WorkgroupSize:
    if (B.function().Kind == FuncKind::Kernel)
      return B.u32(B.function().WorkgroupSize[Src.Insts[I].Imm]);
    return std::nullopt;
  default:
    return std::nullopt;
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
  return expandCall(B, From, From.Functions[Src.Insts[I].Callee], Inner, Marks);
}

/// Replaces the calls of one kernel.
class CallRewriter : public Rewriter {
public:
  CallRewriter(Module &M, const Function &Src, CallMarks Marks)
      : Rewriter(M, Src), Marks(Marks) {}

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
    ValueId Value = expandCall(B, M, M.Functions[Old.Callee], Args, Marks);
    B.setLoc(Loc);
    return Value;
  }

private:
  CallMarks Marks;
};

class InlinePass : public Pass {
public:
  std::string_view name() const override { return "inline"; }
  PassResult run(Module &M, PassContext &Context) override {
    return inlineCalls(M, Context.Marks) ? PassResult::Changed
                                         : PassResult::Unchanged;
  }
};

} // namespace

ValueId expandCall(Builder &B, const Module &From, const Function &Callee,
                   std::span<const ValueId> Args, CallMarks Marks) {
  Span Loc = B.loc();
  ValueId V = Expander(B, From, Callee, Args, Marks).run();
  B.setLoc(Loc);
  return V;
}

bool inlineCalls(Module &M, CallMarks Marks) {
  Arena<Function> Kernels;
  bool Changed = false;
  for (const Function &F : M.Functions) {
    if (F.Kind != FuncKind::Kernel) {
      Changed = true;
      continue;
    }
    bool Calls = false;
    forEachInst(F, [&](InstId I) { Calls |= F.Insts[I].Opcode == Op::Call; });
    Kernels.push(Calls ? CallRewriter(M, F, Marks).run() : F);
    Changed |= Calls;
  }
  M.Functions = std::move(Kernels);
  return Changed;
}

std::unique_ptr<Pass> createInlinePass() {
  return std::make_unique<InlinePass>();
}

} // namespace goldy
