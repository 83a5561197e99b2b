//===- VulkanRoundingTest.cpp - Modules without a rounding mode -----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "vulkan/Rounding.h"

#include <catch2/catch.hpp>

using goldy::rt::vk::withoutRounding;

namespace {

using Words = std::vector<uint32_t>;

constexpr uint32_t Shader = 1, RoundingRTE = 4467, ZerosPreserved = 4461;

uint32_t first(uint32_t Length, uint32_t Opcode) {
  return Length << 16 | Opcode;
}
Words capability(uint32_t C) { return {first(2, 17), C}; }
Words mode(uint32_t Mode, uint32_t Width) {
  return {first(4, 16), 7, Mode, Width};
}
Words module(const std::vector<Words> &Instructions) {
  Words All = {0x07230203, 0x00010300, 0, 9, 0};
  for (const Words &I : Instructions)
    All.insert(All.end(), I.begin(), I.end());
  return All;
}

} // namespace

TEST_CASE("the rounding mode of 32 bits leaves a module") {
  Words Local = {first(6, 16), 7, 17, 64, 1, 1};
  Words Zeros = mode(ZerosPreserved, 32);
  CHECK(withoutRounding(module({capability(Shader), capability(RoundingRTE),
                                Local, mode(4462, 32), Zeros})) ==
        module({capability(Shader), Local, Zeros}));
}

TEST_CASE("other widths keep theirs, and the capability") {
  CHECK(withoutRounding(module(
            {capability(RoundingRTE), mode(4462, 16), mode(4462, 32)})) ==
        module({capability(RoundingRTE), mode(4462, 16)}));
}

TEST_CASE("words that are no module stay") {
  for (const Words &Bad :
       {Words{}, Words{1, 2, 3}, module({{0}}), module({{first(9, 16), 7}}),
        module({capability(RoundingRTE), {first(4, 16), 7}})})
    CHECK(withoutRounding(Bad) == Bad);
}
