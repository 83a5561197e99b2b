//===- fuzz_sema.cpp - Any text through analysis and lowering
//---------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checked beside the sanitizers: there is a module exactly if there was no
// error, every error says what to do, the module keeps the structural rules,
// and its text parses back to itself.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Frontend/Parser.h"
#include "goldyc/Frontend/Sema.h"
#include "goldyc/IR/Text.h"
#include "goldyc/Verify/Verify.h"

#include <cstdio>
#include <cstdlib>

using namespace goldy;

namespace {
void require(bool Holds, const std::string &Why) {
  if (Holds)
    return;
  std::fprintf(stderr, "%s\n", Why.c_str());
  std::abort();
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  SourceManager SM;
  FileId File = SM.add("fuzz.goldy",
                       std::string(reinterpret_cast<const char *>(Data), Size));
  DiagSink Diags(WarningOptions(), 0);
  ast::Ast Tree = parseFile(SM, File, Diags);
  size_t OfParser = Diags.diagnostics().size();
  std::optional<Module> M = lowerToIR(SM, Tree, {}, Diags);
  require(M.has_value() == !Diags.hasErrors(), "a module in spite of errors");
  for (size_t I = OfParser; I < Diags.diagnostics().size(); ++I)
    require(!Diags.diagnostics()[I].Notes.empty(),
            "no advice: " + Diags.diagnostics()[I].Message);
  if (!M)
    return 0;
  std::string Why;
  require(isWellFormed(*M, Why), Why);
  std::string Text = moduleText(*M);
  FileId Again = SM.add("fuzz.gir", Text);
  std::optional<Module> Parsed = parseIRText(SM, Again, Diags);
  require(Parsed && moduleText(*Parsed) == Text, Text);
  return 0;
}
