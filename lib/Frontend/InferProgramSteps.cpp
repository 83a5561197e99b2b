//===- InferProgramSteps.cpp - Dispatches, copies, host calls -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "InferProgram.h"

using namespace goldy;
using namespace goldy::sema;
using ast::ExprForm;

unsigned sema::gridAxes(std::string_view Method) {
  return Method == "over_1d"   ? 1
         : Method == "over_2d" ? 2
         : Method == "over_3d" ? 3
                               : 0;
}

StepSyntax sema::stepSyntax(const Context &C, ast::ExprId E) {
  StepSyntax S;
  for (E = C.strip(E); C[E].Form == ExprForm::MethodCall;
       E = C.strip(C[E].Kids[0])) {
    std::string_view Name = C[E].Member.Text;
    bool IsGrid = gridAxes(Name) || Name == "groups";
    if (!IsGrid && Name != "on")
      return S;
    ast::ExprId &Slot = IsGrid ? S.Grid : S.On;
    if (Slot)
      S.Twice = Slot;
    Slot = E;
  }
  if (C[E].Form == ExprForm::Call)
    S.Call = E;
  return S;
}

/// What a refused statement is called, and what to do instead.
static std::pair<std::string, std::string> nameOfForm(const ast::Expr &X) {
  switch (X.Form) {
  case ExprForm::If:
    return {"`if` is", "decide in a kernel; a loop over `0..n` with `n` 0 or 1 "
                       "does a step or leaves it out"};
  case ExprForm::While:
  case ExprForm::Loop:
    return {X.Form == ExprForm::While ? "`while` is" : "`loop` is",
            "write `for i in (0..limit).while_flag(flag, 0) { … }`"};
  case ExprForm::Match:
    return {"`match` is", "decide in a kernel"};
  case ExprForm::Assign:
    return {"assignments are",
            "buffers are written by kernels and `gpu::copy`"};
  case ExprForm::Break:
  case ExprForm::Continue:
    return {X.Form == ExprForm::Break ? "`break` is" : "`continue` is",
            "a loop ends early by `.while_flag(buffer, index)`"};
  case ExprForm::Return:
    return {"`return` is", "a program ends with its last step"};
  case ExprForm::Block:
    return {"blocks of their own are", "write the steps without braces"};
  default:
    return {"this is", "a step is a dispatch, `gpu::copy(..)`, "
                       "`gpu::host_call(..)` or a `for` loop"};
  }
}

void InferProgram::step(ast::ExprId E) {
  const ast::Expr &X = C[C.strip(E)];
  if (X.Form == ExprForm::Error)
    return;
  if (X.Form == ExprForm::For)
    return loop(C.strip(E));
  StepSyntax S = stepSyntax(C, E);
  if (!S.Call) {
    const auto [Name, Help] = nameOfForm(X);
    C.error(diag::G1101, X.Where).help(Help) << Name << " no step of a program";
    return;
  }
  if (S.Twice)
    C.error(diag::G1100, C[S.Twice].OpWhere).help("leave one out")
        << "`." << C[S.Twice].Member.Text << "` beside another of its kind";
  if (S.On) {
    if (C[S.On].Kids.size() == 2)
      findDevice(C, *F, C[S.On].Kids[1]);
    else
      C.error(diag::G1112, C[S.On].Where).help("write `.on(gpu)`")
          << "`.on` takes the name of one device";
  }
  std::string_view Gpu = gpuName(C[S.Call].Name);
  if (Gpu == "copy" || Gpu == "host_call") {
    noGrid(S, Gpu);
    return Gpu == "copy" ? copy(S.Call) : hostCall(S.Call);
  }
  dispatch(E, S);
}

void InferProgram::noGrid(const StepSyntax &S, std::string_view What) {
  if (S.Grid)
    C.error(diag::G1100, C[S.Grid].OpWhere).help("leave it out")
        << "`gpu::" << What << "` has no grid";
}

// --- Dispatches

