//===- EmitRegions.cpp - Rows, vectors, contexts
//----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A region is loops over z, y and the vectors of a row around its statements.
// Full vectors run without a mask; what is left of a row is a second copy with
// a constant mask. Each vector starts from the same values of group-uniform
// slots and changes its own copy; the last vector with live lanes at its end
// gives the group's value.
//
//===----------------------------------------------------------------------===//
#include "BackendCost.h"
#include "Emitter.h"
#include "SplitRegisters.h"

using namespace goldy;
using namespace llvm;

void HostEmitter::region(uint32_t R) {
  const LaneRegion &Region = Plan.Regions[R];
  InRegion = true;
  RegionNow = &Region;
  setLanes(Region.Width);
  slotsOfVector(R);
  for (SlotId S : Region.UniformWrites)
    B.CreateStore(B.CreateLoad(NextSlots[S]->getAllocatedType(), GroupSlots[S]),
                  NextSlots[S]);
  if (OneItem) {
    itemRegion(R);
  } else {
    markRegion(true);
    allRows(R);
    markRegion(false);
  }
  InRegion = false;
  RegionNow = nullptr;
  Sub = nullptr;
  setLanes(Plan.Width);
  for (SlotId S : Region.UniformWrites)
    B.CreateStore(B.CreateLoad(NextSlots[S]->getAllocatedType(), NextSlots[S]),
                  GroupSlots[S]);
}

/// What is made until the mark goes is between the same two barriers. A region
/// that is there several times in a row has a mark each time.
void HostEmitter::markRegion(bool On) {
  if (W <= Plan.Machine)
    return;
  unsigned Kind = C.getMDKindID(LaneRegionMark);
  auto *Carrier = new UnreachableInst(C);
  Carrier->setMetadata(Kind, On ? MDNode::getDistinct(C, {}) : nullptr);
  B.CollectMetadataToCopy(Carrier, Kind);
  Carrier->deleteValue();
}

void HostEmitter::allRows(uint32_t R) {
  countedLoop(F.WorkgroupSize[2], [&](Value *Z) {
    RowZ = Z;
    uint32_t Rows = Plan.Regions[R].Rows;
    countedLoop(F.WorkgroupSize[1] / Rows, [&](Value *Y) {
      startPass(R, B.CreateMul(Y, B.getInt32(Rows)));
      regionRow(R);
    });
  });
  PassRows = 1;
}

void HostEmitter::regionRow(uint32_t R) {
  uint32_t Items = Plan.Regions[R].Items;
  uint32_t Full = Items / W, Tail = Items % W;
  bool Few =
      W == 1 && Full < MinLanes; // straight: what one stores, others take
  auto Vector = [&](Value *X, Value *Lanes) {
    startVectors(X);
    if (W > Plan.Machine && !Plan.Regions[R].Whole)
      wideVector(R);
    else
      vectorOfRegion(R, Lanes);
  };
  FirstHome = 0;
  if (Plan.Regions[R].Whole)
    for (; FirstHome < Full; ++FirstHome)
      Vector(B.getInt32(FirstHome), nullptr);
  else if ((Full > 1 || Turn.Joined) && Plan.Regions[R].Split.Guard)
    splitRow(R, vectorsOfTurn(Full));
  else if (Turn.Joined)
    countedLoop(B.getInt32(0), vectorsOfTurn(Full),
                [&](Value *X) { Vector(X, nullptr); });
  else if (Few)
    for (uint32_t X = 0; X < Full; ++X)
      Vector(B.getInt32(X), nullptr);
  else if (Full) {
    BranchInst *Latch =
        countedLoop(Full, [&](Value *X) { Vector(X, nullptr); });
    // Streams have more loops than others; they pay by these (0058).
    if (Plan.Regions[R].Cold && Plan.hasStreams())
      markSeldom(Latch);
  }
  if (Tail)
    Vector(B.getInt32(Full), tailMask(Tail));
}

Value *HostEmitter::tailMask(unsigned Lanes) {
  SmallVector<llvm::Constant *, 64> Bits;
  for (unsigned L = 0; L < W; ++L)
    Bits.push_back(
        L < Lanes ? llvm::Constant::getAllOnesValue(MaskTy->getScalarType())
                  : llvm::Constant::getNullValue(MaskTy->getScalarType()));
  return ConstantVector::get(Bits);
}

