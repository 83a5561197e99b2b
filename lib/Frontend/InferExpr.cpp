//===- InferExpr.cpp - Types of operators, literals and aggregates
//----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dispatch over expression forms, and every form that is neither a name,
// a call nor control flow.
//
//===----------------------------------------------------------------------===//
#include "Infer.h"

using namespace goldy;
using namespace goldy::sema;
using ast::ExprForm;

Ty Infer::infer(ast::ExprId E) {
  Ty T = inferForm(E);
  Typed.push_back({E, T});
  return T;
}

Ty Infer::inferForm(ast::ExprId E) {
  if (!F)
    return inferConstantForm(E);
  switch (C[E].Form) {
  case ExprForm::Int:
    return inferInt(E);
  case ExprForm::Float:
    later(&Infer::checkFloat, E);
    return C.Vars.known(types::F32);
  case ExprForm::Bool:
    return C.Vars.known(types::Bool);
  case ExprForm::Name:
  case ExprForm::Field:
  case ExprForm::Index:
    return inferPlace(E, Use::Read);
  case ExprForm::Unary:
    return inferUnary(E);
  case ExprForm::Binary:
    return inferBinary(E);
  case ExprForm::Assign:
    return inferAssign(E);
  case ExprForm::Cast:
    return inferCast(E);
  case ExprForm::Call:
    return inferCall(E);
  case ExprForm::MethodCall:
    return inferMethod(E);
  case ExprForm::StructLit:
    return inferStructLit(E);
  case ExprForm::ArrayLit:
    return inferArrayLit(E);
  case ExprForm::ArrayRepeat:
    return inferArrayRepeat(E);
  case ExprForm::Paren:
    return infer(C[E].Kids[0]);
  case ExprForm::If:
    return inferIf(E, C.Vars.open());
  case ExprForm::Match:
    return inferMatch(E, C.Vars.open());
  case ExprForm::Block:
    return inferBlockExpr(E, C.Vars.open());
  case ExprForm::Loop:
    return inferLoop(E);
  case ExprForm::While:
    return inferWhile(E);
  case ExprForm::For:
    return inferFor(E);
  case ExprForm::Break:
  case ExprForm::Continue:
    return inferJump(E);
  case ExprForm::Return:
    return inferReturn(E);
  case ExprForm::Range:
  case ExprForm::Str:
  case ExprForm::Error:
    return C.Vars.error();
  }
  return C.Vars.error();
}

/// Constant expressions outside bodies: literals, names, operators, casts.
Ty Infer::inferConstantForm(ast::ExprId E) {
  switch (C[E].Form) {
  case ExprForm::Int:
    return inferInt(E);
  case ExprForm::Float:
    later(&Infer::checkFloat, E);
    return C.Vars.known(types::F32);
  case ExprForm::Bool:
    return C.Vars.known(types::Bool);
  case ExprForm::Name:
    return inferName(E, Use::Read);
  case ExprForm::Unary:
    return inferUnary(E);
  case ExprForm::Binary:
    return inferBinary(E);
  case ExprForm::Cast:
    return inferCast(E);
  case ExprForm::Paren:
    return infer(C[E].Kids[0]);
  case ExprForm::Error:
    return C.Vars.error();
  case ExprForm::Block:
    if (ast::ExprId Only = C.onlyValue(E))
      return infer(Only);
    [[fallthrough]];
  default:
    return refuse(diag::G0223, C[E].Where, "this is not a constant expression",
                  "use literals, `const` items and operators on them");
  }
}

Ty Infer::refuse(diag::Code Code, Span S, std::string Message,
                 std::string Help) {
  DiagBuilder D = C.error(Code, S);
  D << Message;
  if (!Help.empty())
    D.help(std::move(Help));
  return C.Vars.error();
}

bool Infer::isVector(Ty T) const {
  TypeId K = C.Vars.knownType(T);
  return K && C.M.Types.kind(K) == TypeKind::Vector;
}

