//===- LaneRemarks.cpp - A lane plan in the user's terms ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk over the kernel makes a remark for each statement that has one.
// Passes copy code (with and without checks of indices, unrolled), so that one
// place of the source can stand in the plan several times: equal remarks become
// one, unequal ones say that they are about a copy.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Analysis/LaneRemarks.h"

#include "LaneCauses.h"
#include "LanesWords.h"

#include <algorithm>
#include <array>
#include <map>

using namespace goldy;

namespace {

std::string counted(uint64_t N, std::string_view One,
                    std::string_view More = {}) {
  return std::to_string(N) + " " +
         (N == 1         ? std::string(One)
          : More.empty() ? std::string(One) + "s"
                         : std::string(More));
}

class Reporter {
public:
  Reporter(const Module &M, const Function &F, const LanePlan &Plan)
      : M(M), F(F), Plan(Plan), S(F), Causes(F, S, Plan) {}

  LaneReport run() {
    if (!Plan.Refused.empty())
      return refused();
    Report.Width = Plan.Width;
    Report.VectorsPerRow = Plan.VectorsPerRow;
    Report.VectorsPerGroup = Plan.VectorsPerGroup;
    Report.Regions = static_cast<uint32_t>(Plan.Regions.size());
    Report.ContextBytes = Plan.ContextBytes;
    forEachInst(F, [&](InstId I) { visit(I); });
    contexts();
    rows();
    versions();
    Report.Remarks = inOrder();
    Report.Summary = summary();
    return std::move(Report);
  }

private:
  LaneReport refused() {
    add(LaneTopic::Summary, true, Plan.RefusedAt,
        "not vectorised: " + Plan.Refused);
    Report.Remarks = inOrder();
    Report.Summary = "not vectorised: " + Plan.Refused;
    return std::move(Report);
  }

  LaneRemark &add(LaneTopic Topic, bool Costs, InstId I, std::string Text) {
    Span Where = I ? F.Insts[I].Loc : Span();
    LaneRemark R;
    R.Topic = Topic;
    R.Costs = Costs;
    R.Where = Where.isValid() ? Where : F.Loc;
    R.Text = std::move(Text);
    All.push_back(std::move(R));
    Made.push_back(I ? F.Insts[I].Opcode : Op::Const);
    return All.back();
  }

  void visit(InstId I) {
    ++Copies[{placeKey(F.Insts[I].Loc), F.Insts[I].Opcode}];
    switch (F.Insts[I].Opcode) {
    case Op::Loop:
      return loop(I);
    case Op::If:
      return branch(I);
    case Op::Load:
    case Op::Store:
      return access(I);
    default:
      if (isAtomic(F.Insts[I].Opcode))
        atomic(I);
    }
  }

  // --- Control
  bool holdsBarrier(InstId Loop) const {
    bool Holds = false;
    forEachInst(F, F.Insts[Loop].Blocks[0], [&](InstId I) {
      Holds |= opInfo(F.Insts[I].Opcode).Effects == Effect::Sync;
    });
    return Holds;
  }

  void loop(InstId I) {
    if (Plan.GroupLevel[I]) {
      add(LaneTopic::Loop, false, I,
          holdsBarrier(I)
              ? "loop of the whole group: barriers divide its body, its "
                "control is scalar"
              : "loop of the whole group: it keeps nothing for its lanes, its "
                "control is scalar");
      return;
    }
    if (!Plan.HasDivergentExit[I]) {
      std::string Text = "uniform loop: its control is scalar";
      if (uint32_t Trips = Plan.Unrolled[I])
        Text += "; unrolled " + std::to_string(Trips) +
                " times where all lanes pass";
      add(LaneTopic::Loop, false, I, std::move(Text));
      return;
    }
    add(LaneTopic::Loop, true, I,
        "divergent loop: it runs until the last lane has left, under a mask")
        .Notes.push_back(Causes.ofLoop(I));
  }

  bool passesInVersion(InstId I) const {
    for (const LaneVersion &V : Plan.Versions)
      if (std::find(V.Guards.begin(), V.Guards.end(), I) != V.Guards.end())
        return true;
    return false;
  }

