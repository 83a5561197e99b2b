//===- LowerFor.cpp - For statements become loops with a slot
//---------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A For tests before its first repetition and then at the end of each:
//
//   if lo < hi {                       // lo <= hi for ..=
//     slot = lo
//     loop { i = slot; body }
//     continuing { slot = slot + step; break_if <that was the last> }
//   }
//
// Whether another repetition follows is asked without wrapping. An exclusive
// range of step 1 compares the next value, which is at most hi. Otherwise the
// distance hi - i, exact as an unsigned number since i does not exceed hi, is
// compared with the step.
//
//===----------------------------------------------------------------------===//
#include "RewritePass.h"

namespace goldy {
namespace {

class ForLowering : public PassRewriter {
public:
  using PassRewriter::PassRewriter;

protected:
  InstId visit(InstId I) override {
    return Src.Insts[I].Opcode == Op::For && spend() ? lower(I) : copy(I);
  }

private:
  InstId lower(InstId I);
  void step(const Inst &For, PlaceId Counter, ValueId Hi);
  ValueId isLast(const Inst &For, ValueId Current, ValueId Next, ValueId Hi);
};

InstId ForLowering::lower(InstId I) {
  const Inst &For = Src.Insts[I];
  Span Loc = B.loc();
  BlockId Outer = B.block();
  ValueId Lo = map(Src.operand(I, 0)), Hi = map(Src.operand(I, 1));
  bool Inclusive = For.Flags & FlagInclusive;
  ValueId Any = B.op(Inclusive ? Op::Le : Op::Lt, {Lo, Hi});
  InstId Guard = B.createIf(Any, false);
  B.setBlock(Dst.Insts[Guard].Blocks[0]);
  PlaceId Counter =
      B.slotPlace(B.slot(std::string(Src.nameOf(For.Var)), Dst.typeOf(Lo)));
  B.store(Counter, Lo);
  InstId Loop = B.createLoop(true);
  Dst.Insts[Loop].Unroll = For.Unroll;
  setMapping(I, Loop);
  B.setBlock(Dst.Insts[Loop].Blocks[0]);
  ValueId Var = B.load(Counter);
  Dst.Insts[Var].Name = Src.Insts[For.Var].Name;
  setMapping(For.Var, Var);
  copyBlock(For.Blocks[0]);
  B.setLoc(Loc);
  B.setBlock(Dst.Insts[Loop].Blocks[1]);
  step(For, Counter, Hi);
  B.setBlock(Outer);
  return Loop;
}

void ForLowering::step(const Inst &For, PlaceId Counter, ValueId Hi) {
  ValueId Current = B.load(Counter);
  TypeId T = Dst.typeOf(Current);
  uint64_t Step = M.Types.bits(T) < 64 ? For.Imm & 0xffffffffu : For.Imm;
  ValueId Next = B.op(Op::Add, {Current, B.constant(T, Step)});
  ValueId Last = isLast(For, Current, Next, Hi);
  B.store(Counter, Next);
  B.breakIf(Last);
}

ValueId ForLowering::isLast(const Inst &For, ValueId Current, ValueId Next,
                            ValueId Hi) {
  bool Inclusive = For.Flags & FlagInclusive;
  if (For.Imm == 1)
    return Inclusive ? B.op(Op::Eq, {Current, Hi}) : B.op(Op::Ge, {Next, Hi});
  TypeId T = Dst.typeOf(Current);
  bool Wide = M.Types.bits(T) == 64;
  if (!Wide && For.Imm > 0xffffffffu)
    return B.boolean(true);
  TypeId Unsigned = Wide ? types::U64 : types::U32;
  ValueId Distance = B.op(Op::Sub, {Hi, Current});
  if (T != Unsigned)
    Distance = B.cast(Distance, Unsigned);
  return B.op(Inclusive ? Op::Lt : Op::Le,
              {Distance, B.constant(Unsigned, For.Imm)});
}

class LowerForPass : public Pass {
public:
  std::string_view name() const override { return "lower-for"; }
  PassResult run(Module &M, PassContext &Context) override {
    return rewriteFunctions<ForLowering>(M, Context);
  }
};

} // namespace

std::unique_ptr<Pass> createLowerForPass() {
  return std::make_unique<LowerForPass>();
}

} // namespace goldy
