//===- Check.cpp - What is wrong with a program before it runs ------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run checks all of this at its steps; constants show some of it here.
//
//===----------------------------------------------------------------------===//
#include "program/Check.h"
#include "Lives.h"
#include "goldyc/ProgramDesc/Build.h"

using namespace goldy;
using namespace goldy::prog;

namespace {

class Checker {
public:
  Checker(const Program &P, const Module &M, DiagSink &Diags)
      : P(P), M(M), Diags(Diags), Written(P.Buffers.size()),
        Told(P.Buffers.size()) {}
  bool run();

private:
  void steps(const std::vector<Step> &List);
  void step(const Dispatch &D);
  void step(const Copy &C);
  void step(const HostCall &H);
  void step(const Loop &L);
  void step(const Choice &C);
  void reads(BufferId B, Span Where);
  void writes(BufferId B) { Written[B.index()] = true; }
  bool end(BufferId B, ExprId Offset, const Copy &C, std::string_view What);
  void overlap(const Copy &C);
  void flag(const StopFlag &F, Span Where);
  std::optional<uint64_t> bits(ExprId E) const {
    return P.Exprs.constantBits(E);
  }

  const Program &P;
  const Module &M;
  DiagSink &Diags;
  std::vector<bool> Written, Told; ///< by buffer
  uint64_t Steps = 0;
  bool Good = true;
};

void Checker::reads(BufferId B, Span Where) {
  const Buffer &X = P.Buffers[B];
  if (X.Kind != BufferKind::Temporary || Written[B.index()] || Told[B.index()])
    return;
  Told[B.index()] = true;
  Diags.report(diag::G1107, Where)
          .note(X.Loc, "made here")
          .help("write it first, or use `gpu::buffer`, which starts as zeros")
      << "temporary `" << X.Name << "` is read before anything wrote it";
}

void Checker::step(const Dispatch &D) {
  const std::vector<Param> &Params = M.Functions[D.Kernel].Params;
  for (size_t I = 0; I < D.Args.size(); ++I)
    if (D.Args[I].Buffer && Params[I].Acc == Access::Read)
      reads(D.Args[I].Buffer, D.Args[I].Loc);
  for (size_t I = 0; I < D.Args.size(); ++I)
    if (D.Args[I].Buffer && Params[I].Acc != Access::Read)
      writes(D.Args[I].Buffer);
}

void Checker::step(const HostCall &H) {
  for (const Argument &A : H.Args)
    if (A.Buffer)
      writes(A.Buffer);
}

/// Whether the elements of one end lie in their buffer, as far as is known.
bool Checker::end(BufferId B, ExprId Offset, const Copy &C,
                  std::string_view What) {
  const Buffer &X = P.Buffers[B];
  std::optional<uint64_t> From = bits(Offset), Count = bits(C.Count),
                          Length = bits(X.Count);
  if (!From || !Count || !Length || *From + *Count <= *Length)
    return true;
  Good = false;
  Diags.report(diag::G1109, C.Loc)
          .note(X.Loc,
                "`" + X.Name + "` has " + std::to_string(*Length) + " elements")
          .help("copy fewer elements, or make the buffer longer")
      << "this copies elements " << *From << " to " << *From + *Count - 1
      << What << " `" << X.Name << "`, past its end";
  return false;
}

void Checker::overlap(const Copy &C) {
  std::optional<uint64_t> Src = bits(C.SrcOffset), Dst = bits(C.DstOffset),
                          Count = bits(C.Count);
  bool Same = C.Src == C.Dst && C.SrcOffset == C.DstOffset && Count != 0;
  if (C.Src == C.Dst && Src && Dst && Count)
    Same = *Src < *Dst + *Count && *Dst < *Src + *Count;
  if (!Same)
    return;
  Good = false;
  Diags.report(diag::G1109, C.Loc).help("copy into another buffer first")
      << "the two ends of this copy share elements of `"
      << P.Buffers[C.Src].Name << '`';
}

void Checker::step(const Copy &C) {
  reads(C.Src, C.Loc);
  writes(C.Dst);
  if (end(C.Src, C.SrcOffset, C, " of") && end(C.Dst, C.DstOffset, C, " into"))
    overlap(C);
}

void Checker::flag(const StopFlag &F, Span Where) {
  const Buffer &X = P.Buffers[F.Flag];
  reads(F.Flag, Where);
  std::optional<uint64_t> Index = bits(F.Index), Length = bits(X.Count);
  if (!Index || !Length || *Index < *Length)
    return;
  Good = false;
  Diags.report(diag::G1110, Where)
          .note(X.Loc,
                "`" + X.Name + "` has " + std::to_string(*Length) + " elements")
          .help("take an element of the buffer")
      << "the flag is element " << *Index << " of `" << X.Name
      << "`, past its end";
}

void Checker::step(const Loop &L) {
  if (L.Stop)
    flag(*L.Stop, L.Loc);
  steps(L.Body);
}

void Checker::step(const Choice &C) {
  steps(C.Then);
  steps(C.Else);
}

void Checker::steps(const std::vector<Step> &List) {
  Steps += List.size();
  for (const Step &Next : List)
    std::visit([this](const auto &S) { step(S); }, Next.Kind);
}

bool Checker::run() {
  steps(P.Steps);
  if (Steps > program::limits::Steps) {
    Good = false;
    Diags.report(diag::G1114, P.Loc).help("write loops, or several programs")
        << "program `" << P.Name << "` has " << Steps << " steps, at most "
        << program::limits::Steps << " are possible";
  }
  return Good;
}

} // namespace

bool prog::checkProgram(const Program &P, const Module &M, DiagSink &Diags) {
  return Checker(P, M, Diags).run();
}
