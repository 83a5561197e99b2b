//===- Dce.cpp - Removes what nothing needs
//---------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Marks what has an effect that can be seen and, from there, what that needs:
// operands, the statements around it, and the stores into slots that a load may
// see (SlotLiveness.h).
// Loops are kept (one that never ends is a program's right), For statements
// without effect are not. Statements after an exit of their block go first.
//
//===----------------------------------------------------------------------===//
#include "RewritePass.h"

#include "goldyc/Analysis/SlotLiveness.h"
#include "goldyc/Analysis/Structure.h"

namespace goldy {
namespace {

class Liveness {
public:
  Liveness(const Function &F, bool KeepsSlots)
      : F(F), KeepsSlots(KeepsSlots), Where(F), Slots(F) {
    markReachable(F.Body);
    forEachInst(F, [&](InstId I) {
      if (writesSlot(I))
        Stores.at(F.slotOf(I)).push_back(I);
    });
    forEachInst(F, [&](InstId I) {
      if (isRoot(I))
        mark(I);
    });
    while (!Work.empty()) {
      InstId I = Work.back();
      Work.pop_back();
      visit(I);
    }
  }
  bool isLive(InstId I) const { return Live[I]; }

private:
  void markReachable(BlockId B);
  bool isRoot(InstId I) const;
  bool writesSlot(InstId I) const {
    return F.Insts[I].Opcode == Op::Store && F.slotOf(I);
  }
  void mark(InstId I) {
    if (Live[I] || !Reachable[I])
      return;
    Live.set(I, true);
    Work.push_back(I);
  }
  void markValue(ValueId V) {
    if (opInfo(F.Insts[V].Opcode).Effects != Effect::Leaf)
      mark(V);
    else if (F.Insts[V].Opcode == Op::LoopVar)
      mark(F.Insts[V].Target);
  }
  void visit(InstId I);
  void markSlot(SlotId S);

  const Function &F;
  bool KeepsSlots;
  Structure Where;
  SlotLiveness Slots;
  SideMap<Inst, bool> Live{false}, Reachable{false};
  SideMap<Slot, bool> Read{false};
  SideMap<Slot, std::vector<InstId>> Stores;
  std::vector<InstId> Work;
};

void Liveness::markReachable(BlockId B) {
  for (InstId I : F.Blocks[B].Insts) {
    Reachable.set(I, true);
    for (BlockId Inner : F.Insts[I].Blocks)
      if (Inner)
        markReachable(Inner);
    if (isExit(F.Insts[I].Opcode))
      return;
  }
}

bool Liveness::isRoot(InstId I) const {
  switch (F.Insts[I].Opcode) {
  case Op::If:
  case Op::For:
  case Op::Block:
  case Op::Load:
  case Op::AtomicLoad:
    return false;
  case Op::Store:
    return KeepsSlots || !writesSlot(I);
  case Op::Break:
    // The end of its own block is where control goes anyway.
    return F.Blocks[F.Insts[F.Insts[I].Target].Blocks[0]].Insts.back() != I ||
           F.Insts[F.Insts[I].Target].Opcode != Op::Block;
  default:
    return !isPure(F.Insts[I].Opcode);
  }
}

void Liveness::markSlot(SlotId S) {
  if (Read[S])
    return;
  Read.set(S, true);
  for (InstId I : Stores[S])
    if (Slots.isSeen(I))
      mark(I);
}

void Liveness::visit(InstId I) {
  const Inst &N = F.Insts[I];
  for (ValueId V : F.operands(N))
    markValue(V);
  if (N.Target)
    mark(N.Target);
  if (InstId Parent = Where.parentOf(I))
    mark(Parent);
  if (!N.Where)
    return;
  const Place &P = F.Places[N.Where];
  for (const PathElement &E : P.Path)
    if (E.isDynamic())
      markValue(E.Index);
  if (P.Base.Kind == BaseKind::Slot && N.Opcode != Op::Store)
    markSlot(SlotId(P.Base.Index));
}

class DceRewriter : public PassRewriter {
public:
  DceRewriter(Module &M, const Function &Src, PassContext &Context)
      : PassRewriter(M, Src, Context), Live(Src, Context.KeepsSlots) {}

protected:
  // One unit of fuel a function: half a removal would leave users without
  // their operands.
  InstId visit(InstId I) override {
    if (Live.isLive(I))
      return copy(I);
    if (!Asked) {
      Asked = true;
      Remove = spend();
    }
    return Remove ? InstId() : copy(I);
  }

private:
  Liveness Live;
  bool Asked = false, Remove = false;
};

class DcePass : public Pass {
public:
  std::string_view name() const override { return "dce"; }
  PassResult run(Module &M, PassContext &Context) override {
    PassResult R = rewriteFunctions<DceRewriter>(M, Context);
    for (Function &F : M.Functions)
      removeUnusedSlots(F);
    return R;
  }
};

} // namespace

void removeUnusedSlots(Function &F) {
  SideMap<Slot, bool> Used{false};
  for (const Place &P : F.Places)
    if (P.Base.Kind == BaseKind::Slot)
      Used.set(SlotId(P.Base.Index), true);
  Arena<Slot> Kept;
  SideMap<Slot, SlotId> NewId;
  for (uint32_t K = 0; K < F.Slots.size(); ++K)
    if (Used[SlotId(K)])
      NewId.set(SlotId(K), Kept.push(F.Slots[SlotId(K)]));
  F.Slots = std::move(Kept);
  for (Place &P : F.Places)
    if (P.Base.Kind == BaseKind::Slot)
      P.Base.Index = NewId[SlotId(P.Base.Index)].index();
}

std::unique_ptr<Pass> createDcePass() { return std::make_unique<DcePass>(); }

} // namespace goldy
