//===- SlotLiveness.cpp - Which slots are read before they are written ----===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backwards over the structure: a load makes a scalar slot live, a store ends
// that. Loops are walked until nothing is added.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Analysis/SlotLiveness.h"

#include "goldyc/Analysis/Structure.h"

#include <map>

using namespace goldy;

namespace {

class Liveness {
public:
  Liveness(const Function &F, const std::set<InstId> &Points)
      : F(F), Points(Points), Where(F), Found(F.Slots.size(), false) {
    block(F.Body, SlotSet(F.Slots.size(), false));
  }
  using SlotSet = std::vector<bool>;
  const SlotSet &found() const { return Found; }

private:
  static bool add(SlotSet &To, const SlotSet &More) {
    bool Grew = false;
    for (size_t N = 0; N < More.size(); ++N)
      if (More[N] && !To[N])
        Grew = To[N] = true;
    return Grew;
  }

  SlotSet block(BlockId B, SlotSet Live) {
    const std::vector<InstId> &List = F.Blocks[B].Insts;
    for (size_t N = List.size(); N-- > 0;) {
      Live = statement(List[N], std::move(Live));
      if (Points.count(List[N]))
        add(Found, Live);
    }
    return Live;
  }

  SlotSet statement(InstId I, SlotSet Live) {
    const Inst &N = F.Insts[I];
    switch (N.Opcode) {
    case Op::If: {
      SlotSet Else = N.Blocks[1] ? block(N.Blocks[1], Live) : Live;
      Live = block(N.Blocks[0], std::move(Live));
      add(Live, Else);
      return Live;
    }
    case Op::Block:
      AtBreak[I] = Live;
      return block(N.Blocks[0], std::move(Live));
    case Op::Loop:
    case Op::For:
      return loop(I, std::move(Live));
    case Op::Break:
      return AtBreak.at(N.Target);
    case Op::Continue:
      return AtContinue.at(N.Target);
    case Op::BreakIf:
      add(Live, AtBreak.at(Where.parentOf(I)));
      return Live;
    case Op::Return:
      return SlotSet(F.Slots.size(), false);
    default:
      access(N, Live);
      return Live;
    }
  }

  SlotSet loop(InstId I, SlotSet After) {
    const Inst &N = F.Insts[I];
    AtBreak[I] = After;
    SlotSet Head(F.Slots.size(), false);
    if (N.Opcode == Op::For)
      Head = After;
    do {
      AtContinue[I] = N.Blocks[1] ? block(N.Blocks[1], Head) : Head;
    } while (add(Head, block(N.Blocks[0], AtContinue[I])));
    return Head;
  }

  void access(const Inst &N, SlotSet &Live) {
    if ((N.Opcode != Op::Load && N.Opcode != Op::Store) ||
        F.Places[N.Where].Base.Kind != BaseKind::Slot)
      return;
    const Place &P = F.Places[N.Where];
    if (N.Opcode == Op::Load)
      Live[P.Base.Index] = true;
    else if (P.Path.empty() && !(N.Flags & FlagGuarded))
      Live[P.Base.Index] = false;
  }

  const Function &F;
  const std::set<InstId> &Points;
  Structure Where;
  SlotSet Found;
  std::map<InstId, SlotSet> AtBreak, AtContinue;
};

} // namespace

std::vector<bool> goldy::slotsLiveAt(const Function &F,
                                     const std::set<InstId> &Points) {
  return Liveness(F, Points).found();
}