Ty Infer::elementOf(Ty Vector) {
  return C.Vars.known(C.M.Types[C.Vars.knownType(Vector)].Element);
}

/// Of two types that fit each other, the one that says more.
Ty Infer::valueOf(Ty L, Ty R) const {
  TyKind K = C.Vars.kind(L);
  return K == TyKind::Never || K == TyKind::Open ? R : L;
}

/// Programs convert integers only, so `as` is no remedy there.
std::string_view Infer::floatHelp(TypeId A, TypeId B) const {
  bool Float = A == types::F32 || B == types::F32;
  return F && F->IsProgram && Float
             ? "programs compute with integers: do it in a kernel, or pass it "
               "as a parameter"
             : "";
}

std::string Infer::conversionHelp(ast::ExprId E, Ty Expected, Ty Found) const {
  TypeId Want = C.Vars.knownType(Expected), Have = C.Vars.knownType(Found);
  bool IsInt = C.Vars.kind(Found) == TyKind::Integer;
  if (Want == types::F32 && IsInt && C[C.strip(E)].Form == ExprForm::Int)
    return "a float literal has a point: write `" +
           std::string(C.SM.text(C[C.strip(E)].Where)) + ".0`";
  if (Want == types::Bool && (IsInt || (Have && C.M.Types.isInteger(Have))))
    return "compare it: `x != 0`";
  if (Want == types::Void && ReturnValue == E)
    return F->IsKernel ? "write `return;`: a kernel stores its results"
                       : "declare the function's result, `-> T`, or write "
                         "`return;`";
  if (Want == types::Void)
    return "end it with `;` to drop the value";
  if (Have == types::Void)
    return "this does something and has no value";
  bool Scalars =
      Want && Have && C.M.Types.isScalar(Want) && C.M.Types.isScalar(Have);
  if (std::string_view Help = floatHelp(Want, Have); Scalars && !Help.empty())
    return std::string(Help);
  if (Scalars && Want != types::Bool)
    return "convert it: `x as " + C.typeName(Want) + "`";
  if (C.Vars.kind(Expected) == TyKind::Integer)
    return "an integer stands on the other side: give both one type";
  return "nothing is converted by itself: make a value of the wanted type";
}

void Infer::mismatch(ast::ExprId E, Ty Expected, Ty Found) {
  DiagBuilder D = C.error(diag::G0300, C[E].Where);
  D.help(conversionHelp(E, Expected, Found));
  D << "expected `" << C.Vars.name(Expected) << "`, found `"
    << C.Vars.name(Found) << '`';
  const ast::Expr &Inner = C[C.strip(E)];
  if (C.Vars.knownType(Expected) == types::F32 && Inner.Form == ExprForm::Int &&
      Inner.Suffix.empty())
    D.fix(Inner.Where, std::string(C.SM.text(Inner.Where)) + ".0");
}

Ty Infer::coerce(ast::ExprId E, Ty Expected) {
  Ty T;
  switch (C[E].Form) {
  case ExprForm::Paren:
    T = coerce(C[E].Kids[0], Expected);
    break;
  case ExprForm::If:
    T = inferIf(E, Expected);
    break;
  case ExprForm::Match:
    T = inferMatch(E, Expected);
    break;
  case ExprForm::Block:
    T = inferBlockExpr(E, Expected);
    break;
  default:
    if (C.Vars.isError(Expected) && resourceOf(E))
      return C.Vars.error(); // a consequence of what was told
    T = infer(E);
    if (!C.Vars.unify(T, Expected)) {
      mismatch(E, Expected, T);
      return C.Vars.error();
    }
    return T;
  }
  Typed.push_back({E, T});
  return T;
}

