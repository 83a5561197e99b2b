//===- VectorParts.h - Vectors taken apart ----------------------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What passes have in common that do register by register what is written for
// vectors of several: the parts of each value, where they are known.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TARGET_HOST_VECTORPARTS_H
#define GOLDYC_LIB_TARGET_HOST_VECTORPARTS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace goldy {

class VectorParts {
protected:
  using Parts = llvm::SmallVector<llvm::Value *, 4>;

  /// Parts have `Lanes` elements.
  VectorParts(llvm::Function &Fn, unsigned Lanes)
      : Fn(Fn), Lanes(Lanes), B(Fn.getContext()) {}
  ~VectorParts() = default;

  unsigned registers(const llvm::Value *V) const {
    return llvm::cast<llvm::FixedVectorType>(V->getType())->getNumElements() /
           Lanes;
  }
  llvm::Type *partType(llvm::Type *Whole) const {
    return llvm::FixedVectorType::get(Whole->getScalarType(), Lanes);
  }

  /// Part `N` of a vector of any kind; by a shuffle, which the backend drops,
  /// where no parts are known.
  virtual llvm::Value *of(llvm::Value *V, unsigned N);
  Parts apart(llvm::Value *V);
  /// One vector of the parts, whose number is a power of two.
  llvm::Value *joined(Parts Of);
  /// Part `N` of a shuffle that takes the lanes of one register of its operand
  /// in their order, or one lane for all; else null.
  llvm::Value *partOfShuffle(llvm::ShuffleVectorInst &S, unsigned N);
  /// An operation by elements on part `N` of its operands; null for others.
  llvm::Value *partOfOperation(llvm::Instruction &I, unsigned N);
  /// Gives the parts of a phi their values.
  void fill(llvm::PHINode &Whole);
  /// Operands whose parts are known become those parts joined.
  void join(llvm::Instruction &I);
  void erase();

  llvm::Function &Fn;
  unsigned Lanes;
  llvm::IRBuilder<> B;
  llvm::DenseMap<llvm::Value *, Parts> Known;
  llvm::SmallVector<llvm::Instruction *, 32> Dead; ///< for `erase`
};

} // namespace goldy

#endif
