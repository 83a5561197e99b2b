//===- BodyCopier.cpp - Copies statements into another function -----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "BodyCopier.h"

namespace goldy {

void BodyCopier::copyAll(std::span<const InstId> Insts) {
  for (InstId I : Insts) {
    if (Src.Insts[I].Loc.isValid()) // the prelude's have none
      B.setLoc(Src.Insts[I].Loc);
    InstId New = copy(I);
    Mapping.set(I, New);
    if (New && Src.Insts[I].Name)
      B.setName(New, Src.nameOf(I));
    if (Src.Insts[I].Opcode == Op::Return)
      return;
  }
}

InstId BodyCopier::copy(InstId I) {
  if (std::optional<InstId> Other = replace(I))
    return *Other;
  switch (Src.Insts[I].Opcode) {
  case Op::If:
  case Op::Loop:
  case Op::For:
  case Op::Block:
    return copyControl(I);
  case Op::Break:
    return B.breakTo(Mapping[Src.Insts[I].Target]);
  case Op::Continue:
    return B.continueTo(Mapping[Src.Insts[I].Target]);
  case Op::Len:
    return B.len(mapBase(Src.Places[Src.Insts[I].Where].Base));
  default:
    return copyPlain(I);
  }
}

InstId BodyCopier::copyControl(InstId I) {
  const Inst &Old = Src.Insts[I];
  InstId New;
  if (Old.Opcode == Op::If)
    New = B.createIf(map(Src.operand(I, 0)), Old.Blocks[1].isValid());
  else if (Old.Opcode == Op::Loop)
    New = B.createLoop(Old.Blocks[1].isValid());
  else if (Old.Opcode == Op::Block)
    New = B.createBlock();
  else
    New = B.createFor(map(Src.operand(I, 0)), map(Src.operand(I, 1)), Old.Imm,
                      Old.Flags & FlagInclusive, Old.Unroll);
  B.function().Insts[New].Unroll = Old.Unroll;
  Mapping.set(I, New);
  if (Old.Var) {
    InstId Var = B.function().Insts[New].Var;
    Mapping.set(Old.Var, Var);
    B.setName(Var, Src.nameOf(Old.Var));
  }
  BlockId Outer = B.block();
  for (unsigned N = 0; N != 2; ++N) {
    if (!Old.Blocks[N])
      continue;
    B.setBlock(B.function().Insts[New].Blocks[N]);
    copyBlock(Old.Blocks[N]);
  }
  B.setBlock(Outer);
  return New;
}

InstId BodyCopier::copyPlain(InstId I) {
  Inst New = Src.Insts[I];
  New.Name = 0;
  std::vector<ValueId> Operands = mapAll(Src.operands(I));
  if (New.Where)
    New.Where = mapPlace(New.Where);
  return B.append(New, Operands);
}

std::vector<ValueId> BodyCopier::mapAll(std::span<const ValueId> Values) {
  std::vector<ValueId> Result;
  for (ValueId V : Values)
    Result.push_back(map(V));
  return Result;
}

ValueId BodyCopier::map(ValueId V) {
  const Inst &I = Src.Insts[V];
  switch (I.Opcode) {
  case Op::Const:
    return B.constant(I.Type, I.Imm);
  case Op::ParamValue:
    return mapParam(static_cast<uint32_t>(I.Imm));
  case Op::Ref:
    return B.ref(mapBase(Src.Places[I.Where].Base));
  case Op::SpecConst:
    return B.specConst(SpecId(static_cast<uint32_t>(I.Imm)));
  case Op::DeviceSwitch:
    return B.deviceSwitch(static_cast<uint32_t>(I.Imm));
  default:
    return Mapping[V];
  }
}

PlaceBase BodyCopier::mapBase(PlaceBase Base) {
  switch (Base.Kind) {
  case BaseKind::Param:
    return mapResource(Base.Index);
  case BaseKind::Workgroup:
    return mapWorkgroup(Base);
  case BaseKind::Table:
    return Base;
  case BaseKind::Slot:
    break;
  }
  SlotId Old(Base.Index);
  if (!Slots[Old])
    Slots.set(Old, B.function().Slots.push(Src.Slots[Old]));
  return {BaseKind::Slot, Slots[Old].index()};
}

PlaceId BodyCopier::mapPlace(PlaceId P) {
  PlaceBase Base = mapBase(Src.Places[P].Base);
  std::vector<PathElement> Path = Src.Places[P].Path;
  for (PathElement &E : Path)
    if (E.isDynamic())
      E.Index = map(E.Index);
  // A constant index of a buffer may lie outside the array that stands for it.
  if (Base.Kind == BaseKind::Workgroup && !Path[0].isDynamic())
    Path[0] = {B.u32(Path[0].Member), 0};
  return B.place(Base, std::move(Path));
}

} // namespace goldy
