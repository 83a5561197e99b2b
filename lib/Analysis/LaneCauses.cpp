//===- LaneCauses.cpp - Why lanes differ ----------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that differs over the lanes is followed back through its operands
// and through the stores of private variables to where lanes first differ: a
// read of memory, an atomic, arithmetic on ids, or a store that some lanes do
// not run. That place is what a user can do something about.
//
//===----------------------------------------------------------------------===//
#include "LaneCauses.h"

using namespace goldy;

namespace {

std::string quoted(std::string_view Name) {
  return "`" + std::string(Name) + "`";
}

} // namespace

std::string LaneCauses::baseName(const Place &P) const {
  switch (P.Base.Kind) {
  case BaseKind::Param:
    return quoted(F.Params[P.Base.Index].Name);
  case BaseKind::Workgroup:
    return quoted(F.WorkgroupArrays[WorkgroupId(P.Base.Index)].Name);
  case BaseKind::Slot: {
    const std::string &Name = F.Slots[SlotId(P.Base.Index)].Name;
    return Name.empty() ? "a private value" : quoted(Name);
  }
  case BaseKind::Table:
    return "a constant table";
  }
  return "memory";
}

LaneNote LaneCauses::ofValue(ValueId V) const {
  std::set<ValueId> Seen;
  return trace(V, Seen).value_or(
      LaneNote{F.Insts[V].Loc, "this differs over the lanes"});
}

/// Nothing if the way back only leads around a loop.
std::optional<LaneNote> LaneCauses::trace(ValueId V,
                                          std::set<ValueId> &Seen) const {
  const Inst &N = F.Insts[V];
  if (!Seen.insert(V).second)
    return std::nullopt;
  if (isAtomic(N.Opcode))
    return LaneNote{N.Loc, "each lane gets an old value of its own here"};
  if (N.Opcode == Op::Load) {
    const Place &P = F.Places[N.Where];
    if (P.Base.Kind == BaseKind::Slot)
      return ofSlot(V, SlotId(P.Base.Index), Seen);
    return ofMemory(V);
  }
  bool Varies = false;
  for (ValueId Operand : F.operands(V))
    if (shape(Operand).Shape == LaneShape::Varying) {
      Varies = true;
      if (std::optional<LaneNote> Why = trace(Operand, Seen))
        return Why;
    }
  if (Varies)
    return std::nullopt;
  return ofMoving(V);
}

/// The value is the first that is no fixed step a lane.
LaneNote LaneCauses::ofMoving(ValueId V) const {
  const Inst &N = F.Insts[V];
  bool Compares = opInfo(N.Opcode).Rule == TypeRule::Compare;
  if (!Compares && shape(V).Shape != LaneShape::Strided)
    return {N.Loc, "this has no fixed step from lane to lane"};
  return ofId(V).value_or(LaneNote{N.Loc, "this moves with the lane"});
}

/// The id that a value with a fixed step a lane comes from.
std::optional<LaneNote> LaneCauses::ofId(ValueId V) const {
  std::set<ValueId> Seen;
  std::vector<ValueId> Work{V};
  while (!Work.empty()) {
    ValueId At = Work.back();
    Work.pop_back();
    if (!Seen.insert(At).second)
      continue;
    const Inst &N = F.Insts[At];
    if (N.Opcode == Op::GlobalId || N.Opcode == Op::LocalId) {
      std::string_view Name = F.nameOf(At);
      return LaneNote{N.Loc, Name.empty()
                                 ? "each lane has an id of its own"
                                 : quoted(Name) + " is another in each lane"};
    }
    if (N.Opcode == Op::Load && F.slotOf(At))
      for (InstId A : Plan.Scopes[F.slotOf(At)].Accesses)
        if (F.Insts[A].Opcode == Op::Store)
          Work.push_back(F.operand(A, 0));
    for (ValueId Operand : F.operands(At))
      if (shape(Operand).Shape != LaneShape::Uniform)
        Work.push_back(Operand);
  }
  return std::nullopt;
}

LaneNote LaneCauses::ofMemory(ValueId Load) const {
  const Inst &N = F.Insts[Load];
  const Place &P = F.Places[N.Where];
  std::string Name = baseName(P);
  for (const PathElement &E : P.Path)
    if (E.isDynamic() && shape(E.Index).Shape != LaneShape::Uniform)
      return {N.Loc, "each lane reads an element of " + Name + " of its own"};
  return {N.Loc, "some lanes are out of range of " + Name};
}

