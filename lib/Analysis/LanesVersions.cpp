//===- LanesVersions.cpp - Where all lanes pass every test ----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stencil tests for every element whether it lies in the image, and away from
// the image's edges no test ever fails. Such conditions compare sums of ids,
// counters of loops and values that are known before: their extremes over the
// lanes and over the loops are known before, too. So the statements are there
// twice, and a few scalar tests in front, once a vector, select the copy in
// which the comparisons have their usual outcome.
//
// *Exact.* Sums are followed as whole numbers, to which the values of the
// program are equal modulo 2^32. A test asks that the extremes are within the
// type's range, so that they are equal, and that the comparison holds for them.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Analysis/Lanes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

using namespace goldy;

namespace {

/// Instructions that one version copies, and all of a kernel together.
constexpr unsigned MaxVersion = 400, MaxVersions = 1000;
/// Instructions that loops with known trips may become in the copy.
constexpr unsigned MaxUnrolled = 500;
/// Scalar tests in front of a version.
constexpr size_t MaxTests = 12;
/// Repetitions and instructions of loops that are unrolled everywhere.
constexpr unsigned MaxSmallTrips = 8, MaxSmall = 96;
/// Nested `&`, `|` and `!` of a condition.
constexpr unsigned MaxConditions = 8;
constexpr int64_t MaxFactor = 1 << 20;

/// Constant + Σ factor * value + Lane * lane + Σ factor * counter.
struct Form {
  int64_t Constant = 0, Lane = 0;
  std::map<ValueId, int64_t> Values;
  std::map<InstId, int64_t> Counters; ///< by loop

  void add(const Form &X, int64_t By) {
    Constant += By * X.Constant;
    Lane += By * X.Lane;
    for (const auto &[V, K] : X.Values)
      Values[V] += By * K;
    for (const auto &[L, K] : X.Counters)
      Counters[L] += By * K;
  }
  bool isConstant() const {
    return Lane == 0 && Values.empty() && Counters.empty();
  }
  /// One value as it is, the same in all lanes.
  bool isValue() const {
    return Constant == 0 && Lane == 0 && Counters.empty() &&
           Values.size() == 1 && Values.begin()->second == 1;
  }
  bool isSmall() const {
    auto Small = [](int64_t K) { return K >= -MaxFactor && K <= MaxFactor; };
    bool All = Constant >= -(int64_t(1) << 40) &&
               Constant <= (int64_t(1) << 40) && Small(Lane);
    for (const auto &[V, K] : Values)
      All &= Small(K);
    for (const auto &[L, K] : Counters)
      All &= Small(K);
    return All && Values.size() + Counters.size() <= 8;
  }
};

/// A loop whose counter goes from Low to High in steps.
struct Counted {
  Form Low, High;
  SlotId Slot;
  uint64_t Trips = 0; ///< 0: not known here
};

/// The statements of one version, while they are looked at.
class Candidate {
public:
  Candidate(const Function &F, const Structure &S, const LanePlan &Plan,
            const std::vector<InstId> &List, size_t From)
      : F(F), S(S), Plan(Plan), List(List), From(From) {}

