//===- LanesRows.cpp - How many rows of a group a region does at once
//---------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of one group, adjacent in y, run a region in step: statement by
// statement, each for all rows of the pass. What does not depend on the row is
// done once: a load that a matrix product's rows share, the counter of a loop.
// The rows' own chains of operations run side by side.
//
// The shapes at Column scope say what depends on the row. A control statement
// on which rows disagree, or that some of them leave early, is run by one row
// after the other (PerRow); a variable that it writes is each row's own.
//
// How many registers a vector of such a region is goes with how many rows: the
// combination that an estimate says is fastest, of those that fit
// (LanesTiles.h). Straight code of the kernel has vectors as wide.
//
// Where all vectors of the group fit in registers with what they keep from
// region to region, and a loop goes round them, the regions that touch it do
// the whole group in one pass and no context is needed.
//
//===----------------------------------------------------------------------===//
#include "LaneCosts.h"
#include "LanesTiles.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace goldy;

namespace {

/// Sums side by side that leave no cycle idle.
constexpr unsigned Chains = costs::FloatRate * costs::FloatLatency;
/// Statements of a region times vectors of a pass.
constexpr unsigned MaxPass = 512;
/// A pass has enough rows when what they share is this part of their own work.
constexpr double SharedPart = 8;
/// Registers that operands and addresses of a pass take.
constexpr unsigned SpareRegisters = 3;

class RowPlanner {
public:
  RowPlanner(const Module &M, const Function &F, const Structure &S,
             LanePlan &Plan)
      : M(M), F(F), S(S), Plan(Plan), Rows(F.WorkgroupSize[1]),
        Wide(M, F, S, Plan) {}

  void run() {
    if (Rows > 1)
      dependences();
    for (uint32_t R = 0; R < Plan.Regions.size(); ++R) {
      Weights.push_back(weigh(R));
      if (Rows * F.WorkgroupSize[2] > 1)
        Plan.Regions[R].Interleave.Why = InterleaveReason::Rows;
    }
    for (uint32_t R = 0; R < Plan.Regions.size(); ++R)
      if (Plan.Regions[R].Rows == 1)
        choose(R);
    follow();
  }

private:
  // --- What depends on the row
  void dependences() {
    Plan.Column =
        analyseLanes(M, F, S, Plan.Scopes, LaneScope::Column, Plan.Width);
    forEachInst(F, [&](InstId I) { markPerRow(I); });
    for (uint32_t N = 0; N < F.Slots.size(); ++N)
      Plan.SlotOfRow.set(SlotId(N), slotOfRow(SlotId(N)));
    forEachInst(F, [&](InstId I) { Plan.OfRow.set(I, instOfRow(I)); });
  }

  void markPerRow(InstId I) {
    const Inst &N = F.Insts[I];
    if (!Plan.Column.Divergent[I])
      return;
    InstId Stmt = N.Opcode == Op::If        ? I
                  : N.Opcode == Op::BreakIf ? S.parentOf(I)
                                            : N.Target;
    if (N.Opcode != Op::Return && !Plan.GroupLevel[Stmt])
      Plan.PerRow.set(Stmt, true);
  }

  /// Rows see different values, or write it one after the other.
  bool slotOfRow(SlotId Slot) const {
    if (Plan.Column.OfSlot[Slot].Shape != LaneShape::Uniform)
      return true;
    const SlotScope &Where = Plan.Scopes[Slot];
    for (InstId A : Where.Accesses)
      if (F.Insts[A].Opcode == Op::Store && isPerRowWithin(A, Where.Scope))
        return true;
    return false;
  }

  bool isPerRowWithin(InstId I, BlockId Outer) const {
    for (BlockId B = S.blockOf(I); B != Outer;) {
      InstId P = S.ownerOf(B);
      if (!P)
        return false;
      if (Plan.PerRow[P])
        return true;
      B = S.blockOf(P);
    }
    return false;
  }

  bool instOfRow(InstId I) const {
    const Inst &N = F.Insts[I];
    if (Plan.RegionOf[I] == NoRegion)
      return false;
    if (N.Opcode == Op::Store && F.slotOf(I))
      return Plan.SlotOfRow[F.slotOf(I)];
    if (N.Opcode == Op::Load || isPure(N.Opcode))
      return Plan.Column.Value[I].Shape != LaneShape::Uniform;
    return true;
  }

