//===- IR.cpp - Operation table, places, the parameter block
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/IR/IR.h"

#include <cassert>

using namespace goldy;

const OpInfo &goldy::opInfo(Op O) {
  static constexpr OpInfo Infos[] = {
#define OP(NAME, MNEMONIC, MIN, MAX, EFFECT, RULE, FLOATS, DOC)                \
  {#NAME,          MNEMONIC,         MIN, MAX, Effect::EFFECT,                 \
   TypeRule::RULE, FloatUse::FLOATS, DOC},
#include "goldyc/IR/Ops.def"
  };
  return Infos[static_cast<unsigned>(O)];
}

FuncId Module::find(std::string_view Name) const {
  for (uint32_t I = 0; I < Functions.size(); ++I)
    if (Functions[FuncId(I)].Name == Name)
      return FuncId(I);
  return {};
}

std::vector<FuncId> Module::kernels() const {
  std::vector<FuncId> Result;
  for (uint32_t I = 0; I < Functions.size(); ++I)
    if (Functions[FuncId(I)].Kind == FuncKind::Kernel)
      Result.push_back(FuncId(I));
  return Result;
}

TypeId goldy::baseType(const Module &M, const Function &F, const PlaceBase &B) {
  switch (B.Kind) {
  case BaseKind::Param:
    return B.Index < F.Params.size() ? F.Params[B.Index].Type : TypeId();
  case BaseKind::Workgroup:
    return B.Index < F.WorkgroupArrays.size()
               ? F.WorkgroupArrays[WorkgroupId(B.Index)].Type
               : TypeId();
  case BaseKind::Slot:
    return B.Index < F.Slots.size() ? F.Slots[SlotId(B.Index)].Type : TypeId();
  case BaseKind::Table:
    return B.Index < M.Tables.size() ? M.Tables[TableId(B.Index)].Type
                                     : TypeId();
  }
  return {};
}

size_t goldy::leadingIndices(const Function &F, const PlaceBase &B) {
  if (B.Kind != BaseKind::Param || B.Index >= F.Params.size())
    return 0;
  switch (F.Params[B.Index].Kind) {
  case ParamKind::Buffer:
  case ParamKind::Tensor:
    return 1;
  case ParamKind::Image:
    return 2;
  case ParamKind::Scalar:
  case ParamKind::Uniform:
    return 0;
  }
  return 0;
}

TypeId goldy::placeType(const Module &M, const Function &F, const Place &P) {
  TypeId T = baseType(M, F, P.Base);
  if (!T)
    return {};
  size_t First = leadingIndices(F, P.Base);
  if (P.Path.size() < First)
    return {};
  for (size_t I = First; I < P.Path.size(); ++I) {
    uint32_t Count = M.Types.memberCount(T);
    TypeKind K = M.Types.kind(T);
    if (P.Path[I].isDynamic() ? K != TypeKind::Array
                              : P.Path[I].Member >= Count)
      return {};
    T = M.Types.memberType(T, P.Path[I].isDynamic() ? 0 : P.Path[I].Member);
  }
  return T;
}

FlatPlace goldy::flatten(const Module &M, const Function &F, const Place &P) {
  FlatPlace Flat;
  TypeId T = baseType(M, F, P.Base);
  assert(leadingIndices(F, P.Base) < 2 && "an image has no flat address");
  bool Buffer = leadingIndices(F, P.Base) == 1;
  for (size_t I = 0; I < P.Path.size(); ++I) {
    const PathElement &E = P.Path[I];
    bool BufferIndex = Buffer && I == 0;
    uint64_t Stride = BufferIndex ? M.Types.stride(T)
                                  : M.Types.stride(M.Types.memberType(T, 0));
    uint64_t Extent = BufferIndex ? 0 : M.Types.memberCount(T);
    if (E.isDynamic())
      Flat.Terms.push_back({E.Index, Stride, Extent});
    else
      Flat.Constant +=
          BufferIndex ? Stride * E.Member : M.Types.memberOffset(T, E.Member);
    if (!BufferIndex)
      T = M.Types.memberType(T, E.isDynamic() ? 0 : E.Member);
  }
  return Flat;
}

AbiLayout goldy::abiLayout(const Module &M, const Function &Kernel) {
  AbiLayout L;
  uint32_t At = 0;
  for (const Param &P : Kernel.Params) {
    bool Scalar = P.Kind == ParamKind::Scalar;
    uint32_t Size = Scalar                            ? M.Types.bits(P.Type) / 8
                    : P.bound() == ParamKind::Uniform ? 8
                    : P.bound() == ParamKind::Tensor  ? 24
                                                      : 16;
    uint32_t Align = Scalar ? Size : 8;
    At = (At + Align - 1) / Align * Align;
    L.Params.push_back({At, Size});
    At += Size;
  }
  At = (At + 7) / 8 * 8;
  L.LayoutTableOffset = At;
  L.BaseWordsOffset = At + 8;
  L.Size = At + 32;
  return L;
}
