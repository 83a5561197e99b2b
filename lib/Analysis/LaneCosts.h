//===- LaneCosts.h - What operations cost on vectors ----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The figures behind the lane plan's rules of cost: how many registers make a
// vector (LanesInterleave.cpp), how many rows run in step (LanesRows.cpp). They
// are those of no machine but near enough to all that there are. Private to
// Analysis.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_ANALYSIS_LANECOSTS_H
#define GOLDYC_LIB_ANALYSIS_LANECOSTS_H

#include "goldyc/IR/IR.h"

namespace goldy::costs {

/// Trips that a loop is taken to have.
inline constexpr unsigned Trips = 16;
/// Operations that wait for others at a time.
inline constexpr double Window = 128;
/// Operations a cycle, of vectors and of all kinds.
inline constexpr double VectorRate = 3, Rate = 4;
/// Operations of a fused multiply-add on a machine that has none.
inline constexpr double FmaByDoubles = 40;
/// Accesses of memory a cycle.
inline constexpr double MemoryRate = 2;
/// Operations of a loop's end, and of the loop over vectors.
inline constexpr double LoopOnce = 3;
/// More than one register a vector must take at most this part of the time.
inline constexpr double Gains = 0.9;
/// Registers of a vector, but for the order of memory.
inline constexpr unsigned MaxRegisters = 4;
/// Float operations that start each cycle, and cycles until one has its result:
/// as many chains side by side as the product leave none idle.
inline constexpr unsigned FloatRate = 2, FloatLatency = 4;

/// Cycles until the result is there; operations that it takes.
struct OpCost {
  double Latency = 1, Work = 1;
};
/// Of a legal operation in one register of lanes.
OpCost of(const Inst &N);

} // namespace goldy::costs

#endif