/// Makes the storage that the region's group-uniform slots have in the group.
void HostEmitter::slotsOfVector(uint32_t R) {
  const LaneRegion &Region = Plan.Regions[R];
  InRegion = false;
  for (SlotId S : Region.UniformSlots)
    slotStorage(S);
  InRegion = true;
  for (SlotId S : Region.UniformWrites)
    if (!NextSlots[S])
      NextSlots.set(S, entryAlloca(GroupSlots[S]->getAllocatedType(), "next"));
}

Value *HostEmitter::contextAddress(const ContextPlace &P, llvm::Type *T) {
  Value *Offset =
      B.CreateMul(B.CreateZExt(VectorIndex, I64), B.getInt64(P.Bytes));
  Offset = B.CreateAdd(Offset, B.getInt64(Layout.Context + P.Offset));
  uint64_t Each = T->getScalarSizeInBits() / 8;
  if (Sub && P.Bytes > Each) // one a lane
    Offset = B.CreateAdd(Offset,
                         B.CreateMul(B.CreateZExt(Sub, I64), B.getInt64(Each)));
  return B.CreateGEP(I8, Scratch, Offset, "context");
}

void HostEmitter::keepValue(ValueId V) {
  ContextPlace P = Plan.ContextOfValue[V];
  Value *Kept = valueOf(V);
  if (P.InRegisters) {
    B.CreateStore(Kept, homeOfValue(V));
    return;
  }
  bool Scalar = !Kept->getType()->isVectorTy();
  if (Kept->getType()->getScalarType() == I1)
    Kept = B.CreateSExt(Kept, Scalar ? I32 : I32Vec);
  if (Scalar)
    Kept = movedLane(Plan.Vector.Value[V], Kept, true);
  auto Keep = [&] {
    B.CreateAlignedStore(Kept, contextAddress(P, Kept->getType()),
                         Align(Scalar ? 4 : vectorAlign()));
  };
  if (InStep && !Plan.OfRow[V])
    forRows(true, Keep);
  else // the selected row's own
    Keep();
}

void HostEmitter::readKept(ValueId V) {
  ContextPlace P = Plan.ContextOfValue[V];
  bool Scalar = Shapes->Value[V].isScalar();
  llvm::Type *T = valueType(F.typeOf(V), Scalar);
  if (P.InRegisters) {
    valueOf(V) = B.CreateLoad(T, homeOfValue(V));
    return;
  }
  bool Bits = T->getScalarType() == I1;
  llvm::Type *InMemory = Bits ? (Scalar ? I32 : I32Vec) : T;
  Value *Kept = B.CreateAlignedLoad(InMemory, contextAddress(P, InMemory),
                                    Align(Scalar ? 4 : vectorAlign()));
  if (Scalar)
    Kept = movedLane(Plan.Vector.Value[V], Kept, false);
  if (Bits)
    Kept = B.CreateICmpNE(Kept, llvm::Constant::getNullValue(Kept->getType()));
  valueOf(V) = Kept;
}

/// A slot's value comes out of the context.
void HostEmitter::enterSlot(SlotId S) {
  ContextPlace P = Plan.ContextOfSlot[S];
  if (P.InRegisters)
    return;
  if (M.Types.memberCount(F.Slots[S].Type)) {
    ArrayContext.set(S, contextAddress(P, I8));
    noteArray(S, ArrayContext[S]);
    return;
  }
  Value *V = sharesSlot(S) ? SharedStarts[S] : slotFromContext(S);
  B.CreateStore(movedLane(Plan.Vector.OfSlot[S], V, false), slotStorage(S));
}

/// What the context has: of a scalar, lane 0's of the plan's vector.
Value *HostEmitter::slotFromContext(SlotId S) {
  llvm::Type *T = valueType(F.Slots[S].Type, Shapes->OfSlot[S].isScalar());
  bool Bits = T->getScalarType() == I1;
  llvm::Type *InMemory = Bits ? (T->isVectorTy() ? I32Vec : I32) : T;
  Value *V = B.CreateAlignedLoad(
      InMemory, contextAddress(Plan.ContextOfSlot[S], InMemory),
      Align(T->isVectorTy() ? vectorAlign() : 4));
  return Bits ? B.CreateICmpNE(V, llvm::Constant::getNullValue(InMemory)) : V;
}

