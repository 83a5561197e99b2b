//===- Uses.cpp - What the printer must know beforehand
//--------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slots have no place of declaration in the IR. One is declared in the
// innermost block that holds all its uses, in front of the first. If that
// first use is a plain store, it becomes the declaration; if not and the block
// lies in a loop, the value may be carried from one trip to the next, and the
// declaration moves in front of the outermost loop.
//
//===----------------------------------------------------------------------===//
#include "Uses.h"

#include <algorithm>

namespace goldy::slang {

Touched touchedBy(const Function &F, const Place &P) {
  Touched T;
  switch (P.Base.Kind) {
  case BaseKind::Param: // a helper's may be a workgroup array
    (F.Params[P.Base.Index].Workgroup ? T.Group : T.Buffers) = true;
    break;
  case BaseKind::Workgroup:
    T.Group = true;
    break;
  case BaseKind::Slot:
    T.Slots.insert(P.Base.Index);
    break;
  case BaseKind::Table:
    break;
  }
  return T;
}

std::vector<Effects> moduleEffects(const Module &M) {
  std::vector<Effects> All(M.Functions.size());
  for (uint32_t N = 0; N < M.Functions.size(); ++N) {
    const Function &F = M.Functions[FuncId(N)];
    Effects &E = All[N];
    for (const Inst &I : F.Insts) {
      if (I.Opcode >= Op::GlobalId && I.Opcode <= Op::NumWorkgroups)
        E.Ids[static_cast<int>(I.Opcode) - static_cast<int>(Op::GlobalId)] =
            true;
      if (accessesPlace(I.Opcode)) {
        Touched T = touchedBy(F, F.Places[I.Where]);
        T.Slots.clear(); // private to the helper
        (I.Opcode == Op::Load ? E.Reads : E.Writes).add(T);
      }
      if (I.Opcode != Op::Call || I.Callee.index() >= N)
        continue;
      const Effects &Inner = All[I.Callee.index()];
      E.Reads.add(Inner.Reads);
      E.Writes.add(Inner.Writes);
      for (unsigned Kind = 0; Kind < 4; ++Kind)
        E.Ids[Kind] |= Inner.Ids[Kind];
    }
  }
  return All;
}

namespace {

class Walker {
public:
  Walker(const Function &F, const std::vector<Effects> &Callees)
      : F(F), Callees(Callees), Slots(F.Slots.size()) {}
  Uses run() {
    block(F.Body);
    for (uint32_t S = 0; S < Slots.size(); ++S)
      placeSlot(SlotId(S));
    return std::move(U);
  }

private:
  /// One level of the walk: the block and the instruction reached in it.
  struct Level {
    BlockId Block;
    InstId Inst;
    bool IsLoop; ///< the block belongs to a Loop or For
  };
  struct SlotUse {
    std::vector<Level> Path; ///< to the first use, cut to the common blocks
    bool Seen = false;
  };

  void use(ValueId V) {
    ++U.Count.at(V);
    if (DefinedIn[V] != Stack.back().Block)
      U.OtherBlock.set(V, true);
  }
  void slotUse(uint32_t S) {
    SlotUse &Known = Slots[S];
    if (!Known.Seen) {
      Known.Seen = true;
      Known.Path = Stack;
      return;
    }
    size_t Common = 0;
    while (Common < Known.Path.size() && Common < Stack.size() &&
           Known.Path[Common].Block == Stack[Common].Block)
      ++Common;
    Known.Path.resize(Common);
  }
  Touched block(BlockId B, bool IsLoop = false) {
    Touched Written;
    Stack.push_back({B, InstId(), IsLoop});
    for (InstId I : F.Blocks[B].Insts) {
      Stack.back().Inst = I;
      inst(I);
      Written.add(U.Writes[I]);
    }
    Stack.pop_back();
    return Written;
  }
  void inst(InstId I);
  void exits(InstId I);
  void placeSlot(SlotId S);
  bool isPlainStore(InstId I, SlotId S) const {
    const Inst &N = F.Insts[I];
    if (N.Opcode != Op::Store || (N.Flags & FlagGuarded))
      return false;
    const Place &P = F.Places[N.Where];
    return P.Base.Kind == BaseKind::Slot && P.Base.Index == S.index() &&
           P.Path.empty();
  }

  const Function &F;
  const std::vector<Effects> &Callees;
  Uses U;
  SideMap<Inst, BlockId> DefinedIn;
  std::vector<Level> Stack;
  std::vector<InstId> Breakable; ///< Loop, For and Block around
  std::vector<SlotUse> Slots;
};

void Walker::inst(InstId I) {
  const Inst &N = F.Insts[I];
  DefinedIn.set(I, Stack.back().Block);
  for (ValueId V : F.operands(I))
    use(V);
  Touched Written;
  if (N.Where) {
    const Place &P = F.Places[N.Where];
    for (const PathElement &E : P.Path)
      if (E.isDynamic())
        use(E.Index);
    if (P.Base.Kind == BaseKind::Slot)
      slotUse(P.Base.Index);
    if (N.Opcode == Op::Store || isAtomic(N.Opcode))
      Written = touchedBy(F, P);
  }
  if (N.Opcode == Op::Call)
    Written = Callees[N.Callee.index()].Writes;
  if (opInfo(N.Opcode).Effects == Effect::Sync)
    Written.Buffers = Written.Group = true;
  if (N.Opcode == Op::Break || N.Opcode == Op::Continue)
    exits(I);
  bool Loops = isLoop(N.Opcode);
  if (Loops || N.Opcode == Op::Block)
    Breakable.push_back(I);
  for (BlockId B : N.Blocks)
    if (B)
      Written.add(block(B, Loops));
  if (Loops || N.Opcode == Op::Block)
    Breakable.pop_back();
  U.Writes.set(I, std::move(Written));
}

void Walker::exits(InstId I) {
  const Inst &N = F.Insts[I];
  if (N.Opcode != Op::Continue)
    return;
  const Inst &Loop = F.Insts[N.Target];
  bool HasTail = Loop.Opcode == Op::Loop && Loop.Blocks[1] &&
                 !F.Blocks[Loop.Blocks[1]].Insts.empty();
  if (HasTail || Breakable.back() != N.Target)
    U.NeedsBodyLoop.set(N.Target, true);
}

void Walker::placeSlot(SlotId S) {
  const SlotUse &Use = Slots[S.index()];
  if (!Use.Seen)
    return;
  const std::vector<Level> &Path = Use.Path;
  InstId At = Path.back().Inst;
  if (isPlainStore(At, S)) {
    U.Declares.set(At, true);
    return;
  }
  for (size_t N = 1; N < Path.size(); ++N)
    if (Path[N].IsLoop) {
      At = Path[N - 1].Inst;
      break;
    }
  U.DeclareBefore.at(At).push_back(S);
}

} // namespace

Uses analyseUses(const Module &M, const Function &F,
                 const std::vector<Effects> &Callees) {
  return Walker(F, Callees).run();
}

} // namespace goldy::slang
