//===- SemaConst.cpp - Constant expressions
//---------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants may stand in any order, so each is evaluated when it is first
// needed; one that needs itself is a cycle. Arithmetic is that of the folder,
// which is that of every device. Wrapping, zero divisors and wide shifts are
// reported by the checks of each operator (InferCheck.cpp), not here.
//
//===----------------------------------------------------------------------===//
#include "SemaContext.h"

#include "goldyc/IR/Fold.h"

#include <algorithm>
#include <charconv>

using namespace goldy;
using namespace goldy::sema;

namespace {

// --- Literals

std::string withoutUnderscores(std::string_view Text) {
  std::string Out;
  for (char C : Text)
    if (C != '_')
      Out += C;
  return Out;
}

/// True when a decimal text that no float holds is too large, not too small.
bool isHuge(const std::string &Text) {
  size_t ExpAt = Text.find_first_of("eE");
  // Clamped: adding the digits of a text to it must not overflow.
  constexpr long Most = 1L << 40;
  long Exponent =
      ExpAt == std::string::npos
          ? 0
          : std::clamp(std::strtol(Text.c_str() + ExpAt + 1, nullptr, 10),
                       -Most, Most);
  std::string Mantissa = Text.substr(0, ExpAt);
  size_t First = Mantissa.find_first_of("123456789");
  if (First == std::string::npos)
    return false;
  size_t Point = Mantissa.find('.');
  long PointAt =
      static_cast<long>(Point == std::string::npos ? Mantissa.size() : Point);
  return Exponent + PointAt - static_cast<long>(First) > 0;
}

// --- Evaluation

using Bits = std::optional<uint64_t>;

Bits compareBools(ast::BinaryOp O, uint64_t A, uint64_t B) {
  switch (O) {
  case ast::BinaryOp::Eq:
    return A == B;
  case ast::BinaryOp::Ne:
    return A != B;
  case ast::BinaryOp::Lt:
    return A < B;
  case ast::BinaryOp::Le:
    return A <= B;
  case ast::BinaryOp::Gt:
    return A > B;
  default:
    return A >= B;
  }
}

Bits evaluateLogical(const ast::Expr &X, uint64_t A, uint64_t B) {
  return X.Binary == ast::BinaryOp::LogicalAnd ? (A & B) : (A | B);
}

Bits evaluateBinary(Context &C, ast::ExprId E) {
  const ast::Expr &X = C[E];
  Bits A = constantBits(C, X.Kids[0]), B = constantBits(C, X.Kids[1]);
  if (!A || !B)
    return std::nullopt;
  if (X.Binary >= ast::BinaryOp::LogicalAnd)
    return evaluateLogical(X, *A, *B);
  TypeId T = C.ExprType[X.Kids[0]];
  if (T == types::Bool && isComparison(X.Binary))
    return compareBools(X.Binary, *A, *B);
  uint64_t Operands[] = {*A, *B};
  return foldScalar(opOf(X.Binary), T, C.ExprType[E], Operands);
}

Bits evaluateUnary(Context &C, ast::ExprId E) {
  const ast::Expr &X = C[E];
  TypeId T = C.ExprType[E];
  const ast::Expr &Kid = C[C.strip(X.Kids[0])];
  if (X.Unary == ast::UnaryOp::Neg && Kid.Form == ast::ExprForm::Int &&
      !Kid.IntOverflow && C.M.Types.isInteger(T))
    return integerBits(T, Kid.IntValue, true);
  Bits A = constantBits(C, X.Kids[0]);
  if (!A)
    return std::nullopt;
  uint64_t Operands[] = {*A};
  Op O = X.Unary == ast::UnaryOp::Neg ? Op::Neg : Op::Not;
  return foldScalar(O, T, T, Operands);
}

Bits evaluateCast(Context &C, ast::ExprId E) {
  const ast::Expr &X = C[E];
  Bits A = constantBits(C, X.Kids[0]);
  if (!A)
    return std::nullopt;
  TypeId From = C.ExprType[X.Kids[0]], To = C.ExprType[E];
  uint64_t Operands[] = {*A};
  return From == To ? A : foldScalar(Op::Cast, From, To, Operands);
}

Bits evaluateName(Context &C, ast::ExprId E) {
  const NameRef N = C.Names[E]; // evaluating may move the table
  if (N.Form == NameRef::Value)
    return N.Bits;
  if (N.Form != NameRef::Const || !evaluateConst(C, N.Index))
    return std::nullopt;
  if (isSpec(C.Consts[N.Index])) {
    if (!C.MustKnow)
      return std::nullopt;
    C.Consts[N.Index].Fixed = true;
  }
  return C.Consts[N.Index].Bits;
}

Bits evaluateInt(const ast::Expr &X, TypeId T) {
  if (T == types::F32)
    return floatBits(std::to_string(X.IntValue));
  return integerBits(T, X.IntValue, false);
}

Bits evaluate(Context &C, ast::ExprId E) {
  const ast::Expr &X = C[E];
  TypeId T = C.ExprType[E];
  if (!T || !C.M.Types.isScalar(T))
    return std::nullopt;
  switch (X.Form) {
  case ast::ExprForm::Int:
    return evaluateInt(X, T);
  case ast::ExprForm::Float:
    return floatBits(X.Digits);
  case ast::ExprForm::Bool:
    return X.IntValue;
  case ast::ExprForm::Name:
    return evaluateName(C, E);
  case ast::ExprForm::Paren:
    return constantBits(C, X.Kids[0]);
  case ast::ExprForm::Block:
    return C.onlyValue(E) ? constantBits(C, C.onlyValue(E)) : std::nullopt;
  case ast::ExprForm::Unary:
    return evaluateUnary(C, E);
  case ast::ExprForm::Binary:
    return evaluateBinary(C, E);
  case ast::ExprForm::Cast:
    return evaluateCast(C, E);
  default:
    return std::nullopt;
  }
}

// --- -D

Bits parseInteger(TypeId T, std::string Text) {
  bool Negative = Text.starts_with('-');
  if (Negative)
    Text.erase(0, 1);
  int Base = 10;
  for (auto [Prefix, B] : {std::pair("0x", 16), {"0o", 8}, {"0b", 2}})
    if (Text.starts_with(Prefix))
      Base = B;
  if (Base != 10)
    Text.erase(0, 2);
  uint64_t Value = 0;
  const char *End = Text.data() + Text.size();
  auto [At, Error] = std::from_chars(Text.data(), End, Value, Base);
  if (Error != std::errc() || At != End)
    return std::nullopt;
  return integerBits(T, Value, Negative);
}

Bits parseFloat(std::string Text) {
  bool Negative = Text.starts_with('-');
  if (Negative)
    Text.erase(0, 1);
  uint64_t Sign = Negative ? 0x80000000u : 0;
  if (Text == "inf")
    return Sign | 0x7f800000u;
  if (Text == "nan")
    return Sign | 0x7fc00000u;
  if (Text.empty() || !isdigit(static_cast<unsigned char>(Text[0])) ||
      Text.find_first_not_of("0123456789.eE+-") != std::string::npos)
    return std::nullopt;
  std::optional<uint32_t> Magnitude = floatBits(Text);
  return Magnitude ? Bits(Sign | *Magnitude) : std::nullopt;
}

Bits parseDefine(TypeId T, std::string_view Written) {
  std::string Text = withoutUnderscores(Written);
  if (T == types::Bool)
    return Text == "true" ? Bits(1) : Text == "false" ? Bits(0) : std::nullopt;
  return T == types::F32 ? parseFloat(Text) : parseInteger(T, Text);
}

Bits defineBits(Context &C, const ConstInfo &K) {
  Bits Value = parseDefine(K.Type, *K.Define);
  if (!Value)
    C.error(diag::G0211, Span())
            .note(K.Item->Name.Where, "the constant is declared here")
        << '`' << K.DefinedBy << ' ' << K.Item->Name.Text << '=' << *K.Define
        << "`: `" << *K.Define << "` is not a value of type `"
        << C.typeName(K.Type) << '`';
  return Value;
}

TypeId declaredConstType(Context &C, const ast::Item &I) {
  const ast::TypeNode &T = C.Tree[I.Type];
  TypeId Type = resolveType(C, I.Type);
  if (!Type || C.M.Types.isScalar(Type))
    return Type;
  bool IsTable = C.M.Types.kind(Type) == TypeKind::Array;
  if (IsTable && C.M.Types.isScalar(C.M.Types[Type].Element)) {
    if (!isOversized(C, Type))
      return Type;
    C.error(diag::G0615, T.Where).help("take the table as a buffer `&[T]`")
        << "table `" << I.Name.Text << "` is larger than 64 KiB";
    return TypeId();
  }
  DiagBuilder D = C.error(diag::G0222, T.Where);
  D << "constant `" << I.Name.Text << "` has type `" << C.typeName(Type)
    << "`, expected a scalar or an array of scalars";
  D.help(IsTable && C.M.Types.kind(C.M.Types[Type].Element) == TypeKind::Array
             ? "make it one flat array, indexed by `row * columns + column`"
             : "make one constant of each component");
  return TypeId();
}

// --- Tables

bool isTable(const Context &C, TypeId T) {
  return T && C.M.Types.kind(T) == TypeKind::Array;
}

Bits elementBits(Context &C, ast::ExprId E, TypeId T) {
  return inferConstant(C, E, T) ? constantBits(C, E) : std::nullopt;
}

/// `[v; N]`: all elements at once.
bool repeatedElements(Context &C, ConstInfo &K, const ast::Expr &X) {
  std::optional<uint32_t> Count =
      resolveCount(C, X.Kids[1], "the length of a table");
  Bits Value = elementBits(C, X.Kids[0], C.M.Types[K.Type].Element);
  if (Count && *Count != C.M.Types[K.Type].Count)
    return C.error(diag::G0300, X.Where).help("write the same length twice")
           << "expected " << C.M.Types[K.Type].Count << " elements, found "
           << *Count;
  if (Count && Value)
    K.Elements.assign(*Count, *Value);
  return Count && Value;
}

bool listedElements(Context &C, ConstInfo &K, const ast::Expr &X) {
  uint32_t Count = C.M.Types[K.Type].Count;
  bool Ok = true;
  for (ast::ExprId Kid : X.Kids) {
    Bits Value = elementBits(C, Kid, C.M.Types[K.Type].Element);
    Ok &= Value.has_value();
    K.Elements.push_back(Value.value_or(0));
  }
  if (K.Elements.size() == Count)
    return Ok;
  return C.error(diag::G0300, X.Where)
             .help("change the length in the type to " +
                   std::to_string(K.Elements.size()))
             .fix(C[C.Tree[K.Item->Type].Count].Where,
                  std::to_string(K.Elements.size()))
         << "expected " << Count << " elements, found " << K.Elements.size();
}

bool evaluateTable(Context &C, ConstInfo &K) {
  if (K.Define)
    return C.error(diag::G0211, Span())
               .note(K.Item->Name.Where, "the table is declared here")
               .help("`-D` sets scalar constants")
           << "`-D " << K.Item->Name.Text << "`: `" << K.Item->Name.Text
           << "` is a table";
  const ast::Expr &X = C[C.strip(K.Item->Value)];
  if (X.Form == ast::ExprForm::Error)
    return false;
  if (X.Form == ast::ExprForm::ArrayRepeat)
    return repeatedElements(C, K, X);
  if (X.Form == ast::ExprForm::ArrayLit)
    return listedElements(C, K, X);
  return C.error(diag::G0223, X.Where)
             .help("write `[a, b, c]` or `[value; length]`")
         << "table `" << K.Item->Name.Text << "` is not written as a list";
}

} // namespace

