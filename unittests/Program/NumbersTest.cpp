//===- NumbersTest.cpp - Arithmetic of 63 bits ----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exact sums, wrapping sums, and the words of holes.
//
//===----------------------------------------------------------------------===//
#include "program/Numbers.h"

#include <catch2/catch.hpp>

using namespace goldy::program;

TEST_CASE("exact sums and products end at 63 bits") {
  CHECK(exactAdd(NumberMax, 0) == NumberMax);
  CHECK_FALSE(exactAdd(NumberMax, 1));
  CHECK_FALSE(exactAdd(NumberMin, -1));
  CHECK(exactAdd(NumberMin, NumberMax) == -1);
  CHECK(exactMul(Number(1) << 31, Number(1) << 30) == Number(1) << 61);
  CHECK_FALSE(exactMul(Number(1) << 31, Number(1) << 31)); // 2^62
  CHECK(exactMul(Number(1) << 31, -(Number(1) << 31)) == NumberMin);
  CHECK_FALSE(exactMul(Number(1) << 32, Number(1) << 32)); // 2^64
  CHECK_FALSE(exactMul(NumberMin, -1));
  CHECK_FALSE(exactMul(NumberMin, NumberMin));
}

TEST_CASE("holes wrap modulo 2^63") {
  CHECK(wrap(uint64_t(1) << 62) == NumberMin);
  CHECK(wrap(uint64_t(1) << 63) == 0);
  CHECK(wrap(~uint64_t(0)) == -1);
  CHECK(wrapMulAdd(NumberMax, 1, 1) == NumberMin);
  CHECK(wrapMulAdd(0, NumberMin, -1) == NumberMin);
  CHECK(wrapMulAdd(0, Number(1) << 32, Number(1) << 32) == 0);
  CHECK(wrapMulAdd(5, NumberMax, NumberMax) == 6); // (2^62-1)^2 = 1 mod 2^63
}

TEST_CASE("a hole's word is the sum in two's complement, shifted") {
  // The high half of -8: zeros come in above the 64-bit word.
  CHECK(holeWord(-8, 0, 32, Width::W32) == 0xffffffff);
  CHECK(holeWord(-8, 0, 0, Width::W64) == 0xfffffffffffffff8);
  CHECK(holeWord(-8, 0, 0, Width::W32) == 0xfffffff8);
  CHECK(holeWord(-8, 0, 1, Width::W64) == 0x7ffffffffffffffc);
  CHECK(holeWord(-8, 0, 62, Width::W64) == 3);
  CHECK(holeWord(-8, 0, 40, Width::W64) == 0xffffff);
  CHECK(holeWord(0x123456789abcdef0, 0, 32, Width::W32) == 0x12345678);
  // 2^62 wraps to NumberMin, whose word has both top bits set.
  CHECK(holeWord(NumberMax, 1, 0, Width::W64) == 0xc000000000000000);
}

TEST_CASE("a filled hole keeps constant bits and refuses to cover them") {
  std::string Bytes("\0\0\0\x80\0\0\0\0", 8);
  CHECK(fillHole({Bytes.data(), 4}, 0x01020304));
  CHECK(Bytes == std::string("\4\3\2\x81\0\0\0\0", 8));
  CHECK_FALSE(fillHole({Bytes.data(), 4}, 0x80000000));
  CHECK_FALSE(fillHole(Bytes, 1 << 8));
  CHECK(Bytes == std::string("\4\3\2\x81\0\0\0\0", 8));
  CHECK(fillHole(Bytes, 0xfedcba9800000000));
  CHECK(Bytes == std::string("\4\3\2\x81\x98\xba\xdc\xfe", 8));
  CHECK(fillHole(Bytes, 0));
}
