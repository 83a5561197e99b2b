//===- Phases.h - What happens between barriers -----------------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_ANALYSIS_PHASES_H
#define GOLDYC_ANALYSIS_PHASES_H

#include "goldyc/IR/IR.h"

namespace goldy {

/// True if every way through the function meets at a barrier before it accesses
/// a workgroup array, or accesses none: what the group stores there beforehand
/// needs no barrier of its own.
bool meetsBeforeArrays(const Function &F);

} // namespace goldy

#endif
