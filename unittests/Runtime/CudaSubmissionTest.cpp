//===- CudaSubmissionTest.cpp - Graphs, words and points ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the CUDA device asks of its driver for submissions, as the fake driver
// has seen it.
//
//===----------------------------------------------------------------------===//
#include "CudaOpened.h"

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

using namespace goldy::rt;

TEST_CASE("CUDA graphs have an edge for each hazard and no other") {
  FakeCuda Fake;
  Opened O;
  auto Graph = [&](std::vector<Part> Parts) {
    Fake.reset();
    SubmissionDesc Desc;
    Desc.Parts = std::move(Parts);
    SubmissionId Id{};
    uint64_t Point = 0;
    REQUIRE(O.driver().prepare(std::move(Desc), Id).ok());
    CHECK(O.driver().run(Id, {}, Point).ok());
    CHECK(O.driver().wait(Point, GOLDY_FOREVER).ok());
    O.driver().releaseSubmission(Id);
    return Fake.lines("graph").at(0);
  };
  // Disjoint writes; two readers of one range; empty parts are nothing.
  CHECK(Graph({O.fill(0, 64), O.fill(64, 64)}) == "graph 2 nodes, 0 edges");
  CHECK(Graph({O.copy(0, 64, 16), O.copy(0, 128, 16)}) ==
        "graph 2 nodes, 0 edges");
  CHECK(Graph({O.fill(0, 0), O.copy(0, 64, 0)}) == "graph 0 nodes, 0 edges");
  // Read after write, write after read, write after write.
  CHECK(Graph({O.fill(0, 16), O.copy(8, 64, 16)}) == "graph 2 nodes, 1 edges");
  CHECK(Graph({O.copy(0, 64, 16), O.fill(15, 2)}) == "graph 2 nodes, 1 edges");
  CHECK(Graph({O.fill(0, 16), O.fill(15, 2)}) == "graph 2 nodes, 1 edges");
  // The third waits for the second, which waits for the first.
  CHECK(Graph({O.fill(4, 4), O.fill(0, 16), O.copy(0, 64, 16)}) ==
        "graph 3 nodes, 2 edges");
  // One edge for two ranges that are shared with the same part.
  CHECK(Graph({O.copy(0, 64, 16), O.copy(64, 0, 16)}) ==
        "graph 2 nodes, 1 edges");
}

TEST_CASE("CUDA parts take effect in order where they share memory") {
  FakeCuda Fake;
  Opened O;
  SubmissionDesc Desc;
  for (uint8_t N = 1; N <= 20; ++N) {
    Desc.Parts.push_back(O.fill(0, 16, N));
    Desc.Parts.push_back(O.copy(4, 32 + 8u * N, 8));
  }
  SubmissionId Id{};
  uint64_t Point = 0;
  REQUIRE(O.driver().prepare(std::move(Desc), Id).ok());
  REQUIRE(O.driver().run(Id, {}, Point).ok());
  std::vector<unsigned char> Got(8 * 20);
  CHECK(O.driver()
            .read(O.memory(), 40, std::as_writable_bytes(std::span(Got)))
            .ok());
  for (size_t I = 0; I < Got.size(); ++I)
    CHECK(Got[I] == 1 + I / 8);
  O.driver().releaseSubmission(Id);
}

TEST_CASE("a grid beyond a CUDA device's limit is nodes side by side") {
  FakeCuda Fake;
  Opened O;
  SubmissionDesc Desc = O.launch({{1, 70000, 2}});
  Desc.Parts.push_back(O.fill(64, 16));
  Fake.reset();
  SubmissionId Id{};
  uint64_t Point = 0;
  REQUIRE(O.driver().prepare(std::move(Desc), Id).ok());
  CHECK(Fake.lines("graph").at(0) == "graph 4 nodes, 3 edges");
  REQUIRE(O.driver().run(Id, {}, Point).ok());
  CHECK(O.driver().wait(Point, GOLDY_FOREVER).ok());
  std::vector<std::string> Ran = Fake.lines("kernel");
  REQUIRE(Ran.size() == 2);
  CHECK(Ran[0].find("kernel goldy_saxpy 1 4465 2 at ") == 0);
  CHECK(wordAt(Ran[0], BaseY) == 65535);
  CHECK(Ran[1].find("kernel goldy_saxpy 1 65535 2 at ") == 0);
  CHECK(wordAt(Ran[1], BaseY) == 0);
  CHECK(wordAt(Ran[1], GroupsY) == 70000);
  O.driver().releaseSubmission(Id);
}

