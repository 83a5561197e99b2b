//===- FloatRange.cpp - Operations on intervals of floats -----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An end below 2^-126, or at it, may be what the language rounds to 2^-126 or
// to zero, so it counts as both: `numbers` moves it outwards.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Analysis/FloatRanges.h"

#include <bit>
#include <cmath>
#include <limits>

using namespace goldy;

namespace {

constexpr float Infinity = std::numeric_limits<float>::infinity();
constexpr float Least = 0x1p-126f; ///< normal number
constexpr uint32_t SignBit = 0x80000000u, InfinityBits = 0x7f800000u;

/// No numbers.
FloatRange onlyNan() {
  FloatRange R;
  R.MayNan = true;
  return R;
}

FloatRange withNan(FloatRange R, bool MayNan) {
  R.MayNan |= MayNan;
  return R;
}

FloatRange allNumbers() { return FloatRange::numbers(-Infinity, Infinity); }

float bitsToFloat(uint32_t Bits) { return std::bit_cast<float>(Bits); }

struct Ends {
  double Lo, Hi;
};

/// Of the exact products; an infinity times zero comes beside zero.
Ends productEnds(const FloatRange &X, const FloatRange &Y) {
  double P[] = {double(X.Lo) * Y.Lo, double(X.Lo) * Y.Hi, double(X.Hi) * Y.Lo,
                double(X.Hi) * Y.Hi};
  for (double &Product : P)
    if (std::isnan(Product))
      Product = 0;
  return {*std::min_element(P, P + 4), *std::max_element(P, P + 4)};
}

bool productMayBeNan(const FloatRange &X, const FloatRange &Y) {
  return (X.mayBeZero() && Y.mayBeInfinite()) ||
         (Y.mayBeZero() && X.mayBeInfinite());
}

FloatRange sum(const FloatRange &X, const FloatRange &Y) {
  bool Opposite = (X.Hi == Infinity && Y.Lo == -Infinity) ||
                  (X.Lo == -Infinity && Y.Hi == Infinity);
  float Lo = X.Lo + Y.Lo, Hi = X.Hi + Y.Hi;
  if (std::isnan(Lo) || std::isnan(Hi))
    return withNan(allNumbers(), true);
  return withNan(FloatRange::numbers(Lo, Hi), Opposite);
}

FloatRange negated(FloatRange X) {
  float Lo = X.Lo;
  X.Lo = -X.Hi;
  X.Hi = -Lo;
  return X;
}

FloatRange product(const FloatRange &X, const FloatRange &Y) {
  // Two factors of 24 bits: the product is exact, and rounded once.
  Ends P = productEnds(X, Y);
  return withNan(
      FloatRange::numbers(static_cast<float>(P.Lo), static_cast<float>(P.Hi)),
      productMayBeNan(X, Y));
}

FloatRange quotient(const FloatRange &X, const FloatRange &Y) {
  if (Y.mayBeZero())
    return withNan(allNumbers(), true);
  if (X.mayBeInfinite() && Y.mayBeInfinite())
    return withNan(allNumbers(), true);
  float Q[] = {X.Lo / Y.Lo, X.Lo / Y.Hi, X.Hi / Y.Lo, X.Hi / Y.Hi};
  return FloatRange::numbers(*std::min_element(Q, Q + 4),
                             *std::max_element(Q, Q + 4));
}

/// No larger than the dividend, and of its sign.
FloatRange remainder(const FloatRange &X) {
  return withNan(
      FloatRange::numbers(std::min(X.Lo, 0.0f), std::max(X.Hi, 0.0f)), true);
}

FloatRange absolute(FloatRange X) {
  if (!X.hasNumbers() || X.Lo >= 0)
    return X;
  if (X.Hi <= 0)
    return negated(X);
  X.Hi = std::max(-X.Lo, X.Hi);
  X.Lo = 0;
  return X;
}

FloatRange withAnySign(FloatRange X) {
  X = absolute(X);
  if (X.hasNumbers())
    X.Lo = -X.Hi;
  return X;
}

FloatRange squareRoot(const FloatRange &X) {
  FloatRange R = X.Hi < 0 ? FloatRange()
                          : FloatRange::numbers(std::sqrt(std::max(X.Lo, 0.0f)),
                                                std::sqrt(X.Hi));
  return withNan(R, X.Lo < 0);
}

template <class Fn> FloatRange monotonic(const FloatRange &X, const Fn &Round) {
  return FloatRange::numbers(Round(X.Lo), Round(X.Hi));
}

FloatRange rounded(Op O, const FloatRange &X) {
  switch (O) {
  case Op::Sqrt:
    return squareRoot(X);
  case Op::Floor:
    return monotonic(X, [](float V) { return std::floor(V); });
  case Op::Ceil:
    return monotonic(X, [](float V) { return std::ceil(V); });
  case Op::Trunc:
    return monotonic(X, [](float V) { return std::trunc(V); });
  case Op::Round:
    return monotonic(X, [](float V) { return std::round(V); });
  case Op::RoundEven: // goldyc never leaves rounding to nearest even
    return monotonic(X, [](float V) { return std::nearbyint(V); });
  default:
    return FloatRange::any();
  }
}

FloatRange arithmetic(Op O, const FloatRange &X, const FloatRange &Y) {
  switch (O) {
  case Op::Add:
    return sum(X, Y);
  case Op::Sub:
    return sum(X, negated(Y));
  case Op::Mul:
    return product(X, Y);
  case Op::Div:
    return quotient(X, Y);
  case Op::Rem:
    return remainder(X);
  default:
    return FloatRange::any();
  }
}

/// `b` if `b < a` or `a` is NaN, else `a`; `>` for the maximum.
FloatRange lesser(Op O, const FloatRange &A, const FloatRange &B) {
  FloatRange R;
  if (A.hasNumbers() && B.hasNumbers()) {
    R = O == Op::Min
            ? FloatRange::numbers(std::min(A.Lo, B.Lo), std::min(A.Hi, B.Hi))
            : FloatRange::numbers(std::max(A.Lo, B.Lo), std::max(A.Hi, B.Hi));
    // What is read as zero is one there, and keeps its bits.
    R.MaySubnormal = R.mayBeZero() && (A.MaySubnormal || B.MaySubnormal);
    if (R.MaySubnormal)
      R = hullOf(R, FloatRange::numbers(std::max(-Least, std::min(A.Lo, B.Lo)),
                                        std::min(Least, std::max(A.Hi, B.Hi)),
                                        true));
  }
  if (A.MayNan)
    R = hullOf(R, B);
  if (B.MayNan)
    R = hullOf(R, A);
  R.MayNan = A.MayNan && B.MayNan;
  return R;
}

} // namespace

