//===- Twins.cpp - What exact operations should give ---===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A finite value is Mantissa * 2^Exponent. Sums are taken in 128 bits; where
// the operands are too far apart for that, the smaller one is a unit far below
// the last place, which rounds alike.
//
//===----------------------------------------------------------------------===//
#include "Twins.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace goldy::sweep {
namespace {

using Wide = unsigned __int128;

constexpr uint32_t SignBit = 0x80000000u, Infinity = 0x7f800000u;
constexpr uint32_t CanonicalNan = 0x7fc00000u, One = 0x3f800000u;

struct Number {
  bool Negative = false;
  Wide Mantissa = 0;
  int Exponent = 0;
};

uint32_t size(uint32_t X) { return X & ~SignBit; }
uint32_t sign(uint32_t X) { return X & SignBit; }
bool isNan(uint32_t X) { return size(X) > Infinity; }
bool isInf(uint32_t X) { return size(X) == Infinity; }
/// A subnormal reads as zero.
bool isZero(uint32_t X) { return size(X) < 0x00800000u; }
uint32_t read(uint32_t X) { return isZero(X) ? sign(X) : X; }

/// Of a finite value.
Number number(uint32_t X) {
  Number N;
  N.Negative = sign(X) != 0;
  if (isZero(X))
    return N;
  N.Mantissa = (X & 0x007fffffu) | 0x00800000u;
  N.Exponent = static_cast<int>(size(X) >> 23) - 150;
  return N;
}

int width(Wide M) {
  uint64_t High = static_cast<uint64_t>(M >> 64);
  return High ? 128 - std::countl_zero(High)
              : 64 - std::countl_zero(static_cast<uint64_t>(M));
}

/// `Mantissa >> By`, to nearest, half to even; more than all bits give zero.
Wide roundedShift(Wide Mantissa, int By) {
  if (By <= 0)
    return Mantissa << -By;
  if (By > 126)
    return 0;
  Wide Kept = Mantissa >> By, Rest = Mantissa - (Kept << By);
  Wide Half = static_cast<Wide>(1) << (By - 1);
  return Kept + (Rest > Half || (Rest == Half && (Kept & 1)));
}

/// Rounds to a format of `Bits` significant bits by the language's rule.
uint32_t rounded(const Number &N) {
  uint32_t Sign = N.Negative ? SignBit : 0;
  if (N.Mantissa == 0)
    return Sign;
  int Drop = width(N.Mantissa) - 24;
  Wide M = roundedShift(N.Mantissa, Drop);
  int Exponent = N.Exponent + Drop;
  if (M >> 24) {
    M >>= 1;
    ++Exponent;
  }
  int Field = Exponent + 150;
  if (Field < 1)
    return Sign;
  if (Field > 254)
    return Sign | Infinity;
  return Sign | static_cast<uint32_t>(Field) << 23 |
         (static_cast<uint32_t>(M) & 0x007fffffu);
}

/// The exact sum; a zero of different signs is positive.
Number sum(Number A, Number B) {
  if (A.Mantissa == 0 && B.Mantissa == 0)
    return {A.Negative && B.Negative, 0, 0};
  if (A.Mantissa == 0)
    return B;
  if (B.Mantissa == 0)
    return A;
  if (A.Exponent < B.Exponent)
    std::swap(A, B);
  constexpr int Most = 75; // 48 bits of a product and these fit
  int Apart = A.Exponent - B.Exponent;
  if (Apart > Most) {
    B.Mantissa = 1;
    B.Exponent = A.Exponent - Most;
    Apart = Most;
  }
  A.Mantissa <<= Apart;
  A.Exponent = B.Exponent;
  if (A.Negative == B.Negative)
    return {A.Negative, A.Mantissa + B.Mantissa, A.Exponent};
  if (A.Mantissa == B.Mantissa)
    return {false, 0, 0};
  bool Less = A.Mantissa < B.Mantissa;
  return {Less ? B.Negative : A.Negative,
          Less ? B.Mantissa - A.Mantissa : A.Mantissa - B.Mantissa, A.Exponent};
}

Number product(const Number &A, const Number &B) {
  return {A.Negative != B.Negative, A.Mantissa * B.Mantissa,
          A.Exponent + B.Exponent};
}

uint32_t add(uint32_t X, uint32_t Y) {
  if (isNan(X) || isNan(Y) || (isInf(X) && isInf(Y) && X != Y))
    return CanonicalNan;
  if (isInf(X) || isInf(Y))
    return isInf(X) ? X : Y;
  return rounded(sum(number(X), number(Y)));
}

uint32_t multiply(uint32_t X, uint32_t Y) {
  uint32_t Sign = sign(X ^ Y);
  if (isNan(X) || isNan(Y))
    return CanonicalNan;
  if (isInf(X) || isInf(Y))
    return isZero(X) || isZero(Y) ? CanonicalNan : Sign | Infinity;
  return rounded(product(number(X), number(Y)));
}

bool less(uint32_t X, uint32_t Y) {
  if (isNan(X) || isNan(Y))
    return false;
  auto Order = [](uint32_t V) {
    int64_t Size = size(read(V));
    return sign(V) ? -Size : Size;
  };
  return Order(X) < Order(Y);
}
bool equal(uint32_t X, uint32_t Y) {
  return !isNan(X) && !isNan(Y) && !less(X, Y) && !less(Y, X);
}

uint32_t minimum(uint32_t X, uint32_t Y) {
  return less(Y, X) || isNan(X) ? Y : X;
}
uint32_t maximum(uint32_t X, uint32_t Y) {
  return less(X, Y) || isNan(X) ? Y : X;
}

enum class Towards { Zero, Down, Up, Away, Even };

/// The whole part of `M * 2^-By`, 1 <= By, and how its rest rounds.
uint32_t whole(uint64_t M, int By, Towards How, bool Negative) {
  uint64_t Kept = By > 40 ? 0 : M >> By;
  uint64_t Rest = By > 40 ? M : M - (Kept << By);
  uint64_t Half = By > 40 ? ~0ull : 1ull << (By - 1);
  bool Up =
      (How == Towards::Down && Negative && Rest) ||
      (How == Towards::Up && !Negative && Rest) ||
      (How == Towards::Away && Rest >= Half) ||
      (How == Towards::Even && (Rest > Half || (Rest == Half && (Kept & 1))));
  return static_cast<uint32_t>(Kept + Up);
}

uint32_t integral(uint32_t X, Towards How) {
  if (isNan(X))
    return CanonicalNan;
  if (isInf(X) || isZero(X))
    return read(X);
  Number N = number(X);
  if (N.Exponent >= 0)
    return X;
  N.Mantissa =
      whole(static_cast<uint64_t>(N.Mantissa), -N.Exponent, How, N.Negative);
  N.Exponent = 0;
  return rounded(N);
}

/// Towards zero, to an integer in [Least, Most]; NaN gives 0.
__int128 saturated(uint32_t X, __int128 Least, __int128 Most) {
  if (isNan(X))
    return 0;
  if (isInf(X))
    return sign(X) ? Least : Most;
  Number N = number(X);
  __int128 Size =
      N.Exponent > 70    ? static_cast<__int128>(1) << 100
      : N.Exponent >= 0  ? static_cast<__int128>(N.Mantissa) << N.Exponent
      : N.Exponent < -30 ? 0
                         : static_cast<__int128>(N.Mantissa >> -N.Exponent);
  return std::clamp(N.Negative ? -Size : Size, Least, Most);
}

/// A float of `Fraction` bits and exponents with `Bias` from an f32 whose
/// subnormals count; its own subnormals are made.
uint32_t narrowed(uint32_t X, int Fraction, int Bias, uint32_t Nan) {
  uint32_t Sign = sign(X) >> 16;
  if (isNan(X))
    return Sign | Nan;
  uint32_t Top = static_cast<uint32_t>(2 * Bias + 1) << Fraction;
  if (isInf(X))
    return Sign | Top;
  bool Subnormal = size(X) < 0x00800000u;
  Wide M = Subnormal ? size(X) : (X & 0x007fffffu) | 0x00800000u;
  int Exponent = Subnormal ? -149 : static_cast<int>(size(X) >> 23) - 150;
  if (M == 0)
    return Sign;
  int Least = 1 - Bias - Fraction; // exponent of the last place of the smallest
  int Drop = std::max(width(M) - Fraction - 1, Least - Exponent);
  uint32_t Kept = static_cast<uint32_t>(roundedShift(M, Drop));
  uint32_t Field = static_cast<uint32_t>(Exponent + Drop - Least);
  // A carry out of the fraction moves into the exponent by itself.
  uint32_t Hidden = 1u << Fraction;
  uint32_t Bits =
      Kept < Hidden ? Kept : ((Field + 1) << Fraction) + (Kept - Hidden);
  return Sign | std::min(Bits, Top);
}

uint32_t widened(uint32_t H, int Fraction, int Bias) {
  uint32_t Sign = (H & 0x8000u) << 16;
  uint32_t Body = H & 0x7fffu, Top = static_cast<uint32_t>(2 * Bias + 1);
  uint32_t Field = Body >> Fraction, Part = Body & ((1u << Fraction) - 1);
  if (Field == Top)
    return Sign | Infinity | Part << (23 - Fraction);
  if (Bias == 127)
    return Sign | Body << 16;
  Number N{Sign != 0, Part | (Field ? 1u << Fraction : 0),
           static_cast<int>(std::max(Field, 1u)) - Bias - Fraction};
  return rounded(N);
}

uint32_t fromInteger(bool Negative, uint64_t Size) {
  return rounded({Size != 0 && Negative, Size, 0});
}

} // namespace

