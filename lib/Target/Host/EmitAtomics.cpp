//===- EmitAtomics.cpp - Atomics, lane by lane
//------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lane after lane, in lane order, so that old values come in that order; a loop
// over the lanes that run, or straight code where all do. Where all lanes name
// one place and nobody wants the old value, their values are joined first.
// Buffers are shared with other threads: relaxed atomic instructions. Workgroup
// arrays belong to the thread that runs the group: plain loads and stores.
//
//===----------------------------------------------------------------------===//
#include "Emitter.h"

using namespace goldy;
using namespace llvm;

/// A vector in memory, to be indexed by lane.
AllocaInst *HostEmitter::spill(Value *V) {
  AllocaInst *A = entryAlloca(V->getType(), "spill");
  B.CreateStore(V, A);
  return A;
}

void HostEmitter::atomic(InstId I) {
  const Inst &N = F.Insts[I];
  Access A = describe(I);
  if (A.Guard)
    A.Mask = andMask(A.Mask, splat(A.Guard));
  if (Plan.Atomic[I] == LaneAtomic::OneForAll) {
    atomicOfAll(A, N);
    return;
  }
  AtomicLanes L = spillAtomic(A, N);
  bool Straight = !A.Buffer;
  if (Straight && !A.Mask)
    everyLane(A, N, L);
  else if (Straight && !Partial)
    everyLaneOr(A, N, L);
  else
    lanesInMask(A, N, L);
  if (L.Old)
    define(I, B.CreateLoad(L.Old->getAllocatedType(), L.Old));
}

/// What each lane needs, in memory.
HostEmitter::AtomicLanes HostEmitter::spillAtomic(const Access &A,
                                                  const Inst &N) {
  AtomicLanes L;
  bool Neighbours = A.Kind == LaneAccess::Contiguous && !A.LaneArray;
  if (A.Kind == LaneAccess::Broadcast || (Neighbours && !mayWrap(A))) {
    L.First = firstAddress(A, !A.Buffer);
    L.Step = Neighbours ? memorySize(A.Type) : 0;
  } else if (!A.Buffer) {
    L.Offsets = spill(laneOffsets32(A));
  } else {
    L.Addresses = spill(B.CreatePtrToInt(laneAddresses(A), I64Vec));
  }
  for (ValueId V : F.arguments(A.Inst)) {
    bool One = Shapes->Value[V].Shape == LaneShape::Uniform;
    L.Inputs.push_back(One ? toMemory(A.Type, scalar(V)) : spill(vector(V)));
  }
  if (N.Type != types::Void && Plan.Used[A.Inst])
    L.Old = spill(llvm::Constant::getNullValue(memoryVector(A.Type)));
  return L;
}

/// The operation of one lane, an i32. Reads what was spilled as volatile: else
/// LLVM takes a constant lane out of the vector's register, which costs more
/// than the load.
void HostEmitter::atomicLane(const Access &A, const Inst &N,
                             const AtomicLanes &L, Value *Lane) {
  Value *Wide = B.CreateZExt(Lane, I64);
  auto Element = [&](llvm::Type *E, Value *Array) {
    return B.CreateLoad(E, B.CreateGEP(E, Array, Wide), /*isVolatile=*/true);
  };
  Value *Address;
  if (Plan.ScalarIndex[A.Inst] && isa<ConstantInt>(Lane))
    Address = addressOfLane(
        A, static_cast<unsigned>(cast<ConstantInt>(Lane)->getZExtValue()));
  else if (L.First)
    Address = B.CreateGEP(I8, L.First, B.CreateMul(Wide, B.getInt64(L.Step)));
  else if (L.Offsets)
    Address =
        B.CreateGEP(I8, A.Base, B.CreateZExt(Element(I32, L.Offsets), I64));
  else
    Address = B.CreateIntToPtr(Element(I64, L.Addresses), Ptr);
  llvm::Type *T = memoryType(A.Type);
  SmallVector<Value *, 2> Ops;
  for (Value *Input : L.Inputs)
    Ops.push_back(isa<AllocaInst>(Input) ? Element(T, Input) : Input);
  Value *Result = atomicOne(A, N, Address, Ops);
  if (Result && L.Old)
    B.CreateStore(Result, B.CreateGEP(T, L.Old, Wide));
}

/// An index of the plan's ScalarIndex.
Value *HostEmitter::valueOfLane(ValueId V, unsigned Lane) {
  LaneValue Shape = Shapes->Value[V];
  if (Shape.isScalar())
    return B.CreateAdd(scalar(V), B.getInt32(static_cast<uint32_t>(
                                      Shape.Stride * int64_t(Lane))));
  const Inst &N = F.Insts[V];
  if (N.Opcode == Op::Load) {
    Access A = describe(V);
    Value *At = B.CreateConstInBoundsGEP1_64(I8, firstAddress(A, false),
                                             Lane * memorySize(A.Type));
    return B.CreateAlignedLoad(memoryType(A.Type), At, memoryAlign(A.Type));
  }
  SmallVector<Value *, 2> Ops;
  for (ValueId Operand : F.operands(V))
    Ops.push_back(valueOfLane(Operand, Lane));
  return operation(V, N, Ops);
}

