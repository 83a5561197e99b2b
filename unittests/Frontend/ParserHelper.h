//===- ParserHelper.h - What the parser's tests share ---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses a text and gives its findings as `line:column G0123` and its tree as
// text, which is what tests compare.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_UNITTESTS_PARSERHELPER_H
#define GOLDYC_UNITTESTS_PARSERHELPER_H

#include "goldyc/Frontend/Parser.h"

#include <sstream>

namespace goldy {

struct Parsed {
  SourceManager SM;
  DiagSink Diags{WarningOptions(), 0};
  ast::Ast Tree;

  explicit Parsed(std::string Text) {
    FileId File = SM.add("t.goldy", std::move(Text));
    Tree = parseFile(SM, File, Diags);
  }
  /// "2:5 G0401, 3:1 G0440".
  std::string findings() const {
    std::string S;
    for (const Diagnostic &D : Diags.diagnostics()) {
      LineColumn At = SM.lineColumn(D.Where.File, D.Where.Begin);
      S += (S.empty() ? "" : ", ") + std::to_string(At.Line) + ":" +
           std::to_string(At.Column) + " " + diagCodeName(D.Code);
    }
    return S;
  }
  /// The text that the first finding points at.
  std::string guilty() const {
    if (Diags.diagnostics().empty())
      return "";
    return std::string(SM.text(Diags.diagnostics()[0].Where));
  }
  std::string message() const {
    return Diags.diagnostics().empty() ? "" : Diags.diagnostics()[0].Message;
  }
  std::string tree() const {
    std::ostringstream Out;
    printAst(Out, Tree);
    return Out.str();
  }
};

/// A statement list inside a kernel, from line 1 on.
inline Parsed inKernel(const std::string &Body) {
  return Parsed("fn k() { " + Body + "\n}");
}

} // namespace goldy

#endif
