//===- InferProgram.cpp - Statements and values of a program --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "InferProgram.h"

#include <set>

using namespace goldy;
using namespace goldy::sema;
using ast::ExprForm;

// --- Devices

namespace {

/// The device called `Text` at `Where`; an empty text is no name.
std::optional<uint32_t> deviceNamed(Context &C, const FunctionInfo &F,
                                    const std::string &Text, Span Where) {
  for (uint32_t I = 0; I < F.Devices.size(); ++I)
    if (F.Devices[I] == Text)
      return I;
  DiagBuilder D = C.error(diag::G1112, Where);
  if (Text.empty())
    D << "expected the name of one device";
  else
    D << "program `" << F.Item->Name.Text << "` has no device `" << Text << '`';
  suggest(D, Text, Span(), F.Devices,
          F.Devices.empty() ? "name its devices: `#[goldy::program(devices = "
                              "[host, gpu])]`"
                            : "its devices are those of `goldy::program`");
  return std::nullopt;
}

} // namespace

std::optional<uint32_t> sema::findDevice(Context &C, const FunctionInfo &F,
                                         ast::ExprId Name) {
  const ast::Expr &X = C[Name];
  bool IsName = X.Form == ExprForm::Name && X.Name.Segments.size() == 1;
  return deviceNamed(C, F, IsName ? pathText(X.Name) : "", X.Where);
}

uint32_t sema::deviceOf(Context &C, const FunctionInfo &F,
                        const std::vector<ast::Attribute> &Attributes) {
  uint32_t Device = 0;
  std::set<std::string> Seen;
  for (const ast::Attribute &A : Attributes) {
    std::string What = pathText(A.Name);
    if ((What == "on" || What == "two_copies") && !Seen.insert(What).second)
      C.error(diag::G0202, A.Where).help("leave one out")
          << "`" << What << "` is given twice";
    if (What == "on") {
      bool IsName = A.Args.size() == 1 && !A.Args[0].Value;
      std::string Name(IsName ? A.Args[0].Key.Text : "");
      Device = deviceNamed(C, F, Name, A.Where).value_or(0);
    }
  }
  return Device;
}

// --- Statements

bool sema::inferProgram(Context &C, uint32_t Function) {
  FunctionInfo &F = C.Functions[Function];
  InModuleOf Inside(C, *F.Item);
  return InferProgram(C, &F, Function).run();
}

bool InferProgram::run() {
  for (uint32_t I = 0; I < F->NumParams; ++I)
    enterScope(F->Locals[I].Name, I);
  C.BodyScope = &Scope;
  block(F->Item->Body);
  C.BodyScope = nullptr;
  freeze();
  MustKnowValues Known(C);
  for (ast::ExprId E : Values)
    checkArithmetic(E);
  for (ast::ExprId E : Loops)
    checkLoop(E);
  return C.Diags.errorCount() == Before;
}

void InferProgram::block(ast::BlockId B) {
  size_t Mark = Scope.size();
  for (ast::StmtId S : C.Tree[B].Stmts)
    statement(S);
  if (C.Tree[B].Tail)
    step(C.Tree[B].Tail);
  leaveScope(Mark);
}

void InferProgram::statement(ast::StmtId S) {
  const ast::Stmt &Node = C.Tree[S];
  if (Node.Form == ast::StmtForm::Let)
    let(S);
  else if (Node.Form == ast::StmtForm::Expr)
    step(Node.Value);
}

void InferProgram::let(ast::StmtId S) {
  const ast::Stmt &Node = C.Tree[S];
  ast::ExprId Call = Node.Value ? C.strip(Node.Value) : ast::ExprId();
  if (Call && C[Call].Form == ExprForm::Call) {
    std::string_view Name = gpuName(C[Call].Name);
    if (Name == "temporary" || Name == "buffer")
      return letBuffer(S, Call);
  }
  letValue(S);
}

/// `let half = n / 2;`
void InferProgram::letValue(ast::StmtId S) {
  const ast::Stmt &Node = C.Tree[S];
  for (const ast::Attribute &A : Node.Attributes)
    if (pathText(A.Name) == "two_copies" || pathText(A.Name) == "on")
      C.error(diag::G1108, A.Where)
              .help("leave it out, or make memory: `gpu::buffer::<f32, 64>()`")
          << "`" << pathText(A.Name) << "` is for memory, and `"
          << Node.Name.Text << "` is a value";
  Local L;
  L.Name = Node.Name.Text;
  L.Where = Node.Name.Where;
  L.Type = Node.Type ? C.Vars.known(resolveType(C, Node.Type)) : C.Vars.open();
  if (Node.Mutable || !Node.Value) {
    C.error(diag::G1101, Node.Where)
            .help("a value of a program is given once: `let n = …;`")
        << "variables that change are no part of programs";
    L.Type = C.Vars.error();
  } else {
    value(Node.Value, L.Type);
    if (C.Vars.kind(L.Type) == TyKind::Open)
      L.Type = C.Vars.error();
  }
  if (!Node.Wildcard)
    C.LetLocal.set(S, declareLocal(std::move(L)));
}

