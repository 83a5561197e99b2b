//===- EntryOps.cpp - Operations of the bit-exact form
//---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Float arithmetic goes through helpers in SPIR-V assembly that forbid
// contraction: Slang's own folding (`x + 0.0` to `x`, `x - x` to `0.0`) does
// not see through them. Signs, canonical NaNs and flushes are integer code,
// float constants are bit patterns.
//
//===----------------------------------------------------------------------===//
#include "Printer.h"
#include "goldyc/Target/TensorLayout.h"

#include <fmt/format.h>

namespace goldy::slang {

void Printer::needHelper(std::string_view Helper) { S.Needed.emplace(Helper); }

Expr Printer::need(InstId I, std::string_view Helper) {
  needHelper(Helper);
  return helperCall(I, Helper);
}

Expr Printer::entryOperation(InstId I) {
  const Inst &N = F.Insts[I];
  switch (N.Opcode) {
  case Op::GlobalId:
  case Op::LocalId:
  case Op::WorkgroupId:
  case Op::NumWorkgroups:
    return entryId(I);
  case Op::Dim: {
    const PlaceBase &Base = F.Places[F.Insts[F.operand(I, 0)].Where].Base;
    bool Height = F.Insts[F.operand(I, 1)].Imm != 0;
    return atom(fmt::format("{}goldy_{}_{}", S.Block,
                            Height ? "height" : "width",
                            ParamNames[Base.Index]));
  }
  case Op::Len: {
    const PlaceBase &Base = F.Places[N.Where].Base;
    return atom(
        Base.Kind == BaseKind::Param
            ? fmt::format("{}goldy_len_{}", S.Block, ParamNames[Base.Index])
            : fmt::format("{}u", M.Types[baseType(M, F, Base)].Count));
  }
  case Op::LayoutWord: {
    Expr E = atom(fmt::format("((uint*){}goldy_layouts)[{}]", S.Block,
                              layoutByte(F, I) / 4));
    E.Strength = Prec::Postfix;
    return E;
  }
  case Op::TensorOffset:
    return atom(fmt::format("{}goldy_offset_{}", S.Block,
                            ParamNames[tensorParam(F, I)]));
  case Op::Add:
    return entryArithmetic(I, "+", Prec::Sum, "goldy_add");
  case Op::Sub:
    return entryArithmetic(I, "-", Prec::Sum, "goldy_sub");
  case Op::Mul:
    return entryArithmetic(I, "*", Prec::Product, "goldy_mul");
  case Op::Div:
    return entryArithmetic(I, "", Prec::Product, "goldy_div");
  case Op::RawDiv:
    return plainBinary(I, "/", Prec::Product);
  case Op::RawRem:
    return plainBinary(I, "%", Prec::Product);
  case Op::RawShl:
    return plainBinary(I, "<<", Prec::Shift);
  case Op::RawShr:
    return plainBinary(I, ">>", Prec::Shift);
  case Op::Neg:
    return entryUnary(I, "goldy_neg_int", "goldy_neg");
  case Op::Abs:
    return entryUnary(I, "goldy_abs_int", "goldy_abs");
  case Op::Min:
    return N.Type == types::F32 ? unsupported(I, "a float minimum")
                                : helperCall(I, "min");
  case Op::Max:
    return N.Type == types::F32 ? unsupported(I, "a float maximum")
                                : helperCall(I, "max");
  case Op::Select:
    return helperCall(I, "select");
  case Op::RoundEven:
    return need(I, "goldy_round_even");
  case Op::Copysign:
    return need(I, "goldy_copysign");
  case Op::LeadingZeros:
  case Op::TrailingZeros: {
    std::string_view Helper = N.Opcode == Op::LeadingZeros
                                  ? "goldy_leading_zeros"
                                  : "goldy_trailing_zeros";
    needHelper(Helper);
    Expr V = asWord(F.operand(I, 0));
    return call(Helper, {&V});
  }
  case Op::RotateLeft:
    return entryRotate(I, "goldy_rotate_left");
  case Op::RotateRight:
    return entryRotate(I, "goldy_rotate_right");
  case Op::Sqrt:
  case Op::Fma:
    return helperCall(I, N.Opcode == Op::Sqrt ? "sqrt" : "fma");
  case Op::Cast:
    return entryCast(I);
  case Op::RawFloatToInt:
    return helperCall(I, typeText(N.Type, N.Loc));
  case Op::CanonNan:
    return need(I, "goldy_canon_nan");
  case Op::Flush:
    return need(I, "goldy_flush");
  case Op::Rem:
  case Op::Shl:
  case Op::Shr:
  case Op::Round:
  case Op::MulHi:
  case Op::Construct:
  case Op::Extract:
    return unsupported(
        I, fmt::format("unlegalised `{}`", opInfo(N.Opcode).Mnemonic));
  default:
    return canonicalOperation(I); // the plain operator is exact
  }
}

Expr Printer::entryId(InstId I) {
  const Inst &N = F.Insts[I];
  char Axis = "xyz"[N.Imm];
  switch (N.Opcode) {
  case Op::GlobalId:
    return atom(fmt::format("goldy_gid.{}", Axis));
  case Op::LocalId:
    return atom(fmt::format("goldy_lid.{}", Axis));
  case Op::WorkgroupId:
    return atom(fmt::format("goldy_wid.{}", Axis));
  default:
    return atom(fmt::format("{}goldy_count_{}", S.Block, Axis));
  }
}

Expr Printer::entryArithmetic(InstId I, std::string_view Operator, Prec P,
                              std::string_view OnFloat) {
  if (F.Insts[I].Type == types::F32)
    return need(I, OnFloat);
  return Operator.empty() ? unsupported(I, "unlegalised `/`")
                          : plainBinary(I, Operator, P);
}

Expr Printer::entryUnary(InstId I, std::string_view OnInt,
                         std::string_view OnFloat) {
  TypeId T = F.Insts[I].Type;
  if (T == types::I64 && F.Insts[I].Opcode == Op::Neg)
    return need(I, "goldy_neg_long");
  if (T != types::I32 && T != types::F32)
    return unsupported(I, "this sign operation");
  return need(I, T == types::F32 ? OnFloat : OnInt);
}

Expr Printer::entryRotate(InstId I, std::string_view Helper) {
  needHelper(Helper);
  Expr V = asWord(F.operand(I, 0)), Amount = asWord(F.operand(I, 1));
  Expr E = call(Helper, {&V, &Amount});
  return F.Insts[I].Type == types::I32 ? call("int", {&E}) : E;
}

Expr Printer::asWord(ValueId V) {
  Expr E = use(V);
  return F.typeOf(V) == types::I32 ? call("uint", {&E}) : E;
}

Expr Printer::entryCast(InstId I) {
  const Inst &N = F.Insts[I];
  TypeId From = F.typeOf(F.operand(I, 0));
  bool Saturates = From == types::F32 && N.Type != types::F32;
  bool OddBool = N.Type == types::Bool && From != types::Bool;
  if (Saturates || OddBool)
    return unsupported(I, "an unlegalised cast");
  return canonicalCast(I);
}

/// `*(float*)(goldy.x + uint64_t(i) * 4u)`.
Expr Printer::entryPlace(InstId I) {
  const Inst &N = F.Insts[I];
  const Place &P = F.Places[N.Where];
  if (P.Base.Kind != BaseKind::Param)
    return slotOrArrayPlace(P);
  if (!M.Types.isScalar(P.Type) && !M.Types.isStorageOnly(P.Type))
    return unsupported(I, "a whole aggregate");
  FlatPlace Flat = flatten(M, F, P);
  Expr E;
  std::string At = S.Block + ParamNames[P.Base.Index];
  for (const FlatPlace::Term &T : Flat.Terms) {
    Expr Index = asWord(T.Index);
    At += fmt::format(" + uint64_t({}) * {}u", Index.Text, T.Stride);
    E.Reads.add(Index.Reads);
  }
  if (Flat.Constant)
    At += fmt::format(" + {}u", Flat.Constant);
  std::string Type =
      keptAsWord(P, isAtomic(N.Opcode)) ? "uint" : typeText(P.Type, N.Loc);
  E.Text = fmt::format("*({}*)({})", Type, At);
  E.Strength = Prec::Unary;
  return E;
}

} // namespace goldy::slang