// --- FloatRange

FloatRange FloatRange::any() {
  FloatRange R = withNan(allNumbers(), true);
  R.MaySubnormal = true;
  return R;
}

FloatRange FloatRange::numbers(float Lo, float Hi, bool MaySubnormal) {
  FloatRange R;
  R.Lo = Lo > 0 && Lo <= Least ? 0 : Lo < 0 && Lo >= -Least ? -Least : Lo;
  R.Hi = Hi > 0 && Hi <= Least ? Least : Hi < 0 && Hi >= -Least ? 0 : Hi;
  R.MaySubnormal = MaySubnormal;
  return R;
}

FloatRange FloatRange::ofBits(uint32_t Bits) {
  if ((Bits & ~SignBit) > InfinityBits)
    return onlyNan();
  uint32_t Size = Bits & ~SignBit;
  float X = bitsToFloat(Bits);
  return numbers(X, X, Size != 0 && Size < 0x00800000u);
}

bool FloatRange::mayBeTiny() const {
  return hasNumbers() && Lo < Least && Hi > -Least;
}

bool FloatRange::mayBeInfinite() const {
  return Lo == -Infinity || Hi == Infinity;
}

bool FloatRange::contains(uint32_t Bits) const {
  FloatRange One = ofBits(Bits);
  if (One.MayNan)
    return MayNan;
  float X = bitsToFloat(Bits);
  return X >= Lo && X <= Hi && (MaySubnormal || !One.MaySubnormal);
}

