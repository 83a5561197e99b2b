//===- BackendCost.h - What the backend need not look at -------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most of the time of compiling a kernel is the backend's, and some of what it
// looks for cannot be there: what is known of the bits of a hash, products in
// loops that have none. It is told so.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TARGET_HOST_BACKENDCOST_H
#define GOLDYC_LIB_TARGET_HOST_BACKENDCOST_H

namespace llvm {
class BranchInst;
class Function;
class Loop;
} // namespace llvm

namespace goldy {

/// An innermost loop has a product, or a shift to the left, of whole numbers
/// that is not the size of an element times an index, which addresses take as
/// it is. Variables that step from trip to trip pay there alone, and where a
/// loop is not marked as one that seldom runs.
bool hasSteps(const llvm::Loop &L);

/// Marks a loop, by the branch that ends its trips; null: nothing.
void markSeldom(llvm::BranchInst *Latch);

/// Hides what is known of the bits of some products of vectors: those of
/// hashes, where words meet shifted copies of themselves again and again. The
/// backend asks for these bits at each use, goes two ways through each
/// exclusive or, and knows nothing in the end. Costs no instruction.
void hideProducts(llvm::Function &Fn);

} // namespace goldy

#endif
