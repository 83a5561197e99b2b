//===- Extents.h - Lengths that contracts make equal ----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shape contracts are checked before a kernel runs, so lengths and extents that
// they make equal are one number: `weight.len()` is `x.len()` where both shapes
// are `[dim]`, and `x.dim(0)` is `bias.len()` where those are `[rows, cols]`
// and
// `[rows]`.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_ANALYSIS_EXTENTS_H
#define GOLDYC_ANALYSIS_EXTENTS_H

#include "goldyc/IR/IR.h"

#include <string>

namespace goldy {

/// A name for the length of a resource; equal names are equal lengths.
std::string lengthName(const Function &F, const PlaceBase &B);
/// The same for a value: of a Len, or of a Dim along an axis that a contract
/// names. Empty for all others.
std::string extentName(const Function &F, ValueId V);
/// The first parameter that has the length of parameter `Param`.
uint32_t firstOfLength(const Function &F, uint32_t Param);

} // namespace goldy

#endif