/// A negated literal's range is checked with its sign.
Ty Infer::inferInt(ast::ExprId E, bool Negated) {
  const ast::Expr &X = C[E];
  if (X.Suffix.empty()) {
    if (!Negated)
      later(&Infer::checkInt, E);
    return C.Vars.integer();
  }
  TypeId T = scalarTypeByName(X.Suffix);
  if (!T)
    C.error(diag::G0201, X.Where) << "there is no type `" << X.Suffix << '`';
  if (T && T != types::F32 && !Negated)
    later(&Infer::checkInt, E);
  return C.Vars.known(T);
}

Ty Infer::inferUnary(ast::ExprId E) {
  const ast::Expr &X = C[E];
  later(&Infer::checkUnary, E);
  ast::ExprId Inner = C.strip(X.Kids[0]);
  if (X.Unary != ast::UnaryOp::Neg || C[Inner].Form != ExprForm::Int)
    return infer(X.Kids[0]);
  later(&Infer::checkNegatedLiteral, E);
  Ty T = inferInt(Inner, true);
  for (ast::ExprId Kid = X.Kids[0];; Kid = C[Kid].Kids[0]) {
    Typed.push_back({Kid, T});
    if (Kid == Inner)
      return T;
  }
}

Ty Infer::inferBinary(ast::ExprId E) {
  const ast::Expr &X = C[E];
  if (X.Binary >= ast::BinaryOp::LogicalAnd) {
    Ty Bool = C.Vars.known(types::Bool);
    coerce(X.Kids[0], Bool);
    Flow Left = Now;
    coerce(X.Kids[1], Bool);
    Now.join(Left);
    return Bool;
  }
  Ty L = infer(X.Kids[0]), R = infer(X.Kids[1]);
  later(&Infer::checkBinary, E);
  if (isComparison(X.Binary))
    return inferComparison(E, L, R);
  return isShift(X.Binary) ? inferShift(L, R) : inferArithmetic(E, L, R);
}

Ty Infer::mixed(ast::ExprId E, Ty L, Ty R) {
  const ast::Expr &X = C[E];
  DiagBuilder D = C.error(diag::G0301, X.Where);
  D << "cannot apply `" << spelling(X.Binary) << (X.Compound ? "=" : "")
    << "` to `" << C.Vars.name(L) << "` and `" << C.Vars.name(R) << '`';
  TypeId LT = C.Vars.knownType(L), RT = C.Vars.knownType(R);
  bool IntAndFloat = (LT == types::F32 && C.Vars.kind(R) == TyKind::Integer) ||
                     (RT == types::F32 && C.Vars.kind(L) == TyKind::Integer);
  if (std::string_view Help = floatHelp(LT, RT); !Help.empty())
    D.help(std::string(Help));
  else if (IntAndFloat)
    D.help("a float literal has a point: `2.0`");
  else if (LT && RT && C.M.Types.isScalar(LT) && C.M.Types.isScalar(RT))
    D.help("convert one side, as in `x as " +
           C.typeName(LT == types::Bool ? RT : LT) + "`");
  else
    D.help("both sides have one type, or one is a vector and the other its "
           "component");
  return C.Vars.error();
}

Ty Infer::inferArithmetic(ast::ExprId E, Ty L, Ty R) {
  bool LV = isVector(L), RV = isVector(R);
  if (LV && !RV)
    return C.Vars.unify(R, elementOf(L)) ? L : mixed(E, L, R);
  if (RV && !LV)
    return C.Vars.unify(L, elementOf(R)) ? R : mixed(E, L, R);
  return C.Vars.unify(L, R) ? valueOf(L, R) : mixed(E, L, R);
}

Ty Infer::inferShift(Ty L, Ty R) {
  if (C.Vars.isError(R))
    return R;
  if (C.Vars.kind(R) == TyKind::Open)
    C.Vars.unify(R, C.Vars.integer());
  return L;
}

