//===- Rewriter.cpp - Rebuilds a function; extracts a kernel
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/IR/Rewriter.h"

using namespace goldy;

Rewriter::Rewriter(Module &M, const Function &Src) : M(M), Src(Src), B(M, Dst) {
  Dst.Name = Src.Name;
  Dst.Kind = Src.Kind;
  Dst.Params = Src.Params;
  Dst.ReturnType = Src.ReturnType;
  Dst.WorkgroupSize = Src.WorkgroupSize;
  Dst.Nondeterministic = Src.Nondeterministic;
  Dst.WordsBinding = Src.WordsBinding;
  Dst.Slots = Src.Slots;
  Dst.WorkgroupArrays = Src.WorkgroupArrays;
  Dst.Names = Src.Names;
  Dst.Doc = Src.Doc;
  Dst.Loc = Src.Loc;
}

Function Rewriter::run() {
  Dst.Body = B.newBlock();
  B.setBlock(Dst.Body);
  copyBlock(Src.Body);
  return std::move(Dst);
}

void Rewriter::copyBlock(BlockId Block) {
  for (InstId I : Src.Blocks[Block].Insts) {
    B.setLoc(Src.Insts[I].Loc);
    InstId New = visit(I);
    if (New)
      setMapping(I, New);
  }
}

ValueId Rewriter::map(ValueId Old) {
  if (ValueId New = Mapping[Old])
    return New;
  const Inst &I = Src.Insts[Old];
  assert(opInfo(I.Opcode).Effects == Effect::Leaf &&
         "a placed instruction is used before it was copied");
  Inst Leaf = I;
  if (I.Opcode == Op::Const)
    return B.constant(I.Type, I.Imm);
  if (I.Opcode == Op::ParamValue)
    return B.param(static_cast<uint32_t>(I.Imm));
  if (I.Opcode == Op::SpecConst)
    return B.specConst(SpecId(static_cast<uint32_t>(I.Imm)));
  if (I.Opcode == Op::DeviceSwitch)
    return B.deviceSwitch(static_cast<uint32_t>(I.Imm));
  if (I.Opcode == Op::Ref)
    return B.ref(Src.Places[I.Where].Base);
  if (I.Where)
    Leaf.Where = mapPlace(I.Where);
  ValueId New = B.append(Leaf, {});
  setMapping(Old, New);
  return New;
}

PlaceId Rewriter::mapPlace(PlaceId Old) {
  Place P = Src.Places[Old];
  for (PathElement &E : P.Path)
    if (E.isDynamic())
      E.Index = map(E.Index);
  if (P.Base.Kind == BaseKind::Slot)
    if (SlotId New = SlotMapping[SlotId(P.Base.Index)])
      P.Base.Index = New.index();
  return Dst.Places.push(std::move(P));
}

InstId Rewriter::copy(InstId I) {
  const Inst &Old = Src.Insts[I];
  Inst New = Old;
  std::vector<ValueId> Operands;
  for (ValueId V : Src.operands(I))
    Operands.push_back(map(V));
  if (Old.Where)
    New.Where = mapPlace(Old.Where);
  if (Old.Target)
    New.Target = Mapping[Old.Target];
  for (BlockId &Child : New.Blocks)
    if (Child)
      Child = B.newBlock();
  InstId Result = B.append(New, Operands);
  setMapping(I, Result);
  if (Old.Var) {
    Inst Var = Src.Insts[Old.Var];
    Var.Target = Result;
    InstId NewVar = B.append(Var, {});
    Dst.Insts[Result].Var = NewVar;
    setMapping(Old.Var, NewVar);
  }
  BlockId Outer = B.block();
  for (unsigned N = 0; N < 2; ++N) {
    if (!Old.Blocks[N])
      continue;
    B.setBlock(Dst.Insts[Result].Blocks[N]);
    enterBlock(I, N);
    copyBlock(Old.Blocks[N]);
  }
  B.setBlock(Outer);
  return Result;
}

namespace {

/// Marks the helpers that a function reaches.
void markReached(const Module &M, FuncId F, std::vector<bool> &Reached) {
  if (Reached[F.index()])
    return;
  Reached[F.index()] = true;
  for (const Inst &I : M.Functions[F].Insts)
    if (I.Opcode == Op::Call && I.Callee)
      markReached(M, I.Callee, Reached);
}

} // namespace

namespace {

/// Copies the tables that functions of `Out` use, in order.
void copyUsedTables(const Module &M, Module &Out) {
  std::vector<bool> Used(M.Tables.size(), false);
  for (const Function &F : Out.Functions)
    for (const Place &P : F.Places)
      if (P.Base.Kind == BaseKind::Table)
        Used[P.Base.Index] = true;
  std::vector<uint32_t> NewIndex(M.Tables.size());
  for (uint32_t I = 0; I < M.Tables.size(); ++I)
    if (Used[I])
      NewIndex[I] = Out.Tables.push(M.Tables[TableId(I)]).index();
  for (Function &F : Out.Functions)
    for (Place &P : F.Places)
      if (P.Base.Kind == BaseKind::Table)
        P.Base.Index = NewIndex[P.Base.Index];
}

} // namespace

Module goldy::extractKernel(const Module &M, FuncId Kernel) {
  std::vector<bool> Reached(M.Functions.size(), false);
  markReached(M, Kernel, Reached);
  Module Out;
  Out.Types = M.Types;
  Out.Specs = M.Specs;
  Out.Floats = M.Floats;
  Out.Level = M.Level;
  Out.Bounds = M.Bounds;
  SideMap<Function, FuncId> NewId;
  for (uint32_t I = 0; I < M.Functions.size(); ++I)
    if (Reached[I]) {
      Function Copy = M.Functions[FuncId(I)];
      for (Inst &N : Copy.Insts)
        if (N.Callee)
          N.Callee = NewId[N.Callee];
      NewId.set(FuncId(I), Out.Functions.push(std::move(Copy)));
    }
  copyUsedTables(M, Out);
  return Out;
}
