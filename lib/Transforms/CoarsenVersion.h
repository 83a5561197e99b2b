//===- CoarsenVersion.h - The common case of a kernel in front -----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work-items of a thread can only take their statements in turn where they
// share control. What parts them in most kernels is a test of ids against
// lengths (`if i < n`, the guards of accesses), and nearly all of them pass it.
// So a kernel becomes `if (all tests pass) { body without them } else { body
// }`, and a thread whose work-items all pass goes the short way with all of
// them.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TRANSFORMS_COARSENVERSION_H
#define GOLDYC_LIB_TRANSFORMS_COARSENVERSION_H

#include "goldyc/IR/IR.h"

namespace goldy {

/// A kernel of the legal form with its tests in front. `Test` is the last
/// statement of its body: an If whose first block is the body without the
/// tests, whose second one is the body, and whose condition is `&` of tests, or
/// true. No Test: the kernel as it was.
struct VersionedKernel {
  Function F;
  InstId Test;
  /// The statements that the work-items of a thread take together.
  BlockId common() const { return Test ? F.Insts[Test].Blocks[0] : F.Body; }
};

VersionedKernel versionKernel(Module &M, const Function &F);

} // namespace goldy

#endif
