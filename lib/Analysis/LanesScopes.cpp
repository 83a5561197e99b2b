//===- LanesScopes.cpp - The scopes of slots
//--------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slot's scope starts as the innermost block around all its accesses and
// grows outwards until it provably writes the slot before reading it, at most
// to the body. The proof follows the structure of the statements: a store
// counts on the paths on which it stands; an If counts if both of its branches
// do; a loop's body is asked with what is known before the loop. An array
// counts as written only as a whole: by stores to every constant index.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Analysis/Lanes.h"

using namespace goldy;

namespace {

/// What is known of one slot at one point.
struct Written {
  std::vector<bool> Element; ///< one for a scalar slot
  bool All() const {
    for (bool E : Element)
      if (!E)
        return false;
    return true;
  }
};

class WriteFirst {
public:
  WriteFirst(const Module &M, const Function &F, SlotId S) : F(F), S(S) {
    uint32_t N = M.Types.memberCount(F.Slots[S].Type);
    Count = N == 0 ? 1 : N;
  }

  bool holdsIn(BlockId B) {
    Known.Element.assign(Count, false);
    Good = true;
    visit(B);
    return Good;
  }

private:
  /// False if the end of the block is not reached.
  bool visit(BlockId B) {
    for (InstId I : F.Blocks[B].Insts) {
      if (!Good)
        return true;
      if (!visit(I))
        return false;
    }
    return true;
  }

  bool visit(InstId I) {
    const Inst &N = F.Insts[I];
    switch (N.Opcode) {
    case Op::Load:
    case Op::Store:
      access(N);
      return true;
    case Op::If:
      return branches(N);
    case Op::Loop:
    case Op::For:
    case Op::Block:
      nested(N);
      return true;
    case Op::Break:
    case Op::Continue:
    case Op::Return:
      return false;
    default:
      return true;
    }
  }

  void access(const Inst &N) {
    const Place &P = F.Places[N.Where];
    if (P.Base.Kind != BaseKind::Slot || P.Base.Index != S.index())
      return;
    if (N.Opcode == Op::Load) {
      Good = Good && Known.All();
      return;
    }
    if (N.Flags & FlagGuarded)
      return;
    std::optional<uint32_t> E = element(P);
    if (E && *E < Count)
      Known.Element[*E] = true;
  }

  /// The one element that the place names, if it is known.
  std::optional<uint32_t> element(const Place &P) const {
    if (P.Path.empty())
      return Count == 1 ? std::optional<uint32_t>(0) : std::nullopt;
    if (P.Path.size() != 1)
      return std::nullopt;
    if (!P.Path[0].isDynamic())
      return P.Path[0].Member;
    const Inst &Index = F.Insts[P.Path[0].Index];
    if (Index.Opcode != Op::Const)
      return std::nullopt;
    return static_cast<uint32_t>(Index.Imm);
  }

  bool branches(const Inst &N) {
    Written Before = Known;
    bool EndsA = visit(N.Blocks[0]);
    Written A = std::move(Known);
    Known = std::move(Before);
    bool EndsB = !N.Blocks[1] || visit(N.Blocks[1]);
    if (!EndsB)
      Known = A;
    else if (EndsA)
      for (uint32_t I = 0; I < Count; ++I)
        Known.Element[I] = Known.Element[I] && A.Element[I];
    return EndsA || EndsB;
  }

  /// What a loop or block writes is forgotten at its end: a break may have
  /// come before it.
  void nested(const Inst &N) {
    Written Before = Known;
    visit(N.Blocks[0]);
    if (N.Blocks[1]) {
      Known = Before; // a continue may have come first
      visit(N.Blocks[1]);
    }
    Known = std::move(Before);
  }

  const Function &F;
  SlotId S;
  uint32_t Count;
  Written Known;
  bool Good = true;
};

/// The innermost block that holds both.
BlockId commonBlock(const Structure &S, BlockId A, InstId I) {
  while (!S.contains(A, I))
    A = S.blockOf(S.ownerOf(A));
  return A;
}

} // namespace

SideMap<Slot, SlotScope> goldy::slotScopes(const Module &M, const Function &F,
                                           const Structure &S) {
  SideMap<Slot, SlotScope> Scopes;
  forEachInst(F, [&](InstId I) {
    const Inst &N = F.Insts[I];
    if (N.Opcode != Op::Load && N.Opcode != Op::Store)
      return;
    const Place &P = F.Places[N.Where];
    if (P.Base.Kind != BaseKind::Slot)
      return;
    SlotScope &Scope = Scopes.at(SlotId(P.Base.Index));
    Scope.Accesses.push_back(I);
    Scope.Scope = Scope.Scope ? commonBlock(S, Scope.Scope, I) : S.blockOf(I);
  });
  for (uint32_t I = 0; I < F.Slots.size(); ++I) {
    SlotScope &Scope = Scopes.at(SlotId(I));
    if (!Scope.Scope)
      Scope.Scope = F.Body;
    WriteFirst Proof(M, F, SlotId(I));
    Scope.WrittenFirst = Proof.holdsIn(Scope.Scope);
    while (!Scope.WrittenFirst && Scope.Scope != F.Body) {
      Scope.Scope = S.blockOf(S.ownerOf(Scope.Scope));
      Scope.WrittenFirst = Proof.holdsIn(Scope.Scope);
    }
  }
  return Scopes;
}
