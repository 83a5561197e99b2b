//===- WaitPhasesTest.cpp - How long a wait polls and sleeps --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/WaitPhases.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace goldy::rt;

constexpr uint64_t Waking = WaitPhases::WakingNs;

TEST_CASE("a wait that knows of no long one polls once") {
  WaitPhases P = phasesAfter(0);
  CHECK(P.Poll == Waking);
  CHECK(P.Sleep == 0);
  CHECK(P.PollAgain == 0);
}

TEST_CASE("a wait sleeps until shortly before the last long one's length") {
  for (uint64_t Long : {Waking + 1, 2 * Waking, 2 * Waking + 1, 4 * Waking,
                        1000 * Waking, UINT64_MAX}) {
    INFO(Long);
    WaitPhases P = phasesAfter(Long);
    CHECK(P.Poll == Waking);
    // It polls again from then on until as long behind it.
    uint64_t Again = P.Poll + P.Sleep;
    CHECK(Again == std::max(Long - Waking, Waking));
    CHECK(P.PollAgain == 2 * Waking);
  }
}