  /// Takes the list's statement `N`; false if it cannot be part.
  bool take(size_t N);
  /// True if the copy without tests is worth its size.
  bool pays() const { return Guards.size() >= 2 || InLoops >= 1; }
  /// Guards of the last statement taken.
  bool gained() const { return Gained; }
  /// The version of the statements up to `Upto`.
  bool finish(LaneVersion &Version, size_t Upto,
              SideMap<Inst, uint32_t> &Trips);
  unsigned size() const { return Size; }
  /// Trips of a loop that is better as straight code wherever it stands: few,
  /// known without a test, of a short body without exits and loops. Else 0.
  uint32_t smallTrips(InstId Loop);
  /// What the tests are about.
  std::set<ValueId> values() const {
    std::set<ValueId> All;
    for (const auto &[Values, Constant] : Tests)
      for (const auto &[V, Factor] : Values)
        All.insert(V);
    return All;
  }

private:
  static bool isWord(TypeId T) { return T == types::U32 || T == types::I32; }
  bool isInside(InstId I) const;
  std::optional<Form> form(ValueId V, unsigned Depth = 12);
  std::optional<Form> made(ValueId V, unsigned Depth);
  std::optional<Form> counter(InstId Load);
  std::optional<Form> leaf(ValueId V) const;
  const Counted *counted(InstId Loop);
  std::optional<Counted> makeCounted(InstId Loop);
  bool isLoadOf(ValueId V, SlotId Slot) const;
  bool isBeforeStep(InstId Load) const;
  ValueId startOf(InstId Loop, InstId Step, SlotId Slot) const;
  std::optional<Form> lastOf(ValueId Cond, ValueId Next, SlotId Slot,
                             int64_t By);
  bool leaves(InstId Statement) const;
  void guard(InstId I);
  bool usualOutcome(InstId If) const;
  bool decide(ValueId Cond, bool Outcome, unsigned Depth = MaxConditions);
  bool compare(ValueId Cond, bool Outcome);
  static std::pair<int64_t, int64_t> rangeOf(TypeId T);
  bool ranges(const Form &X, TypeId T);
  bool rangesTest(const Form &X, int64_t Low, int64_t High);
  /// The least or greatest of X over lanes and loops.
  std::optional<Form> extreme(Form X, bool Most);
  bool test(const Form &X);
  bool staysTogether(InstId Statement, const std::vector<InstId> &Around) const;
  void unroll(InstId I, unsigned Copies, SideMap<Inst, uint32_t> &Trips);
  bool isUnrolledLoad(InstId I, const SideMap<Inst, uint32_t> &Trips) const;

