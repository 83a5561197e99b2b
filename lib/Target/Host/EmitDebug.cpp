//===- EmitDebug.cpp - gpu::debug through the caller's services
//-------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The launch brings a function for the values, or none (goldy_host_abi.h).
// Lanes call it one by one, the lowest first: the code stays a blob without
// external symbols, and a launch without the function pays one test.
//
//===----------------------------------------------------------------------===//
#include "Emitter.h"

#include <goldy_host_abi.h>

using namespace goldy;
using namespace llvm;

/// The value's bits in each lane, zero-extended to 64.
Value *HostEmitter::debugBits(ValueId V) {
  Value *Lanes = vector(V);
  TypeId T = F.typeOf(V);
  if (T == types::Bool)
    return B.CreateZExt(asI1(Lanes), I64Vec);
  if (T == types::F32)
    Lanes = B.CreateBitCast(Lanes, I32Vec);
  return Lanes->getType() == I64Vec ? Lanes : B.CreateZExt(Lanes, I64Vec);
}

void HostEmitter::debug(InstId I) {
  std::span<const ValueId> Parts = F.operands(I);
  SmallVector<AllocaInst *, 4> Bits;
  for (ValueId V : Parts)
    Bits.push_back(spill(debugBits(V)));
  Inst Id;
  Id.Opcode = Op::GlobalId;
  Value *At[3];
  for (Id.Imm = 0; Id.Imm < 3; ++Id.Imm)
    At[Id.Imm] = idValue(Id);
  Value *Services =
      B.CreateLoad(Ptr, B.CreateConstInBoundsGEP1_64(
                            I8, Range, offsetof(goldy_group_range, services)));
  Value *Lanes = laneBits(Mask);
  Value *None = llvm::Constant::getNullValue(Lanes->getType());
  Value *Listens =
      B.CreateAnd(B.CreateIsNotNull(Services), B.CreateICmpNE(Lanes, None));
  BasicBlock *Start = newBlock("debug"), *Loop = newBlock("debug.lane");
  BasicBlock *After = newBlock("debug.end");
  AllocaInst *Ids = entryAlloca(ArrayType::get(I32, 3), "debug.id");
  AllocaInst *Words = entryAlloca(ArrayType::get(I64, 4), "debug.bits");
  B.CreateCondBr(Listens, Start, After);

  B.SetInsertPoint(Start);
  Value *Call = B.CreateLoad(Ptr, Services);
  Value *User =
      B.CreateLoad(Ptr, B.CreateConstInBoundsGEP1_64(
                            I8, Services, offsetof(goldy_host_services, user)));
  B.CreateBr(Loop);
  B.SetInsertPoint(Loop);
  PHINode *Left = B.CreatePHI(Lanes->getType(), 2, "left");
  Left->addIncoming(Lanes, Start);
  Value *Lane = B.CreateBinaryIntrinsic(Intrinsic::cttz, Left, B.getTrue());
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    bool Moves = Axis == 0 && F.WorkgroupSize[0] != 1;
    B.CreateStore(Moves ? B.CreateAdd(At[Axis], B.CreateZExtOrTrunc(Lane, I32))
                        : At[Axis],
                  B.CreateConstInBoundsGEP1_64(I32, Ids, Axis));
  }
  for (size_t N = 0; N < Parts.size(); ++N) {
    Value *One = B.CreateLoad(
        I64, B.CreateGEP(I64, Bits[N], B.CreateZExtOrTrunc(Lane, I64)));
    B.CreateStore(One, B.CreateConstInBoundsGEP1_64(I64, Words, N));
  }
  FunctionType *Type =
      FunctionType::get(B.getVoidTy(), {Ptr, Ptr, I32, I32, Ptr}, false);
  uint32_t Kind = static_cast<uint32_t>(M.Types.kind(F.typeOf(Parts[0])));
  B.CreateCall(Type, Call,
               {User, Ids, B.getInt32(Kind),
                B.getInt32(static_cast<uint32_t>(Parts.size())), Words});
  Value *Rest = B.CreateAnd(
      Left, B.CreateAdd(Left, ConstantInt::getAllOnesValue(Left->getType())));
  Left->addIncoming(Rest, B.GetInsertBlock());
  B.CreateCondBr(B.CreateICmpNE(Rest, None), Loop, After);
  B.SetInsertPoint(After);
}
