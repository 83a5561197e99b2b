//===- LowerProgram.cpp - From the typed tree to a program ----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "InferProgram.h"

using namespace goldy;
using namespace goldy::sema;
using ast::ExprForm;

namespace {

class LowerProgram {
public:
  LowerProgram(Context &C, const FunctionInfo &F) : C(C), F(F) {}
  prog::Program run();

private:
  struct Meaning {
    prog::BufferId Buffer;
    prog::ExprId Value;
  };

  void parameter(uint32_t Index);
  void block(ast::BlockId B, std::vector<prog::Step> &Out);
  void let(ast::StmtId S);
  void madeBuffer(uint32_t Local, const ProgramBuffer &B);
  void step(ast::ExprId E, std::vector<prog::Step> &Out);
  prog::Loop loop(ast::ExprId E);
  prog::Dispatch dispatch(const StepSyntax &S);
  prog::Grid grid(ast::ExprId Grid);
  prog::Copy copy(const StepSyntax &S);
  prog::HostCall hostCall(const StepSyntax &S);
  prog::Argument argument(ast::ExprId E);
  uint32_t device(const StepSyntax &S);
  prog::BufferId buffer(ast::ExprId E) {
    return Locals[C.Names[C.strip(E)].Index].Buffer;
  }

  prog::ExprId value(ast::ExprId E);
  prog::ExprId name(ast::ExprId E);
  prog::ExprId unary(ast::ExprId E);
  prog::ExprId binary(ast::ExprId E);
  prog::ExprId call(ast::ExprId E);
  prog::ExprId op(prog::ExprOp O, prog::ExprId L, prog::ExprId R,
                  ast::ExprId E) {
    return P.Exprs.binary(O, L, R, C[E].Where);
  }

