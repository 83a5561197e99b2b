//===- InferCheck.cpp - Rules that need final types
//-------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Once every type is frozen: ranges of literals, operands of operators and
// functions, casts, loops and matches, and what constant operands tell.
//
//===----------------------------------------------------------------------===//
#include "Infer.h"

#include "goldyc/IR/Fold.h"

#include <algorithm>

using namespace goldy;
using namespace goldy::sema;
using ast::ExprForm;

void Infer::freeze() {
  for (auto [E, T] : Typed)
    C.ExprType.set(E, C.Vars.freeze(T));
  if (F)
    for (Local &L : F->Locals) {
      if (C.Vars.kind(L.Type) == TyKind::Open)
        C.error(diag::G0326, L.Where)
                .help("state it: `let " + std::string(L.Name) + ": f32`")
            << "the type of `" << L.Name << "` is not known";
      L.Final = C.Vars.freeze(L.Type);
      if (L.Final && L.Kind == LocalKind::Value)
        checkPrivate(L.Final, L.Where);
    }
  for (auto [Check, E] : Checks)
    (this->*Check)(E);
}

void Infer::checkArray(ast::ExprId E) {
  TypeId T = C.ExprType[E];
  if (T && C.M.Types[T].Element == types::Void)
    refuse(diag::G0300, C[C[E].Kids[0]].Where, "expected a value, found `()`",
           "an array holds scalars, vectors, arrays or structs");
  else if (T)
    checkPrivate(C.ExprType[E], C[E].Where);
}

void Infer::checkPrivate(TypeId T, Span Where) {
  if (isOversized(C, T) && Oversized.insert(T).second)
    C.error(diag::G0615, Where).help("use a buffer or a workgroup array")
        << "this value is larger than the 64 KiB that a work-item may hold";
}

// --- Literals

static std::string rangeText(TypeId T) {
  return T == types::I32   ? "-2147483648 to 2147483647"
         : T == types::U32 ? "0 to 4294967295"
         : T == types::I64 ? "-9223372036854775808 to 9223372036854775807"
                           : "0 to 18446744073709551615";
}

void Infer::checkInt(ast::ExprId E) {
  const ast::Expr &X = C[E];
  TypeId T = C.ExprType[E];
  if (!T || !C.M.Types.isInteger(T) ||
      (!X.IntOverflow && integerBits(T, X.IntValue, false)))
    return;
  DiagBuilder D = C.error(diag::G0313, X.Where);
  D << "literal `" << C.SM.text(X.Where) << "` does not fit `" << C.typeName(T)
    << '`';
  std::string Help = "the range is " + rangeText(T);
  if (C.M.Types.isSigned(T)) {
    TypeId Unsigned = T == types::I32 ? types::U32 : types::U64;
    std::string Name = C.typeName(Unsigned);
    if (!X.IntOverflow && integerBits(Unsigned, X.IntValue, false))
      Help += "; `" + Name + "` holds it: add the suffix `" + Name + "`";
  }
  D.help(Help);
}

void Infer::checkFloat(ast::ExprId E) {
  if (!C[E].Suffix.empty() && C[E].Suffix != "f32")
    return;
  if (!floatBits(C[E].Digits))
    C.error(diag::G0313, C[E].Where)
            .help("the largest is 3.4028235e38; `f32::INFINITY` is a constant")
        << "literal `" << C.SM.text(C[E].Where) << "` does not fit `f32`";
}

static std::string wrapHelp(TypeId T) {
  return T == types::U64 || T == types::I64
             ? "integers wrap modulo 2^64 at run time too"
             : "integers wrap modulo 2^32 at run time too";
}

