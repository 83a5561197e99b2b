//===- OwnIndex.h - Indices as sums over the ids of a work-item -----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which elements a work-item touches, in a form that can be compared between
// statements, and between kernels that one launch runs. An index is a constant
// and a sum of products, each of at most one id and of values that are the same
// for the whole launch (parameters, lengths, the grid's size and what is
// computed from them). All is modulo 2^32, as the language computes it, so two
// indices of one form are equal whatever the values are.
//
// Indices are a work-item's own if no two work-items of the launch have the
// same ones. That is certain if each axis along which there is more than one
// work-item has an index of its own, which holds that axis's id times an odd
// constant: such products are distinct modulo 2^32. Two axes in one index, as
// in `y * w + x`, tell work-items apart where `x < w`, `y < h` and `w * h` is
// at most 2^32: the caller has to see to that.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_ANALYSIS_OWNINDEX_H
#define GOLDYC_ANALYSIS_OWNINDEX_H

#include "goldyc/IR/IR.h"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace goldy {

/// A name for a value that is computed without memory from constants,
/// parameters, lengths, the grid and, if `WithIds`, ids: equal names are equal
/// values in every statement of one work-item's run. Empty for others. `Param`
/// renames parameters (none: their own numbers).
std::string launchName(const Function &F, ValueId V, bool WithIds,
                       const std::function<uint32_t(uint32_t)> &Param = {});

/// Where more than one work-item may be: by axis, several groups, and the
/// work-items of a group.
struct LaunchShape {
  std::array<bool, 3> ManyGroups{true, true, true};
  std::array<uint32_t, 3> WorkgroupSize{1, 1, 1};
  bool isSpread(unsigned Axis) const {
    return ManyGroups[Axis] || WorkgroupSize[Axis] > 1;
  }
};

/// Σ factor * product. A product is an id (or none) and names of values.
struct IdIndex {
  enum class Id : uint8_t { None, Global, Local, Group };
  struct Product {
    Id Of = Id::None;
    uint32_t Axis = 0;
    std::vector<std::string> Factors; ///< sorted
    friend auto operator<=>(const Product &, const Product &) = default;
  };
  std::map<Product, uint32_t> Sum; ///< no factor is zero
  friend bool operator==(const IdIndex &, const IdIndex &) = default;

  /// Axes whose ids occur, as a bit set.
  unsigned axes() const;
};

/// The form of a u32 or i32 value; nothing if it depends on anything else.
std::optional<IdIndex> idIndexOf(const Function &F, ValueId V,
                                 const LaunchShape &Shape);
/// The form of one step of a path, constant or not.
std::optional<IdIndex> idIndexOf(const Function &F, const PathElement &E,
                                 const LaunchShape &Shape);

/// True if no two work-items of the launch have these indices (one for a
/// buffer, two for an image).
bool isOwn(std::span<const IdIndex> Indices, const LaunchShape &Shape);

/// `Outer * width + Inner`, and what is the same for the whole launch: axes of
/// global ids, the only ones along which there are several work-items.
struct GridIndex {
  unsigned Inner = 0, Outer = 0;
  std::optional<uint32_t> Width; ///< if it is a constant
  std::string WidthName;         ///< else its launchName
};
std::optional<GridIndex> gridIndexOf(const IdIndex &Index,
                                     const LaunchShape &Shape);
/// True if the index is the global id along one axis and nothing else.
bool isGlobalId(const IdIndex &Index, unsigned Axis);

} // namespace goldy

#endif