void HostEmitter::slotToContext(SlotId S, Value *V) {
  bool Vector = V->getType()->isVectorTy();
  if (V->getType()->getScalarType() == I1)
    V = B.CreateSExt(V, Vector ? I32Vec : I32);
  B.CreateAlignedStore(V, contextAddress(Plan.ContextOfSlot[S], V->getType()),
                       Align(Vector ? vectorAlign() : 4));
}

/// A scalar of the context that the registers of narrow code have in common.
bool HostEmitter::sharesSlot(SlotId S) const {
  return InNarrow && Plan.ContextOfSlot[S].Bytes &&
         Plan.Vector.OfSlot[S].isScalar();
}

/// Gives the value of slots that several vectors have in common.
void HostEmitter::giveSlot(SlotId S) {
  Value *V = B.CreateLoad(NextSlots[S]->getAllocatedType(), slotStorage(S));
  if (sharesSlot(S))
    V = movedLane(Plan.Vector.OfSlot[S], V, true);
  B.CreateStore(V, NextSlots[S]);
}

std::vector<SlotId> HostEmitter::slotsToGive(const LaneRegion &Region) const {
  std::vector<SlotId> Slots = Region.UniformWrites;
  for (SlotId S : Region.ContextWrites)
    if (sharesSlot(S))
      Slots.push_back(S);
  return Slots;
}

/// Lanes leave the region for the end of a block of the group. Unless all reads
/// of a slot are in the block, nobody writes it once some have left.
void HostEmitter::giveAtExit(const LaneRegion &Region, InstId Left) {
  for (SlotId S : slotsToGive(Region)) {
    size_t Reads = 0;
    for (InstId A : Plan.Scopes[S].Accesses)
      Reads += F.Insts[A].Opcode == Op::Load;
    forEachInst(F, F.Insts[Left].Blocks[0], [&](InstId I) {
      const Inst &N = F.Insts[I];
      Reads -= N.Opcode == Op::Load &&
               F.Places[N.Where].Base.Kind == BaseKind::Slot &&
               F.Places[N.Where].Base.Index == S.index();
    });
    if (Reads)
      giveSlot(S);
  }
}

void HostEmitter::enterVector(const LaneRegion &Region) {
  for (SlotId S : Region.UniformSlots)
    forRows(Plan.SlotOfRow[S], [&] {
      B.CreateStore(
          B.CreateLoad(GroupSlots[S]->getAllocatedType(), GroupSlots[S]),
          slotStorage(S));
    });
  for (SlotId S : Region.ContextSlots)
    forRows(Plan.SlotOfRow[S], [&] { enterSlot(S); });
  for (ValueId V : Region.Reads)
    forRows(Plan.OfRow[V], [&] { readKept(V); });
  for (ValueId V : Region.Again)
    forRows(Plan.OfRow[V], [&] { valueOf(V) = pureValue(V); });
}

void HostEmitter::leaveVector(const LaneRegion &Region) {
  for (SlotId S : Region.ContextWrites) {
    ContextPlace P = Plan.ContextOfSlot[S];
    if (P.InRegisters || M.Types.memberCount(F.Slots[S].Type) || sharesSlot(S))
      continue;
    forRows(true, [&] {
      llvm::Type *T = cast<AllocaInst>(slotStorage(S))->getAllocatedType();
      slotToContext(S, B.CreateLoad(T, slotStorage(S)));
    });
  }
}

/// A slot that may be read before it is written.
void HostEmitter::clearSlot(SlotId S) {
  Value *Storage = slotStorage(S);
  if (auto *A = dyn_cast<AllocaInst>(Storage))
    B.CreateStore(llvm::Constant::getNullValue(A->getAllocatedType()), A);
  else
    zeroBytes(Storage, (slotBytes(S) + 63) / 64 * 64);
}

/// Slots of this region alone that it may read before it writes them.
void HostEmitter::clearSlots(uint32_t R) {
  const LaneRegion &Region = Plan.Regions[R];
  for (uint32_t I = 0; I < F.Slots.size(); ++I) {
    SlotId S(I);
    const SlotScope &Scope = Plan.Scopes[S];
    bool Elsewhere = Scope.Accesses.empty() ||
                     Plan.RegionOf[Scope.Accesses[0]] != R ||
                     Plan.ContextOfSlot[S].Bytes;
    if (Scope.WrittenFirst || Elsewhere ||
        llvm::is_contained(Region.UniformSlots, S))
      continue;
    forRows(Plan.SlotOfRow[S], [&] { clearSlot(S); });
  }
}

