//===- SoftFloat.h - f32 arithmetic of the language in integers
//------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The folder must not depend on the host's rounding mode or flush bits, so
// floats are computed with integers: operands are taken apart (subnormals are
// zero), the exact result is held as a significand of up to 101 bits with a
// sticky bit, and one function rounds it: to nearest even at 24 bits with
// unbounded exponent, then to zero of its sign below 2^-126. Every NaN result
// is 0x7fc00000.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_IR_SOFTFLOAT_H
#define GOLDYC_LIB_IR_SOFTFLOAT_H

#include <cstdint>

namespace goldy::soft {

inline constexpr uint32_t SignBit = 0x80000000u;
inline constexpr uint32_t Infinity = 0x7f800000u;
inline constexpr uint32_t CanonicalNan = 0x7fc00000u;

inline bool isNan(uint32_t A) { return (A & ~SignBit) > Infinity; }
inline uint32_t flush(uint32_t A) {
  return (A & Infinity) == 0 ? A & SignBit : A;
}

uint32_t add(uint32_t A, uint32_t B);
uint32_t mul(uint32_t A, uint32_t B);
uint32_t div(uint32_t A, uint32_t B);
uint32_t rem(uint32_t A, uint32_t B);
uint32_t fma(uint32_t A, uint32_t B, uint32_t C);
uint32_t sqrt(uint32_t A);

enum class Rounding : uint8_t { Down, Up, ToZero, HalfAway, HalfEven };
/// To a whole number.
uint32_t toWhole(uint32_t A, Rounding R);

/// IEEE comparisons with subnormals read as zero; false if one is NaN.
bool equal(uint32_t A, uint32_t B);
bool less(uint32_t A, uint32_t B);

/// Magnitude and sign of an integer, rounded once.
uint32_t fromInteger(bool Negative, uint64_t Magnitude);
/// The whole part's magnitude, saturated to 2^64 - 1; NaN gives 0.
uint64_t wholePart(uint32_t A);

} // namespace goldy::soft

#endif
