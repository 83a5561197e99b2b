//===- BoundsReport.h - What became of every check
//--------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Filled by the bounds passes for --emit=report: one record an index of an
// access, in program order, and one an `assume`. Copies that unrolling or
// inlining made of one access and that fared alike are one record.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TRANSFORMS_BOUNDSREPORT_H
#define GOLDYC_TRANSFORMS_BOUNDSREPORT_H

#include "goldyc/Support/Source.h"

#include <cstdint>
#include <string>
#include <vector>

namespace goldy {

enum class CheckFate : uint8_t {
  Proven,  ///< never out of range: no check
  Tested,  ///< one test selects a copy without the check
  Checked, ///< checked where it stands
  Outside  ///< always out of range: no access
};

/// Where a test stands.
enum class TestPlace : uint8_t { None, Group, Loop, Assumption };

/// Why an index is checked where it stands.
enum class CheckReason : uint8_t {
  None,
  Unbounded,   ///< nothing known earlier bounds the value at `Cause`
  PastEnd,     ///< its bound is the length or more, whatever that is
  NotRepeated, ///< a test before it would cost as much
  Limits,      ///< too many statements to copy, or too many tests
  NoCopies     ///< -O0, or in a function that is not expanded
};

struct CheckRecord {
  Span Access;           ///< the access as the user wrote it
  Span Index;            ///< its index; may be invalid for constants
  std::string IndexName; ///< of the variable that it is, or empty
  std::string Resource;
  bool Writes = false;
  CheckFate Fate = CheckFate::Proven;
  TestPlace Test = TestPlace::None;
  Span TestAt; ///< the loop or assumption; the kernel's name for Group
  CheckReason Reason = CheckReason::None;
  Span Cause; ///< Unbounded; may be invalid
  std::string CauseName;
  uint32_t Copies = 1;
  friend bool operator==(const CheckRecord &, const CheckRecord &) = default;
};

struct AssumeRecord {
  Span At;
  TestPlace Test = TestPlace::None; ///< None: it saves no check
  friend bool operator==(const AssumeRecord &, const AssumeRecord &) = default;
};

struct BoundsReport {
  std::vector<CheckRecord> Checks;
  std::vector<AssumeRecord> Assumes;
};

} // namespace goldy

#endif
