//===- Collectives.h - Whole-group operations as trees
//----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TRANSFORMS_COLLECTIVES_H
#define GOLDYC_TRANSFORMS_COLLECTIVES_H

#include "goldyc/IR/IR.h"

namespace goldy {

/// Puts the prelude's sequence, in terms of reductions, in place of every
/// softmax of a verified module. True if there was any.
bool expandSoftmax(Module &M);

/// Rewrites the collectives of every kernel of a verified module into barriers,
/// accesses to the scratch array and uniform loads: for readers and targets
/// without a form of their own. True if there were any.
bool expandCollectives(Module &M);

} // namespace goldy

#endif
