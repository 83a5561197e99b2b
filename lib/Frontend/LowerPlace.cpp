//===- LowerPlace.cpp - Names, elements, fields, assignment
//-----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An access chain that starts in memory becomes one place; one that starts at
// a value takes it apart, through a slot where an index is computed. As in
// Rust `a[i] = v` evaluates v, then the index.
//
//===----------------------------------------------------------------------===//
#include "Lower.h"

using namespace goldy;
using namespace goldy::sema;
using ast::ExprForm;

/// Arrays longer than this are filled by a loop.
static constexpr uint32_t LongRepeat = 32;

uint32_t Lower::memberNumber(TypeId Of, std::string_view Name) const {
  if (M.Types.kind(Of) != TypeKind::Struct)
    return static_cast<uint32_t>(std::string_view("xyzw").find(Name[0]));
  const std::vector<StructField> &Fields =
      M.Types.structure(M.Types[Of].Struct).Fields;
  uint32_t I = 0;
  while (Fields[I].Name != Name)
    ++I;
  return I;
}

static bool isSwizzle(const TypeTable &Types, TypeId Of,
                      std::string_view Name) {
  return Types.kind(Of) != TypeKind::Struct && Name.size() > 1;
}

bool Lower::isTableName(ast::ExprId E) const {
  const NameRef &N = C.Names[E];
  return C[E].Form == ExprForm::Name && N.Form == NameRef::Const &&
         M.Types.kind(C.Consts[N.Index].Type) == TypeKind::Array;
}

PlaceBase Lower::baseOf(ast::ExprId E) {
  const NameRef &N = C.Names[E];
  if (isTableName(E))
    return {BaseKind::Table, lowerTable(C, N.Index).index()};
  return Locals[N.Index].Base;
}

bool Lower::isMemory(ast::ExprId E) const {
  const ast::Expr &X = C[E];
  switch (X.Form) {
  case ExprForm::Name: {
    const NameRef &N = C.Names[E];
    return isTableName(E) || (N.Form == NameRef::Local &&
                              Locals[N.Index].Form == Storage::Memory);
  }
  case ExprForm::Index:
  case ExprForm::Paren:
    return isMemory(X.Kids[0]);
  case ExprForm::Field:
    return isMemory(X.Kids[0]) &&
           !isSwizzle(M.Types, typeOf(X.Kids[0]), X.Member.Text);
  default:
    return false;
  }
}

bool Lower::isImage(const PlaceBase &Base) const {
  return Base.Kind == BaseKind::Param &&
         F.Params[Base.Index].Kind == ParamKind::Image;
}

/// True if the first index selects an element of something without a type of
/// its own: a buffer or workgroup array.
bool Lower::isIndexed(const PlaceBase &Base) const {
  return Base.Kind == BaseKind::Workgroup ||
         (Base.Kind == BaseKind::Param &&
          F.Params[Base.Index].Kind != ParamKind::Uniform);
}

std::optional<Lower::PlaceRef> Lower::imagePlace(const PlaceBase &Base,
                                                 ast::ExprId Index) {
  ValueId At = value(Index);
  if (!At)
    return std::nullopt;
  at(Index);
  ValueId X = component(At, 0), Y = component(At, 1);
  return PlaceRef{Base, {{X, 0}, {Y, 0}}};
}

/// Adds an index; false when control is dead afterwards.
bool Lower::pushIndex(PlaceRef &P, ast::ExprId IndexExpr, TypeId Of) {
  std::optional<uint64_t> Known = constantBits(C, IndexExpr);
  bool IsMember = Of && Known && *Known < M.Types.memberCount(Of);
  if (IsMember) {
    P.Path.push_back({{}, static_cast<uint32_t>(*Known)});
    return true;
  }
  ValueId I = value(IndexExpr);
  if (!I)
    return false;
  P.Path.push_back({I, 0});
  return true;
}

std::optional<Lower::PlaceRef> Lower::place(ast::ExprId E) {
  const ast::Expr &X = C[E];
  switch (X.Form) {
  case ExprForm::Name:
    return PlaceRef{baseOf(E), {}};
  case ExprForm::Paren:
    return place(X.Kids[0]);
  case ExprForm::Field: {
    std::optional<PlaceRef> P = place(X.Kids[0]);
    if (P)
      P->Path.push_back({{}, memberNumber(typeOf(X.Kids[0]), X.Member.Text)});
    return P;
  }
  default: {
    std::optional<PlaceRef> P = place(X.Kids[0]);
    if (!P)
      return P;
    if (P->Path.empty() && isImage(P->Base))
      return imagePlace(P->Base, X.Kids[1]);
    bool OfResource = P->Path.empty() && isIndexed(P->Base);
    TypeId Of = OfResource ? TypeId() : typeOf(X.Kids[0]);
    if (!pushIndex(*P, X.Kids[1], Of))
      return std::nullopt;
    return P;
  }
  }
}

ValueId Lower::load(const PlaceRef &P) {
  return B.load(B.place(P.Base, P.Path));
}

void Lower::store(const PlaceRef &P, ValueId V) {
  B.store(B.place(P.Base, P.Path), V);
}

