//===- FloatRanges.h - What a number may be anywhere ----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For every f32 of a function an interval, and whether it may be a NaN or
// subnormal; for every u32 and i32 an interval: whatever the arguments, in
// every work-item, wherever it stands. Operations that these show to do nothing
// need not be made (Legalise).
//
// *Ends.* Sums, products, quotients, roots and roundings are monotonic in each
// operand, as rounding to nearest is: the results of the operands' ends, made
// as the language makes them, are ends of the result. The two zeros are one
// number here. An end is a zero or a normal number, and an interval with a
// subnormal in it holds the zero that arithmetic reads instead, so it bounds
// what a value is and what it is read as.
//
// *Memory.* A variable or workgroup array holds zero and what is stored in it
// anywhere, one interval for all elements. What grows for the third time grows
// without an end: a loop's sum.
//
// *Choices.* The first value of a choice is one for which the condition holds:
// `if x < 1.0 { x } else { 1.0 }` is at most one, and a number.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_ANALYSIS_FLOATRANGES_H
#define GOLDYC_ANALYSIS_FLOATRANGES_H

#include "goldyc/Analysis/Interval.h"

#include <map>
#include <optional>

namespace goldy {

struct FloatRange {
  float Lo = 1, Hi = -1; ///< of the numbers; none if Lo > Hi
  bool MayNan = false;
  bool MaySubnormal = false;

  static FloatRange any();
  /// From `Lo` to `Hi`, neither a NaN; ends that are tiny move outwards.
  static FloatRange numbers(float Lo, float Hi, bool MaySubnormal = false);
  static FloatRange ofBits(uint32_t Bits);
  /// No operand has been found yet, or the place is never reached.
  bool isNothing() const { return !hasNumbers() && !MayNan; }
  bool hasNumbers() const { return Lo <= Hi; }
  bool mayBeZero() const { return Lo <= 0 && Hi >= 0; }
  /// Whether a number may be subnormal or zero, as subnormals are read.
  bool mayBeTiny() const;
  bool mayBeInfinite() const;
  /// True if it is a number within the bounds.
  bool isWithin(float Least, float Most) const {
    return !MayNan && hasNumbers() && Lo >= Least && Hi <= Most;
  }
  bool contains(uint32_t Bits) const;
  friend bool operator==(const FloatRange &, const FloatRange &) = default;
};

FloatRange hullOf(const FloatRange &A, const FloatRange &B);

// --- Operations (FloatRange.cpp). No operand is nothing.

FloatRange unaryRange(Op O, const FloatRange &X);
FloatRange binaryRange(Op O, const FloatRange &X, const FloatRange &Y);
FloatRange squareRange(const FloatRange &X);
FloatRange fmaRange(const FloatRange &A, const FloatRange &B,
                    const FloatRange &C);
FloatRange fromInteger(Interval I);
/// To the integers of `All`, as the language saturates.
Interval toInteger(const FloatRange &X, Interval All);
FloatRange fromBitsRange(Interval Bits);
Interval toBitsRange(const FloatRange &X);
/// X where `X O Y` holds, or where it fails; X itself if that never happens.
FloatRange whereCompared(Op O, const FloatRange &X, const FloatRange &Y,
                         bool Holds);
/// What `X O Y` always is.
std::optional<bool> decided(Op O, const FloatRange &X, const FloatRange &Y);
std::optional<bool> decided(Op O, Interval X, Interval Y);

class FloatRanges {
public:
  /// The function must be well-formed and hold no calls.
  FloatRanges(const Module &M, const Function &F);
  /// Of an f32.
  const FloatRange &of(ValueId V) const { return Floats[V.index()]; }
  /// Of a u32 or i32.
  Interval integer(ValueId V) const { return Integers[V.index()]; }
  /// What a comparison always gives.
  std::optional<bool> outcome(InstId Compare) const;

private:
  /// What is stored in a variable or workgroup array.
  struct Memory {
    FloatRange Float = FloatRange::numbers(0, 0);
    Interval Integer{0, 0};
    unsigned Grown = 0;
  };
  using MemoryKey = std::pair<BaseKind, uint32_t>;
  Memory *memoryOf(InstId I);
  void visit(InstId I);
  void store(InstId I);
  void openMemory(InstId I);
  void grow(Memory &Mem, const FloatRange &Float, Interval Integer);
  FloatRange floatOf(InstId I);
  FloatRange loadedFloat(InstId I);
  FloatRange castFloat(InstId I) const;
  FloatRange chosenFloat(InstId I) const;
  FloatRange where(const FloatRange &Range, ValueId V, ValueId Condition,
                   bool Holds, unsigned Depth = 4) const;
  FloatRange computed(InstId I) const;
  Interval integerOf(InstId I);
  Interval loadedInteger(InstId I);
  Interval castInteger(InstId I) const;
  Interval computedInteger(InstId I) const;
  Interval fullOf(InstId I) const {
    return F.typeOf(I) == types::U32 ? AllU32 : AllI32;
  }
  bool followed(ValueId V) const {
    return F.typeOf(V) == types::U32 || F.typeOf(V) == types::I32;
  }

  const Module &M;
  const Function &F;
  std::vector<FloatRange> Floats;
  std::vector<Interval> Integers;
  std::map<MemoryKey, Memory> Memories;
  bool Changed = false; ///< of memory, in this walk
};

} // namespace goldy

#endif
