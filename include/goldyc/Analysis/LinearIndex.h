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
#ifndef GOLDYC_ANALYSIS_LINEARINDEX_H
#define GOLDYC_ANALYSIS_LINEARINDEX_H

#include "goldyc/Analysis/Structure.h"

#include <compare>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace goldy {

/// Constant + Σ factor * value, modulo 2^32.
struct LinearIndex {
  struct Product {
    uint64_t Name; ///< of the value: equal names are equal values
    uint32_t Factor;
    ValueId Value;
    friend auto operator<=>(const Product &A, const Product &B) {
      return std::pair(A.Name, A.Factor) <=> std::pair(B.Name, B.Factor);
    }
    friend bool operator==(const Product &A, const Product &B) {
      return A.Name == B.Name && A.Factor == B.Factor;
    }
  };
  std::vector<Product> Products; ///< by name; no factor is zero
  uint32_t Constant = 0;
};

/// True if two indices are certainly not equal: their difference is no multiple
/// of a power of two that all its products are multiples of.
bool neverEqual(const LinearIndex &A, const LinearIndex &B);

class LinearIndices {
public:
  /// `F` may grow meanwhile.
  explicit LinearIndices(const Function &F) : F(F) {}
  /// The form of a u32 or i32 value.
  const LinearIndex &of(ValueId V);
  /// The form of one step of a path, constant or not.
  LinearIndex ofElement(const PathElement &E) {
    return E.isDynamic() ? of(E.Index) : LinearIndex{{}, E.Member};
  }

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

/// An index as an earlier one and a distance, so that addresses of unrolled
/// code differ by constants.
struct RelativeIndex {
  ValueId Base;
  int64_t Distance = 0;
};

class RelativeIndices {
public:
  RelativeIndices(const Function &F, const Structure &Where)
      : F(F), Where(Where), Forms(F) {}
  /// Index = Base + Distance, as integers: nothing wraps between them, and Base
  /// is a value at the access `At`. Else the index itself.
  RelativeIndex of(ValueId Index, InstId At);

private:
  bool isBelow2To32(const LinearIndex &X, uint32_t Constant) const;
  uint64_t mostOf(ValueId V) const;

  const Function &F;
  const Structure &Where;
  LinearIndices Forms;
  std::map<std::vector<LinearIndex::Product>, std::vector<ValueId>> Earlier;
};

} // namespace goldy

#endif
