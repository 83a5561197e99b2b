//===- EmitLanes.cpp - Vectors of several registers -----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector of the plan may be several registers wide (LanePlan::Width and
// Machine). Code of that width is for vectors whose lanes stay together: where
// a choice divides them before anything was written, the whole vector is done
// again from its start in *narrow* code, register by register and under masks.
// So there is one wide copy of a region and one narrow one. Copies that run
// seldom (LaneRegion::Cold) have the narrow one only, and so have regions for
// which that is better (LaneRegion::ByRegister): what goes lane by lane expects
// one register.
//
// Narrow code numbers vectors as wide code does and adds the register's first
// lane, so both find the same things at the same places of the context.
//
//===----------------------------------------------------------------------===//
#include "Emitter.h"

#include <utility>

using namespace goldy;
using namespace llvm;

/// Lanes of the vectors that are emitted from here on.
void HostEmitter::setLanes(unsigned Lanes) {
  if (Lanes != W) {
    SlotsOfWidth[W] = std::move(VectorSlots);
    VectorSlots = std::move(SlotsOfWidth[Lanes]);
  }
  W = Lanes;
  Shapes = W == 1 ? &OneLane : &Plan.Vector;
  I1Vec = FixedVectorType::get(I1, W);
  I32Vec = FixedVectorType::get(I32, W);
  I64Vec = FixedVectorType::get(I64, W);
  F32Vec = FixedVectorType::get(F32, W);
  MaskTy = Level >= 4 ? I1Vec : I32Vec;
}

void HostEmitter::wideVector(uint32_t R) {
  if (Plan.Regions[R].Cold || Plan.Regions[R].ByRegister)
    narrowVectors(R, LocalFirst);
  else
    redoneIfDivided(R);
}

/// The region's vector for lanes that stay together; where they do not, it is
/// done again from its start.
void HostEmitter::redoneIfDivided(uint32_t R) {
  BasicBlock *Done = newBlock("wide.end"), *Redo = newBlock("narrow");
  Value *First = LocalFirst;
  Narrow = Redo;
  Clean = true;
  vectorOfRegion(R, nullptr);
  B.CreateBr(Done);
  Narrow = nullptr;
  if (Redo->hasNPredecessorsOrMore(1)) {
    B.SetInsertPoint(Redo);
    narrowVectors(R, First);
    B.CreateBr(Done);
  } else {
    Redo->eraseFromParent();
  }
  B.SetInsertPoint(Done);
}

/// Registers of a vector that where lanes are does not divide often.
static constexpr unsigned SeldomDivided = 4;

/// The vector of the region register by register. A very wide one becomes
/// smaller wide ones first, most of which are not divided.
void HostEmitter::narrowVectors(uint32_t R, Value *First) {
  const LaneRegion &Region = Plan.Regions[R];
  Value *Part = Sub;
  unsigned Whole = W;
  bool Outermost = !std::exchange(InNarrow, true);
  bool Wide = !Region.Cold && !Region.ByRegister &&
              Whole > SeldomDivided * Plan.Machine;
  setLanes(Wide ? SeldomDivided * Plan.Machine : Plan.Machine);
  slotsOfVector(R);
  if (Outermost)
    shareContextSlots(Region);
  countedLoop(Whole / W, [&](Value *N) {
    Value *By = B.CreateMul(N, B.getInt32(W), "sub", true, true);
    LocalFirst = B.CreateAdd(First, By, "local.x", true, true);
    Sub = Part ? B.CreateAdd(Part, By, "sub", true, true) : By;
    if (Wide)
      return redoneIfDivided(R);
    MaskedOnly = true;
    vectorOfRegion(R, nullptr);
    MaskedOnly = false;
  });
  Sub = Part;
  LocalFirst = First;
  setLanes(Whole);
  if (!Outermost)
    return;
  InNarrow = false;
  for (SlotId S : Region.ContextWrites)
    if (Plan.Vector.OfSlot[S].isScalar())
      slotToContext(
          S, B.CreateLoad(NextSlots[S]->getAllocatedType(), NextSlots[S]));
}