/// The kernel's number; what is none is reported.
std::optional<uint32_t> InferProgram::callee(ast::ExprId Call) {
  const ast::Path &P = C[Call].Name;
  std::string Name = pathText(P);
  const uint32_t *Index = findItem(C, C.FunctionNames, Name);
  if (Index && C.Functions[*Index].IsKernel)
    return *Index;
  if (!Index && reportHidden(C, Name, P.Where))
    return std::nullopt;
  std::string_view Gpu = gpuName(P);
  if (Gpu == "temporary" || Gpu == "buffer") {
    C.error(diag::G1108, C[Call].Where)
            .help("write `let t = gpu::" + std::string(Gpu) +
                  (Gpu == "buffer" ? "::<f32, 1024>();`" : "::<f32>(n);`"))
        << "memory of a program is made by a `let` of its own";
    return std::nullopt;
  }
  if (!Gpu.empty()) {
    C.error(diag::G1101, C[Call].Where)
            .help("a step is a dispatch, `gpu::copy(..)`, "
                  "`gpu::host_call(..)` or a `for` loop")
        << "`" << Name << "` is no step of a program";
    return std::nullopt;
  }
  DiagBuilder D = C.error(diag::G1104, P.Where);
  if (Index) {
    bool IsProgram = C.Functions[*Index].IsProgram;
    D << (IsProgram ? "program `" : "helper `") << Name
      << "` cannot be dispatched";
    D.help(IsProgram ? "write its steps here"
                     : "a kernel is marked `#[goldy::compute(..)]`");
    return std::nullopt;
  }
  std::vector<std::string> Kernels;
  for (const std::string &Known : namesOf(C, C.FunctionNames))
    if (C.Functions[*findItem(C, C.FunctionNames, Known)].IsKernel)
      Kernels.push_back(Known);
  D << "there is no kernel `" << Name << '`';
  suggest(D, Name, P.Where, Kernels,
          "dispatch a kernel of this file or of a module that it names");
  return std::nullopt;
}

void InferProgram::dispatch(ast::ExprId E, const StepSyntax &S) {
  std::optional<uint32_t> Kernel = callee(S.Call);
  if (!Kernel)
    return;
  if (!S.Grid)
    C.error(diag::G1100, C[E].Where)
            .help("add `.over_1d(n)`, or `.groups([x, y, z])`")
        << "kernel `" << C.Functions[*Kernel].Item->Name.Text
        << "` is dispatched without a grid";
  else
    grid(S.Grid);
  if (takesItsParameters(S.Call, C.Functions[*Kernel])) {
    C.Calls.set(S.Call, {CallTarget::Function, *Kernel, Op::Add, {}});
    arguments(S.Call, *Kernel);
  }
}

bool InferProgram::takesItsParameters(ast::ExprId Call,
                                      const FunctionInfo &Kernel) {
  std::string_view Name = Kernel.Item->Name.Text;
  for (uint32_t I = 0; I < Kernel.NumParams; ++I) {
    const Local &L = Kernel.Locals[I];
    if (!L.IsTensor && !L.IsImage)
      continue;
    C.error(diag::G1105, C[Call].Where)
            .note(L.Where, "this one")
            .help("take it as a buffer, or dispatch the kernel from the host")
        << "kernel `" << Name << "` takes "
        << (L.IsTensor ? "a tensor" : "an image") << ", `" << L.Name
        << "`, which programs do not pass";
    return false;
  }
  if (!Kernel.SignatureOk)
    return false;
  size_t Found = C[Call].Kids.size();
  if (Found == Kernel.NumParams)
    return true;
  C.error(diag::G1102, C[Call].Where)
          .note(Kernel.Item->Name.Where, "declared here")
          .help(Found < Kernel.NumParams ? "add what is missing"
                                         : "leave some out")
      << "kernel `" << Name << "` takes " << Kernel.NumParams
      << (Kernel.NumParams == 1 ? " argument" : " arguments") << ", found "
      << Found;
  return false;
}

