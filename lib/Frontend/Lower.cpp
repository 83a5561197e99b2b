//===- Lower.cpp - Functions and their parameters
//---------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A helper that takes resources exists once for each way its parameters are
// bound to buffers and workgroup arrays, since the IR tells them apart.
//
//===----------------------------------------------------------------------===//
#include "Lower.h"

using namespace goldy;
using namespace goldy::sema;

bool Lower::holdsArray(TypeId T) const {
  TypeKind K = M.Types.kind(T);
  if (K == TypeKind::Array)
    return true;
  if (K != TypeKind::Struct)
    return false;
  for (const StructField &Field : M.Types.structure(M.Types[T].Struct).Fields)
    if (holdsArray(Field.Type))
      return true;
  return false;
}

/// Arrays are indexed in memory even when nothing assigns to them.
bool Lower::needsSlot(const Local &L) const {
  return L.Mutable || L.Deferred || holdsArray(L.Final);
}

void Lower::bindValue(uint32_t Index, ValueId V) {
  const Local &L = Info.Locals[Index];
  if (!needsSlot(L)) {
    Locals[Index] = {Storage::Value, V, {}};
    show(Index, V);
    return;
  }
  B.setLoc(L.Where);
  SlotId S = namedSlot(Index);
  Locals[Index] = {Storage::Memory, {}, {BaseKind::Slot, S.index()}};
  if (V)
    B.store(B.slotPlace(S), V);
}

SlotId Lower::namedSlot(uint32_t Index) {
  const Local &L = Info.Locals[Index];
  bool Argument = !Info.IsKernel && Index < Info.NumParams;
  SlotId S = B.slot(std::string(L.Name), L.Final);
  if (C.Options.Names) {
    Span Scope{L.Where.File, NameBegin, NameEnd};
    F.Slots[S].Loc = Scope;
    C.Options.Names->Locals.push_back({std::string(L.Name), L.Final, Scope,
                                       L.Where, Argument ? Index + 1 : 0});
  }
  return S;
}

void Lower::show(uint32_t Index, ValueId V) {
  if (C.Options.Names && V && !(Info.IsKernel && Index < Info.NumParams))
    B.store(B.slotPlace(namedSlot(Index)), V);
}

void Lower::parameter(uint32_t Index) {
  const Local &L = Info.Locals[Index];
  Param P;
  P.Name = std::string(L.Name);
  P.Type = L.Final;
  P.Loc = L.Where;
  if (L.Kind == LocalKind::Resource) {
    P.Kind = L.IsTensor  ? ParamKind::Tensor
             : L.IsImage ? ParamKind::Image
                         : ParamKind::Buffer;
    P.Contract = L.Contract;
    P.Acc = L.Acc;
    P.Workgroup = Index < 64 && (Mask >> Index & 1);
    if (C.Options.Names && Info.IsKernel)
      C.Options.Names->Elements.push_back({L.Where, L.Final});
  }
  if (L.IsUniform)
    P.Kind = ParamKind::Uniform;
  F.Params.push_back(std::move(P));
}

void Lower::parameters() {
  for (uint32_t I = 0; I < Info.NumParams; ++I)
    parameter(I);
  for (uint32_t I = 0; I < Info.NumParams; ++I) {
    B.setLoc(Info.Locals[I].Where);
    NameBegin = C.Tree[Info.Item->Body].Where.Begin;
    NameEnd = C.Tree[Info.Item->Body].Where.End;
    if (Info.Locals[I].Kind == LocalKind::Resource || Info.Locals[I].IsUniform)
      Locals[I] = {Storage::Memory, {}, {BaseKind::Param, I}};
    else
      bindValue(I, B.param(I));
  }
}

Function Lower::run(std::string Name) {
  F.Name = std::move(Name);
  F.Kind = Info.IsKernel ? FuncKind::Kernel : FuncKind::Helper;
  F.ReturnType = Info.Return;
  F.WorkgroupSize = Info.WorkgroupSize;
  F.Nondeterministic = Info.Nondeterministic;
  F.WordsBinding = Info.WordsBinding;
  F.Doc = Info.Item->Doc;
  F.Loc = Info.Item->Name.Where;
  Locals.resize(Info.Locals.size());
  F.Body = B.newBlock();
  B.setBlock(F.Body);
  if (C.Options.Names)
    C.Options.Names->Bodies.push_back({qualifiedName(C, *Info.Item), F.Name,
                                       F.Loc, C.Tree[Info.Item->Body].Where});
  parameters();
  ValueId Result = blockValue(Info.Item->Body);
  if (!Dead && Info.Return != types::Void) {
    Span Body = C.Tree[Info.Item->Body].Where;
    B.setLoc({Body.File, Body.End - 1, Body.End}); // the closing brace
    B.ret(Result);
  }
  return std::move(F);
}

/// `f`, or `f_w1_2` for the form with workgroup arrays at 1 and 2.
static std::string instanceName(const Context &C, const FunctionInfo &Info,
                                uint64_t Mask) {
  std::string Name = qualifiedName(C, *Info.Item);
  if (!Mask)
    return Name;
  Name += "_w";
  for (unsigned I = 0; I < 64; ++I)
    if (Mask >> I & 1)
      Name += std::to_string(I) + "_";
  Name.pop_back();
  while (C.FunctionNames.count(Name))
    Name += '_';
  return Name;
}

TableId sema::lowerTable(Context &C, uint32_t Const) {
  ConstInfo &K = C.Consts[Const];
  if (!K.Lowered)
    K.Lowered = C.M.Tables.push(
        {qualifiedName(C, *K.Item), K.Type, K.Elements, K.Item->Name.Where});
  return K.Lowered;
}

FuncId sema::lowerFunction(Context &C, uint32_t Function, uint64_t Mask) {
  FunctionInfo &Info = C.Functions[Function];
  std::map<uint64_t, FuncId>::iterator It = Info.Instances.find(Mask);
  if (It != Info.Instances.end())
    return It->second;
  goldy::Function F = Lower(C, Info, Mask).run(instanceName(C, Info, Mask));
  FuncId Id = C.M.Functions.push(std::move(F));
  Info.Instances[Mask] = Id;
  return Id;
}
