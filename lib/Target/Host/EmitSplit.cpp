//===- EmitSplit.cpp - Rows whose first vectors pass their guard ----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plan's splits (lib/Analysis/LanesSplit.cpp): two loops over a row's
// vectors, one without the guard and one under masks.
//
//===----------------------------------------------------------------------===//
#include "Emitter.h"

using namespace goldy;
using namespace llvm;

/// How many of a row's `Full` vectors come before the first in which some lane
/// fails.
Value *HostEmitter::vectorsThatPass(const RowSplit &S, Value *Full) {
  at(S.Guard);
  startVectors(B.getInt32(0));
  for (ValueId V : S.Chain)
    valueOf(V) = pureValue(V);
  bool Signed = F.typeOf(S.Id) == types::I32;
  auto Whole = [&](ValueId V) {
    return Signed ? B.CreateSExt(scalar(V), I64) : B.CreateZExt(scalar(V), I64);
  };
  Value *Room = B.CreateSub(Whole(S.Bound), Whole(S.Id));
  if (S.Inclusive)
    Room = B.CreateAdd(Room, B.getInt64(1));
  Room = B.CreateBinaryIntrinsic(Intrinsic::smax, Room, B.getInt64(0));
  Value *Pass = B.CreateUDiv(Room, B.getInt64(W));
  Pass =
      B.CreateBinaryIntrinsic(Intrinsic::umin, Pass, B.CreateZExt(Full, I64));
  return B.CreateTrunc(Pass, I32, "passing");
}

/// The row's full vectors.
void HostEmitter::splitRow(uint32_t R, Value *Full) {
  Value *Pass = vectorsThatPass(Plan.Regions[R].Split, Full);
  bool Wide = W > Plan.Machine;
  Passing = &Plan.Regions[R].Split;
  countedLoop(B.getInt32(0), Pass, [&](Value *X) {
    startVectors(X);
    if (Wide)
      wideVector(R);
    else
      vectorOfRegion(R, nullptr);
  });
  Passing = nullptr;
  countedLoop(Pass, Full, [&](Value *X) {
    startVectors(X);
    if (Wide)
      return narrowVectors(R, LocalFirst);
    MaskedOnly = true;
    vectorOfRegion(R, nullptr);
    MaskedOnly = false;
  });
}
