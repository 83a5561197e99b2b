//===- Legalise.h - Rewrites what a target lacks, in the IR
//-----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalise makes the language's rules explicit where a target's instructions
// have other ones: integer guards, saturating conversions, exact division,
// square root and fma, the subnormal rule, canonical NaNs, bool words in
// memory. It is driven by the Capabilities table alone. docs/Legalise.md lists
// operation by capability.
//
// FloatFacts is what it knows of f32 values beforehand: whether a value may
// hold a NaN that arithmetic just made (its bits differ by device and must be
// made canonical before they can be seen), whether it may hold a copied one
// (whose bits must be kept), whether it may be a NaN at all, and whether it may
// be subnormal. Ranges (FloatRanges.h) exclude some of that.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TRANSFORMS_LEGALISE_H
#define GOLDYC_TRANSFORMS_LEGALISE_H

#include "goldyc/Analysis/FloatRanges.h"
#include "goldyc/IR/IR.h"
#include "goldyc/Transforms/Capabilities.h"
#include "goldyc/Transforms/Pass.h"

#include <memory>
#include <optional>

namespace goldy {

/// What an f32 value may hold. Clear bits are certain.
enum FloatFact : uint8_t {
  MayFreshNan = 1,  ///< a NaN made by arithmetic, not canonical yet
  MayCopiedNan = 2, ///< a NaN whose payload the program can rely on
  MaySubnormal = 4,
  MayCanonicalNan = 8, ///< the canonical NaN as such
};
inline constexpr uint8_t MayNan = MayFreshNan | MayCopiedNan | MayCanonicalNan;

/// Per value, slot and workgroup array a set of FloatFact. One with both NaN
/// bits is a join of both kinds: its fresh inputs are made canonical where
/// they enter, so it counts as copied afterwards.
struct FloatFacts {
  SideMap<Inst, uint8_t> Value{0};
  SideMap<Slot, uint8_t> OfSlot{0};
  SideMap<WorkgroupArray, uint8_t> OfArray{0};
  /// Of the f32 values in memory that nobody but the kernel sees; none of other
  /// memory.
  std::optional<uint8_t> ofMemory(const PlaceBase &Base) const {
    if (Base.Kind == BaseKind::Slot)
      return OfSlot[SlotId(Base.Index)];
    if (Base.Kind == BaseKind::Workgroup)
      return OfArray[WorkgroupId(Base.Index)];
    return std::nullopt;
  }
  /// The value's NaN, if any, is a fresh one: canonicalise before it is seen.
  bool isFresh(ValueId V) const {
    return (Value[V] & (MayFreshNan | MayCopiedNan)) == MayFreshNan;
  }
  /// Quotients whose divisor many have.
  SideMap<Inst, bool> SharedDivision{false};
  bool maySubnormal(ValueId V) const { return Value[V] & MaySubnormal; }
  bool mayNan(ValueId V) const { return Value[V] & MayNan; }
  bool operator==(const FloatFacts &) const = default;
};

/// Flow-insensitive over slots and workgroup arrays, which start as zeros. The
/// function holds no calls. Without a target no division shares its divisor.
/// What `Ranges` excludes is not so.
FloatFacts analyseFloats(const Function &F, const Capabilities *Caps = nullptr,
                         const FloatRanges *Ranges = nullptr);

/// The function with everything rewritten that `Caps` lacks. `M` receives new
/// types only; the function must hold no calls and no aggregate values.
Function legaliseFunction(Module &M, const Function &F,
                          const Capabilities &Caps);

/// The pass `legalise`: all kernels, then the module's level is Legal.
std::unique_ptr<Pass> createLegalisePass();

} // namespace goldy

#endif
