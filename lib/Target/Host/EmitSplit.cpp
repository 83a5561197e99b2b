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
#include "BackendCost.h"
#include "Emitter.h"

using namespace goldy;
using namespace llvm;

/// How many of a row's `Full` vectors of `Lanes` lanes come before the first in
/// which some lane fails.
Value *HostEmitter::vectorsThatPass(const RowSplit &S, Value *Full,
                                    unsigned Lanes) {
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
  Value *Pass = B.CreateUDiv(Room, B.getInt64(Lanes));
  Pass =
      B.CreateBinaryIntrinsic(Intrinsic::umin, Pass, B.CreateZExt(Full, I64));
  return B.CreateTrunc(Pass, I32, "passing");
}

/// The row's full vectors.
void HostEmitter::splitRow(uint32_t R, Value *Full) {
  const LaneRegion &Region = Plan.Regions[R];
  if (Region.Interleave.Why == InterleaveReason::Stream && W > Plan.Machine &&
      keepsNothing(Region))
    return splitStream(R, Full);
  Value *Pass = vectorsThatPass(Region.Split, Full, W);
  bool Wide = W > Plan.Machine;
  Passing = &Region.Split;
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
      narrowVectors(R, LocalFirst);
    else
      maskedVector(R);
  });
}

/// Short code: three loops, over vectors of several registers, the registers
/// that are left of those that pass, and the one or none that passes in part.
void HostEmitter::splitStream(uint32_t R, Value *Full) {
  const RowSplit &Split = Plan.Regions[R].Split;
  unsigned Registers = W / Plan.Machine;
  Value *All = times(Full, Registers);
  Value *Pass = vectorsThatPass(Split, All, Plan.Machine);
  Value *Wide = B.CreateUDiv(Pass, B.getInt32(Registers));
  Passing = &Split;
  loopOfVectors(B.getInt32(0), Wide, [&] { wideVector(R); });
  unsigned Whole = W;
  InNarrow = true;
  setLanes(Plan.Machine);
  slotsOfVector(R);
  markSeldom(loopOfVectors(times(Wide, Registers), Pass,
                           [&] { vectorOfRegion(R, nullptr); }));
  Passing = nullptr;
  markSeldom(loopOfVectors(Pass, All, [&] { maskedVector(R); }));
  setLanes(Whole);
  InNarrow = false;
  Sub = nullptr;
}

Value *HostEmitter::times(Value *N, unsigned By) {
  return B.CreateMul(N, B.getInt32(By), "registers", true, true);
}

/// Neither from other regions nor for them.
bool HostEmitter::keepsNothing(const LaneRegion &Region) {
  return Region.ContextSlots.empty() && Region.ContextWrites.empty() &&
         Region.UniformWrites.empty() && Region.Reads.empty() &&
         Region.Keeps.empty();
}

/// Lanes may fail.
void HostEmitter::maskedVector(uint32_t R) {
  MaskedOnly = true;
  vectorOfRegion(R, nullptr);
  MaskedOnly = false;
}
