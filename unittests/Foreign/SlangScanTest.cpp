//===- SlangScanTest.cpp - Kernels and structs of Slang text --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SlangScan.h"

#include <catch2/catch.hpp>

using namespace goldy;
using namespace goldy::foreign;

static SlangScan scan(std::string_view Text) {
  return scanSlang(Text, FileId(0));
}

TEST_CASE("kernels are found by their attributes, in any order and bracket") {
  SlangScan S = scan(R"(
#define TRAP [goldy_compute] \
    void no() {}
// [goldy_compute] void comment() {}
/* [goldy_compute] void comment() {} */
static const char t[] = "[goldy_compute] void text() {}";
[numthreads(8, 4)] [goldy_compute]
public void one(BufRO<float> x, Scattered< Pair<uint, 2> > y, uint n = f(1, 2), uint3 id : SV_GroupID) { if (x) { } }
[[vk::x(1, 2)]] [shader("compute"), numthreads(N * (1 + 2), 1, 2)]
void two() {}
[shader("vertex")] void three() {}
void four(uint a) {}
[goldy_compute] int five;
)");
  REQUIRE(S.Kernels.size() == 2);
  const SlangKernel &One = S.Kernels[0], &Two = S.Kernels[1];
  CHECK(One.Name == "one");
  CHECK(One.Goldy);
  CHECK(One.Size == std::array<std::string, 3>{"8", "4", "1"});
  REQUIRE(One.Params.size() == 4);
  CHECK(One.Params[0].Type == "BufRO<float>");
  CHECK(One.Params[0].Element == "float");
  CHECK(One.Params[1].Element == "Pair<uint,2>");
  CHECK(One.Params[2].Name == "n");
  CHECK(One.Params[3].Semantic == "SV_GroupID");
  CHECK(Two.Name == "two");
  CHECK_FALSE(Two.Goldy);
  CHECK(Two.Size[0] == "N*(1+2)");
}

TEST_CASE("structs of plain fields") {
  SlangScan S = scan(R"(
struct P { float3 v; uint n[2][3]; Q q; };
struct Q { float a; void f() {} };
struct R;
)");
  REQUIRE(S.Structs.size() == 2);
  CHECK(S.Structs[0].Plain);
  REQUIRE(S.Structs[0].Fields.size() == 3);
  CHECK(S.Structs[0].Fields[1].Extents == std::vector<std::string>{"2", "3"});
  CHECK_FALSE(S.Structs[1].Plain);
}

TEST_CASE("any prefix of a text is scanned to its end") {
  std::string_view Text = "[goldy_compute][numthreads(1,1,1)] void k(BufRO<P"
                          "<int>> x[3] : S, in float \"a\" = {(1)}) { \"}\" } "
                          "struct S { int a[3]; };";
  for (size_t N = 0; N <= Text.size(); ++N)
    CHECK(scan(Text.substr(0, N)).Kernels.size() <= 1);
}
