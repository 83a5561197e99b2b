//===- Semantics.cpp - What each scalar operation means
//--------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace goldy::interp {
namespace {

// --- Floats

constexpr uint32_t CanonicalNan = 0x7fc00000u;
constexpr uint32_t SignBit = 0x80000000u;

bool isNan(uint32_t Bits) { return (Bits & 0x7fffffffu) > 0x7f800000u; }

/// "Arithmetic and comparisons read subnormals as zero of the same sign."
uint32_t readSubnormalAsZero(uint32_t Bits) {
  return (Bits & 0x7f800000u) == 0 ? Bits & SignBit : Bits;
}

double operand(uint32_t Bits) {
  return static_cast<double>(std::bit_cast<float>(readSubnormalAsZero(Bits)));
}

/// Rounds to 24 bits with unbounded exponent, ties to even; what is then below
/// 2^-126 becomes zero of its sign. Any NaN becomes the canonical one.
uint32_t result(double R) {
  if (R != R)
    return CanonicalNan;
  uint64_t Bits = std::bit_cast<uint64_t>(R);
  uint32_t Sign = static_cast<uint32_t>(Bits >> 32) & SignBit;
  uint64_t Magnitude = Bits & 0x7fffffffffffffffu;
  Magnitude += 0x0fffffffu + (Magnitude >> 29 & 1);
  int Exponent = static_cast<int>(Magnitude >> 52) - 1023;
  if (Exponent < -126)
    return Sign;
  if (Exponent > 127)
    return Sign | 0x7f800000u;
  uint32_t Fraction = static_cast<uint32_t>(Magnitude >> 29) & 0x7fffffu;
  return Sign | static_cast<uint32_t>(Exponent + 127) << 23 | Fraction;
}

/// a * b + c: the product of two 24-bit numbers is exact in a double; the sum
/// is rounded to odd, so that rounding it to 24 bits afterwards is as rounding
/// the exact sum.
uint32_t fusedMultiplyAdd(uint32_t A, uint32_t B, uint32_t C) {
  double Product = operand(A) * operand(B);
  double Addend = operand(C);
  double Sum = Product + Addend;
  if (!std::isfinite(Sum))
    return result(Sum);
  double Virtual = Sum - Product;
  double Error = (Product - (Sum - Virtual)) + (Addend - Virtual);
  uint64_t Bits = std::bit_cast<uint64_t>(Sum);
  if (Error != 0 && (Bits & 1) == 0) {
    bool AwayFromZero = (Error > 0) == (Sum > 0);
    Bits += AwayFromZero ? 1 : ~uint64_t(0);
    Sum = std::bit_cast<double>(Bits);
  }
  return result(Sum);
}

/// Half away from zero.
double roundAway(double X) {
  double Whole = std::trunc(X);
  double Rounded =
      std::fabs(X - Whole) >= 0.5 ? Whole + std::copysign(1.0, X) : Whole;
  return std::copysign(Rounded, X);
}

/// Half to even.
double roundEven(double X) {
  double Low = std::floor(X);
  double Part = X - Low;
  bool Up = Part > 0.5 || (Part == 0.5 && std::fmod(Low, 2.0) != 0);
  return std::copysign(Up ? Low + 1.0 : Low, X);
}

uint64_t evaluateFloat(Op O, uint32_t A, uint32_t B, uint32_t C) {
  switch (O) {
  case Op::Add:
    return addFloats(A, B);
  case Op::Sub:
    return result(operand(A) - operand(B));
  case Op::Mul:
    return result(operand(A) * operand(B));
  case Op::Div:
  case Op::NearQuotient:
    return result(operand(A) / operand(B));
  case Op::RawInverse:
    return result(1.0f / operand(A));
  case Op::Rem:
    return result(std::fmod(operand(A), operand(B)));
  case Op::Sqrt:
    return result(std::sqrt(operand(A)));
  case Op::Fma:
    return fusedMultiplyAdd(A, B, C);
  case Op::Floor:
    return result(std::floor(operand(A)));
  case Op::Ceil:
    return result(std::ceil(operand(A)));
  case Op::Trunc:
    return result(std::trunc(operand(A)));
  case Op::Round:
    return std::isfinite(operand(A)) ? result(roundAway(operand(A)))
                                     : result(operand(A));
  case Op::RoundEven:
    return std::isfinite(operand(A)) ? result(roundEven(operand(A)))
                                     : result(operand(A));
  case Op::Neg:
    return A ^ SignBit;
  case Op::Abs:
    return A & ~SignBit;
  case Op::Copysign:
    return (A & ~SignBit) | (B & SignBit);
  case Op::Min:
    return operand(B) < operand(A) || isNan(A) ? B : A;
  case Op::Max:
    return operand(B) > operand(A) || isNan(A) ? B : A;
  case Op::Eq:
    return operand(A) == operand(B);
  case Op::Ne:
    return operand(A) != operand(B);
  case Op::Lt:
    return operand(A) < operand(B);
  case Op::Le:
    return operand(A) <= operand(B);
  case Op::Gt:
    return operand(A) > operand(B);
  case Op::Ge:
    return operand(A) >= operand(B);
  case Op::ToBits:
  case Op::NumberBits:
    return A;
  case Op::RawFloatToInt:
    return convert(TypeKind::F32, TypeKind::I32, A);
  case Op::CanonNan:
    return isNan(A) ? CanonicalNan : A;
  case Op::Flush:
    return readSubnormalAsZero(A);
  default:
    return 0;
  }
}

// --- Integers

template <class T> T divide(T A, T B) {
  if (B == 0)
    return A;
  if constexpr (std::is_signed_v<T>)
    if (B == -1) // MIN / -1 is MIN
      return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(A));
  return static_cast<T>(A / B);
}

