//===- Interval.h - Bounds of integers ------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an operation makes of bounds, whatever is asked of them: facts about a
// place (Ranges.h), or what a value is anywhere (FloatRanges.h).
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_ANALYSIS_INTERVAL_H
#define GOLDYC_ANALYSIS_INTERVAL_H

#include "goldyc/IR/IR.h"

#include <algorithm>

namespace goldy {

/// Inclusive bounds in the value's own type. None if Lo > Hi.
struct Interval {
  int64_t Lo = 0, Hi = 0;
  bool within(int64_t Least, int64_t Most) const {
    return Lo >= Least && Hi <= Most;
  }
  bool isEmpty() const { return Lo > Hi; }
  friend bool operator==(const Interval &, const Interval &) = default;
};

inline constexpr Interval NoInteger{1, 0};
inline constexpr Interval AllU32{0, UINT32_MAX};
inline constexpr Interval AllI32{INT32_MIN, INT32_MAX};

/// Of two intervals, of which either may be empty.
inline Interval hullOf(Interval A, Interval B) {
  if (A.isEmpty() || B.isEmpty())
    return A.isEmpty() ? B : A;
  return {std::min(A.Lo, B.Lo), std::max(A.Hi, B.Hi)};
}

/// What a 32-bit operation of two values gives, machine operations included:
/// `All` where it may wrap, or is not followed. Neither is empty.
Interval binaryInterval(Op O, Interval X, Interval Y, Interval All);

} // namespace goldy

#endif
