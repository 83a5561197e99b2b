//===- LowerExpr.cpp - Operators, literals, aggregates
//----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands are evaluated left to right where they stand; nothing is folded,
// except that a literal and its sign are one constant.
//
//===----------------------------------------------------------------------===//
#include "Lower.h"

using namespace goldy;
using namespace goldy::sema;
using ast::ExprForm;

ValueId Lower::value(ast::ExprId E) {
  if (Dead)
    return ValueId();
  switch (C[E].Form) {
  case ExprForm::Int:
  case ExprForm::Float:
  case ExprForm::Bool:
    return literal(E);
  case ExprForm::Name:
    return name(E);
  case ExprForm::Field:
    return field(E);
  case ExprForm::Index:
    return index(E);
  case ExprForm::Unary:
    return unary(E);
  case ExprForm::Binary:
    return binary(E);
  case ExprForm::Assign:
    return C[E].Compound ? compound(E) : assign(E);
  case ExprForm::Cast:
    return cast(E);
  case ExprForm::Call:
  case ExprForm::MethodCall:
    return call(E);
  case ExprForm::StructLit:
    return structLit(E);
  case ExprForm::ArrayLit:
    return arrayLit(E);
  case ExprForm::ArrayRepeat:
    return arrayRepeat(E);
  case ExprForm::Paren:
    return value(C[E].Kids[0]);
  case ExprForm::If:
    return ifValue(E);
  case ExprForm::Match:
    return matchValue(E);
  case ExprForm::Block:
    return blockExpr(E);
  case ExprForm::Loop:
    endlessLoop(E);
    return ValueId();
  case ExprForm::While:
    whileLoop(E);
    return ValueId();
  case ExprForm::For:
    forLoop(E);
    return ValueId();
  case ExprForm::Break:
  case ExprForm::Continue:
    jump(E);
    return ValueId();
  case ExprForm::Return:
    returnValue(E);
    return ValueId();
  case ExprForm::Range:
  case ExprForm::Str:
  case ExprForm::Error:
    break;
  }
  assert(false && "an expression in error is not lowered");
  return ValueId();
}

ValueId Lower::literal(ast::ExprId E) {
  std::optional<uint64_t> Bits = constantBits(C, E);
  assert(Bits && "a literal has bits");
  at(E);
  return B.constant(typeOf(E), *Bits);
}

// --- Vectors

ValueId Lower::component(ValueId V, uint32_t I) {
  if (M.Types.kind(F.typeOf(V)) != TypeKind::Vector)
    return V;
  if (F.Insts[V].Opcode == Op::Construct)
    return F.operand(V, I);
  return B.extract(V, I);
}

ValueId Lower::elementwise(TypeId Result,
                           const std::function<ValueId(uint32_t)> &Make) {
  if (M.Types.kind(Result) != TypeKind::Vector)
    return Make(0);
  std::vector<ValueId> Parts;
  for (uint32_t I = 0; I < M.Types[Result].Count; ++I)
    Parts.push_back(Make(I));
  return B.construct(Result, Parts);
}

// --- Operators

ValueId Lower::unary(ast::ExprId E) {
  const ast::Expr &X = C[E];
  ExprForm Inner = C[C.strip(X.Kids[0])].Form;
  bool IsLiteral = Inner == ExprForm::Int || Inner == ExprForm::Float;
  bool IsNeg = X.Unary == ast::UnaryOp::Neg;
  if (IsNeg && IsLiteral)
    return literal(E);
  ValueId V = value(X.Kids[0]);
  if (!V)
    return V;
  at(E);
  Op O = IsNeg ? Op::Neg : Op::Not;
  return elementwise(typeOf(E),
                     [&](uint32_t I) { return B.op(O, {component(V, I)}); });
}

ValueId Lower::binary(ast::ExprId E) {
  const ast::Expr &X = C[E];
  if (X.Binary >= ast::BinaryOp::LogicalAnd)
    return logical(E);
  ValueId L = value(X.Kids[0]);
  ValueId R = value(X.Kids[1]);
  if (!L || !R)
    return ValueId();
  at(E);
  return arithmetic(opOf(X.Binary), typeOf(E), L, R);
}

ValueId Lower::arithmetic(Op O, TypeId Result, ValueId L, ValueId R) {
  return elementwise(Result, [&](uint32_t I) {
    return scalarOp(O, component(L, I), component(R, I));
  });
}

ValueId Lower::scalarOp(Op O, ValueId L, ValueId R) {
  bool Compares = opInfo(O).Rule == TypeRule::Compare;
  if (Compares && F.typeOf(L) == types::Bool)
    return compareBools(O, L, R);
  return B.op(O, {L, R});
}

