//===- LanesRegions.cpp - Group level, regions, contexts
//--------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three steps over a function whose shapes are known: which statements run
// once per group; how the rest falls into regions; what must outlive them.
//
// A value of one region that another uses is computed again there if it is a
// short expression over ids and group-level values; else it is kept in the
// context. A slot is in the context if two regions touch it, or if a region
// touches it again on a later trip of a group-level loop around its scope.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Analysis/Lanes.h"
#include "goldyc/Analysis/SlotLiveness.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <set>

using namespace goldy;

namespace {

/// Operations that a region repeats rather than reading a kept value.
constexpr unsigned MaxAgain = 6;

class RegionPlanner {
public:
  RegionPlanner(const Module &M, const Function &F, const Structure &S,
                LanePlan &Plan, bool PerItem)
      : M(M), F(F), S(S), Plan(Plan), PerItem(PerItem) {}

  void run() {
    unsigned Next = 0;
    forEachInst(F, [&](InstId I) {
      Order.set(I, Next++);
      if (opInfo(F.Insts[I].Opcode).Effects == Effect::Sync)
        Barriers.push_back(I);
    });
    markExits();
    markGroupLevel();
    findNeeded();
    for (uint32_t I = 0; I < F.Slots.size(); ++I)
      Plan.GroupSlot.set(SlotId(I), Plan.Group.OfSlot[SlotId(I)].Shape ==
                                        LaneShape::Uniform);
    groupBlock(F.Body);
    if (!Plan.Refused.empty())
      return;
    std::set<InstId> Starts;
    for (const LaneRegion &R : Plan.Regions)
      Starts.insert(R.Insts.front());
    LiveAtStarts = SlotLiveness(F, std::move(Starts)).atPoints();
    for (uint32_t R = 0; R < Plan.Regions.size(); ++R)
      slotsOfRegion(R);
    contexts();
  }

private:
  void refuse(std::string Why, InstId I) {
    if (!Plan.Refused.empty())
      return;
    Plan.Refused = std::move(Why);
    Plan.RefusedAt = I;
  }

  InstId targetOf(InstId I) const {
    const Inst &N = F.Insts[I];
    return N.Opcode == Op::BreakIf ? S.parentOf(I) : N.Target;
  }
  bool isExit(InstId I) const { return goldy::isExit(F.Insts[I].Opcode); }

  /// Every control statement from a divergent exit up to its target.
  void markExits() {
    forEachInst(F, [&](InstId I) {
      if ((!isExit(I) && F.Insts[I].Opcode != Op::BreakIf) ||
          !Plan.Vector.Divergent[I])
        return;
      InstId Target = targetOf(I);
      for (InstId P = S.parentOf(I); P; P = S.parentOf(P)) {
        Plan.HasDivergentExit.set(P, true);
        if (P == Target)
          break;
      }
    });
  }

  // --- Group level
  void raise(InstId I, InstId Upto) {
    for (; I && I != Upto; I = S.parentOf(I)) {
      if (Plan.GroupLevel[I])
        continue;
      Plan.GroupLevel.set(I, true);
      Raised = true;
    }
  }

  /// A choice that the group makes first, between two forms of all its work:
  /// asked once, not for each vector. So is one that stands first in a form.
  void raiseFirstChoice(BlockId B) {
    const std::vector<InstId> &Body = F.Blocks[B].Insts;
    if (Body.empty() || F.Insts[Body.back()].Opcode != Op::If ||
        !F.Insts[Body.back()].Blocks[1])
      return;
    InstId Choice = Body.back();
    for (InstId I : Body)
      if (I != Choice && (!isPure(F.Insts[I].Opcode) ||
                          Plan.Group.Value[I].Shape != LaneShape::Uniform))
        return;
    if (Plan.Vector.Divergent[Choice] ||
        Plan.Group.Value[F.operand(Choice, 0)].Shape != LaneShape::Uniform)
      return;
    Plan.GroupLevel.set(Choice, true);
    Plan.FirstChoice.set(Choice, true);
    const BlockId(&Forms)[2] = F.Insts[Choice].Blocks;
    if (guards(Forms[1]) > guards(Forms[0]))
      Cold.insert(Forms[1]);
    for (BlockId Form : F.Insts[Choice].Blocks)
      raiseFirstChoice(Form);
  }