void Infer::checkUnary(ast::ExprId E) {
  const ast::Expr &X = C[E];
  TypeId T = C.ExprType[E];
  if (!T)
    return;
  bool IsNeg = X.Unary == ast::UnaryOp::Neg;
  TypeId Scalar = C.M.Types.scalarOf(T);
  bool IsSigned = Scalar == types::I32 || Scalar == types::I64;
  bool Fits = IsNeg ? IsSigned || Scalar == types::F32
                    : Scalar == types::Bool || C.M.Types.isInteger(Scalar);
  if (!Fits) {
    DiagBuilder D = C.error(diag::G0302, X.Where);
    D << "cannot apply `" << (IsNeg ? '-' : '!') << "` to `" << C.typeName(T)
      << '`';
    if (IsNeg && C.M.Types.isInteger(Scalar))
      D.help("`" + C.typeName(Scalar) + "` has no sign: use an `" +
             (Scalar == types::U32 ? "i32" : "i64") +
             "`, or write `0 - x`, which wraps");
    else
      D.help("`-` works on `i32`, `i64` and `f32`, `!` on integers and bools");
    return;
  }
  std::optional<uint64_t> A = constantBits(C, X.Kids[0]);
  bool IsLiteral = C[C.strip(X.Kids[0])].Form == ExprForm::Int;
  if (!IsNeg || IsLiteral || !IsSigned || T != Scalar || !A)
    return;
  uint64_t Operands[] = {*A};
  if (foldFacts(Op::Neg, T, Operands).Wrapped)
    C.error(diag::G0321, X.Where).help(wrapHelp(T))
        << "constant expression wraps: `-` at the least `" << C.typeName(T)
        << '`';
}

/// `-2147483648` is one literal; without its sign it would not fit.
void Infer::checkNegatedLiteral(ast::ExprId E) {
  const ast::Expr &Literal = C[C.strip(C[E].Kids[0])];
  TypeId T = C.ExprType[E];
  if (T != types::I32 && T != types::I64)
    return;
  if (!Literal.IntOverflow && integerBits(T, Literal.IntValue, true))
    return;
  C.error(diag::G0313, C[E].Where).help("the range is " + rangeText(T))
      << "literal `" << C.SM.text(C[E].Where) << "` does not fit `"
      << C.typeName(T) << '`';
}

// --- Operators

/// Whether an operator takes operands of this scalar.
static bool scalarFits(ast::BinaryOp O, const TypeTable &Types, TypeId T) {
  switch (O) {
  case ast::BinaryOp::And:
  case ast::BinaryOp::Or:
  case ast::BinaryOp::Xor:
    return T == types::Bool || Types.isInteger(T);
  case ast::BinaryOp::Shl:
  case ast::BinaryOp::Shr:
    return Types.isInteger(T);
  default:
    return Types.isInteger(T) || T == types::F32 ||
           (T == types::Bool && isComparison(O));
  }
}

bool Infer::operatorFits(ast::ExprId E) {
  const ast::Expr &X = C[E];
  TypeId L = C.ExprType[X.Kids[0]], R = C.ExprType[X.Kids[1]];
  TypeId LS = C.M.Types.scalarOf(L), RS = C.M.Types.scalarOf(R);
  bool Aggregate = C.M.Types.kind(L) >= TypeKind::Vector;
  if (isComparison(X.Binary) && Aggregate) {
    refuse(diag::G0463, X.Where,
           "`" + C.typeName(L) + "` values cannot be compared",
           "compare their components, and join with `&&`");
    return false;
  }
  bool Fits = scalarFits(X.Binary, C.M.Types, LS) &&
              scalarFits(X.Binary, C.M.Types, RS);
  if (isShift(X.Binary) && R != RS)
    Fits &= L != LS && C.M.Types[L].Count == C.M.Types[R].Count;
  if (Fits)
    return true;
  DiagBuilder D = C.error(diag::G0301, X.Where);
  D << "cannot apply `" << spelling(X.Binary) << (X.Compound ? "=" : "")
    << "` to `" << C.typeName(L) << "` and `" << C.typeName(R) << '`';
  if (LS == types::F32 && !isComparison(X.Binary))
    D.help("it works on integers; `x.to_bits()` gives the bits");
  else if (LS == types::Bool || RS == types::Bool)
    D.help("convert with `as u32`, or use `&&`, `||` and `!`");
  else
    D.help(
        "operators work on scalars and vectors: name the fields or elements");
  return false;
}

void Infer::checkBinary(ast::ExprId E) {
  const ast::Expr &X = C[E];
  if (!C.ExprType[X.Kids[0]] || !C.ExprType[X.Kids[1]] || !C.ExprType[E])
    return;
  auto Leaves = [&](ast::ExprId Kid) {
    ExprForm Form = C[C.strip(Kid)].Form;
    return Form == ExprForm::Return || Form == ExprForm::Break ||
           Form == ExprForm::Continue || Form == ExprForm::Loop;
  };
  if (C.ExprType[X.Kids[0]] == types::Void &&
      C.ExprType[X.Kids[1]] == types::Void &&
      (Leaves(X.Kids[0]) || Leaves(X.Kids[1])))
    return; // never comes back
  if (operatorFits(E))
    checkConstantOperands(E);
}