template <class T> T remainder(T A, T B) {
  if (B == 0)
    return 0;
  if constexpr (std::is_signed_v<T>)
    if (B == -1)
      return 0;
  return static_cast<T>(A % B);
}

template <class T> T upperHalf(T A, T B) {
  using Wide =
      std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
  return static_cast<T>((static_cast<Wide>(A) * static_cast<Wide>(B)) >>
                        (8 * sizeof(T)));
}

template <class U> U reverseBits(U A) {
  U R = 0;
  for (unsigned I = 0; I < 8 * sizeof(U); ++I)
    R = static_cast<U>(R << 1 | (A >> I & 1));
  return R;
}

template <class U> U rotateLeft(U A, uint64_t Amount) {
  return std::rotl(A, static_cast<int>(Amount % (8 * sizeof(U))));
}

template <class T>
uint64_t evaluateInteger(Op O, uint64_t BitsA, uint64_t BitsB) {
  using U = std::make_unsigned_t<T>;
  constexpr uint64_t Width = 8 * sizeof(T);
  T A = static_cast<T>(BitsA), B = static_cast<T>(BitsB);
  U UA = static_cast<U>(BitsA), UB = static_cast<U>(BitsB);
  switch (O) {
  case Op::Add:
    return static_cast<U>(UA + UB);
  case Op::Sub:
    return static_cast<U>(UA - UB);
  case Op::Mul:
    return static_cast<U>(UA * UB);
  case Op::Div:
  case Op::RawDiv:
    return static_cast<U>(divide(A, B));
  case Op::Rem:
  case Op::RawRem:
    return static_cast<U>(remainder(A, B));
  case Op::Neg:
    return static_cast<U>(0 - UA);
  case Op::Abs:
    return A < 0 ? static_cast<U>(0 - UA) : UA;
  case Op::Min:
    return static_cast<U>(B < A ? B : A);
  case Op::Max:
    return static_cast<U>(B > A ? B : A);
  case Op::And:
    return UA & UB;
  case Op::Or:
    return UA | UB;
  case Op::Xor:
    return UA ^ UB;
  case Op::Not:
    return static_cast<U>(~UA);
  case Op::Shl:
  case Op::RawShl:
    return static_cast<U>(UA << (BitsB % Width));
  case Op::Shr:
  case Op::RawShr:
    return static_cast<U>(A >> (BitsB % Width));
  case Op::Eq:
    return A == B;
  case Op::Ne:
    return A != B;
  case Op::Lt:
    return A < B;
  case Op::Le:
    return A <= B;
  case Op::Gt:
    return A > B;
  case Op::Ge:
    return A >= B;
  case Op::FromBits:
    return UA;
  case Op::CountOnes:
    return static_cast<uint64_t>(std::popcount(UA));
  case Op::LeadingZeros:
    return static_cast<uint64_t>(std::countl_zero(UA));
  case Op::TrailingZeros:
    return static_cast<uint64_t>(std::countr_zero(UA));
  case Op::ReverseBits:
    return reverseBits(UA);
  case Op::RotateLeft:
    return rotateLeft(UA, BitsB);
  case Op::RotateRight:
    return rotateLeft(UA, Width - BitsB % Width);
  case Op::MulHi:
    return static_cast<U>(upperHalf(A, B));
  default:
    return 0;
  }
}