  /// Values that the group has wherever they are asked for. Each is looked at
  /// once: an expression may name a value very often.
  bool isGroupValue(ValueId V) const {
    if (!GroupValue[V])
      GroupValue.set(V, computeGroupValue(V));
    return *GroupValue[V];
  }
  bool computeGroupValue(ValueId V) const {
    const Inst &N = F.Insts[V];
    if (opInfo(N.Opcode).Effects == Effect::Leaf)
      return true;
    if (Plan.Group.Value[V].Shape != LaneShape::Uniform)
      return false;
    if (N.Opcode == Op::Load && !F.guard(V))
      return F.wholeSlotOf(V).isValid();
    if (!isPure(N.Opcode))
      return false;
    for (ValueId Operand : F.operands(V))
      if (!isGroupValue(Operand))
        return false;
    return true;
  }

  /// What the loop would have to keep for each lane from one trip to the next,
  /// or for what follows: variables of lanes and values that are no ids.
  bool keepsLanes(InstId Loop) const {
    bool Keeps = false;
    auto Look = [&](ValueId V) {
      unsigned Short = MaxAgain;
      if (V && opInfo(F.Insts[V].Opcode).Effects != Effect::Leaf &&
          !within(Loop, V))
        Keeps |= !isGroupValue(V) && !isIdOnly(V, Short);
    };
    auto Visit = [&](InstId I) {
      forEachUse(F, I, Look);
      SlotId Slot = F.slotOf(I);
      if (!Slot)
        return;
      InstId Owner = S.ownerOf(Plan.Scopes[Slot].Scope);
      bool Inside = Owner && (Owner == Loop || within(Loop, Owner));
      Keeps |= !Inside && Plan.Group.OfSlot[Slot].Shape != LaneShape::Uniform;
    };
    forEachWithin(F, Loop, Visit);
    return Keeps;
  }
  bool within(InstId Outer, InstId I) const {
    for (BlockId Inner : F.Insts[Outer].Blocks)
      if (Inner && S.contains(Inner, I))
        return true;
    return false;
  }
  /// Short and over ids: every region computes it again.
  bool isIdOnly(ValueId V, unsigned &Left) const {
    if (isGroupValue(V))
      return true;
    if (!isPure(F.Insts[V].Opcode) || Left == 0)
      return false;
    --Left;
    for (ValueId Operand : F.operands(V))
      if (!isIdOnly(Operand, Left))
        return false;
    return true;
  }

  /// Choices and loops that all work-items of the group take alike.
  bool isUniformControl(InstId I) const {
    const Inst &N = F.Insts[I];
    if (N.Opcode == Op::If)
      return isGroupValue(F.operand(I, 0));
    if (N.Opcode != Op::Loop || Plan.HasDivergentExit[I] || !N.Blocks[1])
      return false;
    for (InstId Inner : F.Blocks[N.Blocks[1]].Insts)
      if (F.Insts[Inner].Opcode == Op::BreakIf)
        return isGroupValue(F.operand(Inner, 0));
    return false;
  }

