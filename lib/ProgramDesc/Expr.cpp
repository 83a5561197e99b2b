//===- Expr.cpp - Expressions of a program, made once each ----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/IR/Fold.h"
#include "goldyc/ProgramDesc/Program.h"

using namespace goldy;
using namespace goldy::prog;

namespace {

/// The IR's operation with the same rules.
Op irOp(ExprOp O) {
  switch (O) {
  case ExprOp::Add:
    return Op::Add;
  case ExprOp::Sub:
    return Op::Sub;
  case ExprOp::Mul:
    return Op::Mul;
  case ExprOp::Div:
    return Op::Div;
  case ExprOp::Rem:
    return Op::Rem;
  case ExprOp::Shl:
    return Op::Shl;
  case ExprOp::Shr:
    return Op::Shr;
  case ExprOp::And:
    return Op::And;
  case ExprOp::Or:
    return Op::Or;
  case ExprOp::Xor:
    return Op::Xor;
  case ExprOp::Min:
    return Op::Min;
  case ExprOp::Max:
    return Op::Max;
  default:
    return Op::Cast;
  }
}

bool commutes(ExprOp O) {
  return O == ExprOp::Add || O == ExprOp::Mul || O == ExprOp::And ||
         O == ExprOp::Or || O == ExprOp::Xor || O == ExprOp::Min ||
         O == ExprOp::Max;
}

} // namespace

ExprId ExprTable::intern(Expr E) {
  Key K{static_cast<uint8_t>(E.Op),
        E.Type.index(),
        E.Bits,
        E.Index,
        E.L.index(),
        E.R.index()};
  std::map<Key, ExprId>::iterator It = Known.find(K);
  if (It != Known.end())
    return It->second;
  ExprId Id = Nodes.push(E);
  Known.emplace(K, Id);
  return Id;
}

ExprId ExprTable::constant(TypeId Type, uint64_t Bits, Span Loc) {
  Expr E;
  E.Type = Type;
  E.Bits = Bits;
  E.Loc = Loc;
  return intern(E);
}

ExprId ExprTable::param(uint32_t Index, TypeId Type, Span Loc) {
  Expr E;
  E.Op = ExprOp::Param;
  E.Type = Type;
  E.Index = Index;
  E.Loc = Loc;
  return intern(E);
}

ExprId ExprTable::var(uint32_t Index, TypeId Type, Span Loc) {
  Expr E;
  E.Op = ExprOp::Var;
  E.Type = Type;
  E.Index = Index;
  E.Loc = Loc;
  return intern(E);
}

ExprId ExprTable::length(uint32_t Param, Span Loc) {
  Expr E;
  E.Op = ExprOp::Length;
  E.Index = Param;
  E.Loc = Loc;
  return intern(E);
}

std::optional<uint64_t> ExprTable::constantBits(ExprId E) const {
  if (Nodes[E].Op != ExprOp::Const)
    return std::nullopt;
  return Nodes[E].Bits;
}

bool ExprTable::isConstant(ExprId E, uint64_t Bits) const {
  return Nodes[E].Op == ExprOp::Const && Nodes[E].Bits == Bits;
}

/// Operands have smaller handles, so one way down sees each node once.
bool ExprTable::uses(ExprId E, uint32_t Var) const {
  std::vector<bool> Below(E.index() + 1);
  Below[E.index()] = true;
  for (uint32_t I = E.index() + 1; I-- > 0;) {
    const Expr &X = Nodes[ExprId(I)];
    if (!Below[I])
      continue;
    if (X.Op == ExprOp::Var && X.Index == Var)
      return true;
    if (X.L)
      Below[X.L.index()] = true;
    if (X.R)
      Below[X.R.index()] = true;
  }
  return false;
}

std::optional<ExprId> ExprTable::fold(ExprOp O, ExprId L, ExprId R, Span Loc) {
  if (Nodes[L].Op != ExprOp::Const || Nodes[R].Op != ExprOp::Const)
    return std::nullopt;
  TypeId Type = Nodes[L].Type;
  uint64_t Bits[] = {Nodes[L].Bits, Nodes[R].Bits};
  std::optional<uint64_t> Value = foldScalar(irOp(O), Type, Type, Bits);
  if (!Value)
    return std::nullopt;
  return constant(Type, *Value, Loc);
}

/// What needs no operation, whatever the other operand is.
std::optional<ExprId> ExprTable::identity(ExprOp O, ExprId L, ExprId R) {
  TypeId Type = Nodes[L].Type;
  bool Zero = isConstant(R, 0), One = isConstant(R, 1);
  switch (O) {
  case ExprOp::Add:
  case ExprOp::Sub:
  case ExprOp::Or:
  case ExprOp::Xor:
  case ExprOp::Shl:
  case ExprOp::Shr:
    return Zero ? std::optional(L) : std::nullopt;
  case ExprOp::Mul:
    return Zero ? std::optional(R) : One ? std::optional(L) : std::nullopt;
  case ExprOp::And:
    return Zero ? std::optional(R) : std::nullopt;
  case ExprOp::Div: // `x / 0` is `x`
    return Zero || One ? std::optional(L) : std::nullopt;
  case ExprOp::Rem: // `x % 0` is 0
    return Zero || One ? std::optional(constant(Type, 0)) : std::nullopt;
  default:
    return L == R ? std::optional(L) : std::nullopt;
  }
}

ExprId ExprTable::binary(ExprOp O, ExprId L, ExprId R, Span Loc) {
  if (std::optional<ExprId> Folded = fold(O, L, R, Loc))
    return *Folded;
  if (commutes(O) && Nodes[L].Op == ExprOp::Const)
    std::swap(L, R);
  if (std::optional<ExprId> Same = identity(O, L, R))
    return *Same;
  Expr E;
  E.Op = O;
  E.Type = Nodes[L].Type;
  E.L = L;
  E.R = R;
  E.Loc = Loc;
  return intern(E);
}

ExprId ExprTable::cast(ExprId Value, TypeId To, Span Loc) {
  TypeId From = Nodes[Value].Type;
  if (From == To)
    return Value;
  if (Nodes[Value].Op == ExprOp::Const) {
    uint64_t Bits[] = {Nodes[Value].Bits};
    if (std::optional<uint64_t> Cast = foldScalar(Op::Cast, From, To, Bits))
      return constant(To, *Cast, Loc);
  }
  Expr E;
  E.Op = ExprOp::Cast;
  E.Type = To;
  E.L = Value;
  E.Loc = Loc;
  return intern(E);
}
