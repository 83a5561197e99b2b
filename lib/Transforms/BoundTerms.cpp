//===- BoundTerms.cpp - Expressions that bound an index
//---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Saturating arithmetic is made of wrapping operations and a choice; where the
// operands cannot be large enough the choice is left out.
//
//===----------------------------------------------------------------------===//
#include "UpperBounds.h"

#include <algorithm>

namespace goldy {

// --- Terms

BoundId BoundTerms::intern(BoundTerm T) {
  T.ByGroup = T.Op == BoundOp::GroupId;
  for (BoundId Arg : T.Args)
    T.ByGroup |= Arg && Terms[Arg].ByGroup;
  std::map<BoundTerm, BoundId>::iterator Found = Known.find(T);
  if (Found != Known.end())
    return Found->second;
  BoundId Id = Terms.push(T);
  Known[T] = Id;
  return Id;
}

static uint32_t saturated(uint64_t V) {
  return static_cast<uint32_t>(std::min<uint64_t>(V, UINT32_MAX));
}

BoundId BoundTerms::constant(uint32_t C) {
  BoundTerm T;
  T.Imm = T.Most = C;
  return intern(T);
}

std::optional<uint32_t> BoundTerms::constantOf(BoundId T) const {
  if (Terms[T].Op != BoundOp::Const)
    return std::nullopt;
  return Terms[T].Imm;
}

BoundId BoundTerms::value(ValueId V, uint32_t Most) {
  BoundTerm T;
  T.Op = BoundOp::Value;
  T.Value = V;
  T.Most = Most;
  return intern(T);
}

BoundId BoundTerms::length(uint32_t Param) {
  BoundTerm T;
  T.Op = BoundOp::Length;
  T.Imm = Param;
  return intern(T);
}

BoundId BoundTerms::groupId(uint32_t Axis) {
  BoundTerm T;
  T.Op = BoundOp::GroupId;
  T.Imm = Axis;
  return intern(T);
}

BoundId BoundTerms::add(BoundId A, BoundId B) {
  if (constantOf(A))
    std::swap(A, B);
  std::optional<uint32_t> X = constantOf(A), Y = constantOf(B);
  if (Y && *Y == 0)
    return A;
  if (X && Y)
    return constant(saturated(uint64_t(*X) + *Y));
  // Constants meet: (t + c) + d, and (t - c) + d, where t >= c (see `Less`).
  const BoundTerm Inner = Terms[A];
  if (Y && Inner.Op == BoundOp::Add && constantOf(Inner.Args[1]))
    return add(Inner.Args[0], add(Inner.Args[1], B));
  if (Y && Inner.Op == BoundOp::Less && *Y >= Inner.Imm)
    return add(Inner.Args[0], constant(*Y - Inner.Imm));
  if (Y && Inner.Op == BoundOp::Less)
    return less(Inner.Args[0], Inner.Imm - *Y);
  if (!Y && B < A)
    std::swap(A, B);
  BoundTerm T;
  T.Op = BoundOp::Add;
  T.Args = {A, B};
  T.Most = saturated(uint64_t(Terms[A].Most) + Terms[B].Most);
  return intern(T);
}

BoundId BoundTerms::mul(BoundId A, BoundId B) {
  if (constantOf(A))
    std::swap(A, B);
  std::optional<uint32_t> X = constantOf(A), Y = constantOf(B);
  if (X && Y)
    return constant(saturated(uint64_t(*X) * *Y));
  if (Y && *Y == 1)
    return A;
  if (Y && *Y == 0)
    return B;
  if (!Y && B < A)
    std::swap(A, B);
  BoundTerm T;
  T.Op = BoundOp::Mul;
  T.Args = {A, B};
  T.Most = saturated(uint64_t(Terms[A].Most) * Terms[B].Most);
  return intern(T);
}

BoundId BoundTerms::div(BoundId A, uint32_t By) {
  if (std::optional<uint32_t> X = constantOf(A))
    return constant(*X / By);
  if (By == 1)
    return A;
  BoundTerm T;
  T.Op = BoundOp::Div;
  T.Imm = By;
  T.Args = {A};
  T.Most = Terms[A].Most / By;
  return intern(T);
}

BoundId BoundTerms::less(BoundId A, uint32_t By) {
  if (By == 0)
    return A;
  if (std::optional<uint32_t> X = constantOf(A))
    return constant(*X - std::min(*X, By));
  BoundTerm T;
  T.Op = BoundOp::Less;
  T.Imm = By;
  T.Args = {A};
  T.Most = Terms[A].Most - std::min(Terms[A].Most, By);
  return intern(T);
}

BoundId BoundTerms::min(BoundId A, BoundId B) {
  if (isBelow(A, B))
    return A;
  if (isBelow(B, A))
    return B;
  BoundTerm T;
  T.Op = BoundOp::Min;
  T.Args = {std::min(A, B), std::max(A, B)};
  T.Most = std::min(Terms[A].Most, Terms[B].Most);
  return intern(T);
}

BoundId BoundTerms::max(BoundId A, BoundId B) {
  if (isBelow(A, B))
    return B;
  if (isBelow(B, A))
    return A;
  BoundTerm T;
  T.Op = BoundOp::Max;
  T.Args = {std::min(A, B), std::max(A, B)};
  T.Most = std::max(Terms[A].Most, Terms[B].Most);
  return intern(T);
}

BoundId BoundTerms::ifAtMost(BoundId A, BoundId B, BoundId Then, BoundId Else) {
  if (isBelow(A, B))
    return Then;
  if (constantOf(A) && constantOf(B))
    return Else;
  BoundTerm T;
  T.Op = BoundOp::IfAtMost;
  T.Args = {A, B, Then, Else};
  T.Most = std::max(Terms[Then].Most, Terms[Else].Most);
  return intern(T);
}

BoundId BoundTerms::asSigned(BoundId A) {
  const BoundTerm T = Terms[A];
  if (T.Op == BoundOp::IfAtMost && T.Args[0] == T.Args[2] &&
      T.Args[1] == constant(INT32_MAX) && T.Args[3] == constant(UINT32_MAX))
    return A;
  return ifAtMost(A, constant(INT32_MAX), A, constant(UINT32_MAX));
}

bool BoundTerms::isBelow(BoundId A, BoundId B, unsigned Depth) const {
  const BoundTerm &X = Terms[A], &Y = Terms[B];
  if (A == B || (Y.Op == BoundOp::Const && X.Most <= Y.Imm))
    return true;
  if (Depth == 0)
    return false;
  auto Below = [&](BoundId P, BoundId Q) { return isBelow(P, Q, Depth - 1); };
  if (Y.Op == BoundOp::Min)
    return Below(A, Y.Args[0]) && Below(A, Y.Args[1]);
  if (X.Op == BoundOp::Max)
    return Below(X.Args[0], B) && Below(X.Args[1], B);
  if (X.Op == BoundOp::Less && Below(X.Args[0], B))
    return true;
  if (X.Op == BoundOp::Less && Y.Op == BoundOp::Less && X.Imm >= Y.Imm &&
      Below(X.Args[0], Y.Args[0]))
    return true;
  if (X.Op == BoundOp::Min && (Below(X.Args[0], B) || Below(X.Args[1], B)))
    return true;
  if (Y.Op == BoundOp::Max && (Below(A, Y.Args[0]) || Below(A, Y.Args[1])))
    return true;
  if (Y.Op == BoundOp::Add && (Below(A, Y.Args[0]) || Below(A, Y.Args[1])))
    return true;
  // Both grow with their operands, which have no order.
  if (X.Op != Y.Op || (X.Op != BoundOp::Add && X.Op != BoundOp::Mul))
    return false;
  return (Below(X.Args[0], Y.Args[0]) && Below(X.Args[1], Y.Args[1])) ||
         (Below(X.Args[0], Y.Args[1]) && Below(X.Args[1], Y.Args[0]));
}

// --- Building

ValueId BoundEmitter::emit(BoundId T) {
  std::map<BoundId, ValueId>::iterator Found = Made.find(T);
  if (Found != Made.end())
    return Found->second;
  ValueId V = make(Terms[T]);
  Made[T] = V;
  return V;
}

ValueId BoundEmitter::makeSum(const BoundTerm &T) {
  ValueId A = emit(T.Args[0]), C = emit(T.Args[1]);
  ValueId Sum = B.op(Op::Add, {A, C});
  uint64_t Most = uint64_t(Terms[T.Args[0]].Most) + Terms[T.Args[1]].Most;
  if (Most <= UINT32_MAX)
    return Sum;
  return B.select(B.op(Op::Lt, {Sum, A}), B.u32(UINT32_MAX), Sum);
}

ValueId BoundEmitter::makeProduct(const BoundTerm &T) {
  ValueId A = emit(T.Args[0]), C = emit(T.Args[1]);
  ValueId Product = B.op(Op::Mul, {A, C});
  uint64_t Most = uint64_t(Terms[T.Args[0]].Most) * Terms[T.Args[1]].Most;
  if (Most <= UINT32_MAX)
    return Product;
  std::optional<uint32_t> By = Terms.constantOf(T.Args[1]);
  ValueId Fits = By ? B.op(Op::Le, {A, B.u32(UINT32_MAX / *By)})
                    : B.op(Op::Eq, {B.op(Op::MulHi, {A, C}), B.u32(0)});
  return B.select(Fits, Product, B.u32(UINT32_MAX));
}

ValueId BoundEmitter::make(const BoundTerm &T) {
  switch (T.Op) {
  case BoundOp::Const:
    return B.u32(T.Imm);
  case BoundOp::Value: {
    ValueId V = Map(T.Value);
    return B.function().typeOf(V) == types::I32 ? B.cast(V, types::U32) : V;
  }
  case BoundOp::Length:
    return B.len({BaseKind::Param, T.Imm});
  case BoundOp::GroupId:
    return B.id(Op::WorkgroupId, T.Imm);
  case BoundOp::Add:
    return makeSum(T);
  case BoundOp::Mul:
    return makeProduct(T);
  case BoundOp::Div:
    return B.op(Op::Div, {emit(T.Args[0]), B.u32(T.Imm)});
  case BoundOp::Less:
    return B.op(Op::Sub,
                {B.op(Op::Max, {emit(T.Args[0]), B.u32(T.Imm)}), B.u32(T.Imm)});
  case BoundOp::Min:
    return B.op(Op::Min, {emit(T.Args[0]), emit(T.Args[1])});
  case BoundOp::Max:
    return B.op(Op::Max, {emit(T.Args[0]), emit(T.Args[1])});
  case BoundOp::IfAtMost: {
    ValueId C = B.op(Op::Le, {emit(T.Args[0]), emit(T.Args[1])});
    return B.select(C, emit(T.Args[2]), emit(T.Args[3]));
  }
  }
  return {};
}

} // namespace goldy
