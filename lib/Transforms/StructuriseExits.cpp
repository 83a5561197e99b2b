//===- StructuriseExits.cpp - Exits leave the innermost statement only
//------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Break or Continue that crosses other Loops or Blocks on its way sets a flag
// and leaves the innermost of them; behind each that it crosses stands a test
// of the flag that goes on outwards. The flag of a Break is cleared before its
// target, that of a Continue at the head of each repetition. Returns stay:
// every target can return from anywhere. Wants dce before, so that nothing
// follows an exit.
//
//===----------------------------------------------------------------------===//
#include "RewritePass.h"

#include "goldyc/Analysis/Structure.h"

#include <algorithm>

namespace goldy {
namespace {

/// Where a group of exits with one flag goes.
struct ExitGroup {
  InstId Target;
  bool Continue = false;
  SlotId Flag;
};

class ExitRewriter : public PassRewriter {
public:
  ExitRewriter(Module &M, const Function &Src, PassContext &Context)
      : PassRewriter(M, Src, Context), Where(Src) {
    forEachInst(Src, [&](InstId I) { note(I); });
  }

protected:
  InstId visit(InstId I) override;
  void enterBlock(InstId Owner, unsigned Which) override;

private:
  static bool isExit(Op O) { return O == Op::Break || O == Op::Continue; }
  /// The innermost Loop, For or Block around an instruction.
  InstId innermost(InstId I) const;
  void note(InstId I);
  size_t groupOf(InstId Target, bool Continue);
  void leaveTowards(const ExitGroup &Group, InstId From);
  void clear(const ExitGroup &Group) {
    B.store(B.slotPlace(Group.Flag), B.boolean(false));
  }

  Structure Where;
  std::vector<ExitGroup> Groups;
  /// The groups that cross a statement, and the group of a crossing exit + 1.
  SideMap<Inst, std::vector<size_t>> Crossing;
  SideMap<Inst, size_t> Group{0};
};

InstId ExitRewriter::innermost(InstId I) const {
  InstId Up = Where.parentOf(I);
  while (Up && Src.Insts[Up].Opcode == Op::If)
    Up = Where.parentOf(Up);
  return Up;
}

size_t ExitRewriter::groupOf(InstId Target, bool Continue) {
  for (size_t K = 0; K < Groups.size(); ++K)
    if (Groups[K].Target == Target && Groups[K].Continue == Continue)
      return K;
  SlotId Flag = Dst.Slots.push(
      {Continue ? "continues" : "leaves", types::Bool, Src.Insts[Target].Loc});
  Groups.push_back({Target, Continue, Flag});
  return Groups.size() - 1;
}

void ExitRewriter::note(InstId I) {
  const Inst &N = Src.Insts[I];
  if (!isExit(N.Opcode) || innermost(I) == N.Target || !spend())
    return;
  size_t G = groupOf(N.Target, N.Opcode == Op::Continue);
  Group.set(I, G + 1);
  for (InstId C = innermost(I); C != N.Target; C = innermost(C)) {
    std::vector<size_t> &Known = Crossing.at(C);
    if (std::find(Known.begin(), Known.end(), G) == Known.end())
      Known.push_back(G);
  }
}

/// One step outwards from where `From` stands.
void ExitRewriter::leaveTowards(const ExitGroup &G, InstId From) {
  InstId Next = innermost(From);
  if (Next == G.Target && G.Continue)
    B.continueTo(map(Next));
  else
    B.breakTo(map(Next));
}

void ExitRewriter::enterBlock(InstId Owner, unsigned Which) {
  for (const ExitGroup &G : Groups)
    if (G.Target == Owner && G.Continue && Which == 0)
      clear(G);
}

InstId ExitRewriter::visit(InstId I) {
  if (size_t G = Group[I]) {
    B.store(B.slotPlace(Groups[G - 1].Flag), B.boolean(true));
    leaveTowards(Groups[G - 1], I);
    return {};
  }
  for (const ExitGroup &G : Groups)
    if (G.Target == I && !G.Continue)
      clear(G);
  InstId New = copy(I);
  BlockId Outer = B.block();
  for (size_t G : Crossing[I]) {
    ValueId Set = B.load(B.slotPlace(Groups[G].Flag));
    InstId Test = B.createIf(Set, false);
    B.setBlock(Dst.Insts[Test].Blocks[0]);
    leaveTowards(Groups[G], I);
    B.setBlock(Outer);
  }
  return New;
}

class StructuriseExitsPass : public Pass {
public:
  std::string_view name() const override { return "structurise-exits"; }
  PassResult run(Module &M, PassContext &Context) override {
    return rewriteFunctions<ExitRewriter>(M, Context);
  }
};

} // namespace

std::unique_ptr<Pass> createStructuriseExitsPass() {
  return std::make_unique<StructuriseExitsPass>();
}

} // namespace goldy
