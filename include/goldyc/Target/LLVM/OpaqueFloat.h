//===- OpaqueFloat.h - Floating point that LLVM leaves alone
//----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel language fixes every bit of a float operation, subnormals
// included: arithmetic reads them as zero, moves and selects keep them. LLVM
// assumes that a compare and a select may become a `min` instruction, that
// `x * 1.0` is `x`, and folds constants without flushing: each changes bits
// when the hardware flushes. So every float operation is emitted here and
// nowhere else: as a constrained intrinsic with round.tonearest and
// fpexcept.maytrap, marked nobuiltin so that constants are not folded either.
// The caller's function carries `strictfp`.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TARGET_LLVM_OPAQUEFLOAT_H
#define GOLDYC_TARGET_LLVM_OPAQUEFLOAT_H

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"

namespace goldy {

class OpaqueFloat {
public:
  enum class Compare : uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Unordered };

  /// `SseCompares`: compare vectors through llvm.x86.sse.cmp.ps, for x86
  /// levels on which a constrained vector compare would be split into scalars.
  OpaqueFloat(llvm::IRBuilder<> &B, bool SseCompares)
      : B(B), SseCompares(SseCompares) {}

  // Scalars or vectors of float; both operands of one type.
  llvm::Value *add(llvm::Value *X, llvm::Value *Y);
  llvm::Value *sub(llvm::Value *X, llvm::Value *Y);
  llvm::Value *mul(llvm::Value *X, llvm::Value *Y);
  llvm::Value *div(llvm::Value *X, llvm::Value *Y);
  llvm::Value *fma(llvm::Value *X, llvm::Value *Y, llvm::Value *Z);
  llvm::Value *sqrt(llvm::Value *X);
  llvm::Value *floor(llvm::Value *X);
  llvm::Value *ceil(llvm::Value *X);
  llvm::Value *trunc(llvm::Value *X);
  llvm::Value *roundEven(llvm::Value *X);
  /// On x86 with registers of so many lanes: the lesser or greater of X and Y;
  /// X where they are equal, zeros or not ordered. May lose a subnormal.
  llvm::Value *minMax(bool Min, llvm::Value *X, llvm::Value *Y,
                      unsigned Register);

  /// i1, or a vector of i1, false for NaN but for Ne and Unordered. With
  /// `SseCompares` a vector of multiples of 4 gives i32s of 0 and -1 instead.
  llvm::Value *compare(Compare P, llvm::Value *X, llvm::Value *Y);
  bool comparesGiveMasks(llvm::Type *OperandType) const {
    return SseCompares && OperandType->isVectorTy();
  }

  /// The negation of what `compare` gave, by the opposite comparison; null for
  /// any other value, and with `SseCompares`.
  llvm::Value *opposite(llvm::Value *Compared);
  /// The lanes of `Within` for which a vector that `compare` gave holds: an
  /// AVX-512 comparison under a mask. Null as above.
  llvm::Value *within(llvm::Value *Compared, llvm::Value *Within);

  /// Selects between vectors, register by register where `within` has made the
  /// condition so: LLVM would join its parts first.
  llvm::Value *choose(llvm::Value *Condition, llvm::Value *X, llvm::Value *Y);

  llvm::Value *fromSigned(llvm::Value *I, llvm::Type *To);
  llvm::Value *fromUnsigned(llvm::Value *I, llvm::Type *To);
  /// Truncates; out of range gives an unspecified value.
  llvm::Value *toSigned(llvm::Value *X, llvm::Type *To);
  /// Widens or narrows between float and double.
  llvm::Value *extend(llvm::Value *X, llvm::Type *To);

  /// Attributes for a function that holds opaque float operations.
  static void markFunction(llvm::Function &F);

private:
  llvm::Value *compare(llvm::StringRef Predicate, llvm::Value *X,
                       llvm::Value *Y);
  llvm::Value *call(llvm::Intrinsic::ID Id,
                    llvm::ArrayRef<llvm::Type *> Overloads,
                    llvm::ArrayRef<llvm::Value *> Args, bool Rounds);
  llvm::IRBuilder<> &B;
  bool SseCompares;
};

} // namespace goldy

#endif
