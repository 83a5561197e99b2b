//===- LanesContexts.cpp - What must outlive a region ---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value of one region that another uses is computed again there if it is a
// short expression over ids and group-level values; else it is kept in the
// context. A slot is in the context if two regions touch it, or if a region
// touches it again on a later trip of a group-level loop around its scope.
//
//===----------------------------------------------------------------------===//
#include "LanesRegions.h"

#include "goldyc/Analysis/SlotLiveness.h"

using namespace goldy;

namespace {

class ContextPlanner {
public:
  ContextPlanner(const Module &M, const Function &F, const Structure &S,
                 LanePlan &Plan, const std::vector<BlockId> &BlockOfRegion,
                 bool PerItem)
      : M(M), F(F), S(S), Plan(Plan), BlockOfRegion(BlockOfRegion),
        PerItem(PerItem) {}

  void run() {
    std::set<InstId> Starts;
    for (const LaneRegion &R : Plan.Regions)
      Starts.insert(R.Insts.front());
    LiveAtStarts = SlotLiveness(F, std::move(Starts)).atPoints();
    for (uint32_t R = 0; R < Plan.Regions.size(); ++R)
      slotsOfRegion(R);
    contexts();
  }

private:
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
    return inGroupLoop(BlockOfRegion[R], Where.Scope);
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
  const std::vector<BlockId> &BlockOfRegion;
  bool PerItem;
  std::vector<bool> LiveAtStarts; ///< slots, where some region starts
  std::vector<ValueId> Kept;      ///< values in the context, in order
};

} // namespace

void goldy::planContexts(const Module &M, const Function &F, const Structure &S,
                         LanePlan &Plan,
                         const std::vector<BlockId> &BlockOfRegion,
                         bool PerItem) {
  ContextPlanner(M, F, S, Plan, BlockOfRegion, PerItem).run();
}
