//===- LegaliseMissing.cpp - Integer operations a target does not have
//------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rotations, upper products, bit counts, minimum and maximum from what every
// target has. Runs after the rest of Legalise, because the sequences of the
// prelude use these operations too.
//
//===----------------------------------------------------------------------===//
#include "Legaliser.h"

using namespace goldy;

namespace {

class MissingIntegers : public Rewriter {
public:
  MissingIntegers(Module &M, const Function &Src, const Capabilities &Caps)
      : Rewriter(M, Src), Caps(Caps) {}

protected:
  InstId visit(InstId I) override {
    const Inst &N = Src.Insts[I];
    InstId New = M.Types.isInteger(N.Type) ? rewrite(I) : InstId();
    return New ? New : copy(I);
  }

private:
  InstId rewrite(InstId I);
  InstId rotate(InstId I);
  InstId minMax(InstId I);
  InstId count(InstId I, std::string_view Helper);
  InstId mulHi(InstId I);

  const Capabilities &Caps;
};

/// Invalid when the operation may stay.
InstId MissingIntegers::rewrite(InstId I) {
  switch (Src.Insts[I].Opcode) {
  case Op::RotateLeft:
  case Op::RotateRight:
    return Caps.Rotates ? InstId() : rotate(I);
  case Op::Min:
  case Op::Max:
    return Caps.IntegerMinMax ? InstId() : minMax(I);
  case Op::CountOnes:
    return count(I, "count_ones_by_fields");
  case Op::LeadingZeros:
    return count(I, "leading_zeros_by_fields");
  case Op::TrailingZeros:
    return count(I, "trailing_zeros_by_fields");
  case Op::ReverseBits:
    return count(I, "reverse_bits_by_fields");
  case Op::MulHi:
    return Caps.MulHi ? InstId() : mulHi(I);
  default:
    return {};
  }
}

InstId MissingIntegers::rotate(InstId I) {
  const Inst &N = Src.Insts[I];
  ValueId X = map(Src.operand(I, 0)), By = map(Src.operand(I, 1));
  bool Signed = N.Type == types::I32;
  if (Signed) {
    X = B.cast(X, types::U32);
    By = B.cast(By, types::U32);
  }
  ValueId Mask = B.u32(31), Back = B.op(Op::Sub, {B.u32(0), By});
  bool Left = N.Opcode == Op::RotateLeft;
  ValueId First =
      B.op(Left ? Op::RawShl : Op::RawShr, {X, B.op(Op::And, {By, Mask})});
  ValueId Second =
      B.op(Left ? Op::RawShr : Op::RawShl, {X, B.op(Op::And, {Back, Mask})});
  ValueId Result = B.op(Op::Or, {First, Second});
  return Signed ? B.cast(Result, types::I32) : Result;
}

InstId MissingIntegers::minMax(InstId I) {
  ValueId A = map(Src.operand(I, 0)), C = map(Src.operand(I, 1));
  Op Order = Src.Insts[I].Opcode == Op::Min ? Op::Lt : Op::Gt;
  return B.select(B.op(Order, {C, A}), C, A);
}

InstId MissingIntegers::count(InstId I, std::string_view Helper) {
  if (Caps.BitCounts)
    return {};
  ValueId X = map(Src.operand(I, 0));
  if (Dst.typeOf(X) != types::U32)
    X = B.cast(X, types::U32);
  ValueId Args[] = {X};
  ValueId Result = expandExact(B, Helper, Args);
  TypeId T = Src.Insts[I].Type;
  return T == types::U32 ? Result : B.cast(Result, T);
}

InstId MissingIntegers::mulHi(InstId I) {
  ValueId Args[] = {map(Src.operand(I, 0)), map(Src.operand(I, 1))};
  bool Signed = Src.Insts[I].Type == types::I32;
  return expandExact(B, Signed ? "mul_hi_i32" : "mul_hi_u32", Args);
}

} // namespace

Function goldy::replaceMissingIntegers(Module &M, Function F,
                                       const Capabilities &Caps) {
  if (Caps.Rotates && Caps.IntegerMinMax && Caps.BitCounts && Caps.MulHi)
    return F;
  return MissingIntegers(M, F, Caps).run();
}