Ty Infer::inferComparison(ast::ExprId E, Ty L, Ty R) {
  if (C.Vars.isError(L) || C.Vars.isError(R))
    return C.Vars.known(types::Bool);
  if (!C.Vars.unify(L, R))
    mixed(E, L, R);
  return C.Vars.known(types::Bool);
}

/// What `as` refuses by the target's name, with the form to use.
static std::string_view castHelp(std::string_view Target) {
  if (Target == "u8")
    return "mask it: `x & 0xff`";
  if (Target == "u16")
    return "mask it: `x & 0xffff`";
  if (Target == "i8")
    return "shift it: `(x << 24) as i32 >> 24`";
  if (Target == "i16")
    return "shift it: `(x << 16) as i32 >> 16`";
  if (Target == "bool")
    return "compare it: `x != 0`";
  return {};
}

Ty Infer::inferCast(ast::ExprId E) {
  const ast::Expr &X = C[E];
  const ast::TypeNode &T = C.Tree[X.Type];
  if (T.Form == ast::TypeForm::Named && T.Name.Segments.size() == 1) {
    std::string_view Name = T.Name.Segments[0].Text, Help = castHelp(Name);
    if (!Help.empty()) {
      infer(X.Kids[0]);
      return refuse(diag::G0454, T.Where,
                    "`as " + std::string(Name) + "` is refused",
                    std::string(Help));
    }
  }
  TypeId Target = resolveType(C, X.Type);
  Ty Source = inferCastSource(X.Kids[0], Target);
  if (!Target || C.Vars.isError(Source))
    return C.Vars.error();
  later(&Infer::checkCast, E);
  return C.Vars.known(Target);
}

/// As in Rust a literal under `as`, also negated, has the target's type.
Ty Infer::inferCastSource(ast::ExprId E, TypeId Target) {
  Ty T = infer(E);
  ast::ExprId Inner = C.strip(E);
  while (C[Inner].Form == ExprForm::Unary)
    Inner = C.strip(C[Inner].Kids[0]);
  bool IsLiteral = C[Inner].Form == ExprForm::Int;
  if (IsLiteral && Target && C.M.Types.isInteger(Target) &&
      C.Vars.kind(T) == TyKind::Integer)
    C.Vars.unify(T, C.Vars.known(Target));
  return T;
}

Ty Infer::inferAssign(ast::ExprId E) {
  const ast::Expr &X = C[E];
  Ty Void = C.Vars.known(types::Void);
  if (!X.Compound) {
    ast::ExprId Target = C.strip(X.Kids[0]);
    WholeTarget = Target;
    Ty Place = inferPlace(X.Kids[0], Use::Write);
    WholeTarget = ast::ExprId();
    Typed.push_back({X.Kids[0], Place});
    Assigned = C.strip(X.Kids[1]);
    coerce(X.Kids[1], Place);
    assignDeferred(Target);
    return Void;
  }
  Ty Place = inferPlace(X.Kids[0], Use::Update);
  Typed.push_back({X.Kids[0], Place});
  Ty Value = infer(X.Kids[1]);
  later(&Infer::checkBinary, E);
  Ty Result;
  if (isShift(X.Binary))
    Result = inferShift(Place, Value);
  else if (!C.Vars.isError(Place) && !isVector(Place) && isVector(Value) &&
           C.Vars.kind(Place) != TyKind::Open)
    Result = mixed(E, Place, Value);
  else
    Result = inferArithmetic(E, Place, Value);
  return C.Vars.isError(Result) ? Result : Void;
}

Ty Infer::inferStructLit(ast::ExprId E) {
  const ast::Expr &X = C[E];
  std::string Name = pathText(X.Name);
  if (const uint32_t *Index = findItem(C, C.StructNames, Name)) {
    TypeId T = structType(C, *Index);
    if (T) {
      fieldsOf(E, T);
      return C.Vars.known(T);
    }
  } else if (!reportHidden(C, Name, X.Name.Where)) {
    DiagBuilder D = C.error(diag::G0201, X.Name.Where);
    D << "there is no struct `" << Name << '`';
    suggest(D, Name, X.Name.Where, namesOf(C, C.StructNames),
            "declare it, with `#[goldy::gpu]` before `struct`");
  }
  for (ast::ExprId Kid : X.Kids)
    infer(Kid);
  return C.Vars.error();
}