uint64_t twinAdd(Operands O) { return add(O.X, O.Y); }
uint64_t twinSub(Operands O) {
  return isNan(O.Y) ? CanonicalNan : add(O.X, O.Y ^ SignBit);
}
uint64_t twinMul(Operands O) { return multiply(O.X, O.Y); }
uint64_t twinMulAdd(Operands O) { return add(multiply(O.X, O.Y), O.Z); }

uint64_t twinDiv(Operands O) {
  uint32_t X = O.X, Y = O.Y, Sign = sign(X ^ Y);
  bool Zeros = isZero(X) && isZero(Y), Infs = isInf(X) && isInf(Y);
  if (isNan(X) || isNan(Y) || Zeros || Infs)
    return CanonicalNan;
  if (isInf(X) || isZero(Y))
    return Sign | Infinity;
  if (isZero(X) || isInf(Y))
    return Sign;
  Number A = number(X), B = number(Y);
  Wide Dividend = A.Mantissa << 60;
  Wide Quotient = Dividend / B.Mantissa;
  bool Inexact = Quotient * B.Mantissa != Dividend;
  return rounded(
      {Sign != 0, Quotient << 1 | Inexact, A.Exponent - B.Exponent - 61});
}

uint64_t twinSqrt(Operands O) {
  uint32_t X = O.X;
  if (isZero(X))
    return sign(X);
  if (isNan(X) || sign(X))
    return CanonicalNan;
  if (isInf(X))
    return X;
  Number N = number(X);
  int Odd = N.Exponent & 1;
  Wide Square = N.Mantissa << (60 + Odd), Root = 0;
  for (int Bit = 45; Bit >= 0; --Bit) {
    Wide Next = Root | static_cast<Wide>(1) << Bit;
    if (Next * Next <= Square)
      Root = Next;
  }
  return rounded({false, Root << 1 | (Root * Root != Square),
                  (N.Exponent - Odd - 60) / 2 - 1});
}