void InferProgram::arguments(ast::ExprId Call, uint32_t Number) {
  const FunctionInfo &Kernel = C.Functions[Number];
  for (uint32_t I = 0; I < Kernel.NumParams; ++I) {
    ast::ExprId Arg = C[Call].Kids[I];
    if (Kernel.Locals[I].Kind == LocalKind::Resource)
      bufferArgument(Arg, Kernel, Kernel.Locals[I]);
    else if (Kernel.Locals[I].IsUniform)
      blockArgument(Arg, Kernel, Kernel.Locals[I]);
    else
      value(Arg, Kernel.Locals[I].Type);
  }
}

void InferProgram::bufferArgument(ast::ExprId Arg, const FunctionInfo &Kernel,
                                  const Local &Param) {
  std::string Name(Kernel.Item->Name.Text);
  std::optional<uint32_t> L =
      bufferNamed(Arg, "`" + std::string(Param.Name) + "` of `" + Name + "`");
  if (!L || C.Vars.isError(F->Locals[*L].Type) || C.Vars.isError(Param.Type))
    return;
  const Local &Given = F->Locals[*L];
  if (Given.Final != Param.Final) {
    C.error(diag::G1102, C[Arg].Where)
            .note(Param.Where, "the kernel's parameter")
            .note(Given.Where,
                  "`" + std::string(Given.Name) + "` is declared here")
        << '`' << Given.Name << "` has elements of type `"
        << C.typeName(Given.Final) << "`, expected `" << C.typeName(Param.Final)
        << "` for `" << Param.Name << "` of `" << Name << '`';
    return;
  }
  if (Param.Acc != Access::Read)
    written(Arg, *L, "`" + Name + "` takes it as `&mut`");
}

/// The block of the program that an expression names.
std::optional<uint32_t> InferProgram::blockOf(ast::ExprId E) {
  const ast::Expr &X = C[C.strip(E)];
  if (X.Form != ExprForm::Name || X.Name.Segments.size() != 1)
    return std::nullopt;
  int L = lookup(X.Name.Segments[0].Text);
  if (L < 0 || !F->Locals[L].IsUniform)
    return std::nullopt;
  C.Names.set(C.strip(E), {NameRef::Local, static_cast<uint32_t>(L), {}, 0});
  return static_cast<uint32_t>(L);
}

void InferProgram::blockArgument(ast::ExprId Arg, const FunctionInfo &Kernel,
                                 const Local &Param) {
  std::optional<uint32_t> L = blockOf(Arg);
  std::string For = "`" + std::string(Param.Name) + "` of `" +
                    std::string(Kernel.Item->Name.Text) + "`";
  if (L && (C.Vars.isError(Param.Type) || F->Locals[*L].Final == Param.Final))
    return;
  DiagBuilder D = C.error(diag::G1102, C[Arg].Where);
  D.note(Param.Where, "the kernel's parameter")
      .help("take it as a parameter of the program: `p: gpu::Uniform<" +
            C.typeName(Param.Final) + ">`");
  if (L)
    D << "`" << F->Locals[*L].Name << "` is a block of `"
      << C.typeName(F->Locals[*L].Final) << "`, expected `"
      << C.typeName(Param.Final) << "` for " << For;
  else
    D << "expected the name of a block for " << For;
}

/// Reports a write of a parameter that the program only reads.
void InferProgram::written(ast::ExprId Arg, uint32_t L, std::string_view By) {
  const Local &Of = F->Locals[L];
  if (!Of.IsParam || Of.Acc != Access::Read)
    return;
  C.error(diag::G1103, C[Arg].Where)
          .note(Of.Where, "declared here")
          .help("declare it `" + std::string(Of.Name) + ": &mut [" +
                C.typeName(Of.Final) + "]`")
      << "the program only reads `" << Of.Name << "`, and " << By;
}

