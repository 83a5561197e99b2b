//===- SameBitsTest.cpp - Passes change no result
//---------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random kernels run in the interpreter before and after passes: every word of
// every buffer must be the same, and the module well-formed after each pass.
// Work-items run one after the other, so atomics are determined here.
//
//===----------------------------------------------------------------------===//
#include "RandomKernel.h"

#include "goldyc/IR/Text.h"
#include "goldyc/Interp/Interp.h"
#include "goldyc/Transforms/Pass.h"
#include "goldyc/Verify/Verify.h"

#include <catch2/catch.hpp>
#include <cstdlib>

using namespace goldy;

namespace {

constexpr uint32_t Kernels = 400;

struct Outcome {
  std::vector<uint32_t> X, Y, F;
  std::string Fault;
  bool operator==(const Outcome &) const = default;
};

Outcome execute(const Module &M) {
  Outcome R;
  for (uint32_t K = 0; K < 8; ++K) {
    R.X.push_back(K * 0x9e3779b9u);
    R.Y.push_back(K * 3);
    R.F.push_back(K == 7 ? 0x7f812345u : 0x3f800000u + K * 0x00300000u);
  }
  R.F[2] = 0x00000123; // subnormal
  std::vector<InterpArgument> Args(5);
  Args[0].Bytes = std::as_writable_bytes(std::span(R.X));
  Args[1].Bytes = std::as_writable_bytes(std::span(R.Y));
  Args[2].Bytes = std::as_writable_bytes(std::span(R.F));
  Args[3].Bits = 5;
  Args[4].Bits = 0x40200000;
  std::optional<InterpFault> Fault =
      interpret(M, M.kernels()[0], {2, 1, 1}, Args, {1000000});
  if (Fault)
    R.Fault = Fault->Message;
  return R;
}

/// Runs the passes one by one; fails at the first that changes a result.
void check(uint32_t Seed, Module M, const std::vector<std::string_view> &Names,
           const Capabilities &Caps) {
  DiagSink Diags;
  std::string Why;
  INFO("seed " << Seed);
  REQUIRE(isWellFormed(M, Why));
  Outcome Expected = execute(M);
  // A limit on steps counts instructions, which passes change.
  if (!Expected.Fault.empty() || !verify(M, Diags))
    return;
  for (std::string_view Name : Names) {
    std::string Before = moduleText(M);
    Fuel Fuel;
    PassContext Context{Diags, Caps, Fuel};
    REQUIRE(runPasses(M, {Name}, Context));
    INFO("pass " << Name << "\n" << Before << "\nafter:\n" << moduleText(M));
    bool Sound = isWellFormed(M, Why);
    INFO(Why);
    REQUIRE(Sound);
    // What was proven of barriers must stay provable.
    REQUIRE(verify(M, Diags));
    Outcome Now = execute(M);
    INFO(Now.Fault);
    REQUIRE(Now == Expected);
  }
}

/// GOLDY_FIRST_SEED and GOLDY_SEEDS try others than the usual ones.
uint32_t setting(const char *Name, uint32_t Default) {
  const char *Text = std::getenv(Name);
  return Text ? static_cast<uint32_t>(std::strtoul(Text, nullptr, 10))
              : Default;
}

template <class Fn> void forEachSeed(uint32_t Count, Fn Visit) {
  uint32_t First = setting("GOLDY_FIRST_SEED", 1);
  Count = setting("GOLDY_SEEDS", Count);
  for (uint32_t K = 0; K < Count; ++K)
    Visit(First + K);
}

} // namespace

TEST_CASE("each pass by itself keeps every bit") {
  const Capabilities &Caps = *capabilitiesFor("x86-64-v3");
  std::string_view Name =
      GENERATE(as<std::string_view>(), "inline", "dce", "if-to-select", "fold",
               "unroll", "scalarise", "cse", "bounds", "lower-for",
               "structurise-exits", "hoist-loads", "drop-barriers");
  forEachSeed(Kernels, [&](uint32_t Seed) {
    check(Seed, test::randomKernel(Seed), {Name}, Caps);
  });
}

TEST_CASE("value forwarding keeps every bit") {
  const Capabilities &Caps = *capabilitiesFor("x86-64-v3");
  forEachSeed(Kernels, [&](uint32_t Seed) {
    check(Seed, test::randomKernel(Seed),
          {"scalarise", "if-to-select", "mem-forward", "fold", "mem-forward",
           "cse", "dce"},
          Caps);
  });
}

TEST_CASE("the way to the legal form keeps every bit") {
  std::string Arch = GENERATE("x86-64-v2", "x86-64-v4", "vulkan1.3", "sm_80");
  unsigned Level = GENERATE(0u, 2u);
  const Capabilities &Caps = *capabilitiesFor(Arch);
  forEachSeed(Kernels / 4, [&](uint32_t Seed) {
    check(Seed, test::randomKernel(Seed), legalisationPasses(Caps, Level),
          Caps);
    check(Seed, test::randomKernelWithBarriers(Seed),
          legalisationPasses(Caps, Level), Caps);
  });
}
