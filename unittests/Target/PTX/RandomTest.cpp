//===- RandomTest.cpp - Random kernels reach the assembler ------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever the passes make of a verified definition for sm_80 is emitted, and
// ptxas takes it.
//
//===----------------------------------------------------------------------===//
#include "../RandomKernel.h"
#include "PtxTest.h"

#include "goldyc/Transforms/Pass.h"

using namespace goldy;
using namespace goldy::test;

TEST_CASE("random kernels assemble") {
  for (uint32_t Seed = 0; Seed < 40; ++Seed) {
    INFO("seed " << Seed);
    unsigned OptLevel = Seed % 3;
    Module M = RandomKernel::make(Seed, 4);
    DiagSink Diags;
    Fuel Unlimited;
    const Capabilities &Caps = *capabilitiesFor("sm_80");
    PassContext Context{Diags, Caps, Unlimited};
    REQUIRE(runPasses(M, legalisationPasses(Caps, OptLevel), Context));
    std::optional<VerifiedModule> V = verify(std::move(M), Diags);
    REQUIRE(V);
    EmitOptions Options;
    Options.OptLevel = OptLevel;
    std::optional<Image> I = emitPtx(*V, FuncId(0), "sm_80", Options, Diags);
    REQUIRE(I);
    std::string Text(I->Bytes.begin(), I->Bytes.end());
    CHECK(assembles(Text, "sm_80"));
  }
}
