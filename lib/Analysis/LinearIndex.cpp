//===- LinearIndex.cpp - Indices as sums
//-------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/Analysis/LinearIndex.h"

#include <algorithm>
#include <bit>

namespace goldy {
namespace {

bool isWord(TypeId T) { return T == types::U32 || T == types::I32; }

LinearIndex scaled(LinearIndex X, uint32_t Factor) {
  X.Constant *= Factor;
  for (LinearIndex::Product &P : X.Products)
    P.Factor *= Factor;
  std::erase_if(X.Products,
                [](const LinearIndex::Product &P) { return P.Factor == 0; });
  return X;
}

LinearIndex sum(const LinearIndex &X, const LinearIndex &Y) {
  LinearIndex Result;
  Result.Constant = X.Constant + Y.Constant;
  size_t I = 0, J = 0;
  while (I < X.Products.size() || J < Y.Products.size()) {
    bool Left =
        J == Y.Products.size() ||
        (I < X.Products.size() && X.Products[I].Name <= Y.Products[J].Name);
    bool Right =
        I == X.Products.size() ||
        (J < Y.Products.size() && Y.Products[J].Name <= X.Products[I].Name);
    LinearIndex::Product P = Left ? X.Products[I] : Y.Products[J];
    P.Factor = (Left ? X.Products[I++].Factor : 0) +
               (Right ? Y.Products[J++].Factor : 0);
    if (P.Factor)
      Result.Products.push_back(P);
  }
  return Result;
}

} // namespace

bool neverEqual(const LinearIndex &A, const LinearIndex &B) {
  LinearIndex Difference = sum(A, scaled(B, ~0u));
  int Common = 32;
  for (const LinearIndex::Product &P : Difference.Products)
    Common = std::min(Common, std::countr_zero(P.Factor));
  uint32_t Mask = Common == 32 ? ~0u : (uint32_t(1) << Common) - 1;
  return (Difference.Constant & Mask) != 0;
}

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
  return {{{Name, 1, V}}, 0};
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

// --- Distances

/// The greatest value that is certain.
uint64_t RelativeIndices::mostOf(ValueId V) const {
  const Inst &I = F.Insts[V];
  if (I.Opcode == Op::LocalId)
    return F.WorkgroupSize[I.Imm] - 1;
  if (I.Opcode == Op::And && F.isConst(F.operand(V, 1)))
    return F.Insts[F.operand(V, 1)].Imm;
  return UINT32_MAX;
}

/// True if the products modulo 2^32 and the constant have no carry out of 32
/// bits: products that are multiples of some 2^k end below 2^32 - 2^k + 1, and
/// the others with the constant stay below 2^k.
bool RelativeIndices::isBelow2To32(const LinearIndex &X,
                                   uint32_t Constant) const {
  auto Fits = [&](int K) {
    uint64_t Rest = Constant;
    for (const LinearIndex::Product &P : X.Products)
      if (std::countr_zero(P.Factor) < K)
        Rest = std::min(Rest + P.Factor * mostOf(P.Value), uint64_t(1) << 40);
    return Rest < uint64_t(1) << K;
  };
  return Fits(32) || std::any_of(X.Products.begin(), X.Products.end(),
                                 [&](const LinearIndex::Product &P) {
                                   return Fits(std::countr_zero(P.Factor));
                                 });
}

RelativeIndex RelativeIndices::of(ValueId Index, InstId At) {
  LinearIndex Form = Forms.of(Index);
  if (Form.Products.empty() || !isBelow2To32(Form, Form.Constant))
    return {Index};
  std::vector<ValueId> &Bases = Earlier[Form.Products];
  for (ValueId Base : Bases)
    if (opInfo(F.Insts[Base].Opcode).Effects == Effect::Leaf ||
        Where.dominates(Base, At))
      return {Base, int64_t(Form.Constant) - int64_t(Forms.of(Base).Constant)};
  Bases.push_back(Index);
  return {Index};
}

} // namespace goldy