  /// A loop that keeps nothing for its lanes runs once for the group: its body
  /// is a region then, and goes over memory in order.
  void raiseLoops(BlockId B) {
    for (InstId I : F.Blocks[B].Insts) {
      if (F.Insts[I].Opcode == Op::If && isUniformControl(I)) {
        for (BlockId Inner : F.Insts[I].Blocks)
          if (Inner)
            raiseLoops(Inner);
      } else if (F.Insts[I].Opcode == Op::Loop && isUniformControl(I) &&
                 touchesMemory(I) && !keepsLanes(I)) {
        raise(I, InstId());
      }
    }
  }
  bool touchesMemory(InstId Loop) const {
    bool Exits = false, Touches = false;
    forEachInst(F, F.Insts[Loop].Blocks[0], [&](InstId I) {
      Exits |= isExit(I) || F.Insts[I].Opcode == Op::Debug;
      Touches |= F.Insts[I].Where && !F.slotOf(I);
    });
    return Touches && !Exits;
  }
  /// Of lanes, or of vectors whose lanes agree; or from the kernel, which only
  /// a barrier makes the group's own.
  bool anyDivergentExit() const {
    bool Any = false;
    forEachInst(F, [&](InstId I) {
      Any |= isExit(I) && (!targetOf(I) || Plan.Vector.Divergent[I] ||
                           Plan.Group.Divergent[I]);
    });
    return Any;
  }

  /// Accesses in the block that are tested for bounds.
  unsigned guards(BlockId B) const {
    unsigned Count = 0;
    forEachInst(F, B, [&](InstId I) { Count += F.guard(I) ? 1 : 0; });
    return Count;
  }

  bool isCold(BlockId B) const {
    for (; B != F.Body; B = S.blockOf(S.ownerOf(B)))
      if (Cold.count(B))
        return true;
    return false;
  }

  void markGroupLevel() {
    if (!PerItem)
      raiseFirstChoice(F.Body);
    if (!PerItem && !anyDivergentExit())
      raiseLoops(F.Body);
    for (InstId B : Barriers)
      raise(S.parentOf(B), InstId());
    do {
      Raised = false;
      forEachInst(F, [&](InstId I) {
        if (isExit(I) && endsGroupLevel(I))
          raise(S.parentOf(I), targetOf(I));
      });
    } while (Raised);
  }

  /// A uniform exit from a group-level statement in which a barrier can still
  /// be reached.
  bool endsGroupLevel(InstId I) const {
    InstId T = targetOf(I);
    if (Barriers.empty() || (T && !Plan.GroupLevel[T]) ||
        Plan.Group.Divergent[I])
      return false;
    if (T && F.Insts[T].Opcode == Op::Loop)
      return true;
    for (InstId B : Barriers)
      if (Order[B] > Order[I] && (!T || S.contains(F.Insts[T].Blocks[0], B)))
        return true;
    // A barrier before it in a loop around it may come again.
    for (InstId P = S.parentOf(I); P && P != T; P = S.parentOf(P))
      if (F.Insts[P].Opcode == Op::Loop && Plan.GroupLevel[P])
        return true;
    return false;
  }

  // --- What control statements at group level hang on
  void need(InstId I) {
    if (opInfo(F.Insts[I].Opcode).Effects == Effect::Leaf || Needed[I])
      return;
    Needed.set(I, true);
    forEachUse(F, I, [&](ValueId V) { need(V); });
    if (SlotId Slot = F.slotOf(I))
      for (InstId A : Plan.Scopes[Slot].Accesses)
        if (F.Insts[A].Opcode == Op::Store)
          need(A);
  }
  void findNeeded() {
    forEachInst(F, [&](InstId I) {
      Op O = F.Insts[I].Opcode;
      bool Decides = (O == Op::If && Plan.GroupLevel[I]) ||
                     (O == Op::BreakIf && Plan.GroupLevel[S.parentOf(I)]) ||
                     (opInfo(O).Effects == Effect::Sync && !isCollective(O));
      if (Decides)
        forEachUse(F, I, [&](ValueId V) { need(V); });
    });
  }

  void groupBlock(BlockId B) {
    for (InstId I : F.Blocks[B].Insts)
      groupInst(B, I);
    flush(B);
  }

