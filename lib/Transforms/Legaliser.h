//===- Legaliser.h - The rewriter behind the pass `legalise`
//----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One class in files by topic: Legalise.cpp (dispatch, memory, the pass),
// LegaliseInteger.cpp, LegaliseCast.cpp, LegaliseFloat.cpp. Private to
// Transforms.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TRANSFORMS_LEGALISER_H
#define GOLDYC_LIB_TRANSFORMS_LEGALISER_H

#include "KnownOperands.h"
#include "SubnormalUses.h"

#include "goldyc/IR/Rewriter.h"
#include "goldyc/Transforms/Legalise.h"

#include <map>
#include <string_view>

namespace goldy {

/// Expands a helper of the exact prelude where `B` stands (LegaliseExpand.cpp).
ValueId expandExact(Builder &B, std::string_view Helper,
                    std::span<const ValueId> Args);

/// Last step: integer operations that the target does not have
/// (LegaliseMissing.cpp).
Function replaceMissingIntegers(Module &M, Function F,
                                const Capabilities &Caps);

/// Zeros out of a driver's sight where it would lose their signs
/// (LegaliseChoices.cpp).
Function hideZeros(Module &M, Function F, const Capabilities &Caps);

class Legaliser : public Rewriter {
public:
  Legaliser(Module &M, const Function &Src, const Capabilities &Caps,
            std::map<TypeId, TypeId> &WordTypes);

protected:
  InstId visit(InstId I) override;

private:
  InstId rewrite(InstId I);
  InstId rewriteInteger(InstId I);
  InstId rewriteFloat(InstId I);
  InstId rewriteCompare(InstId I);

  // --- Legalise.cpp: memory and choice
  void convertBoolParams();
  /// The type with every bool replaced by its 32-bit word, every narrow float
  /// by its bits.
  TypeId wordType(TypeId T);
  TypeId wordStruct(StructId S);
  PlaceId legalPlace(PlaceId Old);
  InstId memory(InstId I);
  InstId boolLoad(InstId I, PlaceId P);
  static bool isNarrowFloat(TypeId T);
  InstId narrowLoad(InstId I, PlaceId P);
  ValueId storedValue(InstId I, ValueId Old);
  InstId collective(InstId I);
  InstId debug(InstId I);
  InstId select(InstId I);
  ValueId withoutBits(ValueId Old) const;
  bool choosesByOrder(InstId I) const;
  bool mayLoseNan(InstId Choice, ValueId Nan);
  ValueId conditionOf(InstId I);
  InstId toBits(InstId I);

  // --- LegaliseInteger.cpp
  InstId divide(InstId I);
  InstId divideByConstant(InstId I, uint64_t Divisor);
  ValueId remainder(ValueId A, ValueId D);
  ValueId safeDivisor(ValueId A, ValueId D, bool Signed);
  InstId shift(InstId I);
  InstId rotate(InstId I);
  InstId integerAbs(InstId I);
  ValueId integer(TypeId T, uint64_t Bits);

  // --- LegaliseCast.cpp
  InstId cast(InstId I);
  InstId boolToInteger(ValueId V, TypeId To);
  ValueId floatToI32(ValueId X);
  ValueId floatToU32(ValueId X);
  bool isWithinI32(ValueId Old, bool Signed) const;
  ValueId u32ToFloat(ValueId X);

