//===- fuzz_verify.cpp - Verified IR text survives every pass -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The verifier takes any module that IR text can spell, and what it accepts
// goes through the passes of every target to sound IR or a diagnostic.
//
//===----------------------------------------------------------------------===//
#include "goldyc/IR/Text.h"
#include "goldyc/Transforms/Pass.h"
#include "goldyc/Verify/Verify.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>

using namespace goldy;

static void legalise(Module M, const char *Arch, unsigned OptLevel) {
  DiagSink Diags(WarningOptions(), 0);
  const Capabilities &Caps = *capabilitiesFor(Arch);
  Fuel Fuel;
  PassContext Context{Diags, Caps, Fuel};
  PassObserver Observer;
  Observer.VerifyEach = true;
  if (!runPasses(M, legalisationPasses(Caps, OptLevel), Context, Observer)) {
    if (!Diags.hasErrors())
      std::abort();
    return;
  }
  verify(std::move(M), Diags);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string Text = "#![goldy::ir]\n";
  Text.append(reinterpret_cast<const char *>(Data), Size);
  SourceManager SM;
  FileId File =
      SM.add("fuzz.goldy", isIRText(Text.substr(14)) ? Text.substr(14) : Text);
  DiagSink Diags(WarningOptions(), 0);
  std::optional<Module> M = parseIRText(SM, File, Diags);
  if (!M)
    return 0;
  std::optional<VerifiedModule> Verified = verify(std::move(*M), Diags);
  for (const Diagnostic &D : Diags.diagnostics()) {
    std::ostringstream Out;
    renderText(Out, SM, D, false);
  }
  if (!Verified)
    return 0;
  for (const char *Arch : {"x86-64-v2", "vulkan1.3", "sm_80"})
    for (unsigned Level : {0u, 2u})
      legalise(**Verified, Arch, Level);
  return 0;
}
