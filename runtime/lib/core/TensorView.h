//===- TensorView.h - What a tensor argument sees of its parent -----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A caller's view is judged once and becomes the layout that kernels trust:
// every element it reaches is the parent's, and no element of a written view
// is reached twice.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CORE_TENSORVIEW_H
#define GOLDY_RUNTIME_CORE_TENSORVIEW_H

#include "artifact/Artifact.h"
#include "goldy/goldy.h"

#include <goldy_host_abi.h>

#include <array>
#include <cstdint>
#include <string>

namespace goldy::rt {

/// A checked view. Elements [First, End) of the parent hold all it reaches;
/// both are 0 for a view without elements.
struct TensorView {
  goldy_tensor_layout Layout{}; ///< its offset is zero
  uint32_t Offset = 0;          ///< element of the parent at index zero
  uint64_t First = 0, End = 0;
  bool isContiguous() const { return Layout.flags & 1; }
  std::string shape() const; ///< `[2, 3]`
};

/// The view of a parent of `Length` elements that `View` describes (null: all
/// of them, along one axis). Empty if it is good, else why not.
std::string checkView(const goldy_tensor_view_t *View, uint64_t Length,
                      bool Written, TensorView &Out);

/// The view of all of a parent of `Length` elements, at most UINT32_MAX, along
/// one axis: what checkView finds without a view.
inline TensorView wholeView(uint64_t Length) {
  TensorView All;
  uint32_t N = static_cast<uint32_t>(Length);
  // An axis of one element or none does not move.
  All.Layout = {1, N, 0, 1, {N, 1, 1, 1}, {N > 1 ? 1u : 0u, 0, 0, 0}};
  All.End = N;
  return All;
}

/// True unless no element of one view is an element of the other. Both of one
/// parent whose elements are counted from one place. Exact, but for views that
/// would take more than a few thousand steps to tell apart: those count as
/// meeting.
bool viewsMeet(const TensorView &A, const TensorView &B);

/// `[rows, _, 8]`.
std::string contractText(const std::vector<ContractDim> &Contract);

} // namespace goldy::rt

#endif
