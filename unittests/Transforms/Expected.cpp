//===- Expected.cpp - The language's arithmetic for tests -------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written from the language's definition with the host's IEEE arithmetic
// (which keeps subnormals), not from the compiler's folder.
//
//===----------------------------------------------------------------------===//
#include "DeviceModel.h"

#include <bit>
#include <cmath>
#include <cstring>

using namespace goldy;

namespace goldy::test {

uint32_t bitsOf(float X) { return std::bit_cast<uint32_t>(X); }
float ofBits(uint32_t X) { return std::bit_cast<float>(X); }
uint32_t flushBits(uint32_t X) {
  return (X & 0x7f800000u) == 0 ? X & 0x80000000u : X;
}
uint32_t canonBits(uint32_t X) {
  return (X & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : X;
}

uint32_t roundByRule(long double Exact) {
  uint32_t Sign = Exact < 0 ? 0x80000000u : 0;
  int Exponent;
  long double Part = std::frexp(std::fabs(Exact), &Exponent); // [0.5, 1)
  long double Scaled = Part * 0x1p24L;
  long double Whole = std::nearbyint(Scaled); // ties to even
  if (Whole == 0x1p24L) {
    Whole = 0x1p23L;
    ++Exponent;
  }
  int Field = Exponent + 126;
  if (Field < 1)
    return Sign;
  if (Field > 254)
    return Sign | 0x7f800000u;
  return Sign | (static_cast<uint32_t>(Field) << 23) |
         (static_cast<uint32_t>(Whole) & 0x007fffffu);
}

namespace {

uint32_t arithmeticResult(float Rounded) {
  return flushBits(canonBits(bitsOf(Rounded)));
}

/// The product has 48 bits: exact in the 64 of long double.
uint32_t product(float A, float B) {
  float R = A * B;
  if (!std::isfinite(A) || !std::isfinite(B) || A == 0 || B == 0)
    return canonBits(bitsOf(R));
  return roundByRule(static_cast<long double>(A) * B);
}

/// Quotients never come near a boundary of the 64-bit one.
uint32_t quotient(float A, float B) {
  float R = A / B;
  if (!std::isfinite(A) || !std::isfinite(B) || A == 0 || B == 0)
    return canonBits(bitsOf(R));
  int EA, EB;
  float MA = std::frexp(A, &EA), MB = std::frexp(B, &EB);
  return roundByRule(std::ldexp(static_cast<long double>(MA / MB), EA - EB));
}

/// The IEEE result is right but for magnitudes up to 2^-126; there both terms
/// are small enough for an exact sum.
uint32_t fused(float A, float B, float C) {
  float R = std::fma(A, B, C);
  if (std::isnan(R))
    return 0x7fc00000u;
  if (std::fabs(R) > 0x1p-126f || R == 0)
    return bitsOf(R);
  long double Exact = static_cast<long double>(A) * B + C;
  return Exact == 0 ? bitsOf(R) : roundByRule(Exact);
}

uint32_t floatBinary(Op O, uint32_t X, uint32_t Y) {
  float A = ofBits(flushBits(X)), B = ofBits(flushBits(Y));
  switch (O) {
  case Op::Add:
    return arithmeticResult(A + B);
  case Op::Sub:
    return arithmeticResult(A - B);
  case Op::Mul:
    return product(A, B);
  case Op::Div:
  case Op::NearQuotient:
    return quotient(A, B);
  case Op::Rem:
    return arithmeticResult(std::fmod(A, B));
  case Op::Min:
    return B < A || std::isnan(A) ? Y : X;
  case Op::Max:
    return B > A || std::isnan(A) ? Y : X;
  default: // Copysign
    return (X & 0x7fffffffu) | (Y & 0x80000000u);
  }
}

uint32_t floatUnary(Op O, uint32_t X) {
  float A = ofBits(flushBits(X));
  switch (O) {
  case Op::Neg:
    return X ^ 0x80000000u;
  case Op::Abs:
    return X & 0x7fffffffu;
  case Op::Sqrt:
    return arithmeticResult(std::sqrt(A));
  case Op::Floor:
    return arithmeticResult(std::floor(A));
  case Op::Ceil:
    return arithmeticResult(std::ceil(A));
  case Op::Trunc:
    return arithmeticResult(std::trunc(A));
  case Op::Round:
    return arithmeticResult(std::round(A));
  default: // RoundEven
    return arithmeticResult(std::nearbyint(A));
  }
}

template <class T> uint32_t compared(Op O, T A, T B) {
  switch (O) {
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
  default:
    return A >= B;
  }
}

uint32_t saturated(double X, double Low, double High) {
  if (std::isnan(X))
    return 0;
  double Whole = std::trunc(X);
  Whole = Whole < Low ? Low : Whole > High ? High : Whole;
  return static_cast<uint32_t>(static_cast<int64_t>(Whole));
}

uint32_t converted(TypeId From, TypeId To, uint32_t X) {
  if (From == types::F32 && To == types::I32)
    return saturated(ofBits(X), -2147483648.0, 2147483647.0);
  if (From == types::F32 && To == types::U32)
    return saturated(ofBits(X), 0.0, 4294967295.0);
  if (From == types::I32 && To == types::F32)
    return bitsOf(static_cast<float>(static_cast<int32_t>(X)));
  if (From == types::U32 && To == types::F32)
    return bitsOf(static_cast<float>(X));
  return X;
}

uint32_t divided(bool Signed, bool Quotient, uint32_t X, uint32_t Y) {
  if (Y == 0)
    return Quotient ? X : 0;
  if (!Signed)
    return Quotient ? X / Y : X % Y;
  int64_t A = static_cast<int32_t>(X), B = static_cast<int32_t>(Y);
  return static_cast<uint32_t>(Quotient ? A / B : A % B);
}

uint32_t integerMany(Op O, bool Signed, const std::vector<uint32_t> &A) {
  uint32_t X = A[0], Y = A.size() > 1 ? A[1] : 0;
  int32_t SX = static_cast<int32_t>(X), SY = static_cast<int32_t>(Y);
  switch (O) {
  case Op::Add:
    return X + Y;
  case Op::Sub:
    return X - Y;
  case Op::Mul:
    return X * Y;
  case Op::Div:
    return divided(Signed, true, X, Y);
  case Op::Rem:
    return divided(Signed, false, X, Y);
  case Op::Neg:
    return 0 - X;
  case Op::Abs:
    return SX < 0 ? 0 - X : X;
  case Op::Min:
    return Signed ? (SY < SX ? Y : X) : (Y < X ? Y : X);
  case Op::Max:
    return Signed ? (SY > SX ? Y : X) : (Y > X ? Y : X);
  case Op::And:
    return X & Y;
  case Op::Or:
    return X | Y;
  case Op::Xor:
    return X ^ Y;
  case Op::Shl:
    return X << (Y & 31);
  case Op::Shr:
    return Signed ? static_cast<uint32_t>(SX >> (Y & 31)) : X >> (Y & 31);
  case Op::RotateLeft:
    return std::rotl(X, static_cast<int>(Y & 31));
  case Op::RotateRight:
    return std::rotr(X, static_cast<int>(Y & 31));
  case Op::CountOnes:
    return static_cast<uint32_t>(std::popcount(X));
  case Op::LeadingZeros:
    return static_cast<uint32_t>(std::countl_zero(X));
  case Op::TrailingZeros:
    return static_cast<uint32_t>(std::countr_zero(X));
  case Op::ReverseBits:
    return __builtin_bitreverse32(X);
  default: // MulHi
    return Signed ? static_cast<uint32_t>((int64_t(SX) * SY) >> 32)
                  : static_cast<uint32_t>((uint64_t(X) * Y) >> 32);
  }
}

} // namespace

uint32_t expected(Op O, TypeId T, TypeId Result,
                  const std::vector<uint32_t> &A) {
  if (O == Op::Cast)
    return converted(T, Result, A[0]);
  if (O == Op::Not)
    return T == types::Bool ? !A[0] : ~A[0];
  if (O >= Op::Eq && O <= Op::Ge) {
    if (T == types::F32)
      return compared(O, ofBits(flushBits(A[0])), ofBits(flushBits(A[1])));
    return T == types::I32 ? compared(O, static_cast<int32_t>(A[0]),
                                      static_cast<int32_t>(A[1]))
                           : compared(O, A[0], A[1]);
  }
  if (Result != types::F32)
    return integerMany(O, T == types::I32, A);
  if (O == Op::Fma)
    return fused(ofBits(flushBits(A[0])), ofBits(flushBits(A[1])),
                 ofBits(flushBits(A[2])));
  return A.size() == 1 ? floatUnary(O, A[0]) : floatBinary(O, A[0], A[1]);
}

} // namespace goldy::test