/// Scalars that the context has for the whole vector: every register starts
/// from them, and the last one with live lanes at its end gives the next ones.
void HostEmitter::shareContextSlots(const LaneRegion &Region) {
  for (SlotId S : Region.ContextSlots)
    if (Plan.Vector.OfSlot[S].isScalar())
      SharedStarts.set(S, slotFromContext(S));
  for (SlotId S : Region.ContextWrites) {
    if (!Plan.Vector.OfSlot[S].isScalar())
      continue;
    if (!NextSlots[S])
      NextSlots.set(S, entryAlloca(SharedStarts[S]->getType(), "next"));
    B.CreateStore(SharedStarts[S], NextSlots[S]);
  }
}

/// Something was or may have been written: no way back to the vector's start.
void HostEmitter::noteEffect(InstId I) {
  const Inst &N = F.Insts[I];
  Clean &= isPure(N.Opcode) || N.Opcode == Op::Load || F.slotOf(I) ||
           N.Opcode == Op::Assume || opInfo(N.Opcode).Effects == Effect::Leaf ||
           isControl(I);
}

bool HostEmitter::isControl(InstId I) const {
  switch (F.Insts[I].Opcode) {
  case Op::If:
  case Op::Loop:
  case Op::Block:
  case Op::Break:
  case Op::Continue:
  case Op::Return:
  case Op::BreakIf:
    return true;
  default:
    return false;
  }
}

/// Lane 0's value of a vector as that of a register's first lane; or back.
Value *HostEmitter::movedLane(const LaneValue &Shape, Value *First, bool Back) {
  if (!Sub || Shape.Shape != LaneShape::Strided)
    return First;
  Value *By = B.CreateMul(Sub, B.getInt32(static_cast<uint32_t>(Shape.Stride)));
  return Back ? B.CreateSub(First, By) : B.CreateAdd(First, By);
}

// --- Loops that all lanes leave together

/// All lanes run the loop equally often: ceil((D - lane) / step) trips, or one
/// more than floor of it for an inclusive range, where D is lane 0's distance
/// to the limit and no lane has passed that.
Value *HostEmitter::tripsAgree(const LaneTrips &T) {
  Value *First = B.CreateLoad(I32, slotStorage(T.Counter));
  Value *Distance = B.CreateSub(scalar(T.Limit), First);
  unsigned Beyond = T.Inclusive ? 0 : 1;
  Value *Most = B.CreateSub(Distance, B.getInt32(Beyond));
  Value *Least = B.CreateSub(Most, B.getInt32(W - 1));
  Value *Step = B.getInt32(T.Step);
  Value *Same =
      B.CreateICmpEQ(B.CreateUDiv(Most, Step), B.CreateUDiv(Least, Step));
  Value *Before = B.CreateICmpUGE(Distance, B.getInt32(W - 1 + Beyond));
  return B.CreateAnd(Before, Same, "together");
}

/// The condition in lane 0.
Value *HostEmitter::firstLane(ValueId Compare) {
  const Inst &N = F.Insts[Compare];
  SmallVector<Value *, 2> Ops{scalar(F.operand(Compare, 0)),
                              scalar(F.operand(Compare, 1))};
  return compareOperation(Compare, N, Ops);
}

/// Copies pay where masks cost.
bool HostEmitter::touchesMemory(InstId Loop) const {
  bool Touches = false;
  forEachWithin(F, Loop,
                [&](InstId I) { Touches |= F.Insts[I].Where && !F.slotOf(I); });
  return Touches;
}

/// All lanes are live: a loop that they leave together, or a masked one.
bool HostEmitter::loopTogether(InstId I) {
  Value *Agree = tripsAgree(Plan.Strips[I]);
  BasicBlock *All = newBlock("together");
  if (mayNarrow()) {
    B.CreateCondBr(Agree, All, Narrow);
    B.SetInsertPoint(All);
    return loopCopy(I, true);
  }
  BasicBlock *Some = newBlock("apart"), *Join = newBlock("loop.end");
  B.CreateCondBr(Agree, All, Some);
  B.SetInsertPoint(All);
  ++Versions;
  loopCopy(I, true);
  --Versions;
  B.CreateBr(Join);
  B.SetInsertPoint(Some);
  loopCopy(I, false);
  B.CreateBr(Join);
  B.SetInsertPoint(Join);
  Mask = nullptr;
  return true;
}
