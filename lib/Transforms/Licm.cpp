//===- Licm.cpp - What a loop does not change stands before it
//--------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pure value whose operands come from outside a loop is computed once before
// it, guards of accesses among them. Every operation is total, so it does not
// matter that the loop may not run. Dear operations move only from where each
// repetition computes them. A loop that holds a barrier keeps its values: the
// host would have to carry them from one part of the group's work to the next.
//
//===----------------------------------------------------------------------===//
#include "RewritePass.h"

#include "goldyc/Analysis/Structure.h"

namespace goldy {
namespace {

/// Values that one loop gives away: each of them takes a register.
constexpr unsigned MaxHoisted = 32;

class Hoister : public PassRewriter {
public:
  using PassRewriter::PassRewriter;

protected:
  InstId visit(InstId I) override {
    if (Hoisted[I])
      return {};
    Op O = Src.Insts[I].Opcode;
    if (isLoop(O) && !hasBarrier(I))
      hoistFrom(I);
    return copy(I);
  }

private:
  bool hasBarrier(InstId Loop) const;
  void hoistFrom(InstId Loop);
  void hoistFrom(BlockId B, bool Always, unsigned &Left);
  bool isInvariant(InstId I) const;
  static bool isDear(Op O);

  SideMap<Inst, bool> Hoisted{false};
  /// Values that the loop at hand computes and keeps.
  SideMap<Inst, bool> Inside{false};
};

bool Hoister::hasBarrier(InstId Loop) const {
  bool Found = false;
  forEachWithin(Src, Loop, [&](InstId I) {
    Found |= opInfo(Src.Insts[I].Opcode).Effects == Effect::Sync;
  });
  return Found;
}

/// More than a few cycles.
bool Hoister::isDear(Op O) {
  return O == Op::Div || O == Op::Rem || O == Op::RawDiv || O == Op::RawRem ||
         O == Op::Sqrt || O == Op::NearQuotient || isPublished(O);
}

bool Hoister::isInvariant(InstId I) const {
  if (!isPure(Src.Insts[I].Opcode))
    return false;
  for (ValueId V : Src.operands(I))
    if (Inside[V])
      return false;
  return true;
}

void Hoister::hoistFrom(BlockId Block, bool Always, unsigned &Left) {
  for (InstId I : Src.Blocks[Block].Insts) {
    const Inst &N = Src.Insts[I];
    if (Hoisted[I])
      continue;
    if (Left && isInvariant(I) && (Always || !isDear(N.Opcode)) && spend()) {
      --Left;
      setMapping(I, copy(I));
      Hoisted.set(I, true);
      continue;
    }
    Inside.set(I, true);
    if (N.Var)
      Inside.set(N.Var, true);
    for (BlockId Inner : N.Blocks)
      if (Inner)
        hoistFrom(Inner, false, Left);
  }
}

void Hoister::hoistFrom(InstId Loop) {
  unsigned Left = MaxHoisted;
  Inside = SideMap<Inst, bool>(false);
  const Inst &N = Src.Insts[Loop];
  if (N.Var)
    Inside.set(N.Var, true);
  for (BlockId B : N.Blocks)
    if (B)
      hoistFrom(B, true, Left);
}

class LicmPass : public Pass {
public:
  std::string_view name() const override { return "licm"; }
  PassResult run(Module &M, PassContext &Context) override {
    return rewriteFunctions<Hoister>(M, Context);
  }
};

} // namespace

std::unique_ptr<Pass> createLicmPass() { return std::make_unique<LicmPass>(); }

} // namespace goldy