  Context &C;
  const FunctionInfo &F;
  prog::Program P;
  std::vector<Meaning> Locals;
};

prog::ExprOp operationOf(ast::BinaryOp O) {
  static constexpr prog::ExprOp Ops[] = {prog::ExprOp::Add, prog::ExprOp::Sub,
                                         prog::ExprOp::Mul, prog::ExprOp::Div,
                                         prog::ExprOp::Rem, prog::ExprOp::And,
                                         prog::ExprOp::Or,  prog::ExprOp::Xor,
                                         prog::ExprOp::Shl, prog::ExprOp::Shr};
  return Ops[static_cast<unsigned>(O)];
}

void LowerProgram::parameter(uint32_t Index) {
  const Local &L = F.Locals[Index];
  prog::Parameter A;
  A.Name = std::string(L.Name);
  A.Type = L.Final;
  A.Loc = L.Where;
  if (L.Kind == LocalKind::Resource || L.IsUniform) {
    prog::Buffer B;
    B.Name = A.Name;
    B.Element = L.Final;
    B.Uniform = L.IsUniform;
    B.Count = L.IsUniform ? P.Exprs.u32(1) : P.Exprs.length(Index, L.Where);
    B.Acc = L.IsUniform ? Access::Read : L.Acc;
    B.Param = Index;
    B.Device = L.Device;
    B.Loc = L.Where;
    Locals[Index].Buffer = A.Buffer = P.Buffers.push(std::move(B));
  } else {
    Locals[Index].Value = P.Exprs.param(Index, L.Final, L.Where);
  }
  P.Params.push_back(std::move(A));
}

void LowerProgram::madeBuffer(uint32_t Index, const ProgramBuffer &Made) {
  const Local &L = F.Locals[Index];
  prog::Buffer B;
  B.Name = std::string(L.Name);
  B.Kind = Made.Count ? prog::BufferKind::Temporary : prog::BufferKind::Owned;
  B.Element = L.Final;
  B.Count = Made.Count ? value(Made.Count) : P.Exprs.u32(Made.Elements);
  B.TwoCopies = Made.TwoCopies;
  B.Device = L.Device;
  B.Loc = L.Where;
  Locals[Index].Buffer = P.Buffers.push(std::move(B));
}

void LowerProgram::let(ast::StmtId S) {
  uint32_t Index = C.LetLocal[S];
  if (Index == ~0u)
    return;
  for (const ProgramBuffer &B : F.Buffers)
    if (B.Local == Index)
      return madeBuffer(Index, B);
  Locals[Index].Value = value(C.Tree[S].Value);
}

void LowerProgram::block(ast::BlockId B, std::vector<prog::Step> &Out) {
  const ast::BlockNode &Node = C.Tree[B];
  for (ast::StmtId S : Node.Stmts)
    if (C.Tree[S].Form == ast::StmtForm::Let)
      let(S);
    else if (C.Tree[S].Form == ast::StmtForm::Expr)
      step(C.Tree[S].Value, Out);
  if (Node.Tail)
    step(Node.Tail, Out);
}

uint32_t LowerProgram::device(const StepSyntax &S) {
  return S.On ? findDevice(C, F, C[S.On].Kids[1]).value_or(0) : 0;
}

void LowerProgram::step(ast::ExprId E, std::vector<prog::Step> &Out) {
  E = C.strip(E);
  if (C[E].Form == ExprForm::For) {
    Out.push_back({loop(E)});
    return;
  }
  StepSyntax S = stepSyntax(C, E);
  std::string_view Gpu = gpuName(C[S.Call].Name);
  if (Gpu == "copy")
    Out.push_back({copy(S)});
  else if (Gpu == "host_call")
    Out.push_back({hostCall(S)});
  else
    Out.push_back({dispatch(S)});
}

prog::Argument LowerProgram::argument(ast::ExprId E) {
  prog::Argument A;
  A.Loc = C[E].Where;
  const NameRef &N = C.Names[C.strip(E)];
  if (C[C.strip(E)].Form == ExprForm::Name && N.Form == NameRef::Local &&
      Locals[N.Index].Buffer)
    A.Buffer = Locals[N.Index].Buffer;
  else
    A.Value = value(E);
  return A;
}

prog::Dispatch LowerProgram::dispatch(const StepSyntax &S) {
  prog::Dispatch D;
  D.Kernel = C.Functions[C.Calls[S.Call].Index].Instances.at(0);
  for (ast::ExprId Kid : C[S.Call].Kids)
    D.Args.push_back(argument(Kid));
  D.Over = grid(S.Grid);
  D.Device = device(S);
  D.Loc = C[S.Call].Where;
  return D;
}

prog::Grid LowerProgram::grid(ast::ExprId Grid) {
  const ast::Expr &X = C[Grid];
  prog::Grid G;
  G.Loc = X.Where;
  G.Rank = gridAxes(X.Member.Text);
  G.Size.fill(P.Exprs.u32(1));
  for (unsigned I = 0; I < G.Rank; ++I)
    G.Size[I] = value(X.Kids[I + 1]);
  if (G.Rank)
    return G;
  G.Form = prog::Grid::Kind::Groups;
  G.Rank = 3;
  for (unsigned I = 0; I < 3; ++I)
    G.Size[I] = value(C[C.strip(X.Kids[1])].Kids[I]);
  return G;
}

prog::Copy LowerProgram::copy(const StepSyntax &S) {
  const ast::Expr &X = C[S.Call];
  prog::Copy Made;
  Made.Src = buffer(X.Kids[0]);
  Made.SrcOffset = value(X.Kids[1]);
  Made.Dst = buffer(X.Kids[2]);
  Made.DstOffset = value(X.Kids[3]);
  Made.Count = value(X.Kids[4]);
  Made.Device = device(S);
  Made.Loc = X.Where;
  return Made;
}

prog::HostCall LowerProgram::hostCall(const StepSyntax &S) {
  const ast::Expr &X = C[S.Call];
  prog::HostCall H;
  H.Name = std::string(C[X.Kids[0]].Digits);
  for (size_t I = 1; I < X.Kids.size(); ++I)
    H.Args.push_back(argument(X.Kids[I]));
  H.Device = device(S);
  H.Loc = X.Where;
  return H;
}

prog::Loop LowerProgram::loop(ast::ExprId E) {
  const ast::Expr &X = C[E];
  prog::Loop L;
  L.Loc = X.Where;
  L.Lo = value(X.RangeLo);
  L.Hi = value(X.RangeHi);
  L.Inclusive = X.Inclusive;
  L.By = X.Step ? value(X.Step) : P.Exprs.u32(1);
  if (X.FlagBuffer)
    L.Stop = prog::StopFlag{buffer(X.FlagBuffer), value(X.FlagIndex)};
  uint32_t Index = C.ForLocal[E];
  const Local &Var = F.Locals[Index];
  L.Var = static_cast<uint32_t>(P.Vars.size());
  P.Vars.push_back(
      {X.VarWildcard ? "" : std::string(Var.Name), Var.Final, Var.Where});
  Locals[Index].Value = P.Exprs.var(L.Var, Var.Final, Var.Where);
  block(X.Body, L.Body);
  return L;
}

// --- Values

prog::ExprId LowerProgram::value(ast::ExprId E) {
  E = C.strip(E);
  if (std::optional<uint64_t> Bits = constantBits(C, E))
    return P.Exprs.constant(C.ExprType[E], *Bits, C[E].Where);
  switch (C[E].Form) {
  case ExprForm::Name:
    return name(E);
  case ExprForm::Unary:
    return unary(E);
  case ExprForm::Binary:
    return binary(E);
  case ExprForm::Cast:
    return P.Exprs.cast(value(C[E].Kids[0]), C.ExprType[E], C[E].Where);
  default:
    return call(E);
  }
}

prog::ExprId LowerProgram::name(ast::ExprId E) {
  return Locals[C.Names[E].Index].Value;
}

/// `-x` is `0 - x`, `!x` is `x ^ -1`.
prog::ExprId LowerProgram::unary(ast::ExprId E) {
  prog::ExprId Of = value(C[E].Kids[0]);
  TypeId T = C.ExprType[E];
  if (C[E].Unary == ast::UnaryOp::Neg)
    return op(prog::ExprOp::Sub, P.Exprs.constant(T, 0), Of, E);
  uint64_t Ones = C.M.Types.bits(T) == 64 ? ~uint64_t(0) : 0xffffffffu;
  return op(prog::ExprOp::Xor, Of, P.Exprs.constant(T, Ones), E);
}

prog::ExprId LowerProgram::binary(ast::ExprId E) {
  const ast::Expr &X = C[E];
  prog::ExprId L = value(X.Kids[0]), R = value(X.Kids[1]);
  return op(operationOf(X.Binary), L, R, E);
}

prog::ExprId LowerProgram::call(ast::ExprId E) {
  const ast::Expr &X = C[E];
  bool IsMethod = X.Form == ExprForm::MethodCall;
  std::string_view Name = IsMethod ? X.Member.Text : gpuName(X.Name);
  if (Name == "len")
    return P.Buffers[buffer(X.Kids[0])].Count;
  prog::ExprId A = value(X.Kids[0]), B = value(X.Kids[1]);
  if (Name == "min")
    return op(prog::ExprOp::Min, A, B, E);
  if (Name == "max")
    return op(prog::ExprOp::Max, A, B, E);
  return op(prog::ExprOp::Min, op(prog::ExprOp::Max, A, B, E), value(X.Kids[2]),
            E);
}

prog::Program LowerProgram::run() {
  P.Name = qualifiedName(C, *F.Item);
  P.Doc = F.Item->Doc;
  P.Loc = F.Item->Name.Where;
  P.Devices = F.Devices;
  if (P.Devices.empty())
    P.Devices.push_back("device");
  Locals.resize(F.Locals.size());
  for (uint32_t I = 0; I < F.NumParams; ++I)
    parameter(I);
  block(F.Item->Body, P.Steps);
  return std::move(P);
}

} // namespace

prog::Program sema::lowerProgram(Context &C, uint32_t Function) {
  const FunctionInfo &F = C.Functions[Function];
  InModuleOf Inside(C, *F.Item);
  MustKnowValues Known(C);
  return LowerProgram(C, F).run();
}