/// Which lanes have left to the target, as the context has it.
Value *HostEmitter::lanesLeft(Value *At) {
  return B.CreateAlignedLoad(I32Vec, At, Align(vectorAlign()));
}

/// Frames of the targets that lanes may leave to from here, and where it says
/// who has left.
HostEmitter::ExitFlags HostEmitter::enterExits(const LaneRegion &Region,
                                               BasicBlock *Leave) {
  ExitFlags Flags;
  Frames.clear();
  for (InstId T : Region.Exits) {
    Frame Exit;
    Exit.Target = T;
    Exit.Of = &Region;
    Exit.Leave = Leave;
    for (const auto &[Target, P] : Plan.ExitFlags)
      if (Target == T) {
        Exit.Left = entryAlloca(I32Vec, "left");
        Flags.push_back({contextAddress(P, I32Vec), Exit.Left});
        B.CreateStore(lanesLeft(Flags.back().first), Exit.Left);
      }
    Frames.push_back(Exit);
  }
  return Flags;
}

/// Takes lanes that may have left before out of the mask; true if there may be
/// such.
bool HostEmitter::dropAbsent(const LaneRegion &Region) {
  bool Any = false;
  for (const auto &[T, P] : Plan.ExitFlags)
    if (llvm::is_contained(Region.Absent, T)) {
      Value *Left = lanesLeft(contextAddress(P, I32Vec));
      Mask = andNotMask(Mask, asMask(B.CreateICmpNE(
                                  Left, llvm::Constant::getNullValue(I32Vec))));
      Any = true;
    }
  return Any;
}

/// The statements, for the lanes that are there. Returns as statements() does.
bool HostEmitter::presentLanes(const LaneRegion &Region, Value *Lanes,
                               BasicBlock *Leave) {
  bool Unknown = dropAbsent(Region);
  if (Unknown && OneItem) { // one lane is there or is not
    BasicBlock *Some = newBlock("present");
    B.CreateCondBr(anyLane(Mask), Some, Leave);
    B.SetInsertPoint(Some);
    Mask = nullptr;
    return statements(Region.Insts);
  }
  if (Unknown && !Lanes)
    return versionedRest(Region.Insts, 0);
  Remainder Rest;
  if (Unknown)
    skipIfEmpty(Rest);
  return endOfRest(Rest, statements(Region.Insts));
}

/// At the region's end: the last vector with live lanes gives the values of
/// slots that vectors have in common.
void HostEmitter::giveSlots(const LaneRegion &Region, Value *Lanes,
                            BasicBlock *Leave) {
  std::vector<SlotId> Slots = slotsToGive(Region);
  if (Slots.empty())
    return;
  BasicBlock *Give = newBlock("give");
  if (Mask && Mask != Lanes)
    B.CreateCondBr(anyLane(Mask), Give, Leave);
  else
    B.CreateBr(Give);
  B.SetInsertPoint(Give);
  selectRow(PassRows - 1); // the last one decides
  for (SlotId S : Slots)
    giveSlot(S);
  selectRow(0);
}

void HostEmitter::vectorOfRegion(uint32_t R, Value *Lanes) {
  const LaneRegion &Region = Plan.Regions[R];
  BasicBlock *Leave = newBlock("vector.end");
  Mask = Lanes;
  Partial = Lanes || MaskedOnly;
  enterVector(Region);
  clearSlots(R);
  InStep = hasRows();
  ExitFlags Flags = enterExits(Region, Leave);
  if (presentLanes(Region, Lanes, Leave)) {
    giveSlots(Region, Lanes, Leave);
    branchTo(Leave);
  }
  InStep = false;
  atRegionEnd();
  B.SetInsertPoint(Leave);
  for (const auto &[At, Left] : Flags)
    B.CreateAlignedStore(B.CreateLoad(I32Vec, Left), At, Align(vectorAlign()));
  leaveVector(Region);
  Frames.clear();
}
