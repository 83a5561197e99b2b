//===- SlotLiveness.cpp - Which slots something behind may still load -----===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/Analysis/SlotLiveness.h"

#include <utility>

using namespace goldy;

static void add(std::vector<bool> &To, const std::vector<bool> &More) {
  for (size_t N = 0; N < To.size(); ++N)
    To[N] = To[N] || More[N];
}

SlotLiveness::SlotLiveness(const Function &F, std::set<InstId> Points)
    : F(F), Points(std::move(Points)), AtPoints(F.Slots.size()) {
  before(F.Body, Wanted(F.Slots.size()));
}

SlotLiveness::Wanted SlotLiveness::before(BlockId B, Wanted After) {
  const std::vector<InstId> &List = F.Blocks[B].Insts;
  for (size_t N = List.size(); N-- > 0;) {
    before(List[N], After);
    if (Points.count(List[N]))
      add(AtPoints, After);
  }
  return After;
}

void SlotLiveness::before(InstId I, Wanted &Live) {
  const Inst &N = F.Insts[I];
  switch (N.Opcode) {
  case Op::If: {
    Wanted Else = N.Blocks[1] ? before(N.Blocks[1], Live) : Live;
    Live = before(N.Blocks[0], std::move(Live));
    add(Live, Else);
    return;
  }
  case Op::Block:
    Behind.set(I, Live);
    Live = before(N.Blocks[0], std::move(Live));
    return;
  case Op::Loop:
  case Op::For:
    Live = beforeLoop(I, Live);
    return;
  case Op::Break:
    Live = Behind[N.Target];
    return;
  case Op::Continue:
    Live = AtRepeat[N.Target];
    return;
  case Op::Return:
    Live.assign(Live.size(), false);
    return;
  default:
    if (F.slotOf(I))
      beforeAccess(I, Live);
  }
}

void SlotLiveness::beforeAccess(InstId I, Wanted &Live) {
  const Inst &N = F.Insts[I];
  uint32_t Slot = F.slotOf(I).index();
  if (N.Opcode != Op::Store) {
    Live[Slot] = true;
    return;
  }
  if (Live[Slot])
    Seen.set(I, true);
  if (F.wholeSlotOf(I) && !(N.Flags & FlagGuarded))
    Live[Slot] = false;
}

/// True if the loop may end where a round does.
static bool endsRounds(const Function &F, const Inst &Loop) {
  if (Loop.Opcode == Op::For)
    return true;
  if (!Loop.Blocks[1] || F.Blocks[Loop.Blocks[1]].Insts.empty())
    return false;
  return F.Insts[F.Blocks[Loop.Blocks[1]].Insts.back()].Opcode == Op::BreakIf;
}

/// What is wanted behind an outer loop's body only grows, so the head starts
/// from what it was.
SlotLiveness::Wanted SlotLiveness::beforeLoop(InstId I, const Wanted &After) {
  const Inst &N = F.Insts[I];
  Behind.set(I, After);
  Wanted Head = Heads[I].empty() ? Wanted(After.size()) : Heads[I];
  if (N.Opcode == Op::For) // which may not run at all
    add(Head, After);
  for (;;) {
    Wanted Repeat = Head;
    if (endsRounds(F, N))
      add(Repeat, After);
    if (N.Blocks[1])
      Repeat = before(N.Blocks[1], std::move(Repeat));
    AtRepeat.set(I, Repeat);
    Wanted Next = before(N.Blocks[0], std::move(Repeat));
    add(Next, Head);
    if (Next == Head)
      break;
    Head = std::move(Next);
  }
  Heads.set(I, Head);
  return Head;
}
