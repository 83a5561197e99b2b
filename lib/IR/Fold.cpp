//===- Fold.cpp - Constant folding with the language's meaning
//-------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integers of both widths are folded in 64 bits: operands are extended by
// their signedness and the result is cut to the width.
//
//===----------------------------------------------------------------------===//
#include "goldyc/IR/Fold.h"
#include "SoftFloat.h"

#include <bit>

using namespace goldy;

namespace {

using Folded = std::optional<uint64_t>;

struct IntegerType {
  unsigned Width;
  bool Signed;
  uint64_t mask() const {
    return Width == 64 ? ~uint64_t(0) : (uint64_t(1) << Width) - 1;
  }
  uint64_t min() const { return uint64_t(1) << (Width - 1); }
  /// The value as a 64-bit two's complement number.
  uint64_t extended(uint64_t Bits) const {
    Bits &= mask();
    return Signed && (Bits & min()) ? Bits | ~mask() : Bits;
  }
};

std::optional<IntegerType> integerType(TypeId T) {
  if (T == types::U32)
    return IntegerType{32, false};
  if (T == types::I32)
    return IntegerType{32, true};
  if (T == types::U64)
    return IntegerType{64, false};
  if (T == types::I64)
    return IntegerType{64, true};
  return std::nullopt;
}

bool lessThan(IntegerType T, uint64_t A, uint64_t B) {
  uint64_t EA = T.extended(A), EB = T.extended(B);
  return T.Signed ? static_cast<int64_t>(EA) < static_cast<int64_t>(EB)
                  : EA < EB;
}

bool isNegative(IntegerType T, uint64_t A) {
  return T.Signed && (A & T.min()) != 0;
}

uint64_t magnitude(IntegerType T, uint64_t A) {
  uint64_t E = T.extended(A);
  return isNegative(T, A) ? 0 - E : E;
}

/// Truncated division on magnitudes, so that MIN / -1 needs no case.
uint64_t divide(IntegerType T, uint64_t A, uint64_t B) {
  if (B == 0)
    return A;
  uint64_t Quotient = magnitude(T, A) / magnitude(T, B);
  return isNegative(T, A) != isNegative(T, B) ? 0 - Quotient : Quotient;
}

uint64_t remainder(IntegerType T, uint64_t A, uint64_t B) {
  if (B == 0)
    return 0;
  uint64_t Rest = magnitude(T, A) % magnitude(T, B);
  return isNegative(T, A) ? 0 - Rest : Rest;
}

uint64_t shiftRight(IntegerType T, uint64_t A, unsigned Amount) {
  uint64_t E = T.extended(A);
  return T.Signed ? static_cast<uint64_t>(static_cast<int64_t>(E) >> Amount)
                  : E >> Amount;
}

uint64_t rotateLeft(IntegerType T, uint64_t A, unsigned Amount) {
  return Amount == 0 ? A : A << Amount | A >> (T.Width - Amount);
}

uint64_t upperHalf(IntegerType T, uint64_t A, uint64_t B) {
  __int128 X = T.Signed
                   ? static_cast<__int128>(static_cast<int64_t>(T.extended(A)))
                   : static_cast<__int128>(T.extended(A));
  __int128 Y = T.Signed
                   ? static_cast<__int128>(static_cast<int64_t>(T.extended(B)))
                   : static_cast<__int128>(T.extended(B));
  // Unsigned 64-bit operands fill the product's sign bit: multiply unsigned.
  unsigned __int128 Product =
      static_cast<unsigned __int128>(X) * static_cast<unsigned __int128>(Y);
  return static_cast<uint64_t>(Product >> T.Width);
}

uint64_t reversed(IntegerType T, uint64_t A) {
  uint64_t R = 0;
  for (unsigned I = 0; I < T.Width; ++I)
    R |= (A >> I & 1) << (T.Width - 1 - I);
  return R;
}

/// Machine operations fold where their promise holds.
Folded foldPromised(Op O, IntegerType T, uint64_t A, uint64_t B) {
  bool Overflows = T.Signed && A == T.min() && B == T.mask();
  switch (O) {
  case Op::RawDiv:
    return B == 0 || Overflows ? Folded() : Folded(divide(T, A, B));
  case Op::RawRem:
    return B == 0 || Overflows ? Folded() : Folded(remainder(T, A, B));
  case Op::RawShl:
    return B >= T.Width ? Folded() : Folded(A << B);
  default: // RawShr
    return B >= T.Width ? Folded()
                        : Folded(shiftRight(T, A, static_cast<unsigned>(B)));
  }
}

Folded foldCompare(Op O, bool Less, bool Equal, bool Greater) {
  switch (O) {
  case Op::Eq:
    return Equal;
  case Op::Ne:
    return !Equal;
  case Op::Lt:
    return Less;
  case Op::Le:
    return Less || Equal;
  case Op::Gt:
    return Greater;
  case Op::Ge:
    return Greater || Equal;
  default:
    return std::nullopt;
  }
}

/// The result may have bits above the width; the caller cuts them.
Folded foldIntegerOp(Op O, IntegerType T, uint64_t A, uint64_t B) {
  unsigned Amount = static_cast<unsigned>(B & (T.Width - 1));
  switch (O) {
  case Op::Add:
    return A + B;
  case Op::Sub:
    return A - B;
  case Op::Mul:
    return A * B;
  case Op::Div:
    return divide(T, A, B);
  case Op::Rem:
    return remainder(T, A, B);
  case Op::Neg:
    return 0 - A;
  case Op::Abs:
    return magnitude(T, A);
  case Op::Min:
    return lessThan(T, B, A) ? B : A;
  case Op::Max:
    return lessThan(T, A, B) ? B : A;
  case Op::And:
    return A & B;
  case Op::Or:
    return A | B;
  case Op::Xor:
    return A ^ B;
  case Op::Not:
    return ~A;
  case Op::Shl:
    return A << Amount;
  case Op::Shr:
    return shiftRight(T, A, Amount);
  case Op::FromBits:
    return A;
  case Op::CountOnes:
    return static_cast<uint64_t>(std::popcount(A));
  case Op::LeadingZeros:
    return static_cast<uint64_t>(std::countl_zero(A)) - (64 - T.Width);
  case Op::TrailingZeros:
    return A == 0 ? T.Width : static_cast<uint64_t>(std::countr_zero(A));
  case Op::ReverseBits:
    return reversed(T, A);
  case Op::RotateLeft:
    return rotateLeft(T, A, Amount);
  case Op::RotateRight:
    return rotateLeft(T, A, (T.Width - Amount) & (T.Width - 1));
  case Op::MulHi:
    return upperHalf(T, A, B);
  case Op::RawDiv:
  case Op::RawRem:
  case Op::RawShl:
  case Op::RawShr:
    return foldPromised(O, T, A, B);
  default:
    return foldCompare(O, lessThan(T, A, B), A == B, lessThan(T, B, A));
  }
}

Folded foldInteger(Op O, IntegerType T, std::span<const uint64_t> Bits) {
  uint64_t A = Bits[0] & T.mask();
  uint64_t B = Bits.size() > 1 ? Bits[1] : 0;
  bool Shifts = opInfo(O).Rule == TypeRule::Shift;
  Folded R = foldIntegerOp(O, T, A, Shifts ? B : B & T.mask());
  if (R)
    *R &= T.mask();
  return R;
}

Folded foldBool(Op O, std::span<const uint64_t> Bits) {
  bool A = Bits[0] != 0, B = Bits.size() > 1 && Bits[1] != 0;
  switch (O) {
  case Op::And:
    return A && B;
  case Op::Or:
    return A || B;
  case Op::Xor:
    return A != B;
  case Op::Not:
    return !A;
  default:
    return foldCompare(O, !A && B, A == B, A && !B);
  }
}

Folded foldRawToInt(uint32_t A) {
  uint64_t Whole = soft::wholePart(A);
  bool Negative = (A & soft::SignBit) != 0;
  if (soft::isNan(A) || Whole > 0x7fffffffu + (Negative ? 1u : 0u))
    return std::nullopt;
  return (Negative ? 0 - Whole : Whole) & 0xffffffffu;
}

/// Operations on one f32.
Folded foldFloatUnary(Op O, uint32_t A) {
  switch (O) {
  case Op::Neg:
    return A ^ soft::SignBit;
  case Op::Abs:
    return A & ~soft::SignBit;
  case Op::Sqrt:
    return soft::sqrt(A);
  case Op::Floor:
    return soft::toWhole(A, soft::Rounding::Down);
  case Op::Ceil:
    return soft::toWhole(A, soft::Rounding::Up);
  case Op::Trunc:
    return soft::toWhole(A, soft::Rounding::ToZero);
  case Op::Round:
    return soft::toWhole(A, soft::Rounding::HalfAway);
  case Op::RoundEven:
    return soft::toWhole(A, soft::Rounding::HalfEven);
  case Op::ToBits:
  case Op::NumberBits:
    return A;
  case Op::CanonNan:
    return soft::isNan(A) ? soft::CanonicalNan : A;
  case Op::Flush:
    return soft::flush(A);
  case Op::RawFloatToInt:
    return foldRawToInt(A);
  default:
    return std::nullopt;
  }
}

Folded foldFloatBinary(Op O, uint32_t A, uint32_t B) {
  switch (O) {
  case Op::Add:
    return soft::add(A, B);
  case Op::Sub: // a NaN stays one with its sign flipped
    return soft::add(A, B ^ soft::SignBit);
  case Op::Mul:
    return soft::mul(A, B);
  case Op::Div:
  case Op::NearQuotient:
    return soft::div(A, B);
  case Op::Rem:
    return soft::rem(A, B);
  case Op::Min:
    return soft::less(B, A) || soft::isNan(A) ? B : A;
  case Op::Max:
    return soft::less(A, B) || soft::isNan(A) ? B : A;
  case Op::Copysign:
    return (A & ~soft::SignBit) | (B & soft::SignBit);
  default:
    return foldCompare(O, soft::less(A, B), soft::equal(A, B),
                       soft::less(B, A));
  }
}

Folded foldFloat(Op O, std::span<const uint64_t> Bits) {
  uint32_t A = static_cast<uint32_t>(Bits[0]);
  if (Bits.size() == 1)
    return foldFloatUnary(O, A);
  uint32_t B = static_cast<uint32_t>(Bits[1]);
  if (O == Op::Fma && Bits.size() == 3)
    return soft::fma(A, B, static_cast<uint32_t>(Bits[2]));
  return foldFloatBinary(O, A, B);
}

uint64_t saturated(IntegerType T, uint32_t A) {
  uint64_t Whole = soft::wholePart(A);
  bool Negative = (A & soft::SignBit) != 0;
  if (!T.Signed)
    return Negative ? 0 : (Whole > T.mask() ? T.mask() : Whole);
  uint64_t Most = T.min() - (Negative ? 0 : 1);
  uint64_t Magnitude = Whole > Most ? Most : Whole;
  return (Negative ? 0 - Magnitude : Magnitude) & T.mask();
}

Folded foldCast(TypeId From, TypeId To, uint64_t Bits) {
  if (From == To)
    return Bits;
  std::optional<IntegerType> FromInt = integerType(From);
  std::optional<IntegerType> ToInt = integerType(To);
  if (From == types::F32)
    return ToInt ? Folded(saturated(*ToInt, static_cast<uint32_t>(Bits)))
                 : Folded();
  if (From == types::Bool)
    FromInt = IntegerType{32, false};
  if (!FromInt)
    return std::nullopt;
  if (To == types::F32)
    return soft::fromInteger(isNegative(*FromInt, Bits),
                             magnitude(*FromInt, Bits));
  return ToInt ? Folded(FromInt->extended(Bits) & ToInt->mask()) : Folded();
}

bool productWraps(IntegerType T, uint64_t A, uint64_t B) {
  unsigned __int128 Product =
      static_cast<unsigned __int128>(magnitude(T, A)) * magnitude(T, B);
  if (!T.Signed)
    return Product > T.mask();
  bool Negative = isNegative(T, A) != isNegative(T, B);
  return Product > T.min() - (Negative ? 0 : 1);
}

bool sumWraps(IntegerType T, uint64_t A, uint64_t B, uint64_t Sum) {
  if (!T.Signed)
    return (Sum & T.mask()) < A;
  return ((A ^ Sum) & (B ^ Sum) & T.min()) != 0;
}

bool wraps(Op O, IntegerType T, uint64_t A, uint64_t B) {
  switch (O) {
  case Op::Add:
    return sumWraps(T, A, B, A + B);
  case Op::Sub:
    return T.Signed ? ((A ^ B) & (A ^ (A - B)) & T.min()) != 0 : A < B;
  case Op::Mul:
    return productWraps(T, A, B);
  case Op::Neg:
    return T.Signed ? A == T.min() : A != 0;
  case Op::Abs:
    return T.Signed && A == T.min();
  case Op::Div:
  case Op::Rem:
    return T.Signed && A == T.min() && B == T.mask();
  default:
    return false;
  }
}

} // namespace