/// `let t = gpu::temporary::<f32>(n);`, `let s = gpu::buffer::<f32, 64>();`
void InferProgram::letBuffer(ast::StmtId S, ast::ExprId Call) {
  const ast::Stmt &Node = C.Tree[S];
  bool Temporary = gpuName(C[Call].Name) == "temporary";
  Local L;
  L.Name = Node.Name.Text;
  L.Where = Node.Name.Where;
  L.Kind = LocalKind::Resource;
  L.Device = deviceOf(C, *F, Node.Attributes);
  ProgramBuffer B;
  for (const ast::Attribute &A : Node.Attributes)
    B.TwoCopies |= pathText(A.Name) == "two_copies";
  TypeId Element = bufferElement(Call, Temporary, B);
  L.Type = Element ? C.Vars.known(Element) : C.Vars.error();
  L.Final = Element;
  if (B.TwoCopies && Temporary)
    C.error(diag::G1108, Node.Where)
            .help("keep it: `gpu::buffer::<f32, 1024>()`")
        << "temporary `" << L.Name << "` holds nothing from run to run, so it "
        << "has no two copies";
  if (Nest || Node.Wildcard || Node.Mutable || Node.Type)
    C.error(diag::G1108, Node.Where)
            .help(Nest ? "move the `let` before the loop"
                       : "write `let t = gpu::temporary::<f32>(n);`")
        << (Nest ? "memory is made once, outside of loops"
                 : "memory of a program has a name and no more");
  if (Node.Wildcard)
    return;
  B.Local = declareLocal(std::move(L));
  C.LetLocal.set(S, B.Local);
  F->Buffers.push_back(B);
}

/// The element type; invalid when something was reported.
TypeId InferProgram::bufferElement(ast::ExprId Call, bool Temporary,
                                   ProgramBuffer &B) {
  const ast::Path &P = C[Call].Name;
  size_t Exprs = Temporary ? 0 : 1, Kids = Temporary ? 1 : 0;
  if (P.GenericTypes.size() != 1 || P.GenericExprs.size() != Exprs ||
      C[Call].Kids.size() != Kids) {
    C.error(diag::G1108, C[Call].Where)
            .help(Temporary ? "write `gpu::temporary::<f32>(n)`"
                            : "write `gpu::buffer::<f32, 1024>()`")
        << (Temporary ? "a temporary is made with its element type and the "
                        "number of its elements"
                      : "a buffer is made with its element type and its "
                        "constant length");
    return TypeId();
  }
  TypeId Element = resolveBufferElement(C, P.GenericTypes[0]);
  if (Temporary) {
    B.Count = C[Call].Kids[0];
    value(B.Count, C.Vars.known(types::U32));
    return Element;
  }
  std::optional<uint32_t> N =
      resolveCount(C, P.GenericExprs[0], "the length of a buffer");
  B.Elements = N.value_or(1);
  return N ? Element : TypeId();
}

// --- Loops

void InferProgram::loop(ast::ExprId E) {
  const ast::Expr &X = C[E];
  if (X.Unroll != ast::UnrollKind::None)
    C.error(diag::G1110, X.Where).help("leave `#[unroll]` out")
        << "loops of programs are not unrolled";
  if (++Nest > MaxProgramLoops)
    C.error(diag::G1114, X.Where).help("join two of the loops")
        << "loops of a program nest at most " << MaxProgramLoops << " deep";
  Ty Type = C.Vars.open();
  if (X.RangeLo)
    value(X.RangeLo, Type);
  if (X.RangeHi)
    value(X.RangeHi, Type);
  if (X.Step)
    value(X.Step, C[C.strip(X.Step)].Form == ExprForm::Int
                      ? C.Vars.known(types::U32)
                      : C.Vars.open());
  stopFlag(X);
  Loops.push_back(E);
  size_t Mark = Scope.size();
  Local L;
  L.Name = X.Var.Text;
  L.Where = X.Var.Where;
  L.Type = X.RangeLo && X.RangeHi ? Type : C.Vars.error();
  C.ForLocal.set(E, declareLocal(std::move(L)));
  if (X.VarWildcard)
    leaveScope(Mark);
  block(X.Body);
  leaveScope(Mark);
  --Nest;
}

void InferProgram::stopFlag(const ast::Expr &X) {
  if (!X.FlagBuffer)
    return;
  bufferNamed(X.FlagBuffer, "`.while_flag`");
  value(X.FlagIndex, C.Vars.known(types::U32));
}

