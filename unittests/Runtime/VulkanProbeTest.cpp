//===- VulkanProbeTest.cpp - Which switches a device earns ----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Devices are played by this machine's processor: as it is (subnormals kept),
// and with FTZ and DAZ set, which is the language's rule.
//
//===----------------------------------------------------------------------===//
#include "vulkan/Neighbours.h"
#include "vulkan/Probe.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <xmmintrin.h>

using namespace goldy::rt::vk;

namespace {

constexpr uint32_t Sums = 1, Div = 2, Sqrt = 4, Fma = 8;
constexpr unsigned KeepSubnormals = 0x1f80, FlushThem = 0x9fc0;

volatile float One = 1, MinusNothing = -0.0f, Nothing = 0, Three = 3;

struct Operands {
  volatile float A, B, C;
  uint32_t Word;
};
using Answer =
    std::function<void(const Operands &, std::array<float, NumProbeResults> &)>;

std::array<float, NumProbeResults> honest(const Operands &O) {
  volatile float Product = O.A * O.B;
  return {O.A + O.B,
          O.A - O.B,
          Product,
          O.A / O.B,
          _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(O.A))),
          std::fma(O.A, O.B, O.C),
          Product + O.C,
          O.A * One,
          O.A + MinusNothing,
          O.A - Nothing,
          O.A + Nothing,
          O.A * Nothing,
          Nothing - O.A,
          O.A - O.A,
          O.A / Three,
          std::fma(O.A, One, O.C),
          std::fma(O.A, O.B, MinusNothing),
          std::fma(O.A, O.B, Nothing),
          static_cast<float>(O.Word),
          static_cast<float>(static_cast<int32_t>(O.Word))};
}

/// The switches of a device that answers honestly under `Csr`, but for what
/// `Twist` changes.
uint32_t switchesOf(unsigned Csr, std::string &Fault, const Answer &Twist) {
  std::vector<ProbeCase> Cases = probeCases();
  std::vector<ProbeRow> Rows;
  unsigned Before = _mm_getcsr();
  _mm_setcsr(Csr);
  for (const ProbeCase &C : Cases) {
    Operands O{std::bit_cast<float>(C[0]), std::bit_cast<float>(C[1]),
               std::bit_cast<float>(C[2]), C[0]};
    std::array<float, NumProbeResults> R = honest(O);
    Twist(O, R);
    ProbeRow &Row = Rows.emplace_back();
    for (size_t N = 0; N < R.size(); ++N)
      Row[N] = std::bit_cast<uint32_t>(R[N]);
  }
  _mm_setcsr(Before);
  return judgeProbe(Cases, Rows, Fault);
}
uint32_t switchesOf(unsigned Csr, const Answer &Twist) {
  std::string Fault;
  uint32_t Switches = switchesOf(Csr, Fault, Twist);
  CHECK(Fault == "");
  return Switches;
}
void nothing(const Operands &, std::array<float, NumProbeResults> &) {}

} // namespace

TEST_CASE("a device that keeps subnormals has exact division and roots") {
  CHECK(switchesOf(KeepSubnormals, nothing) == (Div | Sqrt));
}

TEST_CASE("a device that flushes by the rule has all") {
  bool Fused = __builtin_cpu_supports("fma");
  uint32_t Got = switchesOf(FlushThem, nothing);
  CHECK((Got & (Sums | Div | Sqrt)) == (Sums | Div | Sqrt));
  if (Fused) // the library's own does not know FTZ
    CHECK((Got & Fma) == Fma);
}

TEST_CASE("what a driver folds costs the switch of sums") {
  for (ProbeResult R : {PlusMinusZero, MinusZero, TimesOne})
    CHECK(switchesOf(FlushThem,
                     [&](const Operands &O, auto &Row) { Row[R] = O.A; }) &
          Sums);
  CHECK_FALSE(switchesOf(FlushThem, [](const Operands &O,
                                       auto &Row) { Row[PlusZero] = O.A; }) &
              Sums);
  CHECK_FALSE(switchesOf(FlushThem, [](const Operands &,
                                       auto &Row) { Row[TimesZero] = 0; }) &
              Sums);
  CHECK_FALSE(switchesOf(FlushThem, [](const Operands &,
                                       auto &Row) { Row[MinusSelf] = 0; }) &
              Sums);
  CHECK_FALSE(switchesOf(FlushThem,
                         [](const Operands &O, auto &Row) {
                           Row[MultiplyAdd] = Row[Fused]; // contracted
                         }) &
              Sums);
}