  // --- What a pass costs
  struct Weight {
    RowsReason Blocked = RowsReason::Shared; ///< Shared: nothing blocks it
    unsigned Size = 0;
    double Common = 0, Own = 0; ///< vector operations and accesses, by loops
    unsigned Sums = 0; ///< variables that a loop goes on with, of each row
    unsigned Live = 0; ///< vectors that each row has of its own
    /// The same of values, and values of all rows, at the fullest place.
    unsigned OwnValues = 0, CommonValues = 0;
    bool Loops = false;
    bool Straight = true; ///< there are no loops, in step or not
    bool Apart = false;   ///< accesses elements that are no neighbours
    PassWork Work;
  };

  template <class Fn> void regionInsts(uint32_t R, const Fn &Visit) const {
    forEachOf(F, Plan.Regions[R].Insts, Visit);
  }

  /// Loops of the region around the statement; none counts for a statement
  /// that rows run one after the other.
  unsigned loopsAround(InstId I, bool &InStep) const {
    unsigned Loops = 0;
    InStep = true;
    for (InstId P = I; P && !Plan.GroupLevel[P]; P = S.parentOf(P)) {
      InStep &= !Plan.PerRow[P];
      Loops += P != I && F.Insts[P].Opcode == Op::Loop;
    }
    return Loops;
  }

  Weight weigh(uint32_t R) const {
    Weight W;
    const LaneRegion &Region = Plan.Regions[R];
    std::set<uint32_t> Own, Loaded, Stored;
    if (!Region.Exits.empty() || !Region.Absent.empty())
      W.Blocked = RowsReason::Leaves;
    regionInsts(R, [&](InstId I) {
      ++W.Size;
      const Inst &N = F.Insts[I];
      RowsReason Why = blockedBy(I);
      // Checks are the least of reasons: another one is named before them.
      if (Why != RowsReason::Shared &&
          (W.Blocked == RowsReason::Shared || W.Blocked == RowsReason::Checked))
        W.Blocked = Why;
      bool InStep;
      unsigned Loops = loopsAround(I, InStep);
      W.Loops |= InStep && Loops > 0;
      W.Straight &= N.Opcode != Op::Loop;
      double Times = std::pow(costs::Trips, std::min(Loops, 3u));
      if (InStep && N.Opcode == Op::Loop)
        W.Work.addLoop(Times * costs::Trips);
      if (SlotId Slot = F.slotOf(I)) {
        if (!isOwnVector(Slot))
          return;
        Own.insert(Slot.index());
        if (InStep && Loops)
          (N.Opcode == Op::Store ? Stored : Loaded).insert(Slot.index());
        return;
      }
      if (InStep && Loops)
        W.Work.add(F, Plan, I, Times);
      W.Apart |= N.Where && N.Opcode != Op::Len &&
                 (Plan.Access[I] == LaneAccess::Gather ||
                  Plan.Access[I] == LaneAccess::Strided);
      bool Vector = N.Type != types::Void && !Plan.Vector.Value[I].isScalar();
      if (!Vector && !(N.Where && N.Opcode != Op::Len))
        return;
      (Plan.OfRow[I] || !InStep ? W.Own : W.Common) += Times;
    });
    for (uint32_t Slot : Stored)
      W.Sums += Loaded.count(Slot) != 0;
    W.Live = static_cast<unsigned>(Own.size()) + ownVectors(Region.Reads) +
             ownVectors(Region.Keeps);
    pressure(R, W);
    return W;
  }

  /// Vectors that hold a value of a loop from where it is made to its last use;
  /// what is in a variable has that one's register.
  void pressure(uint32_t R, Weight &W) const {
    std::map<ValueId, size_t> Last;
    std::vector<InstId> Order;
    regionInsts(R, [&](InstId I) {
      bool ToSlot = F.Insts[I].Opcode == Op::Store && F.slotOf(I);
      for (ValueId V : F.operands(I))
        if (!ToSlot && Plan.RegionOf[V] == R && !isLoadOfSlot(V) &&
            !Plan.Vector.Value[V].isScalar())
          Last[V] = Order.size();
      Order.push_back(I);
    });
    std::vector<unsigned> Ends[2] = {std::vector<unsigned>(Order.size()),
                                     std::vector<unsigned>(Order.size())};
    unsigned Now[2] = {0, 0}, *Most[2] = {&W.CommonValues, &W.OwnValues};
    for (size_t At = 0; At < Order.size(); ++At) {
      std::map<ValueId, size_t>::iterator Use = Last.find(Order[At]);
      bool Own = Rows == 1 || Plan.OfRow[Order[At]];
      for (bool Kind : {false, true})
        Now[Kind] -= Ends[Kind][At];
      bool InStep;
      if (Use == Last.end() || loopsAround(Order[At], InStep) == 0)
        continue;
      ++Ends[Own][Use->second];
      ++Now[Own];
      *Most[Own] = std::max(*Most[Own], Now[Own]);
    }
  }

