//===- EmitRun.cpp - What is done once for many groups --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before the loop over groups the choice is asked for ids that are at least
// those of every group of the call. Where it passes, the groups of the loop go
// to their first form at once; else each asks for itself.
//
// Groups that the plan joins take turns of the loop together, as many as are
// left of the call's or the row's: the loop over vectors does not end with the
// group. A call that did not pass the choice as a whole has turns of one group.
//
//===----------------------------------------------------------------------===//
#include "Emitter.h"

#include "llvm/ADT/DenseSet.h"

using namespace goldy;
using namespace llvm;

/// Fewer groups ask one by one.
static constexpr uint64_t MinRun = 4;

InstId HostEmitter::runChoice() const {
  const std::vector<InstId> &Body = F.Blocks[F.Body].Insts;
  return !Body.empty() && Plan.OnceARun[Body.back()] ? Body.back() : InstId();
}

/// Defines RunPasses, if the plan says so.
void HostEmitter::askForRun(Value *First, Value *End) {
  InstId Choice = runChoice();
  if (!Choice)
    return;
  BasicBlock *Before = B.GetInsertBlock();
  BasicBlock *Ask = newBlock("run"), *Asked = newBlock("asked");
  B.CreateCondBr(B.CreateICmpUGE(B.CreateSub(End, First), B.getInt64(MinRun)),
                 Ask, Asked);
  B.SetInsertPoint(Ask);
  // One row of groups ends with the call; several may hold any group.
  Value *X = B.CreateZExt(GroupCount[0], I64);
  Value *OneRow = B.CreateICmpULE(End, X);
  for (unsigned A = 0; A < Axes; ++A) {
    Value *Last = B.CreateSub(GroupCount[A], B.getInt32(1));
    Value *Own = A == 0 ? B.CreateTrunc(B.CreateSub(End, B.getInt64(1)), I32)
                        : B.getInt32(0);
    GroupId[A] = B.CreateSelect(OneRow, Own, Last);
  }
  for (const GroupItem &Item : Plan.Items[F.Body])
    if (Item.What == GroupItem::Kind::Scalar)
      groupItem(Item);
  Value *Passes = scalar(F.operand(Choice, 0));
  Ask = B.GetInsertBlock();
  B.CreateBr(Asked);
  B.SetInsertPoint(Asked);
  PHINode *All = B.CreatePHI(I1, 2, "all.groups");
  All->addIncoming(B.getFalse(), Before);
  All->addIncoming(Passes, Ask);
  RunPasses = All;
}

/// The body: what the forms need, the choice, the forms. What only the choice
/// needs is computed where it is asked.
void HostEmitter::choiceOfRun(BlockId Body) {
  InstId Choice = runChoice();
  const Inst &N = F.Insts[Choice];
  DenseSet<uint32_t> Needed;
  auto Need = [&](InstId I) {
    forEachUse(F, I, [&](ValueId V) { Needed.insert(V.index()); });
  };
  forEachWithin(F, Choice, Need);
  const std::vector<GroupItem> &Items = Plan.Items[Body];
  for (size_t I = Items.size(); I-- > 0;)
    if (Needed.count(Items[I].Inst.index()))
      Need(Items[I].Inst);
  auto Compute = [&](bool Forms) {
    for (const GroupItem &Item : Items)
      if (Item.What == GroupItem::Kind::Scalar &&
          (Needed.count(Item.Inst.index()) != 0) == Forms)
        groupItem(Item);
  };
  BasicBlock *Ask = newBlock("ask"), *Then = newBlock("then");
  BasicBlock *Else = newBlock("else"), *Join = newBlock("join");
  Compute(true);
  B.CreateCondBr(RunPasses, Then, Ask);
  B.SetInsertPoint(Ask);
  Compute(false);
  B.CreateCondBr(scalar(F.operand(Choice, 0)), Then, Else);
  B.SetInsertPoint(Then);
  Turn.Joined = Turn.MayJoin != nullptr;
  groupBlock(N.Blocks[0]);
  Turn.Joined = false;
  branchTo(Join);
  B.SetInsertPoint(Else);
  groupBlock(N.Blocks[1]);
  branchTo(Join);
  B.SetInsertPoint(Join);
}

/// Work-items of a row of groups that are joined at most: their numbers and
/// those of their vectors do not wrap.
static constexpr uint64_t MaxJoined = uint64_t(1) << 31;

/// Defines Turn.MayJoin, if the plan says so.
void HostEmitter::askForJoin() {
  if (!Plan.Joins || OneItem)
    return;
  Value *Items = B.CreateMul(B.CreateZExt(GroupCount[0], I64),
                             B.getInt64(F.WorkgroupSize[0]));
  Turn.MayJoin = B.CreateICmpULE(Items, B.getInt64(MaxJoined));
  if (RunPasses)
    Turn.MayJoin = B.CreateAnd(Turn.MayJoin, RunPasses, "joins");
}

/// Defines Turn.
void HostEmitter::startTurn() {
  Turn.Groups = B.getInt32(1);
  if (!Turn.MayJoin)
    return;
  Value *OfRow = B.CreateZExt(B.CreateSub(GroupCount[0], GroupId[0]), I64);
  Value *Most = B.CreateBinaryIntrinsic(Intrinsic::umin, OfRow,
                                        B.CreateLoad(I64, GroupsLeft));
  Turn.Groups = B.CreateSelect(Turn.MayJoin, B.CreateTrunc(Most, I32),
                               Turn.Groups, "turn");
}

Value *HostEmitter::vectorsOfTurn(uint32_t OfGroup) {
  Value *Each = B.getInt32(OfGroup);
  return Turn.Joined ? B.CreateMul(Turn.Groups, Each, "vectors", true, true)
                     : Each;
}
