//===- EmitMasked.cpp - Accesses of the lanes that take part --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Masked accesses, as instructions where the level has them. Elsewhere LLVM
// would make a branch of every lane: slow where masks vary, and a kernel of
// guarded accesses becomes hundreds of blocks, which take most of its compile
// time. Here every lane does an access instead: one that takes part of its own
// element, any other of a spare place that reads as zero or is never read.
//
//===----------------------------------------------------------------------===//
#include "Emitter.h"

using namespace goldy;
using namespace llvm;

bool HostEmitter::hasMaskedMoves(llvm::Type *Vector) const {
  return Level >= 4 || (Level == 3 && Vector->getScalarSizeInBits() >= 32);
}

bool HostEmitter::hasScatters(llvm::Type *Vector) const {
  return Level >= 4 && Vector->getScalarSizeInBits() >= 32;
}

/// `Address` for a lane that takes part, else `Spare`. In integers: LLVM turns
/// selections of addresses back into branches.
Value *HostEmitter::addressOrSpare(Value *Lanes, unsigned Lane, Value *Address,
                                   Value *Spare) {
  if (!Lanes)
    return Address;
  Value *Own = B.CreatePtrToInt(Address, B.getInt64Ty());
  Value *Other = B.CreatePtrToInt(Spare, B.getInt64Ty());
  Value *Takes =
      B.CreateSExt(B.CreateExtractElement(Lanes, Lane), B.getInt64Ty());
  Value *At = B.CreateXor(Other, B.CreateAnd(B.CreateXor(Own, Other), Takes));
  return B.CreateIntToPtr(At, Ptr);
}

/// A mask as words, all ones or 0.
Value *HostEmitter::maskWords(Value *Lanes) {
  return B.CreateSExt(asI1(Lanes), I32Vec);
}

Value *HostEmitter::loadLaneByLane(llvm::Type *T, Align Alignment, Value *Lanes,
                                   function_ref<Value *(unsigned)> Address) {
  if (Lanes && !Zeros) {
    llvm::Type *Bytes = ArrayType::get(B.getInt8Ty(), 8);
    Zeros = new GlobalVariable(LM, Bytes, true, GlobalValue::PrivateLinkage,
                               ConstantAggregateZero::get(Bytes), "zeros");
    Zeros->setAlignment(Align(8));
  }
  Value *V = PoisonValue::get(T);
  for (unsigned L = 0; L < W; ++L) {
    Value *At = addressOrSpare(Lanes, L, Address(L), Zeros);
    V = B.CreateInsertElement(
        V, B.CreateAlignedLoad(T->getScalarType(), At, Alignment), L);
  }
  return V;
}

void HostEmitter::storeLaneByLane(Value *V, Align Alignment, Value *Lanes,
                                  function_ref<Value *(unsigned)> Address) {
  if (Lanes && !Sink) {
    Sink = entryAlloca(B.getInt64Ty(), "sink");
    Sink->setAlignment(Align(8));
  }
  for (unsigned L = 0; L < W; ++L)
    B.CreateAlignedStore(B.CreateExtractElement(V, L),
                         addressOrSpare(Lanes, L, Address(L), Sink), Alignment);
}

/// `Lanes` may be null: all.
Value *HostEmitter::gatherEach(llvm::Type *T, Value *Addresses, Align Alignment,
                               Value *Lanes) {
  if (Level >= 4 && T->getScalarSizeInBits() >= 32)
    return B.CreateMaskedGather(T, Addresses, Alignment,
                                Lanes ? asI1(Lanes)
                                      : llvm::Constant::getAllOnesValue(I1Vec),
                                llvm::Constant::getNullValue(T));
  return loadLaneByLane(
      T, Alignment, Lanes ? maskWords(Lanes) : nullptr,
      [&](unsigned L) { return B.CreateExtractElement(Addresses, L); });
}

void HostEmitter::scatterEach(Value *V, Value *Addresses, Align Alignment,
                              Value *Lanes) {
  if (hasScatters(V->getType())) {
    B.CreateMaskedScatter(V, Addresses, Alignment,
                          Lanes ? asI1(Lanes)
                                : llvm::Constant::getAllOnesValue(I1Vec));
    return;
  }
  storeLaneByLane(V, Alignment, Lanes ? asI1(Lanes) : nullptr, [&](unsigned L) {
    return B.CreateExtractElement(Addresses, L);
  });
}
