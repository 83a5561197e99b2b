//===- LanesForms.cpp - Values as sums, and tests on their extremes -------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LanesForms.h"

#include <algorithm>

using namespace goldy;

bool LaneForms::isInside(InstId I) const {
  for (size_t N = From; N < List.size(); ++N) {
    if (List[N] == I)
      return true;
    for (BlockId Inner : F.Insts[List[N]].Blocks)
      if (Inner && S.contains(Inner, I))
        return true;
  }
  return false;
}

std::optional<Form> LaneForms::leaf(ValueId V) const {
  LaneValue L = Plan.Vector.Value[V];
  if (!L.isScalar())
    return std::nullopt;
  Form X;
  X.Values[V] = 1;
  X.Lane = L.Stride;
  return X;
}

std::optional<Form> LaneForms::form(ValueId V, unsigned Depth) {
  const Inst &N = F.Insts[V];
  if (!isWord(N.Type) || Depth == 0)
    return std::nullopt;
  if (N.Opcode == Op::Const) {
    Form X;
    X.Constant = N.Type == types::I32 ? int64_t(static_cast<int32_t>(N.Imm))
                                      : int64_t(static_cast<uint32_t>(N.Imm));
    return X;
  }
  if (opInfo(N.Opcode).Effects == Effect::Leaf || !isInside(V))
    return leaf(V);
  std::optional<Form> X = made(V, Depth - 1);
  return X && X->isSmall() ? X : std::nullopt;
}

std::optional<Form> LaneForms::made(ValueId V, unsigned Depth) {
  const Inst &N = F.Insts[V];
  auto Sum = [&](int64_t By) -> std::optional<Form> {
    std::optional<Form> A = form(F.operand(V, 0), Depth);
    std::optional<Form> B = A ? form(F.operand(V, 1), Depth) : std::nullopt;
    if (B)
      A->add(*B, By);
    return B ? A : std::nullopt;
  };
  auto Scaled = [&](unsigned Operand, int64_t By) -> std::optional<Form> {
    std::optional<Form> A = form(F.operand(V, Operand), Depth);
    Form X;
    if (A)
      X.add(*A, By);
    return A ? std::optional(X) : std::nullopt;
  };
  switch (N.Opcode) {
  case Op::Add:
    return Sum(1);
  case Op::Sub:
    return Sum(-1);
  case Op::Neg:
    return Scaled(0, -1);
  case Op::Cast:
    return form(F.operand(V, 0), Depth);
  case Op::Mul:
    for (unsigned Side = 0; Side < 2; ++Side)
      if (F.isConst(F.operand(V, Side)))
        return Scaled(1 - Side,
                      static_cast<int32_t>(F.Insts[F.operand(V, Side)].Imm));
    return std::nullopt;
  case Op::RawShl:
    if (F.isConst(F.operand(V, 1)) && F.Insts[F.operand(V, 1)].Imm < 20)
      return Scaled(0, int64_t(1) << F.Insts[F.operand(V, 1)].Imm);
    return std::nullopt;
  case Op::Load:
    return counter(V);
  default:
    return std::nullopt;
  }
}

/// The counter of a loop around the load.
std::optional<Form> LaneForms::counter(InstId Load) {
  SlotId Slot = F.wholeSlotOf(Load);
  if (!Slot)
    return std::nullopt;
  for (InstId L = S.parentOf(Load); L && isInside(L); L = S.parentOf(L)) {
    if (F.Insts[L].Opcode != Op::Loop ||
        !S.contains(F.Insts[L].Blocks[0], Load))
      continue;
    const Counted *C = counted(L);
    if (!C || C->Slot != Slot)
      continue;
    Form X;
    X.Counters[L] = 1;
    return X;
  }
  return std::nullopt;
}

const Counted *LaneForms::counted(InstId Loop) {
  std::map<InstId, std::optional<Counted>>::iterator Known = Loops.find(Loop);
  if (Known == Loops.end()) {
    Loops[Loop] = std::nullopt; // while it is made
    std::optional<Counted> Made = makeCounted(Loop);
    Known = Loops.find(Loop);
    Known->second = std::move(Made);
  }
  return Known->second ? &*Known->second : nullptr;
}

