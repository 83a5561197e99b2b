//===- ExpandMath.h - Published functions become calls
//----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The meaning of a published function (Op::Exp, Op::Sin …) is its sequence in
// the prelude's math.goldy. Whatever runs a module, a target or the
// interpreter, sees that sequence and nothing else, so all compute the same
// bits.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TRANSFORMS_EXPANDMATH_H
#define GOLDYC_TRANSFORMS_EXPANDMATH_H

#include "goldyc/IR/IR.h"

namespace goldy {

/// Replaces every published operation by a call of its function, which is
/// copied into the module (as `goldy::math::exp` and so on, in front of all
/// other functions, with what it calls) on first use. Vectors are taken apart.
/// Function handles change if there was anything to do; true then. Thread-safe.
/// With `Fuses`, for targets whose fma is an instruction, sums of products that
/// are exact are made by it: the bits are the same.
bool expandPublished(Module &M, bool Fuses = false);

} // namespace goldy

#endif
