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
  KnownNormal = 8, ///< another number that is finite and normal
  KnownAny = 16,   ///< anything
};

/// A few words that a value may be known as, or anything.
class KnownSet {
public:
  /// True if that is new.
  bool add(uint32_t Word);
  bool add(const KnownSet &Other);
  bool addAny();
  bool isEmpty() const { return !Any && Words.empty(); }
  bool isAny() const { return Any; }
  const std::vector<uint32_t> &words() const { return Words; }
  static KnownSet any() {
    KnownSet S;
    S.addAny();
    return S;
  }

private:
  static constexpr size_t Most = 6;
  std::vector<uint32_t> Words; ///< none if anything
  bool Any = false;
};

class KnownOperands {
public:
  /// Flow-insensitive over variables and arrays. The function holds no calls.
  explicit KnownOperands(const Function &F);
  /// What an f32 may be known as, a set of KnownAs. Any known value of another
  /// type is KnownAny.
  uint8_t of(ValueId V) const;
  /// What the operation of these f32 would be known as: KnownAny where a driver
  /// that computes it as a whole may not flush as the rule has it.
  uint8_t ofResult(Op O, ValueId A, ValueId B) const;

private:
  void walk(BlockId B);
  bool storesBuffer(BlockId B) const;
  bool visit(InstId I);
  KnownSet transfer(InstId I) const;
  KnownSet load(InstId I) const;
  KnownSet computed(InstId I) const;
  bool store(InstId I);
  bool compare(InstId I);
  using Memory = std::pair<uint32_t, uint32_t>; ///< kind and number
  Memory memoryOf(InstId I) const;

  const Function &F;
  std::vector<KnownSet> Values;
  std::map<Memory, KnownSet> Holds; ///< by what was stored there
  std::vector<bool> AfterStore; ///< of a buffer, whichever: what stands there
  bool Stored = false;          ///< where `walk` is
};

} // namespace goldy

#endif