  // --- LegaliseFloat.cpp
  /// The operand of an arithmetic operation or comparison: subnormals are
  /// zeros, by the target or by an explicit flush.
  ValueId operandOf(ValueId Old);
  /// … of a comparison with `Other`.
  ValueId comparedWith(ValueId Old, ValueId Other);
  /// The operand with a canonical NaN, where that can still be missing.
  ValueId canonical(ValueId Old);
  /// The value of `x` after an operation that changes nothing but subnormals
  /// (and NaNs): x * 1.0.
  ValueId identity(ValueId Old);
  ValueId negated(ValueId New);
  ValueId flushed(ValueId New);
  InstId add(InstId I);
  InstId subtract(InstId I);
  InstId multiply(InstId I);
  InstId divideFloat(InstId I);
  // LegaliseQuotient.cpp
  struct Divisor {
    ValueId Inverse, Negated, Factor;
    ValueId Unit; ///< bits of the power of two that dividends start from
  };
  Divisor divisorOf(ValueId Y);
  ValueId refined(ValueId Inverse, ValueId N, ValueId Negated);
  ValueId sharedQuotient(InstId I);
  InstId nearQuotient(InstId I);
  ValueId nearQuotientByFma(ValueId X, ValueId Y);
  ValueId nearInverse(ValueId Y);
  ValueId stepToInverse(ValueId Inverse, ValueId Negated);
  ValueId turned(ValueId New);
  InstId squareRoot(InstId I);
  InstId fma(InstId I);
  ValueId nativeFma(ValueId A, ValueId C, ValueId D);
  /// `Native` where the device has the switch, else `Sequence`.
  ValueId chosen(DeviceSwitch S, ValueId Native, ValueId Sequence);
  /// What the driver may know of the value when it compiles: it then folds the
  /// operation in its own way, whatever the device computes. A set of KnownAs.
  uint8_t knownAs(ValueId Old);
  /// True if it may know any operand of `I`.
  bool takesKnown(InstId I);
  std::optional<KnownOperands> Known; ///< of Src's values, once asked
  /// The operand of a sum or product whose other operand is known as `Other`:
  /// a device that flushes by itself does, unless the driver folds.
  ValueId summand(ValueId Old, uint8_t Other, uint8_t Folds);
  /// True if the value may be a subnormal that the target's compiler knows.
  bool mayBeKnownSubnormal(ValueId Old);
  bool isKnownSubnormal(InstId I);
  bool loadsKnownSubnormal(InstId I) const;
  bool spreadKnownSubnormals();
  std::vector<bool> KnownSubnormal; ///< of Src's values, once asked
  std::vector<bool> HoldsSubnormal; ///< of Src's slots
  ValueId flushedSum(ValueId Sum, ValueId BitsA, ValueId BitsB, uint8_t Known);
  ValueId flushedTo(ValueId New, ValueId Sign);
  ValueId withoutNegativeZero(ValueId X);
  ValueId zeroOrNan(ValueId X, ValueId ZeroBits);
  ValueId plainAdd(ValueId OldA, ValueId OldB);
  bool mayMissTheBorder(ValueId OldA, ValueId OldB) const;
  ValueId flushedProduct(ValueId A, ValueId C, bool MayMissBorder,
                         uint8_t Known);
  ValueId bySum(uint8_t Known, ValueId Native, ValueId Sequence);
  ValueId plainMultiply(ValueId OldA, ValueId OldB);
  InstId rounding(InstId I);
  ValueId roundAway(ValueId OldX);
  ValueId roundingOperand(ValueId Old);
  ValueId roundByTrunc(Op O, ValueId OldX);
  ValueId roundToEven(ValueId OldX);
  bool hidesNan(InstId I);
  bool spreadBitsSeen(InstId I);
  bool givesSignOnly(InstId I);
  bool saysFused(ValueId Condition) const;
  std::vector<bool> SizeSeen; ///< of words of Src, once asked
  std::vector<bool> BitsSeen; ///< of Src's values, once asked
  InstId signOperation(InstId I);
  InstId copysign(InstId I);
  InstId floatMinMax(InstId I);
  ValueId settledMinMax(InstId I);
  bool seesSubnormals(InstId MinMax);
  std::optional<SubnormalUses> Subnormals; ///< of Src's values, once asked
  InstId machineMinMax(InstId I);
  ValueId isNan(ValueId New);
  ValueId bits(ValueId New);
  ValueId fromBits(ValueId New);
  ValueId truncated(ValueId New);
  ValueId signOf(ValueId Bits);
  ValueId magnitude(ValueId Bits);
  std::optional<uint32_t> constantBits(ValueId Old) const;

  ValueId expand(std::string_view Helper, std::initializer_list<ValueId> Args) {
    return expandExact(B, Helper, {Args.begin(), Args.size()});
  }

  const Capabilities &Caps;
  FloatRanges Ranges; ///< of Src's values
  FloatFacts Facts;
  std::map<TypeId, TypeId> &WordTypes;
  /// Stands where the device is known to have an fma (Unroll.cpp).
  SideMap<Inst, bool> Fused{false};
  bool Started = false;
};

} // namespace goldy

#endif