  void groupInst(BlockId B, InstId I) {
    const Inst &N = F.Insts[I];
    if (opInfo(N.Opcode).Effects == Effect::Sync) {
      synchronise(B, I);
    } else if (Plan.GroupLevel[I]) {
      control(B, I);
    } else if (isExit(I) && !exitIsDivergent(I)) {
      flush(B);
      add(B, {GroupItem::Kind::Control, I, 0});
    } else if (N.Opcode == Op::BreakIf) {
      if (!groupUniform(F.operand(I, 0)))
        refuse("the loop around a barrier ends at different times", I);
      flush(B);
      add(B, {GroupItem::Kind::Control, I, 0});
    } else if (runsOnceForGroup(I)) {
      if (conflicts(I) || isBehindWrite(I))
        flush(B);
      add(B, {GroupItem::Kind::Scalar, I, 0});
    } else {
      pend(I);
    }
  }

  void synchronise(BlockId B, InstId I) {
    bool Reduces = isCollective(F.Insts[I].Opcode);
    if (!Reduces || pendingTouches(scratchOf(I)))
      flush(B);
    if (Reduces)
      pend(I); // every item puts its value into the scratch array
    flush(B);
    if (!Left.empty())
      refuse("a barrier follows a divergent exit", I);
    if (F.Insts[I].Opcode == Op::Barrier)
      return add(B, {GroupItem::Kind::Barrier, I, 0});
    if (!Reduces && !operandsAtGroup(I))
      refuse("the index of a uniform load is not uniform", I);
    Plan.RegionOf.set(I, NoRegion);
    AtGroup.set(I, true);
    add(B, {GroupItem::Kind::Scalar, I, 0});
  }

  uint32_t scratchOf(InstId Collective) const {
    return F.Places[F.Insts[F.operand(Collective, 1)].Where].Base.Index;
  }
  bool pendingTouches(uint32_t Array) const {
    bool Touches = false;
    auto Look = [&](InstId I) {
      PlaceId P = F.Insts[I].Where;
      Touches |= P && F.Places[P].Base.Kind == BaseKind::Workgroup &&
                 F.Places[P].Base.Index == Array;
    };
    forEachOf(F, Pending, Look);
    return Touches;
  }

  bool exitIsDivergent(InstId I) const {
    return !Left.empty() || !PendingExits.empty() || Plan.Group.Divergent[I];
  }

  void control(BlockId B, InstId I) {
    const Inst &N = F.Insts[I];
    flush(B);
    if (!Left.empty())
      refuse("a barrier follows a divergent exit", I);
    if (N.Opcode == Op::If && !groupUniform(F.operand(I, 0)))
      refuse("the condition around a barrier is not uniform", I);
    add(B, {GroupItem::Kind::Control, I, 0});
    // Who leaves in one branch of a choice is not missed in the other.
    std::set<InstId> Before = Left, After = Left;
    for (BlockId Inner : N.Blocks) {
      if (!Inner)
        continue;
      if (N.Opcode == Op::If)
        Left = Before;
      groupBlock(Inner);
      After.insert(Left.begin(), Left.end());
    }
    Left = std::move(After);
    if (N.Opcode == Op::Loop && !Left.empty())
      refuse("lanes leave a loop around a barrier at different times", I);
    Left.erase(I);
  }

  bool groupUniform(ValueId V) const {
    return Plan.Group.Value[V].Shape == LaneShape::Uniform && atGroup(V);
  }
  /// Leaves and what was already placed at group level.
  bool atGroup(ValueId V) const {
    return opInfo(F.Insts[V].Opcode).Effects == Effect::Leaf || AtGroup[V];
  }
  bool operandsAtGroup(InstId I) const {
    bool All = true;
    forEachUse(F, I, [&](ValueId V) { All &= atGroup(V); });
    return All;
  }

