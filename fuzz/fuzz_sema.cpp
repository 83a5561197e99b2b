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
// and its text parses back to itself. Programs become templates that keep the
// rules of descriptions, on one device and spread over three.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Frontend/Parser.h"
#include "goldyc/Frontend/Sema.h"
#include "goldyc/IR/Text.h"
#include "goldyc/ProgramDesc/Build.h"
#include "goldyc/Verify/Verify.h"
#include "program/Check.h"
#include "program/Text.h"

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

void checkTemplate(const prog::Program &P, const Module &M) {
  program::ProgramTemplate T = prog::buildTemplate(P, M);
  std::optional<program::Refusal> R = program::check(T);
  bool Limit =
      R && program::ruleInfo(R->Broken).Class == program::RuleClass::Limit;
  require(!R || Limit, R ? R->Message : "");
  std::string Text = program::toText(T), Why;
  program::ProgramTemplate Again;
  require(program::fromText(Text, Again, Why), Why);
  require(program::toText(Again) == Text, Text);
}

void checkPrograms(std::vector<prog::Program> Programs, Module M,
                   DiagSink &Diags) {
  for (prog::Program &P : Programs) {
    if (!prog::checkProgram(P, M, Diags))
      continue;
    prog::addCopyKernels(P, M);
    prog::Program Spread = P;
    prog::spreadOverDevices(Spread, {"a", "b", "c"});
    for (prog::Program *Next : {&P, &Spread}) {
      prog::placeBuffers(*Next, M);
      checkTemplate(*Next, M);
    }
  }
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  SourceManager SM;
  FileId File = SM.add("fuzz.goldy",
                       std::string(reinterpret_cast<const char *>(Data), Size));
  DiagSink Diags(WarningOptions(), 0);
  ast::Ast Tree = parseFile(SM, File, Diags);
  size_t OfParser = Diags.diagnostics().size();
  std::vector<prog::Program> Programs;
  std::optional<Module> M = lowerToIR(SM, Tree, {}, Diags, &Programs);
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
  checkPrograms(std::move(Programs), *M, Diags);
  return 0;
}