void Infer::checkConstantOperands(ast::ExprId E) {
  const ast::Expr &X = C[E];
  TypeId L = C.ExprType[X.Kids[0]], R = C.ExprType[X.Kids[1]];
  TypeId Scalar = C.M.Types.scalarOf(L);
  std::optional<uint64_t> B = constantBits(C, X.Kids[1]);
  if (!B || !C.M.Types.isInteger(Scalar))
    return;
  bool Divides =
      X.Binary == ast::BinaryOp::Div || X.Binary == ast::BinaryOp::Rem;
  if (Divides && *B == 0) {
    C.error(diag::G0314, C[X.Kids[1]].Where)
            .help("at run time `a / 0` is `a` and `a % 0` is 0; write that")
        << "the divisor is zero";
    return;
  }
  if (isShift(X.Binary)) {
    int64_t Amount = signedValue(R, *B), Width = C.M.Types.bits(Scalar);
    std::string Most = std::to_string(Width - 1);
    if (Amount < 0 || Amount >= Width)
      C.error(diag::G0315, C[X.Kids[1]].Where)
              .help("at run time the amount is taken modulo " +
                    std::to_string(Width) + "; write `& " + Most + "`")
          << "shift of `" << C.typeName(L) << "` by "
          << (R == types::U64 ? std::to_string(*B) : std::to_string(Amount))
          << ", expected 0 to " << Most;
    return;
  }
  std::optional<uint64_t> A = constantBits(C, X.Kids[0]);
  if (!A || isComparison(X.Binary))
    return;
  uint64_t Operands[] = {*A, *B};
  if (foldFacts(opOf(X.Binary), L, Operands).Wrapped)
    C.error(diag::G0321, X.Where).help(wrapHelp(Scalar))
        << "constant expression wraps: the result of `" << spelling(X.Binary)
        << "` does not fit `" << C.typeName(L) << '`';
}

void Infer::checkCast(ast::ExprId E) {
  const ast::Expr &X = C[E];
  TypeId From = C.ExprType[X.Kids[0]], To = C.ExprType[E];
  if (!From || !To)
    return;
  bool Scalars = C.M.Types.isScalar(From) && C.M.Types.isScalar(To);
  bool Fits = Scalars && (From == To || To != types::Bool) &&
              !(From == types::Bool && To == types::F32);
  if (Fits)
    return;
  DiagBuilder D = C.error(diag::G0316, X.Where);
  D << "`" << C.typeName(From) << "` cannot be converted `as " << C.typeName(To)
    << '`';
  if (From == types::Bool)
    D.help("convert twice: `x as u32 as f32`");
  else if (C.M.Types.kind(From) == TypeKind::Vector)
    D.help("convert each component: `gpu::float2(v.x as f32, v.y as f32)`");
  else
    D.help("`as` converts scalars: name a field or an element");
}

// --- Functions

static std::string_view domainText(Domain Operands) {
  switch (Operands) {
  case Domain::Float:
    return "`f32`";
  case Domain::Signed:
    return "`i32`, `i64` or `f32`";
  case Domain::Numeric:
    return "numbers";
  case Domain::Integer:
    return "integers";
  case Domain::Any:
    return "any value";
  }
  return "";
}

bool sema::domainHolds(Domain Operands, TypeId T) {
  bool IsSigned = T == types::I32 || T == types::I64;
  bool IsInt = IsSigned || T == types::U32 || T == types::U64;
  switch (Operands) {
  case Domain::Float:
    return T == types::F32;
  case Domain::Signed:
    return IsSigned || T == types::F32;
  case Domain::Numeric:
    return IsInt || T == types::F32;
  case Domain::Integer:
    return IsInt;
  case Domain::Any:
    return true;
  }
  return false;
}

void Infer::checkOperands(ast::ExprId E) {
  ast::ExprId First = C[E].Kids[0];
  TypeId T = C.ExprType[First];
  if (!T)
    return;
  const CallTarget &Target = C.Calls[E];
  Domain Wanted = Domain::Integer;
  if (Target.Form == CallTarget::Builtin)
    Wanted = builtin(Target.Index).Operands;
  else if (Target.Raw == Op::RawFloatToInt || Target.Raw == Op::NumberBits ||
           opInfo(Target.Raw).Rule == TypeRule::SameFloat)
    Wanted = Domain::Float;
  if (domainHolds(Wanted, C.M.Types.scalarOf(T)))
    return;
  refuseOperand(E, Wanted, C.typeName(T), T);
}

