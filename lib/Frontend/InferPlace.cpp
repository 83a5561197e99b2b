//===- InferPlace.cpp - Names, fields, elements
//-----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a name stands for, and whether the place it leads to may be read or
// written: resources by their declared access, variables by `mut`.
//
//===----------------------------------------------------------------------===//
#include "Infer.h"

using namespace goldy;
using namespace goldy::sema;
using ast::ExprForm;

Ty Infer::inferPlace(ast::ExprId E, Use U) {
  switch (C[E].Form) {
  case ExprForm::Name:
    return inferName(E, U);
  case ExprForm::Field:
    return inferField(E, U);
  case ExprForm::Index:
    return inferIndex(E, U);
  case ExprForm::Paren: {
    Ty T = inferPlace(C[E].Kids[0], U);
    Typed.push_back({C[E].Kids[0], T});
    return T;
  }
  default:
    return U == Use::Read ? infer(E) : notAPlace(E);
  }
}

Ty Infer::notAPlace(ast::ExprId E) {
  if (C.Vars.isError(infer(E)))
    return C.Vars.error();
  return refuse(diag::G0308, C[E].Where, "this cannot be assigned to",
                "assign to a variable, an element or a field");
}

int Infer::lookup(std::string_view Name) const {
  std::map<std::string_view, std::vector<uint32_t>>::const_iterator It =
      Visible.find(Name);
  bool Known = It != Visible.end() && !It->second.empty();
  return Known ? static_cast<int>(It->second.back()) : -1;
}

void Infer::enterScope(std::string_view Name, uint32_t L) {
  Scope.push_back({Name, L});
  Visible[Name].push_back(L);
}

void Infer::leaveScope(size_t Mark) {
  for (; Scope.size() > Mark; Scope.pop_back())
    Visible[Scope.back().first].pop_back();
}

std::optional<uint32_t> Infer::resourceOf(ast::ExprId E) {
  const ast::Expr &X = C[C.strip(E)];
  if (!F || X.Form != ExprForm::Name || X.Name.Segments.size() != 1)
    return std::nullopt;
  int L = lookup(X.Name.Segments[0].Text);
  if (L < 0 || F->Locals[L].Kind == LocalKind::Value)
    return std::nullopt;
  C.Names.set(C.strip(E), {NameRef::Local, static_cast<uint32_t>(L), {}, 0});
  return static_cast<uint32_t>(L);
}

Ty Infer::inferName(ast::ExprId E, Use U) {
  const ast::Path &P = C[E].Name;
  std::string Name = pathText(P);
  bool Single = P.Segments.size() == 1;
  if (int L = Single ? lookup(Name) : -1; L >= 0)
    return nameOfLocal(E, static_cast<uint32_t>(L), U);
  const uint32_t *Index = findItem(C, C.ConstNames, Name);
  if (!Index)
    return Single ? unknownName(E) : inferPathName(E, U);
  if (U != Use::Read)
    return refuse(diag::G0308, C[E].Where, "`" + Name + "` is a constant",
                  "copy it into a `let mut` variable");
  C.Names.set(E, {NameRef::Const, *Index, {}, 0});
  return C.Vars.known(constType(C, *Index));
}

Ty Infer::nameOfLocal(ast::ExprId E, uint32_t L, Use U) {
  const Local &V = F->Locals[L];
  std::string Name(V.Name);
  C.Names.set(E, {NameRef::Local, L, {}, 0});
  if (C.Vars.isError(V.Type))
    return V.Type;
  if (V.Kind != LocalKind::Value) {
    std::string_view What = V.IsImage    ? "an image"
                            : V.IsTensor ? "a tensor"
                            : V.Kind == LocalKind::Resource
                                ? "a buffer"
                                : "a workgroup array";
    return refuse(diag::G0312, C[E].Where,
                  "`" + Name + "` is " + std::string(What) + ", not a value",
                  V.IsImage ? "write an element, `" + Name + "[id.xy] = v`"
                            : "use an element, `" + Name + "[i]`");
  }
  if (U != Use::Read && V.IsUniform) {
    C.error(diag::G0310, C[E].Where)
            .note(V.Where, "declared here")
            .help("copy it into a `let mut` variable")
        << '`' << Name << "` is read-only and cannot be written";
    return C.Vars.error();
  }
  if (U != Use::Read && !V.Mutable && !V.Deferred) {
    C.error(diag::G0309, C[E].Where)
            .note(V.Where, V.IsParam ? "write `mut " + Name + "` here"
                                     : "write `let mut " + Name + "` here")
            .fix({V.Where.File, V.Where.Begin, V.Where.Begin}, "mut ")
        << "cannot assign to `" << Name << "`, which is not `mut`";
    return C.Vars.error();
  }
  readDeferred(E, L);
  return V.Type;
}

