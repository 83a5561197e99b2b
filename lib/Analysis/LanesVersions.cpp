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
// LanesForms.h follows such sums and finds the tests.
//
//===----------------------------------------------------------------------===//
#include "LanesForms.h"

#include <algorithm>
#include <set>

using namespace goldy;

namespace {

/// Instructions that one version copies, and all of a kernel together.
constexpr unsigned MaxVersion = 400, MaxVersions = 1000;
/// Instructions that loops with known trips may become in the copy.
constexpr unsigned MaxUnrolled = 500;
/// Repetitions and instructions of loops that are unrolled everywhere.
constexpr unsigned MaxSmallTrips = 8, MaxSmall = 96;
/// Nested `&`, `|` and `!` of a condition.
constexpr unsigned MaxConditions = 8;

/// The statements of one version, while they are looked at.
class Candidate {
public:
  Candidate(const Function &F, const Structure &S, const LanePlan &Plan,
            const std::vector<InstId> &List, size_t From)
      : F(F), S(S), Plan(Plan), List(List), From(From),
        Forms(F, S, Plan, List, From) {}

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
    for (const auto &[Values, Constant] : Forms.tests())
      for (const auto &[V, Factor] : Values)
        All.insert(V);
    return All;
  }

private:
  bool leaves(InstId Statement) const;
  void guard(InstId I);
  bool usualOutcome(InstId If) const;
  bool decide(ValueId Cond, bool Outcome, unsigned Depth = MaxConditions);
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
  std::map<ValueId, bool> Outcomes;
  LaneForms Forms;
};

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
    if (Forms.compare(Cond, Outcome)) {
      Outcomes[Cond] = Outcome;
      return true;
    }
    return Uniform;
  default:
    return Uniform;
  }
}

void Candidate::guard(InstId I) {
  const Inst &N = F.Insts[I];
  if (N.Opcode != Op::If || !Plan.Vector.Divergent[I])
    return;
  if (!decide(F.operand(I, 0), usualOutcome(I)))
    return;
  Guards.push_back(I);
  Gained = true;
  for (InstId P = S.parentOf(I); P && Forms.isInside(P); P = S.parentOf(P))
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
    const Counted *C = Forms.counted(I);
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
    for (InstId P = S.parentOf(I); P && Forms.isInside(P); P = S.parentOf(P)) {
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
  if (Forms.tests().size() > MaxTests)
    return false;
  Version.From = List[From];
  Version.To = List[Upto];
  for (const auto &[Values, Constant] : Forms.tests())
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
  const Counted *C = Plain ? Forms.counted(Loop) : nullptr;
  uint32_t Trips = C && Forms.tests().empty() ? C->Trips : 0;
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
