//===- Ranges.cpp - What is known of an integer where it is used
//------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Intervals are computed on demand by walking a value's operands to a fixed
// depth; relations are proven by chaining facts to the same depth. What is not
// proven within it counts as unknown.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Analysis/Ranges.h"

#include "goldyc/Analysis/Extents.h"

#include <algorithm>

namespace goldy {

Ranges::Ranges(const Module &M, const Function &F) : M(M), F(F), Where(F) {
  forEachInst(F, [&](InstId I) {
    const Inst &N = F.Insts[I];
    std::string Extent = extentName(F, I);
    if (!Extent.empty())
      Lengths.try_emplace(Extent, I);
    if (N.Opcode == Op::Assume)
      Guards.at(Where.blockOf(I)).push_back(I);
    if (N.Opcode != Op::If)
      return;
    bool Then = fallsThrough(F, N.Blocks[0]);
    bool Else = !N.Blocks[1] || fallsThrough(F, N.Blocks[1]);
    if (Then != Else)
      Guards.at(Where.blockOf(I)).push_back(I);
  });
  boundSlots();
}

// --- Facts

void Ranges::moveTo(InstId At) {
  Facts.clear();
  Memo.clear();
  for (InstId Child = At; Child;) {
    BlockId Block = Where.blockOf(Child);
    for (InstId Guard : Guards[Block]) {
      if (Guard >= Child)
        break;
      bool Assumed = F.Insts[Guard].Opcode == Op::Assume;
      if (Assumed && !Trusted[Guard])
        continue;
      bool Holds = Assumed || fallsThrough(F, F.Insts[Guard].Blocks[0]);
      addCondition(F.operand(Guard, 0), Holds);
    }
    InstId Parent = Where.ownerOf(Block);
    if (Parent && F.Insts[Parent].Opcode == Op::If)
      addCondition(F.operand(Parent, 0), F.Insts[Parent].Blocks[0] == Block);
    if (Parent && F.Insts[Parent].Opcode == Op::For)
      addLoop(Parent);
    Child = Parent;
  }
}

bool Ranges::followed(ValueId V) const {
  return F.typeOf(V) == types::U32 || F.typeOf(V) == types::I32;
}

void Ranges::addCondition(ValueId Cond, bool Holds, unsigned Depth) {
  if (Depth == 0)
    return;
  const Inst &N = F.Insts[Cond];
  if (N.Opcode == Op::Not && N.Type == types::Bool)
    return addCondition(F.operand(Cond, 0), !Holds, Depth - 1);
  if (N.Opcode == (Holds ? Op::And : Op::Or) && N.Type == types::Bool) {
    addCondition(F.operand(Cond, 0), Holds, Depth - 1);
    return addCondition(F.operand(Cond, 1), Holds, Depth - 1);
  }
  if (isComparison(N.Opcode) && followed(F.operand(Cond, 0)))
    addComparison(N.Opcode, F.operand(Cond, 0), F.operand(Cond, 1), Holds);
}

void Ranges::addComparison(Op O, ValueId A, ValueId B, bool Holds) {
  switch (O) {
  case Op::Lt:
    return Facts.push_back(Holds ? RangeFact{A, B, true}
                                 : RangeFact{B, A, false});
  case Op::Ge:
    return addComparison(Op::Lt, A, B, !Holds);
  case Op::Gt:
    return addComparison(Op::Lt, B, A, Holds);
  case Op::Le:
    return addComparison(Op::Lt, B, A, !Holds);
  default:
    if ((O == Op::Eq) != Holds)
      return;
    Facts.push_back({A, B, false});
    Facts.push_back({B, A, false});
  }
}

void Ranges::addLoop(InstId For) {
  const Inst &N = F.Insts[For];
  if (!followed(N.Var))
    return;
  Facts.push_back({N.Var, F.operand(For, 1), !(N.Flags & FlagInclusive)});
  Facts.push_back({F.operand(For, 0), N.Var, false});
}

// --- Intervals

Interval Ranges::full(ValueId V) const {
  return isUnsigned(V) ? AllU32 : AllI32;
}

static Interval meet(Interval A, Interval B) {
  Interval R{std::max(A.Lo, B.Lo), std::min(A.Hi, B.Hi)};
  // Contradictory facts: the place is never reached.
  return R.Lo <= R.Hi ? R : A;
}

Interval Ranges::range(ValueId V, unsigned Depth) const {
  if (!followed(V))
    return {INT64_MIN, INT64_MAX};
  if (Depth == 0)
    return full(V);
  std::unordered_map<ValueId, Found>::const_iterator Known = Memo.find(V);
  if (Known != Memo.end() && Known->second.Depth >= Depth)
    return Known->second.Bounds;
  Interval R = refined(V, Depth);
  Memo[V] = {R, Depth};
  return R;
}

/// What the value is made of, and the facts about it.
Interval Ranges::refined(ValueId V, unsigned Depth) const {
  Interval R = made(V, Depth - 1);
  for (const RangeFact &Fact : Facts) {
    int64_t Gap = Fact.Strict ? 1 : 0;
    if (same(Fact.A, V))
      R = meet(R, {INT64_MIN, made(Fact.B, std::min(Depth - 1, 2u)).Hi - Gap});
    else if (same(Fact.B, V))
      R = meet(R, {made(Fact.A, std::min(Depth - 1, 2u)).Lo + Gap, INT64_MAX});
  }
  return R;
}

Interval Ranges::made(ValueId V, unsigned Depth) const {
  const Inst &N = F.Insts[V];
  if (Depth == 0 && N.Opcode != Op::Const)
    return full(V);
  switch (N.Opcode) {
  case Op::Const: {
    int64_t C = isUnsigned(V) ? static_cast<int64_t>(N.Imm)
                              : static_cast<int32_t>(N.Imm);
    return {C, C};
  }
  case Op::LocalId:
    if (F.Kind != FuncKind::Kernel)
      return full(V);
    return {0, int64_t(F.WorkgroupSize[N.Imm]) - 1};
  case Op::NumWorkgroups:
    return {1, UINT32_MAX};
  case Op::LoopVar:
    return madeLoopVar(V, Depth);
  case Op::Load:
    return madeLoad(V);
  case Op::CountOnes:
  case Op::LeadingZeros:
  case Op::TrailingZeros:
    return {0, M.Types.bits(F.typeOf(F.operand(V, 0)))};
  case Op::Select: {
    Interval A = range(F.operand(V, 1), Depth);
    Interval B = range(F.operand(V, 2), Depth);
    return {std::min(A.Lo, B.Lo), std::max(A.Hi, B.Hi)};
  }
  case Op::Cast:
    return madeCast(V, Depth);
  default:
    return N.NumOperands == 2 && isPure(N.Opcode) ? madeBinary(V, Depth)
                                                  : full(V);
  }
}

/// Variables hold what is stored into them, narrow elements less than their
/// value's type.
Interval Ranges::madeLoad(ValueId V) const {
  if (std::optional<SlotId> S = wholeSlot(V))
    return SlotBounds[*S] ? *SlotBounds[*S] : full(V);
  TypeId T = F.Places[F.Insts[V].Where].Type;
  if (!M.Types.isStorageOnly(T))
    return full(V);
  int64_t Count = int64_t(1) << M.Types.bits(T);
  return M.Types.isSigned(T) ? Interval{-Count / 2, Count / 2 - 1}
                             : Interval{0, Count - 1};
}

Interval Ranges::madeLoopVar(ValueId V, unsigned Depth) const {
  const Inst &For = F.Insts[F.Insts[V].Target];
  Interval Lo = range(F.operands(For)[0], Depth);
  Interval Hi = range(F.operands(For)[1], Depth);
  return meet(full(V), {Lo.Lo, Hi.Hi - (For.Flags & FlagInclusive ? 0 : 1)});
}

Interval Ranges::madeCast(ValueId V, unsigned Depth) const {
  ValueId From = F.operand(V, 0);
  if (F.typeOf(From) == types::Bool)
    return {0, 1};
  if (!followed(From))
    return full(V);
  Interval R = range(From, Depth), All = full(V);
  return R.within(All.Lo, All.Hi) ? R : All;
}

Interval Ranges::madeBinary(ValueId V, unsigned Depth) const {
  ValueId A = F.operand(V, 0), B = F.operand(V, 1);
  if (!followed(A) || !followed(B))
    return full(V);
  return binaryInterval(F.Insts[V].Opcode, range(A, Depth), range(B, Depth),
                        full(V));
}

// --- Variables

std::optional<SlotId> Ranges::wholeSlot(InstId I) const {
  const Place &P = F.Places[F.Insts[I].Where];
  if (P.Base.Kind != BaseKind::Slot || !P.Path.empty() ||
      (P.Type != types::U32 && P.Type != types::I32))
    return std::nullopt;
  return SlotId(P.Base.Index);
}

/// Variables whose first store comes before every load of them.
void Ranges::boundSlots() {
  SideMap<Slot, std::vector<InstId>> Stores;
  SideMap<Slot, bool> ReadFirst{false};
  forEachInst(F, [&](InstId I) {
    const Inst &N = F.Insts[I];
    std::optional<SlotId> S = N.Where ? wholeSlot(I) : std::nullopt;
    if (!S)
      return;
    if (N.Opcode == Op::Store)
      Stores.at(*S).push_back(I);
    else if (N.Opcode != Op::Load || Stores[*S].empty() ||
             !Where.dominates(Stores[*S].front(), I))
      ReadFirst.set(*S, true);
  });
  for (uint32_t K = 0; K < F.Slots.size(); ++K)
    if (!ReadFirst[SlotId(K)] && !Stores[SlotId(K)].empty() &&
        Stores[SlotId(K)].size() <= MaxStores)
      boundSlot(SlotId(K), Stores[SlotId(K)]);
  Facts.clear();
  Memo.clear();
}

/// The hull of what the stores write.
Interval Ranges::storedIn(const std::vector<InstId> &Stores) {
  Interval Hull{INT64_MAX, INT64_MIN};
  for (InstId I : Stores) {
    moveTo(I);
    Interval R = rangeOf(F.operand(I, 0));
    Hull = {std::min(Hull.Lo, R.Lo), std::max(Hull.Hi, R.Hi)};
  }
  return Hull;
}

/// True if the value is computed from a load of the slot.
bool Ranges::dependsOn(ValueId V, SlotId S, unsigned Depth) const {
  if (F.Insts[V].Opcode == Op::Load)
    return wholeSlot(V) == S;
  if (Depth == 0)
    return true;
  for (ValueId Operand : F.operands(V))
    if (dependsOn(Operand, S, Depth - 1))
      return true;
  return false;
}

/// A guess holds if every store keeps it while the loads are taken to obey it.
/// The first is what is stored from elsewhere, as before a loop; then with one
/// end left open; last what the stores give whatever the variable holds.
void Ranges::boundSlot(SlotId S, const std::vector<InstId> &Stores) {
  Interval All = full(F.operand(Stores.front(), 0)), Plain = storedIn(Stores);
  std::vector<InstId> Others;
  for (InstId I : Stores)
    if (!dependsOn(F.operand(I, 0), S, 6))
      Others.push_back(I);
  std::vector<Interval> Guesses;
  if (!Others.empty()) {
    Interval From = storedIn(Others);
    Guesses = {From,
               {std::min<int64_t>(From.Lo, 0), From.Hi},
               {All.Lo, From.Hi},
               {From.Lo, All.Hi}};
  }
  Guesses.push_back(Plain);
  for (Interval Guess : Guesses) {
    SlotBounds.set(S, Guess);
    if (storedIn(Stores).within(Guess.Lo, Guess.Hi))
      return;
  }
  SlotBounds.set(S, std::nullopt);
}

// --- Relations

bool Ranges::same(ValueId A, ValueId B, unsigned Depth) const {
  if (A == B)
    return true;
  const Inst &X = F.Insts[A], &Y = F.Insts[B];
  if (X.Opcode == Op::Len || Y.Opcode == Op::Len || X.Opcode == Op::Dim) {
    std::string Extent = extentName(F, A);
    if (!Extent.empty())
      return Extent == extentName(F, B);
  }
  if (X.Opcode != Y.Opcode || X.Type != Y.Type || X.Imm != Y.Imm ||
      !isPure(X.Opcode) || X.Opcode == Op::LoopVar || Depth == 0)
    return false;
  if (X.NumOperands != Y.NumOperands)
    return false;
  for (uint32_t N = 0; N < X.NumOperands; ++N)
    if (!same(F.operand(A, N), F.operand(B, N), Depth - 1))
      return false;
  return true;
}

bool Ranges::less(ValueId A, ValueId B, unsigned Depth) const {
  if (Depth == 0)
    return false;
  if (range(A, Depth).Hi < range(B, Depth).Lo)
    return true;
  for (const RangeFact &Fact : Facts) {
    if (F.typeOf(Fact.A) != F.typeOf(A) || !same(Fact.A, A))
      continue;
    if (Fact.Strict ? lessEqual(Fact.B, B, Depth - 1)
                    : !same(Fact.B, A) && less(Fact.B, B, Depth / 2))
      return true;
  }
  return lessByMaking(A, B, Depth - 1);
}

bool Ranges::lessEqual(ValueId A, ValueId B, unsigned Depth) const {
  if (same(A, B))
    return true;
  if (Depth == 0)
    return false;
  if (range(A, Depth).Hi <= range(B, Depth).Lo)
    return true;
  for (const RangeFact &Fact : Facts)
    if (F.typeOf(Fact.A) == F.typeOf(A) && same(Fact.A, A) &&
        !same(Fact.B, A) && lessEqual(Fact.B, B, Depth / 2))
      return true;
  return lessThanNext(A, B, Depth - 1) || lessEqualByMaking(A, B, Depth - 1);
}

/// B is n - 1 and A < n, so n is not zero.
bool Ranges::lessThanNext(ValueId A, ValueId B, unsigned Depth) const {
  const Inst &N = F.Insts[B];
  if (N.NumOperands != 2 || !isUnsigned(B) || !F.isConst(F.operand(B, 1)))
    return false;
  uint64_t C = F.Insts[F.operand(B, 1)].Imm;
  bool OneLess = (N.Opcode == Op::Sub && C == 1) ||
                 (N.Opcode == Op::Add && C == UINT32_MAX);
  return OneLess && less(A, F.operand(B, 0), Depth);
}

bool Ranges::lessByMaking(ValueId A, ValueId B, unsigned Depth) const {
  const Inst &N = F.Insts[A];
  auto Operand = [&](unsigned K) { return F.operand(A, K); };
  switch (N.Opcode) {
  case Op::Rem:
    if (isUnsigned(A) && range(Operand(1), Depth).Lo >= 1 &&
        lessEqual(Operand(1), B, Depth))
      return true;
    return isUnsigned(A) && less(Operand(0), B, Depth);
  case Op::And:
    return isUnsigned(A) &&
           (less(Operand(0), B, Depth) || less(Operand(1), B, Depth));
  case Op::Min:
    return less(Operand(0), B, Depth) || less(Operand(1), B, Depth);
  case Op::Add:
    return isNext(A) && nextIsLess(Operand(0), B, Depth);
  case Op::Div:
  case Op::Shr:
    return isUnsigned(A) && less(Operand(0), B, Depth);
  case Op::Select:
    return less(Operand(1), B, Depth) && less(Operand(2), B, Depth);
  case Op::Sub:
    return isUnsigned(A) && lessEqual(Operand(1), Operand(0), Depth) &&
           less(Operand(0), B, Depth);
  default:
    return false;
  }
}

/// A is n + 1 of a u32.
bool Ranges::isNext(ValueId A) const {
  const Inst &N = F.Insts[A];
  return N.Opcode == Op::Add && isUnsigned(A) && F.isConst(F.operand(A, 1)) &&
         F.Insts[F.operand(A, 1)].Imm == 1;
}

/// A + 1 < B: some C is above A and below B.
bool Ranges::nextIsLess(ValueId A, ValueId B, unsigned Depth) const {
  if (Depth == 0)
    return false;
  for (const RangeFact &Fact : Facts)
    if (Fact.Strict && F.typeOf(Fact.A) == F.typeOf(A) && same(Fact.A, A) &&
        less(Fact.B, B, Depth / 2))
      return true;
  return false;
}

bool Ranges::lessEqualByMaking(ValueId A, ValueId B, unsigned Depth) const {
  const Inst &N = F.Insts[A];
  auto Operand = [&](unsigned K) { return F.operand(A, K); };
  switch (N.Opcode) {
  case Op::Add:
    return isNext(A) && less(Operand(0), B, Depth);
  case Op::And:
    return isUnsigned(A) &&
           (lessEqual(Operand(0), B, Depth) || lessEqual(Operand(1), B, Depth));
  case Op::Min:
    return lessEqual(Operand(0), B, Depth) || lessEqual(Operand(1), B, Depth);
  case Op::Div:
  case Op::Shr:
  case Op::Rem:
    return isUnsigned(A) && lessEqual(Operand(0), B, Depth);
  case Op::Select:
    return lessEqual(Operand(1), B, Depth) && lessEqual(Operand(2), B, Depth);
  case Op::Sub:
    return isUnsigned(A) && lessEqual(Operand(1), Operand(0), Depth) &&
           lessEqual(Operand(0), B, Depth);
  default:
    return false;
  }
}

// --- Lengths

ValueId Ranges::lengthOf(const PlaceBase &Buffer) const {
  std::map<std::string, ValueId>::const_iterator It =
      Lengths.find(lengthName(F, Buffer));
  return It == Lengths.end() ? ValueId() : It->second;
}

bool Ranges::isBelowLength(ValueId V, const PlaceBase &Buffer) const {
  ValueId Length = lengthOf(Buffer);
  if (!Length)
    return false;
  if (isUnsigned(V))
    return less(V, Length, MaxRelationDepth);
  if (rangeOf(V).Lo < 0)
    return false;
  for (const RangeFact &Fact : Facts)
    if (Fact.Strict && (isBelowCastLength(Fact, V, Length) ||
                        isCastBelowLength(Fact, V, Length)))
      return true;
  return false;
}

/// V < Length as i32: V is not negative, so the cast did not wrap.
bool Ranges::isBelowCastLength(const RangeFact &Fact, ValueId V,
                               ValueId Length) const {
  return same(Fact.A, V) && F.Insts[Fact.B].Opcode == Op::Cast &&
         same(F.operand(Fact.B, 0), Length);
}

/// V as u32 < Length, and V is not negative.
bool Ranges::isCastBelowLength(const RangeFact &Fact, ValueId V,
                               ValueId Length) const {
  return same(Fact.B, Length) && F.Insts[Fact.A].Opcode == Op::Cast &&
         same(F.operand(Fact.A, 0), V);
}

} // namespace goldy