  bool isRowsGuard(InstId I) const {
    uint32_t R = Plan.RegionOf[I];
    return R != NoRegion && Plan.Regions[R].Split.Guard == I;
  }

  void branch(InstId I) {
    if (Plan.GroupLevel[I]) {
      add(LaneTopic::Branch, false, I, "decided once for the whole group");
      return;
    }
    if (!Plan.Vector.Divergent[I]) {
      add(LaneTopic::Branch, false, I,
          "uniform branch: all lanes take one side");
      return;
    }
    if (isRowsGuard(I)) {
      add(LaneTopic::Branch, false, I,
          "divergent branch: not there in the first vectors of a row, whose "
          "lanes all pass; counted once a row")
          .Notes.push_back(Causes.ofValue(F.operand(I, 0)));
      return;
    }
    add(LaneTopic::Branch, !passesInVersion(I), I,
        passesInVersion(I)
            ? "divergent branch: not there in vectors of which a test before "
              "it finds that all lanes pass"
            : "divergent branch: lanes decide differently")
        .Notes.push_back(Causes.ofValue(F.operand(I, 0)));
  }

  // --- Memory
  bool isPrivate(InstId I) const { return F.slotOf(I).isValid(); }

  void access(InstId I) {
    const Place &P = F.Places[F.Insts[I].Where];
    if (isPrivate(I))
      return privateAccess(I, P);
    bool Stores = F.Insts[I].Opcode == Op::Store;
    std::string Name = Causes.baseName(P);
    switch (Plan.Access[I]) {
    case LaneAccess::Broadcast:
      add(LaneTopic::Access, false, I,
          Stores ? "all lanes store to one element of " + Name
                 : Name + " is read once for all lanes");
      break;
    case LaneAccess::Contiguous:
      add(LaneTopic::Access, false, I,
          "lanes " + verb(Stores) + " neighbouring elements of " + Name);
      break;
    case LaneAccess::Strided:
      strided(I, verb(Stores), Name);
      break;
    case LaneAccess::Gather:
      gathered(I, Stores, Name);
      break;
    }
    masked(I, Stores, Name);
  }

  /// Lanes have vectors of their own; a lane's own index takes it apart.
  void privateAccess(InstId I, const Place &P) {
    bool Apart = !Plan.Vector.OfSlot[SlotId(P.Base.Index)].isScalar();
    if (!P.Path.empty() && Plan.Access[I] != LaneAccess::Broadcast && Apart)
      gathered(I, F.Insts[I].Opcode == Op::Store, Causes.baseName(P));
  }

  static std::string verb(bool Stores) { return Stores ? "write" : "read"; }

  void strided(InstId I, const std::string &Verb, const std::string &Name) {
    for (const FlatPlace::Term &T :
         flatten(M, F, F.Places[F.Insts[I].Where]).Terms) {
      LaneValue V = Plan.Vector.Value[T.Index];
      if (V.Shape != LaneShape::Strided)
        continue;
      int64_t Bytes = V.Stride * static_cast<int64_t>(T.Stride);
      add(LaneTopic::Access, true, I,
          "lanes " + Verb + " elements of " + Name + " that lie " +
              std::to_string(Bytes) + " bytes apart")
          .Notes.push_back(
              {F.Insts[T.Index].Loc,
               "the index moves by " + std::to_string(V.Stride) + " a lane"});
      return;
    }
  }

  void gathered(InstId I, bool Stores, const std::string &Name) {
    LaneRemark &R =
        add(LaneTopic::Access, true, I,
            Stores ? "scatter: each lane writes its own element of " + Name
                   : "gather: each lane reads its own element of " + Name);
    for (const FlatPlace::Term &T :
         flatten(M, F, F.Places[F.Insts[I].Where]).Terms)
      if (Plan.Vector.Value[T.Index].Shape != LaneShape::Uniform) {
        R.Notes.push_back(Causes.ofValue(T.Index));
        return;
      }
  }

