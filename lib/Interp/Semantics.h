//===- Semantics.h - What each scalar operation means
//----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table "Meaning of operations" of the language, row by row, on the bits
// of scalars in 64-bit cells (32-bit types zero-extended, bool 0 or 1).
//
// Floats are computed by the host in double precision under the default
// environment, which the caller sets: the double result of + - * / sqrt on
// f32 operands, rounded again to 24 bits, is the correctly rounded one
// (53 >= 2 * 24 + 2), and the double's exponent range makes the intermediate
// exponent unbounded, as the subnormal rule wants. fma adds an exact product
// with rounding to odd, after which rounding again is right as well. The
// constant folder does all of this in integers instead.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_INTERP_SEMANTICS_H
#define GOLDYC_LIB_INTERP_SEMANTICS_H

#include "goldyc/IR/IR.h"

namespace goldy::interp {

/// One- to three-operand scalar operations (Pure ones of Ops.def, but for ids,
/// aggregates and casts). `Kind` is the type of operand 0, for Select and the
/// shifts that of the result.
uint64_t evaluate(Op O, TypeKind Kind, uint64_t A, uint64_t B, uint64_t C);

/// Rust's `as`.
uint64_t convert(TypeKind From, TypeKind To, uint64_t Bits);

/// What a load makes of the stored bits of an element: narrow integers extend,
/// narrow floats widen exactly (a NaN keeps its payload), any non-zero word is
/// true.
uint64_t widened(TypeKind Stored, uint64_t Bits);
/// What a store makes of a value: integers truncate, floats round to nearest
/// even.
uint64_t narrowed(TypeKind Stored, uint64_t Bits);

/// f32 addition alone, for the atomic.
uint32_t addFloats(uint32_t A, uint32_t B);

/// Which rule of a legalised operation the operands break, if any.
const char *brokenPromise(Op O, TypeKind Kind, uint64_t A, uint64_t B);

} // namespace goldy::interp

#endif
