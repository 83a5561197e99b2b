//===- LanesGroup.cpp - What runs once per group --------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Statements that hold a barrier, exits from those, choices that a kernel makes
// first, and loops that keep nothing for their lanes.
//
//===----------------------------------------------------------------------===//
#include "LanesRegions.h"

#include <optional>

using namespace goldy;

namespace {

class GroupMarker {
public:
  GroupMarker(const Function &F, const Structure &S, LanePlan &Plan,
              bool PerItem)
      : F(F), S(S), Plan(Plan), PerItem(PerItem) {}

  std::set<BlockId> run() {
    unsigned Next = 0;
    forEachInst(F, [&](InstId I) {
      Order.set(I, Next++);
      if (opInfo(F.Insts[I].Opcode).Effects == Effect::Sync)
        Barriers.push_back(I);
    });
    markExits();
    markLevel();
    return std::move(Cold);
  }

private:
  InstId targetOf(InstId I) const { return targetOfExit(F, S, I); }
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

  void markLevel() {
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

  const Function &F;
  const Structure &S;
  LanePlan &Plan;
  bool PerItem;
  SideMap<Inst, unsigned> Order{0};
  mutable SideMap<Inst, std::optional<bool>> GroupValue;
  std::vector<InstId> Barriers;
  std::set<BlockId> Cold;
  bool Raised = false;
};

} // namespace

std::set<BlockId> goldy::markGroupLevel(const Function &F, const Structure &S,
                                        LanePlan &Plan, bool PerItem) {
  return GroupMarker(F, S, Plan, PerItem).run();
}