  void masked(InstId I, bool Stores, const std::string &Name) {
    if (ValueId Guard = F.guard(I);
        Guard && !Plan.Vector.Value[Guard].isScalar()) {
      add(LaneTopic::Mask, true, I,
          "masked: each lane tests whether " + Name + " has the element")
          .Notes.push_back(Causes.ofValue(Guard));
      return;
    }
    if (Plan.Vector.Value[I].isScalar() && !Stores)
      return;
    if (std::optional<LaneNote> Why = Causes.ofMask(I))
      add(LaneTopic::Mask, true, I, "masked where only some lanes get here")
          .Notes.push_back(std::move(*Why));
  }

  void atomic(InstId I) {
    std::string Name = Causes.baseName(F.Places[F.Insts[I].Where]);
    if (Plan.Atomic[I] == LaneAtomic::OneForAll)
      add(LaneTopic::Atomic, false, I,
          "atomic on " + Name + ": the lanes' values joined, then one");
    else
      add(LaneTopic::Atomic, true, I,
          "atomic on " + Name + ": lane by lane, in lane order");
  }

  // --- Context
  uint64_t bytesAnItem(TypeId T) const { return M.Types.layout(T).Size; }

  std::string keptText(std::string Name, const ContextPlace &P, uint64_t Bytes,
                       bool Varies) const {
    if (P.InRegisters)
      return Name + " stays in registers from one region to a later one";
    return Name + " is kept in memory from one region to a later one: " +
           counted(Bytes, "byte") + (Varies ? " a work-item" : " a vector");
  }

  void contexts() {
    for (const LaneRegion &R : Plan.Regions)
      for (ValueId V : R.Keeps) {
        std::string_view Name = F.nameOf(V);
        ContextPlace Place = Plan.ContextOfValue[V];
        add(LaneTopic::Context, !Place.InRegisters, V,
            keptText(Name.empty() ? "a value" : "`" + std::string(Name) + "`",
                     Place, bytesAnItem(F.typeOf(V)),
                     !Plan.Vector.Value[V].isScalar()));
      }
    for (uint32_t N = 0; N < F.Slots.size(); ++N) {
      SlotId Slot(N);
      ContextPlace Place = Plan.ContextOfSlot[Slot];
      if (Place.Bytes == 0)
        continue;
      const std::string &Name = F.Slots[Slot].Name;
      LaneRemark &R =
          add(LaneTopic::Context, !Place.InRegisters, InstId(),
              keptText(Name.empty() ? "a private value" : "`" + Name + "`",
                       Place, bytesAnItem(F.Slots[Slot].Type),
                       !Plan.Vector.OfSlot[Slot].isScalar()));
      if (F.Slots[Slot].Loc.isValid())
        R.Where = F.Slots[Slot].Loc;
    }
  }

  // --- Rows, versions
  InstId firstOf(const LaneRegion &R) const {
    for (InstId I : R.Insts)
      if (F.Insts[I].Loc.isValid())
        return I;
    return InstId();
  }

  void rows() {
    for (const LaneRegion &R : Plan.Regions) {
      if (F.WorkgroupSize[1] == 1 && !R.Whole)
        continue;
      std::string Why = laneRowsText(R.WhyRows);
      if (R.Whole)
        add(LaneTopic::Rows, false, firstOf(R),
            "from here the whole group is one pass: " + Why);
      else
        add(LaneTopic::Rows, false, firstOf(R),
            "from here a pass does " + std::to_string(R.Rows) + " of " +
                counted(F.WorkgroupSize[1], "row") + ": " + Why);
    }
  }

  void versions() {
    for (const LaneVersion &V : Plan.Versions) {
      std::string Text = "from here there are two copies: one without " +
                         counted(V.Guards.size(), "branch", "branches") +
                         " and masks for vectors in which all lanes pass";
      LaneRemark &R = add(LaneTopic::Version, false, V.From, std::move(Text));
      for (const LaneTest &T : V.Tests)
        R.Notes.push_back({Span(), "tested: `" + laneTestText(F, T) + "`"});
    }
  }

  // --- All of it
  using PlaceKey = std::tuple<uint32_t, uint32_t, uint32_t>;
  PlaceKey placeKey(Span S) const {
    if (!S.isValid())
      S = F.Loc;
    return {S.isValid() ? S.File.index() + 1 : 0, S.Begin, S.End};
  }

