//===- CanonicalOps.cpp - Operations in plain Slang operators
//--------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operator where Slang's means the same, else a function of goldy.slang:
// division and remainder by what may be zero, shifts by what may be wide,
// float minimum and maximum, float to integer.
//
//===----------------------------------------------------------------------===//
#include "Printer.h"

#include <fmt/format.h>

namespace goldy::slang {

Expr Printer::shapeFact(InstId I) {
  const PlaceBase &Base = F.Places[F.Insts[F.operand(I, 0)].Where].Base;
  if (F.Params[Base.Index].Kind != ParamKind::Tensor)
    return unsupported(I, "an image's extent");
  Expr Layout = atom(layoutName(Base.Index));
  if (F.Insts[I].Opcode == Op::Rank)
    return atom(Layout.Text + ".rank");
  Expr Axis = use(F.operand(I, 1));
  return call("goldy_dim", {&Layout, &Axis});
}

Expr Printer::canonicalOperation(InstId I) {
  const Inst &N = F.Insts[I];
  auto First = [&] { return use(F.operand(I, 0)); };
  switch (N.Opcode) {
  case Op::GlobalId:
  case Op::LocalId:
  case Op::WorkgroupId:
  case Op::NumWorkgroups:
    return idOf(I);
  case Op::WorkgroupSize: // a canonical module is one kernel with its helpers
    return atom(fmt::format(
        "{}u", M.Functions[M.kernels().front()].WorkgroupSize[N.Imm]));
  case Op::Len: {
    const PlaceBase &Base = F.Places[N.Where].Base;
    if (Base.Kind == BaseKind::Param &&
        F.Params[Base.Index].Kind == ParamKind::Tensor)
      return atom(layoutName(Base.Index) + ".numel");
    std::string Name = baseName(Base);
    auto Known = S.Extents.find(Name);
    return atom(Known == S.Extents.end() ? Name + ".len()"
                                         : fmt::format("{}u", Known->second));
  }
  case Op::Dim:
  case Op::Rank:
    return shapeFact(I);
  case Op::Add:
    return plainBinary(I, "+", Prec::Sum);
  case Op::Sub:
    return plainBinary(I, "-", Prec::Sum);
  case Op::Mul:
    return plainBinary(I, "*", Prec::Product);
  case Op::Div:
  case Op::Rem:
    return divideOrRemainder(I);
  case Op::NearQuotient:
    return plainBinary(I, "/", Prec::Product);
  case Op::Neg:
    return prefix("-", First());
  case Op::Abs: {
    Expr V = First();
    return call("abs", {&V});
  }
  case Op::Min:
  case Op::Max:
    return minOrMax(I);
  case Op::And:
    return logical(I, "&", Prec::BitAnd, "&&", Prec::LogicalAnd);
  case Op::Or:
    return logical(I, "|", Prec::BitOr, "||", Prec::LogicalOr);
  case Op::Xor:
    return logical(I, "^", Prec::BitXor, "!=", Prec::Equality);
  case Op::Not:
    return notOf(I);
  case Op::Shl:
  case Op::Shr:
    return shift(I);
  case Op::Eq:
  case Op::Ne:
  case Op::Lt:
  case Op::Le:
  case Op::Gt:
  case Op::Ge:
    return comparison(I);
  case Op::Select: {
    Expr C = First(), A = use(F.operand(I, 1)), B = use(F.operand(I, 2));
    Expr E;
    E.Text = fmt::format("{} ? {} : {}", C.as(Prec::LogicalOr),
                         A.as(Prec::LogicalOr), B.as(Prec::Choice));
    E.Strength = Prec::Choice;
    for (const Expr *Part : {&C, &A, &B})
      E.Reads.add(Part->Reads);
    return E;
  }
  case Op::Sqrt:
    return helperCall(I, "sqrt");
  case Op::Floor:
    return helperCall(I, "floor");
  case Op::Ceil:
    return helperCall(I, "ceil");
  case Op::Trunc:
    return helperCall(I, "trunc");
  case Op::ToBits:
  case Op::NumberBits:
    return helperCall(I, "asuint");
  case Op::FromBits:
    return helperCall(I, "asfloat");
  case Op::Fma:
    return componentwise(I, "goldy_fma");
  case Op::Round:
    return componentwise(I, "goldy_round");
  case Op::RoundEven:
    return componentwise(I, "goldy_round_even");
  case Op::Copysign:
    return componentwise(I, "goldy_copysign");
  case Op::CountOnes: {
    if (isWide(F.operand(I, 0)))
      return helperCall(I, "goldy_count_ones");
    Expr V = First();
    if (F.typeOf(F.operand(I, 0)) == types::I32)
      V = call("uint", {&V});
    return call("countbits", {&V});
  }
  case Op::ReverseBits: {
    if (isWide(F.operand(I, 0)))
      return helperCall(I, "goldy_reverse_bits");
    Expr V = First();
    if (N.Type != types::I32)
      return call("reversebits", {&V});
    V = call("uint", {&V});
    V = call("reversebits", {&V});
    return call("int", {&V});
  }
  case Op::LeadingZeros:
    return componentwise(I, "goldy_leading_zeros");
  case Op::TrailingZeros:
    return componentwise(I, "goldy_trailing_zeros");
  case Op::RotateLeft:
    return componentwise(I, "goldy_rotate_left");
  case Op::RotateRight:
    return componentwise(I, "goldy_rotate_right");
  case Op::MulHi:
    return componentwise(I, "goldy_mul_hi");
  case Op::Cast:
    return canonicalCast(I);
  case Op::Construct:
    return construct(I);
  case Op::Extract:
    return extract(I);
  default:
    return isPublished(N.Opcode) ? publishedCall(I)
                                 : unsupported(I, opInfo(N.Opcode).Mnemonic);
  }
}

Expr Printer::idOf(InstId I) {
  const Inst &N = F.Insts[I];
  char Axis = "xyz"[N.Imm];
  if (N.Opcode == Op::NumWorkgroups)
    return atom(fmt::format("goldy_num_groups().{}", Axis));
  unsigned Kind = N.Opcode == Op::GlobalId  ? 0
                  : N.Opcode == Op::LocalId ? 1
                                            : 2;
  return atom(fmt::format("{}.{}", idName(Kind), Axis));
}

Expr Printer::plainBinary(InstId I, std::string_view Operator, Prec P) {
  Expr L = use(F.operand(I, 0)), R = use(F.operand(I, 1));
  Expr E = binary(Operator, P, L, R);
  if (!L.LoadedFrom.empty()) {
    E.Updates = L.LoadedFrom;
    E.UpdateOp = Operator;
    E.UpdateBy = R.Text;
  }
  return E;
}

Expr Printer::comparison(InstId I) {
  struct Spelling {
    std::string_view Is, IsNot;
    Prec Strength;
  };
  static constexpr Spelling Spellings[] = {
      {"==", "!=", Prec::Equality}, {"!=", "==", Prec::Equality},
      {"<", ">=", Prec::Relation},  {"<=", ">", Prec::Relation},
      {">", "<=", Prec::Relation},  {">=", "<", Prec::Relation}};
  Op O = F.Insts[I].Opcode;
  const Spelling &As =
      Spellings[static_cast<int>(O) - static_cast<int>(Op::Eq)];
  TypeId T = F.typeOf(F.operand(I, 0));
  Expr L = use(F.operand(I, 0)), R = use(F.operand(I, 1));
  if (T == types::Bool && As.Strength == Prec::Relation) {
    L = call("uint", {&L});
    R = call("uint", {&R});
  }
  if (T == types::U64 && As.Strength == Prec::Relation) {
    // Slang folds an order of constants as if they were signed.
    needHelper("goldy_order");
    L = call("goldy_order", {&L});
    R = call("goldy_order", {&R});
  }
  Expr E = binary(As.Is, As.Strength, L, R);
  // With a NaN `!(a < b)` is not `a >= b`.
  if (T != types::F32 || As.Strength == Prec::Equality) {
    E.Negated = binary(As.IsNot, As.Strength, L, R).Text;
    E.NegatedStrength = As.Strength;
  }
  return E;
}

Expr Printer::helperCall(InstId I, std::string_view Name) {
  std::vector<Expr> Args;
  for (ValueId V : F.operands(I))
    Args.push_back(use(V));
  Expr E = atom("");
  for (const Expr &A : Args) {
    // Slang may take `f(a < b, c)` for the arguments of a generic.
    bool Generic = Args.size() > 1 && A.Strength == Prec::Relation;
    E.Text += E.Text.empty() ? "" : ", ";
    E.Text += Generic ? "(" + A.Text + ")" : A.Text;
    E.Reads.add(A.Reads);
  }
  E.Text = fmt::format("{}({})", Name, E.Text);
  E.Strength = Prec::Postfix;
  return E;
}

/// A scalar function; on vectors once for each component.
Expr Printer::componentwise(InstId I, std::string_view Name) {
  TypeId T = F.Insts[I].Type;
  if (M.Types.kind(T) != TypeKind::Vector)
    return helperCall(I, Name);
  std::vector<Expr> Args;
  std::vector<bool> IsVector;
  for (ValueId V : F.operands(I)) {
    Args.push_back(useAtom(V));
    IsVector.push_back(M.Types.kind(F.typeOf(V)) == TypeKind::Vector);
  }
  std::string Text;
  for (uint32_t C = 0; C < M.Types[T].Count; ++C) {
    std::string Call;
    for (size_t A = 0; A < Args.size(); ++A)
      Call += (A ? ", " : "") + Args[A].Text +
              (IsVector[A] ? fmt::format(".{}", "xyzw"[C]) : "");
    Text += fmt::format("{}{}({})", C ? ", " : "", Name, Call);
  }
  Expr E = atom(fmt::format("{}({})", typeText(T, F.Insts[I].Loc), Text));
  E.Strength = Prec::Postfix;
  return E;
}

/// `gpu::exp` is `goldy_exp`: Slang's own functions have other bits.
Expr Printer::publishedCall(InstId I) {
  std::string_view Name = opInfo(F.Insts[I].Opcode).Mnemonic;
  Name.remove_prefix(std::string_view("gpu::").size());
  return componentwise(I, fmt::format("goldy_{}", Name));
}

Expr Printer::divideOrRemainder(InstId I) {
  const Inst &N = F.Insts[I];
  bool Divide = N.Opcode == Op::Div;
  TypeId T = M.Types.scalarOf(N.Type);
  ValueId Divisor = F.operand(I, 1);
  uint64_t Bits = F.Insts[Divisor].Imm;
  uint64_t MinusOne = isWide(Divisor) ? ~uint64_t(0) : 0xffffffffu;
  bool Safe = F.isConst(Divisor) && Bits != 0 &&
              !(M.Types.isSigned(T) && Bits == MinusOne);
  if (T == types::F32 ? Divide : Safe)
    return plainBinary(I, Divide ? "/" : "%", Prec::Product);
  return componentwise(I, Divide ? "goldy_div" : "goldy_rem");
}

Expr Printer::shift(InstId I) {
  const Inst &N = F.Insts[I];
  ValueId Amount = F.operand(I, 1);
  bool Left = N.Opcode == Op::Shl;
  if (F.isConst(Amount) && F.Insts[Amount].Imm < M.Types.bits(N.Type))
    return plainBinary(I, Left ? "<<" : ">>", Prec::Shift);
  std::string_view Name = Left ? "goldy_shl" : "goldy_shr";
  if (!isWide(Amount))
    return componentwise(I, Name);
  Expr V = use(F.operand(I, 0)), By = use(Amount);
  By = call("uint", {&By});
  return call(Name, {&V, &By});
}

Expr Printer::minOrMax(InstId I) {
  const Inst &N = F.Insts[I];
  bool Min = N.Opcode == Op::Min;
  if (M.Types.scalarOf(N.Type) == types::F32)
    return componentwise(I, Min ? "goldy_min" : "goldy_max");
  return helperCall(I, Min ? "min" : "max");
}

Expr Printer::logical(InstId I, std::string_view OnBits, Prec Bits,
                      std::string_view OnBool, Prec Bool) {
  if (M.Types.scalarOf(F.Insts[I].Type) != types::Bool)
    return plainBinary(I, OnBits, Bits);
  Expr L = use(F.operand(I, 0)), R = use(F.operand(I, 1));
  return binary(OnBool, Bool, L, R);
}

Expr Printer::notOf(InstId I) {
  Expr V = use(F.operand(I, 0));
  if (F.Insts[I].Type != types::Bool)
    return prefix("~", V);
  Expr E = negation(V);
  E.Negated = V.Text;
  E.NegatedStrength = V.Strength;
  return E;
}

Expr Printer::canonicalCast(InstId I) {
  const Inst &N = F.Insts[I];
  TypeId From = F.typeOf(F.operand(I, 0));
  if (From == N.Type)
    return use(F.operand(I, 0));
  if (From == types::F32 && N.Type == types::I32)
    return componentwise(I, "goldy_to_int");
  if (From == types::F32 && N.Type == types::U32)
    return componentwise(I, "goldy_to_uint");
  if (From == types::F32)
    return helperCall(I, N.Type == types::I64 ? "goldy_to_int64"
                                              : "goldy_to_uint64");
  return helperCall(I, typeText(N.Type, N.Loc));
}

Expr Printer::construct(InstId I) {
  const Inst &N = F.Insts[I];
  if (M.Types.kind(N.Type) == TypeKind::Vector)
    return helperCall(I, typeText(N.Type, N.Loc));
  bool AllZero = true;
  Expr E;
  for (ValueId V : F.operands(I)) {
    Expr Member = useInit(V);
    AllZero &= (F.isConst(V) && F.Insts[V].Imm == 0) || Member.Text == "{}";
    E.Text += (E.Text.empty() ? "" : ", ") + Member.Text;
    E.Reads.add(Member.Reads);
  }
  E.Text = AllZero ? "{}" : "{" + E.Text + "}";
  E.Braces = true;
  return E;
}

Expr Printer::extract(InstId I) {
  const Inst &N = F.Insts[I];
  ValueId Whole = F.operand(I, 0);
  TypeId T = F.typeOf(Whole);
  const Type &Ty = M.Types[T];
  Expr V = use(Whole), E;
  E.Text = V.as(Prec::Postfix);
  if (Ty.Kind == TypeKind::Vector)
    E.Text += fmt::format(".{}", "xyzw"[N.Imm]);
  else if (Ty.Kind == TypeKind::Array)
    E.Text += fmt::format("[{}]", N.Imm);
  else
    E.Text += "." + fieldName(M.Types.structure(Ty.Struct).Fields[N.Imm].Name);
  E.Strength = Prec::Postfix;
  E.Reads = V.Reads;
  return E;
}

} // namespace goldy::slang
