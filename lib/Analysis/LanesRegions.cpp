//===- LanesRegions.cpp - What falls into which region --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Maximal runs of statements that do not run once for their group.
//
//===----------------------------------------------------------------------===//
#include "LanesRegions.h"

using namespace goldy;

namespace {

class RegionCollector {
public:
  RegionCollector(const Function &F, const Structure &S, LanePlan &Plan,
                  const std::set<BlockId> &Cold, bool PerItem)
      : F(F), S(S), Plan(Plan), Cold(Cold), PerItem(PerItem) {}

  std::vector<BlockId> run() {
    findNeeded();
    groupBlock(F.Body);
    return std::move(BlockOfRegion);
  }

private:
  void refuse(std::string Why, InstId I) {
    if (!Plan.Refused.empty())
      return;
    Plan.Refused = std::move(Why);
    Plan.RefusedAt = I;
  }

  InstId targetOf(InstId I) const { return targetOfExit(F, S, I); }
  bool isExit(InstId I) const { return goldy::isExit(F.Insts[I].Opcode); }
  bool isCold(BlockId B) const {
    for (; B != F.Body; B = S.blockOf(S.ownerOf(B)))
      if (Cold.count(B))
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
    BlockOfRegion.push_back(B);
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

  const Function &F;
  const Structure &S;
  LanePlan &Plan;
  const std::set<BlockId> &Cold; ///< forms of a first choice that seldom run
  bool PerItem;
  SideMap<Inst, bool> AtGroup{false};
  /// What group-level control hangs on.
  SideMap<Inst, bool> Needed{false};
  std::vector<BlockId> BlockOfRegion;
  // The pending region.
  std::vector<InstId> Pending;
  std::set<uint32_t> Touched, TouchedWrites; ///< slots
  bool WritesBuffers = false;                ///< it may
  std::set<InstId> PendingExits;             ///< targets that it leaves
  std::set<InstId> Left; ///< targets that lanes of earlier regions have left to
};

} // namespace

std::vector<BlockId> goldy::collectRegions(const Function &F,
                                           const Structure &S, LanePlan &Plan,
                                           const std::set<BlockId> &Cold,
                                           bool PerItem) {
  return RegionCollector(F, S, Plan, Cold, PerItem).run();
}

void goldy::planRegions(const Module &M, const Function &F, const Structure &S,
                        LanePlan &Plan, bool PerItem) {
  std::set<BlockId> Cold = markGroupLevel(F, S, Plan, PerItem);
  for (uint32_t I = 0; I < F.Slots.size(); ++I)
    Plan.GroupSlot.set(SlotId(I), Plan.Group.OfSlot[SlotId(I)].Shape ==
                                      LaneShape::Uniform);
  std::vector<BlockId> Blocks = collectRegions(F, S, Plan, Cold, PerItem);
  if (Plan.Refused.empty())
    planContexts(M, F, S, Plan, Blocks, PerItem);
}