Value *HostEmitter::addressOfLane(const Access &A, unsigned Lane) {
  Value *Offset = B.getInt64(A.Flat.Constant);
  for (const FlatPlace::Term &T : A.Flat.Terms) {
    Value *Index = B.CreateZExt(valueOfLane(T.Index, Lane), I64);
    Offset = B.CreateAdd(Offset, B.CreateMul(Index, B.getInt64(T.Stride)));
  }
  return B.CreateGEP(I8, A.Base, Offset);
}

void HostEmitter::everyLane(const Access &A, const Inst &N,
                            const AtomicLanes &L) {
  for (unsigned Lane = 0; Lane < W; ++Lane)
    atomicLane(A, N, L, B.getInt32(Lane));
}

void HostEmitter::everyLaneOr(const Access &A, const Inst &N,
                              const AtomicLanes &L) {
  BasicBlock *All = newBlock("lanes.all"), *Some = newBlock("lanes.some");
  BasicBlock *Join = newBlock("lanes.join");
  B.CreateCondBr(allLanes(A.Mask), All, Some);
  B.SetInsertPoint(All);
  everyLane(A, N, L);
  B.CreateBr(Join);
  B.SetInsertPoint(Some);
  lanesInMask(A, N, L);
  B.CreateBr(Join);
  B.SetInsertPoint(Join);
}

/// A loop over the bits of the mask.
void HostEmitter::lanesInMask(const Access &A, const Inst &N,
                              const AtomicLanes &L) {
  assert(W <= 32 && "one register");
  Value *Lanes = laneBits(A.Mask);
  BasicBlock *Before = B.GetInsertBlock();
  BasicBlock *Loop = newBlock("lane"), *After = newBlock("lanes.end");
  B.CreateCondBr(B.CreateICmpNE(Lanes, B.getInt32(0)), Loop, After);
  B.SetInsertPoint(Loop);
  PHINode *Left = B.CreatePHI(I32, 2, "left");
  Left->addIncoming(Lanes, Before);
  atomicLane(A, N, L,
             B.CreateBinaryIntrinsic(Intrinsic::cttz, Left, B.getTrue()));
  Value *Rest = B.CreateAnd(Left, B.CreateSub(Left, B.getInt32(1)));
  Left->addIncoming(Rest, B.GetInsertBlock());
  B.CreateCondBr(B.CreateICmpNE(Rest, B.getInt32(0)), Loop, After);
  B.SetInsertPoint(After);
}

/// The lanes' values joined, then one operation.
void HostEmitter::atomicOfAll(const Access &A, const Inst &N) {
  BasicBlock *Some = newBlock("lanes.some"), *Join = newBlock("lanes.join");
  if (A.Mask)
    B.CreateCondBr(anyLane(A.Mask), Some, Join);
  else
    B.CreateBr(Some);
  B.SetInsertPoint(Some);
  Value *V = vector(F.arguments(A.Inst)[0]);
  if (A.Mask)
    V = B.CreateSelect(asI1(A.Mask), V,
                       ConstantInt::get(V->getType(), neutral(N, A.Type)));
  atomicOne(A, N, firstAddress(A, false), {joinLanes(N, A.Type, V)});
  B.CreateBr(Join);
  B.SetInsertPoint(Join);
}

/// What changes nothing.
uint32_t HostEmitter::neutral(const Inst &N, TypeId T) {
  bool Signed = T == types::I32;
  switch (N.Opcode) {
  case Op::AtomicMin:
    return Signed ? 0x7fffffffu : ~0u;
  case Op::AtomicMax:
    return Signed ? 0x80000000u : 0;
  case Op::AtomicAnd:
    return ~0u;
  default:
    return 0;
  }
}

Value *HostEmitter::joinLanes(const Inst &N, TypeId T, Value *V) {
  bool Signed = T == types::I32;
  switch (N.Opcode) {
  case Op::AtomicMin:
    return B.CreateIntMinReduce(V, Signed);
  case Op::AtomicMax:
    return B.CreateIntMaxReduce(V, Signed);
  case Op::AtomicAnd:
    return B.CreateAndReduce(V);
  case Op::AtomicOr:
    return B.CreateOrReduce(V);
  case Op::AtomicXor:
    return B.CreateXorReduce(V);
  default:
    return B.CreateAddReduce(V);
  }
}

