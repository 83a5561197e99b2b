//===- Compare.h - Comparing results with expectations --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By default every bit counts, those of NaN and of the sign of zero included.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYRUN_COMPARE_H
#define GOLDYRUN_COMPARE_H

#include "Arguments.h"

namespace goldyrun {

/// When an f32 counts as equal although its bits differ: at most MaxUlp
/// representable steps away, or |got - want| <= atol + rtol * |want|; two NaNs
/// are equal when any tolerance is given. Integers follow atol alone.
struct Tolerance {
  uint64_t MaxUlp = 0;
  std::optional<double> Relative, Absolute;
};

/// True when f32 bits `Got` are within tolerance of `Want`.
bool floatsAgree(uint32_t Got, uint32_t Want, const Tolerance &T);

/// Checks every --expect of the options and prints the first difference of
/// each; Exit::Input if any differs.
Exit compareAll(const Options &O, const Arguments &Args);

} // namespace goldyrun

#endif
