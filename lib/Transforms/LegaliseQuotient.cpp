//===- LegaliseQuotient.cpp - Many quotients by one divisor
//----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a division is a sequence with a branch, as on GPUs, quotients by one
// divisor y share what depends on y, and have no branch. With x = m 2^e and
// y = n 2^f, m and n in [1, 2) with the signs of x and y:
//
//   r = 1 / n                                   once, rounded
//   q0 = m r,  q = q0 + r (m - n q0)            sums by fma
//   x / y = (q 2^e) 2^-f                        exact, but for the last
//   rounding
//
// q is the quotient m / n rounded to nearest: q0 is off by at most 1.5 ulp, r
// by 2^-24 of its value, so the last sum is rounded from a value within 2^-22
// ulp of m / n. Of the quotients of 24-bit numbers that are so near to the
// middle of two neighbours there are about 9 * 10^7; all of them were tried
// (unittests/Transforms/QuotientTest.cpp tries those of some divisors).
//
// The products must not leave the range where the second one would come back:
// for f > 0 m is halved and 2^-f doubled, for f < 0 the other way round. Then
// q <= 1 and q 2^e does not overflow, or q >= 1 and it is not flushed.
//
// 2^e is what a mask leaves of x: 0 for zeros and subnormals, which are read as
// zeros, and inf for infinities, so these need nothing else. For y zero,
// infinite or NaN n is 1, q 2^e is x, and in place of 2^-f stands infinity,
// zero or NaN with the sign of y: x times that is what division by y gives.
//
// Where a device has to show what it can, that is the way of those whose
// products flush by the rule and whose fma is one, but not of the others; it is
// a lone division's way then too. The inverse is made of the device's quotient,
// at most 3 ulp off, by two steps r + r (1 - n r), which give the rounded one
// for all n but 2 - 2^-23 (P. Markstein; all were tried from each such r),
// whose inverse is chosen.
//
// A near quotient (ir::near_quotient) takes the same steps, from the operands
// as they are: the exponents of docs/IR.md keep all of it in the normal range.
//
//   r0 = 1 / y                  the device's own
//   r = r0 + r0 (1 - y r0)      once, or twice where r0 is 3 ulp off
//   q0 = x r,  q = q0 - r (y q0 - x)
//
// The rest is turned, so that x = -0 gives -0: the last sum is then one of two
// negative zeros. r is the rounded inverse, or next to it for 11 significands
// of y, where 1 / y is near the middle of both. All x / y within 2^-20 ulp of
// the middle of two floats were tried, 2 * 10^8, from each r0 that may be. For
// y = 2 - 2^-23 the quotient of a power of two hangs on r0: after two steps r
// is mended, which is one above the power of two. An instruction for r0 has to
// give that by itself: rcp.approx does, whose steps to the quotient are the
// same in ptxas's own division. If y is a power of two r is its inverse from
// any r0, q0 the quotient, and nothing is left of x that could vanish.
//
//===----------------------------------------------------------------------===//
#include "Legaliser.h"

using namespace goldy;

namespace {
constexpr uint32_t Exponent = 0x7f800000u, CanonicalNan = 0x7fc00000u;
constexpr uint32_t FractionBits = 0x007fffffu;
constexpr uint32_t Half = 0x3f000000u, One = 0x3f800000u, Two = 0x40000000u;
} // namespace

Legaliser::Divisor Legaliser::divisorOf(ValueId Y) {
  ValueId Bits = bits(Y), Sign = signOf(Bits);
  ValueId Size = B.op(Op::And, {Bits, B.u32(Exponent)});
  ValueId Zero = B.op(Op::Eq, {Size, B.u32(0)});
  ValueId Last = B.op(Op::Eq, {Size, B.u32(Exponent)});
  ValueId Special = B.op(Op::Or, {Zero, Last});
  ValueId Large = B.op(Op::Gt, {Size, B.u32(One)});
  ValueId Small = B.op(Op::Lt, {Size, B.u32(One)});
  ValueId Unit =
      B.select(Large, B.u32(Half), B.select(Small, B.u32(Two), B.u32(One)));
  ValueId Fraction = B.op(Op::And, {Bits, B.u32(~Exponent)});
  ValueId N = fromBits(
      B.select(Special, B.u32(One), B.op(Op::Or, {Fraction, B.u32(One)})));
  Divisor D;
  D.Unit = B.select(Special, B.u32(One), Unit);
  D.Negated = negated(N);
  D.Inverse = B.op(Op::Div, {B.f32Bits(One), N});
  if (!Caps.ExactDiv)
    D.Inverse = refined(D.Inverse, N, D.Negated);
  // 2^-f, with the unit's power of two: exponents are biased by that of One.
  ValueId Biased = B.op(Op::Sub, {B.u32(3 * One), Size});
  ValueId Factor = B.op(Op::Sub, {Biased, Unit});
  ValueId OfZero = B.op(Op::Or, {Sign, B.u32(Exponent)});
  ValueId OfLast = B.select(isNan(Y), B.u32(CanonicalNan), Sign);
  D.Factor = fromBits(B.select(Zero, OfZero, B.select(Last, OfLast, Factor)));
  return D;
}

