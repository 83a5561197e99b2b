//===- SubnormalUses.h - Where a subnormal differs from zero --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic and comparisons read a subnormal as the zero of its sign. A value
// that goes nowhere else, through choices and the kernel's own memory, may be
// that zero as well. Private to Transforms.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TRANSFORMS_SUBNORMALUSES_H
#define GOLDYC_LIB_TRANSFORMS_SUBNORMALUSES_H

#include "goldyc/IR/IR.h"

#include <set>

namespace goldy {

class SubnormalUses {
public:
  /// Flow-insensitive over memory. The function holds no calls.
  explicit SubnormalUses(const Function &F);
  /// False if nothing tells a subnormal f32 from the zero of its sign.
  bool isSeen(ValueId V) const { return Seen[V.index()]; }

private:
  using Memory = std::pair<BaseKind, uint32_t>;
  void visit(InstId I);
  void see(ValueId V);
  void seeMemory(InstId I);
  bool isOwnMemory(InstId I) const;
  Memory memoryOf(InstId I) const {
    const PlaceBase &Base = F.Places[F.Insts[I].Where].Base;
    return {Base.Kind, Base.Index};
  }

  const Function &F;
  std::vector<bool> Seen;
  std::set<Memory> SeenMemory;
  bool Changed = false;
};

} // namespace goldy

#endif
