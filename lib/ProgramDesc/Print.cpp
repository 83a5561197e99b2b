//===- Print.cpp - Programs as text ---------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/ProgramDesc/Program.h"

#include <bit>

using namespace goldy;
using namespace goldy::prog;

namespace {

std::string_view spelling(ExprOp O) {
  switch (O) {
  case ExprOp::Add:
    return " + ";
  case ExprOp::Sub:
    return " - ";
  case ExprOp::Mul:
    return " * ";
  case ExprOp::Div:
    return " / ";
  case ExprOp::Rem:
    return " % ";
  case ExprOp::Shl:
    return " << ";
  case ExprOp::Shr:
    return " >> ";
  case ExprOp::And:
    return " & ";
  case ExprOp::Or:
    return " | ";
  default:
    return " ^ ";
  }
}

/// Higher binds closer, as in Rust.
unsigned precedence(ExprOp O) {
  switch (O) {
  case ExprOp::Or:
    return 1;
  case ExprOp::Xor:
    return 2;
  case ExprOp::And:
    return 3;
  case ExprOp::Shl:
  case ExprOp::Shr:
    return 4;
  case ExprOp::Add:
  case ExprOp::Sub:
    return 5;
  case ExprOp::Mul:
  case ExprOp::Div:
  case ExprOp::Rem:
    return 6;
  case ExprOp::Cast:
    return 7;
  default:
    return 8;
  }
}

std::string constantText(TypeId Type, uint64_t Bits) {
  if (Type == types::Bool)
    return Bits ? "true" : "false";
  if (Type == types::F32) {
    char Text[32];
    float Value = std::bit_cast<float>(static_cast<uint32_t>(Bits));
    snprintf(Text, sizeof Text, "%.9g", static_cast<double>(Value));
    return Text;
  }
  if (Type == types::I32)
    return std::to_string(static_cast<int32_t>(Bits));
  if (Type == types::I64)
    return std::to_string(static_cast<int64_t>(Bits));
  return std::to_string(Bits);
}

class Printer {
public:
  Printer(const Program &P, const Module &M) : P(P), M(M) {}
  std::string run();

private:
  std::string list(const std::vector<Argument> &Args) const;
  std::string buffer(const Buffer &B) const;
  std::string grid(const Grid &G) const;
  std::string on(uint32_t Device) const;
  std::string name(BufferId B) const { return P.Buffers[B].Name; }
  std::string text(ExprId E) const { return exprText(P, E); }
  void line(const std::string &Text) {
    Out.append(Depth * 4, ' ').append(Text).append("\n");
  }
  void block(const std::string &Head, const std::vector<Step> &Steps);
  void step(const Dispatch &D);
  void step(const Copy &C);
  void step(const HostCall &H);
  void step(const Loop &L);
  void step(const Choice &C);
  void steps(const std::vector<Step> &Steps);