/// A private variable: a stored value that differs, else a store that some
/// lanes do not run.
std::optional<LaneNote> LaneCauses::ofSlot(ValueId Load, SlotId Slot,
                                           std::set<ValueId> &Seen) const {
  const std::vector<InstId> &All = Plan.Scopes[Slot].Accesses;
  const Place &P = F.Places[F.Insts[Load].Where];
  for (InstId A : All)
    if (F.Insts[A].Opcode == Op::Store &&
        shape(F.operand(A, 0)).Shape == LaneShape::Varying)
      if (std::optional<LaneNote> Why = trace(F.operand(A, 0), Seen))
        return Why;
  for (InstId A : All)
    if (F.Insts[A].Opcode == Op::Store && Plan.Vector.Partial[A])
      if (std::optional<LaneNote> Mask = ofMask(A))
        return LaneNote{F.Insts[A].Loc,
                        "only some lanes set " + baseName(P) + " here"};
  for (const PathElement &E : P.Path)
    if (E.isDynamic() && shape(E.Index).Shape != LaneShape::Uniform)
      return LaneNote{F.Insts[Load].Loc, "each lane reads an element of " +
                                             baseName(P) + " of its own"};
  return std::nullopt;
}

// --- Control

LaneNote LaneCauses::ofLoop(InstId Loop) const {
  std::optional<LaneNote> Found;
  auto Look = [&](InstId I) {
    const Inst &N = F.Insts[I];
    if (Found || !Plan.Vector.Divergent[I])
      return;
    std::set<ValueId> Seen;
    if (N.Opcode == Op::BreakIf && S.parentOf(I) == Loop)
      Found = trace(F.operand(I, 0), Seen);
    else if ((N.Opcode == Op::Break && N.Target == Loop) || leaves(I, Loop))
      Found = ofExit(I, Loop);
  };
  forEachWithin(F, Loop, Look);
  return Found.value_or(
      LaneNote{F.Insts[Loop].Loc, "lanes leave it one by one"});
}

/// The choice within the loop that decides who leaves.
std::optional<LaneNote> LaneCauses::ofExit(InstId Exit, InstId Loop) const {
  for (InstId P = S.parentOf(Exit); P && P != Loop; P = S.parentOf(P))
    if (F.Insts[P].Opcode == Op::If && Plan.Vector.Divergent[P]) {
      std::set<ValueId> Seen;
      return trace(F.operand(P, 0), Seen);
    }
  return std::nullopt;
}

bool LaneCauses::leaves(InstId Exit, InstId Outer) const {
  const Inst &N = F.Insts[Exit];
  if (!isExit(N.Opcode) || !Plan.Vector.Divergent[Exit])
    return false;
  if (N.Opcode == Op::Return)
    return true;
  if (N.Target == Outer)
    return false;
  for (BlockId B : F.Insts[Outer].Blocks)
    if (B && S.contains(B, N.Target))
      return false;
  return true;
}

/// A statement earlier in the block that lanes leave for farther out.
std::optional<LaneNote> LaneCauses::divergentBefore(BlockId B, InstId I) const {
  std::optional<LaneNote> Found;
  for (InstId Earlier : F.Blocks[B].Insts) {
    if (Earlier == I || Found)
      break;
    if (!Plan.HasDivergentExit[Earlier])
      continue;
    forEachWithin(F, Earlier, [&](InstId X) {
      if (!Found && leaves(X, Earlier))
        Found = LaneNote{F.Insts[X].Loc, "some lanes leave here"};
    });
  }
  return Found;
}

std::optional<LaneNote> LaneCauses::ofMask(InstId I) const {
  InstId At = I;
  for (BlockId B = S.blockOf(I);; B = S.blockOf(At)) {
    if (std::optional<LaneNote> Before = divergentBefore(B, At))
      return Before;
    InstId P = S.ownerOf(B);
    if (!P)
      return std::nullopt;
    const Inst &N = F.Insts[P];
    if (N.Opcode == Op::If && Plan.Vector.Divergent[P])
      return LaneNote{N.Loc, "lanes decide differently here"};
    if (N.Opcode == Op::Loop && Plan.HasDivergentExit[P])
      return LaneNote{N.Loc, "lanes leave this loop one by one"};
    At = P;
  }
}