Ty Infer::unknownName(ast::ExprId E) {
  std::string Name = pathText(C[E].Name);
  if (reportHidden(C, Name, C[E].Where))
    return C.Vars.error();
  if (!F && C.BodyScope)
    for (const auto &[Text, L] : *C.BodyScope)
      if (Text == Name)
        return refuse(diag::G0223, C[E].Where, "`" + Name + "` is no constant",
                      "use literals, `const` items and operators on them");
  DiagBuilder D = C.error(diag::G0200, C[E].Where);
  D << "there is no name `" << Name << "` here";
  std::vector<std::string> Known = namesOf(C, C.ConstNames);
  for (const auto &[Text, L] : Scope)
    Known.emplace_back(Text);
  if (findItem(C, C.FunctionNames, Name))
    D.help("`" + Name + "` is a function: call it, `" + Name + "(…)`");
  else if (findItem(C, C.ModuleNames, Name))
    D.help("`" + Name + "` is a module: write `" + Name + "::NAME`");
  else if (findBuiltin(Name) >= 0 || findNamedConstant("gpu", Name))
    D.help("write `gpu::" + Name + "`").fix(C[E].Where, "gpu::" + Name);
  else
    suggest(D, Name, C[E].Where, Known,
            "declare it before this place, or take it as a parameter");
  return C.Vars.error();
}

/// `gpu::PI`, `f32::MAX`, or nothing.
Ty Infer::inferPathName(ast::ExprId E, Use U) {
  const ast::Path &P = C[E].Name;
  std::string_view Gpu = gpuName(P);
  std::string_view Scope = Gpu.empty() ? P.Segments[0].Text : "gpu";
  std::string_view Name = P.Segments.back().Text;
  if (!Gpu.empty() || P.Segments.size() == 2)
    if (const NamedConstant *K = findNamedConstant(Scope, Name)) {
      if (U != Use::Read)
        return notAPlace(E);
      C.Names.set(E, {NameRef::Value, 0, K->Type, K->Bits});
      return C.Vars.known(K->Type);
    }
  std::string Shown = pathText(P);
  if (reportHidden(C, Shown, C[E].Where))
    return C.Vars.error();
  DiagBuilder D = C.error(diag::G0200, C[E].Where);
  D << "there is no name `" << Shown << '`';
  bool IsFunction = (!Gpu.empty() && findBuiltin(Name) >= 0) ||
                    findItem(C, C.FunctionNames, Shown);
  if (IsFunction)
    D.help("it is a function: call it, `" + Shown + "(…)`");
  else if (findItem(C, C.ModuleNames, P.Segments[0].Text))
    suggest(D, Shown, P.Where, namesOf(C, C.ConstNames),
            "the module declares no such `const`");
  else
    suggest(D, Name, P.Segments.back().Where, namedConstantsOf(Scope),
            findNamedConstant("gpu", Name)
                ? "write `gpu::" + std::string(Name) + "`"
                : "declare a `const` of the file");
  return C.Vars.error();
}

// --- Fields and components

