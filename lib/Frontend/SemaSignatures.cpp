//===- SemaSignatures.cpp - Parameters and attributes of functions
//----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a parameter's type says about its access, the workgroup size and the
// other arguments of #[goldy::compute].
//
//===----------------------------------------------------------------------===//
#include "SemaContext.h"

#include <algorithm>

using namespace goldy;
using namespace goldy::sema;

namespace {

constexpr uint64_t MaxGroup = 1024, MaxGroupZ = 64;

/// Resolves the signature of one function into its FunctionInfo.
class Signature {
public:
  Signature(Context &C, FunctionInfo &F) : C(C), F(F) {}
  void resolve();

private:
  void parameter(const ast::ParamNode &P);
  void parameterType(const ast::ParamNode &P, Local &L);
  void reference(const ast::ParamNode &P, const ast::TypeNode &T, Local &L);
  void resource(ast::TypeNodeId Element, Access Acc, Local &L);
  bool gpuResource(const ast::ParamNode &P, const ast::TypeNode &T, Local &L);
  void uniformBlock(const ast::ParamNode &P, const ast::TypeNode &T, Local &L);
  void uniform(TypeId Type, Local &L);
  void image(const ast::TypeNode &T, Local &L);
  void kernelValue(const ast::ParamNode &P, Local &L);
  void returnType();
  void compute(const ast::Attribute &A);
  void argument(const ast::AttributeArg &A, bool &HasSize);
  void workgroupSize(const ast::AttributeArg &A);
  void checkGroup(Span Where);
  void program(const ast::Attribute &A);
  void programParameter(const ast::ParamNode &P, Local &L);
  bool isEntry() const { return F.IsKernel || F.IsProgram; }

