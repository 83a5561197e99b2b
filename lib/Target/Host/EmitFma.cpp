//===- EmitFma.cpp - A fused product and sum without the instruction ------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Below x86-64-v3 there is no FMA3. The product of two floats is exact as a
// double; its sum with the third is rounded to 53 bits, and again to 24 on the
// way back. Rounding twice goes wrong only where the first one gives the middle
// between two floats and was not exact: there the sum is moved by its last bit
// to the side on which the exact one lies (S. Boldo and G. Melquiond, Emulation
// of FMA and correctly rounded sums, 2008). All intermediates are far from a
// double's ends, so flushing touches none of them; the way back flushes by the
// rule, as the instruction would.
//
//===----------------------------------------------------------------------===//
#include "Emitter.h"

using namespace goldy;
using namespace llvm;

/// Of the same shape as `Like`, elements of type `To`.
static llvm::Type *shapedAs(llvm::Type *Like, llvm::Type *To) {
  if (auto *V = dyn_cast<VectorType>(Like))
    return VectorType::get(To, V->getElementCount());
  return To;
}

Value *HostEmitter::fmaByDoubles(Value *A, Value *C, Value *D) {
  llvm::Type *Single = A->getType();
  llvm::Type *Double = shapedAs(Single, B.getDoubleTy());
  llvm::Type *Bits = shapedAs(Single, B.getInt64Ty());
  Value *Product =
      B.CreateFMul(Float.extend(A, Double), Float.extend(C, Double));
  Value *Addend = Float.extend(D, Double);
  Value *Sum = B.CreateFAdd(Product, Addend);
  // What the sum lost, exactly (D. E. Knuth's two-sum).
  Value *Part = B.CreateFSub(Sum, Product);
  Value *Lost = B.CreateFAdd(B.CreateFSub(Product, B.CreateFSub(Sum, Part)),
                             B.CreateFSub(Addend, Part));
  Value *SumBits = B.CreateBitCast(Sum, Bits);
  Value *LostBits = B.CreateBitCast(Lost, Bits);
  // The 29 bits that a float has no room for; an infinity has none of them.
  Value *Rest = B.CreateAnd(SumBits, ConstantInt::get(Bits, 0x1fffffff));
  Value *Middle = B.CreateICmpEQ(Rest, ConstantInt::get(Bits, 0x10000000));
  Value *Inexact = B.CreateICmpNE(B.CreateShl(LostBits, 1),
                                  llvm::Constant::getNullValue(Bits));
  Value *Step = B.CreateOr(B.CreateAShr(B.CreateXor(SumBits, LostBits), 63),
                           ConstantInt::get(Bits, 1));
  Value *Moves = B.CreateSExt(B.CreateAnd(Middle, Inexact), Bits);
  Value *Moved = B.CreateAdd(SumBits, B.CreateAnd(Step, Moves));
  return Float.extend(B.CreateBitCast(Moved, Double), Single);
}