uint64_t twinFma(Operands O) {
  uint32_t X = O.X, Y = O.Y, Z = O.Z;
  if (isNan(X) || isNan(Y) || isNan(Z))
    return CanonicalNan;
  if (isInf(X) || isInf(Y)) {
    uint32_t Product = multiply(X, Y);
    return isNan(Product) ? CanonicalNan : add(Product, Z);
  }
  if (isInf(Z))
    return Z;
  return rounded(sum(product(number(X), number(Y)), number(Z)));
}

uint64_t twinRem(Operands O) {
  uint32_t X = read(O.X), Y = read(O.Y);
  if (isNan(X) || isNan(Y) || isInf(X) || isZero(Y))
    return CanonicalNan;
  double Rest = std::fmod(std::bit_cast<float>(size(X)),
                          static_cast<double>(std::bit_cast<float>(size(Y))));
  if (Rest < 0x1p-126)
    return sign(X);
  return sign(X) | std::bit_cast<uint32_t>(static_cast<float>(Rest));
}

uint64_t twinMin(Operands O) { return minimum(O.X, O.Y); }
uint64_t twinMax(Operands O) { return maximum(O.X, O.Y); }
uint64_t twinClamp(Operands O) { return minimum(maximum(O.X, O.Y), O.Z); }
uint64_t twinNeg(Operands O) { return O.X ^ SignBit; }
uint64_t twinAbs(Operands O) { return size(O.X); }
uint64_t twinCopysign(Operands O) { return size(O.X) | sign(O.Y); }
uint64_t twinSign(Operands O) {
  return isNan(O.X) ? CanonicalNan : isZero(O.X) ? sign(O.X) : sign(O.X) | One;
}
uint64_t twinFloor(Operands O) { return integral(O.X, Towards::Down); }
uint64_t twinCeil(Operands O) { return integral(O.X, Towards::Up); }
uint64_t twinTrunc(Operands O) { return integral(O.X, Towards::Zero); }
uint64_t twinRound(Operands O) { return integral(O.X, Towards::Away); }
uint64_t twinRoundEven(Operands O) { return integral(O.X, Towards::Even); }
uint64_t twinFract(Operands O) {
  return isNan(O.X) ? CanonicalNan
                    : add(O.X, integral(O.X, Towards::Zero) ^ SignBit);
}
uint64_t twinCompare(Operands O) {
  bool Less = less(O.X, O.Y), More = less(O.Y, O.X), Same = equal(O.X, O.Y);
  return Less | (Less || Same) << 1 | More << 2 | (More || Same) << 3 |
         Same << 4 | !Same << 5;
}