TEST_CASE("words of runs under way on a CUDA device are their own") {
  FakeCuda Fake;
  Opened O;
  SubmissionDesc Desc = O.launch({{1, 70000, 1}});
  Desc.Slots = {{0, WordA, 4, 1}};
  Desc.Words = 2;
  SubmissionId Id{};
  REQUIRE(O.driver().prepare(std::move(Desc), Id).ok());
  Fake.reset();
  Fake.hold(true);
  uint64_t Point = 0;
  const std::vector<uint64_t> Values{7, 7, 8, 0, 0, 9};
  for (uint64_t V : Values) {
    uint64_t Words[2] = {0xdead, V};
    REQUIRE(O.driver().run(Id, {Words, {}}, Point).ok());
  }
  // Pieces are two nodes; equal words set nothing.
  CHECK(Fake.lines("set").size() == 2 * 4);
  CHECK(Fake.lines("kernel").empty());
  CHECK(O.driver().wait(Point, 1000000).code() == GOLDY_TIMEOUT);
  Fake.hold(false);
  CHECK(O.driver().wait(Point, GOLDY_FOREVER).ok());
  std::vector<std::string> Ran = Fake.lines("kernel");
  REQUIRE(Ran.size() == 2 * Values.size());
  for (size_t N = 0; N < Ran.size(); ++N) {
    CHECK(wordAt(Ran[N], WordA) == Values[N / 2]);
    CHECK(wordAt(Ran[N], BaseY) == (N % 2 ? 0 : 65535));
  }
  O.driver().releaseSubmission(Id);
}

TEST_CASE("an update of a CUDA graph that failed is made up for") {
  FakeCuda Fake;
  Opened O;
  SubmissionDesc Desc = O.launch({{1, 70000, 1}});
  Desc.Slots = {{0, WordA, 4, 0}};
  Desc.Words = 1;
  SubmissionId Id{};
  uint64_t Point = 0, Word = 5;
  REQUIRE(O.driver().prepare(std::move(Desc), Id).ok());
  Fake.reset();
  Fake.fail(2, CudaOutOfMemory, "cuGraphExecKernelNodeSetParams");
  CHECK(O.driver().run(Id, {{&Word, 1}, {}}, Point).code() ==
        GOLDY_OUT_OF_MEMORY);
  Word = 0; // what the first node had before
  CHECK(O.driver().run(Id, {{&Word, 1}, {}}, Point).ok());
  CHECK(O.driver().wait(Point, GOLDY_FOREVER).ok());
  for (const std::string &Line : Fake.lines("kernel"))
    CHECK(wordAt(Line, WordA) == 0);
  O.driver().releaseSubmission(Id);
}

TEST_CASE("a lone launch on a CUDA device has a graph from its second run on") {
  FakeCuda Fake;
  Opened O;
  SubmissionDesc Desc = O.launch({{3, 2, 1}});
  Desc.Slots = {{0, WordA, 4, 0}};
  Desc.Words = 1;
  Fake.reset();
  SubmissionId Id{};
  uint64_t Point = 0;
  REQUIRE(O.driver().prepare(std::move(Desc), Id).ok());
  uint64_t Word = 5;
  REQUIRE(O.driver().run(Id, {{&Word, 1}, {}}, Point).ok());
  CHECK(Fake.lines("graph").empty());
  for (uint64_t Next : {6, 6, 7})
    REQUIRE(O.driver().run(Id, {{&Next, 1}, {}}, Point).ok());
  CHECK(O.driver().wait(Point, GOLDY_FOREVER).ok());
  CHECK(Fake.lines("graph").size() == 1);
  CHECK(Fake.lines("set").size() == 1); // it was made for the second run
  std::vector<std::string> Ran = Fake.lines("kernel");
  REQUIRE(Ran.size() == 4);
  CHECK(Ran[0].find("kernel goldy_saxpy 3 2 1 at ") == 0);
  for (size_t N = 0; N < 4; ++N)
    CHECK(wordAt(Ran[N], WordA) == std::array{5u, 6u, 6u, 7u}[N]);
  O.driver().releaseSubmission(Id);
}

