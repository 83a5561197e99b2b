//===- LegalRuleTest.cpp - Rules on the forms of a level
//--------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// V50 in a definition, V51 to V54 in the legal form.
//
//===----------------------------------------------------------------------===//
#include "Sample.h"

using namespace goldy;
using namespace goldy::test;

TEST_CASE("V50: a definition holds no raw operations") {
  Sample S;
  Builder B(S.M, S.kernel());
  B.setBlock(S.kernel().Body);
  B.op(Op::RawDiv, {B.u32(1), B.u32(1)});
  CHECK(S.violates(50));
}

TEST_CASE("V51, V52: the legal form has no helpers, calls and for") {
  Sample S;
  S.M.Level = IRLevel::Legal;
  CHECK(S.violates(51));
  CHECK(S.violates(52));
}

/// The kernel alone, empty.
struct Legal : Sample {
  Legal() {
    Function F;
    F.Name = "k";
    F.Kind = FuncKind::Kernel;
    F.Body = F.Blocks.push({});
    M.Functions = {};
    M.Functions.push(F);
    M.Level = IRLevel::Legal;
  }
};

TEST_CASE("V53: legal values and slots are scalars") {
  Legal L;
  Function &F = L.M.Functions[FuncId(0)];
  Builder B(L.M, F);
  B.setBlock(F.Body);
  CHECK(L.problems().empty());
  SECTION("a vector value") {
    ValueId Pair[] = {B.u32(0), B.u32(0)};
    B.construct(L.M.Types.vector(types::U32, 2), Pair);
    CHECK(L.violates(53));
  }
  SECTION("a vector slot") {
    B.slot("v", L.M.Types.vector(types::U32, 2));
    CHECK(L.violates(53));
  }
  SECTION("an array of scalars is legal") {
    B.slot("a", L.M.Types.array(types::U32, 2));
    CHECK(L.problems().empty());
  }
}

TEST_CASE("V54: nothing follows an exit in the legal form") {
  Legal L;
  Function &F = L.M.Functions[FuncId(0)];
  Builder B(L.M, F);
  B.setBlock(F.Body);
  B.ret();
  CHECK(L.problems().empty());
  B.barrier();
  CHECK(L.violates(54));
}
