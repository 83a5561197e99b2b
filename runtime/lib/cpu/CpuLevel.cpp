//===- CpuLevel.cpp - x86-64 levels of this machine -----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A level counts only if the operating system saves its registers (XCR0).
//
//===----------------------------------------------------------------------===//
#include "cpu/CpuLevel.h"

#include <algorithm>
#include <cpuid.h>
#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace goldy::rt;

namespace {
struct Leaf {
  unsigned A = 0, B = 0, C = 0, D = 0;
};

Leaf leaf(unsigned Number, unsigned Sub = 0) {
  Leaf L;
  if (!__get_cpuid_count(Number, Sub, &L.A, &L.B, &L.C, &L.D))
    return Leaf();
  return L;
}

bool all(unsigned Word, unsigned Bits) { return (Word & Bits) == Bits; }

uint64_t savedState() {
  unsigned Low, High;
  __asm__("xgetbv" : "=a"(Low), "=d"(High) : "c"(0));
  return uint64_t(High) << 32 | Low;
}
} // namespace

static unsigned detect() {
  Leaf One = leaf(1), Seven = leaf(7), Extended = leaf(0x80000001);
  constexpr unsigned V2 = bit_SSE3 | bit_SSSE3 | bit_CMPXCHG16B | bit_SSE4_1 |
                          bit_SSE4_2 | bit_POPCNT;
  constexpr unsigned Lahf = 1u << 0, Lzcnt = 1u << 5;
  if (!all(One.C, V2) || !all(Extended.C, Lahf))
    return 1;
  constexpr unsigned V3 =
      bit_FMA | bit_MOVBE | bit_OSXSAVE | bit_AVX | bit_F16C;
  constexpr unsigned V3Seven = bit_AVX2 | bit_BMI | bit_BMI2;
  if (!all(One.C, V3) || !all(Seven.B, V3Seven) || !all(Extended.C, Lzcnt) ||
      (savedState() & 0x6) != 0x6)
    return 2;
  constexpr unsigned V4Seven =
      bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL;
  if (!all(Seven.B, V4Seven) || (savedState() & 0xe6) != 0xe6)
    return 3;
  return 4;
}

unsigned goldy::rt::cpuLevel() {
  static const unsigned Level = detect();
  return Level;
}

Status goldy::rt::levelToUse(unsigned &Out) {
  Out = cpuLevel();
  const char *Asked = std::getenv("GOLDY_CPU_LEVEL");
  std::string_view Level = Asked ? Asked : "";
  if (Level.empty())
    return Status();
  if (Level.size() != 1 || Level[0] < '1' || Level[0] > '4')
    return Status(GOLDY_INVALID_ARGUMENT, "GOLDY_CPU_LEVEL is `" +
                                              std::string(Level) +
                                              "`; it takes 1, 2, 3 or 4");
  Out = std::min(Out, static_cast<unsigned>(Level[0] - '0'));
  return Status();
}

std::string goldy::rt::levelName(unsigned Level) {
  return "x86-64-v" + std::to_string(Level);
}