Ty Infer::inferField(ast::ExprId E, Use U) {
  ast::ExprId Base = C[E].Kids[0];
  if (U == Use::Write && isImageElement(Base)) {
    inferPlace(Base, U);
    return refuse(diag::G0308, C[E].Where,
                  "a part of an image element cannot be assigned to",
                  "write the whole element, `img[id.xy] = gpu::float4(…)`");
  }
  Ty T = inferPlace(Base, U);
  Typed.push_back({Base, T});
  const TyNode N = C.Vars.node(T);
  std::string Name(C[E].Member.Text);
  bool IsFieldBase = C[C.strip(Base)].Form == ExprForm::Field;
  if (N.Kind == TyKind::Array && IsFieldBase && N.Count >= 2 && N.Count <= 4)
    return componentsOf(E, T, N.Element, N.Count, U);
  if (N.Kind == TyKind::Known) {
    const Type &Of = C.M.Types[N.Type];
    if (Of.Kind == TypeKind::Struct)
      return fieldOfStruct(E, N.Type);
    if (Of.Kind == TypeKind::Vector)
      return componentsOf(E, T, C.Vars.known(Of.Element), Of.Count, U);
  }
  if (N.Kind == TyKind::Error || N.Kind == TyKind::Never)
    return C.Vars.error();
  if (N.Kind == TyKind::Open)
    return refuse(diag::G0326, C[Base].Where, "the type must be known here",
                  "state it: `let x: gpu::Float3`");
  return refuse(diag::G0214, C[E].Member.Where,
                "`" + C.Vars.name(T) + "` has no field `" + Name + "`",
                "structs have fields, vectors have `.x .y .z .w`");
}

bool Infer::isImageElement(ast::ExprId E) {
  const ast::Expr &X = C[C.strip(E)];
  if (X.Form != ExprForm::Index)
    return false;
  std::optional<uint32_t> L = resourceOf(X.Kids[0]);
  return L && F->Locals[*L].IsImage;
}

void Infer::unknownField(const ast::Ident &Name, const StructType &S) {
  DiagBuilder D = C.error(diag::G0214, Name.Where);
  D << "struct `" << S.Name << "` has no field `" << Name.Text << '`';
  std::vector<std::string> Fields;
  for (const StructField &Field : S.Fields)
    Fields.push_back(Field.Name);
  std::string List;
  for (const std::string &Field : Fields)
    List += (List.empty() ? "`" : ", `") + Field + "`";
  suggest(D, Name.Text, Name.Where, Fields, "its fields are " + List);
}

Ty Infer::fieldOfStruct(ast::ExprId E, TypeId Struct) {
  const ast::Ident &Name = C[E].Member;
  const StructType &S = C.M.Types.structure(C.M.Types[Struct].Struct);
  for (const StructField &Field : S.Fields)
    if (Field.Name == Name.Text)
      return C.Vars.known(Field.Type);
  unknownField(Name, S);
  return C.Vars.error();
}

/// One of `.x .y .z .w`, or a swizzle of two to four of them.
Ty Infer::componentsOf(ast::ExprId E, Ty Base, Ty Element, uint32_t Count,
                       Use U) {
  const ast::Ident &Name = C[E].Member;
  constexpr std::string_view Letters = "xyzw";
  bool Fits = !Name.Text.empty() && Name.Text.size() <= 4;
  for (char L : Name.Text)
    Fits &= Letters.substr(0, Count).find(L) != std::string_view::npos;
  if (!Fits)
    return refuse(diag::G0214, Name.Where,
                  "`" + C.Vars.name(Base) + "` has no component `" +
                      std::string(Name.Text) + "`",
                  "the components are `" +
                      std::string(Letters.substr(0, Count)) +
                      "`, alone or together as in `.xy`");
  if (Name.Text.size() == 1)
    return Element;
  if (U != Use::Read)
    return refuse(diag::G0462, C[E].Where,
                  "`." + std::string(Name.Text) + "` cannot be assigned to",
                  "assign the components one by one, `v.x = …`");
  TypeId Scalar = C.Vars.knownType(Element);
  if (!Scalar || Scalar == types::Bool)
    return refuse(diag::G0214, Name.Where,
                  "`." + std::string(Name.Text) + "` needs numeric components",
                  "read the components one by one");
  return C.Vars.known(
      C.M.Types.vector(Scalar, static_cast<uint32_t>(Name.Text.size())));
}

// --- Elements