TEST_CASE("a point of a CUDA device is waited for, not what comes later") {
  FakeCuda Fake;
  Opened O;
  SubmissionId Id{};
  uint64_t First = 0, Second = 0;
  REQUIRE(O.driver().prepare(O.launch({{1, 1, 1}}), Id).ok());
  REQUIRE(O.driver().run(Id, {}, First).ok());
  Fake.hold(true); // nothing comes to pass but what is waited for by name
  REQUIRE(O.driver().run(Id, {}, Second).ok());
  CHECK(O.driver().wait(First, GOLDY_FOREVER).ok());
  CHECK(Fake.lines("kernel").size() == 1);
  Status Late = O.driver().wait(Second, 0);
  CHECK(Late.code() == GOLDY_TIMEOUT);
  CHECK(Late.message() == "cuEventQuery: point 2 was not reached in 0 ns");
  Late = O.driver().wait(Second, 1000000);
  CHECK(Late.message() ==
        "cuEventQuery: point 2 was not reached in 1000000 ns");
  CHECK(O.driver().wait(Second, GOLDY_FOREVER).ok());
  CHECK(Fake.lines("kernel").size() == 2);
  CHECK(O.driver().wait(Second, 0).ok());
  O.driver().releaseSubmission(Id);
}

TEST_CASE("what is released while a CUDA device works waits for it") {
  FakeCuda Fake;
  {
    Opened O;
    SubmissionId Id{};
    uint64_t Point = 0;
    REQUIRE(O.driver().prepare(O.launch({{1, 70000, 1}}), Id).ok());
    Fake.hold(true);
    REQUIRE(O.driver().run(Id, {}, Point).ok());
    REQUIRE(O.driver().run(Id, {}, Point).ok());
    size_t Before = Fake.alive();
    O.driver().releaseSubmission(Id);
    CHECK(Fake.alive() == Before);
    Fake.hold(false);
    CHECK(O.driver().wait(Point, GOLDY_FOREVER).ok());
    CHECK(Fake.alive() == Before - 2); // the graph and its executable form
    // The kernel and the buffer go while a launch of them is under way.
    REQUIRE(O.driver().prepare(O.launch({{1, 1, 1}}), Id).ok());
    Fake.hold(true);
    REQUIRE(O.driver().run(Id, {}, Point).ok());
    O.driver().releaseSubmission(Id);
  }
  CHECK(Fake.alive() == 0);
}

TEST_CASE("threads share a CUDA device") {
  FakeCuda Fake;
  Opened O;
  SubmissionDesc Shared = O.launch({{1, 1, 1}});
  Shared.Slots = {{0, WordA, 4, 0}};
  Shared.Words = 1;
  SubmissionId Id{};
  REQUIRE(O.driver().prepare(std::move(Shared), Id).ok());
  Fake.reset();
  constexpr uint32_t Threads = 6, Runs = 50;
  std::atomic<int> Wrong{0};
  auto Caller = [&](uint32_t Number) {
    Driver &D = O.driver();
    MemoryId M{};
    Wrong += !D.allocate(256, M).ok();
    for (uint32_t R = 0; R < Runs; ++R) {
      uint64_t Point = 0, Word = Number * Runs + R;
      uint32_t Got = 0;
      Wrong += !D.run(Id, {{&Word, 1}, {}}, Point).ok();
      Wrong += !D.write(M, 4 * Number, std::as_bytes(std::span(&Word, 1))).ok();
      Wrong += !D.wait(Point, GOLDY_FOREVER).ok();
      Wrong +=
          !D.read(M, 4 * Number, std::as_writable_bytes(std::span(&Got, 1)))
               .ok();
      Wrong += Got != Word;
    }
    D.release(M);
  };
  std::vector<std::thread> All;
  for (uint32_t N = 0; N < Threads; ++N)
    All.emplace_back(Caller, N);
  for (std::thread &T : All)
    T.join();
  CHECK(Wrong == 0);
  CHECK(O.driver().lastPoint() == Threads * Runs);
  std::vector<bool> Seen(Threads * Runs, false);
  for (const std::string &Line : Fake.lines("kernel"))
    Seen.at(wordAt(Line, WordA)) = true;
  CHECK(std::count(Seen.begin(), Seen.end(), true) == Threads * Runs);
  O.driver().releaseSubmission(Id);
}