uint64_t evaluateBool(Op O, uint64_t A, uint64_t B) {
  switch (O) {
  case Op::And:
    return A & B;
  case Op::Or:
    return A | B;
  case Op::Xor:
  case Op::Ne:
    return A ^ B;
  case Op::Not:
    return A ^ 1;
  case Op::Eq:
    return A == B;
  case Op::Lt:
    return A < B;
  case Op::Le:
    return A <= B;
  case Op::Gt:
    return A > B;
  case Op::Ge:
    return A >= B;
  default:
    return 0;
  }
}

/// Float to integer saturates, NaN gives 0.
template <class T> uint64_t saturate(double X) {
  using U = std::make_unsigned_t<T>;
  constexpr T Min = std::numeric_limits<T>::min();
  constexpr T Max = std::numeric_limits<T>::max();
  if (X != X)
    return 0;
  // 2^(width) or 2^(width - 1): exact in a double, unlike Max for 64 bits.
  const double Above = std::ldexp(1.0, std::numeric_limits<T>::digits);
  if (X >= Above)
    return static_cast<U>(Max);
  if (X < static_cast<double>(Min))
    return static_cast<U>(Min);
  return static_cast<U>(static_cast<T>(X));
}

uint64_t fromFloat(TypeKind To, uint32_t Bits) {
  double X = static_cast<double>(std::bit_cast<float>(Bits));
  switch (To) {
  case TypeKind::U32:
    return saturate<uint32_t>(X);
  case TypeKind::I32:
    return saturate<int32_t>(X);
  case TypeKind::U64:
    return saturate<uint64_t>(X);
  case TypeKind::I64:
    return saturate<int64_t>(X);
  default:
    return Bits;
  }
}

int64_t signExtended(TypeKind From, uint64_t Bits) {
  return From == TypeKind::I32 ? static_cast<int32_t>(Bits)
                               : static_cast<int64_t>(Bits);
}

/// Integer to float rounds to nearest even once, from 64 bits too.
uint32_t toFloat(TypeKind From, uint64_t Bits) {
  bool Signed = From == TypeKind::I32 || From == TypeKind::I64;
  float F = Signed ? static_cast<float>(signExtended(From, Bits))
                   : static_cast<float>(Bits);
  return std::bit_cast<uint32_t>(F);
}

// --- Narrow floats, in buffers only

uint32_t fromHalf(uint32_t Half) {
  uint32_t Sign = (Half & 0x8000u) << 16;
  int Exponent = static_cast<int>(Half >> 10 & 31);
  uint32_t Fraction = Half & 0x3ffu;
  if (Exponent == 31)
    return Sign | 0x7f800000u | Fraction << 13;
  double Value = Exponent == 0 ? std::ldexp(Fraction, -24)
                               : std::ldexp(Fraction + 1024, Exponent - 25);
  return Sign | std::bit_cast<uint32_t>(static_cast<float>(Value));
}

/// Scaled so that the last place that the result can hold is 1, and rounded
/// there; subnormals are made.
uint32_t toHalf(uint32_t Bits) {
  uint32_t Sign = Bits >> 16 & 0x8000u;
  if (isNan(Bits))
    return Sign | 0x7e00u;
  double Value = std::fabs(static_cast<double>(std::bit_cast<float>(Bits)));
  if (Value >= 65520.0) // half a place above the largest
    return Sign | 0x7c00u;
  if (Value == 0)
    return Sign;
  int Exponent = 0;
  std::frexp(Value, &Exponent); // 2^(Exponent - 1) <= Value < 2^Exponent
  int LastPlace = std::max(Exponent - 11, -24);
  uint32_t Count =
      static_cast<uint32_t>(roundEven(std::ldexp(Value, -LastPlace)));
  return Sign | (static_cast<uint32_t>(LastPlace + 24) * 1024 + Count);
}