static AtomicRMWInst::BinOp rmwOperation(const Inst &N, bool Signed) {
  switch (N.Opcode) {
  case Op::AtomicAdd:
    return AtomicRMWInst::Add;
  case Op::AtomicMin:
    return Signed ? AtomicRMWInst::Min : AtomicRMWInst::UMin;
  case Op::AtomicMax:
    return Signed ? AtomicRMWInst::Max : AtomicRMWInst::UMax;
  case Op::AtomicAnd:
    return AtomicRMWInst::And;
  case Op::AtomicOr:
    return AtomicRMWInst::Or;
  case Op::AtomicXor:
    return AtomicRMWInst::Xor;
  default:
    return AtomicRMWInst::Xchg;
  }
}

/// The old value; null for a store.
Value *HostEmitter::atomicOne(const Access &A, const Inst &N, Value *Address,
                              ArrayRef<Value *> Ops) {
  if (!A.Buffer)
    return privateAtomic(N, A.Type, Address, Ops);
  constexpr AtomicOrdering Relaxed = AtomicOrdering::Monotonic;
  llvm::Type *T = memoryType(A.Type);
  switch (N.Opcode) {
  case Op::AtomicLoad: {
    LoadInst *L = B.CreateAlignedLoad(T, Address, Align(4));
    L->setAtomic(Relaxed);
    return L;
  }
  case Op::AtomicStore: {
    StoreInst *S = B.CreateAlignedStore(Ops[0], Address, Align(4));
    S->setAtomic(Relaxed);
    return nullptr;
  }
  case Op::AtomicCompareExchange:
    return B.CreateExtractValue(B.CreateAtomicCmpXchg(Address, Ops[0], Ops[1],
                                                      Align(4), Relaxed,
                                                      Relaxed),
                                0);
  case Op::AtomicAdd:
    if (A.Type == types::F32)
      return floatAtomicAdd(Address, Ops[0]);
    [[fallthrough]];
  default:
    return B.CreateAtomicRMW(rmwOperation(N, A.Type == types::I32), Address,
                             Ops[0], Align(4), Relaxed);
  }
}

Value *HostEmitter::privateAtomic(const Inst &N, TypeId T, Value *Address,
                                  ArrayRef<Value *> Ops) {
  Value *Old = B.CreateAlignedLoad(memoryType(T), Address, Align(4));
  bool Signed = T == types::I32;
  Value *New = nullptr;
  switch (N.Opcode) {
  case Op::AtomicLoad:
    return Old;
  case Op::AtomicAdd:
    New = T == types::F32 ? canonicalNan(Float.add(Old, Ops[0]))
                          : B.CreateAdd(Old, Ops[0]);
    break;
  case Op::AtomicMin:
    New = B.CreateBinaryIntrinsic(Signed ? Intrinsic::smin : Intrinsic::umin,
                                  Old, Ops[0]);
    break;
  case Op::AtomicMax:
    New = B.CreateBinaryIntrinsic(Signed ? Intrinsic::smax : Intrinsic::umax,
                                  Old, Ops[0]);
    break;
  case Op::AtomicAnd:
    New = B.CreateAnd(Old, Ops[0]);
    break;
  case Op::AtomicOr:
    New = B.CreateOr(Old, Ops[0]);
    break;
  case Op::AtomicXor:
    New = B.CreateXor(Old, Ops[0]);
    break;
  case Op::AtomicCompareExchange:
    New = B.CreateSelect(B.CreateICmpEQ(Old, Ops[0]), Ops[1], Old);
    break;
  default:
    New = Ops[0];
    break;
  }
  B.CreateAlignedStore(New, Address, Align(4));
  return N.Opcode == Op::AtomicStore ? nullptr : Old;
}

/// A compare-exchange loop around the opaque addition.
Value *HostEmitter::floatAtomicAdd(Value *Address, Value *V) {
  LoadInst *First = B.CreateAlignedLoad(I32, Address, Align(4));
  First->setAtomic(AtomicOrdering::Monotonic);
  BasicBlock *Before = B.GetInsertBlock();
  BasicBlock *Try = newBlock("try"), *Done = newBlock("added");
  B.CreateBr(Try);
  B.SetInsertPoint(Try);
  PHINode *Old = B.CreatePHI(I32, 2, "old");
  Old->addIncoming(First, Before);
  Value *Sum = canonicalNan(Float.add(B.CreateBitCast(Old, F32), V));
  Value *Pair = B.CreateAtomicCmpXchg(Address, Old, B.CreateBitCast(Sum, I32),
                                      Align(4), AtomicOrdering::Monotonic,
                                      AtomicOrdering::Monotonic);
  Old->addIncoming(B.CreateExtractValue(Pair, 0), B.GetInsertBlock());
  B.CreateCondBr(B.CreateExtractValue(Pair, 1), Done, Try);
  B.SetInsertPoint(Done);
  return B.CreateBitCast(Old, F32);
}
