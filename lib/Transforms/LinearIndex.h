//===- LinearIndex.h - Indices as sums
//---------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `row * 4096 + k * 256 + lid` is a constant and products of values and
// constants. Integers wrap, so the equation holds modulo 2^32 whatever the
// values are: with equal products, indices are equal if and only if their
// constants are.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TRANSFORMS_LINEARINDEX_H
#define GOLDYC_LIB_TRANSFORMS_LINEARINDEX_H

#include "goldyc/IR/IR.h"

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace goldy {

/// Constant + Σ factor * value, modulo 2^32.
struct LinearIndex {
  /// Names of values with their factors, which are not zero, by name.
  std::vector<std::pair<uint64_t, uint32_t>> Products;
  uint32_t Constant = 0;
};

class LinearIndices {
public:
  /// `F` may grow meanwhile.
  explicit LinearIndices(const Function &F) : F(F) {}
  /// The form of a u32 or i32 value.
  const LinearIndex &of(ValueId V);

private:
  /// A form with more products, or made in more steps, is one value.
  static constexpr size_t MaxProducts = 8;
  static constexpr unsigned MaxDepth = 24;
  LinearIndex make(ValueId V, unsigned Depth);
  LinearIndex find(ValueId V, unsigned Depth);
  LinearIndex single(ValueId V) const;
  std::optional<std::pair<ValueId, uint32_t>> productOf(ValueId V) const;

  const Function &F;
  std::unordered_map<uint32_t, LinearIndex> Forms;
};

} // namespace goldy

#endif
