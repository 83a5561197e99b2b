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
// At the head of a loop all that the loop stores is forgotten. Wants scalarise
// before; enables folding and dce.
//
//===----------------------------------------------------------------------===//
#include "RewritePass.h"

#include "goldyc/Analysis/Structure.h"

#include <map>
#include <set>

namespace goldy {
namespace {

class Forwarder : public PassRewriter {
public:
  Forwarder(Module &M, const Function &Src, PassContext &Context)
      : PassRewriter(M, Src, Context) {
    collectStores(Src.Body);
  }

protected:
  InstId visit(InstId I) override;
  void enterBlock(InstId Owner, unsigned Which) override;

private:
  using SlotSet = std::set<uint32_t>;
  using State = std::map<uint32_t, ValueId>; ///< slot to value of the result

  SlotSet collectStores(BlockId B);
  InstId visitControl(InstId I);
  /// The slot that a place is as a whole, if it is a scalar one.
  std::optional<uint32_t> wholeSlot(InstId I) const {
    const Place &P = Src.Places[Src.Insts[I].Where];
    if (P.Base.Kind != BaseKind::Slot || !P.Path.empty() ||
        !M.Types.isScalar(P.Type) || Src.guard(I))
      return std::nullopt;
    return P.Base.Index;
  }
  void forget(const SlotSet &Slots) {
    for (uint32_t S : Slots)
      Known.erase(S);
  }
  static bool isLoop(Op O) { return O == Op::Loop || O == Op::For; }

  State Known;
  SideMap<Inst, State> AtEntry;
  /// Slots that a block stores into, directly or below.
  SideMap<Block, SlotSet> Stored;
};

Forwarder::SlotSet Forwarder::collectStores(BlockId B) {
  SlotSet Slots;
  for (InstId I : Src.Blocks[B].Insts) {
    const Inst &N = Src.Insts[I];
    if (N.Opcode == Op::Store &&
        Src.Places[N.Where].Base.Kind == BaseKind::Slot)
      Slots.insert(Src.Places[N.Where].Base.Index);
    for (BlockId Inner : N.Blocks)
      if (Inner) {
        SlotSet Below = collectStores(Inner);
        Slots.insert(Below.begin(), Below.end());
      }
  }
  Stored.set(B, Slots);
  return Slots;
}

void Forwarder::enterBlock(InstId Owner, unsigned Which) {
  if (Which == 1)
    Known = AtEntry[Owner];
}

InstId Forwarder::visitControl(InstId I) {
  const Inst &N = Src.Insts[I];
  bool Loop = isLoop(N.Opcode);
  for (BlockId Inner : N.Blocks)
    if (Inner && Loop)
      forget(Stored[Inner]);
  AtEntry.set(I, Known);
  InstId New = copy(I);
  Known = AtEntry[I];
  AtEntry.set(I, {});
  for (BlockId Inner : N.Blocks)
    // A branch that never comes back leaves what follows as it was.
    if (Inner && (N.Opcode != Op::If || fallsThrough(Src, Inner)))
      forget(Stored[Inner]);
  return New;
}

InstId Forwarder::visit(InstId I) {
  const Inst &N = Src.Insts[I];
  if (N.Blocks[0])
    return visitControl(I);
  if (N.Opcode != Op::Load && N.Opcode != Op::Store)
    return copy(I);
  const Place &P = Src.Places[N.Where];
  std::optional<uint32_t> Slot = wholeSlot(I);
  if (!Slot) {
    if (N.Opcode == Op::Store && P.Base.Kind == BaseKind::Slot)
      Known.erase(P.Base.Index);
    return copy(I);
  }
  if (N.Opcode == Op::Store) {
    InstId New = copy(I);
    Known[*Slot] = map(Src.operand(I, 0));
    return New;
  }
  State::iterator Found = Known.find(*Slot);
  if (Found != Known.end() && spend())
    return Found->second;
  return Known[*Slot] = copy(I);
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
