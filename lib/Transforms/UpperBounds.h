//===- UpperBounds.h - How large an index gets in a region
//------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A region is a run of statements that will be there twice, with and without
// checks. An upper bound of an index is an expression over what is known where
// the region begins, so that one test there stands for the checks inside.
//
// *What a bound promises.* Bounds are u32 and saturate at 2^32 - 1. Of a u32
// value it is always true that value <= bound: arithmetic that might wrap has
// the bound 2^32 - 1. Of an i32 value it is true that 0 <= value <= bound, or
// the bound is 2^32 - 1 and nothing is known. No length exceeds 2^32 - 1, so
// `bound < length` is never true by wrapping.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TRANSFORMS_UPPERBOUNDS_H
#define GOLDYC_LIB_TRANSFORMS_UPPERBOUNDS_H

#include "goldyc/Analysis/Ranges.h"
#include "goldyc/IR/Builder.h"

#include <functional>
#include <map>
#include <optional>

namespace goldy {

enum class BoundOp : uint8_t {
  Const,   ///< Imm
  Value,   ///< a value at the region's entry, i32 as its bits
  Length,  ///< of the buffer that is parameter Imm
  GroupId, ///< the group's id on axis Imm
  Add,     ///< saturating
  Mul,     ///< saturating
  Div,     ///< by Imm
  /// Minus Imm, not below zero. Made where the operand is at least Imm if the
  /// access is reached at all.
  Less,
  Min,
  Max,
  IfAtMost ///< Args[0] <= Args[1] ? Args[2] : Args[3]
};

struct BoundTerm;
using BoundId = Handle<BoundTerm>;
struct BoundTerm {
  BoundOp Op = BoundOp::Const;
  uint32_t Imm = 0;
  ValueId Value;
  std::array<BoundId, 4> Args;
  uint32_t Most = UINT32_MAX; ///< no value of the term is above
  bool ByGroup = false;       ///< a group's id is in it
  friend auto operator<=>(const BoundTerm &, const BoundTerm &) = default;
};

/// Terms, each once, with constants folded.
class BoundTerms {
public:
  BoundId constant(uint32_t C);
  BoundId value(ValueId V, uint32_t Most);
  BoundId length(uint32_t Param);
  BoundId groupId(uint32_t Axis);
  BoundId add(BoundId A, BoundId B);
  BoundId mul(BoundId A, BoundId B);
  BoundId div(BoundId A, uint32_t By);
  BoundId less(BoundId A, uint32_t By);
  BoundId min(BoundId A, BoundId B);
  BoundId max(BoundId A, BoundId B);
  BoundId ifAtMost(BoundId A, BoundId B, BoundId Then, BoundId Else);
  /// 2^32 - 1 for what is no i32: above 2^31 - 1.
  BoundId asSigned(BoundId A);
  const BoundTerm &operator[](BoundId T) const { return Terms[T]; }
  std::optional<uint32_t> constantOf(BoundId T) const;
  /// True if A <= B whatever the values are.
  bool isBelow(BoundId A, BoundId B, unsigned Depth = 12) const;

private:
  BoundId intern(BoundTerm T);
  Arena<BoundTerm> Terms;
  std::map<BoundTerm, BoundId> Known;
};

/// Where a region begins and who asks there.
struct BoundEntry {
  InstId At;             ///< the first statement
  bool PerGroup = false; ///< the answer must be the same for the whole group
  /// Each work-item asks for itself: of two bounds the one that is the same for
  /// all groups counts, as both cost more than they tell in the last group.
  bool Frugal = false;
};

/// Finds bounds of values in a region.
class UpperBounds {
public:
  /// `Known` stands at the access when `of` is asked.
  UpperBounds(const Module &M, const Function &F, const Ranges &Known,
              const Structure &Where, BoundTerms &Terms, BoundEntry Entry)
      : M(M), F(F), Known(Known), Where(Where), Terms(Terms), Entry(Entry) {}
  /// A bound of an index there; none: `unbounded` says why.
  std::optional<BoundId> of(ValueId Index);
  /// The value that nothing bounds, after `of` gave none.
  ValueId unbounded() const { return Unbounded; }
  /// True if the value can be had at the entry.
  bool isAvailable(ValueId V, unsigned Depth = 8) const;

private:
  using Bound = std::optional<BoundId>;
  Bound upper(ValueId V, unsigned Depth);
  Bound upperAgain(ValueId V, unsigned Depth);
  Bound byFacts(ValueId V, unsigned Depth);
  Bound byMaking(ValueId V, unsigned Depth);
  Bound ofId(ValueId V);
  Bound ofSum(ValueId V, unsigned Depth);
  Bound ofParts(ValueId V, unsigned Depth);
  Bound ofPair(ValueId A, ValueId B, unsigned Depth);
  void addends(ValueId V, std::vector<ValueId> &Parts) const;
  ValueId wholeOf(ValueId V, ValueId Part) const;
  Bound ofDifference(ValueId V, ValueId A, ValueId B, unsigned Depth);
  Bound ofProduct(ValueId V, unsigned Depth);
  Bound ofShare(ValueId V, unsigned Depth);
  Bound ofRemainder(ValueId V, unsigned Depth);
  Bound ofEither(ValueId V, bool Both, unsigned Depth);
  Bound nonNegativePart(ValueId V, unsigned Depth);
  BoundId lower(ValueId V, unsigned Depth);
  BoundId valueTerm(ValueId V) const;
  Bound fit(ValueId V, Bound B) const;
  Bound least(Bound A, Bound B) const;
  bool isUnsigned(ValueId V) const { return F.typeOf(V) == types::U32; }
  std::optional<uint32_t> constantOf(ValueId V) const;

  static constexpr unsigned MaxDepth = 14, MaxWork = 400, MaxParts = 6;
  /// Larger intervals come from the type, not from the program: no buffer is
  /// that long for sure.
  static constexpr int64_t MaxConstant = (1 << 20) - 1;
  const Module &M;
  const Function &F;
  const Ranges &Known;
  const Structure &Where;
  BoundTerms &Terms;
  BoundEntry Entry;
  std::map<ValueId, Bound> Memo;
  ValueId Unbounded;
  unsigned Work = 0;
};

/// Builds terms as values.
class BoundEmitter {
public:
  /// `Map` gives the value of a source value at the builder's place.
  BoundEmitter(Builder &B, const BoundTerms &Terms,
               std::function<ValueId(ValueId)> Map)
      : B(B), Terms(Terms), Map(std::move(Map)) {}
  ValueId emit(BoundId T);

private:
  ValueId make(const BoundTerm &T);
  ValueId makeSum(const BoundTerm &T);
  ValueId makeProduct(const BoundTerm &T);
  Builder &B;
  const BoundTerms &Terms;
  std::function<ValueId(ValueId)> Map;
  std::map<BoundId, ValueId> Made;
};

} // namespace goldy

#endif