  bool isLoadOfSlot(ValueId V) const {
    return F.Insts[V].Opcode == Op::Load && F.slotOf(V);
  }

  bool isOwnVector(SlotId Slot) const {
    return (Rows == 1 || Plan.SlotOfRow[Slot]) &&
           !Plan.Vector.OfSlot[Slot].isScalar();
  }
  unsigned ownVectors(const std::vector<ValueId> &Values) const {
    unsigned Count = 0;
    for (ValueId V : Values)
      Count += !Plan.Vector.Value[V].isScalar();
    return Count;
  }

  /// Why a region with this statement does one vector at a time.
  RowsReason blockedBy(InstId I) const {
    const Inst &N = F.Insts[I];
    if (isAtomic(N.Opcode) || N.Opcode == Op::Debug || N.Opcode == Op::Watch)
      return RowsReason::Ordered;
    if (isCollective(N.Opcode) || N.Opcode == Op::Return)
      return RowsReason::Leaves;
    if (N.Opcode == Op::Loop && N.Unroll == 1)
      return RowsReason::Checked;
    if (!N.Where)
      return RowsReason::Shared;
    if (F.guard(I))
      return RowsReason::Checked;
    SlotId Slot = F.slotOf(I);
    if (!Slot)
      return RowsReason::Shared;
    bool Array = M.Types.memberCount(F.Slots[Slot].Type) != 0;
    return Array && (Plan.SlotOfRow[Slot] || Plan.ContextOfSlot[Slot].Bytes)
               ? RowsReason::Array
               : RowsReason::Shared;
  }

  // --- The choice
  void choose(uint32_t R) {
    const Weight &W = Weights[R];
    LaneRegion &Region = Plan.Regions[R];
    if (W.Blocked == RowsReason::Shared && W.Loops && fitsWhole(R))
      return;
    if (Rows == 1)
      return;
    Region.WhyRows = W.Blocked;
    if (W.Blocked != RowsReason::Shared)
      return;
    bool Shares = W.Common * SharedPart >= W.Common + W.Own;
    bool Waits = W.Sums > 0 && W.Sums < Chains;
    Region.WhyRows = W.Loops ? RowsReason::Enough : RowsReason::NoLoop;
    if (!W.Loops || (!Shares && !Waits))
      return;
    Region.Rows = rowsBeside(W, 1);
    for (unsigned V = 2; Region.Rows > 1 && V <= Wide.most(R); V *= 2)
      if (uint32_t N = rowsBeside(W, V); N > 1 && gains(R, N, V))
        Region.Rows = N;
    Region.WhyRows = Region.Rows == 1 ? RowsReason::Large
                     : Shares         ? RowsReason::Shared
                                      : RowsReason::Waits;
  }

  /// Rows of a pass whose vectors are `V` registers.
  uint32_t rowsBeside(const Weight &W, unsigned V) const {
    uint32_t Best = 1;
    for (uint32_t N = 2; N <= Rows && fits(W, N, V) && !enough(W, Best, V); ++N)
      if (Rows % N == 0)
        Best = N;
    return Best;
  }

  /// Takes `V` registers beside `N` rows if that is faster than what the region
  /// has.
  bool gains(uint32_t R, uint32_t N, unsigned V) {
    const Weight &W = Weights[R];
    LaneInterleave &Now = Plan.Regions[R].Interleave;
    double Before =
        W.Work.cycles(Plan.Regions[R].Rows, Now.Registers, W.Sums > 0);
    double After = W.Work.cycles(N, V, W.Sums > 0);
    if (After > costs::Gains * Before)
      return false;
    Now.Registers = V;
    Now.Why = InterleaveReason::Tile;
    Now.Percent = static_cast<unsigned>(Now.Percent * After / Before);
    return true;
  }

  /// Straight code that may be as wide as rows in step elsewhere is.
  void follow() {
    unsigned Most = 1;
    for (const LaneRegion &Region : Plan.Regions)
      Most = std::max(Most, Region.Interleave.Registers);
    for (uint32_t R = 0; R < Plan.Regions.size(); ++R) {
      const Weight &W = Weights[R];
      LaneInterleave &Now = Plan.Regions[R].Interleave;
      if (Now.Registers == 1 && Most > 1 && W.Straight && !W.Apart &&
          W.Blocked == RowsReason::Shared && W.Size * Most <= MaxPass &&
          Wide.most(R) >= Most) {
        Now.Registers = Most;
        Now.Why = InterleaveReason::Follows;
      }
    }
  }

