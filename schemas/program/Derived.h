//===- Derived.h - Computing derived ints ---------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Program.h states what each operation gives. Nothing here allocates but the
// text of a failure.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_SCHEMAS_PROGRAM_DERIVED_H
#define GOLDY_SCHEMAS_PROGRAM_DERIVED_H

#include "program/Program.h"

#include <span>

namespace goldy::program {

/// One operation on the words `A` and `B` (of Cast on `A`); none: an exact one
/// has an operand or result that is no number of 63 bits, or shifts by an
/// amount outside 0 to 62.
std::optional<uint64_t> applyOp(Apply Operation, uint64_t A, uint64_t B);

struct Evaluation {
  uint64_t Value = 0;
  /// Number of the node that could not be computed; NoNode: all were.
  size_t Failed = NoNode;
  static constexpr size_t NoNode = ~size_t(0);
  bool ok() const { return Failed == NoNode; }
};

/// The value of `D`, which keeps the rules P14, P29, P37 and P54 for as many
/// words as `Ints` has.
Evaluation evaluate(const DerivedInt &D, std::span<const uint64_t> Ints);

/// For a message about `E`, which failed: "`n * 4`: `mul` of
/// 4611686018427387903 and 4 is not exact in 63 bits". `Ints` are those of the
/// evaluation.
std::string evaluationError(const DerivedInt &D, const Evaluation &E,
                            std::span<const uint64_t> Ints);

} // namespace goldy::program

#endif
