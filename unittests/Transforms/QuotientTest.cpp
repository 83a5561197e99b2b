//===- QuotientTest.cpp - Quotients by fused steps ------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every quotient must be the rounded one: at the edges of the format, around
// the divisors that are scaled, and next to the middle of two neighbours.
//
//===----------------------------------------------------------------------===//
#include "LegaliseTest.h"

#include <bit>
#include <cmath>
#include <random>

using namespace goldy;
using namespace goldy::test;

namespace {

class SharedQuotients {
public:
  explicit SharedQuotients(const Capabilities &Caps)
      : D({types::F32, types::F32}, types::F32), L(build(Caps)) {}
  void check(uint32_t X, uint32_t Y) {
    uint32_t Want = expected(Op::Div, types::F32, types::F32, {X, Y});
    uint32_t Got = L.run({X, Y});
    if (Got != Want)
      FAIL(hex(X) << " / " << hex(Y) << " got " << hex(Got) << ", expected "
                  << hex(Want));
  }
  std::string text() const { return L.text(); }

private:
  /// As many divisions as share their divisor, of which one is looked at.
  Legalised build(const Capabilities &Caps) {
    for (uint32_t N = 4; N-- > 0;)
      D.B.store(D.output(N), D.B.op(Op::Div, {D.scalar(0), D.scalar(1)}));
    return Legalised(D, Caps);
  }

  Definition D;
  Legalised L;
};

const Capabilities &target() {
  return *capabilitiesFor(GENERATE("sm_80", "vulkan1.3"));
}

/// The inverse of an odd number modulo 2^32.
uint32_t inverse(uint32_t X) {
  uint32_t Y = X;
  for (int N = 0; N < 5; ++N)
    Y *= 2 - X * Y;
  return Y;
}

/// Significands a with a / b within k / (2 b) of the middle of two neighbours:
/// a * 2^s = b * m + k for an odd m of 25 bits.
template <class Fn> void forEachHard(uint32_t SigB, int K, Fn Visit) {
  int Twos = std::countr_zero(SigB);
  if (std::countr_zero(static_cast<uint32_t>(K < 0 ? -K : K)) != Twos)
    return;
  for (int S : {24, 25}) {
    uint64_t Mod = uint64_t(1) << (S - Twos), Mask = Mod - 1;
    uint64_t Odd = static_cast<uint64_t>(-(K >> Twos)) & Mask;
    uint64_t First = inverse(SigB >> Twos) * Odd & Mask;
    for (uint64_t M = First; M < uint64_t(1) << 25; M += Mod) {
      if (M < uint64_t(1) << 24 || M % 2 == 0)
        continue;
      uint64_t Product = SigB * M + static_cast<uint64_t>(int64_t(K));
      uint64_t A = Product >> S;
      if (A >= 1u << 23 && A < 1u << 24 && (S == 25) == (A < SigB))
        Visit(static_cast<uint32_t>(A));
    }
  }
}

class NearQuotients {
public:
  explicit NearQuotients(const Capabilities &Caps)
      : D({types::F32, types::F32}, types::F32), L(build(Caps)) {}
  void check(uint32_t X, uint32_t Y) {
    uint32_t Want = expected(Op::Div, types::F32, types::F32, {X, Y});
    for (int Noise : {0, 1, -1, 3, -3})
      if (uint32_t Got = L.run({X, Y}, Noise); Got != Want)
        FAIL(hex(X) << " / " << hex(Y) << " noise " << Noise << " got "
                    << hex(Got) << ", expected " << hex(Want));
  }
  std::string text() const { return L.text(); }

private:
  Legalised build(const Capabilities &Caps) {
    D.result(D.B.op(Op::NearQuotient, {D.scalar(0), D.scalar(1)}));
    return Legalised(D, Caps);
  }

  Definition D;
  Legalised L;
};

const Capabilities &anyTarget() {
  return *capabilitiesFor(
      GENERATE("sm_80", "vulkan1.3", "slang", "x86-64-v1", "x86-64-v3"));
}

/// Exponents of operands that are near enough, biased.
constexpr uint32_t LeastNear = 127 - 60, MostNear = 127 + 60;

} // namespace

TEST_CASE("near quotients: the ends of the range") {
  NearQuotients Q(anyTarget());
  for (uint32_t A : {0u, LeastNear, 100u, 127u, 130u, MostNear - 1})
    for (uint32_t C : {LeastNear, 99u, 126u, 127u, 128u, MostNear - 1})
      for (uint32_t Fraction : {0u, 1u, 0x400000u, 0x7fffffu})
        for (uint32_t Other : {0u, 1u, 0x2aaaaau, 0x7fffffu})
          for (uint32_t Signs = 0; Signs < (A ? 4 : 2); ++Signs)
            Q.check((A << 23 | (A ? Fraction : 0)) | Signs << 31,
                    (C << 23 | Other) | Signs >> 1 << 31);
}

TEST_CASE("near quotients: any dividend by a power of two") {
  NearQuotients Q(anyTarget());
  for (uint32_t Power : {0x3f800000u, 0x40000000u, 0xbf000000u})
    for (uint32_t Exponent : {2u, 3u, 60u, 253u})
      for (uint32_t Fraction : {0u, 1u, 0x555555u, 0x7fffffu})
        Q.check(Exponent << 23 | Fraction, Power);
}

