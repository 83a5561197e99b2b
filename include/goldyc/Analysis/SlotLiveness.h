//===- SlotLiveness.h - Which slots something behind may still load -------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the structure backwards with the slots that something behind may still
// load. A loop is walked until its head wants no more slots.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_ANALYSIS_SLOTLIVENESS_H
#define GOLDYC_ANALYSIS_SLOTLIVENESS_H

#include "goldyc/IR/IR.h"

#include <set>
#include <vector>

namespace goldy {

class SlotLiveness {
public:
  /// By the slot's number: may be loaded before it is stored to as a whole.
  using Wanted = std::vector<bool>;

  /// The function must be well-formed. `Points` are statements before which
  /// live slots are collected.
  explicit SlotLiveness(const Function &F, std::set<InstId> Points = {});
  /// Whether a load may see what this store into a slot writes.
  bool isSeen(InstId Store) const { return Seen[Store]; }
  /// What is wanted just before one of the points or another.
  const Wanted &atPoints() const { return AtPoints; }

private:
  Wanted before(BlockId B, Wanted After);
  void before(InstId I, Wanted &Live);
  Wanted beforeLoop(InstId I, const Wanted &After);
  void beforeAccess(InstId I, Wanted &Live);

  const Function &F;
  std::set<InstId> Points;
  Wanted AtPoints;
  SideMap<Inst, bool> Seen{false};
  SideMap<Inst, Wanted> Behind, AtRepeat; ///< of statements that are left
  SideMap<Inst, Wanted> Heads;            ///< of loops, so far
};

} // namespace goldy

#endif