TypeId sema::constType(Context &C, uint32_t Index) {
  if (!C.Consts[Index].TypeResolved) {
    InModuleOf Inside(C, *C.Consts[Index].Item);
    C.Consts[Index].TypeResolved = true;
    C.Consts[Index].Type = declaredConstType(C, *C.Consts[Index].Item);
  }
  return C.Consts[Index].Type;
}

bool sema::evaluateConst(Context &C, uint32_t Index) {
  ResolveState State = C.Consts[Index].State;
  if (State == ResolveState::Done || State == ResolveState::Failed)
    return State == ResolveState::Done;
  const ast::Item &Item = *C.Consts[Index].Item;
  C.Consts[Index].State = ResolveState::Failed;
  if (State == ResolveState::Active)
    return C.error(diag::G0208, Item.Name.Where)
               .help("give one of the constants a value of its own")
           << "constant `" << Item.Name.Text << "` depends on itself";
  if (!checkItemDepth(C, C.ItemDepth, Item.Name))
    return false;
  MustKnowValues Known(C);
  InModuleOf Inside(C, Item);
  C.Consts[Index].State = ResolveState::Active;
  ++C.ItemDepth;
  TypeId T = constType(C, Index);
  if (isTable(C, T)) {
    bool Good = evaluateTable(C, C.Consts[Index]);
    --C.ItemDepth;
    C.Consts[Index].State = Good ? ResolveState::Done : ResolveState::Failed;
    return Good;
  }
  bool Typed = T && inferConstant(C, Item.Value, T);
  std::optional<uint64_t> Value;
  if (Typed && C.Consts[Index].State == ResolveState::Active)
    Value = C.Consts[Index].Define ? defineBits(C, C.Consts[Index])
                                   : constantBits(C, Item.Value);
  --C.ItemDepth;
  C.Consts[Index].State = Value ? ResolveState::Done : ResolveState::Failed;
  C.Consts[Index].Bits = Value.value_or(0);
  return Value.has_value();
}

