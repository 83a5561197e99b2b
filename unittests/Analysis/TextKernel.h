//===- TextKernel.h - Kernels from text for analysis tests
//------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses and checks IR text and finds values by their names.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_UNITTESTS_ANALYSIS_TEXTKERNEL_H
#define GOLDYC_UNITTESTS_ANALYSIS_TEXTKERNEL_H

#include "goldyc/IR/Text.h"
#include "goldyc/Verify/Verify.h"

#include <catch2/catch.hpp>

namespace goldy::test {

struct TextKernel {
  Module M;

  explicit TextKernel(const std::string &Body, const std::string &Items = "") {
    SourceManager SM;
    std::string Head = "#[goldy::compute(workgroup_size = [64, 2, 1])]\n"
                       "fn k(x: &[u32], y: &mut [u32], n: u32, m: i32) {\n";
    FileId File =
        SM.add("t", "#![goldy::ir]\n" + Items + Head + Body + "\n}\n");
    DiagSink Diags;
    std::optional<Module> Parsed = parseIRText(SM, File, Diags);
    for (const Diagnostic &D : Diags.diagnostics())
      UNSCOPED_INFO(SM.lineColumn(File, D.Where.Begin).Line << D.Message);
    REQUIRE(Parsed);
    M = std::move(*Parsed);
    std::string Why;
    bool Sound = isWellFormed(M, Why);
    UNSCOPED_INFO(Why);
    REQUIRE(Sound);
  }
  const Function &kernel() const { return M.Functions[M.kernels()[0]]; }
  /// The value of this name.
  ValueId operator[](std::string_view Name) const {
    for (uint32_t I = 0; I < kernel().Insts.size(); ++I)
      if (kernel().nameOf(InstId(I)) == Name)
        return InstId(I);
    FAIL("no value " << Name);
    return {};
  }
  /// The instruction number `Skip` of this operation.
  InstId find(Op O, unsigned Skip = 0) const {
    for (uint32_t I = 0; I < kernel().Insts.size(); ++I)
      if (kernel().Insts[InstId(I)].Opcode == O && Skip-- == 0)
        return InstId(I);
    FAIL("no such instruction");
    return {};
  }
};

} // namespace goldy::test

#endif
