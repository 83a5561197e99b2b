//===- LinearIndex.cpp - Indices as sums
//-------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LinearIndex.h"

namespace goldy {
namespace {

bool isWord(TypeId T) { return T == types::U32 || T == types::I32; }

LinearIndex scaled(LinearIndex X, uint32_t Factor) {
  X.Constant *= Factor;
  for (std::pair<uint64_t, uint32_t> &P : X.Products)
    P.second *= Factor;
  std::erase_if(X.Products, [](const std::pair<uint64_t, uint32_t> &P) {
    return P.second == 0;
  });
  return X;
}

LinearIndex sum(const LinearIndex &X, const LinearIndex &Y) {
  LinearIndex Result;
  Result.Constant = X.Constant + Y.Constant;
  size_t I = 0, J = 0;
  while (I < X.Products.size() || J < Y.Products.size()) {
    bool Left =
        J == Y.Products.size() ||
        (I < X.Products.size() && X.Products[I].first <= Y.Products[J].first);
    bool Right =
        I == X.Products.size() ||
        (J < Y.Products.size() && Y.Products[J].first <= X.Products[I].first);
    uint64_t Name = Left ? X.Products[I].first : Y.Products[J].first;
    uint32_t Factor = (Left ? X.Products[I++].second : 0) +
                      (Right ? Y.Products[J++].second : 0);
    if (Factor)
      Result.Products.push_back({Name, Factor});
  }
  return Result;
}

} // namespace

const LinearIndex &LinearIndices::of(ValueId V) {
  find(V, MaxDepth);
  return Forms[V.index()];
}

LinearIndex LinearIndices::find(ValueId V, unsigned Depth) {
  std::unordered_map<uint32_t, LinearIndex>::iterator Known =
      Forms.find(V.index());
  if (Known != Forms.end())
    return Known->second;
  LinearIndex Form = make(V, Depth);
  if (Form.Products.size() > MaxProducts)
    Form = single(V);
  return Forms[V.index()] = Form;
}

/// Ids of a work-item have one name, however often they are asked for.
LinearIndex LinearIndices::single(ValueId V) const {
  const Inst &I = F.Insts[V];
  bool IsId = I.Opcode >= Op::GlobalId && I.Opcode <= Op::WorkgroupSize;
  uint64_t Name =
      IsId ? (uint64_t(1) << 32) + uint64_t(I.Opcode) * 4 + I.Imm : V.index();
  return {{{Name, 1}}, 0};
}

/// A value and the constant that it is multiplied by, if `V` is such a product.
std::optional<std::pair<ValueId, uint32_t>>
LinearIndices::productOf(ValueId V) const {
  Op O = F.Insts[V].Opcode;
  if (O != Op::Mul && O != Op::Shl)
    return std::nullopt;
  ValueId X = F.operand(V, 0), C = F.operand(V, 1);
  if (O == Op::Mul && !F.isConst(C))
    std::swap(X, C);
  if (!F.isConst(C))
    return std::nullopt;
  uint32_t Bits = static_cast<uint32_t>(F.Insts[C].Imm);
  return std::pair(X, O == Op::Mul ? Bits : uint32_t(1) << (Bits & 31));
}

LinearIndex LinearIndices::make(ValueId V, unsigned Depth) {
  const Inst &I = F.Insts[V];
  if (I.Opcode == Op::Const)
    return {{}, static_cast<uint32_t>(I.Imm)};
  if (Depth == 0 || !isWord(I.Type))
    return single(V);
  if (I.Opcode == Op::Add || I.Opcode == Op::Sub) {
    LinearIndex X = find(F.operand(V, 0), Depth - 1);
    LinearIndex Y = find(F.operand(V, 1), Depth - 1);
    return sum(X, I.Opcode == Op::Sub ? scaled(std::move(Y), ~0u) : Y);
  }
  if (std::optional<std::pair<ValueId, uint32_t>> P = productOf(V))
    return scaled(find(P->first, Depth - 1), P->second);
  if (I.Opcode == Op::Cast && isWord(F.typeOf(F.operand(V, 0))))
    return find(F.operand(V, 0), Depth - 1);
  return single(V);
}

} // namespace goldy