  const Function &F;
  const Structure &S;
  const LanePlan &Plan;
  const std::vector<InstId> &List;
  size_t From;
  unsigned Size = 0, InLoops = 0;
  std::vector<InstId> Guards;
  bool Gained = false;
  std::map<InstId, std::optional<Counted>> Loops;
  std::map<ValueId, bool> Outcomes;
  /// Constants of tests by their values and factors: the least is the
  /// strictest.
  std::map<std::map<ValueId, int64_t>, int64_t> Tests;
};

/// Within the statements taken, or about to be.
bool Candidate::isInside(InstId I) const {
  for (size_t N = From; N < List.size(); ++N) {
    if (List[N] == I)
      return true;
    for (BlockId Inner : F.Insts[List[N]].Blocks)
      if (Inner && S.contains(Inner, I))
        return true;
  }
  return false;
}

std::optional<Form> Candidate::leaf(ValueId V) const {
  LaneValue L = Plan.Vector.Value[V];
  if (!L.isScalar())
    return std::nullopt;
  Form X;
  X.Values[V] = 1;
  X.Lane = L.Stride;
  return X;
}

std::optional<Form> Candidate::form(ValueId V, unsigned Depth) {
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

std::optional<Form> Candidate::made(ValueId V, unsigned Depth) {
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
std::optional<Form> Candidate::counter(InstId Load) {
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

const Counted *Candidate::counted(InstId Loop) {
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
std::optional<Counted> Candidate::makeCounted(InstId Loop) {
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
bool Candidate::isLoadOf(ValueId V, SlotId Slot) const {
  const Inst &N = F.Insts[V];
  return N.Opcode == Op::Load && isWord(N.Type) && F.slotOf(V) == Slot &&
         isBeforeStep(V);
}

bool Candidate::isBeforeStep(InstId Load) const {
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
ValueId Candidate::startOf(InstId Loop, InstId Step, SlotId Slot) const {
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
std::optional<Form> Candidate::lastOf(ValueId Cond, ValueId Next, SlotId Slot,
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
std::optional<Form> Candidate::extreme(Form X, bool Most) {
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
bool Candidate::test(const Form &X) {
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
  std::map<std::map<ValueId, int64_t>, int64_t>::iterator Known =
      Tests.try_emplace(X.Values, X.Constant).first;
  Known->second = std::min(Known->second, X.Constant);
  return Tests.size() <= MaxTests;
}

std::pair<int64_t, int64_t> Candidate::rangeOf(TypeId T) {
  return T == types::I32
             ? std::pair(-(int64_t(1) << 31), (int64_t(1) << 31) - 1)
             : std::pair(int64_t(0), (int64_t(1) << 32) - 1);
}

/// A value of type T is what its form says: nothing wraps.
bool Candidate::ranges(const Form &X, TypeId T) {
  auto [Low, High] = rangeOf(T);
  if (X.isConstant())
    return X.Constant >= Low && X.Constant <= High;
  if (X.isValue())
    return F.typeOf(X.Values.begin()->first) == T || rangesTest(X, Low, High);
  return rangesTest(X, Low, High);
}

bool Candidate::rangesTest(const Form &X, int64_t Low, int64_t High) {
  std::optional<Form> Least = extreme(X, false), Most = extreme(X, true);
  if (!Least || !Most)
    return false;
  Least->Constant -= Low;
  Form Room;
  Room.Constant = High;
  Room.add(*Most, -1);
  return test(*Least) && test(Room);
}

// --- Guards

/// A test is passed unless its other side is the way out.
bool Candidate::usualOutcome(InstId If) const {
  const Inst &N = F.Insts[If];
  if (N.Blocks[1] && !F.Blocks[N.Blocks[1]].Insts.empty())
    return fallsThrough(F, N.Blocks[0]) || !fallsThrough(F, N.Blocks[1]);
  return fallsThrough(F, N.Blocks[0]);
}

/// Finds tests under which `Cond` has the outcome, or as good as: what is left
/// of it is uniform. False if there are none.
bool Candidate::decide(ValueId Cond, bool Outcome, unsigned Depth) {
  if (Outcomes.count(Cond))
    return Outcomes[Cond] == Outcome;
  const Inst &N = F.Insts[Cond];
  bool Uniform = Plan.Vector.Value[Cond].Shape == LaneShape::Uniform;
  if (Depth-- == 0)
    return Uniform;
  switch (N.Opcode) {
  case Op::Not:
    return decide(F.operand(Cond, 0), !Outcome, Depth);
  case Op::And:
  case Op::Or: {
    if ((N.Opcode == Op::And) != Outcome)
      return Uniform;
    bool Left = decide(F.operand(Cond, 0), Outcome, Depth);
    bool Right = decide(F.operand(Cond, 1), Outcome, Depth);
    return Left && Right;
  }
  case Op::Lt:
  case Op::Le:
  case Op::Gt:
  case Op::Ge:
    if (compare(Cond, Outcome)) {
      Outcomes[Cond] = Outcome;
      return true;
    }
    return Uniform;
  default:
    return Uniform;
  }
}

bool Candidate::compare(ValueId Cond, bool Outcome) {
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
  std::map<std::map<ValueId, int64_t>, int64_t> Before = Tests;
  std::optional<Form> Least = extreme(Room, false);
  if (Least && test(*Least) && ranges(*A, T) && ranges(*B, T))
    return true;
  Tests = std::move(Before);
  return false;
}

void Candidate::guard(InstId I) {
  const Inst &N = F.Insts[I];
  if (N.Opcode != Op::If || !Plan.Vector.Divergent[I])
    return;
  if (!decide(F.operand(I, 0), usualOutcome(I)))
    return;
  Guards.push_back(I);
  Gained = true;
  for (InstId P = S.parentOf(I); P && isInside(P); P = S.parentOf(P))
    if (F.Insts[P].Opcode == Op::Loop) {
      ++InLoops;
      break;
    }
}

/// Lanes may leave the statement for somewhere farther out.
bool Candidate::leaves(InstId Statement) const {
  bool Leaves = false;
  auto Look = [&](InstId I) {
    Op O = F.Insts[I].Opcode;
    if (O == Op::Return)
      Leaves = true;
    if (O != Op::Break && O != Op::Continue)
      return;
    InstId T = F.Insts[I].Target;
    bool Within = T == Statement;
    for (BlockId Inner : F.Insts[Statement].Blocks)
      Within |= Inner && T && S.contains(Inner, T);
    Leaves |= !Within;
  };
  Look(Statement);
  forEachWithin(F, Statement, Look);
  return Leaves;
}

bool Candidate::take(size_t N) {
  InstId I = List[N];
  if (leaves(I))
    return false;
  bool Checked = false; // a copy that is there for its checks does not run
  unsigned More = 1;
  auto Count = [&](InstId Inner) {
    ++More;
    Checked |= F.Insts[Inner].Opcode == Op::Loop && F.Insts[Inner].Unroll == 1;
  };
  if (F.Insts[I].Opcode == Op::Loop)
    Checked = F.Insts[I].Unroll == 1;
  forEachWithin(F, I, Count);
  if (Checked || Size + More > MaxVersion)
    return false;
  Gained = false;
  guard(I);
  forEachWithin(F, I, [&](InstId G) { guard(G); });
  Size += More;
  return true;
}

/// Loops of few trips without exits become straight code in the copy.
void Candidate::unroll(InstId I, unsigned Copies,
                       SideMap<Inst, uint32_t> &Trips) {
  const Inst &N = F.Insts[I];
  if (N.Opcode == Op::Loop) {
    unsigned Body = 0;
    bool Exits = false;
    forEachInst(F, N.Blocks[0], [&](InstId Inner) {
      Op O = F.Insts[Inner].Opcode;
      ++Body;
      Exits |= O == Op::Break || O == Op::Continue;
    });
    const Counted *C = counted(I);
    uint64_t Times = C ? C->Trips : 0;
    if (Times == 0 || Exits || N.Unroll == 1 || Times > MaxUnrolled ||
        Copies * Times * Body > MaxUnrolled)
      return;
    Trips.set(I, static_cast<uint32_t>(Times));
    Copies *= static_cast<unsigned>(Times);
  }
  for (BlockId Inner : N.Blocks)
    if (Inner)
      for (InstId Next : F.Blocks[Inner].Insts)
        unroll(Next, Copies, Trips);
}

/// Every divergent exit within is under a guard, and under no other choice
/// between lanes, and ends there or in one of `Around`, which stay together.
bool Candidate::staysTogether(InstId Statement,
                              const std::vector<InstId> &Around) const {
  bool Together = true;
  auto Look = [&](InstId I) {
    Op O = F.Insts[I].Opcode;
    bool Exit = O == Op::Break || O == Op::Continue || O == Op::BreakIf;
    if (!Exit || !Plan.Vector.Divergent[I])
      return;
    bool Guarded = false, Other = O == Op::BreakIf;
    for (InstId P = S.parentOf(I); P && isInside(P); P = S.parentOf(P)) {
      bool Guard = std::find(Guards.begin(), Guards.end(), P) != Guards.end();
      Guarded |= Guard;
      Other |=
          !Guard && F.Insts[P].Opcode == Op::If && Plan.Vector.Divergent[P];
    }
    InstId T = O == Op::BreakIf ? S.parentOf(I) : F.Insts[I].Target;
    bool Stays = T == Statement || S.contains(F.Insts[Statement].Blocks[0], T);
    Together &=
        Guarded && !Other &&
        (Stays || std::find(Around.begin(), Around.end(), T) != Around.end());
  };
  forEachWithin(F, Statement, Look);
  return Together;
}

bool Candidate::finish(LaneVersion &Version, size_t Upto,
                       SideMap<Inst, uint32_t> &Trips) {
  if (Tests.size() > MaxTests)
    return false;
  Version.From = List[From];
  Version.To = List[Upto];
  for (const auto &[Values, Constant] : Tests)
    Version.Tests.push_back({{Values.begin(), Values.end()}, Constant});
  Version.Outcomes.assign(Outcomes.begin(), Outcomes.end());
  Version.Guards = Guards;
  std::set<uint32_t> Near;
  auto Look = [&](InstId I) {
    Op O = F.Insts[I].Opcode;
    if ((O == Op::Loop || O == Op::Block) && Plan.HasDivergentExit[I] &&
        staysTogether(I, Version.Together))
      Version.Together.push_back(I);
    if (isUnrolledLoad(I, Trips))
      Near.insert(F.Places[F.Insts[I].Where].Base.Index);
  };
  for (size_t N = From; N <= Upto; ++N) {
    unroll(List[N], 1, Trips);
    Look(List[N]);
    forEachWithin(F, List[N], Look);
  }
  Version.Near.assign(Near.begin(), Near.end());
  return true;
}

/// A load of neighbours that is there several times, with other indices.
bool Candidate::isUnrolledLoad(InstId I,
                               const SideMap<Inst, uint32_t> &Trips) const {
  const Inst &N = F.Insts[I];
  if (N.Opcode != Op::Load || F.guard(I) ||
      F.Places[N.Where].Base.Kind != BaseKind::Param ||
      Plan.Access[I] != LaneAccess::Contiguous)
    return false;
  for (InstId P = S.parentOf(I); P; P = S.parentOf(P))
    if (Trips[P] > 1)
      return true;
  return false;
}

uint32_t Candidate::smallTrips(InstId Loop) {
  const Inst &N = F.Insts[Loop];
  if (N.Unroll == 1 || Plan.HasDivergentExit[Loop])
    return 0;
  unsigned Body = 0;
  bool Plain = true;
  forEachInst(F, N.Blocks[0], [&](InstId I) {
    ++Body;
    Plain &= opInfo(F.Insts[I].Opcode).Effects != Effect::Control;
  });
  const Counted *C = Plain ? counted(Loop) : nullptr;
  uint32_t Trips = C && Tests.empty() ? C->Trips : 0;
  return Trips <= MaxSmallTrips && Trips * Body <= MaxSmall ? Trips : 0;
}

/// Finds the versions of a kernel.
class VersionPlanner {
public:
  VersionPlanner(const Function &F, const Structure &S, LanePlan &Plan)
      : F(F), S(S), Plan(Plan) {}

  void run() {
    for (const LaneRegion &R : Plan.Regions)
      if (!isOtherForm(R.Insts.front())) {
        list(R.Insts);
        small(R.Insts);
      }
  }

private:
  /// Of a first choice: the form with checks, or for the last group.
  bool isOtherForm(InstId I) const {
    for (BlockId B = S.blockOf(I); S.ownerOf(B); B = S.blockOf(S.ownerOf(B))) {
      InstId P = S.ownerOf(B);
      if (Plan.FirstChoice[P] && B == F.Insts[P].Blocks[1])
        return true;
    }
    return false;
  }

  void small(const std::vector<InstId> &List) {
    for (size_t N = 0; N < List.size(); ++N) {
      const Inst &I = F.Insts[List[N]];
      if (I.Opcode == Op::Loop) {
        Candidate C(F, S, Plan, List, N);
        if (uint32_t Trips = C.smallTrips(List[N])) {
          Plan.Unrolled.set(List[N], Trips);
          Plan.AlwaysUnrolled.set(List[N], true);
        }
      }
      for (BlockId Inner : I.Blocks)
        if (Inner)
          small(F.Blocks[Inner].Insts);
    }
  }

  void list(const std::vector<InstId> &List) {
    for (size_t N = 0; N < List.size(); ++N) {
      if (size_t Upto = version(List, N)) {
        N = Upto - 1;
        continue;
      }
      const Inst &I = F.Insts[List[N]];
      bool Loop = I.Opcode == Op::Loop; // what continues it is no list
      for (BlockId Inner : I.Blocks)
        if (Inner && !(Loop && Inner == I.Blocks[1]))
          list(F.Blocks[Inner].Insts);
    }
  }

  /// The index behind the version that starts at `From`; 0 for none.
  size_t version(const std::vector<InstId> &List, size_t From) {
    if (!F.Insts[List[From]].Blocks[0])
      return 0;
    std::optional<Candidate> Best(std::in_place, F, S, Plan, List, From);
    size_t Upto = 0;
    for (size_t N = From; N < List.size(); ++N) {
      Candidate Longer = *Best;
      if (!Longer.take(N))
        break;
      if (Longer.gained()) {
        if (Upto && Longer.values() != Best->values())
          break; // tests of other things: a version of its own
        Upto = N + 1;
      }
      if (Upto == 0)
        return 0; // starts at a later statement
      Best.emplace(std::move(Longer));
    }
    LaneVersion Version;
    if (!Upto || !Best->pays() || Copied + Best->size() > MaxVersions ||
        !Best->finish(Version, Upto - 1, Plan.Unrolled))
      return 0;
    Copied += Best->size();
    Plan.Versions.push_back(std::move(Version));
    Plan.VersionAt.set(List[From], static_cast<uint32_t>(Plan.Versions.size()));
    return Upto;
  }

  const Function &F;
  const Structure &S;
  LanePlan &Plan;
  unsigned Copied = 0;
};

} // namespace

void goldy::planVersions(const Function &F, const Structure &S,
                         LanePlan &Plan) {
  VersionPlanner(F, S, Plan).run();
}