void Infer::fieldsOf(ast::ExprId E, TypeId Struct) {
  const ast::Expr &X = C[E];
  // A copy: resolving types while inferring may move the table.
  StructType S = C.M.Types.structure(C.M.Types[Struct].Struct);
  std::vector<bool> Given(S.Fields.size());
  for (size_t I = 0; I < X.Kids.size(); ++I) {
    const ast::Ident &Name = X.FieldNames[I];
    size_t Field = 0;
    while (Field < S.Fields.size() && S.Fields[Field].Name != Name.Text)
      ++Field;
    if (Field == S.Fields.size()) {
      unknownField(Name, S);
      infer(X.Kids[I]);
      continue;
    }
    if (Given[Field])
      C.error(diag::G0202, Name.Where).help("leave one of them out")
          << "field `" << Name.Text << "` is given twice";
    Given[Field] = true;
    coerce(X.Kids[I], C.Vars.known(S.Fields[Field].Type));
  }
  std::string Missing;
  for (size_t I = 0; I < Given.size(); ++I)
    if (!Given[I])
      Missing += (Missing.empty() ? "`" : ", `") + S.Fields[I].Name + "`";
  if (!Missing.empty())
    C.error(diag::G0317, X.Where).help("give every field a value")
        << "struct literal `" << S.Name << "` lacks " << Missing;
}

Ty Infer::inferArrayLit(ast::ExprId E) {
  const ast::Expr &X = C[E];
  if (X.Kids.empty())
    return refuse(diag::G0221, X.Where, "an array has at least one element",
                  "leave the array out, or give it an element");
  Ty Element = C.Vars.open();
  for (ast::ExprId Kid : X.Kids)
    coerce(Kid, Element);
  later(&Infer::checkArray, E);
  return C.Vars.array(Element, static_cast<uint32_t>(X.Kids.size()));
}

Ty Infer::inferArrayRepeat(ast::ExprId E) {
  const ast::Expr &X = C[E];
  Ty Element = infer(X.Kids[0]);
  std::optional<uint32_t> Count =
      resolveCount(C, X.Kids[1], "the length of an array");
  later(&Infer::checkArray, E);
  return Count ? C.Vars.array(Element, *Count) : C.Vars.error();
}

bool sema::inferConstant(Context &C, ast::ExprId E, TypeId Expected) {
  return Infer(C, nullptr, 0).constant(E, Expected);
}

bool sema::inferBody(Context &C, uint32_t Function) {
  InModuleOf Inside(C, *C.Functions[Function].Item);
  return Infer(C, &C.Functions[Function], Function).body();
}

bool Infer::constant(ast::ExprId E, TypeId Expected) {
  Ty T = infer(E);
  if (!Expected && C.Vars.kind(T) == TyKind::Integer &&
      C[C.strip(E)].Form == ExprForm::Int)
    C.Vars.unify(T, C.Vars.known(types::U32));
  if (Expected && !C.Vars.unify(T, C.Vars.known(Expected)))
    mismatch(E, C.Vars.known(Expected), T);
  freeze();
  return C.ExprType[E].isValid() && C.Diags.errorCount() == Before;
}

bool Infer::body() {
  for (uint32_t I = 0; I < F->NumParams; ++I)
    enterScope(F->Locals[I].Name, I);
  C.BodyScope = &Scope;
  inferBlock(F->Item->Body,
             F->Return ? C.Vars.known(F->Return) : C.Vars.error());
  C.BodyScope = nullptr;
  freeze();
  return C.Diags.errorCount() == Before;
}
