//===- Twins.h - What exact operations should give ---===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The language's rules in integers: no float operation decides a result here,
// except for the remainder, which C's fmod computes exactly. All take and give
// bits.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_TEST_SWEEPS_TWINS_H
#define GOLDY_TEST_SWEEPS_TWINS_H

#include <cstdint>

namespace goldy::sweep {

/// The operands of one sample; what an operation does not take is ignored.
struct Operands {
  uint32_t X = 0, Y = 0, Z = 0;
  uint64_t wide() const { return X | static_cast<uint64_t>(Y) << 32; }
};

/// The bits of a result, in as many low bytes as the operation stores.
using Twin = uint64_t (*)(Operands);

// Arithmetic: the exact result rounded once to 24 bits with unbounded exponent,
// half to even; below 2^-126 it is a zero of its sign. Subnormal operands are
// zeros, NaNs that are made are 0x7fc00000.
uint64_t twinAdd(Operands);
uint64_t twinSub(Operands);
uint64_t twinMul(Operands);
uint64_t twinDiv(Operands);
uint64_t twinSqrt(Operands);
uint64_t twinFma(Operands);
uint64_t twinMulAdd(Operands); ///< x * y + z, rounded twice
uint64_t twinRem(Operands);

uint64_t twinMin(Operands);
uint64_t twinMax(Operands);
uint64_t twinClamp(Operands);
uint64_t twinNeg(Operands);
uint64_t twinAbs(Operands);
uint64_t twinCopysign(Operands);
uint64_t twinSign(Operands);
uint64_t twinFloor(Operands);
uint64_t twinCeil(Operands);
uint64_t twinTrunc(Operands);
uint64_t twinRound(Operands);
uint64_t twinRoundEven(Operands);
uint64_t twinFract(Operands);
/// Bits 0 to 5: < <= > >= == !=.
uint64_t twinCompare(Operands);

uint64_t twinToU32(Operands);
uint64_t twinToI32(Operands);
uint64_t twinToU64(Operands);
uint64_t twinToI64(Operands);
uint64_t twinToF16(Operands);
uint64_t twinToBF16(Operands);
uint64_t twinFromU32(Operands);
uint64_t twinFromI32(Operands);
uint64_t twinFromU64(Operands);
uint64_t twinFromI64(Operands);
uint64_t twinFromF16(Operands);
uint64_t twinFromBF16(Operands);

} // namespace goldy::sweep

#endif
