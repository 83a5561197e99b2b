//===- EmitAtomics.cpp - Atomics, lane by lane
//------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop over the lanes that run, in lane order, so that old values come in
// that order. Buffers are shared with other threads: relaxed atomic
// instructions. Workgroup arrays belong to the thread that runs the group:
// plain loads and stores.
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
  llvm::Type *T = memoryType(A.Type);
  Value *Addresses =
      B.CreatePtrToInt(A.Kind == LaneAccess::Broadcast
                           ? B.CreateVectorSplat(W, firstAddress(A, false))
                           : laneAddresses(A),
                       I64Vec);
  AllocaInst *At = spill(Addresses);
  SmallVector<AllocaInst *, 2> Inputs;
  for (ValueId V : F.arguments(I))
    Inputs.push_back(spill(vector(V)));
  AllocaInst *Old = spill(llvm::Constant::getNullValue(memoryVector(A.Type)));
  Value *Lanes = A.Mask ? laneBits(A.Mask) : B.getInt32((1u << W) - 1);

  BasicBlock *Before = B.GetInsertBlock();
  BasicBlock *Loop = newBlock("lane"), *After = newBlock("lanes.end");
  B.CreateCondBr(B.CreateICmpNE(Lanes, B.getInt32(0)), Loop, After);
  B.SetInsertPoint(Loop);
  PHINode *Left = B.CreatePHI(I32, 2, "left");
  Left->addIncoming(Lanes, Before);
  Value *Lane = B.CreateBinaryIntrinsic(Intrinsic::cttz, Left, B.getTrue());
  auto Element = [&](llvm::Type *E, Value *Array) {
    return B.CreateGEP(E, Array, B.CreateZExt(Lane, I64));
  };
  Value *Address = B.CreateIntToPtr(B.CreateLoad(I64, Element(I64, At)), Ptr);
  SmallVector<Value *, 2> Ops;
  for (AllocaInst *Input : Inputs)
    Ops.push_back(B.CreateLoad(T, Element(T, Input)));
  Value *Result = atomicOne(A, N, Address, Ops);
  if (Result)
    B.CreateStore(Result, Element(T, Old));
  Value *Rest = B.CreateAnd(Left, B.CreateSub(Left, B.getInt32(1)));
  Left->addIncoming(Rest, B.GetInsertBlock());
  B.CreateCondBr(B.CreateICmpNE(Rest, B.getInt32(0)), Loop, After);
  B.SetInsertPoint(After);
  if (N.Type != types::Void)
    define(I, B.CreateLoad(Old->getAllocatedType(), Old));
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