// A waiter may ask while others submit: what comes after its point changes
// where the answer is found.
TEST_CASE("waits on a CUDA device hold while others submit") {
  FakeCuda Fake;
  Opened O;
  SubmissionId Id{};
  REQUIRE(O.driver().prepare(O.launch({{1, 1, 1}}), Id).ok());
  Fake.reset();
  constexpr uint32_t Threads = 4, Runs = 1500;
  std::atomic<int> Early{0}, Wrong{0};
  auto Caller = [&] {
    for (uint32_t R = 0; R < Runs; ++R) {
      uint64_t Point = 0;
      Wrong += !O.driver().run(Id, {}, Point).ok();
      Wrong += !O.driver().wait(Point, GOLDY_FOREVER).ok();
      Early += Fake.kernels() < Point;
    }
  };
  std::vector<std::thread> All;
  for (uint32_t N = 0; N < Threads; ++N)
    All.emplace_back(Caller);
  for (std::thread &T : All)
    T.join();
  CHECK(Wrong == 0);
  CHECK(Early == 0);
  O.driver().releaseSubmission(Id);
}

/// Copies `Bytes` from `From` to `To` of a memory whose bytes are known, and
/// looks at all of it.
static void copies(Opened &O, MemoryId M, std::vector<std::byte> Before,
                   uint64_t From, uint64_t To, uint64_t Bytes) {
  Driver &D = O.driver();
  Part Copy;
  Copy.Kind = PartKind::Copy;
  Copy.Uses = {{M, From, Bytes, false}, {M, To, Bytes, true}};
  SubmissionDesc Desc;
  Desc.Parts = {Copy};
  SubmissionId Id{};
  uint64_t Point = 0;
  std::vector<std::byte> Got(Before.size());
  REQUIRE(D.write(M, 0, Before).ok());
  REQUIRE(D.prepare(std::move(Desc), Id).ok());
  CHECK(D.run(Id, {}, Point).ok());
  CHECK(D.read(M, 0, Got).ok());
  D.releaseSubmission(Id);
  std::copy_n(Before.begin() + From, Bytes, Before.begin() + To);
  CHECK(Got == Before);
}

TEST_CASE("large copies on a CUDA device are kernels") {
  constexpr uint64_t KiB = 1024, MiB = KiB * KiB, All = 72 * MiB;
  FakeCuda Fake;
  Opened O;
  MemoryId M{};
  REQUIRE(O.driver().allocate(All, M).ok());
  std::vector<std::byte> Bytes(All);
  for (size_t N = 0; N < All; ++N)
    Bytes[N] = std::byte(N * 2654435761u >> 24);
  struct Try {
    uint64_t From, To, Bytes;
    bool ByKernel;
  };
  const Try Tries[] = {{0, 36 * MiB, 32 * MiB, true},
                       {15, 36 * MiB + 31, 32 * MiB + 17, true},
                       {36 * MiB + 8, 8, 33 * MiB + 15, true},
                       {16, 36 * MiB, 2 * MiB, true},
                       {16, 36 * MiB, 2 * MiB - 1, false},
                       {0, MiB + 4, 256 * KiB, true},
                       {3, MiB, 256 * KiB + 31, true},
                       {7, MiB + 5, 256 * KiB + 1, true},
                       {0, MiB + 1, 256 * KiB - 1, false}};
  for (const Try &T : Tries) {
    Fake.reset();
    copies(O, M, Bytes, T.From, T.To, T.Bytes);
    std::string Line = "copy " + std::to_string(T.Bytes) + " bytes";
    CHECK(Fake.lines("copy") ==
          std::vector{Line + (T.ByKernel ? " by a kernel" : "")});
  }
  O.driver().release(M);
}

TEST_CASE("a CUDA driver without a compiler copies by nodes") {
  constexpr uint64_t MiB = uint64_t(1) << 20;
  FakeCuda Fake;
  Opened O;
  MemoryId M{};
  REQUIRE(O.driver().allocate(4 * MiB, M).ok());
  std::vector<std::byte> Bytes(4 * MiB, std::byte(7));
  for (int N = 0; N < 2; ++N) { // it is not asked again
    Fake.reset();
    Fake.fail(1, CudaNoCompiler, "cuModuleLoadDataEx");
    copies(O, M, Bytes, 1, 2 * MiB, MiB);
    CHECK(Fake.lines("copy") == std::vector<std::string>{"copy 1048576 bytes"});
    CHECK(Fake.failed().empty() == (N == 1));
  }
  O.driver().release(M);
}
