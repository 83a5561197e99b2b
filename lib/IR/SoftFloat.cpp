//===- SoftFloat.cpp - f32 arithmetic of the language in integers
//----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SoftFloat.h"

#include <bit>

namespace goldy::soft {
namespace {

using Wide = unsigned __int128;

/// (-1)^Negative * Significand * 2^Exponent, plus something below one unit of
/// the significand if Sticky.
struct Exact {
  bool Negative = false;
  Wide Significand = 0;
  int Exponent = 0;
  bool Sticky = false;
};

bool isInfinite(uint32_t A) { return (A & ~SignBit) == Infinity; }
bool isZero(uint32_t A) { return (flush(A) & ~SignBit) == 0; }
bool isNegative(uint32_t A) { return (A & SignBit) != 0; }
uint32_t signOf(bool Negative) { return Negative ? SignBit : 0; }

/// Takes a finite number apart; subnormals are zero.
Exact unpack(uint32_t A) {
  Exact X;
  X.Negative = isNegative(A);
  int Biased = static_cast<int>(A >> 23 & 0xff);
  if (Biased != 0)
    X.Significand = (A & 0x7fffffu) | 0x800000u;
  X.Exponent = Biased - 150;
  return X;
}

int width(Wide V) {
  uint64_t High = static_cast<uint64_t>(V >> 64);
  uint64_t Low = static_cast<uint64_t>(V);
  return High ? 128 - std::countl_zero(High) : 64 - std::countl_zero(Low);
}

/// The rule: nearest even at 24 bits, exponent unbounded, then the range.
/// A sticky significand must have at least 26 bits.
uint32_t round(const Exact &X) {
  if (X.Significand == 0)
    return signOf(X.Negative);
  int Drop = width(X.Significand) - 24;
  Wide Kept = Drop > 0 ? X.Significand >> Drop : X.Significand << -Drop;
  if (Drop > 0) {
    Wide Rest = X.Significand & ((Wide(1) << Drop) - 1);
    Wide Half = Wide(1) << (Drop - 1);
    bool AboveHalf = Rest > Half || (Rest == Half && X.Sticky);
    if (AboveHalf || (Rest == Half && (Kept & 1)))
      ++Kept;
  }
  int Exponent = X.Exponent + Drop + 23;
  if (Kept >> 24 != 0) {
    Kept >>= 1;
    ++Exponent;
  }
  if (Exponent < -126)
    return signOf(X.Negative);
  if (Exponent > 127)
    return signOf(X.Negative) | Infinity;
  return signOf(X.Negative) | static_cast<uint32_t>(Exponent + 127) << 23 |
         (static_cast<uint32_t>(Kept) & 0x7fffffu);
}

/// Moves the top bit to position 100; the value stays.
Exact normalised(Exact X) {
  int Shift = 101 - width(X.Significand);
  X.Significand <<= Shift;
  X.Exponent -= Shift;
  return X;
}

/// The exact sum of two numbers of up to 48 bits. Bits of the smaller one are
/// only lost when its top bit lies more than 50 bits below the other's, so
/// that no cancellation can bring them back.
uint32_t sum(Exact X, Exact Y) {
  if (X.Significand == 0 && Y.Significand == 0)
    return signOf(X.Negative && Y.Negative);
  if (X.Significand == 0)
    return round(Y);
  if (Y.Significand == 0)
    return round(X);
  X = normalised(X);
  Y = normalised(Y);
  if (Y.Exponent > X.Exponent ||
      (Y.Exponent == X.Exponent && Y.Significand > X.Significand)) {
    Exact Larger = Y;
    Y = X;
    X = Larger;
  }
  int Shift = X.Exponent - Y.Exponent;
  bool Lost = Shift > 100 || (Y.Significand & ((Wide(1) << Shift) - 1)) != 0;
  Y.Significand = Shift > 100 ? 0 : Y.Significand >> Shift;
  Exact Result = X;
  Result.Sticky = Lost;
  if (X.Negative == Y.Negative)
    Result.Significand += Y.Significand;
  else // what was lost makes the difference smaller
    Result.Significand -= Y.Significand + (Lost ? 1 : 0);
  if (Result.Significand == 0)
    Result.Negative = false;
  return round(Result);
}

Exact product(uint32_t A, uint32_t B) {
  Exact X = unpack(A), Y = unpack(B);
  return {X.Negative != Y.Negative, X.Significand * Y.Significand,
          X.Exponent + Y.Exponent, false};
}

uint64_t squareRoot(uint64_t V, bool &Inexact) {
  uint64_t Root = 0;
  for (uint64_t Bit = uint64_t(1) << 31; Bit != 0; Bit >>= 1)
    if ((Root | Bit) * (Root | Bit) <= V)
      Root |= Bit;
  Inexact = Root * Root != V;
  return Root;
}

/// A position on the number line; both zeros are 0. Not for NaN.
int64_t position(uint32_t A) {
  int64_t Magnitude = flush(A) & ~SignBit;
  return isNegative(A) ? -Magnitude : Magnitude;
}

} // namespace

uint32_t add(uint32_t A, uint32_t B) {
  if (isNan(A) || isNan(B))
    return CanonicalNan;
  if (isInfinite(A))
    return isInfinite(B) && A != B ? CanonicalNan : A;
  if (isInfinite(B))
    return B;
  return sum(unpack(A), unpack(B));
}

uint32_t mul(uint32_t A, uint32_t B) {
  if (isNan(A) || isNan(B))
    return CanonicalNan;
  if (isInfinite(A) || isInfinite(B)) {
    if (isZero(A) || isZero(B))
      return CanonicalNan;
    return signOf(isNegative(A) != isNegative(B)) | Infinity;
  }
  return round(product(A, B));
}

uint32_t div(uint32_t A, uint32_t B) {
  uint32_t Sign = (A ^ B) & SignBit;
  if (isNan(A) || isNan(B) || (isInfinite(A) && isInfinite(B)) ||
      (isZero(A) && isZero(B)))
    return CanonicalNan;
  if (isInfinite(A) || isZero(B))
    return Sign | Infinity;
  if (isInfinite(B) || isZero(A))
    return Sign;
  Exact X = unpack(A), Y = unpack(B);
  Wide Dividend = X.Significand << 40;
  Exact Quotient;
  Quotient.Negative = Sign != 0;
  Quotient.Significand = Dividend / Y.Significand;
  Quotient.Exponent = X.Exponent - 40 - Y.Exponent;
  Quotient.Sticky = Dividend % Y.Significand != 0;
  return round(Quotient);
}

uint32_t rem(uint32_t A, uint32_t B) {
  if (isNan(A) || isNan(B) || isInfinite(A) || isZero(B))
    return CanonicalNan;
  if (isInfinite(B) || isZero(A))
    return flush(A);
  Exact X = unpack(A), Y = unpack(B);
  if (X.Exponent < Y.Exponent)
    return A;
  Wide Rest = X.Significand % Y.Significand;
  for (int I = X.Exponent; I > Y.Exponent; --I)
    Rest = (Rest << 1) % Y.Significand;
  return round({X.Negative, Rest, Y.Exponent, false});
}

uint32_t fma(uint32_t A, uint32_t B, uint32_t C) {
  bool Infinite = isInfinite(A) || isInfinite(B);
  if (isNan(A) || isNan(B) || isNan(C) ||
      (Infinite && (isZero(A) || isZero(B))))
    return CanonicalNan;
  if (Infinite)
    return add(((A ^ B) & SignBit) | Infinity, C);
  if (isInfinite(C))
    return C;
  return sum(product(A, B), unpack(C));
}

uint32_t sqrt(uint32_t A) {
  if (isZero(A))
    return flush(A);
  if (isNan(A) || isNegative(A))
    return CanonicalNan;
  if (isInfinite(A))
    return A;
  Exact X = unpack(A);
  // An even exponent, and at least 60 bits under the root for 30 of it.
  int Shift = X.Exponent % 2 == 0 ? 38 : 37;
  uint64_t Radicand = static_cast<uint64_t>(X.Significand) << Shift;
  Exact Root;
  Root.Significand = squareRoot(Radicand, Root.Sticky);
  Root.Exponent = (X.Exponent - Shift) / 2;
  return round(Root);
}

uint32_t toWhole(uint32_t A, Rounding R) {
  if (isNan(A))
    return CanonicalNan;
  A = flush(A);
  int Biased = static_cast<int>(A >> 23 & 0xff);
  if (Biased >= 150 || isZero(A)) // whole already, or infinite
    return A;
  Exact X = unpack(A);
  int Drop = 150 - Biased; // bits behind the point, more than 24 for |A| < 1/2
  uint64_t Significand = static_cast<uint64_t>(X.Significand);
  uint64_t Whole = Drop > 24 ? 0 : Significand >> Drop;
  uint64_t Rest = Drop > 24 ? 1 : Significand & ((uint64_t(1) << Drop) - 1);
  uint64_t Half = Drop > 24 ? 2 : uint64_t(1) << (Drop - 1);
  bool Away = false;
  switch (R) {
  case Rounding::Down:
    Away = X.Negative && Rest != 0;
    break;
  case Rounding::Up:
    Away = !X.Negative && Rest != 0;
    break;
  case Rounding::ToZero:
    break;
  case Rounding::HalfAway:
    Away = Rest >= Half;
    break;
  case Rounding::HalfEven:
    Away = Rest > Half || (Rest == Half && (Whole & 1));
    break;
  }
  return round({X.Negative, Whole + (Away ? 1 : 0), 0, false});
}

bool equal(uint32_t A, uint32_t B) {
  return !isNan(A) && !isNan(B) && position(A) == position(B);
}

bool less(uint32_t A, uint32_t B) {
  return !isNan(A) && !isNan(B) && position(A) < position(B);
}

uint32_t fromInteger(bool Negative, uint64_t Magnitude) {
  return round({Negative && Magnitude != 0, Magnitude, 0, false});
}

uint64_t wholePart(uint32_t A) {
  if (isNan(A))
    return 0;
  int Biased = static_cast<int>(A >> 23 & 0xff);
  if (Biased >= 150 + 41) // 2^64 and more
    return ~uint64_t(0);
  uint64_t Significand = static_cast<uint64_t>(unpack(A).Significand);
  if (Biased >= 150)
    return Significand << (Biased - 150);
  return Biased < 127 ? 0 : Significand >> (150 - Biased);
}

} // namespace goldy::soft