std::optional<uint64_t> goldy::foldScalar(Op O, TypeId OperandType,
                                          TypeId ResultType,
                                          std::span<const uint64_t> Bits) {
  const OpInfo &Info = opInfo(O);
  if (Info.Effects != Effect::Pure || Bits.empty() ||
      Bits.size() < Info.MinOperands || Bits.size() > Info.MaxOperands)
    return std::nullopt;
  if (ResultType.index() >= types::NumScalars ||
      OperandType.index() >= types::NumScalars)
    return std::nullopt;
  switch (O) {
  case Op::Select:
    return Bits[0] ? Bits[1] : Bits[2];
  case Op::Cast:
    return foldCast(OperandType, ResultType, Bits[0]);
  case Op::Construct:
  case Op::Extract:
    return std::nullopt;
  default:
    break;
  }
  if (OperandType == types::Bool)
    return foldBool(O, Bits);
  if (OperandType == types::F32)
    return foldFloat(O, Bits);
  if (std::optional<IntegerType> T = integerType(OperandType))
    return foldInteger(O, *T, Bits);
  return std::nullopt;
}

FoldFacts goldy::foldFacts(Op O, TypeId OperandType,
                           std::span<const uint64_t> Bits) {
  FoldFacts Facts;
  std::optional<IntegerType> T = integerType(OperandType);
  if (!T || Bits.empty())
    return Facts;
  uint64_t A = Bits[0] & T->mask();
  uint64_t B = Bits.size() > 1 ? Bits[1] : 0;
  bool Divides = O == Op::Div || O == Op::Rem;
  Facts.Wrapped = wraps(O, *T, A, B & T->mask());
  Facts.DivisorZero = Divides && Bits.size() > 1 && (B & T->mask()) == 0;
  Facts.ShiftTooWide = (O == Op::Shl || O == Op::Shr) && B >= T->Width;
  return Facts;
}
