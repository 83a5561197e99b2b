//===- RunMemoriesTest.cpp - Whether a run's memories are different ones --===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/RunMemories.h"

#include <catch2/catch.hpp>

using namespace goldy::rt;

/// Memory number N lies where this says.
static MemoryRange Places[8];
static MemoryRange placeOf(MemoryId M) {
  return Places[static_cast<uint64_t>(M)];
}
static MemoryId operator""_m(unsigned long long N) { return MemoryId(N); }

static RunMemories memories(std::vector<MemoryId> Named, uint32_t Brought) {
  SubmissionDesc Desc;
  Part P;
  for (MemoryId M : Named)
    P.Uses.push_back({M, 0, 1, true});
  for (uint32_t N = 0; N < Brought; ++N)
    P.Uses.push_back({MemoryId{}, 0, 1, true, N});
  Desc.Parts = {P};
  Desc.Memories = Brought;
  return RunMemories(Desc, placeOf);
}

static bool apart(RunMemories &M, std::vector<MemoryId> Run) {
  M.look(Run);
  return M.apart();
}

TEST_CASE("a run's memories are apart from each other and from what parts "
          "name") {
  for (uint64_t N = 0; N < 8; ++N)
    Places[N] = {100 * N, 100 * N + 100};
  RunMemories M = memories({5_m, 1_m, 3_m, 1_m}, 2);
  CHECK(apart(M, {2_m, 4_m}));
  CHECK(apart(M, {0_m, 7_m}));
  CHECK_FALSE(apart(M, {2_m, 2_m}));
  for (MemoryId Named : {1_m, 3_m, 5_m}) {
    CHECK_FALSE(apart(M, {Named, 4_m}));
    CHECK_FALSE(apart(M, {4_m, Named}));
  }
  CHECK(apart(M, {4_m, 6_m}));
}

TEST_CASE("memories that lie in part in others are not apart") {
  for (uint64_t N = 0; N < 8; ++N)
    Places[N] = {100 * N, 100 * N + 100};
  RunMemories M = memories({0_m, 2_m, 3_m}, 2);
  Places[6] = {250, 420}; // a borrow of what lies in 2 to 4
  CHECK_FALSE(apart(M, {6_m, 7_m}));
  Places[6] = {400, 401};
  CHECK(apart(M, {6_m, 7_m}));
  CHECK_FALSE(apart(M, {6_m, 4_m}));
  Places[6] = {400, 400}; // nothing shares a byte with it
  CHECK(apart(M, {6_m, 4_m}));
  Places[6] = {0, 1000};
  CHECK_FALSE(apart(M, {6_m, 4_m}));
}

TEST_CASE("memory that lies elsewhere is another one, whatever its name") {
  for (uint64_t N = 0; N < 8; ++N)
    Places[N] = {100 * N, 100 * N + 100};
  RunMemories M = memories({0_m}, 1);
  CHECK(apart(M, {1_m}));
  CHECK(M.changed());
  CHECK(apart(M, {1_m}));
  CHECK_FALSE(M.changed());
  Places[1] = {900, 1000};
  CHECK(apart(M, {1_m}));
  CHECK(M.changed());
  Places[1] = {50, 60};
  CHECK_FALSE(apart(M, {1_m}));
  CHECK_FALSE(apart(M, {1_m}));
  CHECK_FALSE(M.changed());
}

TEST_CASE("memories of a run that no part uses are not looked at") {
  for (uint64_t N = 0; N < 8; ++N)
    Places[N] = {100 * N, 100 * N + 100};
  SubmissionDesc Desc;
  Part P;
  P.Uses = {{1_m, 0, 1, true}, {MemoryId{}, 0, 1, true, 2}};
  Desc.Parts = {P};
  Desc.Memories = 4;
  RunMemories M(Desc, placeOf);
  CHECK(apart(M, {1_m, 3_m, 3_m, 1_m}));
  CHECK_FALSE(apart(M, {2_m, 3_m, 1_m, 4_m}));
}

TEST_CASE("a submission without memories of the run is apart") {
  RunMemories M = memories({1_m, 1_m}, 0);
  CHECK(apart(M, {}));
  CHECK(apart(M, {}));
  CHECK_FALSE(M.changed());
}
