//===- PoolTest.cpp - Threads of the CPU device ---------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small enough for -fsanitize=thread: Pool.cpp and RunOrder.cpp alone.
//
//===----------------------------------------------------------------------===//
#include "cpu/Pool.h"
#include "cpu/HostMemory.h"
#include "cpu/RunOrder.h"

#include <catch2/catch.hpp>

#include <ctime>
#include <set>

using namespace goldy::rt;

static void countHits(void *Context, RangeSource &S) {
  std::vector<std::atomic<int>> &H =
      *static_cast<std::vector<std::atomic<int>> *>(Context);
  for (uint64_t F, E; S.next(F, E);)
    for (; F < E; ++F)
      ++H[F];
}

TEST_CASE("the pool covers every number once, for any size and chunk") {
  for (unsigned Threads : {1u, 2u, 5u}) {
    Pool P(Threads);
    for (uint64_t End : {uint64_t(0), uint64_t(1), uint64_t(7), uint64_t(1000)})
      for (uint64_t Chunk : {uint64_t(1), uint64_t(3), uint64_t(5000)})
        for (uint64_t Share : {uint64_t(0), uint64_t(1), uint64_t(8)}) {
          std::vector<std::atomic<int>> Hits(End);
          RangeSource Source(0, End, Chunk, Share);
          P.run(Source, countHits, &Hits);
          for (std::atomic<int> &H : Hits)
            REQUIRE(H == 1);
        }
  }
}

TEST_CASE("jobs within jobs end") {
  struct Outer {
    Pool P{3};
    std::atomic<uint64_t> Sum{0};
  } O;
  RangeSource Source(0, 50, 1);
  O.P.run(
      Source,
      [](void *Context, RangeSource &S) {
        Outer &O = *static_cast<Outer *>(Context);
        for (uint64_t F, E; S.next(F, E);) {
          RangeSource Inner(0, 100, 7);
          O.P.run(
              Inner,
              [](void *Context, RangeSource &S) {
                for (uint64_t F, E; S.next(F, E);)
                  static_cast<Outer *>(Context)->Sum += E - F;
              },
              &O);
        }
      },
      &O);
  CHECK(O.Sum == 5000);
}

TEST_CASE("chunks get smaller, down to the least") {
  RangeSource Source(10, 110, 5, 4);
  std::vector<uint64_t> Sizes;
  uint64_t At = 10;
  for (uint64_t F, E; Source.next(F, E); At = E) {
    CHECK(F == At);
    Sizes.push_back(E - F);
  }
  CHECK(At == 110);
  CHECK(Sizes == std::vector<uint64_t>{25, 18, 14, 10, 8, 6, 5, 5, 5, 4});
}

/// Jobs of all sizes, each with memory of its own that workers write plainly.
static void giveJobs(Pool &P, uint64_t Count, std::atomic<uint64_t> &Wrong) {
  struct Own {
    std::vector<uint64_t> Cells;
  };
  for (uint64_t N = 1; N <= Count; ++N) {
    Own O{std::vector<uint64_t>(N % 97)};
    RangeSource Source(0, O.Cells.size(), 1, N % 3 ? 4 : 0);
    P.run(
        Source,
        [](void *Context, RangeSource &S) {
          for (uint64_t F, E; S.next(F, E);)
            for (; F < E; ++F)
              ++static_cast<Own *>(Context)->Cells[F];
        },
        &O);
    for (uint64_t C : O.Cells)
      Wrong += C != 1;
  }
}

TEST_CASE("many callers share the workers") {
  Pool P(4);
  std::atomic<uint64_t> Wrong{0};
  std::vector<std::thread> Callers;
  for (int I = 0; I < 6; ++I)
    Callers.emplace_back([&] { giveJobs(P, 400, Wrong); });
  for (std::thread &T : Callers)
    T.join();
  CHECK(Wrong == 0);
}

/// Of all threads of this process.
static double cpuSeconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

TEST_CASE("an idle pool costs nothing") {
  Pool P(4);
  std::atomic<uint64_t> Wrong{0};
  giveJobs(P, 50, Wrong);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  double Before = cpuSeconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  // A worker that looked for work all the time would take 0.3.
  CHECK(cpuSeconds() - Before < 0.1);
}

//===-- Order of runs -----------------------------------------------------===//

static MemoryId idOf(HostMemory &M) {
  return static_cast<MemoryId>(reinterpret_cast<uintptr_t>(&M));
}

static SubmissionDesc writing(HostMemory &M) {
  SubmissionDesc D;
  Part &P = D.Parts.emplace_back();
  P.Kind = PartKind::Fill;
  P.Uses.push_back({idOf(M), 0, M.size(), true});
  return D;
}