std::optional<uint64_t> sema::constantBits(Context &C, ast::ExprId E) {
  const ConstantValue Known = C.Constants[E];
  bool Again = Known.State == ConstantValue::NotYet && C.MustKnow;
  if (Known.State != ConstantValue::Unknown && !Again)
    return Known.State == ConstantValue::Constant ? Bits(Known.Bits)
                                                  : std::nullopt;
  Bits Value = evaluate(C, E);
  C.Constants.set(E, {Value        ? ConstantValue::Constant
                      : C.MustKnow ? ConstantValue::NotConstant
                                   : ConstantValue::NotYet,
                      Value.value_or(0)});
  return Value;
}

std::optional<uint64_t> sema::integerBits(TypeId T, uint64_t Value,
                                          bool Negative) {
  bool Wide = T == types::U64 || T == types::I64;
  bool Signed = T == types::I32 || T == types::I64;
  uint64_t Most = Wide ? ~uint64_t(0) : 0xffffffffu;
  uint64_t Limit = Signed ? Most / 2 + (Negative ? 1 : 0) : Negative ? 0 : Most;
  if (Value > Limit)
    return std::nullopt;
  return (Negative ? 0 - Value : Value) & Most;
}

int64_t sema::signedValue(TypeId T, uint64_t Bits) {
  return T == types::I32 ? static_cast<int32_t>(Bits)
                         : static_cast<int64_t>(Bits);
}

