//===- LanesJoin.cpp - Groups side by side as one -------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most kernels without workgroup memory see of a work-item its global id alone.
// Groups that are neighbours in x are a longer group for them: one loop over
// vectors does them all.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Analysis/Lanes.h"

using namespace goldy;

namespace {

class JoinFinder {
public:
  JoinFinder(const Function &F, const LanePlan &Plan) : F(F), Plan(Plan) {}

  bool joins() {
    bool OneRow = F.WorkgroupSize[1] == 1 && F.WorkgroupSize[2] == 1;
    if (!OneRow || !F.WorkgroupArrays.empty() || Plan.ContextBytes ||
        !Plan.ExitFlags.empty())
      return false;
    const std::vector<GroupItem> &Items = Plan.Items[F.Body];
    bool Choice = !Items.empty() && Plan.OnceARun[Items.back().Inst];
    const std::vector<GroupItem> &Form =
        Choice ? Plan.Items[F.Insts[Items.back().Inst].Blocks[0]] : Items;
    uint32_t Region = NoRegion;
    for (const GroupItem &Item : Items)
      if (Item.What == GroupItem::Kind::Scalar && !onlyReads(Item.Inst))
        return false;
    for (const GroupItem &Item : Form) {
      if (Item.What == GroupItem::Kind::Scalar && onlyReads(Item.Inst))
        continue;
      if (Item.What != GroupItem::Kind::Region || Region != NoRegion)
        return false;
      Region = Item.Region;
    }
    return Region != NoRegion && isEven(Plan.Regions[Region]) &&
           seesNoGroup(Plan.Regions[Region]);
  }

private:
  bool onlyReads(InstId I) const {
    Op O = F.Insts[I].Opcode;
    return isPure(O) || O == Op::Load;
  }

  /// Rows end with a vector.
  bool isEven(const LaneRegion &R) const {
    return !R.Whole && R.Width > 1 && R.Items == F.WorkgroupSize[0] &&
           R.Items % R.Width == 0;
  }

  /// Neither its statements nor what the group computes for them.
  bool seesNoGroup(const LaneRegion &R) {
    bool Same = true;
    forEachOf(F, R.Insts, [&](InstId I) { Same &= isSame(I); });
    for (InstId I : R.Again)
      Same &= isSame(I);
    while (Same && !Before.empty()) {
      InstId I = Before.back();
      Before.pop_back();
      bool OfGroup = F.Insts[I].Opcode == Op::GlobalId && F.Insts[I].Imm == 0;
      Same = !OfGroup && isSame(I);
    }
    return Same;
  }

  bool isSame(InstId I) {
    const Inst &N = F.Insts[I];
    forEachUse(F, I, [&](ValueId V) {
      bool Group = opInfo(F.Insts[V].Opcode).Effects != Effect::Leaf &&
                   Plan.RegionOf[V] == NoRegion;
      if (Group && !Seen[V]) {
        Seen.set(V, true);
        Before.push_back(V);
      }
    });
    switch (N.Opcode) {
    case Op::WorkgroupId:
    case Op::LocalId:
      return N.Imm != 0;
    case Op::Watch: // tells the group
      return false;
    default:
      return opInfo(N.Opcode).Effects != Effect::Sync;
    }
  }

  const Function &F;
  const LanePlan &Plan;
  SideMap<Inst, bool> Seen{false};
  std::vector<InstId> Before; ///< values of the group still to be looked at
};

} // namespace

void goldy::planJoins(const Function &F, LanePlan &Plan) {
  Plan.Joins = JoinFinder(F, Plan).joins();
}
