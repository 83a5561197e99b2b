//===- SlangTest.h - What the Slang tests share -----------------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From kernel source to both forms of Slang text.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_UNITTESTS_TARGET_SLANG_SLANGTEST_H
#define GOLDYC_UNITTESTS_TARGET_SLANG_SLANGTEST_H

#include "goldyc/Frontend/Parser.h"
#include "goldyc/Frontend/Sema.h"
#include "goldyc/IR/Rewriter.h"
#include "goldyc/Target/Slang/Emit.h"
#include "goldyc/Transforms/Pass.h"

#include <catch2/catch.hpp>

namespace goldy::test {

inline void explain(const DiagSink &Sink) {
  for (const Diagnostic &D : Sink.diagnostics())
    UNSCOPED_INFO(D.Message);
}

/// The verified definition of a source that begins after `use goldy::gpu;`.
inline VerifiedModule definition(std::string Source) {
  SourceManager SM;
  DiagSink Sink;
  FileId File = SM.add("t.goldy", "use goldy::gpu;\n" + std::move(Source));
  ast::Ast Tree = parseFile(SM, File, Sink);
  std::optional<Module> M;
  if (!Sink.hasErrors())
    M = lowerToIR(SM, Tree, SemaOptions(), Sink);
  explain(Sink);
  REQUIRE(M);
  std::optional<VerifiedModule> V = verify(std::move(*M), Sink);
  explain(Sink);
  REQUIRE(V);
  return std::move(*V);
}

/// Canonical text of the only kernel.
inline std::string canonical(std::string Source) {
  VerifiedModule V = definition(std::move(Source));
  DiagSink Sink;
  std::optional<std::string> Text = emitSlang(V, V->kernels()[0], Sink);
  explain(Sink);
  REQUIRE(Text);
  return *Text;
}

/// Bit-exact text of the only kernel.
inline std::string legalEntry(const VerifiedModule &V, unsigned OptLevel) {
  Module M = extractKernel(*V, V->kernels()[0]);
  DiagSink Sink;
  Fuel Rewrites;
  const Capabilities *Caps = capabilitiesFor("slang");
  REQUIRE(Caps);
  PassContext Context{Sink, *Caps, Rewrites};
  bool Legal = runPasses(M, legalisationPasses(*Caps, OptLevel), Context);
  explain(Sink);
  REQUIRE(Legal);
  std::optional<VerifiedModule> L = verify(std::move(M), Sink);
  explain(Sink);
  REQUIRE(L);
  std::optional<SlangEntry> E = emitSlangEntry(*L, (*L)->kernels()[0], Sink);
  explain(Sink);
  REQUIRE(E);
  return E->Text;
}

inline std::string entry(std::string Source, unsigned OptLevel = 2) {
  return legalEntry(definition(std::move(Source)), OptLevel);
}

inline bool has(std::string_view Text, std::string_view What) {
  return Text.find(What) != Text.npos;
}

} // namespace goldy::test

#endif
