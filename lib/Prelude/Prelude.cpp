//===- Prelude.cpp - Lowers the embedded sources once
//-----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A prelude that does not compile is a fault of ours, found by the first test
// that uses it: the process ends with the diagnostics.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Prelude/Prelude.h"

#include "goldyc/Frontend/Parser.h"
#include "goldyc/Frontend/Sema.h"

#include <cstdlib>
#include <iostream>

using namespace goldy;

namespace {

Module lower(std::string_view Name, std::string_view Text) {
  SourceManager SM;
  DiagSink Diags;
  FileId File = SM.add(std::string(Name), std::string(Text));
  ast::Ast Tree = parseFile(SM, File, Diags);
  SemaOptions Options;
  Options.IsPrelude = true;
  std::optional<Module> M;
  if (!Diags.hasErrors())
    M = lowerToIR(SM, Tree, Options, Diags);
  if (M)
    return std::move(*M);
  std::cerr << "internal error: the prelude does not compile\n";
  for (const Diagnostic &D : Diags.diagnostics())
    renderText(std::cerr, SM, D, /*Color=*/false);
  std::abort();
}

/// Its locations mean nothing outside its own source manager.
Module withoutLocations(Module M) {
  for (Function &F : M.Functions) {
    F.Loc = Span();
    for (Inst &I : F.Insts)
      I.Loc = Span();
    for (Slot &S : F.Slots)
      S.Loc = Span();
  }
  return M;
}

} // namespace

const Module &goldy::exactPrelude() {
  static const Module M =
      withoutLocations(lower("<prelude>/exact.goldy", exactPreludeText()));
  return M;
}

const Module &goldy::mathPrelude() {
  static const Module M =
      withoutLocations(lower("<prelude>/math.goldy", mathPreludeText()));
  return M;
}
