//===- Structure.h - Where an instruction stands
//----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tree of blocks read backwards: the block that holds an instruction and
// the instruction that holds a block. All functions want a well-formed
// function (see Verify).
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_ANALYSIS_STRUCTURE_H
#define GOLDYC_ANALYSIS_STRUCTURE_H

#include "goldyc/IR/IR.h"

#include <functional>

namespace goldy {

/// Calls `Visit` for every instruction placed in `B` or below, in program
/// order, owners before what they hold.
void forEachInst(const Function &F, BlockId B,
                 const std::function<void(InstId)> &Visit);
/// The same for the blocks that the statement `Owner` holds.
void forEachWithin(const Function &F, InstId Owner,
                   const std::function<void(InstId)> &Visit);
/// The same for statements of one block and all that they hold.
void forEachOf(const Function &F, const std::vector<InstId> &List,
               const std::function<void(InstId)> &Visit);
/// Every placed instruction of the function.
void forEachInst(const Function &F, const std::function<void(InstId)> &Visit);

/// Calls `Visit` for each value that the instruction names: its operands, and
/// the indices of its place.
template <class Fn> void forEachUse(const Function &F, InstId I, Fn &&Visit) {
  for (ValueId V : F.operands(I))
    Visit(V);
  if (PlaceId P = F.Insts[I].Where)
    for (const PathElement &E : F.Places[P].Path)
      if (E.isDynamic())
        Visit(E.Index);
}

/// True if control can reach the end of the block. A Loop is left by a Break
/// or BreakIf only, an If falls through if one of its branches does.
bool fallsThrough(const Function &F, BlockId B);

/// Instructions of `F` once its calls are expanded, saturating at 2^40.
uint64_t expandedSize(const Module &M, const Function &F);

/// The block and the owner of everything, computed once.
class Structure {
public:
  explicit Structure(const Function &F);
  /// The block that holds a placed instruction; invalid for leaves.
  BlockId blockOf(InstId I) const { return Holder[I]; }
  /// The control instruction that holds the block; invalid for the body.
  InstId ownerOf(BlockId B) const { return Owner[B]; }
  /// The control instruction around a placed instruction, or none.
  InstId parentOf(InstId I) const { return Owner[Holder[I]]; }
  /// True if `I` stands in the block or in one nested in it.
  bool contains(BlockId Outer, InstId I) const;
  /// True if values of `A`'s block are visible at `B` and `A` is earlier.
  bool dominates(InstId A, InstId B) const {
    return A < B && contains(Holder[A], B);
  }

private:
  SideMap<Inst, BlockId> Holder;
  SideMap<Block, InstId> Owner;
};

} // namespace goldy

#endif