  unsigned registersOf(uint64_t Vectors, unsigned V) const {
    return static_cast<unsigned>(Vectors * V) + SpareRegisters;
  }
  bool fits(const Weight &W, uint32_t N, unsigned V) const {
    return registersOf(uint64_t(W.Live + W.OwnValues) * N + W.CommonValues,
                       V) <= Plan.MachineRegisters &&
           W.Size * N * V <= MaxPass;
  }
  bool enough(const Weight &W, uint32_t N, unsigned V) const {
    return W.Common * SharedPart <= W.Own * N &&
           (W.Sums == 0 || W.Sums * N * V >= Chains);
  }
  /// Registers of the plan's vectors.
  unsigned planRegisters() const { return Plan.Width / Plan.Machine; }

  // --- Whole groups
  /// The context slots and values of a region.
  struct Kept {
    std::set<SlotId> Slots;
    std::set<ValueId> Values;
    bool touches(const LaneRegion &R) const {
      return any(R.ContextSlots, Slots) || any(R.Reads, Values) ||
             any(R.Keeps, Values);
    }
    void add(const LaneRegion &R) {
      Slots.insert(R.ContextSlots.begin(), R.ContextSlots.end());
      Values.insert(R.Reads.begin(), R.Reads.end());
      Values.insert(R.Keeps.begin(), R.Keeps.end());
    }
    size_t size() const { return Slots.size() + Values.size(); }

  private:
    template <class T>
    static bool any(const std::vector<T> &List, const std::set<T> &Of) {
      return std::any_of(List.begin(), List.end(),
                         [&](T X) { return Of.count(X) != 0; });
    }
  };

  /// All regions that share something kept with this one do whole groups, if
  /// what they keep stays in registers then.
  bool fitsWhole(uint32_t First) {
    Kept All;
    All.add(Plan.Regions[First]);
    std::set<uint32_t> Members = {First};
    for (size_t Before = 0; Before != All.size();) {
      Before = All.size();
      for (uint32_t R = 0; R < Plan.Regions.size(); ++R)
        if (All.touches(Plan.Regions[R])) {
          Members.insert(R);
          All.add(Plan.Regions[R]);
        }
    }
    if (All.size() == 0 || !registersHold(All) || !anyRepeats(Members) ||
        !membersFit(Members, planRegisters()))
      return false;
    for (uint32_t R : Members) {
      Plan.Regions[R].Rows = Rows;
      Plan.Regions[R].Whole = true;
      Plan.Regions[R].WhyRows = RowsReason::Registers;
    }
    for (SlotId Slot : All.Slots)
      Plan.ContextOfSlot.at(Slot).InRegisters = true;
    for (ValueId V : All.Values)
      Plan.ContextOfValue.at(V).InRegisters = true;
    for (unsigned V = 2; V <= costs::MaxRegisters; V *= 2)
      if (Rows > 1 && membersFit(Members, V) && gains(First, Rows, V))
        for (uint32_t R : Members)
          Plan.Regions[R].Interleave = Plan.Regions[First].Interleave;
    return true;
  }

  /// All of the group's vectors fit into one pass of each region if they are
  /// `V` registers.
  bool membersFit(const std::set<uint32_t> &Members, unsigned V) const {
    uint32_t Vectors = Plan.VectorsPerGroup * planRegisters() / V;
    return std::all_of(Members.begin(), Members.end(), [&](uint32_t R) {
      const Weight &W = Weights[R];
      return W.Blocked == RowsReason::Shared &&
             (Rows == 1 || V == 1 || V <= Wide.most(R)) &&
             registersOf(uint64_t(W.Live + W.OwnValues) * Vectors +
                             W.CommonValues,
                         V) <= Plan.MachineRegisters &&
             W.Size * Vectors <= MaxPass;
    });
  }

  bool registersHold(const Kept &All) const {
    if (F.WorkgroupSize[2] != 1)
      return false;
    for (SlotId Slot : All.Slots)
      if (M.Types.memberCount(F.Slots[Slot].Type))
        return false;
    return registersOf(uint64_t(All.size()) * Plan.VectorsPerGroup,
                       planRegisters()) <= Plan.MachineRegisters;
  }

  /// A group-level loop goes round one of them.
  bool anyRepeats(const std::set<uint32_t> &Members) const {
    for (uint32_t R : Members)
      for (InstId P = S.parentOf(Plan.Regions[R].Insts[0]); P;
           P = S.parentOf(P))
        if (F.Insts[P].Opcode == Op::Loop)
          return true;
    return false;
  }

  const Module &M;
  const Function &F;
  const Structure &S;
  LanePlan &Plan;
  uint32_t Rows;
  WideRegions Wide;
  std::vector<Weight> Weights;
};

} // namespace

void goldy::planRows(const Module &M, const Function &F, const Structure &S,
                     LanePlan &Plan) {
  RowPlanner(M, F, S, Plan).run();
}