uint64_t twinToU32(Operands O) {
  return static_cast<uint64_t>(saturated(O.X, 0, UINT32_MAX));
}
uint64_t twinToI32(Operands O) {
  return static_cast<uint32_t>(saturated(O.X, INT32_MIN, INT32_MAX));
}
uint64_t twinToU64(Operands O) {
  return static_cast<uint64_t>(saturated(O.X, 0, UINT64_MAX));
}
uint64_t twinToI64(Operands O) {
  return static_cast<uint64_t>(saturated(O.X, INT64_MIN, INT64_MAX));
}
uint64_t twinToF16(Operands O) { return narrowed(O.X, 10, 15, 0x7e00); }
uint64_t twinToBF16(Operands O) { return narrowed(O.X, 7, 127, 0x7fc0); }
uint64_t twinFromU32(Operands O) { return fromInteger(false, O.X); }
uint64_t twinFromI32(Operands O) {
  int64_t V = static_cast<int32_t>(O.X);
  return fromInteger(V < 0, static_cast<uint64_t>(V < 0 ? -V : V));
}
uint64_t twinFromU64(Operands O) { return fromInteger(false, O.wide()); }
uint64_t twinFromI64(Operands O) {
  uint64_t V = O.wide();
  bool Negative = V >> 63;
  return fromInteger(Negative, Negative ? 0 - V : V);
}
uint64_t twinFromF16(Operands O) { return widened(O.X & 0xffffu, 10, 15); }
uint64_t twinFromBF16(Operands O) { return widened(O.X & 0xffffu, 7, 127); }

} // namespace goldy::sweep
