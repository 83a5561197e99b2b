//===- LimitTest.cpp - Limits of the language and of a target
//---------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// V61 to V64. Messages show what was found and the limit.
//
//===----------------------------------------------------------------------===//
#include "Sample.h"

using namespace goldy;
using namespace goldy::test;

static bool says(const Sample &S, const std::string &Text) {
  std::string All = S.problems();
  INFO(All);
  return All.find(Text) != All.npos;
}

TEST_CASE("V61: workgroup size") {
  Sample S;
  S.kernel().WorkgroupSize = {32, 32, 2};
  CHECK(says(S, "workgroup size 32 x 32 x 2 has 2048 work-items, the limit is "
                "1024"));
  S.kernel().WorkgroupSize = {1, 1, 65};
  CHECK(says(S, "65 along z, the limit is 64"));
  S.kernel().WorkgroupSize = {0xffffffff, 0xffffffff, 0xffffffff};
  CHECK(says(S, "the limit is 1024"));
}

TEST_CASE("V62: workgroup memory") {
  Sample S;
  Function &F = S.kernel();
  F.WorkgroupArrays[WorkgroupId(0)].Type = S.M.Types.array(types::F32, 12289);
  CHECK(workgroupBytes(S.M, F) == 49156);
  DiagSink Diags;
  CHECK(verify(S.M, Diags));
  REQUIRE(Diags.diagnostics().size() == 1);
  CHECK(Diags.diagnostics()[0].Code == diag::G0653);
  CHECK(checkWorkgroupMemory(S.M, F, "host", 1 << 20, Diags));
  CHECK_FALSE(checkWorkgroupMemory(S.M, F, "ptx", 48 << 10, Diags));
  CHECK(Diags.diagnostics()[1].Message ==
        "kernel `k` uses 49156 bytes of workgroup memory, but ptx has 49152");
  F.WorkgroupArrays[WorkgroupId(0)].Type = S.M.Types.array(types::F32, 262145);
  CHECK(says(S, "no target has 1048576"));
}

TEST_CASE("V63: size after expansion") {
  // Thirty helpers that each call the one before twice.
  Module M;
  for (int I = 0; I < 30; ++I) {
    FuncId Id = M.Functions.push({});
    Function &F = M.Functions[Id];
    F.Name = "h" + std::to_string(I);
    Builder B(M, F);
    F.Body = B.newBlock();
    B.setBlock(F.Body);
    if (I == 29)
      F.Kind = FuncKind::Kernel;
    for (int Twice = 0; I > 0 && Twice < 2; ++Twice)
      B.call(FuncId(I - 1), {});
    B.assume(B.boolean(true));
  }
  DiagSink Diags;
  CHECK_FALSE(verify(std::move(M), Diags));
  CHECK(Diags.diagnostics().front().Code == diag::G0655);
}

TEST_CASE("V64: private values") {
  Sample S;
  S.kernel().Slots[S.Array].Type = S.M.Types.array(types::F32, 16385);
  CHECK(says(S, "variable `p` holds 16385 numbers, the limit is 16384"));
}
