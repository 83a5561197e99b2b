//===- Ranges.h - What is known of an integer where it is used
//--------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two sources: the operations that made a value (constants, masks, remainders,
// local ids below the workgroup size …) and the conditions under which a
// statement stands: the branches around it, the ranges of the For loops around
// it, and earlier branches of the same block that leave it. Values never
// change, so a condition once true stays true. A local variable lies within
// what is stored into it, by induction over the stores. Only u32 and i32 are
// followed.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_ANALYSIS_RANGES_H
#define GOLDYC_ANALYSIS_RANGES_H

#include "goldyc/Analysis/Interval.h"
#include "goldyc/Analysis/Structure.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

namespace goldy {

/// A relation between two values that holds at some place.
struct RangeFact {
  ValueId A, B;
  bool Strict = false; ///< A < B, else A <= B
};

class Ranges {
public:
  /// The function must be well-formed and outlive this.
  Ranges(const Module &M, const Function &F);

  /// Selects the statement that the questions below are about.
  void moveTo(InstId At);
  /// Bounds of a u32 or i32 value there.
  Interval rangeOf(ValueId V) const { return range(V, MaxDepth); }
  /// True if A < B is certain. Both of one type, u32 or i32.
  bool isLess(ValueId A, ValueId B) const {
    return less(A, B, MaxRelationDepth);
  }
  /// True if A <= B is certain; ditto.
  bool isLessEqual(ValueId A, ValueId B) const {
    return lessEqual(A, B, MaxRelationDepth);
  }
  /// True if index V (u32 or i32) is certainly below the length of a buffer.
  bool isBelowLength(ValueId V, const PlaceBase &Buffer) const;
  /// True if two values of one type are certainly equal.
  bool areSame(ValueId A, ValueId B) const { return same(A, B); }
  /// The relations that hold at the present statement, innermost first.
  std::span<const RangeFact> facts() const { return Facts; }

  /// From now on an `assume` statement counts as a condition (or no longer).
  void trust(InstId Assume, bool Yes) { Trusted.set(Assume, Yes); }

private:
  static constexpr unsigned MaxDepth = 16, MaxRelationDepth = 5, MaxStores = 16;
  Interval full(ValueId V) const;
  Interval range(ValueId V, unsigned Depth) const;
  Interval refined(ValueId V, unsigned Depth) const;
  Interval made(ValueId V, unsigned Depth) const;
  Interval madeBinary(ValueId V, unsigned Depth) const;
  Interval madeLoad(ValueId V) const;
  Interval madeLoopVar(ValueId V, unsigned Depth) const;
  Interval madeCast(ValueId V, unsigned Depth) const;
  /// The scalar variable that a load or store accesses as a whole.
  std::optional<SlotId> wholeSlot(InstId I) const;
  void boundSlots();
  void boundSlot(SlotId S, const std::vector<InstId> &Stores);
  Interval storedIn(const std::vector<InstId> &Stores);
  bool dependsOn(ValueId V, SlotId S, unsigned Depth) const;
  bool less(ValueId A, ValueId B, unsigned Depth) const;
  bool lessEqual(ValueId A, ValueId B, unsigned Depth) const;
  bool lessByMaking(ValueId A, ValueId B, unsigned Depth) const;
  bool lessEqualByMaking(ValueId A, ValueId B, unsigned Depth) const;
  bool isNext(ValueId A) const;
  bool nextIsLess(ValueId A, ValueId B, unsigned Depth) const;
  bool lessThanNext(ValueId A, ValueId B, unsigned Depth) const;
  ValueId lengthOf(const PlaceBase &Buffer) const;
  bool isBelowCastLength(const RangeFact &Fact, ValueId V,
                         ValueId Length) const;
  bool isCastBelowLength(const RangeFact &Fact, ValueId V,
                         ValueId Length) const;
  bool same(ValueId A, ValueId B, unsigned Depth = 3) const;
  bool followed(ValueId V) const;
  bool isUnsigned(ValueId V) const { return F.typeOf(V) == types::U32; }
  void addCondition(ValueId Cond, bool Holds, unsigned Depth = 8);
  void addComparison(Op O, ValueId A, ValueId B, bool Holds);
  void addLoop(InstId For);

  const Module &M;
  const Function &F;
  Structure Where;
  /// Branches of a block that one way leaves, and assumptions, in order.
  SideMap<Block, std::vector<InstId>> Guards;
  SideMap<Inst, bool> Trusted{false};
  /// What a variable certainly lies in, once that is known.
  SideMap<Slot, std::optional<Interval>> SlotBounds;
  /// The first value that is a length or extent, by its name (Extents.h).
  std::map<std::string, ValueId> Lengths;
  std::vector<RangeFact> Facts;
  /// Intervals at the present statement, with the depth they were found to.
  struct Found {
    Interval Bounds;
    unsigned Depth = 0;
  };
  mutable std::unordered_map<ValueId, Found> Memo;
};

} // namespace goldy

#endif
