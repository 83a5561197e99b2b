//===- PtxFloat.h - Float instructions that LLVM leaves alone ---*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every float operation is the PTX instruction with the language's meaning:
// .rn (or the named rounding) and .ftz. Most are NVVM intrinsics; subtraction
// and comparisons have none and are pure inline assembly. Nothing here can be
// folded, contracted or turned into min or max, which flush.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TARGET_PTX_PTXFLOAT_H
#define GOLDYC_LIB_TARGET_PTX_PTXFLOAT_H

#include "goldyc/IR/IR.h"

#include "llvm/IR/IRBuilder.h"

namespace goldy::ptx {

class PtxFloat {
public:
  explicit PtxFloat(llvm::IRBuilder<> &B) : B(B) {}
  /// Add … Div, Sqrt, Fma, Floor, Ceil, Trunc, RoundEven, RawInverse; Abs and
  /// Neg, which may change a NaN's bits; null for others.
  llvm::Value *operation(Op O, llvm::ArrayRef<llvm::Value *> Args);
  /// Eq … Ge, an i1.
  llvm::Value *compare(Op O, llvm::Value *X, llvm::Value *Y);
  llvm::Value *isAnyNan(llvm::Value *X, llvm::Value *Y);
  /// The less or the greater one; subnormals stay. Of a NaN and a number it is
  /// some NaN, or else the number.
  llvm::Value *extreme(bool Greater, bool OfNan, llvm::Value *X,
                       llvm::Value *Y);
  /// The float with these bits. Opaque too: LLVM turns a masked or flipped
  /// sign bit between two bitcasts into abs.ftz or neg.ftz.
  llvm::Value *fromBits(llvm::Value *Bits);
  /// Saturating, NaN to 0.
  llvm::Value *toInteger(llvm::Value *X, bool Signed);

private:
  llvm::Value *assembly(const char *Text, const char *Constraints,
                        llvm::Type *Result, llvm::ArrayRef<llvm::Value *> Args);
  llvm::IRBuilder<> &B;
};

} // namespace goldy::ptx

#endif
