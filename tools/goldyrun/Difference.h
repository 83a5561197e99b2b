//===- Difference.h - Where two arrays differ -----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every bit of a value counts, those of NaN and of the sign of zero included;
// gaps between the fields of a struct hold no value and do not.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYRUN_DIFFERENCE_H
#define GOLDYRUN_DIFFERENCE_H

#include "goldyc/Support/Npy.h"

#include <optional>
#include <string>

namespace goldyrun {

/// The first scalar that differs.
struct FirstDifference {
  uint64_t Element = 0;       ///< in C order
  std::string Place;          ///< `[2, 5]`, then `.pos[1]` within a struct
  goldy::npy::DType Type;     ///< of the scalar
  uint64_t Got = 0, Want = 0; ///< bits
};

struct Difference {
  uint64_t Elements = 0, Different = 0;
  std::optional<FirstDifference> First; ///< set if any differ
};

/// Compares two arrays of one type and shape.
Difference differenceOf(const goldy::npy::Array &Got,
                        const goldy::npy::Array &Want);

} // namespace goldyrun

#endif
