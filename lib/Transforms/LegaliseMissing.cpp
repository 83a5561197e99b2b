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

/// What one width of integers has, and the helpers for what it lacks.
struct Width {
  uint32_t Bits;
  TypeId Unsigned, Signed;
  bool Counts, MinMax, MulHi;
  std::string_view CountOnes, LeadingZeros, TrailingZeros, ReverseBits;
  std::string_view MulHiUnsigned, MulHiSigned;
};

Width words(const Capabilities &Caps) {
  return {32,
          types::U32,
          types::I32,
          Caps.BitCounts,
          Caps.IntegerMinMax,
          Caps.MulHi,
          "count_ones_by_fields",
          "leading_zeros_by_fields",
          "trailing_zeros_by_fields",
          "reverse_bits_by_fields",
          "mul_hi_u32",
          "mul_hi_i32"};
}

Width longs(const Capabilities &Caps) {
  return {64,
          types::U64,
          types::I64,
          Caps.WideBits,
          Caps.WideBits,
          Caps.WideMulHi,
          "count_ones_u64",
          "leading_zeros_u64",
          "trailing_zeros_u64",
          "reverse_bits_u64",
          "mul_hi_u64",
          "mul_hi_i64"};
}

/// For the operations whose operands have one width.
class MissingIntegers : public Rewriter {
public:
  MissingIntegers(Module &M, const Function &Src, const Capabilities &Caps,
                  const Width &Of)
      : Rewriter(M, Src), Caps(Caps), Of(Of) {}

protected:
  InstId visit(InstId I) override {
    const Inst &N = Src.Insts[I];
    bool Mine = isPure(N.Opcode) && M.Types.isInteger(N.Type) &&
                N.NumOperands != 0 &&
                M.Types.bits(Src.typeOf(Src.operand(I, 0))) == Of.Bits;
    InstId New = Mine ? rewrite(I) : InstId();
    return New ? New : copy(I);
  }

private:
  InstId rewrite(InstId I);
  InstId rotate(InstId I);
  InstId minMax(InstId I);
  InstId count(InstId I, std::string_view Helper);
  InstId mulHi(InstId I);

  const Capabilities &Caps;
  const Width &Of;
};

/// Invalid when the operation may stay.
InstId MissingIntegers::rewrite(InstId I) {
  switch (Src.Insts[I].Opcode) {
  case Op::RotateLeft:
  case Op::RotateRight:
    return Caps.Rotates ? InstId() : rotate(I);
  case Op::Min:
  case Op::Max:
    return Of.MinMax ? InstId() : minMax(I);
  case Op::CountOnes:
    return count(I, Of.CountOnes);
  case Op::LeadingZeros:
    return count(I, Of.LeadingZeros);
  case Op::TrailingZeros:
    return count(I, Of.TrailingZeros);
  case Op::ReverseBits:
    return count(I, Of.ReverseBits);
  case Op::MulHi:
    return Of.MulHi ? InstId() : mulHi(I);
  default:
    return {};
  }
}

InstId MissingIntegers::rotate(InstId I) {
  const Inst &N = Src.Insts[I];
  ValueId X = map(Src.operand(I, 0)), By = map(Src.operand(I, 1));
  return rotation(B, N, X, By, Of.Unsigned, Of.Signed);
}

InstId MissingIntegers::minMax(InstId I) {
  ValueId A = map(Src.operand(I, 0)), C = map(Src.operand(I, 1));
  Op Order = Src.Insts[I].Opcode == Op::Min ? Op::Lt : Op::Gt;
  return B.select(B.op(Order, {C, A}), C, A);
}

/// Counts are u32 whatever the operand.
InstId MissingIntegers::count(InstId I, std::string_view Helper) {
  if (Of.Counts)
    return {};
  ValueId X = map(Src.operand(I, 0));
  if (Dst.typeOf(X) != Of.Unsigned)
    X = B.cast(X, Of.Unsigned);
  ValueId Args[] = {X};
  ValueId Result = expandExact(B, Helper, Args);
  TypeId T = Src.Insts[I].Type;
  return T == Dst.typeOf(Result) ? Result : B.cast(Result, T);
}

InstId MissingIntegers::mulHi(InstId I) {
  ValueId Args[] = {map(Src.operand(I, 0)), map(Src.operand(I, 1))};
  bool Signed = Src.Insts[I].Type == Of.Signed;
  return expandExact(B, Signed ? Of.MulHiSigned : Of.MulHiUnsigned, Args);
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
    F = MissingIntegers(M, F, Caps, longs(Caps)).run();
  if (Caps.Rotates && Caps.IntegerMinMax && Caps.BitCounts && Caps.MulHi)
    return F;
  return MissingIntegers(M, F, Caps, words(Caps)).run();
}