std::optional<uint32_t> InferProgram::bufferNamed(ast::ExprId Arg,
                                                  std::string_view What) {
  if (std::optional<uint32_t> L = resourceOf(Arg))
    return L;
  const ast::Expr &X = C[C.strip(Arg)];
  if (X.Form == ExprForm::Error)
    return std::nullopt;
  std::string Name = X.Form == ExprForm::Name ? pathText(X.Name) : "";
  int L = Name.empty() ? -1 : lookup(Name);
  if (L >= 0 && C.Vars.isError(F->Locals[L].Type))
    return std::nullopt;
  if (L < 0 && !Name.empty() && !findItem(C, C.ConstNames, Name)) {
    unknownName(C.strip(Arg));
    return std::nullopt;
  }
  C.error(diag::G1102, X.Where)
          .help("name a parameter `&[T]`, a temporary or a buffer of the "
                "program")
      << "expected a buffer for " << What << ", found "
      << (L >= 0 ? "the value `" + Name + "`" : "a value");
  return std::nullopt;
}

void InferProgram::grid(ast::ExprId Grid) {
  const ast::Expr &X = C[Grid];
  unsigned Axes = gridAxes(X.Member.Text);
  std::vector<ast::ExprId> Sizes(X.Kids.begin() + 1, X.Kids.end());
  bool Good = Axes && Sizes.size() == Axes;
  if (!Axes && Sizes.size() == 1 &&
      C[C.strip(Sizes[0])].Form == ExprForm::ArrayLit) {
    Sizes = std::vector<ast::ExprId>(C[C.strip(Sizes[0])].Kids);
    Good = Sizes.size() == 3;
  }
  if (!Good) {
    C.error(diag::G1100, X.Where)
            .help(Axes == 1   ? "write `.over_1d(n)`"
                  : Axes == 2 ? "write `.over_2d(width, height)`"
                  : Axes == 3 ? "write `.over_3d(width, height, depth)`"
                              : "write `.groups([x, y, z])`")
        << "`." << X.Member.Text << "` takes "
        << (Axes == 1   ? "one size"
            : Axes == 2 ? "two sizes"
            : Axes == 3 ? "three sizes"
                        : "one list of three sizes");
    return;
  }
  for (ast::ExprId Size : Sizes)
    value(Size, C.Vars.known(types::U32));
}

// --- Copies and host calls

/// `gpu::copy(from, offset, to, offset, count)`
void InferProgram::copy(ast::ExprId Call) {
  const ast::Expr &X = C[Call];
  if (X.Kids.size() != 5) {
    C.error(diag::G1109, X.Where)
            .help("write `gpu::copy(from, offset, to, offset, count)`")
        << "`gpu::copy` takes 5 arguments, found " << X.Kids.size();
    return;
  }
  std::optional<uint32_t> Src = bufferNamed(X.Kids[0], "`gpu::copy`");
  std::optional<uint32_t> Dst = bufferNamed(X.Kids[2], "`gpu::copy`");
  for (size_t I : {1, 3, 4})
    value(X.Kids[I], C.Vars.known(types::U32));
  if (!Src || !Dst || C.Vars.isError(F->Locals[*Src].Type) ||
      C.Vars.isError(F->Locals[*Dst].Type))
    return;
  const Local &From = F->Locals[*Src], &To = F->Locals[*Dst];
  if (From.Final != To.Final)
    C.error(diag::G1109, X.Where)
            .note(From.Where, "from this")
            .note(To.Where, "to this")
            .help("convert elements in a kernel")
        << "`" << From.Name << "` has elements of type `"
        << C.typeName(From.Final) << "`, and `" << To.Name << "` of type `"
        << C.typeName(To.Final) << '`';
  written(X.Kids[2], *Dst, "`gpu::copy` writes it");
}

/// `gpu::host_call("name", x, n)`
void InferProgram::hostCall(ast::ExprId Call) {
  const ast::Expr &X = C[Call];
  if (X.Kids.empty() || C[X.Kids[0]].Form != ExprForm::Str ||
      C[X.Kids[0]].Digits.empty()) {
    C.error(diag::G1113, X.Where).help("write `gpu::host_call(\"name\", ..)`")
        << "`gpu::host_call` starts with the name of a host function";
    return;
  }
  for (size_t I = 1; I < X.Kids.size(); ++I)
    if (!resourceOf(X.Kids[I]))
      value(X.Kids[I], C.Vars.open());
}