FloatRange goldy::hullOf(const FloatRange &A, const FloatRange &B) {
  FloatRange R = A.hasNumbers() ? A : B;
  if (A.hasNumbers() && B.hasNumbers()) {
    R.Lo = std::min(A.Lo, B.Lo);
    R.Hi = std::max(A.Hi, B.Hi);
  }
  R.MayNan = A.MayNan || B.MayNan;
  R.MaySubnormal = A.MaySubnormal || B.MaySubnormal;
  return R;
}

// --- Operations

FloatRange goldy::unaryRange(Op O, const FloatRange &X) {
  switch (O) {
  case Op::Neg:
    return negated(X);
  case Op::Abs:
    return absolute(X);
  case Op::CanonNan:
    return X;
  case Op::Flush: {
    FloatRange R = X;
    R.MaySubnormal = false;
    return R;
  }
  default:
    return X.hasNumbers() ? withNan(rounded(O, X), X.MayNan) : onlyNan();
  }
}

FloatRange goldy::binaryRange(Op O, const FloatRange &X, const FloatRange &Y) {
  if (O == Op::Min || O == Op::Max)
    return lesser(O, X, Y);
  if (O == Op::Copysign)
    return withAnySign(X);
  if (!X.hasNumbers() || !Y.hasNumbers())
    return onlyNan();
  return withNan(arithmetic(O, X, Y), X.MayNan || Y.MayNan);
}

FloatRange goldy::squareRange(const FloatRange &X) {
  if (!X.hasNumbers())
    return onlyNan();
  FloatRange Size = absolute(X);
  return withNan(FloatRange::numbers(Size.Lo * Size.Lo, Size.Hi * Size.Hi),
                 X.MayNan);
}

FloatRange goldy::fmaRange(const FloatRange &A, const FloatRange &B,
                           const FloatRange &C) {
  if (!A.hasNumbers() || !B.hasNumbers() || !C.hasNumbers())
    return onlyNan();
  bool MayNan = A.MayNan || B.MayNan || C.MayNan || productMayBeNan(A, B);
  Ends P = productEnds(A, B);
  if ((std::isinf(P.Lo) || std::isinf(P.Hi)) && C.mayBeInfinite())
    return withNan(allNumbers(), true);
  // The sum of an exact product in 48 bits and a float, moved outwards by what
  // two roundings may lose.
  auto Rounded = [](double X, float Towards) {
    float Near = static_cast<float>(X);
    return std::isinf(X) ? Near : std::nextafter(Near, Towards);
  };
  return withNan(FloatRange::numbers(Rounded(P.Lo + C.Lo, -Infinity),
                                     Rounded(P.Hi + C.Hi, Infinity)),
                 MayNan);
}

FloatRange goldy::fromInteger(Interval I) {
  return FloatRange::numbers(static_cast<float>(I.Lo),
                             static_cast<float>(I.Hi));
}

Interval goldy::toInteger(const FloatRange &X, Interval All) {
  Interval R = NoInteger;
  auto Whole = [&](float V) {
    double Clamped =
        std::clamp(std::trunc(double(V)), double(All.Lo), double(All.Hi));
    return static_cast<int64_t>(Clamped);
  };
  if (X.hasNumbers())
    R = {Whole(X.Lo), Whole(X.Hi)};
  return X.MayNan ? hullOf(R, {0, 0}) : R;
}

FloatRange goldy::fromBitsRange(Interval Bits) {
  uint32_t Lo = static_cast<uint32_t>(Bits.Lo);
  uint32_t Hi = static_cast<uint32_t>(Bits.Hi);
  if ((Lo ^ Hi) & SignBit)
    return FloatRange::any();
  uint32_t Sign = Lo & SignBit;
  FloatRange Near = FloatRange::ofBits(Lo);
  if (!Near.hasNumbers())
    return onlyNan();
  FloatRange Far = FloatRange::ofBits(std::min(Hi, Sign | InfinityBits));
  FloatRange R = hullOf(Near, Far);
  R.MaySubnormal |= (Lo & ~SignBit) < 0x00800000u && (Hi & ~SignBit) > 0;
  return withNan(R, (Hi & ~SignBit) > InfinityBits);
}

