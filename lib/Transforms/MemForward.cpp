//===- MemForward.cpp - Loads of slots become the value stored
//--------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows scalar slots along the structure: what a slot holds is known after a
// store or load of it and forgotten after a statement that may store into it.
// At the head of a loop all that the loop stores is forgotten. Loads of buffers
// and workgroup arrays are reused too, until anything but a slot is written or
// the group meets at a barrier: two parameters may name the same memory. Wants
// scalarise before; enables folding and dce.
//
//===----------------------------------------------------------------------===//
#include "RewritePass.h"

#include "goldyc/Analysis/Structure.h"

#include <map>
#include <set>

namespace goldy {
namespace {

/// What a load of shared memory depends on: base, path and guard.
using LoadKey = std::vector<uint64_t>;

/// What the statements of a block may change.
struct Effects {
  std::set<uint32_t> Slots;
  bool Memory = false; ///< buffers, workgroup arrays, or a barrier
};

/// What is known where the rewriter stands, as values of the result.
struct State {
  std::map<uint32_t, ValueId> Slots;
  std::map<LoadKey, ValueId> Loads;
};

class Forwarder : public PassRewriter {
public:
  Forwarder(Module &M, const Function &Src, PassContext &Context)
      : PassRewriter(M, Src, Context) {
    collectEffects(Src.Body);
  }

protected:
  InstId visit(InstId I) override;
  void enterBlock(InstId Owner, unsigned Which) override;

private:
  const Effects &collectEffects(BlockId B);
  InstId visitControl(InstId I);
  InstId visitSlot(InstId I, uint32_t Slot);
  InstId visitShared(InstId I);
  LoadKey keyOf(InstId Load);
  /// The slot that a place is as a whole, if it is a scalar one.
  std::optional<uint32_t> wholeSlot(InstId I) const {
    const Place &P = Src.Places[Src.Insts[I].Where];
    if (P.Base.Kind != BaseKind::Slot || !P.Path.empty() ||
        !M.Types.isScalar(P.Type) || Src.guard(I))
      return std::nullopt;
    return P.Base.Index;
  }
  void forget(const Effects &E) {
    for (uint32_t S : E.Slots)
      Known.Slots.erase(S);
    if (E.Memory)
      Known.Loads.clear();
  }
  bool isSlotAccess(InstId I) const {
    return Src.Places[Src.Insts[I].Where].Base.Kind == BaseKind::Slot;
  }
  bool changesMemory(InstId I) const {
    Op O = Src.Insts[I].Opcode;
    return (O == Op::Store && !isSlotAccess(I)) || isAtomic(O) ||
           opInfo(O).Effects == Effect::Sync || O == Op::Call;
  }

  State Known;
  SideMap<Inst, State> AtEntry;
  SideMap<Block, Effects> Changes; ///< of a block, directly or below
};

const Effects &Forwarder::collectEffects(BlockId B) {
  Effects E;
  for (InstId I : Src.Blocks[B].Insts) {
    const Inst &N = Src.Insts[I];
    if (N.Opcode == Op::Store && isSlotAccess(I))
      E.Slots.insert(Src.Places[N.Where].Base.Index);
    E.Memory |= changesMemory(I);
    for (BlockId Inner : N.Blocks) {
      if (!Inner)
        continue;
      const Effects &Below = collectEffects(Inner);
      E.Slots.insert(Below.Slots.begin(), Below.Slots.end());
      E.Memory |= Below.Memory;
    }
  }
  Changes.set(B, std::move(E));
  return Changes[B];
}

void Forwarder::enterBlock(InstId Owner, unsigned Which) {
  if (Which == 1)
    Known = AtEntry[Owner];
}

InstId Forwarder::visitControl(InstId I) {
  const Inst &N = Src.Insts[I];
  bool Loop = N.Opcode == Op::Loop || N.Opcode == Op::For;
  for (BlockId Inner : N.Blocks)
    if (Inner && Loop)
      forget(Changes[Inner]);
  AtEntry.set(I, Known);
  InstId New = copy(I);
  Known = AtEntry[I];
  AtEntry.set(I, {});
  for (BlockId Inner : N.Blocks)
    // A branch that never comes back leaves what follows as it was.
    if (Inner && (N.Opcode != Op::If || fallsThrough(Src, Inner)))
      forget(Changes[Inner]);
  return New;
}

InstId Forwarder::visitSlot(InstId I, uint32_t Slot) {
  if (Src.Insts[I].Opcode == Op::Store) {
    InstId New = copy(I);
    Known.Slots[Slot] = map(Src.operand(I, 0));
    return New;
  }
  std::map<uint32_t, ValueId>::iterator Found = Known.Slots.find(Slot);
  if (Found != Known.Slots.end() && spend())
    return Found->second;
  return Known.Slots[Slot] = copy(I);
}

LoadKey Forwarder::keyOf(InstId Load) {
  const Place &P = Src.Places[Src.Insts[Load].Where];
  LoadKey Key{uint64_t(P.Base.Kind), P.Base.Index};
  for (const PathElement &E : P.Path) {
    Key.push_back(E.isDynamic());
    Key.push_back(E.isDynamic() ? map(E.Index).index() : E.Member);
  }
  if (ValueId Guard = Src.guard(Load))
    Key.push_back(map(Guard).index());
  return Key;
}

InstId Forwarder::visitShared(InstId I) {
  if (changesMemory(I))
    Known.Loads.clear();
  if (Src.Insts[I].Opcode != Op::Load || isSlotAccess(I))
    return copy(I);
  ValueId &Earlier = Known.Loads[keyOf(I)];
  if (Earlier && spend())
    return Earlier;
  // Copying does not touch the table, so the reference stays good.
  return Earlier = copy(I);
}

InstId Forwarder::visit(InstId I) {
  const Inst &N = Src.Insts[I];
  if (N.Blocks[0])
    return visitControl(I);
  bool Plain = N.Opcode == Op::Load || N.Opcode == Op::Store;
  if (std::optional<uint32_t> Slot = Plain ? wholeSlot(I) : std::nullopt)
    return visitSlot(I, *Slot);
  if (N.Opcode == Op::Store && isSlotAccess(I))
    Known.Slots.erase(Src.Places[N.Where].Base.Index);
  return visitShared(I);
}

class MemForwardPass : public Pass {
public:
  std::string_view name() const override { return "mem-forward"; }
  PassResult run(Module &M, PassContext &Context) override {
    return rewriteFunctions<Forwarder>(M, Context);
  }
};

} // namespace

std::unique_ptr<Pass> createMemForwardPass() {
  return std::make_unique<MemForwardPass>();
}

} // namespace goldy