  bool runsOnceForGroup(InstId I) {
    const Inst &N = F.Insts[I];
    if (!operandsAtGroup(I) || (PerItem && !Needed[I]))
      return false;
    bool AllHere = Left.empty() && PendingExits.empty();
    bool Once = false;
    if (isPure(N.Opcode))
      Once = Plan.Group.Value[I].Shape == LaneShape::Uniform;
    else if (N.Opcode == Op::Load)
      Once = AllHere && Plan.Group.Value[I].Shape == LaneShape::Uniform &&
             (Needed[I] || !isBehindWrite(I));
    else if (N.Opcode == Op::Store)
      Once = AllHere && F.slotOf(I) && Plan.GroupSlot[F.slotOf(I)];
    AtGroup.set(I, Once);
    return Once;
  }

  // --- Collecting a region
  void add(BlockId B, GroupItem Item) { Plan.Items.at(B).push_back(Item); }

  void pend(InstId I) {
    Pending.push_back(I);
    auto Touch = [&](InstId Inner) {
      if (isExit(Inner) && leavesRegion(Inner))
        PendingExits.insert(targetOf(Inner));
      if (SlotId Slot = F.slotOf(Inner)) {
        Touched.insert(Slot.index());
        if (F.Insts[Inner].Opcode == Op::Store)
          TouchedWrites.insert(Slot.index());
      }
      Op O = F.Insts[Inner].Opcode;
      WritesBuffers |= isOfBuffer(Inner) && (O == Op::Store || isAtomic(O));
    };
    Touch(I);
    forEachWithin(F, I, Touch);
  }

  /// The exit's target is not within the statements of a region.
  bool leavesRegion(InstId I) const {
    InstId T = targetOf(I);
    return !T || Plan.GroupLevel[T];
  }

  /// A group-level access of a slot that the pending region touches too.
  bool conflicts(InstId I) const {
    SlotId Slot = F.slotOf(I);
    if (!Slot)
      return false;
    return F.Insts[I].Opcode == Op::Store
               ? Touched.count(Slot.index()) != 0
               : TouchedWrites.count(Slot.index()) != 0;
  }

  bool isOfBuffer(InstId I) const {
    PlaceId P = F.Insts[I].Where;
    return P && F.Places[P].Base.Kind == BaseKind::Param;
  }
  /// A load from a buffer that may be the same view as one that the pending
  /// region writes: a work-item sees its own writes.
  bool isBehindWrite(InstId I) const {
    return WritesBuffers && isOfBuffer(I) && F.Insts[I].Opcode == Op::Load;
  }

  void flush(BlockId B) {
    if (Pending.empty())
      return;
    uint32_t R = static_cast<uint32_t>(Plan.Regions.size());
    LaneRegion Region;
    Region.Insts = std::move(Pending);
    Region.Cold = isCold(B);
    Region.Exits.assign(PendingExits.begin(), PendingExits.end());
    Region.Absent.assign(Left.begin(), Left.end());
    Left.insert(PendingExits.begin(), PendingExits.end());
    for (InstId I : Region.Insts)
      mark(I, R);
    RegionBlock.push_back(B);
    Plan.Regions.push_back(std::move(Region));
    add(B, {GroupItem::Kind::Region, InstId(), R});
    Pending.clear();
    Touched.clear();
    TouchedWrites.clear();
    WritesBuffers = false;
    PendingExits.clear();
  }

  void mark(InstId I, uint32_t R) {
    Plan.RegionOf.set(I, R);
    forEachWithin(F, I, [&](InstId N) { Plan.RegionOf.set(N, R); });
  }

  // --- What outlives a region
  template <class Fn> void regionInsts(uint32_t R, const Fn &Visit) {
    forEachOf(F, Plan.Regions[R].Insts, Visit);
  }

  bool inGroupLoop(BlockId B, BlockId Upto) const {
    for (InstId P = S.ownerOf(B); P && B != Upto; P = S.ownerOf(B)) {
      if (F.Insts[P].Opcode == Op::Loop)
        return true;
      B = S.blockOf(P);
    }
    return false;
  }

