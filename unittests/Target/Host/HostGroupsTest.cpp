//===- HostGroupsTest.cpp - Ranges of groups of a grid --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "HostRun.h"

#include <catch2/catch.hpp>

using namespace goldy;
using namespace goldy::test;

static std::string kernel(unsigned Size, const std::string &Body) {
  return "use goldy::gpu;\n#[goldy::compute(workgroup_size = [" +
         std::to_string(Size) +
         ", 1, 1])]\nfn k(y: &mut [u32], n: u32) {\n"
         "    let i = gpu::global_id().x;\n    " +
         Body + "\n}\n";
}

TEST_CASE("ids wrap where the grid has more work-items than numbers") {
  for (unsigned Size : {32u, 64u, 96u, 256u})
    for (const char *Body : {"if i < n { y[i % 1024] = i; }",
                             "if i >= n { return; } y[i % 1024] = i;"}) {
      uint32_t N = 0xffffff00u;
      uint64_t Wraps = (uint64_t(1) << 32) / Size;
      for (const std::string &Arch : levels()) {
        Module M = legal(kernel(Size, Body), Arch);
        std::vector<Arg> Args{buffer(Words(1024)), scalar(N)};
        std::vector<std::pair<uint64_t, uint64_t>> Ranges{
            {Wraps - 2, Wraps + 3}, {2 * Wraps, 2 * Wraps + 5}};
        Words Want(1024);
        for (auto [First, End] : Ranges)
          for (uint64_t G = First; G < End; ++G)
            for (uint32_t L = 0; L < Size; ++L)
              if (uint32_t I = static_cast<uint32_t>(G * Size + L); I < N)
                Want[I % 1024] = I;
        INFO(Arch << " " << Size << " " << Body);
        CHECK(runGroups(M, compile(M, Arch), {1u << 28, 1, 1}, Ranges, Args)
                  .front() == Want);
      }
    }
}

TEST_CASE("ranges that begin and end within rows of groups") {
  std::string Text = kernel(
      32, "let g = gpu::global_id(); let at = (g.z * 3 + g.y) * 224 + g.x; "
          "if g.x < n { y[at] = y[at] * 7 + g.z * 65536 + g.y * 256 + g.x; }");
  std::array<uint32_t, 3> Groups{7, 3, 2};
  for (const std::string &Arch : levels())
    for (uint32_t N : {0u, 1u, 100u, 224u, 1000u}) {
      Module M = legal(Text, Arch);
      Image I = compile(M, Arch);
      std::vector<Arg> Args{buffer(words(7 * 32 * 6, 5)), scalar(N)};
      std::vector<Words> Whole = runHost(M, I, Groups, Args);
      std::vector<std::pair<uint64_t, uint64_t>> Ranges{
          {0, 3}, {3, 9}, {9, 10}, {10, 10}, {10, 29}, {29, 42}};
      INFO(Arch << " " << N);
      CHECK(runGroups(M, I, Groups, Ranges, Args) == Whole);
    }
  checkKernel(Text, Groups, {buffer(words(7 * 32 * 6, 5)), scalar(150)});
  checkKernel(Text, Groups, {buffer(words(1000, 5)), scalar(300)});
}
