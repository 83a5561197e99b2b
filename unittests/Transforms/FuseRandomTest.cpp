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

class Maker {
public:
  explicit Maker(uint32_t Seed) : Random(Seed) {}
  Chain chain(std::string &Text);

private:
  uint32_t below(uint32_t N) { return Random() % N; }
  template <size_t N> const char *oneOf(const char *const (&Of)[N]) {
    return Of[below(N)];
  }
  std::string index() {
    if (below(30) != 0)
      return oneOf({"i", "i", "j", "i as i32"});
    return oneOf({"i + 1", "i - 1", "n - 1 - i", "gpu::local_id().x", "2u32"});
  }
  std::string value() {
    switch (below(6)) {
    case 0:
      return "b[" + index() + "] * 3.0";
    case 1:
      return "-a[" + index() + "]";
    case 2:
      return "a[" + index() + "] - b[" + index() + "]";
    case 3:
      return "c[" + index() + "] / a[" + index() + "]";
    case 4:
      return "(a[" + index() + "] as i32) as f32";
    default:
      return "b[" + index() + "].min(c[" + index() + "])";
    }
  }
  std::string store() {
    return std::string(oneOf({"a", "b"})) + "[" + index() + "] = " + value() +
           ";\n";
  }
  std::string body();

  std::mt19937 Random;
};

std::string Maker::body() {
  std::string Inner = store();
  if (below(2))
    Inner += store();
  switch (below(7)) {
  case 0:
    return Inner;
  case 1:
    return "if i < n {\n" + Inner + "}\n";
  case 2:
    return "if i >= n { return; }\n" + Inner;
  case 3:
    return "if i < n {\n" + store() + "} else {\n" + store() + "}\n";
  case 4:
    return "for k in 0..3 {\nif i + k >= n { return; }\n" + Inner + "}\n";
  case 5:
    return "let q = a[i];\nif i < n && q > 0.0 {\n" + Inner + "}\n";
  default:
    return "if i < a.len() {\n" + Inner + "if i >= n { return; }\n" + store() +
           "}\n";
  }
}

Chain Maker::chain(std::string &Text) {
  Chain C;
  uint32_t Stages = 2 + below(3);
  for (uint32_t S = 0; S < Stages; ++S) {
    std::string Name = "k" + std::to_string(S);
    Text += "#[goldy::compute(workgroup_size = [8, 1, 1])]\nfn " + Name +
            "(a: &mut [f32], b: &mut [f32], c: &[f32], n: u32) {\n"
            "let i = gpu::global_id().x;\n"
            "let j = gpu::workgroup_id().x * 8 + gpu::local_id().x;\n" +
            body() + "}\n";
    std::vector<std::string> Pool = {"p", "q", "r", "s", "t"};
    std::shuffle(Pool.begin(), Pool.end(), Random);
    C.Launches.push_back(
        {Name, {Pool[0], Pool[1], Pool[2], below(3) ? "n" : "m"}});
  }
  static constexpr uint32_t Numbers[] = {0, 1, 7, 16, 24, 30, 0xffffffff};
  C.Scalars = {{"n", Numbers[below(7)]}, {"m", Numbers[below(7)]}};
  for (const char *Name : {"p", "q", "r", "s", "t"}) {
    uint32_t Length = Numbers[below(6)];
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
    Chain C = Maker(Seed).chain(Text);
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
  CHECK(Vanished > 10);
  CHECK(Rejected > 100);
}
