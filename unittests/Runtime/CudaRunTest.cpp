//===- CudaRunTest.cpp - What runs change in CUDA graphs ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memories, ends of copies and grids of a run set nodes of the graph that there
// is; a graph is made anew where nodes cannot take them.
//
//===----------------------------------------------------------------------===//
#include "CudaOpened.h"

#include <array>

using namespace goldy::rt;

namespace {

/// A submission on an open device, and the lines that its runs leave.
struct Runner {
  FakeCuda Fake;
  Opened O;
  SubmissionId Id{};
  MemoryId Memories[3] = {};

  Runner() {
    for (MemoryId &M : Memories)
      REQUIRE(O.driver().allocate(1024, M).ok());
  }
  ~Runner() {
    if (Id != SubmissionId{})
      O.driver().releaseSubmission(Id);
    for (MemoryId M : Memories)
      O.driver().release(M);
  }
  void prepare(SubmissionDesc Desc) {
    Fake.reset();
    REQUIRE(O.driver().prepare(std::move(Desc), Id).ok());
  }
  /// The graphs that were made, then the nodes that were set.
  std::array<size_t, 2> run(std::vector<uint64_t> Words,
                            std::vector<MemoryId> Brought) {
    Fake.reset();
    uint64_t Point = 0;
    Status S = O.driver().run(Id, {Words, Brought}, Point);
    INFO(S.message());
    REQUIRE(S.ok());
    REQUIRE(O.driver().wait(Point, GOLDY_FOREVER).ok());
    return {Fake.lines("graph").size(), Fake.lines("set").size()};
  }
  std::string graph() { return Fake.lines("graph").at(0); }
};

using Counts = std::array<size_t, 2>;

Part brought(Part P, size_t Use, uint32_t Number) {
  P.Uses[Use].RunMemory = Number;
  return P;
}

} // namespace

TEST_CASE("memories of runs are set in a CUDA graph's nodes") {
  Runner R;
  SubmissionDesc Desc;
  Desc.Parts = {brought(R.O.fill(0, 64), 0, 0),
                brought(brought(R.O.copy(0, 64, 16), 0, 0), 1, 1),
                R.O.fill(512, 16)};
  Desc.Memories = 2;
  R.prepare(std::move(Desc));
  MemoryId A = R.Memories[0], B = R.Memories[1], C = R.Memories[2];
  CHECK(R.run({}, {A, B}) == Counts{1, 0});
  CHECK(R.graph() == "graph 3 nodes, 1 edges");
  CHECK(R.run({}, {A, B}) == Counts{0, 0});
  CHECK(R.run({}, {A, C}) == Counts{0, 1});
  CHECK(R.run({}, {B, C}) == Counts{0, 2});
  // One memory twice, then one that a part names: parts wait for each other.
  CHECK(R.run({}, {B, B}) == Counts{1, 0});
  CHECK(R.graph() == "graph 3 nodes, 2 edges");
  CHECK(R.run({}, {R.O.memory(), B}) == Counts{0, 2});
  CHECK(R.run({}, {A, B}) == Counts{1, 0});
  CHECK(R.graph() == "graph 3 nodes, 1 edges");
}

TEST_CASE("a CUDA graph is made anew for memory of another kind") {
  Runner R;
  std::vector<char> Host(1024, 3);
  MemoryId Borrowed{};
  REQUIRE(R.O.driver().borrow(Host.data(), Host.size(), Borrowed).ok());
  SubmissionDesc Desc;
  Desc.Parts = {brought(R.O.fill(0, 64, 9), 0, 0),
                brought(R.O.copy(0, 64, 16), 0, 1)};
  Desc.Memories = 2;
  R.prepare(std::move(Desc));
  CHECK(R.run({}, {R.Memories[0], R.Memories[1]}) == Counts{1, 0});
  CHECK(R.run({}, {R.Memories[0], Borrowed}) == Counts{1, 0});
  CHECK(R.run({}, {R.Memories[2], Borrowed}) == Counts{0, 1});
  CHECK(R.run({}, {Borrowed, R.Memories[1]}) == Counts{1, 0});
  CHECK(Host[63] == 9);
  CHECK(Host[64] == 3);
  MemoryId Again{};
  CHECK(R.O.driver().borrow(Host.data(), 10, Again).code() ==
        GOLDY_UNSUPPORTED);
  R.O.driver().release(Borrowed);
  REQUIRE(R.O.driver().borrow(Host.data(), 10, Again).ok());
  R.O.driver().release(Again);
}