  const Program &P;
  const Module &M;
  std::string Out;
  unsigned Depth = 0;
};

std::string Printer::list(const std::vector<Argument> &Args) const {
  std::string Text;
  for (const Argument &A : Args) {
    Text += Text.empty() ? "" : ", ";
    Text += A.Buffer ? name(A.Buffer) : text(A.Value);
  }
  return Text;
}

std::string Printer::on(uint32_t Device) const {
  return P.Devices.size() == 1 ? "" : ".on(" + P.Devices[Device] + ")";
}

std::string Printer::grid(const Grid &G) const {
  static constexpr std::string_view Over[] = {".over_1d(", ".over_2d(",
                                              ".over_3d("};
  bool Groups = G.Form == Grid::Kind::Groups;
  std::string Text(Groups ? ".groups([" : Over[G.Rank - 1]);
  for (unsigned I = 0; I < (Groups ? 3 : G.Rank); ++I)
    Text += (I ? ", " : "") + text(G.Size[I]);
  return Text + (Groups ? "])" : ")");
}

std::string Printer::buffer(const Buffer &B) const {
  std::string Text = B.TwoCopies ? "#[two_copies] " : "";
  Text += "let " + B.Name + " = gpu::";
  std::string Element = M.Types.name(B.Element);
  return Text +
         (B.Kind == BufferKind::Temporary
              ? "temporary::<" + Element + ">(" + text(B.Count) + ")"
              : "buffer::<" + Element + ", " + text(B.Count) + ">()") +
         on(B.Device) + ";";
}

void Printer::block(const std::string &Head, const std::vector<Step> &Steps) {
  line(Head + " {");
  ++Depth;
  steps(Steps);
  --Depth;
  line("}");
}

void Printer::step(const Dispatch &D) {
  line(M.Functions[D.Kernel].Name + "(" + list(D.Args) + ")" + grid(D.Over) +
       on(D.Device) + ";");
}

void Printer::step(const Copy &C) {
  line("gpu::copy(" + name(C.Src) + ", " + text(C.SrcOffset) + ", " +
       name(C.Dst) + ", " + text(C.DstOffset) + ", " + text(C.Count) + ")" +
       on(C.Device) + ";");
}

void Printer::step(const HostCall &H) {
  std::string Args = list(H.Args);
  line("gpu::host_call(\"" + H.Name + "\"" + (Args.empty() ? "" : ", ") + Args +
       ")" + on(H.Device) + ";");
}

void Printer::step(const Loop &L) {
  const LoopVar &V = P.Vars[L.Var];
  std::string Range = text(L.Lo) + (L.Inclusive ? "..=" : "..") + text(L.Hi);
  bool By = !P.Exprs.isConstant(L.By, 1);
  if (By || L.Stop)
    Range = "(" + Range + ")";
  if (By)
    Range += ".step_by(" + text(L.By) + ")";
  if (L.Stop)
    Range +=
        ".while_flag(" + name(L.Stop->Flag) + ", " + text(L.Stop->Index) + ")";
  block("for " + (V.Name.empty() ? "_" : V.Name) + " in " + Range, L.Body);
}

void Printer::step(const Choice &C) {
  std::string Pairs;
  for (const std::pair<BufferId, BufferId> &Pair : C.Apart)
    Pairs += (Pairs.empty() ? "" : ", ") + name(Pair.first) + " | " +
             name(Pair.second);
  for (const std::pair<ExprId, ExprId> &Pair : C.Fits)
    Pairs += (Pairs.empty() ? "" : ", ") + text(Pair.first) + " x " +
             text(Pair.second);
  block("apart (" + Pairs + ")", C.Then);
  block("else", C.Else);
}

void Printer::steps(const std::vector<Step> &Steps) {
  for (const Step &Next : Steps)
    std::visit([this](const auto &S) { step(S); }, Next.Kind);
}

std::string Printer::run() {
  std::string Params;
  for (const Parameter &A : P.Params) {
    Params += Params.empty() ? "" : ", ";
    if (A.Buffer && P.Devices.size() > 1)
      Params += "#[on(" + P.Devices[P.Buffers[A.Buffer].Device] + ")] ";
    Params += A.Name + ": ";
    bool Slice = A.Buffer && !P.Buffers[A.Buffer].Uniform;
    if (Slice)
      Params += P.Buffers[A.Buffer].Acc == Access::Read ? "&[" : "&mut [";
    else if (A.Buffer)
      Params += "gpu::Uniform<";
    Params += M.Types.name(A.Type) + (Slice ? "]" : A.Buffer ? ">" : "");
  }
  line("program " + P.Name + "(" + Params + ") {");
  ++Depth;
  for (const Buffer &B : P.Buffers)
    if (B.Kind != BufferKind::Input)
      line(buffer(B));
  steps(P.Steps);
  --Depth;
  line("}");
  return std::move(Out);
}

constexpr unsigned MostDepth = 8;

std::string textOf(const Program &P, ExprId E, unsigned Depth);

std::string operand(const Program &P, ExprId E, unsigned Least,
                    unsigned Depth) {
  std::string Text = textOf(P, E, Depth);
  bool Cut = Depth == MostDepth || precedence(P.Exprs[E].Op) >= Least;
  return Cut ? Text : "(" + Text + ")";
}

std::string operationText(const Program &P, const Expr &X, unsigned Depth) {
  unsigned Own = precedence(X.Op);
  if (X.Op == ExprOp::Min || X.Op == ExprOp::Max)
    return std::string(X.Op == ExprOp::Min ? "gpu::min(" : "gpu::max(") +
           textOf(P, X.L, Depth) + ", " + textOf(P, X.R, Depth) + ")";
  if (X.Op == ExprOp::Cast)
    return operand(P, X.L, Own, Depth) + " as " + TypeTable().name(X.Type);
  return operand(P, X.L, Own, Depth) + std::string(spelling(X.Op)) +
         operand(P, X.R, Own + 1, Depth);
}

std::string textOf(const Program &P, ExprId E, unsigned Depth) {
  const Expr &X = P.Exprs[E];
  switch (X.Op) {
  case ExprOp::Const:
    return constantText(X.Type, X.Bits);
  case ExprOp::Param:
    return P.Params[X.Index].Name;
  case ExprOp::Var:
    return P.Vars[X.Index].Name;
  case ExprOp::Length:
    return P.Params[X.Index].Name + ".len()";
  default:
    return Depth == MostDepth ? "…" : operationText(P, X, Depth + 1);
  }
}

} // namespace

std::string prog::exprText(const Program &P, ExprId E) {
  return textOf(P, E, 0);
}

std::string prog::programText(const Program &P, const Module &M) {
  return Printer(P, M).run();
}
