//===- UpperBounds.cpp - How large an index gets in a region
//----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that can be had at the entry bounds itself. Any other is bounded by
// its interval, by the conditions that hold at the access (`i < n`, the range
// of a loop) and by its making: sums and products of bounds, saturating. The
// least of these counts: `i < n` may be the tighter one in the last group and
// the group's own ids in all others.
//
// A difference needs the opposite too: `i - k` does not wrap where the least
// i is not below the greatest k, which the test asks at run time.
//
//===----------------------------------------------------------------------===//
#include "UpperBounds.h"

#include "goldyc/Analysis/Extents.h"

#include <algorithm>

namespace goldy {

std::optional<BoundId> UpperBounds::of(ValueId Index) {
  Memo.clear();
  Work = 0;
  Unbounded = {};
  return upper(Index, MaxDepth);
}

std::optional<uint32_t> UpperBounds::constantOf(ValueId V) const {
  if (!F.isConst(V))
    return std::nullopt;
  return static_cast<uint32_t>(F.Insts[V].Imm);
}

// --- What is there at the entry

bool UpperBounds::isAvailable(ValueId V, unsigned Depth) const {
  const Inst &N = F.Insts[V];
  if (N.Opcode == Op::Const || N.Opcode == Op::ParamValue ||
      N.Opcode == Op::SpecConst)
    return true;
  if (N.Opcode == Op::LoopVar)
    return !Entry.PerGroup &&
           Where.contains(F.Insts[N.Target].Blocks[0], Entry.At);
  if (opInfo(N.Opcode).Effects == Effect::Leaf)
    return false;
  if (!Entry.PerGroup && Where.dominates(V, Entry.At))
    return true;
  bool Own = N.Opcode == Op::GlobalId || N.Opcode == Op::LocalId;
  if (!isPure(N.Opcode) || (Own && Entry.PerGroup) || Depth == 0 ||
      !M.Types.isScalar(N.Type))
    return false;
  for (ValueId Operand : F.operands(N))
    if (!isAvailable(Operand, Depth - 1))
      return false;
  return true;
}

BoundId UpperBounds::valueTerm(ValueId V) const {
  if (std::optional<uint32_t> C = constantOf(V))
    return Terms.constant(*C);
  // The interval at the access may owe to conditions that the entry lacks;
  // what the value is made of holds everywhere.
  const Inst &N = F.Insts[V];
  if (N.Opcode == Op::Len && F.Places[N.Where].Base.Kind == BaseKind::Param)
    return Terms.length(firstOfLength(F, F.Places[N.Where].Base.Index));
  uint32_t Most = UINT32_MAX;
  if (N.Opcode == Op::Shr && isUnsigned(V) && constantOf(F.operand(V, 1)))
    Most >>= *constantOf(F.operand(V, 1)) & 31;
  return Terms.value(V, Most);
}

/// A bound as one of V's type.
std::optional<BoundId> UpperBounds::fit(ValueId V, Bound B) const {
  return B && !isUnsigned(V) ? Bound(Terms.asSigned(*B)) : B;
}

UpperBounds::Bound UpperBounds::least(Bound A, Bound B) const {
  if (!A || !B)
    return A ? A : B;
  if (Entry.Frugal && Terms[*A].ByGroup != Terms[*B].ByGroup)
    return Terms[*A].ByGroup ? B : A;
  return Terms.min(*A, *B);
}

// --- Bounds

std::optional<BoundId> UpperBounds::upper(ValueId V, unsigned Depth) {
  if (F.typeOf(V) != types::U32 && F.typeOf(V) != types::I32)
    return std::nullopt;
  std::map<ValueId, Bound>::iterator Found = Memo.find(V);
  if (Found != Memo.end())
    return Found->second;
  if (Depth == 0 || ++Work > MaxWork)
    return std::nullopt;
  Memo[V] = std::nullopt; // where facts go in circles
  Bound B = upperAgain(V, Depth - 1);
  Memo[V] = B;
  if (!B && !Unbounded)
    Unbounded = V;
  return B;
}

std::optional<BoundId> UpperBounds::upperAgain(ValueId V, unsigned Depth) {
  if (isAvailable(V))
    return fit(V, valueTerm(V));
  Interval R = Known.rangeOf(V);
  Bound B;
  if (R.Lo >= 0 && R.Hi <= MaxConstant)
    B = Terms.constant(static_cast<uint32_t>(R.Hi));
  // Conditions from above bound an i32 that is known not to be negative.
  ValueId Before = Unbounded;
  if (R.Lo >= 0)
    B = least(B, byFacts(V, Depth));
  B = least(B, byMaking(V, Depth));
  if (B)
    Unbounded = Before;
  return fit(V, B);
}

std::optional<BoundId> UpperBounds::byFacts(ValueId V, unsigned Depth) {
  Bound B;
  unsigned Used = 0;
  for (const RangeFact &Fact : Known.facts()) {
    if (F.typeOf(Fact.A) != F.typeOf(V) || !Known.areSame(Fact.A, V) ||
        Known.areSame(Fact.B, V))
      continue;
    Bound Above = upper(Fact.B, Depth);
    if (Above && Fact.Strict)
      Above = Terms.less(*Above, 1);
    if (Above && ++Used > 3)
      break;
    B = least(B, Above);
  }
  return B;
}

std::optional<BoundId> UpperBounds::byMaking(ValueId V, unsigned Depth) {
  if (F.Insts[V].NumOperands == 0)
    return ofId(V);
  switch (F.Insts[V].Opcode) {
  case Op::Add:
    return ofSum(V, Depth);
  case Op::Sub:
    return ofDifference(V, F.operand(V, 0), F.operand(V, 1), Depth);
  case Op::Mul:
  case Op::Shl:
    return ofProduct(V, Depth);
  case Op::Div:
  case Op::Shr:
    return ofShare(V, Depth);
  case Op::Rem:
    return ofRemainder(V, Depth);
  case Op::And:
    return isUnsigned(V) ? ofEither(V, false, Depth) : std::nullopt;
  case Op::Min:
    return ofEither(V, !isUnsigned(V), Depth);
  case Op::Max:
  case Op::Select:
    return ofEither(V, true, Depth);
  case Op::Cast:
    return upper(F.operand(V, 0), Depth);
  default:
    return std::nullopt;
  }
}

std::optional<BoundId> UpperBounds::ofId(ValueId V) {
  const Inst &N = F.Insts[V];
  if (F.Kind != FuncKind::Kernel || N.Opcode != Op::GlobalId)
    return std::nullopt;
  uint32_t Axis = static_cast<uint32_t>(N.Imm), Size = F.WorkgroupSize[Axis];
  return Terms.add(Terms.mul(Terms.groupId(Axis), Terms.constant(Size)),
                   Terms.constant(Size - 1));
}

/// What an operand adds at most to an i32 that is not negative.
std::optional<BoundId> UpperBounds::nonNegativePart(ValueId V, unsigned Depth) {
  Interval R = Known.rangeOf(V);
  if (R.Lo >= 0)
    return upper(V, Depth);
  if (R.Hi == INT32_MAX)
    return std::nullopt;
  return Terms.constant(static_cast<uint32_t>(std::max<int64_t>(R.Hi, 0)));
}

std::optional<BoundId> UpperBounds::ofSum(ValueId V, unsigned Depth) {
  ValueId A = F.operand(V, 0), B = F.operand(V, 1);
  if (isUnsigned(V)) {
    // Adding 2^32 - c takes c away.
    if (std::optional<uint32_t> C = constantOf(B); C && *C > INT32_MAX)
      return ofDifference(V, A, B, Depth);
    if (Bound Together = ofParts(V, Depth))
      return Together;
    Bound X = upper(A, Depth), Y = X ? upper(B, Depth) : std::nullopt;
    return Y ? Bound(Terms.add(*X, *Y)) : std::nullopt;
  }
  Bound X, Y;
  Interval P = Known.rangeOf(A), Q = Known.rangeOf(B);
  bool NotBelow = P.Lo + Q.Lo >= INT32_MIN && Known.rangeOf(V).Lo >= 0;
  X = NotBelow ? nonNegativePart(A, Depth) : upper(A, Depth);
  if (X)
    Y = NotBelow ? nonNegativePart(B, Depth) : upper(B, Depth);
  if (!Y)
    return std::nullopt;
  // Signed bounds say nothing where they are too large to be one.
  return Terms.asSigned(Terms.add(*X, *Y));
}

/// The parts of a sum of u32, in whatever order they were added.
void UpperBounds::addends(ValueId V, std::vector<ValueId> &Parts) const {
  if (F.Insts[V].Opcode != Op::Add || Parts.size() >= MaxParts) {
    Parts.push_back(V);
    return;
  }
  for (ValueId Operand : F.operands(V))
    addends(Operand, Parts);
}

/// A sum of which two parts are bounded together, as t + k by n where k is
/// below n - t.
std::optional<BoundId> UpperBounds::ofParts(ValueId V, unsigned Depth) {
  std::vector<ValueId> Parts;
  addends(V, Parts);
  for (size_t I = 0; I < Parts.size(); ++I)
    for (size_t J = 0; J < Parts.size(); ++J) {
      Bound Sum = I == J ? Bound() : ofPair(Parts[I], Parts[J], Depth);
      for (size_t K = 0; Sum && K < Parts.size(); ++K) {
        if (K == I || K == J)
          continue;
        Bound Other = upper(Parts[K], Depth);
        Sum = Other ? Bound(Terms.add(*Sum, *Other)) : std::nullopt;
      }
      if (Sum)
        return Sum;
    }
  return std::nullopt;
}

/// A + B where B is known to be below X - A, or not above it.
std::optional<BoundId> UpperBounds::ofPair(ValueId A, ValueId B,
                                           unsigned Depth) {
  if (F.isConst(A) || F.isConst(B))
    return std::nullopt;
  for (const RangeFact &Fact : Known.facts()) {
    if (!isUnsigned(Fact.A) || !Known.areSame(Fact.A, B))
      continue;
    ValueId Whole = wholeOf(Fact.B, A);
    Bound X = Whole ? upper(Whole, Depth) : std::nullopt;
    if (X)
      return Fact.Strict ? Terms.less(*X, 1) : *X;
  }
  return std::nullopt;
}

/// X where V is X - Part, or the least of that and something else, and does
/// not wrap.
ValueId UpperBounds::wholeOf(ValueId V, ValueId Part) const {
  const Inst &N = F.Insts[V];
  if (N.Opcode == Op::Min && isUnsigned(V)) {
    ValueId X = wholeOf(F.operand(V, 0), Part);
    return X ? X : wholeOf(F.operand(V, 1), Part);
  }
  bool Rest = N.Opcode == Op::Sub && isUnsigned(V) &&
              Known.areSame(F.operand(V, 1), Part) &&
              Known.isLessEqual(Part, F.operand(V, 0));
  return Rest ? F.operand(V, 0) : ValueId();
}

/// V = A - B, or A + B where B is a constant that takes away.
std::optional<BoundId> UpperBounds::ofDifference(ValueId V, ValueId A,
                                                 ValueId B, unsigned Depth) {
  std::optional<uint32_t> C = constantOf(B);
  if (C && F.Insts[V].Opcode == Op::Add)
    C = 0u - *C;
  Bound X = upper(A, Depth);
  if (!X)
    return std::nullopt;
  BoundId Result =
      C && (isUnsigned(V) || *C <= INT32_MAX) ? Terms.less(*X, *C) : *X;
  if (!isUnsigned(V)) {
    bool Whole = Known.rangeOf(A).Lo >= 0 && Known.rangeOf(B).Lo >= 0 &&
                 Known.rangeOf(V).Lo >= 0;
    return Whole ? Bound(Result) : std::nullopt;
  }
  if (C ? Known.rangeOf(A).Lo >= int64_t(*C) : Known.isLessEqual(B, A))
    return Result;
  Bound Y = C ? Bound(Terms.constant(*C)) : upper(B, Depth);
  BoundId Least = lower(A, Depth);
  if (!Y || Terms.constantOf(Least) == 0u)
    return std::nullopt;
  return Terms.ifAtMost(*Y, Least, Result, Terms.constant(UINT32_MAX));
}

std::optional<BoundId> UpperBounds::ofProduct(ValueId V, unsigned Depth) {
  Bound X = upper(F.operand(V, 0), Depth), Y;
  std::optional<uint32_t> C = constantOf(F.operand(V, 1));
  if (F.Insts[V].Opcode == Op::Mul)
    Y = X ? upper(F.operand(V, 1), Depth) : std::nullopt;
  else if (C)
    Y = Terms.constant(uint32_t(1) << (*C & 31));
  if (!X || !Y)
    return std::nullopt;
  return Terms.mul(*X, *Y);
}

std::optional<BoundId> UpperBounds::ofShare(ValueId V, unsigned Depth) {
  Bound X = upper(F.operand(V, 0), Depth);
  std::optional<uint32_t> C = constantOf(F.operand(V, 1));
  bool Shift = F.Insts[V].Opcode == Op::Shr;
  if (!X || (!isUnsigned(V) && !C))
    return std::nullopt;
  uint32_t By = !C ? 1 : Shift ? uint32_t(1) << (*C & 31) : *C;
  if (By == 0 || (!isUnsigned(V) && By > INT32_MAX))
    return std::nullopt;
  // An i32 of which nothing is known may be negative.
  BoundId Share = Terms.div(*X, By);
  return isUnsigned(V) ? Share
                       : Terms.ifAtMost(*X, Terms.constant(INT32_MAX), Share,
                                        Terms.constant(UINT32_MAX));
}

/// At most the dividend; below a divisor that is not zero, and 0 by zero.
std::optional<BoundId> UpperBounds::ofRemainder(ValueId V, unsigned Depth) {
  Bound X = upper(F.operand(V, 0), Depth);
  if (!isUnsigned(V))
    return X;
  Bound Y = upper(F.operand(V, 1), Depth);
  return least(X, Y ? Bound(Terms.less(*Y, 1)) : Y);
}

/// Of two operands (the last two): one at least bounds, or both must.
std::optional<BoundId> UpperBounds::ofEither(ValueId V, bool Both,
                                             unsigned Depth) {
  unsigned N = F.Insts[V].NumOperands;
  Bound X = upper(F.operand(V, N - 2), Depth);
  Bound Y = upper(F.operand(V, N - 1), Depth);
  if (!Both)
    return least(X, Y);
  return X && Y ? Bound(Terms.max(*X, *Y)) : std::nullopt;
}

/// A term that no u32 value of V is below.
BoundId UpperBounds::lower(ValueId V, unsigned Depth) {
  BoundId Zero = Terms.constant(0);
  if (Depth == 0 || !isUnsigned(V))
    return Zero;
  if (isAvailable(V))
    return valueTerm(V);
  const Inst &N = F.Insts[V];
  auto Unless = [&](Bound Wraps, BoundId Then) {
    return Wraps ? Terms.ifAtMost(*Wraps, Terms.constant(UINT32_MAX - 1), Then,
                                  Zero)
                 : Zero;
  };
  auto Part = [&](unsigned K) { return lower(F.operand(V, K), Depth - 1); };
  switch (N.Opcode) {
  case Op::GlobalId: {
    uint32_t Axis = static_cast<uint32_t>(N.Imm);
    return Unless(ofId(V), Terms.mul(Terms.groupId(Axis),
                                     Terms.constant(F.WorkgroupSize[Axis])));
  }
  case Op::LoopVar:
    return lower(F.operand(N.Target, 0), Depth - 1);
  case Op::Add:
    if (std::optional<uint32_t> C = constantOf(F.operand(V, 1));
        C && *C > INT32_MAX)
      return Zero;
    return Unless(ofSum(V, Depth - 1), Terms.add(Part(0), Part(1)));
  case Op::Mul:
    return Unless(ofProduct(V, Depth - 1), Terms.mul(Part(0), Part(1)));
  default:
    return Terms.constant(static_cast<uint32_t>(Known.rangeOf(V).Lo));
  }
}

} // namespace goldy