/// false is less than true.
ValueId Lower::compareBools(Op O, ValueId L, ValueId R) {
  switch (O) {
  case Op::Eq:
    return B.op(Op::Not, {B.op(Op::Xor, {L, R})});
  case Op::Ne:
    return B.op(Op::Xor, {L, R});
  case Op::Lt:
    return B.op(Op::And, {B.op(Op::Not, {L}), R});
  case Op::Le:
    return B.op(Op::Or, {B.op(Op::Not, {L}), R});
  case Op::Gt:
    return B.op(Op::And, {L, B.op(Op::Not, {R})});
  default:
    return B.op(Op::Or, {L, B.op(Op::Not, {R})});
  }
}

/// True when evaluating the expression always costs little and shows nothing:
/// then `&&` and `||` need no branch.
bool Lower::isCheap(ast::ExprId E, unsigned &Budget) const {
  if (Budget == 0)
    return false;
  --Budget;
  const ast::Expr &X = C[E];
  switch (X.Form) {
  case ExprForm::Int:
  case ExprForm::Float:
  case ExprForm::Bool:
    return true;
  case ExprForm::Name:
    return M.Types.isScalar(typeOf(E));
  case ExprForm::Field:
    return isCheap(X.Kids[0], Budget) ||
           (C[C.strip(X.Kids[0])].Form == ExprForm::Name &&
            !holdsArray(typeOf(X.Kids[0])));
  case ExprForm::Call:
  case ExprForm::MethodCall:
    return isCheapCall(E, Budget);
  case ExprForm::Unary:
  case ExprForm::Binary:
  case ExprForm::Cast:
  case ExprForm::Paren:
    for (ast::ExprId Kid : X.Kids)
      if (!isCheap(Kid, Budget))
        return false;
    return true;
  default:
    return false;
  }
}

bool Lower::isCheapCall(ast::ExprId E, unsigned &Budget) const {
  const CallTarget &T = C.Calls[E];
  if (T.Form == CallTarget::Length)
    return C[C.strip(C[E].Kids[0])].Form == ExprForm::Name;
  if (T.Form != CallTarget::Builtin)
    return false;
  BuiltinKind K = builtin(T.Index).Kind;
  if (K == BuiltinKind::Id || K == BuiltinKind::GroupSize)
    return true;
  if (K < BuiltinKind::Plain || K > BuiltinKind::ToBits ||
      isPublished(builtin(T.Index).Opcode))
    return false;
  for (ast::ExprId Kid : C[E].Kids)
    if (!isCheap(Kid, Budget))
      return false;
  return true;
}

ValueId Lower::logical(ast::ExprId E) {
  const ast::Expr &X = C[E];
  bool IsAnd = X.Binary == ast::BinaryOp::LogicalAnd;
  ValueId L = value(X.Kids[0]);
  if (!L)
    return L;
  unsigned Budget = 16;
  if (isCheap(X.Kids[1], Budget)) {
    ValueId R = value(X.Kids[1]);
    at(E);
    return B.op(IsAnd ? Op::And : Op::Or, {L, R});
  }
  at(E);
  SlotId Result = B.slot("", types::Bool);
  B.store(B.slotPlace(Result), L);
  ValueId Cond = IsAnd ? L : B.op(Op::Not, {L});
  InstId If = B.createIf(Cond, false);
  arm(F.Insts[If].Blocks[0], Result, [&] { return value(X.Kids[1]); });
  return joined(Result, true);
}

ValueId Lower::cast(ast::ExprId E) {
  ValueId V = value(C[E].Kids[0]);
  if (!V || F.typeOf(V) == typeOf(E))
    return V;
  at(E);
  return B.cast(V, typeOf(E));
}

// --- Aggregates

bool Lower::values(std::span<const ast::ExprId> Kids,
                   std::vector<ValueId> &Out) {
  for (ast::ExprId Kid : Kids) {
    ValueId V = value(Kid);
    if (!V)
      return false;
    Out.push_back(V);
  }
  return true;
}

ValueId Lower::structLit(ast::ExprId E) {
  const ast::Expr &X = C[E];
  TypeId T = typeOf(E);
  std::vector<ValueId> InOrder;
  if (!values(X.Kids, InOrder))
    return ValueId();
  std::vector<ValueId> Members(M.Types.memberCount(T));
  for (size_t I = 0; I < X.Kids.size(); ++I)
    Members[memberNumber(T, X.FieldNames[I].Text)] = InOrder[I];
  at(E);
  return B.construct(T, Members);
}

ValueId Lower::arrayLit(ast::ExprId E) {
  std::vector<ValueId> Members;
  if (!values(C[E].Kids, Members))
    return ValueId();
  at(E);
  return B.construct(typeOf(E), Members);
}

ValueId Lower::arrayRepeat(ast::ExprId E) {
  TypeId T = typeOf(E);
  if (isLongRepeat(E)) {
    at(E);
    PlaceRef P{{BaseKind::Slot, B.slot("", T).index()}, {}};
    repeatInto(P, E);
    return Dead ? ValueId() : load(P);
  }
  ValueId V = value(C[E].Kids[0]);
  if (!V)
    return V;
  std::vector<ValueId> Members(M.Types[T].Count, V);
  at(E);
  return B.construct(T, Members);
}