void InferProgram::checkLoop(ast::ExprId E) {
  const ast::Expr &X = C[E];
  TypeId T = X.RangeLo ? C.ExprType[X.RangeLo] : TypeId();
  if (T && !C.M.Types.isInteger(T))
    C.error(diag::G1110, C[X.RangeLo].Where)
            .help("the bounds of a `for` are integers")
        << "loops of programs count in integers, found `" << C.typeName(T)
        << '`';
  if (X.Step && C.ExprType[X.Step])
    checkStep(X);
  if (X.FlagIndex && C.ExprType[X.FlagIndex] && !constantBits(C, X.FlagIndex))
    C.error(diag::G1110, C[X.FlagIndex].Where)
            .help("give each flag a buffer of its own")
        << "the index of a flag is a constant";
}

// --- Values

/// Refuses what programs do not compute, by its form.
void InferProgram::refuseForm(ast::ExprId E) {
  C.error(diag::G1106, C[E].Where)
          .help("compute it in a kernel, or pass it as a parameter")
      << "programs do not compute this: integer arithmetic, `gpu::min`, "
         "`gpu::max`, `gpu::clamp`, `as` and `x.len()` are all there is";
}

bool InferProgram::allowedCall(ast::ExprId E) {
  const ast::Expr &X = C[E];
  bool IsMethod = X.Form == ExprForm::MethodCall;
  std::string_view Name = IsMethod ? X.Member.Text : gpuName(X.Name);
  if (IsMethod && Name == "len" && resourceOf(X.Kids[0]))
    return true;
  if (Name == "min" || Name == "max" || Name == "clamp") {
    for (ast::ExprId Kid : X.Kids)
      if (!allowed(Kid))
        return false;
    return true;
  }
  refuseForm(E);
  return false;
}

bool InferProgram::allowed(ast::ExprId E) {
  const ast::Expr &X = C[E];
  switch (X.Form) {
  case ExprForm::Int:
  case ExprForm::Float:
  case ExprForm::Bool:
  case ExprForm::Error:
    return true;
  case ExprForm::Name:
    if (std::optional<uint32_t> L = blockOf(E)) {
      C.error(diag::G1102, X.Where)
              .note(F->Locals[*L].Where, "declared here")
              .help("take it as a scalar of its own")
          << '`' << F->Locals[*L].Name
          << "` is a block, which only kernels read";
      return false;
    }
    if (std::optional<uint32_t> L = resourceOf(E)) {
      if (!C.Vars.isError(F->Locals[*L].Type))
        C.error(diag::G1102, X.Where)
                .note(F->Locals[*L].Where, "declared here")
                .help("`" + std::string(F->Locals[*L].Name) +
                      ".len()` is the number of its elements")
            << '`' << F->Locals[*L].Name << "` is a buffer, expected a value";
      return false;
    }
    return true;
  case ExprForm::Unary:
  case ExprForm::Cast:
  case ExprForm::Paren:
    return allowed(X.Kids[0]);
  case ExprForm::Binary:
    return allowed(X.Kids[0]) && allowed(X.Kids[1]);
  case ExprForm::Call:
  case ExprForm::MethodCall:
    return allowedCall(E);
  default:
    refuseForm(E);
    return false;
  }
}

void InferProgram::value(ast::ExprId E, Ty Expected) {
  if (!allowed(E)) {
    if (C.Vars.kind(Expected) == TyKind::Open)
      C.Vars.unify(Expected, C.Vars.error());
    return;
  }
  coerce(E, Expected);
  Values.push_back(E);
}

/// The expression itself is of a type that programs compute.
bool InferProgram::computes(ast::ExprId E) {
  const ast::Expr &X = C[E];
  if (X.Form == ExprForm::Binary && X.Binary >= ast::BinaryOp::Eq)
    return false;
  if (X.Form == ExprForm::Cast && !C.M.Types.isInteger(C.ExprType[X.Kids[0]]))
    return false;
  return C.M.Types.isInteger(C.ExprType[E]);
}

/// What is no constant is integer arithmetic.
void InferProgram::checkArithmetic(ast::ExprId E) {
  const ast::Expr &X = C[E];
  bool Computed = X.Form == ExprForm::Unary || X.Form == ExprForm::Binary ||
                  X.Form == ExprForm::Cast || X.Form == ExprForm::Call ||
                  X.Form == ExprForm::MethodCall;
  if (!C.ExprType[E] || constantBits(C, E))
    return;
  if (Computed && !(X.Form == ExprForm::MethodCall && X.Member.Text == "len")) {
    for (ast::ExprId Kid : X.Kids)
      if (!C.ExprType[Kid])
        return;
    if (!computes(E)) {
      bool FromOther = X.Form == ExprForm::Cast &&
                       !C.M.Types.isInteger(C.ExprType[X.Kids[0]]);
      C.error(diag::G1106, X.Where)
              .help("compute it in a kernel, or pass it as a parameter")
          << "programs compute with integers, found `"
          << C.typeName(C.ExprType[FromOther ? X.Kids[0] : E]) << '`';
      return;
    }
  }
  if (X.Form == ExprForm::Paren || Computed)
    for (ast::ExprId Kid : X.Kids)
      checkArithmetic(Kid);
}
