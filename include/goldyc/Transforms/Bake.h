//===- Bake.h - Values known when an image is made
//-------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A baked value becomes a constant of the function; the parameter it belonged
// to keeps its place. The rules of the language make live and baked equal: what
// folds at compile time has the bits that the device computes.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TRANSFORMS_BAKE_H
#define GOLDYC_TRANSFORMS_BAKE_H

#include "goldyc/IR/IR.h"

#include <optional>
#include <span>

namespace goldy {

/// Replaces scalar parameters of a kernel by values, one entry a parameter:
/// bits, zero-extended (bool 0 or 1).
void bakeParameters(Function &Kernel,
                    std::span<const std::optional<uint64_t>> Values);

/// Replaces every specialisation constant by its default. True if there was
/// any.
bool bakeSpecs(Module &M);

} // namespace goldy

#endif
