//===- LaunchCases.cpp - Conformance cases: grids and order
//----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every group runs once with its own ids, whatever the device can dispatch at
// once, and launches take effect in the order of their submits.
//
//===----------------------------------------------------------------------===//
#include "Fixture.h"

using namespace goldy::cts;

/// What `ids` leaves for a grid.
static std::vector<uint32_t> idsOf(goldy_grid_t Grid) {
  auto [Nx, Ny, Nz] = Grid.groups;
  std::vector<uint32_t> Out;
  for (uint32_t Z = 0; Z < Nz; ++Z)
    for (uint32_t Y = 0; Y < Ny; ++Y)
      for (uint32_t X = 0; X < 2 * Nx; ++X)
        for (uint32_t Word :
             {X, Y, Z, 1000003 * Nx + 1009 * Ny + Nz, X / 2, 1u})
          Out.push_back(Word);
  return Out;
}

static void idsAreExact(Check &C, goldy_grid_t Grid) {
  Fixture F(C, "ids");
  std::vector<uint32_t> Want = idsOf(Grid);
  goldy_buffer_t *Out = F.buffer(4 * Want.size());
  if (!F.Good)
    return;
  runAndWait(C, F.Kernel, {view(Out, Want.size())}, Grid);
  same(C, contents<uint32_t>(C, Out), Want,
       "grid " + std::to_string(Grid.groups[0]) + " x " +
           std::to_string(Grid.groups[1]) + " x " +
           std::to_string(Grid.groups[2]) + ": word");
}

static void gridsOfEveryRank(Check &C) {
  for (goldy_grid_t Grid :
       {goldy_grid_t{{1, 1, 1}}, goldy_grid_t{{1000, 1, 1}},
        goldy_grid_t{{1, 1000, 1}}, goldy_grid_t{{1, 1, 1000}},
        goldy_grid_t{{31, 17, 1}}, goldy_grid_t{{1, 31, 17}},
        goldy_grid_t{{17, 1, 31}}, goldy_grid_t{{13, 11, 7}}})
    idsAreExact(C, Grid);
}

// Many devices take 65535 groups along an axis.
static void gridsPastX(Check &C) { idsAreExact(C, {{70000, 2, 1}}); }
static void gridsPastY(Check &C) { idsAreExact(C, {{3, 70000, 2}}); }
static void gridsPastZ(Check &C) { idsAreExact(C, {{2, 3, 70000}}); }

// x and y read and write each other in turn, nobody waits: Fibonacci's numbers,
// exact up to 2^24.
static void launchesTakeEffectInOrder(Check &C) {
  Fixture F(C, "saxpy");
  constexpr uint32_t N = 3000, Rounds = 16;
  goldy_buffer_t *X = F.buffer(4 * N), *Y = F.buffer(4 * N);
  if (!F.Good)
    return;
  fill(C, X, std::vector<float>(N, 1));
  uint64_t Point = 0;
  constexpr uint32_t One = 0x3f800000;
  goldy_argument_t ToY[3] = {view(X, N), view(Y, N), word(One)};
  goldy_argument_t ToX[3] = {view(Y, N), view(X, N), word(One)};
  for (uint32_t I = 0; I < Rounds; ++I)
    for (const goldy_argument_t *A : {ToY, ToX})
      if (!C.ok(goldy_kernel_launch(F.Kernel, A, 3, {{12, 1, 1}}, &Point),
                "launch"))
        return;
  C.ok(goldy_device_wait(C.Device, Point, GOLDY_FOREVER), "wait");
  float A = 1, B = 0;
  for (uint32_t I = 0; I < Rounds; ++I) {
    B += A;
    A += B;
  }
  same(C, contents<float>(C, X), std::vector<float>(N, A), "x");
  same(C, contents<float>(C, Y), std::vector<float>(N, B), "y");
}

// One launch submitted again and again, its points never going back.
static void launchesAreSubmittedAgain(Check &C) {
  Fixture F(C, "saxpy");
  constexpr int Times = 200;
  goldy_buffer_t *X = F.buffer(400), *Y = F.buffer(400);
  goldy_launch_t *L = nullptr;
  goldy_argument_t A[3] = {view(X, 100), view(Y, 100), word(0x3f800000)};
  if (!F.Good ||
      !C.ok(goldy_launch_create(F.Kernel, A, 3, {{1, 1, 1}}, &L), "launch"))
    return;
  fill(C, X, std::vector<float>(100, 3));
  uint64_t Last = 0;
  for (int I = 0; I < Times; ++I) {
    uint64_t Point = 0;
    C.ok(goldy_launch_submit(L, &Point), "submit");
    C.that(Point >= Last, "a point is before the one of an earlier submit");
    Last = Point;
  }
  C.ok(goldy_device_wait(C.Device, Last, GOLDY_FOREVER), "wait");
  C.ok(goldy_device_wait(C.Device, Last, 0), "wait for what is done");
  C.ok(goldy_device_wait(C.Device, 0, 0), "wait for point 0");
  goldy_launch_destroy(L);
  same(C, contents<float>(C, Y), std::vector<float>(100, 3 * Times), "y");
}

// Destroyed while they run: the work is done all the same.
static void launchesOutliveTheirObjects(Check &C) {
  goldy_buffer_t *Y = nullptr;
  uint64_t Point = 0;
  {
    Fixture F(C, "probe");
    if (!F.Good ||
        !C.ok(goldy_buffer_create(C.Device, 16 * 2000, &Y), "buffer"))
      return;
    goldy_argument_t A[2] = {view(Y, 4 * 2000), word(500)};
    C.ok(goldy_kernel_launch(F.Kernel, A, 2, {{2000, 1, 1}}, &Point), "launch");
    A[0] = view(F.buffer(16 * 2000), 4 * 2000);
    C.ok(goldy_kernel_launch(F.Kernel, A, 2, {{2000, 1, 1}}, &Point), "launch");
  }
  C.ok(goldy_device_wait(C.Device, Point, GOLDY_FOREVER), "wait");
  std::vector<uint32_t> Got = contents<uint32_t>(C, Y);
  for (uint32_t G = 0; G < 2000; ++G)
    C.that(Got[4 * G + 2] == G && Got[4 * G + 3] == 1,
           "group " + std::to_string(G));
  goldy_buffer_destroy(Y);
}

std::vector<Case> goldy::cts::launchCases() {
  return {
      {"grids-of-every-rank", gridsOfEveryRank, true},
      {"grids-past-a-limit-of-x", gridsPastX, true},
      {"grids-past-a-limit-of-y", gridsPastY, true},
      {"grids-past-a-limit-of-z", gridsPastZ, true},
      {"launches-take-effect-in-order", launchesTakeEffectInOrder, true},
      {"launches-are-submitted-again", launchesAreSubmittedAgain, true},
      {"launches-outlive-their-objects", launchesOutliveTheirObjects, true}};
}
