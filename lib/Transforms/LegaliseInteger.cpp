//===- LegaliseInteger.cpp - Guards of division and shifts
//------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Division. `a / 0 = a` and `a % 0 = 0` are what division by 1 gives, and so
// are `MIN / -1 = MIN` and `MIN % -1 = 0`: one select replaces the bad divisor
// by 1 and the machine's division does the rest. A constant divisor needs no
// select.
//
//===----------------------------------------------------------------------===//
#include "Legaliser.h"

using namespace goldy;

ValueId Legaliser::integer(TypeId T, uint64_t Bits) {
  return B.constant(T, M.Types.bits(T) == 64 ? Bits : Bits & 0xffffffffu);
}

InstId Legaliser::rewriteInteger(InstId I) {
  switch (Src.Insts[I].Opcode) {
  case Op::Div:
  case Op::Rem:
    return divide(I);
  case Op::Shl:
  case Op::Shr:
    return shift(I);
  case Op::RotateLeft:
  case Op::RotateRight:
    return rotate(I);
  case Op::Abs:
    return integerAbs(I);
  default:
    return copy(I);
  }
}

// --- Division

InstId Legaliser::divide(InstId I) {
  const Inst &N = Src.Insts[I];
  ValueId Divisor = Src.operand(I, 1);
  if (Src.isConst(Divisor))
    return divideByConstant(I, Src.Insts[Divisor].Imm);
  ValueId A = map(Src.operand(I, 0));
  ValueId D = safeDivisor(A, map(Divisor), M.Types.isSigned(N.Type));
  return N.Opcode == Op::Div ? B.op(Op::RawDiv, {A, D}) : remainder(A, D);
}

/// The divisor is safe.
ValueId Legaliser::remainder(ValueId A, ValueId D) {
  if (Caps.SignedRem || !M.Types.isSigned(Dst.typeOf(A)))
    return B.op(Op::RawRem, {A, D});
  ValueId Whole = B.op(Op::Mul, {B.op(Op::RawDiv, {A, D}), D});
  return B.op(Op::Sub, {A, Whole});
}

InstId Legaliser::divideByConstant(InstId I, uint64_t Divisor) {
  const Inst &N = Src.Insts[I];
  bool Quotient = N.Opcode == Op::Div;
  ValueId A = map(Src.operand(I, 0));
  uint64_t MinusOne = M.Types.bits(N.Type) == 64 ? ~uint64_t(0) : 0xffffffffu;
  if (Divisor == 0 || Divisor == 1)
    return Quotient ? A : integer(N.Type, 0);
  if (Divisor == MinusOne && M.Types.isSigned(N.Type))
    return Quotient ? B.op(Op::Sub, {integer(N.Type, 0), A})
                    : integer(N.Type, 0);
  ValueId D = integer(N.Type, Divisor);
  return Quotient ? B.op(Op::RawDiv, {A, D}) : remainder(A, D);
}

ValueId Legaliser::safeDivisor(ValueId A, ValueId D, bool Signed) {
  TypeId T = Dst.typeOf(D);
  ValueId Bad = B.op(Op::Eq, {D, integer(T, 0)});
  if (Signed) {
    uint64_t Min = uint64_t(1) << (M.Types.bits(T) - 1);
    ValueId IsMin = B.op(Op::Eq, {A, integer(T, Min)});
    ValueId MinusOne = B.op(Op::Eq, {D, integer(T, ~uint64_t(0))});
    Bad = B.op(Op::Or, {Bad, B.op(Op::And, {IsMin, MinusOne})});
  }
  return B.select(Bad, integer(T, 1), D);
}

// --- Shifts

InstId Legaliser::shift(InstId I) {
  const Inst &N = Src.Insts[I];
  Op Raw = N.Opcode == Op::Shl ? Op::RawShl : Op::RawShr;
  uint32_t Mask = M.Types.bits(N.Type) - 1;
  ValueId A = map(Src.operand(I, 0)), Amount = Src.operand(I, 1);
  if (Src.isConst(Amount)) {
    uint64_t By = Src.Insts[Amount].Imm & Mask;
    return By == 0 ? A : B.op(Raw, {A, integer(N.Type, By)});
  }
  ValueId Same = map(Amount);
  if (Dst.typeOf(Same) != N.Type)
    Same = B.cast(Same, N.Type);
  return B.op(Raw, {A, B.op(Op::And, {Same, integer(N.Type, Mask)})});
}

/// Rotation amounts keep their modulo meaning; they get the value's type.
InstId Legaliser::rotate(InstId I) {
  const Inst &N = Src.Insts[I];
  ValueId A = map(Src.operand(I, 0)), Amount = map(Src.operand(I, 1));
  if (Dst.typeOf(Amount) != N.Type)
    Amount = B.cast(Amount, N.Type);
  return B.op(N.Opcode, {A, Amount});
}

InstId Legaliser::integerAbs(InstId I) {
  TypeId T = Src.Insts[I].Type;
  ValueId X = map(Src.operand(I, 0)), Zero = integer(T, 0);
  return B.select(B.op(Op::Lt, {X, Zero}), B.op(Op::Sub, {Zero, X}), X);
}
