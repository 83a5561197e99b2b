//===- Interval.cpp - Bounds of integers ----------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/Analysis/Interval.h"

#include <bit>

using namespace goldy;

/// The least all-ones number that is not below `Hi`.
static int64_t onesFrom(int64_t Hi) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(Hi) + 1)) - 1;
}

static Interval product(Interval X, Interval Y) {
  int64_t P[] = {X.Lo * Y.Lo, X.Lo * Y.Hi, X.Hi * Y.Lo, X.Hi * Y.Hi};
  return {*std::min_element(P, P + 4), *std::max_element(P, P + 4)};
}

static Interval byConstant(Op O, Interval X, int64_t C, Interval All) {
  switch (O) {
  case Op::Shl:
  case Op::RawShl:
    return {X.Lo * (int64_t(1) << (C & 31)), X.Hi * (int64_t(1) << (C & 31))};
  case Op::Shr:
  case Op::RawShr:
    return {X.Lo >> (C & 31), X.Hi >> (C & 31)};
  case Op::Div:
  case Op::RawDiv:
    return C > 0 ? Interval{X.Lo / C, X.Hi / C} : All;
  default: // a remainder
    if (C <= 0)
      return All;
    return {X.Lo < 0 ? std::max(X.Lo, 1 - C) : 0,
            X.Hi > 0 ? std::min(X.Hi, C - 1) : 0};
  }
}

static Interval bitwise(Op O, Interval X, Interval Y, Interval All) {
  if (O == Op::And) {
    if (X.Lo < 0 && Y.Lo < 0)
      return All;
    return {0, X.Lo < 0 ? Y.Hi : Y.Lo < 0 ? X.Hi : std::min(X.Hi, Y.Hi)};
  }
  if (X.Lo < 0 || Y.Lo < 0)
    return All;
  return {0, onesFrom(std::max(X.Hi, Y.Hi))};
}

static Interval unwrapped(Op O, Interval X, Interval Y, Interval All) {
  // Products of two u32 fit only up to 2^62; larger ones wrap anyway.
  bool Small = X.within(INT32_MIN, INT32_MAX) && Y.within(INT32_MIN, INT32_MAX);
  switch (O) {
  case Op::Add:
    return {X.Lo + Y.Lo, X.Hi + Y.Hi};
  case Op::Sub:
    return {X.Lo - Y.Hi, X.Hi - Y.Lo};
  case Op::Mul:
    return Small ? product(X, Y) : All;
  case Op::Min:
    return {std::min(X.Lo, Y.Lo), std::min(X.Hi, Y.Hi)};
  case Op::Max:
    return {std::max(X.Lo, Y.Lo), std::max(X.Hi, Y.Hi)};
  case Op::And:
  case Op::Or:
  case Op::Xor:
    return bitwise(O, X, Y, All);
  case Op::Div:
  case Op::Rem:
  case Op::Shl:
  case Op::Shr:
  case Op::RawDiv:
  case Op::RawRem:
  case Op::RawShl:
  case Op::RawShr:
    if (Y.Lo == Y.Hi)
      return byConstant(O, X, Y.Lo, All);
    return O != Op::Shl && O != Op::RawShl && X.Lo >= 0 && Y.Lo >= 0
               ? Interval{0, X.Hi}
               : All;
  default:
    return All;
  }
}

Interval goldy::binaryInterval(Op O, Interval X, Interval Y, Interval All) {
  Interval R = unwrapped(O, X, Y, All);
  return R.within(All.Lo, All.Hi) ? R : All;
}