  Context &C;
  FunctionInfo &F;
};

void Signature::resolve() {
  for (const ast::Attribute &A : F.Item->Attributes)
    if (F.IsProgram && pathText(A.Name) == "goldy::program")
      program(A);
  for (const ast::ParamNode &P : F.Item->Params)
    parameter(P);
  F.NumParams = static_cast<uint32_t>(F.Locals.size());
  returnType();
  const ast::Attribute *First = nullptr;
  for (const ast::Attribute &A : F.Item->Attributes) {
    if (pathText(A.Name) != "goldy::compute")
      continue;
    if (First)
      C.error(diag::G0202, A.Where)
              .note(First->Where, "first here")
              .help("leave one out")
          << "`goldy::compute` is given twice";
    else
      compute(A);
    First = First ? First : &A;
  }
}

void Signature::parameter(const ast::ParamNode &P) {
  for (const Local &Other : F.Locals)
    if (Other.Name == P.Name.Text)
      C.error(diag::G0202, P.Name.Where).note(Other.Where, "first here")
          << "parameter `" << P.Name.Text << "` is declared twice";
  Local L;
  L.Name = P.Name.Text;
  L.Where = P.Name.Where;
  L.Mutable = P.Mutable;
  L.IsParam = true;
  L.InKernel = F.IsKernel;
  parameterType(P, L);
  L.Contract = resolveContract(C, P, L, isEntry());
  if (F.IsProgram)
    programParameter(P, L);
  else
    for (const ast::Attribute &A : P.Attributes)
      if (pathText(A.Name) == "on")
        C.error(diag::G0229, A.Where).help("leave it out")
            << "`on` belongs to programs";
  if (C.Vars.isError(L.Type))
    F.SignatureOk = false;
  F.Locals.push_back(L);
}

void Signature::parameterType(const ast::ParamNode &P, Local &L) {
  const ast::TypeNode &T = C.Tree[P.Type];
  L.Type = C.Vars.error();
  if (T.Form == ast::TypeForm::Reference)
    return reference(P, T, L);
  if (T.Form == ast::TypeForm::Slice) {
    C.error(diag::G0219, T.Where).help("write `&[T]` or `&mut [T]`")
        << "buffer `" << L.Name << "` is passed by reference";
    return;
  }
  if (T.Form == ast::TypeForm::Named && gpuResource(P, T, L))
    return;
  TypeId Type = resolveValueType(C, P.Type);
  L.Type = C.Vars.known(Type);
  L.Final = Type;
  if (Type && isEntry())
    kernelValue(P, L);
}

void Signature::reference(const ast::ParamNode &P, const ast::TypeNode &T,
                          Local &L) {
  const ast::TypeNode &Of = C.Tree[T.Element];
  if (Of.Form == ast::TypeForm::Slice)
    return resource(Of.Element, T.Mutable ? Access::ReadWrite : Access::Read,
                    L);
  TypeId Type = resolveType(C, T.Element);
  if (!Type)
    return;
  if (isEntry() && !T.Mutable && C.M.Types.kind(Type) == TypeKind::Struct)
    return uniform(Type, L);
  C.error(diag::G0452, T.Where)
          .help(
              isEntry()
                  ? "kernels take buffers `&[T]`, `&mut [T]`, blocks `&P` of a "
                    "struct, and scalars"
                  : "pass the value itself and return what the helper "
                    "changes")
      << "parameter `" << L.Name
      << "` is a reference: only buffers are passed by reference";
}

void Signature::resource(ast::TypeNodeId Element, Access Acc, Local &L) {
  TypeId Type = resolveBufferElement(C, Element);
  L.Kind = LocalKind::Resource;
  L.Type = C.Vars.known(Type);
  L.Final = Type;
  L.Acc = Acc;
}

bool Signature::gpuResource(const ast::ParamNode &P, const ast::TypeNode &T,
                            Local &L) {
  struct Form {
    std::string_view Name;
    Access Acc;
    bool IsTensor;
  };
  static constexpr Form Forms[] = {
      {"BufRO", Access::Read, false},
      {"Scattered", Access::Write, false},
      {"Tensor", Access::Read, true},
      {"TensorMut", Access::ReadWrite, true},
      {"TensorWrite", Access::Write, true},
      {"Uniform", Access::Read, false},
      {"DirectSpatial", Access::Write, false},
  };
  std::string_view Name = gpuName(T.Name);
  const Form *Known = std::find_if(
      std::begin(Forms), std::end(Forms),
      [&](const Form &Candidate) { return Candidate.Name == Name; });
  if (Known == std::end(Forms))
    return false;
  if (T.Name.GenericTypes.size() != 1) {
    C.error(diag::G0201, T.Where)
            .help("write `gpu::" + std::string(Name) +
                  (Name == "DirectSpatial" ? "<gpu::Float4>`" : "<f32>`"))
        << "`gpu::" << Name << "` takes one element type";
    return true;
  }
  L.IsTensor = Known->IsTensor;
  if (Name == "Uniform")
    uniformBlock(P, T, L);
  else if (Name == "DirectSpatial")
    image(T, L);
  else
    resource(T.Name.GenericTypes[0], Known->Acc, L);
  return true;
}

/// The name is the value, and never changes.
void Signature::uniform(TypeId Type, Local &L) {
  L.Type = C.Vars.known(Type);
  L.Final = Type;
  L.IsUniform = true;
  L.Mutable = false;
}

void Signature::uniformBlock(const ast::ParamNode &P, const ast::TypeNode &T,
                             Local &L) {
  TypeId Type = resolveElementType(C, T.Name.GenericTypes[0]);
  if (!Type)
    return;
  if (isEntry())
    return uniform(Type, L);
  C.error(diag::G0219, T.Where)
          .help("take the value itself: `" + std::string(P.Name.Text) + ": " +
                C.typeName(Type) + "`")
      << "helper parameter `" << L.Name << "` is a uniform block";
}

void Signature::image(const ast::TypeNode &T, Local &L) {
  ast::TypeNodeId Element = T.Name.GenericTypes[0];
  TypeId Type = resolveElementType(C, Element);
  if (!Type)
    return;
  if (Type != C.M.Types.vector(types::F32, 4)) {
    C.error(diag::G0220, C.Tree[Element].Where)
            .help("write `gpu::DirectSpatial<gpu::Float4>`")
        << "image `" << L.Name << "` of `" << C.typeName(Type)
        << "`: images hold `gpu::Float4`";
    return;
  }
  L.Kind = LocalKind::Resource;
  L.Type = C.Vars.known(Type);
  L.Final = Type;
  L.Acc = Access::Write;
  L.IsImage = true;
}

void Signature::kernelValue(const ast::ParamNode &P, Local &L) {
  if (C.M.Types.isScalar(L.Final))
    return;
  C.error(diag::G0219, C.Tree[P.Type].Where)
          .help(C.M.Types.kind(L.Final) == TypeKind::Struct
                    ? "take it as a block, `&" + C.typeName(L.Final) + "`"
                    : "take it as a block, `gpu::Uniform<" +
                          C.typeName(L.Final) + ">`")
      << (F.IsKernel ? "kernel" : "program") << " parameter `" << L.Name
      << "` has type `" << C.typeName(L.Final)
      << (F.IsKernel ? "`; kernels take scalars, buffers and blocks"
                     : "`; programs take scalars, buffers and blocks");
  L.Type = C.Vars.error();
}

void Signature::returnType() {
  if (!F.Item->ReturnType)
    return;
  Span Where = C.Tree[F.Item->ReturnType].Where;
  F.Return = resolveType(C, F.Item->ReturnType);
  if (!F.Return)
    F.SignatureOk = false;
  else if (F.IsProgram && F.Return != types::Void)
    C.error(diag::G1115, Where).help("write the result into a `&mut [T]`")
        << "program `" << F.Item->Name.Text << "` returns a value";
  else if (F.IsKernel && F.Return != types::Void)
    C.error(diag::G0218, Where).help("write the result into a `&mut [T]`")
        << "kernel `" << F.Item->Name.Text << "` returns a value";
}

void Signature::compute(const ast::Attribute &A) {
  bool HasSize = false;
  unsigned Before = C.Diags.errorCount();
  for (size_t I = 0; I < A.Args.size(); ++I) {
    bool Twice = false;
    for (size_t J = 0; J < I && !A.Args[I].Key.Text.empty(); ++J)
      Twice |= A.Args[J].Key.Text == A.Args[I].Key.Text;
    if (Twice)
      C.error(diag::G0202, A.Args[I].Where).help("leave one out")
          << "`" << A.Args[I].Key.Text << "` is given twice";
    else
      argument(A.Args[I], HasSize);
  }
  if (!HasSize && C.Diags.errorCount() == Before)
    C.error(diag::G0204, A.Where)
            .help("write `#[goldy::compute(workgroup_size = [256, 1, 1])]`")
        << "kernel `" << F.Item->Name.Text << "` states no `workgroup_size`";
}

/// `goldy::program(devices = [host, gpu])`
void Signature::program(const ast::Attribute &A) {
  for (const ast::AttributeArg &Arg : A.Args) {
    bool IsList = Arg.Key.Text == "devices" && Arg.Value &&
                  C[Arg.Value].Form == ast::ExprForm::ArrayLit &&
                  !C[Arg.Value].Kids.empty() && F.Devices.empty();
    std::vector<ast::ExprId> Kids;
    if (IsList)
      Kids = C[Arg.Value].Kids;
    for (ast::ExprId Kid : Kids) {
      bool IsName = C[Kid].Form == ast::ExprForm::Name &&
                    C[Kid].Name.Segments.size() == 1;
      std::string Name = IsName ? pathText(C[Kid].Name) : "";
      IsList &= IsName && std::find(F.Devices.begin(), F.Devices.end(), Name) ==
                              F.Devices.end();
      F.Devices.push_back(std::move(Name));
    }
    if (!IsList)
      C.error(diag::G1111, Arg.Where)
              .help("write `#[goldy::program(devices = [host, gpu])]`, or "
                    "leave it")
          << "`goldy::program` takes the names of devices, each once";
  }
}

void Signature::programParameter(const ast::ParamNode &P, Local &L) {
  L.Device = deviceOf(C, F, P.Attributes);
  for (const ast::Attribute &A : P.Attributes)
    if (pathText(A.Name) == "on" && L.Kind == LocalKind::Value &&
        !L.IsUniform && !C.Vars.isError(L.Type))
      C.error(diag::G1108, A.Where).help("leave it out")
          << "`on` is for memory, and `" << L.Name << "` is a value";
  std::string_view What = L.IsTensor ? "a tensor" : L.IsImage ? "an image" : "";
  if (What.empty() || C.Vars.isError(L.Type))
    return;
  C.error(diag::G1105, C.Tree[P.Type].Where)
          .help(
              "take buffers, `&[T]` and `&mut [T]`, blocks, `&P`, and scalars")
      << "program parameter `" << L.Name << "` is " << What
      << ", which programs do not take";
  L.Type = C.Vars.error();
}

void Signature::argument(const ast::AttributeArg &A, bool &HasSize) {
  if (A.Key.Text == "workgroup_size") {
    HasSize = true;
    workgroupSize(A);
  } else if (A.Key.Text == "nondeterministic") {
    F.Nondeterministic = true;
  } else if (A.Key.Text == "binding") {
    bool Words = A.Value && C[A.Value].Form == ast::ExprForm::Name &&
                 C[A.Value].Name.Segments.size() == 1 &&
                 C[A.Value].Name.Segments[0].Text == "words";
    F.WordsBinding = Words;
    if (!Words)
      C.error(diag::G0207, A.Where).help("write `binding = words`, or leave it")
          << "`binding` has the one value `words`";
  } else if (A.Key.Text.empty()) {
    HasSize = true;
    C.error(diag::G0207, A.Where).help("write `workgroup_size = [256, 1, 1]`")
        << "arguments of `goldy::compute` have names";
  } else {
    DiagBuilder D = C.error(diag::G0207, A.Where);
    D << "`goldy::compute` has no argument `" << A.Key.Text << '`';
    suggest(D, A.Key.Text, A.Key.Where,
            {"workgroup_size", "nondeterministic", "binding"},
            "its arguments are `workgroup_size`, `nondeterministic` and "
            "`binding`");
  }
}

void Signature::workgroupSize(const ast::AttributeArg &A) {
  bool IsList = A.Value && C[A.Value].Form == ast::ExprForm::ArrayLit &&
                C[A.Value].Kids.size() == 3;
  if (A.Value && C[A.Value].Form == ast::ExprForm::Error)
    return;
  if (!IsList) {
    C.error(diag::G0205, A.Where).help("write `workgroup_size = [256, 1, 1]`")
        << "`workgroup_size` is a list of three numbers";
    return;
  }
  bool Ok = true;
  for (unsigned I = 0; I < 3; ++I) {
    std::optional<uint32_t> N =
        resolveCount(C, C[A.Value].Kids[I], "an extent of `workgroup_size`");
    Ok &= N.has_value();
    F.WorkgroupSize[I] = N.value_or(1);
  }
  if (Ok)
    checkGroup(C[A.Value].Where);
}

void Signature::checkGroup(Span Where) {
  const std::array<uint32_t, 3> &S = F.WorkgroupSize;
  uint64_t Product = uint64_t(S[0]) * S[1] * S[2];
  if (Product > MaxGroup)
    C.error(diag::G0206, Where).help("lower an extent")
        << "workgroup of " << S[0] << " x " << S[1] << " x " << S[2] << " = "
        << Product << " work-items, at most " << MaxGroup << " are possible";
  else if (S[2] > MaxGroupZ)
    C.error(diag::G0206, Where).help("move the extent to x or y")
        << "workgroup extent z is " << S[2] << ", at most " << MaxGroupZ
        << " is possible";
}

} // namespace

void sema::resolveSignatures(Context &C) {
  for (FunctionInfo &F : C.Functions) {
    InModuleOf Inside(C, *F.Item);
    Signature(C, F).resolve();
  }
}