  /// Variables that every region writes first are as many; but a debugger
  /// shows one.
  bool slotOutlives(SlotId Slot) const {
    const SlotScope &Where = Plan.Scopes[Slot];
    uint32_t R = NoRegion;
    bool Several = false;
    for (InstId A : Where.Accesses) {
      uint32_t Of = Plan.RegionOf[A];
      if (Of == NoRegion)
        return true;
      Several |= R != NoRegion && Of != R;
      R = Of;
    }
    if (R == NoRegion || (!PerItem && !LiveAtStarts[Slot.index()]))
      return false;
    if (Several)
      return true;
    // Within the region's own statements, or once for each run of its scope.
    InstId Owner = S.ownerOf(Where.Scope);
    if (Owner && Plan.RegionOf[Owner] == R)
      return false;
    return inGroupLoop(RegionBlock[R], Where.Scope);
  }

  void slotsOfRegion(uint32_t R) {
    std::set<uint32_t> All, Writes;
    regionInsts(R, [&](InstId I) {
      SlotId Slot = F.slotOf(I);
      if (!Slot)
        return;
      All.insert(Slot.index());
      if (F.Insts[I].Opcode == Op::Store)
        Writes.insert(Slot.index());
    });
    LaneRegion &Region = Plan.Regions[R];
    for (uint32_t N : All) {
      SlotId Slot(N);
      if (!slotOutlives(Slot))
        continue;
      bool Group = Plan.GroupSlot[Slot], Written = Writes.count(N) != 0;
      (Group ? Region.UniformSlots : Region.ContextSlots).push_back(Slot);
      if (Written)
        (Group ? Region.UniformWrites : Region.ContextWrites).push_back(Slot);
    }
  }

  void allocate(ContextPlace &P) {
    if (P.Bytes == 0 || P.InRegisters)
      return;
    P.Offset = Plan.ContextBytes;
    uint64_t Bytes = uint64_t(P.Bytes) * Plan.VectorsPerGroup;
    Plan.ContextBytes = (Plan.ContextBytes + Bytes + 63) / 64 * 64;
  }
  uint32_t bytesOf(const LaneValue &V, TypeId T) const {
    return static_cast<uint32_t>(M.Types.layout(T).Size *
                                 (V.isScalar() ? 1 : Plan.Width));
  }

  void contexts() {
    for (uint32_t R = 0; R < Plan.Regions.size(); ++R)
      valuesOfRegion(R);
    for (uint32_t I = 0; I < F.Slots.size(); ++I)
      contextOfSlot(SlotId(I));
    if (!PerItem)
      planRows(M, F, S, Plan);
    for (ValueId V : Kept)
      allocate(Plan.ContextOfValue.at(V));
    for (uint32_t I = 0; I < F.Slots.size(); ++I)
      allocate(Plan.ContextOfSlot.at(SlotId(I)));
    std::set<InstId> Flagged;
    for (const LaneRegion &Region : Plan.Regions)
      Flagged.insert(Region.Absent.begin(), Region.Absent.end());
    for (InstId T : Flagged) {
      Plan.ExitFlags.push_back({T, {0, 4 * Plan.Width}});
      allocate(Plan.ExitFlags.back().second);
    }
  }

  void contextOfSlot(SlotId Slot) {
    if (!Plan.GroupSlot[Slot] && slotOutlives(Slot))
      Plan.ContextOfSlot.at(Slot).Bytes =
          bytesOf(Plan.Vector.OfSlot[Slot], F.Slots[Slot].Type);
  }

  void valuesOfRegion(uint32_t R) {
    std::set<ValueId> Again, Reads;
    auto Use = [&](ValueId V) { use(R, V, Again, Reads); };
    regionInsts(R, [&](InstId I) { forEachUse(F, I, Use); });
    Plan.Regions[R].Again.assign(Again.begin(), Again.end());
    Plan.Regions[R].Reads.assign(Reads.begin(), Reads.end());
  }

