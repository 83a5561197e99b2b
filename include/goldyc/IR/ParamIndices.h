//===- ParamIndices.h - How a kernel indexes a parameter ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_IR_PARAMINDICES_H
#define GOLDYC_IR_PARAMINDICES_H

#include <cstdint>

namespace goldy {

/// How all accesses of a kernel index one parameter. The numbers are those of
/// schemas/artifact.fbs.
enum class IndexForm : uint8_t {
  None, ///< no access, or no index
  /// Every access has one and the same index: work-items that differ along
  /// `Axes` have different ones, those that agree have the same.
  Own,
  /// Every access has one and the same index, one id times a width that is the
  /// same for the whole launch, plus another id and such values: of work-items
  /// that differ along `Axes` different where the width is more than the inner
  /// id and no index wraps.
  Plane,
  Other
};
struct ParamIndices {
  IndexForm Form = IndexForm::None;
  uint8_t Axes = 0; ///< global ids, bit 0 for x
  friend bool operator==(const ParamIndices &, const ParamIndices &) = default;
};

} // namespace goldy

#endif