uint32_t toBfloat(uint32_t Bits) {
  if (isNan(Bits))
    return (Bits >> 16 & 0x8000u) | 0x7fc0u;
  uint32_t Kept = Bits >> 16, Rest = Bits & 0xffffu;
  bool Up = Rest > 0x8000u || (Rest == 0x8000u && (Kept & 1));
  return Kept + (Up ? 1 : 0);
}

} // namespace

uint32_t addFloats(uint32_t A, uint32_t B) {
  return result(operand(A) + operand(B));
}

uint64_t convert(TypeKind From, TypeKind To, uint64_t Bits) {
  if (From == To)
    return Bits;
  if (From == TypeKind::F32)
    return fromFloat(To, static_cast<uint32_t>(Bits));
  switch (To) {
  case TypeKind::F32:
    return toFloat(From, Bits);
  case TypeKind::U32:
  case TypeKind::I32:
    return static_cast<uint32_t>(Bits);
  case TypeKind::U64:
  case TypeKind::I64:
    return static_cast<uint64_t>(signExtended(From, Bits));
  case TypeKind::Bool:
    return Bits != 0;
  default:
    return Bits;
  }
}

uint64_t widened(TypeKind Stored, uint64_t Bits) {
  switch (Stored) {
  case TypeKind::Bool:
    return Bits != 0;
  case TypeKind::I8:
    return static_cast<uint32_t>(static_cast<int8_t>(Bits));
  case TypeKind::I16:
    return static_cast<uint32_t>(static_cast<int16_t>(Bits));
  case TypeKind::F16:
    return fromHalf(static_cast<uint32_t>(Bits));
  case TypeKind::BF16:
    return Bits << 16;
  default:
    return Bits;
  }
}

uint64_t narrowed(TypeKind Stored, uint64_t Bits) {
  switch (Stored) {
  case TypeKind::F16:
    return toHalf(static_cast<uint32_t>(Bits));
  case TypeKind::BF16:
    return toBfloat(static_cast<uint32_t>(Bits));
  default:
    return Bits; // the store keeps the low bytes
  }
}

uint64_t evaluate(Op O, TypeKind Kind, uint64_t A, uint64_t B, uint64_t C) {
  if (O == Op::Select)
    return A ? B : C;
  switch (Kind) {
  case TypeKind::F32:
    return evaluateFloat(O, static_cast<uint32_t>(A), static_cast<uint32_t>(B),
                         static_cast<uint32_t>(C));
  case TypeKind::U32:
    return evaluateInteger<uint32_t>(O, A, B);
  case TypeKind::I32:
    return evaluateInteger<int32_t>(O, A, B);
  case TypeKind::U64:
    return evaluateInteger<uint64_t>(O, A, B);
  case TypeKind::I64:
    return evaluateInteger<int64_t>(O, A, B);
  case TypeKind::Bool:
    return evaluateBool(O, A, B);
  default:
    return 0;
  }
}

const char *brokenPromise(Op O, TypeKind Kind, uint64_t A, uint64_t B) {
  bool Wide = Kind == TypeKind::U64 || Kind == TypeKind::I64;
  bool Signed = Kind == TypeKind::I32 || Kind == TypeKind::I64;
  uint64_t Ones = Wide ? ~uint64_t(0) : 0xffffffffu;
  uint64_t Min = Wide ? uint64_t(1) << 63 : uint64_t(1) << 31;
  switch (O) {
  case Op::RawDiv:
  case Op::RawRem:
    if (B == 0)
      return "a machine division by zero";
    return Signed && A == Min && B == Ones ? "a machine division of MIN by -1"
                                           : nullptr;
  case Op::RawShl:
  case Op::RawShr:
    return B >= (Wide ? 64u : 32u) ? "a machine shift by the width or more"
                                   : nullptr;
  case Op::RawFloatToInt: {
    float X = std::bit_cast<float>(static_cast<uint32_t>(A));
    bool Fits = X >= -2147483648.0f && X < 2147483648.0f;
    return Fits ? nullptr : "a machine conversion of a float out of range";
  }
  default:
    return nullptr;
  }
}

} // namespace goldy::interp
