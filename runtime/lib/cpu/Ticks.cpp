//===- Ticks.cpp - A clock that costs next to nothing ---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "cpu/Ticks.h"

#include "core/RunTimes.h"

#include <algorithm>
#include <array>

using namespace goldy::rt;

static float measureOnce() {
  constexpr uint64_t LongNs = 10000;
  uint64_t StartNs = steadyNs(), Start = ticks(), Ns = StartNs;
  while (Ns - StartNs < LongNs)
    Ns = steadyNs();
  return static_cast<float>(ticks() - Start) / static_cast<float>(Ns - StartNs);
}

/// The middle of three: the thread may be interrupted within one.
static float measure() {
  std::array<float, 3> Rates{measureOnce(), measureOnce(), measureOnce()};
  std::ranges::sort(Rates);
  return std::max(Rates[1], 1e-3f);
}

float goldy::rt::ticksPerNs() {
  static const float Rate = measure();
  return Rate;
}