std::optional<uint32_t> sema::floatBits(std::string_view Digits) {
  std::string Text = withoutUnderscores(Digits);
  float Value = 0;
  std::from_chars_result R =
      std::from_chars(Text.data(), Text.data() + Text.size(), Value);
  if (R.ec == std::errc::result_out_of_range)
    return isHuge(Text) ? std::nullopt : std::optional<uint32_t>(0);
  if (R.ec != std::errc())
    return std::nullopt;
  return std::bit_cast<uint32_t>(Value);
}

Op sema::opOf(ast::BinaryOp O) {
  switch (O) {
  case ast::BinaryOp::Add:
    return Op::Add;
  case ast::BinaryOp::Sub:
    return Op::Sub;
  case ast::BinaryOp::Mul:
    return Op::Mul;
  case ast::BinaryOp::Div:
    return Op::Div;
  case ast::BinaryOp::Rem:
    return Op::Rem;
  case ast::BinaryOp::And:
    return Op::And;
  case ast::BinaryOp::Or:
    return Op::Or;
  case ast::BinaryOp::Xor:
    return Op::Xor;
  case ast::BinaryOp::Shl:
    return Op::Shl;
  case ast::BinaryOp::Shr:
    return Op::Shr;
  case ast::BinaryOp::Eq:
    return Op::Eq;
  case ast::BinaryOp::Ne:
    return Op::Ne;
  case ast::BinaryOp::Lt:
    return Op::Lt;
  case ast::BinaryOp::Le:
    return Op::Le;
  case ast::BinaryOp::Gt:
    return Op::Gt;
  case ast::BinaryOp::Ge:
    return Op::Ge;
  case ast::BinaryOp::LogicalAnd:
    return Op::And;
  case ast::BinaryOp::LogicalOr:
    return Op::Or;
  }
  return Op::Add;
}

std::string_view sema::spelling(ast::BinaryOp O) {
  static constexpr std::string_view Text[] = {
      "+",  "-",  "*",  "/", "%",  "&", "|",  "^",  "<<",
      ">>", "==", "!=", "<", "<=", ">", ">=", "&&", "||"};
  return Text[static_cast<unsigned>(O)];
}

bool sema::isComparison(ast::BinaryOp O) {
  return O >= ast::BinaryOp::Eq && O <= ast::BinaryOp::Ge;
}

bool sema::isShift(ast::BinaryOp O) {
  return O == ast::BinaryOp::Shl || O == ast::BinaryOp::Shr;
}
