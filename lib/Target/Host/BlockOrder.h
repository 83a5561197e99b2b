//===- BlockOrder.h - Blocks in the order of the program ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code for a debugger is laid out as its blocks are. Where the parts of a line
// do not lie together, control jumps away from it and back, and a debugger that
// goes to the next line stops at it once more.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TARGET_HOST_BLOCKORDER_H
#define GOLDYC_LIB_TARGET_HOST_BLOCKORDER_H

#include "llvm/IR/Function.h"

namespace goldy {

/// Each block comes behind those from which control enters it, but for the ends
/// of loops; a loop's blocks lie together, and a branch's first way before the
/// second. Blocks that nothing enters come last.
void orderBlocks(llvm::Function &F);

} // namespace goldy

#endif
