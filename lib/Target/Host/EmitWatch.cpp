//===- EmitWatch.cpp - ir::watch through the launch's services ------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes call it one by one, the lowest first. The function is read once, at the
// entry; a launch that brings none pays a test.
//
//===----------------------------------------------------------------------===//
#include "Emitter.h"

#include <cstddef>
#include <goldy_host_abi.h>

using namespace goldy;
using namespace llvm;

void HostEmitter::loadWatcher() {
  bool Needed = false;
  for (const Inst &N : F.Insts)
    Needed |= N.Opcode == Op::Watch;
  if (!Needed)
    return;
  auto Field = [&](Value *Of, llvm::Type *T, size_t Offset) {
    return B.CreateLoad(T, B.CreateConstInBoundsGEP1_64(I8, Of, Offset));
  };
  Value *Bytes = Field(Range, I32, offsetof(goldy_group_range, services_bytes));
  Value *Services = Field(Range, Ptr, offsetof(goldy_group_range, services));
  Value *Has = B.CreateAnd(
      B.CreateIsNotNull(Services),
      B.CreateICmpUGE(Bytes, B.getInt32(sizeof(goldy_host_services))));
  BasicBlock *Before = B.GetInsertBlock();
  BasicBlock *Read = newBlock("watcher"), *After = newBlock("watcher.end");
  B.CreateCondBr(Has, Read, After);
  B.SetInsertPoint(Read);
  Value *Function = Field(Services, Ptr, offsetof(goldy_host_services, watch));
  Value *User = Field(Services, Ptr, offsetof(goldy_host_services, watcher));
  B.CreateBr(After);
  B.SetInsertPoint(After);
  llvm::Constant *None = ConstantPointerNull::get(B.getPtrTy());
  PHINode *Call = B.CreatePHI(Ptr, 2, "watch");
  Call->addIncoming(None, Before);
  Call->addIncoming(Function, Read);
  PHINode *First = B.CreatePHI(Ptr, 2, "watcher");
  First->addIncoming(None, Before);
  First->addIncoming(User, Read);
  Watch = Call;
  Watcher = First;
}

/// Of lane 0 in the group, and of the group in the grid.
Value *HostEmitter::watchedItem() {
  Value *Item = B.CreateMul(RowZ, B.getInt32(F.WorkgroupSize[1]));
  Item = B.CreateMul(B.CreateAdd(Item, RowY), B.getInt32(F.WorkgroupSize[0]));
  return B.CreateAdd(Item, LocalFirst);
}

Value *HostEmitter::watchedGroup() {
  auto Wide = [&](Value *V) { return B.CreateZExt(V, I64); };
  Value *Group = B.CreateMul(Wide(GroupId[2]), Wide(GroupCount[1]));
  Group =
      B.CreateMul(B.CreateAdd(Group, Wide(GroupId[1])), Wide(GroupCount[0]));
  return B.CreateAdd(Group, Wide(GroupId[0]));
}

void HostEmitter::watch(InstId I) {
  std::span<const ValueId> Words = F.operands(I).subspan(1);
  SmallVector<AllocaInst *, 4> Each;
  for (ValueId V : Words) {
    bool Bool = F.typeOf(V) == types::Bool;
    Value *Lanes = vector(V);
    Each.push_back(spill(Bool ? B.CreateZExt(asI1(Lanes), I32Vec) : Lanes));
  }
  Value *List = llvm::Constant::getNullValue(Ptr);
  if (!Words.empty())
    List = entryAlloca(ArrayType::get(I32, Words.size()), "watch.words");
  Value *Lanes = Mask ? laneBits(Mask) : B.getInt32(~0u >> (32 - W));
  Value *Tells = B.CreateAnd(B.CreateIsNotNull(Watch),
                             B.CreateICmpNE(Lanes, B.getInt32(0)));
  BasicBlock *Start = newBlock("watch"), *Loop = newBlock("watch.lane");
  BasicBlock *After = newBlock("watch.end");
  B.CreateCondBr(Tells, Start, After);

  B.SetInsertPoint(Start);
  Value *Group = watchedGroup(), *First = watchedItem();
  B.CreateBr(Loop);
  B.SetInsertPoint(Loop);
  PHINode *Left = B.CreatePHI(I32, 2, "left");
  Left->addIncoming(Lanes, Start);
  Value *Lane = B.CreateBinaryIntrinsic(Intrinsic::cttz, Left, B.getTrue());
  for (size_t N = 0; N < Each.size(); ++N) {
    Value *At = B.CreateGEP(I32, Each[N], B.CreateZExt(Lane, I64));
    B.CreateStore(B.CreateLoad(I32, At),
                  B.CreateConstInBoundsGEP1_64(I32, List, N));
  }
  uint32_t Site = static_cast<uint32_t>(F.Insts[F.operand(I, 0)].Imm);
  FunctionType *Type =
      FunctionType::get(B.getVoidTy(), {Ptr, I64, I32, I32, Ptr}, false);
  B.CreateCall(
      Type, Watch,
      {Watcher, Group, B.CreateAdd(First, Lane), B.getInt32(Site), List});
  Value *Rest = B.CreateAnd(Left, B.CreateSub(Left, B.getInt32(1)));
  Left->addIncoming(Rest, B.GetInsertBlock());
  B.CreateCondBr(B.CreateICmpNE(Rest, B.getInt32(0)), Loop, After);
  B.SetInsertPoint(After);
}
