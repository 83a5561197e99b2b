//===- KnownOperands.h - What a driver may know when it compiles ----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A driver compiles the code again: it unrolls loops, follows variables, and
// folds `x * 1.0`, `x - 0.0` or an operation of constants in its own way, not
// as its device computes. Whether a subnormal needs a flush by integer
// operations, or a result a sequence, hangs on what the driver may know of the
// operands. Everything here errs to the side of knowing.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TRANSFORMS_KNOWNOPERANDS_H
#define GOLDYC_LIB_TRANSFORMS_KNOWNOPERANDS_H

#include "goldyc/IR/IR.h"

#include <map>

namespace goldy {

/// Values that a driver may find an operand to be. None: it cannot know it.
enum KnownAs : uint8_t {
  KnownZero = 1,
  KnownMinusZero = 2,
  KnownOne = 4,    ///< 1.0 or -1.0
  KnownNormal = 8, ///< a literal that is finite, normal and not one of these
  KnownAny = 16,   ///< anything: integers, results of known operands
};

class KnownOperands {
public:
  /// Flow-insensitive over variables and arrays. The function holds no calls.
  explicit KnownOperands(const Function &F);
  /// A set of KnownAs.
  uint8_t of(ValueId V) const { return Value[V]; }
  /// Of an operation of two operands that are known as these.
  static uint8_t product(uint8_t A, uint8_t B);
  static uint8_t sum(uint8_t A, uint8_t B);

private:
  bool visit(InstId I);
  uint8_t transfer(InstId I) const;
  uint8_t transferFloat(InstId I) const;
  uint8_t load(InstId I) const;
  uint8_t ofAll(InstId I) const;
  bool store(InstId I);
  bool compare(InstId I);
  bool widen(ValueId V, uint8_t More);
  using Memory = std::pair<uint32_t, uint32_t>; ///< kind and number
  Memory memoryOf(InstId I) const;

  const Function &F;
  SideMap<Inst, uint8_t> Value{0};
  std::map<Memory, uint8_t> Holds; ///< by what was stored there
};

} // namespace goldy

#endif
