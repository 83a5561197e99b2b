//===- fuzz_irtext.cpp - IR text, verifier and interpreter take any bytes
//--===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What parses is printed, parsed and printed again to the same text. What is
// verified too is run on small buffers: it ends, or stops with a fault.
//
//===----------------------------------------------------------------------===//
#include "goldyc/IR/Text.h"
#include "goldyc/Interp/Interp.h"
#include "goldyc/Verify/Verify.h"

#include <cstdlib>
#include <cstring>
#include <sstream>

using namespace goldy;

namespace {

void require(bool Holds) {
  if (!Holds)
    std::abort();
}

std::optional<Module> parse(std::string Text) {
  SourceManager SM;
  FileId File = SM.add("fuzz.goldy", std::move(Text));
  DiagSink Diags;
  std::optional<Module> M = parseIRText(SM, File, Diags);
  require(M.has_value() != Diags.hasErrors());
  for (const Diagnostic &D : Diags.diagnostics()) {
    std::ostringstream Out;
    renderText(Out, SM, D, false);
  }
  return M;
}

void runKernels(const Module &M) {
  for (FuncId K : M.kernels()) {
    const Function &F = M.Functions[K];
    std::vector<std::vector<std::byte>> Memory(F.Params.size());
    std::vector<InterpArgument> Arguments;
    for (size_t I = 0; I < F.Params.size(); ++I) {
      uint64_t Stride = M.Types.stride(F.Params[I].Type);
      uint64_t Count = F.Params[I].Kind == ParamKind::Uniform ? 1 : 3;
      if (F.Params[I].Kind != ParamKind::Scalar && Stride < 4096)
        Memory[I].resize(Count * Stride);
      Arguments.push_back({I & 1, Memory[I]});
    }
    InterpOptions Options;
    Options.StepLimit = 10000;
    (void)interpret(M, K, {2, 1, 1}, Arguments, Options);
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::optional<Module> M =
      parse(std::string(reinterpret_cast<const char *>(Data), Size));
  if (!M)
    return 0;
  std::string Printed = moduleText(*M);
  std::optional<Module> Again = parse(Printed);
  require(Again.has_value());
  require(moduleText(*Again) == Printed);
  DiagSink Diags;
  if (std::optional<VerifiedModule> V = verify(std::move(*M), Diags))
    runKernels(**V);
  return 0;
}
