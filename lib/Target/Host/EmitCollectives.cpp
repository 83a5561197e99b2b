//===- EmitCollectives.cpp - Trees over the scratch array
//-----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In its region every vector of items stores its values into the scratch array.
// The tree over the array runs once for the group: the elements with even and
// with odd numbers of two neighbouring vectors are gathered into two vectors
// and combined, which is one level of the language's tree for all pairs in
// them, in order; W values are left of 2 * W. Up to MaxVectors vectors stay in
// registers; of a longer array each run of so many leaves one vector at the
// array's start, which a next pass takes up. What lies beyond the N-th element
// may be anything: it never gets into the result.
//
//===----------------------------------------------------------------------===//
#include "Emitter.h"

using namespace goldy;
using namespace llvm;

namespace {
constexpr uint32_t MaxVectors = 16;
} // namespace

void HostEmitter::collective(InstId I) {
  const Inst &N = F.Insts[I];
  const PlaceBase &Base = F.Places[F.Insts[F.operand(I, 1)].Where].Base;
  Value *Array = B.CreateConstInBoundsGEP1_64(
      I8, Scratch, Layout.WorkgroupArrays[Base.Index]);
  if (!InRegion) {
    define(I, tree(N, Array));
    return;
  }
  // The array is padded to whole vectors, so the last one needs no mask.
  Value *Offset = B.CreateMul(B.CreateZExt(LocalFirst, I64), B.getInt64(4));
  B.CreateAlignedStore(vector(F.operand(I, 0)), B.CreateGEP(I8, Array, Offset),
                       Align(vectorAlign()));
}

Value *HostEmitter::tree(const Inst &N, Value *Array) {
  unsigned Lanes = std::min(W, Plan.Machine);
  auto *Vector = FixedVectorType::get(memoryType(N.Type), Lanes);
  uint32_t Items = F.WorkgroupSize[0], Vectors = std::max(Items / Lanes, 1u);
  for (; Vectors > MaxVectors; Vectors /= MaxVectors)
    countedLoop(Vectors / MaxVectors, [&](Value *Run) {
      Value *First =
          B.CreateGEP(ArrayType::get(Vector, MaxVectors), Array, Run);
      B.CreateAlignedStore(subtree(N, Vector, First, MaxVectors),
                           B.CreateGEP(Vector, Array, Run), Align(4 * Lanes));
    });
  Value *Left = subtree(N, Vector, Array, Vectors);
  for (uint32_t Count = std::min(Items, Lanes); Count > 1; Count /= 2)
    Left = combineNeighbours(N, Left, Left);
  return B.CreateExtractElement(Left, uint64_t(0));
}

/// One vector that is left of a power of two of them.
Value *HostEmitter::subtree(const Inst &N, FixedVectorType *Vector,
                            Value *First, uint32_t Vectors) {
  if (Vectors == 1)
    return B.CreateAlignedLoad(Vector, First,
                               Align(4 * Vector->getNumElements()));
  Value *Middle = B.CreateConstInBoundsGEP1_64(Vector, First, Vectors / 2);
  Value *Low = subtree(N, Vector, First, Vectors / 2);
  return combineNeighbours(N, Low, subtree(N, Vector, Middle, Vectors / 2));
}

Value *HostEmitter::combineNeighbours(const Inst &N, Value *A, Value *C) {
  SmallVector<int, 16> Even, Odd;
  unsigned Lanes = cast<FixedVectorType>(A->getType())->getNumElements();
  for (unsigned L = 0; L < Lanes; ++L) {
    Even.push_back(static_cast<int>(2 * L));
    Odd.push_back(static_cast<int>(2 * L + 1));
  }
  return combine(N, B.CreateShuffleVector(A, C, Even),
                 B.CreateShuffleVector(A, C, Odd));
}

/// The language's `+`, `max` or `min` on vectors.
Value *HostEmitter::combine(const Inst &N, Value *A, Value *C) {
  bool Sum = N.Opcode == Op::WorkgroupSum, Max = N.Opcode == Op::WorkgroupMax;
  if (N.Type != types::F32) {
    bool Signed = N.Type == types::I32;
    if (Sum)
      return B.CreateAdd(A, C);
    Intrinsic::ID Larger = Signed ? Intrinsic::smax : Intrinsic::umax;
    Intrinsic::ID Smaller = Signed ? Intrinsic::smin : Intrinsic::umin;
    return B.CreateBinaryIntrinsic(Max ? Larger : Smaller, A, C);
  }
  if (Sum)
    return Float.add(A, C);
  using Compare = OpaqueFloat::Compare;
  Value *Better = Float.compare(Max ? Compare::Gt : Compare::Lt, C, A);
  Value *IsNan = Float.compare(Compare::Unordered, A, A);
  Value *Takes = B.CreateOr(Better, IsNan);
  bool IsMask = Float.comparesGiveMasks(A->getType());
  return selectOperation({IsMask ? Takes : asMask(Takes), C, A});
}
