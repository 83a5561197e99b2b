//===- SemaTypeVars.cpp - Unification of types
//------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only float type is f32, so float literals have it at once; what is left
// open are integer literals, the elements of array literals and variables
// declared without a value.
//
//===----------------------------------------------------------------------===//
#include "SemaContext.h"

using namespace goldy;
using namespace goldy::sema;

TypeVars::TypeVars(TypeTable &Types) : Types(Types) {
  NeverTy = push({TyKind::Never, {}, {}, 0, {}});
  ErrorTy = push({TyKind::Error, {}, {}, 0, {}});
}

Ty TypeVars::known(TypeId T) {
  if (!T)
    return ErrorTy;
  if (Types.kind(T) == TypeKind::Array)
    return array(known(Types[T].Element), Types[T].Count);
  auto [It, New] = KnownTypes.try_emplace(T.index());
  if (New)
    It->second = push({TyKind::Known, T, {}, 0, {}});
  return It->second;
}

Ty TypeVars::integer() { return push({TyKind::Integer, {}, {}, 0, {}}); }

Ty TypeVars::array(Ty Element, uint32_t Count) {
  return push({TyKind::Array, {}, Element, Count, {}});
}

Ty TypeVars::find(Ty T) const {
  while (Ty Parent = Nodes[T].Parent) {
    // Halving keeps the way short, however long the chain of merges is.
    if (Ty Next = Nodes[Parent].Parent)
      Nodes[T].Parent = Next;
    T = Parent;
  }
  return T;
}

TypeId TypeVars::knownType(Ty T) const {
  const TyNode &N = node(T);
  return N.Kind == TyKind::Known ? N.Type : TypeId();
}

bool TypeVars::unifyArrays(Ty A, Ty B) {
  if (Nodes[A].Count != Nodes[B].Count ||
      !unify(Nodes[A].Element, Nodes[B].Element))
    return false;
  Nodes[A].Parent = B;
  return true;
}

bool TypeVars::holds(Ty Outer, Ty Inner) const {
  while (kind(Outer) == TyKind::Array)
    Outer = node(Outer).Element;
  return find(Outer) == Inner;
}

bool TypeVars::unify(Ty A, Ty B) {
  A = find(A);
  B = find(B);
  TyKind KA = Nodes[A].Kind, KB = Nodes[B].Kind;
  if (KA > KB)
    return unify(B, A);
  if (KB == TyKind::Error && KA <= TyKind::Integer)
    Nodes[A].Parent = B;
  if (A == B || KB >= TyKind::Never)
    return true;
  if (KA == TyKind::Open) {
    if (holds(B, A))
      return false;
    Nodes[A].Parent = B;
    return true;
  }
  if (KA == TyKind::Integer &&
      (KB == TyKind::Integer ||
       (KB == TyKind::Known && Types.isInteger(Nodes[B].Type)))) {
    Nodes[A].Parent = B;
    return true;
  }
  if (KA == TyKind::Array && KB == TyKind::Array)
    return unifyArrays(A, B);
  return false; // Known nodes are unique per type
}

std::string TypeVars::name(Ty T) const {
  const TyNode &N = node(T);
  switch (N.Kind) {
  case TyKind::Known:
    return Types.name(N.Type);
  case TyKind::Array:
    return "[" + name(N.Element) + "; " + std::to_string(N.Count) + "]";
  case TyKind::Integer:
    return "integer";
  case TyKind::Never:
    return "!";
  default:
    return "_";
  }
}

TypeId TypeVars::freeze(Ty T) {
  const TyNode &N = node(T);
  switch (N.Kind) {
  case TyKind::Known:
    return N.Type;
  case TyKind::Integer:
    return types::I32;
  case TyKind::Never:
    return types::Void;
  case TyKind::Array: {
    uint32_t Count = N.Count;
    TypeId Element = freeze(N.Element);
    return Element ? Types.array(Element, Count) : TypeId();
  }
  default:
    return TypeId();
  }
}
