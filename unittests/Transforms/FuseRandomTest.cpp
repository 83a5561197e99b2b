//===- FuseRandomTest.cpp - Random chains, fused and not ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stages are put together from guards, indices and statements, most of which
// allow fusion and some of which do not. Whatever is fused must give the same
// bytes. Lengths, grids and parameters are those at which ranges begin and end.
//
//===----------------------------------------------------------------------===//
#include "FuseCase.h"

#include <catch2/catch.hpp>

#include <random>

using namespace goldy;
using namespace goldy::fusetest;

namespace {

Chain randomChain(std::mt19937 &Random, std::string &Text) {
  auto Below = [&](uint32_t N) { return Random() % N; };
  Chain C;
  uint32_t Stages = 2 + Below(3);
  for (uint32_t S = 0; S < Stages; ++S) {
    std::string Name = "k" + std::to_string(S);
    Text += randomKernel(Random, Name);
    std::vector<std::string> Pool = {"p", "q", "r", "s", "t"};
    std::shuffle(Pool.begin(), Pool.end(), Random);
    C.Launches.push_back(
        {Name, {Pool[0], Pool[1], Pool[2], Below(3) ? "n" : "m"}});
  }
  static constexpr uint32_t Numbers[] = {0, 1, 7, 16, 24, 30, 0xffffffff};
  C.Scalars = {{"n", Numbers[Below(7)]}, {"m", Numbers[Below(7)]}};
  for (const char *Name : {"p", "q", "r", "s", "t"}) {
    uint32_t Length = Numbers[Below(6)];
    C.Buffers[Name] = randomBytes(Length, Random());
    C.Scalars[std::string("l") + Name] = Length;
  }
  C.Temporaries = {{"t", "lt"}};
  C.Carried = true;
  C.Groups = {3, 1, 1};
  return C;
}

} // namespace

TEST_CASE("random chains") {
  uint32_t Fused = 0, Vanished = 0, Forwarded = 0, Rejected = 0;
  for (uint32_t Seed = 0; Seed < 1500; ++Seed) {
    std::string Text;
    std::mt19937 Random(Seed);
    Chain C = randomChain(Random, Text);
    INFO("seed " << Seed << "\n" << Text);
    Module M = compile(Text);
    std::variant<FusedKernel, FusionRejection> R = checkChain(M, C);
    if (const FusedKernel *K = std::get_if<FusedKernel>(&R)) {
      ++Fused;
      Vanished += !K->Vanished.empty();
      Forwarded += !K->Forwarded.empty();
    } else {
      ++Rejected;
    }
  }
  INFO(Fused << " fused, " << Forwarded << " with values forwarded, "
             << Vanished << " with a temporary gone, " << Rejected
             << " rejected");
  CHECK(Fused > 500);
  CHECK(Forwarded > 100);
  CHECK(Vanished > 8);
  CHECK(Rejected > 100);
}
