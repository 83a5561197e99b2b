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
// prelude use these operations too; for 64 bits first, whose sequences use
// those of 32 bits.
//
//===----------------------------------------------------------------------===//
#include "Legaliser.h"

using namespace goldy;

namespace {

/// Two shifts, in unsigned arithmetic.
ValueId rotation(Builder &B, const Inst &N, ValueId X, ValueId By,
                 TypeId Unsigned, TypeId SignedType) {
  bool Signed = N.Type == SignedType;
  if (Signed) {
    X = B.cast(X, Unsigned);
    By = B.cast(By, Unsigned);
  }
  uint64_t Width = B.module().Types.bits(Unsigned);
  ValueId Mask = B.constant(Unsigned, Width - 1);
  ValueId Back = B.op(Op::Sub, {B.constant(Unsigned, 0), By});
  bool Left = N.Opcode == Op::RotateLeft;
  ValueId First =
      B.op(Left ? Op::RawShl : Op::RawShr, {X, B.op(Op::And, {By, Mask})});
  ValueId Second =
      B.op(Left ? Op::RawShr : Op::RawShl, {X, B.op(Op::And, {Back, Mask})});
  ValueId Result = B.op(Op::Or, {First, Second});
  return Signed ? B.cast(Result, SignedType) : Result;
}

class MissingIntegers : public Rewriter {
public:
  MissingIntegers(Module &M, const Function &Src, const Capabilities &Caps)
      : Rewriter(M, Src), Caps(Caps) {}

protected:
  InstId visit(InstId I) override {
    const Inst &N = Src.Insts[I];
    bool Whole = M.Types.isInteger(N.Type) && N.NumOperands != 0;
    InstId New = Whole && isPure(N.Opcode) ? rewrite(I) : InstId();
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
  if (M.Types.bits(Src.typeOf(Src.operand(I, 0))) == 64)
    return {};
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
  return rotation(B, N, X, By, types::U32, types::I32);
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

/// The same for 64-bit operands.
class MissingWide : public Rewriter {
public:
  MissingWide(Module &M, const Function &Src, const Capabilities &Caps)
      : Rewriter(M, Src), Caps(Caps) {}

protected:
  InstId visit(InstId I) override {
    const Inst &N = Src.Insts[I];
    bool Wide = isPure(N.Opcode) && N.NumOperands != 0 &&
                M.Types.bits(Src.typeOf(Src.operand(I, 0))) == 64;
    InstId New = Wide ? rewrite(I) : InstId();
    return New ? New : copy(I);
  }

private:
  InstId rewrite(InstId I);
  InstId rotate(InstId I);
  InstId minMax(InstId I);
  InstId bits(InstId I, std::string_view Helper);
  InstId mulHi(InstId I);

  const Capabilities &Caps;
};

InstId MissingWide::rewrite(InstId I) {
  switch (Src.Insts[I].Opcode) {
  case Op::RotateLeft:
  case Op::RotateRight:
    return Caps.Rotates ? InstId() : rotate(I);
  case Op::Min:
  case Op::Max:
    return Caps.WideBits ? InstId() : minMax(I);
  case Op::CountOnes:
    return bits(I, "count_ones_u64");
  case Op::LeadingZeros:
    return bits(I, "leading_zeros_u64");
  case Op::TrailingZeros:
    return bits(I, "trailing_zeros_u64");
  case Op::ReverseBits:
    return bits(I, "reverse_bits_u64");
  case Op::MulHi:
    return Caps.WideMulHi ? InstId() : mulHi(I);
  default:
    return {};
  }
}

InstId MissingWide::rotate(InstId I) {
  const Inst &N = Src.Insts[I];
  ValueId X = map(Src.operand(I, 0)), By = map(Src.operand(I, 1));
  return rotation(B, N, X, By, types::U64, types::I64);
}

InstId MissingWide::minMax(InstId I) {
  ValueId A = map(Src.operand(I, 0)), C = map(Src.operand(I, 1));
  Op Order = Src.Insts[I].Opcode == Op::Min ? Op::Lt : Op::Gt;
  return B.select(B.op(Order, {C, A}), C, A);
}

InstId MissingWide::bits(InstId I, std::string_view Helper) {
  if (Caps.WideBits)
    return {};
  TypeId T = Src.Insts[I].Type;
  ValueId X = map(Src.operand(I, 0));
  ValueId Args[] = {Dst.typeOf(X) == types::I64 ? B.cast(X, types::U64) : X};
  ValueId Result = expandExact(B, Helper, Args);
  return T == types::I64 ? B.cast(Result, T) : Result;
}

InstId MissingWide::mulHi(InstId I) {
  ValueId Args[] = {map(Src.operand(I, 0)), map(Src.operand(I, 1))};
  bool Signed = Src.Insts[I].Type == types::I64;
  return expandExact(B, Signed ? "mul_hi_i64" : "mul_hi_u64", Args);
}

bool hasWide(const Module &M, const Function &F) {
  for (const Inst &I : F.Insts)
    if (M.Types.bits(I.Type) == 64)
      return true;
  return false;
}

} // namespace

Function goldy::replaceMissingIntegers(Module &M, Function F,
                                       const Capabilities &Caps) {
  if (hasWide(M, F))
    F = MissingWide(M, F, Caps).run();
  if (Caps.Rotates && Caps.IntegerMinMax && Caps.BitCounts && Caps.MulHi)
    return F;
  return MissingIntegers(M, F, Caps).run();
}