void Infer::refuseOperand(ast::ExprId E, Domain Wanted,
                          const std::string &Found, TypeId T) {
  ast::ExprId First = C.strip(C[E].Kids[0]);
  DiagBuilder D = C.error(diag::G0327, C[C[E].Kids[0]].Where);
  D << "`" << shownName(E) << "` takes " << domainText(Wanted) << ", found `"
    << Found << '`';
  bool IsInt = C.M.Types.isInteger(T);
  if (IsInt && C[First].Form == ExprForm::Int)
    D.help("a float literal has a point: `2.0`")
        .fix(C[First].Where, std::string(C.SM.text(C[First].Where)) + ".0");
  else if (IsInt && Wanted == Domain::Float)
    D.help("convert it: `x as f32`");
  else
    D.help("convert the value, or choose another function");
}

void Infer::checkDebug(ast::ExprId E) {
  ast::ExprId Of = C[E].Kids[0];
  TypeId T = C.ExprType[Of];
  if (T && !C.M.Types.isScalar(T) && C.M.Types.kind(T) != TypeKind::Vector)
    refuse(diag::G0327, C[Of].Where,
           "`" + shownName(E) + "` takes a scalar or a vector, found `" +
               C.typeName(T) + "`",
           "print the parts one by one");
}

void Infer::checkVectorIndex(ast::ExprId E) {
  const ast::Expr &X = C[E];
  TypeId V = C.ExprType[X.Kids[0]];
  std::optional<uint64_t> I = constantBits(C, X.Kids[1]);
  if (!V || !C.ExprType[X.Kids[1]])
    return;
  if (!I) {
    refuse(diag::G0455, X.Where,
           "a vector's component is not chosen by a computed index",
           "use `.x`, `.y`, `.z`, `.w`, or an array `[f32; 4]`");
    return;
  }
  uint32_t Count = C.M.Types[V].Count;
  if (*I >= Count)
    refuse(diag::G0455, X.Where,
           "`" + C.typeName(V) + "` has " + std::to_string(Count) +
               " components",
           "the components are `.x`, `.y`, `.z`, `.w`");
}

// --- Loops and matches

void Infer::checkFor(ast::ExprId E) {
  const ast::Expr &X = C[E];
  if (X.FlagBuffer)
    refuse(diag::G0229, X.Where, "`.while_flag` belongs to programs",
           "leave the loop with `if … { break; }`");
  TypeId T = X.RangeLo ? C.ExprType[X.RangeLo] : TypeId();
  if (T && !C.M.Types.isInteger(T))
    refuse(diag::G0323, C[X.RangeLo].Where,
           "the bounds of a `for` are integers, found `" + C.typeName(T) + "`",
           "count with an integer and convert: `i as f32`");
  if (X.Step)
    checkStep(X);
}

void Infer::checkStep(const ast::Expr &X) {
  TypeId T = C.ExprType[X.Step];
  Span Where = C[X.Step].Where;
  if (!T)
    return;
  if (!C.M.Types.isInteger(T)) {
    refuse(diag::G0323, Where,
           "a step is an integer, found `" + C.typeName(T) + "`",
           "convert it: `k as u32`");
    return;
  }
  std::optional<uint64_t> Step = constantBits(C, X.Step);
  if (!Step)
    return;
  int64_t Value = signedValue(T, *Step);
  if (C.M.Types.isSigned(T) ? Value <= 0 : *Step == 0)
    refuse(diag::G0323, Where,
           "a step is at least 1, found " + std::to_string(Value),
           Value < 0 ? "count upwards and use `n - 1 - i`"
                     : "leave `.step_by` out, or write the step");
}

