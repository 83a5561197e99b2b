//===- GridTest.cpp - Grids beyond a device's limits ----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TestArtifact.h"
#include "core/Objects.h"
#include "null/NullDriver.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdio>

using namespace goldy;
using namespace goldy::rt;

using Triple = std::array<uint32_t, 3>;

/// Whether the pieces are disjoint, fit the limit and cover the grid.
static void covers(Triple Groups, uint64_t Most) {
  std::vector<GridPiece> Pieces = splitGrid(Groups, {Most, Most, Most});
  uint64_t Volume = 0;
  for (size_t I = 0; I < Pieces.size(); ++I) {
    const GridPiece &P = Pieces[I];
    uint64_t Size = 1;
    for (int D = 0; D < 3; ++D) {
      CHECK((P.Groups[D] >= 1 && P.Groups[D] <= Most));
      CHECK(uint64_t(P.Base[D]) + P.Groups[D] <= Groups[D]);
      Size *= P.Groups[D];
    }
    Volume += Size;
    for (size_t J = 0; J < I; ++J) {
      bool Apart = false;
      for (int D = 0; D < 3; ++D)
        Apart |= uint64_t(P.Base[D]) + P.Groups[D] <= Pieces[J].Base[D] ||
                 uint64_t(Pieces[J].Base[D]) + Pieces[J].Groups[D] <= P.Base[D];
      CHECK(Apart);
    }
  }
  CHECK(Volume == uint64_t(Groups[0]) * Groups[1] * Groups[2]);
}

TEST_CASE("a grid is split into disjoint pieces that cover it") {
  for (Triple Groups :
       {Triple{1, 1, 1}, Triple{65535, 65535, 65535}, Triple{65536, 1, 1},
        Triple{70000, 2, 1}, Triple{3, 70000, 2}, Triple{2, 3, 70000},
        Triple{70000, 70000, 131071}, Triple{4294967295u, 1, 1}})
    if (Groups[0] < 1000000)
      covers(Groups, 65535);
  covers({5, 7, 3}, 2);
  covers({5, 7, 3}, 1);
  CHECK(splitGrid({UINT32_MAX, 1, 1}, {UINT32_MAX, 1, 1}).size() == 1);
  CHECK(splitGrid({UINT32_MAX, 1, 1}, {65535, 1, 1}).size() == 65537);
}

TEST_CASE("a device that takes 65535 groups gets grids in pieces") {
  std::vector<uint8_t> Bytes = cts::testKernels().bytes();
  goldy_artifact_t *File = nullptr;
  REQUIRE_FALSE(goldy_artifact_load_memory(Bytes.data(), Bytes.size(),
                                           GOLDY_LOAD_TRUSTED, &File));
  std::shared_ptr<NullDriver> Null = std::make_shared<NullDriver>("", 65535);
  goldy_device Device{Null, nullptr};
  goldy_kernel_t *Kernel = nullptr;
  goldy_buffer_t *Buffer = nullptr;
  REQUIRE_FALSE(goldy_kernel_create(&Device, File, "probe", &Kernel));
  REQUIRE_FALSE(goldy_buffer_create(&Device, 64, &Buffer));
  goldy_argument_t Args[2] = {{Buffer, 0, 16, 0, nullptr},
                              {nullptr, 0, 0, 7, nullptr}};
  uint64_t Point = 0;
  REQUIRE_FALSE(goldy_kernel_launch(Kernel, Args, 2, {{70000, 2, 1}}, &Point));
  REQUIRE_FALSE(goldy_kernel_launch(Kernel, Args, 2, {{4, 2, 1}}, &Point));
  std::vector<std::string> Launches;
  for (const std::string &Line : Null->record())
    if (Line.rfind("launch", 0) == 0)
      Launches.push_back(Line);
  CHECK(Launches ==
        std::vector<std::string>{"launch probe 65535 2 1 at 0 0 0",
                                 "launch probe 4465 2 1 at 65535 0 0",
                                 "launch probe 4 2 1"});
  goldy_buffer_destroy(Buffer);
  goldy_kernel_destroy(Kernel);
  goldy_artifact_destroy(File);
}

/// How often each group of the grid was dispatched, by the record's lines.
static std::vector<uint32_t> counters(const std::vector<std::string> &Record,
                                      Triple Grid) {
  std::vector<uint32_t> Out(size_t(Grid[0]) * Grid[1] * Grid[2]);
  for (const std::string &Line : Record) {
    Triple N{}, At{};
    if (std::sscanf(Line.c_str(), "launch ids %u %u %u at %u %u %u", &N[0],
                    &N[1], &N[2], &At[0], &At[1], &At[2]) != 6)
      continue;
    CHECK(*std::max_element(N.begin(), N.end()) <= 65535);
    for (uint32_t Z = At[2]; Z < At[2] + N[2]; ++Z)
      for (uint32_t Y = At[1]; Y < At[1] + N[1]; ++Y)
        for (uint32_t X = At[0]; X < At[0] + N[0]; ++X)
          ++Out.at((size_t(Z) * Grid[1] + Y) * Grid[0] + X);
  }
  return Out;
}

TEST_CASE("each group of a grid past one limit is dispatched once") {
  std::vector<uint8_t> Bytes = cts::shapeKernels().bytes();
  goldy_artifact_t *File = nullptr;
  REQUIRE_FALSE(goldy_artifact_load_memory(Bytes.data(), Bytes.size(),
                                           GOLDY_LOAD_TRUSTED, &File));
  for (Triple G :
       {Triple{70000, 2, 1}, Triple{3, 70000, 2}, Triple{2, 3, 70000}}) {
    std::shared_ptr<NullDriver> Null = std::make_shared<NullDriver>("", 65535);
    goldy_device Device{Null, nullptr};
    goldy_kernel_t *Kernel = nullptr;
    goldy_buffer_t *Buffer = nullptr;
    REQUIRE_FALSE(goldy_kernel_create(&Device, File, "ids", &Kernel));
    REQUIRE_FALSE(goldy_buffer_create(&Device, 4, &Buffer));
    goldy_argument_t Out{Buffer, 0, 1, 0, nullptr};
    uint64_t Point = 0;
    REQUIRE_FALSE(
        goldy_kernel_launch(Kernel, &Out, 1, {{G[0], G[1], G[2]}}, &Point));
    std::vector<uint32_t> Counts = counters(Null->record(), G);
    CHECK(std::count(Counts.begin(), Counts.end(), 1u) ==
          static_cast<long>(Counts.size()));
    goldy_buffer_destroy(Buffer);
    goldy_kernel_destroy(Kernel);
  }
  goldy_artifact_destroy(File);
}
