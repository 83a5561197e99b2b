//===- Extents.cpp - Lengths that contracts make equal --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/Analysis/Extents.h"

using namespace goldy;

static std::string axisName(const ContractDim &D) {
  return D.Form == ContractDim::Kind::Exact ? std::to_string(D.Extent) : D.Name;
}

std::string goldy::lengthName(const Function &F, const PlaceBase &B) {
  std::string Own =
      std::to_string(static_cast<int>(B.Kind)) + "." + std::to_string(B.Index);
  if (B.Kind != BaseKind::Param || B.Index >= F.Params.size())
    return Own;
  const std::optional<std::vector<ContractDim>> &C = F.Params[B.Index].Contract;
  if (!C)
    return Own;
  if (C->size() == 1 && (*C)[0].Form != ContractDim::Kind::Any)
    return axisName((*C)[0]);
  std::string Product;
  for (const ContractDim &D : *C) {
    if (D.Form == ContractDim::Kind::Any)
      return Own;
    Product += "*" + axisName(D);
  }
  return Product;
}

std::string goldy::extentName(const Function &F, ValueId V) {
  const Inst &N = F.Insts[V];
  if (N.Opcode == Op::Len)
    return lengthName(F, F.Places[N.Where].Base);
  if (N.Opcode != Op::Dim || !F.isConst(F.operand(V, 1)))
    return "";
  const PlaceBase &B = F.Places[F.Insts[F.operand(V, 0)].Where].Base;
  const std::optional<std::vector<ContractDim>> &C = F.Params[B.Index].Contract;
  uint64_t Axis = F.Insts[F.operand(V, 1)].Imm;
  bool Named =
      C && Axis < C->size() && (*C)[Axis].Form != ContractDim::Kind::Any;
  return Named ? axisName((*C)[Axis]) : "";
}

uint32_t goldy::firstOfLength(const Function &F, uint32_t Param) {
  std::string Name = lengthName(F, {BaseKind::Param, Param});
  for (uint32_t P = 0; P < Param; ++P)
    if (F.Params[P].Kind != ParamKind::Scalar &&
        lengthName(F, {BaseKind::Param, P}) == Name)
      return P;
  return Param;
}