/// An inverse with the square of the error; `Negated` is what it is of,
/// negated.
ValueId Legaliser::stepToInverse(ValueId Inverse, ValueId Negated) {
  ValueId Off = B.op(Op::Fma, {Negated, Inverse, B.f32Bits(One)});
  return B.op(Op::Fma, {Inverse, Off, Inverse});
}

/// The rounded inverse of `N`, in [1, 2) with a sign, from one that is nearly
/// it.
ValueId Legaliser::refined(ValueId Inverse, ValueId N, ValueId Negated) {
  constexpr uint32_t Last = 0x3fffffffu, OfLast = 0x3f000001u;
  for (unsigned Step = 0; Step < 2; ++Step)
    Inverse = stepToInverse(Inverse, Negated);
  ValueId IsLast = B.op(Op::Eq, {magnitude(bits(N)), B.u32(Last)});
  ValueId Of = B.op(Op::Or, {signOf(bits(N)), B.u32(OfLast)});
  return B.select(IsLast, fromBits(Of), Inverse);
}

/// A NaN is canonical already where that is one test with the other.
ValueId Legaliser::sharedQuotient(InstId I) {
  ValueId X = map(Src.operand(I, 0)), Bits = bits(X);
  Divisor D = divisorOf(map(Src.operand(I, 1)));
  ValueId Fraction = B.op(Op::And, {Bits, B.u32(~Exponent)});
  ValueId M = fromBits(B.op(Op::Or, {Fraction, D.Unit}));
  ValueId Power = fromBits(B.op(Op::And, {Bits, B.u32(Exponent)}));
  ValueId First = B.op(Op::Mul, {M, D.Inverse});
  ValueId Rest = B.op(Op::Fma, {D.Negated, First, M});
  ValueId Q = B.op(Op::Fma, {Rest, D.Inverse, First});
  ValueId All = B.op(Op::Mul, {B.op(Op::Mul, {Q, Power}), D.Factor});
  ValueId Nan = isNan(X);
  if (!Caps.DeviceSwitches)
    Nan = B.op(Op::Or, {isNan(All), Nan});
  return fromBits(B.select(Nan, B.u32(CanonicalNan), bits(All)));
}

// --- Near quotients

/// The negated operand of arithmetic.
ValueId Legaliser::turned(ValueId New) {
  return Caps.FreeSigns ? B.op(Op::Neg, {New}) : negated(New);
}

/// The rounded inverse of a divisor of any exponent.
ValueId Legaliser::nearInverse(ValueId Y) {
  ValueId Inverse = B.op(Op::Div, {B.f32Bits(One), Y}), Negated = turned(Y);
  for (unsigned Step = 0; Step < 2; ++Step)
    Inverse = stepToInverse(Inverse, Negated);
  ValueId Fraction = B.op(Op::And, {bits(Y), B.u32(FractionBits)});
  ValueId IsLast = B.op(Op::Eq, {Fraction, B.u32(FractionBits)});
  ValueId Odd = B.select(IsLast, B.u32(1), B.u32(0));
  return fromBits(B.op(Op::Or, {bits(Inverse), Odd}));
}

ValueId Legaliser::nearQuotientByFma(ValueId X, ValueId Y) {
  ValueId Inverse = Caps.RawInverse
                        ? stepToInverse(B.op(Op::RawInverse, {Y}), turned(Y))
                        : nearInverse(Y);
  ValueId First = B.op(Op::Mul, {X, Inverse});
  ValueId Rest = B.op(Op::Fma, {Y, First, turned(X)});
  return B.op(Op::Fma, {turned(Inverse), Rest, First});
}

/// Neither operand nor the result is subnormal, so nothing is flushed.
InstId Legaliser::nearQuotient(InstId I) {
  ValueId A = Src.operand(I, 0), C = Src.operand(I, 1);
  ValueId X = map(A), Y = map(C);
  if (Caps.ExactDiv && Caps.FlushesSubnormals)
    return Caps.RawInverse ? nearQuotientByFma(X, Y) : B.op(Op::Div, {X, Y});
  ValueId Exact = fromBits(expand("div_f32", {bits(X), bits(Y)}));
  if (!Caps.DeviceSwitches)
    return Exact;
  // A driver that computes it as a whole may do so in its own way.
  constexpr uint8_t Harmless = KnownOne | KnownNormal;
  if ((knownAs(A) & ~Harmless) || knownAs(C))
    return Exact;
  ValueId ByFma = chosen(DeviceSwitch::Fma, nearQuotientByFma(X, Y), Exact);
  return chosen(DeviceSwitch::Div, B.op(Op::Div, {X, Y}), ByFma);
}