/// As For statements are lowered: a store before the loop, in the same block,
/// and one in the continuing block, of the old value and a constant.
std::optional<Counted> LaneForms::makeCounted(InstId Loop) {
  const Inst &L = F.Insts[Loop];
  if (!L.Blocks[1])
    return std::nullopt;
  ValueId Cond;
  InstId Step;
  for (InstId I : F.Blocks[L.Blocks[1]].Insts) {
    const Inst &N = F.Insts[I];
    if (N.Opcode == Op::BreakIf)
      Cond = F.operand(I, 0);
    else if (N.Opcode == Op::Store && F.wholeSlotOf(I) && !Step)
      Step = I;
    else if (!isPure(N.Opcode) && N.Opcode != Op::Load)
      return std::nullopt;
  }
  if (!Cond || !Step)
    return std::nullopt;
  Counted C;
  C.Slot = F.slotOf(Step);
  ValueId Start = startOf(Loop, Step, C.Slot);
  ValueId Next = F.operand(Step, 0);
  if (!Start || F.Insts[Next].Opcode != Op::Add ||
      !isLoadOf(F.operand(Next, 0), C.Slot) || !F.isConst(F.operand(Next, 1)))
    return std::nullopt;
  int64_t By = static_cast<int32_t>(F.Insts[F.operand(Next, 1)].Imm);
  std::optional<Form> Low = form(Start);
  std::optional<Form> High =
      By > 0 ? lastOf(Cond, Next, C.Slot, By) : std::nullopt;
  if (!Low || !High || !ranges(*Low, F.typeOf(Start)))
    return std::nullopt;
  C.Low = *Low;
  C.High = *High;
  if (Low->isConstant() && High->isConstant() &&
      High->Constant >= Low->Constant)
    C.Trips = static_cast<uint64_t>((High->Constant - Low->Constant) / By + 1);
  Form Any = *High; // runs at all
  Any.add(*Low, -1);
  std::optional<Form> Least = extreme(Any, false);
  return Least && test(*Least) ? std::optional(C) : std::nullopt;
}

/// The counter's value before its step.
bool LaneForms::isLoadOf(ValueId V, SlotId Slot) const {
  const Inst &N = F.Insts[V];
  return N.Opcode == Op::Load && isWord(N.Type) && F.slotOf(V) == Slot &&
         isBeforeStep(V);
}

bool LaneForms::isBeforeStep(InstId Load) const {
  InstId Loop = S.parentOf(Load);
  if (!Loop || S.blockOf(Load) != F.Insts[Loop].Blocks[1])
    return true;
  for (InstId I : F.Blocks[S.blockOf(Load)].Insts) {
    if (I == Load)
      return true;
    if (F.Insts[I].Opcode == Op::Store)
      return false;
  }
  return false;
}

/// What is stored before the loop, if nothing else is stored but its step.
ValueId LaneForms::startOf(InstId Loop, InstId Step, SlotId Slot) const {
  InstId First;
  for (InstId A : Plan.Scopes[Slot].Accesses) {
    if (F.Insts[A].Opcode != Op::Store || A == Step)
      continue;
    if (First)
      return ValueId();
    First = A;
  }
  if (!First || S.blockOf(First) != S.blockOf(Loop))
    return ValueId();
  const std::vector<InstId> &Around = F.Blocks[S.blockOf(Loop)].Insts;
  for (InstId I : Around)
    if (I == First || I == Loop)
      return I == First ? F.operand(First, 0) : ValueId();
  return ValueId();
}

/// The greatest value of the counter, from the condition to leave (LowerFor).
std::optional<Form> LaneForms::lastOf(ValueId Cond, ValueId Next, SlotId Slot,
                                      int64_t By) {
  const Inst &N = F.Insts[Cond];
  if (F.operands(Cond).size() != 2)
    return std::nullopt;
  ValueId X = F.operand(Cond, 0), Y = F.operand(Cond, 1), End;
  bool Inclusive = false;
  if (N.Opcode == Op::Eq && isLoadOf(X, Slot) && By == 1) {
    End = Y;
    Inclusive = true;
  } else if (N.Opcode == Op::Ge && X == Next && By == 1) {
    End = Y;
  } else if ((N.Opcode == Op::Le || N.Opcode == Op::Lt) && F.isConst(Y) &&
             F.typeOf(Y) == types::U32 && int64_t(F.Insts[Y].Imm) == By) {
    if (F.Insts[X].Opcode == Op::Cast)
      X = F.operand(X, 0);
    if (F.Insts[X].Opcode != Op::Sub || !isLoadOf(F.operand(X, 1), Slot))
      return std::nullopt;
    End = F.operand(X, 0);
    Inclusive = N.Opcode == Op::Lt;
  }
  std::optional<Form> High = End ? form(End) : std::nullopt;
  if (!High || !ranges(*High, F.typeOf(End)))
    return std::nullopt;
  High->Constant -= Inclusive ? 0 : 1;
  return High;
}