  void use(uint32_t R, ValueId V, std::set<ValueId> &Again,
           std::set<ValueId> &Reads) {
    uint32_t Of = Plan.RegionOf[V];
    if (Of == NoRegion || Of == R || Again.count(V) || Reads.count(V))
      return;
    unsigned Left = MaxAgain;
    if (isShort(V, Left)) {
      for (ValueId Operand : F.operands(V))
        use(R, Operand, Again, Reads);
      Again.insert(V);
      return;
    }
    Reads.insert(V);
    if (Plan.ContextOfValue[V].Bytes)
      return;
    Plan.ContextOfValue.at(V).Bytes =
        bytesOf(Plan.Vector.Value[V], F.typeOf(V));
    Kept.push_back(V);
    Plan.Regions[Of].Keeps.push_back(V);
  }

  /// The value takes at most `Left` pure operations from what every region
  /// has: ids and group-level values.
  bool isShort(ValueId V, unsigned &Left) const {
    if (Plan.RegionOf[V] == NoRegion)
      return true;
    if (!isPure(F.Insts[V].Opcode) || Left == 0)
      return false;
    --Left;
    for (ValueId Operand : F.operands(V))
      if (!isShort(Operand, Left))
        return false;
    return true;
  }

  const Module &M;
  const Function &F;
  const Structure &S;
  LanePlan &Plan;
  SideMap<Inst, unsigned> Order{0};
  SideMap<Inst, bool> AtGroup{false};
  mutable SideMap<Inst, std::optional<bool>> GroupValue;
  std::vector<InstId> Barriers, Pending;
  std::set<BlockId> Cold; ///< forms of a first choice that seldom run
  std::set<uint32_t> Touched, TouchedWrites;
  std::vector<BlockId> RegionBlock;
  std::vector<bool> LiveAtStarts; ///< slots, where some region starts
  std::vector<ValueId> Kept;      ///< values in the context, in order
  std::set<InstId> PendingExits;  ///< targets that the pending region leaves
  std::set<InstId> Left; ///< targets that lanes of earlier regions have left to
  bool Raised = false;
  bool WritesBuffers = false; ///< the pending region may
  bool PerItem;
  /// What group-level control hangs on.
  SideMap<Inst, bool> Needed{false};
};

} // namespace

// --- Accesses

static LaneAccess accessOf(const Module &M, const Function &F,
                           const LanePlan &Plan, InstId I) {
  const Place &P = F.Places[F.Insts[I].Where];
  FlatPlace Flat = flatten(M, F, P);
  int64_t Stride = 0;
  unsigned Moving = 0;
  for (const FlatPlace::Term &T : Flat.Terms) {
    const LaneValue &V = Plan.Vector.Value[T.Index];
    if (V.Shape == LaneShape::Varying)
      return LaneAccess::Gather;
    if (V.Shape != LaneShape::Strided)
      continue;
    ++Moving;
    Stride = V.Stride * static_cast<int64_t>(T.Stride);
  }
  if (Moving == 0)
    return LaneAccess::Broadcast;
  if (Moving > 1)
    return LaneAccess::Gather;
  bool Neighbours = Stride == static_cast<int64_t>(M.Types.layout(P.Type).Size);
  return Neighbours ? LaneAccess::Contiguous : LaneAccess::Strided;
}