  /// By place and topic, each once, with how many copies of the code it is
  /// about if that is not all.
  std::vector<LaneRemark> inOrder() {
    std::vector<LaneRemark> Out;
    std::vector<std::pair<Op, unsigned>> Times; ///< by remark of `Out`
    for (size_t N = 0; N < All.size(); ++N) {
      size_t Before = static_cast<size_t>(
          std::find(Out.begin(), Out.end(), All[N]) - Out.begin());
      if (Before == Out.size()) {
        Out.push_back(std::move(All[N]));
        Times.push_back({Made[N], 0});
      }
      ++Times[Before].second;
    }
    for (size_t N = 0; N < Out.size(); ++N) {
      unsigned Of = Copies[{placeKey(Out[N].Where), Times[N].first}];
      if (Times[N].second < Of)
        Out[N].Text += " (in " + std::to_string(Times[N].second) + " of " +
                       std::to_string(Of) + " copies of this code)";
    }
    auto Key = [&](const LaneRemark &R) {
      return std::tuple(placeKey(R.Where), R.Topic, R.Text);
    };
    std::sort(Out.begin(), Out.end(),
              [&](const LaneRemark &A, const LaneRemark &B) {
                return Key(A) < Key(B);
              });
    return Out;
  }

  std::string summary() const;
  uint64_t places(LaneTopic Topic, bool Costs) const {
    uint64_t N = 0;
    for (const LaneRemark &R : Report.Remarks)
      N += R.Topic == Topic && R.Costs == Costs;
    return N;
  }

  const Module &M;
  const Function &F;
  const LanePlan &Plan;
  Structure S;
  LaneCauses Causes;
  LaneReport Report;
  std::vector<LaneRemark> All;
  std::vector<Op> Made; ///< of the statement, by remark of `All`
  std::map<std::pair<PlaceKey, Op>, unsigned> Copies;
};

std::string Reporter::summary() const {
  std::string Text = counted(Plan.Width, "lane");
  if (Plan.Width > Plan.Machine)
    Text += " in " + counted(Plan.Width / Plan.Machine, "register");
  Text += ", " + counted(Plan.VectorsPerGroup, "vector") + " a group";
  if (Plan.Joins)
    Text += ", groups side by side are one";
  uint32_t Rows = 1;
  for (const LaneRegion &R : Plan.Regions)
    Rows = std::max(Rows, R.Rows);
  if (Rows > 1)
    Text += ", up to " + std::to_string(Rows) + " rows a pass";
  if (Plan.Regions.size() != 1)
    Text += ", " + counted(Plan.Regions.size(), "region");
  struct Count {
    uint64_t N;
    std::string_view One, More;
  };
  const std::array<Count, 8> Counts = {{
      {places(LaneTopic::Access, false), "plain access", "plain accesses"},
      {places(LaneTopic::Access, true), "strided or gathered", ""},
      {places(LaneTopic::Mask, true), "masked", ""},
      {places(LaneTopic::Loop, false), "uniform loop", "uniform loops"},
      {places(LaneTopic::Loop, true), "divergent loop", "divergent loops"},
      {places(LaneTopic::Branch, true), "divergent branch",
       "divergent branches"},
      {places(LaneTopic::Atomic, true), "atomic lane by lane",
       "atomics lane by lane"},
      {places(LaneTopic::Context, true), "kept in memory", ""},
  }};
  const char *Separator = "; ";
  for (const Count &C : Counts) {
    if (C.N == 0)
      continue;
    std::string_view What = C.N == 1 || C.More.empty() ? C.One : C.More;
    Text += Separator + std::to_string(C.N) + " " + std::string(What);
    Separator = ", ";
  }
  return Text;
}

} // namespace

std::string_view goldy::laneTopicName(LaneTopic T) {
  constexpr std::array<std::string_view, NumLaneTopics> Names = {
      "summary", "loop",    "branch", "access", "mask",
      "atomic",  "context", "rows",   "version"};
  return Names[static_cast<unsigned>(T)];
}

LaneReport goldy::laneReport(const Module &M, const Function &F,
                             const LanePlan &Plan) {
  return Reporter(M, F, Plan).run();
}
