//===- Inputs.h - What benchmarks put into buffers ------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hashes of the index, so that other programs can make the same.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_BENCH_INPUTS_H
#define GOLDY_BENCH_INPUTS_H

#include <cstdint>

namespace goldy::bench {

inline uint32_t hashOf(uint32_t I) {
  I ^= I >> 16;
  I *= 0x7feb352du;
  I ^= I >> 15;
  I *= 0x846ca68bu;
  return I ^ I >> 16;
}

/// From -1 on, less than 1. bench/gpu's kernel fill_floats makes the same.
inline float randomFloat(uint32_t I, uint32_t Seed) {
  return static_cast<float>(hashOf(I + Seed) >> 8) * 0x1p-23f - 1.0f;
}

} // namespace goldy::bench

#endif
