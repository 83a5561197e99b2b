//===- LegaliseCast.cpp - Conversions between scalars
//-----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A float-to-integer conversion saturates and turns NaN into 0. Machines agree
// only on f32 → i32 in range, so the rest is decided on the bits: magnitudes
// order as unsigned integers. Above 2^31 an f32 is an integer whose bits are
// the significand shifted left by 8.
//
// 64-bit integers go to and from f32 by sequences of the prelude: no machine
// but one rounds once, and PTX turns a NaN into MIN.
//
// u32 → f32 without an instruction: the halves become exact floats by placing
// them in the significands of 2^39 and 2^23; a subtraction takes both offsets
// out of the upper half exactly, and the addition of the lower rounds once.
//
//===----------------------------------------------------------------------===//
#include "Legaliser.h"

using namespace goldy;

namespace {
constexpr uint32_t TwoTo31 = 0x4f000000u, TwoTo32 = 0x4f800000u;
constexpr uint32_t Infinity = 0x7f800000u;
constexpr uint32_t TwoTo23 = 0x4b000000u, TwoTo39 = 0x53000000u;
constexpr uint32_t TwoTo39And23 = 0x53000080u;
} // namespace

InstId Legaliser::cast(InstId I) {
  TypeId To = Src.Insts[I].Type, From = Src.typeOf(Src.operand(I, 0));
  ValueId X = map(Src.operand(I, 0));
  if (From == To)
    return X;
  if (From == types::Bool)
    return boolToInteger(X, To);
  if (From == types::F32 && M.Types.bits(To) == 64)
    return expand(To == types::U64 ? "u64_from_f32" : "i64_from_f32",
                  {bits(X)});
  if (To == types::F32 && M.Types.bits(From) == 64 && !Caps.WideToFloat)
    return expand(From == types::U64 ? "f32_from_u64" : "f32_from_i64", {X});
  bool Saturates = From == types::F32 && !Caps.SaturatingFloatToInt;
  if (Saturates && isWithinI32(Src.operand(I, 0), To == types::I32))
    return To == types::I32 ? truncated(X) : B.cast(truncated(X), To);
  if (Saturates)
    return To == types::I32 ? floatToI32(X) : floatToU32(X);
  if (From == types::U32 && To == types::F32 && !Caps.UnsignedToFloat) {
    bool Fits = Ranges.integer(Src.operand(I, 0)).within(0, INT32_MAX);
    return Fits ? B.cast(B.cast(X, types::I32), To) : u32ToFloat(X);
  }
  return B.cast(X, To);
}

/// Whether the conversion of a machine gives the number's whole part, which is
/// none below zero for a u32.
bool Legaliser::isWithinI32(ValueId Old, bool Signed) const {
  constexpr float Most = 0x1.fffffep30f; // below 2^31
  return Signed ? Ranges.of(Old).isWithin(-0x1p31f, Most)
                : Ranges.of(Old).isWithin(-0x1.fffffep-1f, Most);
}

InstId Legaliser::boolToInteger(ValueId V, TypeId To) {
  return B.select(V, integer(To, 1), integer(To, 0));
}

ValueId Legaliser::floatToI32(ValueId X) {
  ValueId Bits = bits(X), Size = magnitude(Bits);
  ValueId InRange = B.op(Op::Lt, {Size, B.u32(TwoTo31)});
  ValueId Near = truncated(fromBits(B.select(InRange, Bits, B.u32(0))));
  // MAX, or MAX + 1 = MIN for a negative value.
  ValueId Sign = B.op(Op::RawShr, {Bits, B.u32(31)});
  ValueId Limit = B.cast(B.op(Op::Add, {B.u32(0x7fffffffu), Sign}), types::I32);
  ValueId Number = B.op(Op::Le, {Size, B.u32(Infinity)});
  return B.select(InRange, Near, B.select(Number, Limit, B.i32(0)));
}

ValueId Legaliser::floatToU32(ValueId X) {
  ValueId Bits = bits(X);
  // Negative values compare above all others.
  ValueId InI32 = B.op(Op::Lt, {Bits, B.u32(TwoTo31)});
  ValueId Near =
      B.cast(truncated(fromBits(B.select(InI32, Bits, B.u32(0)))), types::U32);
  ValueId Shifted = B.op(Op::RawShl, {Bits, B.u32(8)});
  ValueId Far = B.op(Op::Or, {Shifted, B.u32(0x80000000u)});
  ValueId Number = B.op(Op::Le, {Bits, B.u32(Infinity)});
  ValueId Limit = B.select(Number, B.u32(0xffffffffu), B.u32(0));
  ValueId InU32 = B.op(Op::Lt, {Bits, B.u32(TwoTo32)});
  return B.select(InI32, Near, B.select(InU32, Far, Limit));
}

ValueId Legaliser::u32ToFloat(ValueId X) {
  ValueId High = B.op(Op::RawShr, {X, B.u32(16)});
  ValueId Low = B.op(Op::And, {X, B.u32(0xffffu)});
  ValueId FarHigh = fromBits(B.op(Op::Or, {High, B.u32(TwoTo39)}));
  ValueId NearLow = fromBits(B.op(Op::Or, {Low, B.u32(TwoTo23)}));
  ValueId Shifted = B.op(Op::Sub, {FarHigh, B.f32Bits(TwoTo39And23)});
  return B.op(Op::Add, {Shifted, NearLow});
}
