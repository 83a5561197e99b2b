//===- Fold.h - Constant folding with the language's meaning
//----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_IR_FOLD_H
#define GOLDYC_IR_FOLD_H

#include "goldyc/IR/IR.h"

#include <optional>
#include <span>

namespace goldy {

/// The bits of scalar operation `O` on constants, exactly as every device
/// computes them at run time (host float state does not matter: integer code
/// or software rounding). `OperandType` is operand 0's type (operand 1's for
/// Select), `ResultType` the result's. Empty when `O` is not foldable.
std::optional<uint64_t> foldScalar(Op O, TypeId OperandType, TypeId ResultType,
                                   std::span<const uint64_t> Bits);

/// True when integer `O` wrapped, divided by zero or shifted by the width or
/// more: what a constant expression warns of or refuses.
struct FoldFacts {
  bool Wrapped = false, DivisorZero = false, ShiftTooWide = false;
};
FoldFacts foldFacts(Op O, TypeId OperandType, std::span<const uint64_t> Bits);

} // namespace goldy

#endif