TEST_CASE("inexact division, roots and fused sums are seen") {
  CHECK_FALSE(switchesOf(FlushThem,
                         [](const Operands &O, auto &Row) {
                           volatile float Inverse = 1 / O.B;
                           Row[Divided] = O.A * Inverse;
                         }) &
              Div);
  CHECK_FALSE(switchesOf(FlushThem,
                         [](const Operands &O, auto &Row) {
                           volatile float Inverse = 1 / Three;
                           Row[Third] = O.A * Inverse;
                         }) &
              Div);
  CHECK_FALSE(switchesOf(FlushThem,
                         [](const Operands &O, auto &Row) {
                           volatile float Inverse = 1 / Row[Root];
                           Row[Root] = O.A == 0 ? O.A : O.A * Inverse;
                         }) &
              Sqrt);
  CHECK_FALSE(
      switchesOf(FlushThem, [](const Operands &,
                               auto &Row) { Row[Fused] = Row[MultiplyAdd]; }) &
      Fma);
}

TEST_CASE("a device whose sums or conversions are wrong is unfit") {
  std::string Fault;
  switchesOf(FlushThem, Fault, [](const Operands &O, auto &Row) {
    Row[Added] = std::nextafter(O.A + O.B, 0.0f);
  });
  CHECK(Fault == "its sums are not correctly rounded");
  Fault.clear();
  switchesOf(FlushThem, Fault, [](const Operands &, auto &Row) {
    Row[FromUnsigned] = Row[FromSigned];
  });
  CHECK(Fault == "its conversions of integers are not correctly rounded");
}

TEST_CASE("sets of switches have names") {
  CHECK(switchNames(0) == "none");
  CHECK(switchNames(Div | Sqrt) == "division, square root");
}

TEST_CASE("neighbours: consecutive work-items in consecutive lanes") {
  constexpr uint32_t Size = 64;
  std::vector<NeighbourRow> Rows(2 * Size);
  auto Play = [&](uint32_t Width) {
    for (uint32_t R = 0; R < Rows.size(); ++R) {
      uint32_t Own = R % Size, First = Own - Own % Width;
      for (uint32_t Bit = 0; Bit < 5; ++Bit)
        Rows[R][Bit] = (1u << Bit) < Width ? Own ^ 1u << Bit : 0xdead;
      Rows[R][5] = Width >= 8 ? Own & ~7u : First;
      Rows[R][6] = Width >= 32 ? Own & ~31u : First;
    }
  };
  Play(64);
  CHECK(neighboursMeet(Rows, Size, 8));
  CHECK(neighboursMeet(Rows, Size, 32));
  Play(8);
  CHECK(neighboursMeet(Rows, Size, 8));
  CHECK_FALSE(neighboursMeet(Rows, Size, 32));
  Play(4);
  CHECK_FALSE(neighboursMeet(Rows, Size, 8));
  // Quads in two rows of an image's tile: other neighbours.
  Play(32);
  std::swap(Rows[2], Rows[4]);
  CHECK_FALSE(neighboursMeet(Rows, Size, 8));
  CHECK_FALSE(neighboursMeet(Rows, Size, 32));
}

TEST_CASE("subgroups that a pipeline can count on") {
  PhysicalDevice P;
  CHECK(chooseSubgroups(P).Width == 0);
  P.Features13.computeFullSubgroups = P.Features13.subgroupSizeControl =
      VK_TRUE;
  P.Properties11.subgroupSupportedOperations = VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
  P.Properties11.subgroupSupportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
  P.Properties11.subgroupSize = 64;
  P.Properties13.minSubgroupSize = P.Properties13.maxSubgroupSize = 64;
  P.Properties13.maxComputeWorkgroupSubgroups = 16;
  CHECK(chooseSubgroups(P).Width == 64);
  CHECK_FALSE(chooseSubgroups(P).Ask);
  P.Properties13.minSubgroupSize = 8; // a choice, and no way to make it
  CHECK(chooseSubgroups(P).Width == 0);
  P.Properties13.requiredSubgroupSizeStages = VK_SHADER_STAGE_COMPUTE_BIT;
  CHECK(chooseSubgroups(P).Width == 32);
  CHECK(chooseSubgroups(P).Ask);
  P.Features13.computeFullSubgroups = VK_FALSE;
  CHECK(chooseSubgroups(P).Width == 0);
}