TEST_CASE("near quotients: next to the middle of two floats") {
  NearQuotients Q(anyTarget());
  std::mt19937 Random(9);
  unsigned Tried = 0;
  for (unsigned N = 0; N < 500; ++N) {
    uint32_t SigB = N < 64 ? (1u << 24) - 1 - N : 1u << 23 | (Random() >> 9);
    for (int K = -8; K <= 8; ++K)
      if (K != 0)
        forEachHard(SigB, K, [&](uint32_t SigA) {
          ++Tried;
          Q.check(0x3f800000 | (SigA & 0x7fffff),
                  0x3f800000 | (SigB & 0x7fffff));
        });
  }
  REQUIRE(Tried > 1000);
}

TEST_CASE("near quotients: the way of each target") {
  auto Text = [](const char *Arch) {
    return NearQuotients(*capabilitiesFor(Arch)).text();
  };
  CHECK(Text("x86-64-v3").find(" / ") != std::string::npos);
  CHECK(Text("x86-64-v3").find("gpu::fma(") == std::string::npos);
  std::string Ptx = Text("sm_90a");
  CHECK(Ptx.find("ir::raw_inverse(") != std::string::npos);
  CHECK(Ptx.find(" / ") == std::string::npos);
  CHECK(Ptx.find("gpu::select(") == std::string::npos);
}

TEST_CASE("number_bits are bits as they are") {
  forEachTarget([](const Capabilities &Caps) {
    Definition D({types::F32}, types::U32);
    ValueId X[] = {D.B.op(Op::Mul, {D.scalar(0), D.scalar(0)})};
    D.result(D.B.opTyped(Op::NumberBits, types::U32, X));
    Legalised L(D, Caps);
    CHECK(L.run({0xc0000000u}) == 0x40800000u);
    CHECK(L.text().find("canon_nan") == std::string::npos);
  });
}

TEST_CASE("shared divisors: edges") {
  SharedQuotients Q(target());
  // Sums by fma in either case.
  REQUIRE(Q.text().find("gpu::fma(") != std::string::npos);
  for (uint32_t X : floatEdges())
    for (uint32_t Y : floatEdges())
      Q.check(X, Y);
}

TEST_CASE("shared divisors: every pair of exponents") {
  SharedQuotients Q(target());
  std::mt19937 Random(7);
  for (uint32_t A = 0; A < 256; A += 3)
    for (uint32_t C = 0; C < 256; ++C)
      Q.check((Random() & 0x807fffff) | A << 23,
              (Random() & 0x807fffff) | C << 23);
  // Around the divisors that are scaled, and quotients at the range's ends.
  for (uint32_t C : {61u, 62u, 63u, 126u, 127u, 128u, 191u, 192u, 193u})
    for (uint32_t A = 0; A < 256; ++A)
      for (uint32_t Fraction : {0u, 1u, 0x7fffffu})
        for (uint32_t Other : {0u, 1u, 0x7fffffu})
          Q.check(A << 23 | Fraction, C << 23 | Other);
}

TEST_CASE("shared divisors: next to the middle of two floats") {
  SharedQuotients Q(target());
  std::mt19937 Random(8);
  unsigned Tried = 0;
  for (unsigned N = 0; N < 4000; ++N) {
    uint32_t SigB = N < 64 ? (1u << 24) - 1 - N : 1u << 23 | (Random() >> 9);
    for (int K = -8; K <= 8; ++K)
      if (K != 0)
        forEachHard(SigB, K, [&](uint32_t SigA) {
          ++Tried;
          Q.check(0x3f800000 | (SigA & 0x7fffff),
                  0x3f800000 | (SigB & 0x7fffff));
        });
  }
  REQUIRE(Tried > 10000);
}

TEST_CASE("inverses of nearly inverses are rounded") {
  // What a device divides is up to 3 units off; the exception is 2 - 2^-23.
  auto Step = [](float N, float R) {
    return std::fma(R, std::fma(-N, R, 1.0f), R);
  };
  unsigned Wrong = 0;
  for (uint32_t Fraction = 0; Fraction < 1u << 23; Fraction += 7)
    for (uint32_t Off : {0xfffffffdu, 0xffffffffu, 0u, 2u, 3u}) {
      float N = std::bit_cast<float>(0x3f800000u | Fraction);
      float Want = static_cast<float>(1.0 / double(N));
      float R = std::bit_cast<float>(std::bit_cast<uint32_t>(Want) + Off);
      Wrong += Step(N, Step(N, R)) != Want;
    }
  CHECK(Wrong == 0);
  SharedQuotients Q(*capabilitiesFor("vulkan1.3"));
  for (uint32_t X : {0x3fffffffu, 0x3f800000u, 0x3f800001u, 0x7f7fffffu})
    for (uint32_t Y : {0x3fffffffu, 0xbfffffffu, 0x7f7fffffu, 0x00ffffffu})
      Q.check(X, Y);
}
