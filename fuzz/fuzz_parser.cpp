//===- fuzz_parser.cpp - Lexer and parser take any bytes ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checked beside the sanitizers: no finding has a place outside the file, a
// finished tree holds no Range node, and printing the tree terminates.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Frontend/Parser.h"

#include <cstdlib>
#include <sstream>

using namespace goldy;

namespace {
void require(bool Holds) {
  if (!Holds)
    std::abort();
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  SourceManager SM;
  FileId File = SM.add("fuzz.goldy",
                       std::string(reinterpret_cast<const char *>(Data), Size));
  DiagSink Diags(WarningOptions(), 0);
  ast::Ast Tree = parseFile(SM, File, Diags);
  for (const Diagnostic &D : Diags.diagnostics()) {
    require(D.Where.Begin <= D.Where.End && D.Where.End <= Size);
    for (const DiagNote &N : D.Notes)
      require(!N.Where.isValid() || N.Where.End <= Size);
    std::ostringstream Text;
    renderText(Text, SM, D, false);
  }
  for (const ast::Expr &E : Tree.Exprs)
    require(E.Form != ast::ExprForm::Range);
  require(!Tree.Incomplete || Diags.hasErrors());
  std::ostringstream Out;
  printAst(Out, Tree);
  return 0;
}