TEST_CASE("ends of copies that move are set in a CUDA graph's nodes") {
  Runner R;
  SubmissionDesc Desc;
  Desc.Parts = {R.O.copy(0, 512, 16), R.O.copy(16, 900, 8)};
  Desc.Parts[0].SrcWord = 0;
  Desc.Parts[0].DstWord = 1;
  Desc.Words = 3;
  R.prepare(std::move(Desc));
  CHECK(R.run({4, 8, 0}, {}) == Counts{1, 0});
  CHECK(R.graph() == "graph 2 nodes, 1 edges"); // they may meet
  CHECK(R.run({4, 8, 0}, {}) == Counts{0, 0});
  CHECK(R.run({4, 8, 1}, {}) == Counts{0, 0});
  CHECK(R.run({4, 9, 1}, {}) == Counts{0, 1});
  CHECK(R.run({0, 0, 1}, {}) == Counts{0, 1});
}

TEST_CASE("grids of runs are set in a CUDA graph's nodes") {
  Runner R;
  SubmissionDesc Desc = R.O.launch({{1, 1, 1}});
  Desc.Parts[0].Pieces.clear();
  Desc.Parts[0].GroupWords = {NoIndex, 0, NoIndex};
  Desc.Parts[0].GroupsAtOnce = 4;
  Desc.Parts[0].Groups[0] = 9;
  Desc.Parts.push_back(R.O.fill(64, 16));
  Desc.Words = 1;
  R.prepare(std::move(Desc));
  CHECK(R.run({7}, {}) == Counts{1, 0});
  std::string Ran = R.Fake.lines("kernel").at(0);
  CHECK(Ran.find("kernel goldy_saxpy 3 7 1 at ") == 0);
  CHECK(wordAt(Ran, GroupsY - 4) == 9);
  CHECK(wordAt(Ran, GroupsY) == 7);
  CHECK(wordAt(Ran, GroupsY + 4) == 1);
  CHECK(R.run({8}, {}) == Counts{0, 1});
  CHECK(wordAt(R.Fake.lines("kernel").at(0), GroupsY) == 8);
  // Two pieces, none, one again.
  CHECK(R.run({70000}, {}) == Counts{1, 0});
  CHECK(R.graph() == "graph 4 nodes, 3 edges");
  CHECK(R.run({70001}, {}) == Counts{0, 2});
  CHECK(R.Fake.lines("kernel").size() == 2);
  CHECK(R.run({0}, {}) == Counts{1, 0});
  CHECK(R.graph() == "graph 1 nodes, 0 edges");
  CHECK(R.Fake.lines("kernel").empty());
  CHECK(R.run({0}, {}) == Counts{0, 0});
  CHECK(R.run({1}, {}) == Counts{1, 0});
}

TEST_CASE("a graph that cannot be made for a run leaves the one before it") {
  Runner R;
  SubmissionDesc Desc = R.O.launch({{1, 1, 1}});
  Desc.Parts[0].Pieces.clear();
  Desc.Parts[0].GroupWords = {NoIndex, 0, NoIndex};
  Desc.Words = 1;
  R.prepare(std::move(Desc));
  CHECK(R.run({7}, {}) == Counts{1, 0});
  constexpr int NoMemory = 2;
  R.Fake.fail(1, NoMemory, "cuGraphInstantiateWithFlags");
  uint64_t Many = 70000, Point = 0;
  CHECK(R.O.driver().run(R.Id, {{&Many, 1}, {}}, Point).code() ==
        GOLDY_OUT_OF_MEMORY);
  CHECK(R.run({7}, {}) == Counts{0, 0});
  CHECK(wordAt(R.Fake.lines("kernel").at(0), GroupsY) == 7);
  CHECK(R.run({70000}, {}) == Counts{1, 0});
}