/// Loads up to four words apart, both ways; stores backwards: between its own
/// words an access may read, but not write.
static int32_t distanceOf(const Module &M, const Function &F,
                          const LanePlan &Plan, InstId I) {
  constexpr int64_t MaxDistance = 4, Word = 4;
  const Place &P = F.Places[F.Insts[I].Where];
  bool Stores = F.Insts[I].Opcode == Op::Store;
  if (Plan.Access[I] != LaneAccess::Strided || P.Base.Kind == BaseKind::Slot ||
      M.Types.layout(P.Type).Size != Word ||
      (!Stores && F.Insts[I].Opcode != Op::Load))
    return 0;
  int64_t Stride = 0;
  for (const FlatPlace::Term &T : flatten(M, F, P).Terms)
    if (Plan.Vector.Value[T.Index].Shape == LaneShape::Strided)
      Stride =
          Plan.Vector.Value[T.Index].Stride * static_cast<int64_t>(T.Stride);
  int64_t Most = Stores ? 1 : MaxDistance;
  if (Stride % Word || Stride / Word < -Most || Stride / Word > Most)
    return 0;
  return static_cast<int32_t>(Stride / Word);
}

static LanePlan planWidth(const Module &M, const Function &F, unsigned Machine,
                          unsigned Registers, bool PerItem = false) {
  LanePlan Plan;
  unsigned Width = Machine * Registers;
  Plan.Width = Width;
  Plan.Machine = Machine;
  Plan.VectorsPerRow = (F.WorkgroupSize[0] + Width - 1) / Width;
  Plan.VectorsPerGroup =
      Plan.VectorsPerRow * F.WorkgroupSize[1] * F.WorkgroupSize[2];
  Structure S(F);
  Plan.Scopes = slotScopes(M, F, S);
  Plan.Vector = analyseLanes(M, F, S, Plan.Scopes, LaneScope::Vector, Width);
  Plan.Group = analyseLanes(M, F, S, Plan.Scopes, LaneScope::Group, Width);
  forEachInst(F, [&](InstId I) {
    if (F.Insts[I].Where && F.Insts[I].Opcode != Op::Len)
      Plan.Access.set(I, accessOf(M, F, Plan, I));
    if (F.Insts[I].Where && F.Insts[I].Opcode != Op::Len)
      Plan.Distance.set(I, distanceOf(M, F, Plan, I));
  });
  planAtomics(F, S, Plan);
  RegionPlanner(M, F, S, Plan, PerItem).run();
  findTrips(F, S, Plan);
  if (!PerItem) {
    planArrays(M, F, Plan);
    planRuns(F, Plan);
    planVersions(F, S, Plan);
  }
  return Plan;
}

LanePlan goldy::planLanes(const Module &M, const Function &F, unsigned Width,
                          bool PerItem) {
  LanePlan Plan = planWidth(M, F, Width, 1, PerItem);
  planItems(F, Plan);
  if (!PerItem)
    planSplits(F, Plan);
  return Plan;
}

LanePlan goldy::planLanes(const Module &M, const Function &F,
                          const LaneMachine &On) {
  LanePlan Plan = planWidth(M, F, chooseWidth(F, On.Lanes), 1);
  if (!Plan.Refused.empty())
    return Plan;
  std::vector<LaneInterleave> Choices = chooseInterleave(M, F, Plan, On);
  unsigned Registers = 1;
  for (const LaneInterleave &C : Choices)
    Registers = std::max(Registers, C.Registers);
  if (Registers > 1)
    Plan = planWidth(M, F, Plan.Machine, Registers);
  assert(Plan.Regions.size() == Choices.size() &&
         "what is done once a group does not hang on widths");
  for (size_t R = 0; R < Choices.size(); ++R)
    Plan.Regions[R].Interleave = Choices[R];
  planItems(F, Plan);
  planSplits(F, Plan);
  return Plan;
}

unsigned goldy::chooseWidth(const Function &F, unsigned MaxWidth) {
  uint32_t Row = F.WorkgroupSize[0];
  uint32_t AtMost = (Row + MaxWidth - 1) / MaxWidth + 1;
  for (unsigned W = MaxWidth; W >= MinLanes; W /= 2)
    if (Row % W == 0 && Row / W <= AtMost)
      return W;
  unsigned W = MaxWidth;
  while (W > MinLanes && W / 2 >= Row)
    W /= 2;
  return W;
}
