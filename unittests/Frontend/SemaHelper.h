//===- SemaHelper.h - What the tests of analysis and lowering share
//---------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses, analyses and lowers a text; gives its findings, its IR text, or the
// words that a kernel leaves in its buffers on the interpreter.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_UNITTESTS_SEMAHELPER_H
#define GOLDYC_UNITTESTS_SEMAHELPER_H

#include "goldyc/Frontend/Parser.h"
#include "goldyc/Frontend/Sema.h"
#include "goldyc/IR/Text.h"
#include "goldyc/Interp/Interp.h"
#include "goldyc/Verify/Verify.h"

#include <cstring>
#include <sstream>

namespace goldy {

struct Lowered {
  SourceManager SM;
  DiagSink Diags{WarningOptions(), 0};
  ast::Ast Tree;
  std::optional<Module> M;

  explicit Lowered(std::string Text, SemaOptions Options = {}) {
    FileId File = SM.add("t.goldy", std::move(Text));
    Tree = parseFile(SM, File, Diags);
    M = lowerToIR(SM, Tree, Options, Diags);
  }
  /// "2:5 G0401, 3:1 G0440".
  std::string findings() const {
    std::string S;
    for (const Diagnostic &D : Diags.diagnostics()) {
      LineColumn At = D.Where.isValid()
                          ? SM.lineColumn(D.Where.File, D.Where.Begin)
                          : LineColumn();
      S += (S.empty() ? "" : ", ") + std::to_string(At.Line) + ":" +
           std::to_string(At.Column) + " " + diagCodeName(D.Code);
    }
    return S;
  }
  /// The text that the first finding points at.
  std::string guilty() const {
    if (Diags.diagnostics().empty() || !Diags.diagnostics()[0].Where.isValid())
      return "";
    return std::string(SM.text(Diags.diagnostics()[0].Where));
  }
  std::string message() const {
    return Diags.diagnostics().empty() ? "" : Diags.diagnostics()[0].Message;
  }
  std::string rendered() const {
    std::ostringstream Out;
    for (const Diagnostic &D : Diags.diagnostics())
      renderText(Out, SM, D, false);
    return Out.str();
  }
  /// IR text without its header line; "" after an error.
  std::string ir() const {
    if (!M)
      return "";
    std::string Text = moduleText(*M);
    return Text.substr(Text.find("\n\n") + 2);
  }
};

/// The text of a kernel with a buffer `o` of words and one of floats, `f`.
inline std::string inKernel(const std::string &Body,
                            const std::string &Items = "") {
  return Items +
         "#[goldy::compute(workgroup_size = [1, 1, 1])] "
         "fn k(o: &mut [u32], p: &mut [i32], f: &mut [f32], n: u32) { " +
         Body + "\n}\n";
}

struct RunResult {
  std::vector<uint32_t> O, P, F;
  std::string Fault; ///< why nothing ran
};

/// Runs the kernel made by `inKernel` with `n` = 3 over one work-item; buffers
/// of `Words` words start as 100, 101, …
inline RunResult runKernel(const std::string &Text, uint32_t Words = 8,
                           SemaOptions Options = {}) {
  RunResult R;
  Lowered L(Text, Options);
  if (!L.M) {
    R.Fault = L.rendered();
    return R;
  }
  DiagSink Diags;
  std::optional<VerifiedModule> V = verify(std::move(*L.M), Diags);
  if (!V) {
    R.Fault = "not verified: " + Diags.diagnostics()[0].Message;
    return R;
  }
  for (uint32_t I = 0; I < Words; ++I)
    R.O.push_back(100 + I);
  R.P = R.F = R.O;
  InterpArgument Args[4];
  std::vector<uint32_t> *Buffers[] = {&R.O, &R.P, &R.F};
  for (unsigned I = 0; I < 3; ++I)
    Args[I].Bytes = std::as_writable_bytes(std::span(*Buffers[I]));
  Args[3].Bits = 3;
  std::optional<InterpFault> Fault =
      interpret(**V, (*V)->find("k"), {1, 1, 1}, Args, {1000000});
  if (Fault)
    R.Fault = Fault->Message;
  return R;
}

} // namespace goldy

#endif