/// The least or greatest of a form over lanes and loops: one over values.
std::optional<Form> LaneForms::extreme(Form X, bool Most) {
  for (unsigned Left = 8; !X.Counters.empty(); --Left) {
    auto [Loop, Factor] = *X.Counters.begin();
    const Counted *C = counted(Loop);
    if (!C || Left == 0)
      return std::nullopt;
    X.Counters.erase(Loop);
    X.add((Factor > 0) == Most ? C->High : C->Low, Factor);
    std::erase_if(X.Counters, [](const auto &K) { return K.second == 0; });
  }
  if ((X.Lane > 0) == Most)
    X.Constant += X.Lane * (Plan.Width - 1);
  X.Lane = 0;
  std::erase_if(X.Values, [](const auto &K) { return K.second == 0; });
  return X.isSmall() ? std::optional(X) : std::nullopt;
}

/// X, a form over values, must not be negative. False: it certainly is.
bool LaneForms::test(const Form &X) {
  int64_t Least = X.Constant, Most = X.Constant;
  for (const auto &[V, K] : X.Values) {
    auto [Low, High] = rangeOf(F.typeOf(V));
    Least += K * (K > 0 ? Low : High);
    Most += K * (K > 0 ? High : Low);
  }
  if (Least >= 0)
    return true;
  if (Most < 0)
    return false;
  TestMap::iterator Known = Tests.try_emplace(X.Values, X.Constant).first;
  Known->second = std::min(Known->second, X.Constant);
  return Tests.size() <= MaxTests;
}

std::pair<int64_t, int64_t> LaneForms::rangeOf(TypeId T) {
  return T == types::I32
             ? std::pair(-(int64_t(1) << 31), (int64_t(1) << 31) - 1)
             : std::pair(int64_t(0), (int64_t(1) << 32) - 1);
}

/// A value of type T is what its form says: nothing wraps.
bool LaneForms::ranges(const Form &X, TypeId T) {
  auto [Low, High] = rangeOf(T);
  if (X.isConstant())
    return X.Constant >= Low && X.Constant <= High;
  if (X.isValue())
    return F.typeOf(X.Values.begin()->first) == T || rangesTest(X, Low, High);
  return rangesTest(X, Low, High);
}

bool LaneForms::rangesTest(const Form &X, int64_t Low, int64_t High) {
  std::optional<Form> Least = extreme(X, false), Most = extreme(X, true);
  if (!Least || !Most)
    return false;
  Least->Constant -= Low;
  Form Room;
  Room.Constant = High;
  Room.add(*Most, -1);
  return test(*Least) && test(Room);
}

bool LaneForms::compare(ValueId Cond, bool Outcome) {
  const Inst &N = F.Insts[Cond];
  ValueId X = F.operand(Cond, 0), Y = F.operand(Cond, 1);
  TypeId T = F.typeOf(X);
  std::optional<Form> A = form(X), B = A ? form(Y) : std::nullopt;
  if (!B)
    return false;
  // As `less < more` or `less <= more`.
  bool Swap = (N.Opcode == Op::Gt || N.Opcode == Op::Ge) == Outcome;
  bool Strict = (N.Opcode == Op::Lt || N.Opcode == Op::Gt) == Outcome;
  Form Room;
  Room.add(Swap ? *A : *B, 1);
  Room.add(Swap ? *B : *A, -1);
  Room.Constant -= Strict ? 1 : 0;
  TestMap Before = Tests;
  std::optional<Form> Least = extreme(Room, false);
  if (Least && test(*Least) && ranges(*A, T) && ranges(*B, T))
    return true;
  Tests = std::move(Before);
  return false;
}
