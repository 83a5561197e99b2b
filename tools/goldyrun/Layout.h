//===- Layout.h - Kernel types and NumPy types ----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer of `T` is an array with one axis or more over elements of T's NumPy
// type: a scalar's own, a vector's or array's component with further axes at
// the end, a struct's structured dtype with the kernel's offsets and stride.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYRUN_LAYOUT_H
#define GOLDYRUN_LAYOUT_H

#include "goldy/goldy.h"
#include "goldyc/Support/Npy.h"
#include "goldyc/Support/ValueSpec.h"

#include <optional>
#include <string>

namespace goldyrun {

/// How one element is stored in a .npy file: `Axes` are the trailing axes.
struct ElementForm {
  goldy::npy::DType Type;
  std::vector<uint64_t> Axes;
};
ElementForm elementForm(const goldy_type_t *T);

/// The language's name of a type, `gpu::Float3`.
std::string typeName(const goldy_type_t *T);
/// The command line's name of a scalar type; empty for others.
std::optional<goldy::Scalar> scalarOf(const goldy_type_t *T);

/// Makes `A` hold elements of `T` as the kernel reads them: checks its type
/// and trailing axes, widens NumPy bools to words. `OutCount` is the number of
/// elements. Returns what is wrong, or an empty text.
std::string adopt(goldy::npy::Array &A, const goldy_type_t *T,
                  uint64_t &OutCount);

} // namespace goldyrun

#endif