namespace {

constexpr size_t MaxArms = 256;

/// Disjoint closed ranges of values that earlier arms took.
class Taken {
public:
  bool covers(MatchValue Lo, MatchValue Hi) const {
    for (auto [A, B] : Ranges)
      if (A <= Lo && Lo <= B) {
        if (Hi <= B)
          return true;
        Lo = B + 1;
      }
    return false;
  }
  void add(MatchValue Lo, MatchValue Hi) {
    Ranges.push_back({Lo, Hi});
    std::sort(Ranges.begin(), Ranges.end());
  }
  /// The least value of [Lo, Hi] that no range holds.
  MatchValue firstFree(MatchValue Lo) const {
    for (auto [A, B] : Ranges)
      if (A <= Lo && Lo <= B)
        Lo = B + 1;
    return Lo;
  }

private:
  std::vector<std::pair<MatchValue, MatchValue>> Ranges;
};

MatchValue matchValue(TypeId T, uint64_t Bits) {
  return T == types::U64 ? MatchValue(Bits) : MatchValue(signedValue(T, Bits));
}

/// The values of the type of a match's subject.
std::pair<MatchValue, MatchValue> matchRange(TypeId T) {
  if (T == types::Bool)
    return {0, 1};
  if (T == types::I32)
    return {INT32_MIN, INT32_MAX};
  if (T == types::I64)
    return {INT64_MIN, INT64_MAX};
  return {0, T == types::U32 ? MatchValue(UINT32_MAX) : MatchValue(UINT64_MAX)};
}

std::string matchText(TypeId T, MatchValue V) {
  if (T == types::Bool)
    return V ? "true" : "false";
  return V < 0 ? std::to_string(static_cast<int64_t>(V))
               : std::to_string(static_cast<uint64_t>(V));
}

} // namespace

void Infer::checkMatch(ast::ExprId E) {
  const ast::Expr &X = C[E];
  TypeId T = C.ExprType[X.Kids[0]];
  if (!T)
    return;
  if (!C.M.Types.isInteger(T) && T != types::Bool) {
    refuse(diag::G0319, C[X.Kids[0]].Where,
           "`match` works on integers and bools, found `" + C.typeName(T) + "`",
           "use `if` and `else if`");
    return;
  }
  if (X.Arms.size() > MaxArms) {
    refuse(diag::G0618, X.Where,
           "a `match` of " + std::to_string(X.Arms.size()) + " arms, at most " +
               std::to_string(MaxArms) + " are supported",
           "join arms by `|` and ranges, or split the `match`");
    return;
  }
  auto [Min, Max] = matchRange(T);
  Taken Seen;
  for (const ast::MatchArm &Arm : X.Arms) {
    bool Reachable = false;
    for (const ast::Pattern &P : Arm.Alternatives) {
      MatchValue Lo = Min, Hi = Max;
      if (!P.Wildcard && !patternRange(P, T, Lo, Hi))
        return;
      Reachable |= !Seen.covers(Lo, Hi);
      Seen.add(Lo, Hi);
    }
    if (!Reachable)
      C.error(diag::G0320, Arm.Where).help("leave it out, or move it up")
          << "this arm is never reached: earlier arms take its values";
  }
  if (Seen.covers(Min, Max))
    return;
  std::string Value = matchText(T, Seen.firstFree(Min));
  refuse(diag::G0318, X.OpWhere.isValid() ? X.OpWhere : X.Where,
         "this `match` has no arm for `" + Value + "`", "add an arm `_ => …`");
}

/// The closed range of one alternative; false when in error.
bool Infer::patternRange(const ast::Pattern &P, TypeId T, MatchValue &Lo,
                         MatchValue &Hi) {
  if (!P.Lo || !C.ExprType[P.Lo] || (P.Hi && !C.ExprType[P.Hi]))
    return false;
  MustKnowValues Known(C);
  std::optional<uint64_t> A = constantBits(C, P.Lo);
  std::optional<uint64_t> B = P.Hi ? constantBits(C, P.Hi) : A;
  bool Minus = C[P.Lo].Form == ast::ExprForm::Unary ||
               (P.Hi && C[P.Hi].Form == ast::ExprForm::Unary);
  if ((!A || !B) && Minus && !C.M.Types.isSigned(T))
    return false; // the sign was refused
  if (!A || !B) {
    refuse(diag::G0319, P.Where, "a pattern is a literal, a range or `_`",
           "compare with `if` instead");
    return false;
  }
  Lo = matchValue(T, *A);
  Hi = matchValue(T, *B) - (P.Hi && !P.Inclusive ? 1 : 0);
  if (Lo > Hi)
    refuse(diag::G0319, P.Where, "this range holds nothing",
           "the smaller end comes first; `..=` includes the last");
  return Lo <= Hi;
}
