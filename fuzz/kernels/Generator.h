//===- Generator.h - Random well-typed kernels ----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the source text of one kernel from a number: the same number gives the
// same text on every machine. The kernel is well typed and determined: a
// work-item writes only its own elements of what it stores to, atomics commute
// and their old values are not used, barriers stand in uniform flow, and a
// workgroup array is written at the own index before a barrier and read
// anywhere after it. All else is hostile: indices, divisors, shift amounts and
// conversions come from memory, and every loop has a bounded number of trips.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_FUZZ_KERNELS_GENERATOR_H
#define GOLDY_FUZZ_KERNELS_GENERATOR_H

#include <cstdint>
#include <string>

namespace goldy::fuzz {

/// What kernels may hold beside the scalars of 32 bits.
enum Feature : uint32_t {
  Wide = 1,         ///< u64, i64
  Narrow = 2,       ///< narrow buffer elements
  Vectors = 4,      ///< vector values, swizzles
  Math = 8,         ///< published functions
  Collectives = 16, ///< workgroup_sum and its kin, uniform loads
  Constants = 32,   ///< constant tables
  Tensors = 64,     ///< tensor parameters
  AllFeatures = 127
};

/// What the kernels of a family are hard on.
enum class Family : uint8_t {
  Typed, ///< types and operations: Features choose among them
  State, ///< groups: StateWriter.h
  Rows   ///< loops over rows of memory: RowsWriter.h
};

/// One kernel named `k` with its structs and helpers.
std::string generateKernel(Family F, uint64_t Seed, uint32_t Features);
std::string generateStateKernel(uint64_t Seed);
std::string generateRowsKernel(uint64_t Seed);

} // namespace goldy::fuzz

#endif
