//===- SlotLiveness.h - Stores that are overwritten before a load ---------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the structure backwards with the slots that something behind may still
// load. A loop is walked until its head wants no more slots. Private to
// Transforms.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TRANSFORMS_SLOTLIVENESS_H
#define GOLDYC_LIB_TRANSFORMS_SLOTLIVENESS_H

#include "goldyc/IR/IR.h"

namespace goldy {

class SlotLiveness {
public:
  /// The function must be well-formed.
  explicit SlotLiveness(const Function &F);
  /// Whether a load may see what this store into a slot writes.
  bool isSeen(InstId Store) const { return Seen[Store]; }

private:
  /// By slot: may be loaded before it is stored to as a whole.
  using Wanted = std::vector<bool>;
  Wanted before(BlockId B, Wanted After);
  void before(InstId I, Wanted &Live);
  Wanted beforeLoop(InstId I, const Wanted &After);
  void beforeAccess(InstId I, Wanted &Live);

  const Function &F;
  SideMap<Inst, bool> Seen{false};
  SideMap<Inst, Wanted> Behind, AtRepeat; ///< of statements that are left
  SideMap<Inst, Wanted> Heads;            ///< of loops, so far
};

} // namespace goldy

#endif