Interval goldy::toBitsRange(const FloatRange &X) {
  if (X.MayNan || !X.hasNumbers())
    return AllU32;
  int64_t Lo = std::bit_cast<uint32_t>(X.Lo),
          Hi = std::bit_cast<uint32_t>(X.Hi);
  if (X.Lo > 0)
    return {Lo, Hi};
  return X.Hi < 0 ? Interval{Hi, Lo} : Interval{0, SignBit | InfinityBits};
}

// --- Comparisons

/// A comparison that is false for NaN, and what makes `!=` the other way round.
static FloatRange cut(FloatRange X, float Lo, float Hi) {
  FloatRange R = X;
  R.Lo = std::max(X.Lo, Lo);
  R.Hi = std::min(X.Hi, Hi);
  // A subnormal of the other sign is compared as zero.
  if (X.MaySubnormal && R.Hi == 0)
    R.Hi = std::min(X.Hi, Least);
  if (X.MaySubnormal && R.Lo == 0)
    R.Lo = std::max(X.Lo, -Least);
  R.MaySubnormal = X.MaySubnormal && R.mayBeZero();
  return R;
}

/// The comparison that holds where this one fails, of numbers.
static Op opposite(Op O) {
  static constexpr Op Opposites[] = {Op::Ne, Op::Eq, Op::Ge,
                                     Op::Gt, Op::Le, Op::Lt};
  return Opposites[unsigned(O) - unsigned(Op::Eq)];
}

static FloatRange bounded(Op O, const FloatRange &X, const FloatRange &Y) {
  switch (O) {
  case Op::Eq:
    return cut(X, Y.Lo, Y.Hi);
  case Op::Lt:
  case Op::Le:
    return cut(X, -Infinity, Y.Hi);
  case Op::Gt:
  case Op::Ge:
    return cut(X, Y.Lo, Infinity);
  default:
    return X;
  }
}

FloatRange goldy::whereCompared(Op O, const FloatRange &X, const FloatRange &Y,
                                bool Holds) {
  bool Ordered = (O != Op::Ne) == Holds; // no operand is a NaN then
  if (!X.hasNumbers() || !Y.hasNumbers() || (!Ordered && Y.MayNan))
    return X;
  FloatRange R = bounded(Holds ? O : opposite(O), X, Y);
  R.MayNan = X.MayNan && !Ordered;
  return R.isNothing() ? X : R;
}

template <class T>
static std::optional<bool> byEnds(Op O, const T &X, const T &Y) {
  switch (O) {
  case Op::Lt:
    return X.Hi < Y.Lo    ? std::optional(true)
           : X.Lo >= Y.Hi ? std::optional(false)
                          : std::nullopt;
  case Op::Le:
    return X.Hi <= Y.Lo  ? std::optional(true)
           : X.Lo > Y.Hi ? std::optional(false)
                         : std::nullopt;
  case Op::Gt:
    return byEnds(Op::Lt, Y, X);
  case Op::Ge:
    return byEnds(Op::Le, Y, X);
  default:
    if (X.Hi < Y.Lo || Y.Hi < X.Lo)
      return O == Op::Ne;
    if (X.Lo == X.Hi && Y.Lo == Y.Hi && X.Lo == Y.Lo)
      return O == Op::Eq;
    return std::nullopt;
  }
}

std::optional<bool> goldy::decided(Op O, const FloatRange &X,
                                   const FloatRange &Y) {
  if (!X.hasNumbers() || !Y.hasNumbers())
    return std::nullopt;
  std::optional<bool> Outcome = byEnds(O, X, Y);
  bool WithNan = O == Op::Ne;
  bool MayNan = X.MayNan || Y.MayNan;
  return Outcome && MayNan && *Outcome != WithNan ? std::nullopt : Outcome;
}

std::optional<bool> goldy::decided(Op O, Interval X, Interval Y) {
  if (X.isEmpty() || Y.isEmpty())
    return std::nullopt;
  return byEnds(O, X, Y);
}
