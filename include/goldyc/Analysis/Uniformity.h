//===- Uniformity.h - What is the same for every work-item
//------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Flow-insensitive over slots, structured over control: a slot is uniform if
// every store into it stores a uniform value under uniform control. Control
// is divergent inside a branch with a varying condition, and in the rest of a
// loop or block after a divergent break, continue or return out of it.
// Uniform: constants, scalar parameters, group ids, grid size, lengths, and
// their arithmetic; a buffer element read at a uniform index if the function
// never writes that buffer (nor any buffer it may alias: same element
// parameter only; the bind check does the rest); what whole-group operations
// give. Varying: local and global ids, atomics' results, workgroup memory.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_ANALYSIS_UNIFORMITY_H
#define GOLDYC_ANALYSIS_UNIFORMITY_H

#include "goldyc/IR/IR.h"

namespace goldy {

struct Uniformity {
  /// Per value: the same for all work-items of a group that reach it.
  SideMap<Inst, bool> Value{false};
  SideMap<Slot, bool> SlotUniform{false};
  /// Per placed instruction: reached by all work-items of the group or none.
  SideMap<Inst, bool> Reached{false};
  /// For a varying value or divergent point: the instruction that made it so
  /// (an id, an atomic, a branch), for notes. Invalid when uniform.
  SideMap<Inst, InstId> Cause;
  bool operator==(const Uniformity &) const = default;
};

/// The work-items that a value is or is not the same for.
enum class Among : uint8_t {
  Group,   ///< of one group
  Columns, ///< of one place in groups that differ in x alone; for kernels whose
           ///< work-items do not meet
};

/// `Shared`: an If that is taken to be uniform whatever its condition is, for a
/// caller that makes it so.
Uniformity analyseUniformity(const Module &M, const Function &F,
                             Among Whom = Among::Group, InstId Shared = {});

/// Buffers parameter numbers that the function (with its callees) writes.
std::vector<bool> writtenParams(const Module &M, const Function &F);

} // namespace goldy

#endif