void Infer::checkAccess(ast::ExprId Resource, uint32_t L, Use U) {
  const Local &V = F->Locals[L];
  std::string Name(V.Name);
  const char *Help =
      V.IsTensor ? "take it as `gpu::TensorMut<T>`" : "take it as `&mut [T]`";
  if (U != Use::Write && V.Acc == Access::Write)
    C.error(diag::G0311, C[Resource].Where)
            .note(V.Where,
                  V.IsImage ? "declared here, an image is write-only"
                  : V.IsTensor
                      ? "declared here, `gpu::TensorWrite` is write-only"
                      : "declared here, `gpu::Scattered` is write-only")
            .help(V.IsImage ? "read from a buffer `&[gpu::Float4]`" : Help)
        << '`' << Name << "` is write-only and cannot be read";
  if (U != Use::Read && V.Acc == Access::Read)
    C.error(diag::G0310, C[Resource].Where)
            .note(V.Where, "declared here")
            .help(Help)
        << '`' << Name << "` is read-only and cannot be written";
  if (U != Use::Read && V.Kind == LocalKind::WorkgroupArray && !V.Mutable)
    C.error(diag::G0309, C[Resource].Where)
            .note(V.Where, "write `let mut " + Name + "` here")
            .fix({V.Where.File, V.Where.Begin, V.Where.Begin}, "mut ")
        << '`' << Name << "` cannot be written, it is not `mut`";
}

void Infer::indexValue(ast::ExprId E) {
  Ty T = infer(E);
  TyKind K = C.Vars.kind(T);
  if (K == TyKind::Open ||
      (K == TyKind::Integer && C[C.strip(E)].Form == ExprForm::Int))
    C.Vars.unify(T, C.Vars.known(types::U32));
  if (K != TyKind::Known && K != TyKind::Array)
    return;
  TypeId Known = C.Vars.knownType(T);
  if (Known == types::U32 || Known == types::I32)
    return;
  DiagBuilder D = C.error(diag::G0306, C[E].Where);
  D << "an index is `u32` or `i32`, found `" << C.Vars.name(T) << '`';
  if (Known && C.M.Types.isScalar(Known))
    D.help("convert it: `i as u32`");
  else
    D.help("index by a number: a component, a field or an element");
}

/// What an element is as a value: narrow ones widen.
Ty Infer::elementValue(Ty Element) {
  TypeId T = C.Vars.knownType(Element);
  return T ? C.Vars.known(TypeTable::valueType(T)) : Element;
}

/// The place in an image: x and y.
void Infer::imageIndex(ast::ExprId E) {
  Ty T = infer(E);
  TypeId Known = C.Vars.knownType(T);
  if (C.Vars.isError(T) || Known == C.M.Types.vector(types::U32, 2) ||
      Known == C.M.Types.vector(types::I32, 2))
    return;
  C.error(diag::G0306, C[E].Where)
          .help("write `img[id.xy]`, or `img[gpu::uint2(x, y)]`")
      << "an image is indexed by `gpu::UInt2` or `gpu::Int2`, found `"
      << C.Vars.name(T) << '`';
}

Ty Infer::inferIndex(ast::ExprId E, Use U) {
  ast::ExprId Base = C[E].Kids[0];
  if (std::optional<uint32_t> L = resourceOf(Base)) {
    if (!C.Vars.isError(F->Locals[*L].Type))
      checkAccess(Base, *L, U);
    if (F->Locals[*L].IsImage)
      imageIndex(C[E].Kids[1]);
    else
      indexValue(C[E].Kids[1]);
    return elementValue(F->Locals[*L].Type);
  }
  Ty T = inferPlace(Base, U);
  Typed.push_back({Base, T});
  indexValue(C[E].Kids[1]);
  return indexOfValue(E, T);
}

Ty Infer::indexOfValue(ast::ExprId E, Ty Base) {
  const TyNode N = C.Vars.node(Base);
  if (N.Kind == TyKind::Array)
    return N.Element;
  if (N.Kind == TyKind::Error || N.Kind == TyKind::Never)
    return C.Vars.error();
  if (isVector(Base)) {
    later(&Infer::checkVectorIndex, E);
    return elementOf(Base);
  }
  Span Where = C[C[E].Kids[0]].Where;
  if (N.Kind == TyKind::Open)
    return refuse(diag::G0326, Where, "the type must be known here",
                  "state it: `let x: [f32; 4]`");
  return refuse(diag::G0307, Where,
                "`" + C.Vars.name(Base) + "` cannot be indexed",
                "buffers, workgroup arrays and `[T; N]` can");
}
