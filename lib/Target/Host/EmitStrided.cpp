//===- EmitStrided.cpp - Lanes a few words apart --------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Words at a small constant distance, in either direction, where all lanes take
// part: plain loads of everything from the first word to the last, and
// shuffles. The last load ends with the last word, so nothing behind it is
// read. Stores write their own words only, so they are done for reversed
// neighbours alone. Other lanes are gathered.
//
// An unsigned index that moves by more than one may wrap with all of its lanes
// in range of a very long buffer: that is tested for.
//
//===----------------------------------------------------------------------===//
#include "Emitter.h"

using namespace goldy;
using namespace llvm;

/// The address of the lane that is first in memory.
Value *HostEmitter::lowestAddress(const Access &A) {
  Value *First = firstAddress(A, false);
  int64_t Distance = Plan.Distance[A.Inst] * memorySize(A.Type);
  if (Distance >= 0)
    return First;
  return B.CreateGEP(
      I8, First, B.getInt64(static_cast<uint64_t>(Distance * int64_t(W - 1))));
}

/// All lanes take part, side by side in memory. Null: certainly.
Value *HostEmitter::staysInRange(const Access &A) {
  Value *Stays = A.Mask ? allLanes(A.Mask) : nullptr;
  if (!A.Buffer)
    return Stays;
  for (const FlatPlace::Term &T : A.Flat.Terms) {
    LaneValue V = Shapes->Value[T.Index];
    if (V.Shape != LaneShape::Strided || V.Stride == 1 || V.Stride == -1 ||
        F.typeOf(T.Index) != types::U32)
      continue;
    uint32_t Span = static_cast<uint32_t>(std::abs(V.Stride)) * (W - 1);
    Value *First = scalar(T.Index);
    Value *Fits = V.Stride > 0 ? B.CreateICmpULE(First, B.getInt32(~Span))
                               : B.CreateICmpUGE(First, B.getInt32(Span));
    Stays = Stays ? B.CreateAnd(Stays, Fits) : Fits;
  }
  return Stays;
}

Value *HostEmitter::loadStrided(const Access &A) {
  if (A.Mask && Partial)
    return gather(A, A.Mask);
  Value *Stays = staysInRange(A);
  if (!Stays)
    return loadApart(A);
  BasicBlock *All = newBlock("load.all"), *Some = newBlock("load.some");
  BasicBlock *Join = newBlock("loaded");
  B.CreateCondBr(Stays, All, Some);
  B.SetInsertPoint(All);
  Value *V = loadApart(A);
  All = B.GetInsertBlock();
  B.CreateBr(Join);
  B.SetInsertPoint(Some);
  Value *U = gather(A, A.Mask);
  Some = B.GetInsertBlock();
  B.CreateBr(Join);
  B.SetInsertPoint(Join);
  PHINode *Phi = B.CreatePHI(V->getType(), 2);
  Phi->addIncoming(V, All);
  Phi->addIncoming(U, Some);
  return Phi;
}

/// Lane l's word is number l * Distance from the lowest address, or so from the
/// other end. Vectors of W words start at each multiple of W, but for the last.
Value *HostEmitter::loadApart(const Access &A) {
  int32_t Distance = Plan.Distance[A.Inst];
  unsigned Step = static_cast<unsigned>(std::abs(Distance));
  Value *Lowest = lowestAddress(A);
  llvm::Type *T = memoryVector(A.Type);
  Value *Result = nullptr;
  SmallVector<int, 64> Picks(W, PoisonMaskElem);
  for (unsigned N = 0; N < Step; ++N) {
    unsigned Start = N + 1 < Step ? N * W : (W - 1) * (Step - 1);
    Value *V = B.CreateAlignedLoad(
        T, B.CreateConstInBoundsGEP1_64(I8, Lowest, Start * 4),
        memoryAlign(A.Type));
    for (unsigned L = 0; L < W; ++L) {
      unsigned Word = (Distance < 0 ? W - 1 - L : L) * Step;
      if (std::min(Word / W, Step - 1) == N)
        Picks[L] = static_cast<int>((Result ? W : 0) + Word - Start);
      else if (Result && Word / W < N)
        Picks[L] = static_cast<int>(L); // has its word
    }
    Result = Result ? B.CreateShuffleVector(Result, V, Picks)
                    : B.CreateShuffleVector(V, Picks);
  }
  return Result;
}

void HostEmitter::storeReversed(const Access &A, Value *V) {
  Value *Stays = A.Mask && Partial ? B.getFalse() : staysInRange(A);
  BasicBlock *All = newBlock("store.all"), *Some = newBlock("store.some");
  BasicBlock *Join = newBlock("stored");
  B.CreateCondBr(Stays ? Stays : B.getTrue(), All, Some);
  B.SetInsertPoint(All);
  B.CreateAlignedStore(B.CreateVectorReverse(V), lowestAddress(A),
                       memoryAlign(A.Type));
  B.CreateBr(Join);
  B.SetInsertPoint(Some);
  scatter(A, V, A.Mask);
  B.CreateBr(Join);
  B.SetInsertPoint(Join);
}