Lower::PlaceRef Lower::spill(ValueId V) {
  SlotId S = B.slot("", F.typeOf(V));
  PlaceRef P{{BaseKind::Slot, S.index()}, {}};
  store(P, V);
  return P;
}

// --- Reading

ValueId Lower::name(ast::ExprId E) {
  const NameRef &N = C.Names[E];
  at(E);
  if (N.Form == NameRef::Value)
    return B.constant(N.Type, N.Bits);
  if (isTableName(E))
    return load({baseOf(E), {}});
  if (N.Form == NameRef::Const)
    return constant(C.Consts[N.Index]);
  const Storage &S = Locals[N.Index];
  assert(S.Form != Storage::Absent && "used before its let");
  return S.Form == Storage::Value ? S.V : load({S.Base, {}});
}

ValueId Lower::constant(const ConstInfo &K) {
  return K.Spec && !K.Fixed ? B.specConst(K.Spec) : B.constant(K.Type, K.Bits);
}

ValueId Lower::field(ast::ExprId E) {
  const ast::Expr &X = C[E];
  TypeId Of = typeOf(X.Kids[0]);
  if (isMemory(E)) {
    std::optional<PlaceRef> P = place(E);
    at(E);
    return P ? load(*P) : ValueId();
  }
  ast::ExprId Inner = C.strip(X.Kids[0]);
  if (C.Calls[Inner].Form == CallTarget::Builtin && X.Member.Text.size() == 1) {
    const Builtin &K = builtin(C.Calls[Inner].Index);
    if (K.Kind == BuiltinKind::Id) {
      at(E);
      return B.id(K.Opcode, memberNumber(Of, X.Member.Text));
    }
  }
  ValueId Base = value(X.Kids[0]);
  if (!Base)
    return Base;
  at(E);
  if (!isSwizzle(M.Types, Of, X.Member.Text)) {
    uint32_t Member = memberNumber(Of, X.Member.Text);
    return F.Insts[Base].Opcode == Op::Construct ? F.operand(Base, Member)
                                                 : B.extract(Base, Member);
  }
  std::vector<ValueId> Parts;
  for (char L : X.Member.Text) {
    uint32_t Member = memberNumber(Of, std::string_view(&L, 1));
    Parts.push_back(F.Insts[Base].Opcode == Op::Construct
                        ? F.operand(Base, Member)
                        : B.extract(Base, Member));
  }
  return B.construct(typeOf(E), Parts);
}

ValueId Lower::index(ast::ExprId E) {
  const ast::Expr &X = C[E];
  if (isMemory(E)) {
    std::optional<PlaceRef> P = place(E);
    at(E);
    return P ? load(*P) : ValueId();
  }
  ValueId Base = value(X.Kids[0]);
  if (!Base)
    return Base;
  std::optional<uint64_t> Known = constantBits(C, X.Kids[1]);
  if (Known && *Known < M.Types.memberCount(F.typeOf(Base))) {
    at(E);
    return B.extract(Base, static_cast<uint32_t>(*Known));
  }
  at(E);
  PlaceRef P = spill(Base);
  if (!pushIndex(P, X.Kids[1], F.typeOf(Base)))
    return ValueId();
  at(E);
  return load(P);
}

// --- Writing

bool Lower::isLongRepeat(ast::ExprId E) const {
  ast::ExprId Inner = C.strip(E);
  return C[Inner].Form == ExprForm::ArrayRepeat &&
         M.Types[typeOf(Inner)].Count > LongRepeat;
}

void Lower::repeatInto(const PlaceRef &P, ast::ExprId E) {
  ast::ExprId Inner = C.strip(E);
  ValueId V = value(C[Inner].Kids[0]);
  if (!V)
    return;
  at(E);
  InstId For =
      B.createFor(B.u32(0), B.u32(M.Types[typeOf(Inner)].Count), 1, false);
  BlockId Outer = B.block();
  B.setBlock(F.Insts[For].Blocks[0]);
  PlaceRef Element = P;
  Element.Path.push_back({F.Insts[For].Var, 0});
  store(Element, V);
  B.setBlock(Outer);
}

void Lower::evaluateInto(const PlaceRef &P, ast::ExprId E) {
  if (isLongRepeat(E))
    return repeatInto(P, E);
  ValueId V = value(E);
  if (!V)
    return;
  at(E);
  store(P, V);
}

ValueId Lower::assign(ast::ExprId E) {
  const ast::Expr &X = C[E];
  bool IsName = C[C.strip(X.Kids[0])].Form == ExprForm::Name;
  if (IsName) {
    evaluateInto(*place(X.Kids[0]), X.Kids[1]);
    return ValueId();
  }
  ValueId V = value(X.Kids[1]);
  if (!V)
    return V;
  std::optional<PlaceRef> P = place(X.Kids[0]);
  at(E);
  if (P)
    store(*P, V);
  return ValueId();
}

ValueId Lower::compound(ast::ExprId E) {
  const ast::Expr &X = C[E];
  ValueId V = value(X.Kids[1]);
  if (!V)
    return V;
  std::optional<PlaceRef> P = place(X.Kids[0]);
  if (!P)
    return ValueId();
  at(E);
  ValueId Old = load(*P);
  store(*P, arithmetic(opOf(X.Binary), F.typeOf(Old), Old, V));
  return ValueId();
}