TEST_CASE("runs that share memory follow one another, and points differ") {
  constexpr unsigned Threads = 6;
  constexpr uint64_t Runs = 2000;
  RunOrder Order;
  std::unique_ptr<HostMemory> Shared = HostMemory::create(8),
                              Apart = HostMemory::create(8);
  SubmissionDesc Desc = writing(*Shared), Other = writing(*Apart);
  uint64_t Plain = 0; // as memory is: written by whose turn it is
  std::vector<std::vector<uint64_t>> Points(Threads);
  std::vector<std::thread> Callers;
  for (unsigned T = 0; T < Threads; ++T)
    Callers.emplace_back([&, T] {
      for (uint64_t N = 0; N < Runs; ++N) {
        bool Shares = T != 0;
        RunOrder::Turn Turn(Order, Shares ? Desc : Other, {});
        if (Shares)
          ++Plain;
        // Every seventh one fails.
        if (N % 7)
          Points[T].push_back(Turn.end());
      }
    });
  for (std::thread &T : Callers)
    T.join();
  CHECK(Plain == (Threads - 1) * Runs);
  CHECK(Order.ended() == Threads * Runs);
  std::set<uint64_t> All;
  size_t Given = 0;
  for (const std::vector<uint64_t> &P : Points) {
    CHECK(std::ranges::is_sorted(P));
    All.insert(P.begin(), P.end());
    Given += P.size();
  }
  CHECK(All.size() == Given);
}

TEST_CASE("runs without common memory go side by side, and nest") {
  RunOrder Order;
  std::unique_ptr<HostMemory> A = HostMemory::create(8),
                              B = HostMemory::create(8);
  SubmissionDesc First = writing(*A), Second = writing(*B);
  RunOrder::Turn Outer(Order, First, {});
  std::thread([&] {
    RunOrder::Turn Beside(Order, Second, {});
    CHECK(Beside.end() == 1);
  }).join();
  {
    // What a host function of this thread starts does not wait for it.
    RunOrder::Turn Inner(Order, First, {});
    CHECK(Inner.end() == 2);
  }
  std::atomic<bool> Came{false};
  std::thread Waits([&] {
    RunOrder::Turn Later(Order, First, {});
    Came = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK_FALSE(Came);
  CHECK(Outer.end() == 3);
  Waits.join();
  CHECK(Order.ended() == 4);
}

/// Gives the others time to get there.
static void letOthersWait() {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

TEST_CASE("a nested run passes those that wait for the run around it") {
  RunOrder Order;
  std::unique_ptr<HostMemory> A = HostMemory::create(8),
                              B = HostMemory::create(8),
                              C = HostMemory::create(8);
  SubmissionDesc First = writing(*A), Both = writing(*A), Last = writing(*B);
  Both.Parts.push_back(writing(*B).Parts[0]);
  Last.Parts.push_back(writing(*C).Parts[0]);
  SubmissionDesc Nested = writing(*C), Same = writing(*B);
  RunOrder::Turn Outer(Order, First, {});
  std::atomic<int> Came{0};
  auto Run = [&](const SubmissionDesc &D) {
    RunOrder::Turn T(Order, D, {});
    ++Came;
  };
  std::thread Waits(Run, std::cref(Both)); // for the outer one
  letOthersWait();
  std::thread Behind(Run, std::cref(Last)); // for that
  letOthersWait();
  CHECK(Came == 0);
  CHECK(RunOrder::Turn(Order, Same, {}).end() == 1);
  CHECK(RunOrder::Turn(Order, Nested, {}).end() == 2);
  CHECK(Came == 0);
  Outer.end();
  Waits.join();
  Behind.join();
  CHECK(Came == 2);
}

TEST_CASE("nested runs of two threads that want each other's memory") {
  RunOrder Order;
  std::unique_ptr<HostMemory> A = HostMemory::create(8),
                              B = HostMemory::create(8);
  SubmissionDesc OfA = writing(*A), OfB = writing(*B);
  RunOrder::Turn Outer(Order, OfA, {});
  std::atomic<bool> Came{false};
  std::thread Other([&] {
    RunOrder::Turn Beside(Order, OfB, {});
    RunOrder::Turn Inner(Order, OfA, {}); // waits for the outer one
    Came = true;
  });
  letOthersWait();
  {
    RunOrder::Turn Inner(Order, OfB, {});
    CHECK_FALSE(Came);
  }
  CHECK_FALSE(Came);
  Outer.end();
  Other.join();
  CHECK(Came);
}
