//===- Lanes.h - The lane plan: how a kernel becomes vector code
//------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host target runs W work-items of one row (adjacent in x) per vector.
// The plan says for every value how it varies over those lanes, for every
// statement under what mask and in which region it runs, and for every value
// that outlives a region its context slot. The emitter transcribes the plan;
// --emit=lanes prints it as comments on IR text.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_ANALYSIS_LANES_H
#define GOLDYC_ANALYSIS_LANES_H

#include "goldyc/Analysis/Uniformity.h"
#include "goldyc/IR/IR.h"

namespace goldy {

/// How a value varies over the lanes of one vector. Only lane-uniformity is
/// meant here: local_id.y is Uniform.
enum class LaneShape : uint8_t {
  Uniform, ///< one scalar
  Strided, ///< first + lane * Stride (integers); Stride 1 is contiguous
  Varying  ///< a vector
};
struct LaneValue {
  LaneShape Shape = LaneShape::Varying;
  int64_t Stride = 0; ///< Strided
  friend bool operator==(const LaneValue &, const LaneValue &) = default;
};

/// How a memory access is done over the lanes.
enum class LaneAccess : uint8_t { Broadcast, Contiguous, Strided, Gather };

} // namespace goldy

#endif
