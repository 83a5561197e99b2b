//===- EmitKernel.cpp - Entry, group loop, group-level statements
//-----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entry reads the parameter block once and loops over the groups of its
// range; the group's coordinates are counted up, not divided. What the plan
// puts at group level is plain scalar code here.
//
//===----------------------------------------------------------------------===//
#include "DeadStores.h"
#include "Emitter.h"
#include "goldyc/Target/TensorLayout.h"

#include <cstddef>
#include <goldy_host_abi.h>

using namespace goldy;
using namespace llvm;

namespace {
/// Private arrays up to this size stay on the stack, where they may be
/// promoted to registers.
constexpr uint64_t MaxStackArray = 4096;
uint64_t roundUp(uint64_t N) { return (N + 63) / 64 * 64; }
} // namespace

HostEmitter::HostEmitter(const goldy::Module &M, const goldy::Function &F,
                         const LanePlan &Plan, unsigned Level, llvm::Module &LM,
                         DiagSink &Diags, HostDebug *Lines)
    : M(M), F(F), Plan(Plan), Level(Level), W(Plan.Width), LM(LM), Diags(Diags),
      Lines(Lines), C(LM.getContext()), B(C), Float(B, Level < 3) {
  I1 = B.getInt1Ty();
  I8 = B.getInt8Ty();
  I32 = B.getInt32Ty();
  I64 = B.getInt64Ty();
  F32 = B.getFloatTy();
  Ptr = B.getPtrTy();
  OneLane = shapesOfOneLane(F);
  setLanes(Plan.Width);
  Values.resize(F.Insts.size());
}

bool HostEmitter::run(StringRef Name) {
  layOutScratch();
  findExits();
  findAxes();
  createFunction(Name);
  loadParams();
  loadWatcher();
  if (OneItem)
    showParams();
  groupLoop();
  if (OneItem) {
    showSlots();
    outlineOthers();
  }
  return !Failed;
}

bool HostEmitter::runItem(StringRef Name) {
  OneItem = true;
  return run(Name);
}

void HostEmitter::layOutScratch() {
  for (const goldy::WorkgroupArray &A : F.WorkgroupArrays) {
    Layout.WorkgroupArrays.push_back(Layout.WorkgroupBytes);
    Layout.WorkgroupBytes += roundUp(M.Types.layout(A.Type).Size);
  }
  Layout.Context = Layout.WorkgroupBytes;
  Layout.Total = Layout.Context + Plan.ContextBytes;
  for (uint32_t I = 0; I < F.Slots.size(); ++I) {
    SlotId S(I);
    bool Array = M.Types.memberCount(F.Slots[S].Type) != 0;
    uint64_t Bytes = slotBytes(S);
    if (!Array || Bytes <= MaxStackArray || Plan.ContextOfSlot[S].Bytes)
      continue;
    Layout.BigSlots[I] = Layout.Total;
    Layout.Total += roundUp(Bytes);
  }
}

void HostEmitter::createFunction(StringRef Name) {
  FunctionType *T = FunctionType::get(I32, {Ptr, Ptr, Ptr}, false);
  Fn = llvm::Function::Create(T, GlobalValue::ExternalLinkage, Name, LM);
  std::string Cpu = Level == 1 ? "x86-64" : "x86-64-v" + std::to_string(Level);
  Fn->addFnAttr("target-cpu", Cpu);
  Fn->addFnAttr("prefer-vector-width", Level >= 4 ? "512" : "256");
  Fn->addFnAttr(Attribute::NoUnwind);
  // Registers that are spilled in a loop must not cross lines of the cache.
  if (Plan.Width > Plan.Machine)
    Fn->addFnAttr("stackrealign");
  OpaqueFloat::markFunction(*Fn);
  if (Lines)
    Lines->attach(*Fn);
  Block = Fn->getArg(0);
  Range = Fn->getArg(1);
  Scratch = Fn->getArg(2);
  for (unsigned A = 0; A < 3; ++A)
    Fn->addParamAttr(A, Attribute::NoAlias);
  Fn->addParamAttr(0, Attribute::ReadOnly);
  Fn->addParamAttr(1, Attribute::ReadOnly);
  Fn->addParamAttr(2, Attribute::getWithAlignment(C, Align(64)));
  B.SetInsertPoint(BasicBlock::Create(C, "entry", Fn));
}

AllocaInst *HostEmitter::entryAlloca(llvm::Type *T, const Twine &Name) {
  BasicBlock &Entry = Fn->getEntryBlock();
  IRBuilder<> At(&Entry, Entry.getFirstInsertionPt());
  return At.CreateAlloca(T, nullptr, Name);
}

BasicBlock *HostEmitter::newBlock(const Twine &Name) {
  return BasicBlock::Create(C, Name, Fn);
}

void HostEmitter::branchTo(BasicBlock *To) {
  if (!B.GetInsertBlock()->getTerminator())
    B.CreateBr(To);
}

void HostEmitter::loadParams() {
  AbiLayout Abi = abiLayout(M, F);
  for (size_t I = 0; I < F.Params.size(); ++I) {
    const Param &P = F.Params[I];
    Value *At = B.CreateConstInBoundsGEP1_64(I8, Block, Abi.Params[I].Offset);
    bool Scalar = P.Kind == ParamKind::Scalar;
    Value *V = B.CreateLoad(
        Scalar ? scalarType(P.Type) == I1 ? I32 : scalarType(P.Type) : Ptr, At,
        P.Name);
    if (Scalar && isBool(P.Type))
      V = B.CreateICmpNE(V, B.getInt32(0));
    ParamValues.push_back(V);
    if (Lines && Scalar && !OneItem)
      Lines->parameterValue(static_cast<uint32_t>(I), V, B.GetInsertBlock());
    Value *Length = nullptr;
    if (P.Kind == ParamKind::Buffer)
      Length = B.CreateLoad(
          I32,
          B.CreateConstInBoundsGEP1_64(I8, Block, Abi.Params[I].Offset + 8),
          Twine(P.Name) + ".len");
    ParamLengths.push_back(Length);
  }
  loadLayouts(Abi);
  for (unsigned A = 0; A < 3; ++A)
    GroupCount[A] = B.CreateLoad(
        I32, B.CreateConstInBoundsGEP1_64(
                 I8, Range, offsetof(goldy_group_range, count) + 4 * A));
}

/// Words of tensor layouts do not change: each is read once, on top.
void HostEmitter::loadLayouts(const AbiLayout &Abi) {
  Value *Table = nullptr;
  for (const goldy::Block &Statements : F.Blocks)
    for (InstId I : Statements.Insts) {
      Op O = F.Insts[I].Opcode;
      if (!readsLayout(O))
        continue;
      if (O == Op::LayoutWord && !Table)
        Table = B.CreateLoad(
            Ptr, B.CreateConstInBoundsGEP1_64(I8, Block, Abi.LayoutTableOffset),
            "layouts");
      bool Word = O == Op::LayoutWord;
      uint32_t At =
          Word ? layoutByte(F, I)
               : Abi.Params[tensorParam(F, I)].Offset + TensorOffsetInEntry;
      Value *&Known = LayoutWords[{Word, At}];
      if (!Known)
        Known = B.CreateLoad(
            I32, B.CreateConstInBoundsGEP1_64(I8, Word ? Table : Block, At));
      LayoutValues.set(I, Known);
    }
}

void HostEmitter::groupLoop() {
  Value *First =
      B.CreateLoad(I64, B.CreateConstInBoundsGEP1_64(
                            I8, Range, offsetof(goldy_group_range, first)));
  Value *End =
      B.CreateLoad(I64, B.CreateConstInBoundsGEP1_64(
                            I8, Range, offsetof(goldy_group_range, end)));
  BasicBlock *Start = newBlock("start"), *Group = newBlock("group");
  BasicBlock *Done = newBlock("done");
  GroupEnd = newBlock("group.end");
  for (unsigned A = 0; A < Axes; ++A)
    GroupAt[A] = entryAlloca(I32, "group.at");
  GroupsLeft = entryAlloca(I64, "groups");
  B.CreateCondBr(B.CreateICmpULT(First, End), Start, Done);

  B.SetInsertPoint(Start);
  firstGroup(First);
  B.CreateStore(B.CreateSub(End, First), GroupsLeft);
  askForRun(First, End);
  askForJoin();
  B.CreateBr(Group);

  B.SetInsertPoint(Group);
  enterGroup();
  startTurn();
  if (RunPasses) {
    choiceOfRun(F.Body);
  } else {
    Turn.Joined = Turn.MayJoin != nullptr;
    groupBlock(F.Body);
  }
  branchTo(GroupEnd);
  B.SetInsertPoint(GroupEnd);
  nextGroup();
  Value *Left = B.CreateSub(B.CreateLoad(I64, GroupsLeft),
                            B.CreateZExt(Turn.Groups, I64));
  B.CreateStore(Left, GroupsLeft);
  BranchInst *Next =
      B.CreateCondBr(B.CreateICmpNE(Left, B.getInt64(0)), Group, Done);
  Next->setMetadata(GroupEndMark, MDNode::get(C, {}));
  B.SetInsertPoint(Done);
  B.CreateRet(B.getInt32(0));
}

/// Coordinates that nobody asks for are not counted.
void HostEmitter::findAxes() {
  forEachInst(F, [&](InstId I) {
    const Inst &N = F.Insts[I];
    if (N.Opcode == Op::GlobalId || N.Opcode == Op::WorkgroupId)
      Axes = std::max(Axes, static_cast<unsigned>(N.Imm) + 1);
    else if (N.Opcode == Op::Debug || N.Opcode == Op::Watch)
      Axes = 3; // they tell all
  });
}

/// Coordinates of the first group; in its first row of groups no division is
/// needed, which a small launch would feel.
void HostEmitter::firstGroup(Value *First) {
  Value *X = B.CreateZExt(GroupCount[0], I64);
  Value *Y = B.CreateZExt(GroupCount[1], I64);
  BasicBlock *Divide = newBlock("rows"), *Known = newBlock("first");
  B.CreateStore(B.CreateTrunc(First, I32), GroupAt[0]);
  for (unsigned A = 1; A < Axes; ++A)
    B.CreateStore(B.getInt32(0), GroupAt[A]);
  B.CreateCondBr(B.CreateICmpULT(First, X), Known, Divide);
  B.SetInsertPoint(Divide);
  B.CreateStore(B.CreateTrunc(B.CreateURem(First, X), I32), GroupAt[0]);
  Value *Rows = Axes > 1 ? B.CreateUDiv(First, X) : nullptr;
  if (Axes > 1)
    B.CreateStore(B.CreateTrunc(B.CreateURem(Rows, Y), I32), GroupAt[1]);
  if (Axes > 2)
    B.CreateStore(B.CreateTrunc(B.CreateUDiv(Rows, Y), I32), GroupAt[2]);
  B.CreateBr(Known);
  B.SetInsertPoint(Known);
}

void HostEmitter::nextGroup() {
  atNoStatement();
  if (OneItem) // a debugger goes from the end to the caller
    B.SetCurrentDebugLocation(Lines->kernelEnd());
  Value *By = Turn.Groups;
  for (unsigned A = 0; A < Axes; ++A) {
    Value *Next = B.CreateAdd(GroupId[A], By);
    Value *Over = B.CreateICmpEQ(Next, GroupCount[A]);
    B.CreateStore(A == 2 ? Next : B.CreateSelect(Over, B.getInt32(0), Next),
                  GroupAt[A]);
    By = B.CreateZExt(Over, I32);
  }
}

void HostEmitter::zeroBytes(Value *Start, uint64_t Bytes) {
  if (Bytes == 0)
    return;
  llvm::Type *Line = FixedVectorType::get(I32, 16);
  countedLoop(static_cast<uint32_t>(Bytes / 64), [&](Value *I) {
    Value *At = B.CreateGEP(Line, Start, B.CreateZExt(I, I64));
    B.CreateAlignedStore(llvm::Constant::getNullValue(Line), At, Align(64));
  });
}

/// Zeroes what a group finds as zero: workgroup arrays, slots that may be read
/// before they are written, exit flags.
void HostEmitter::enterGroup() {
  atNoStatement();
  for (unsigned A = 0; A < Axes; ++A)
    GroupId[A] = B.CreateLoad(I32, GroupAt[A], "group.id");
  for (uint32_t A = 0; A < F.WorkgroupArrays.size(); ++A)
    if (Plan.Zeroed[WorkgroupId(A)])
      zeroBytes(
          B.CreateConstInBoundsGEP1_64(I8, Scratch, Layout.WorkgroupArrays[A]),
          roundUp(M.Types.layout(F.WorkgroupArrays[WorkgroupId(A)].Type).Size));
  for (uint32_t I = 0; I < F.Slots.size(); ++I) {
    SlotId S(I);
    if (Plan.Scopes[S].WrittenFirst)
      continue;
    ContextPlace P = Plan.ContextOfSlot[S];
    if (P.InRegisters)
      clearHomes(S);
    else if (P.Bytes)
      zeroBytes(
          B.CreateConstInBoundsGEP1_64(I8, Scratch, Layout.Context + P.Offset),
          roundUp(uint64_t(P.Bytes) * Plan.VectorsPerGroup));
    if (Plan.GroupSlot[S]) {
      Value *Storage = slotStorage(S);
      B.CreateStore(llvm::Constant::getNullValue(
                        cast<AllocaInst>(Storage)->getAllocatedType()),
                    Storage);
    }
  }
  clearExitFlags(InstId());
}

void HostEmitter::clearExitFlags(InstId Target) {
  for (const auto &[T, P] : Plan.ExitFlags)
    if (T == Target)
      zeroBytes(
          B.CreateConstInBoundsGEP1_64(I8, Scratch, Layout.Context + P.Offset),
          roundUp(uint64_t(P.Bytes) * Plan.VectorsPerGroup));
}

// --- Group-level statements

void HostEmitter::groupBlock(BlockId Id) {
  const std::vector<GroupItem> &Items = Plan.Items[Id];
  llvm::DILocation *Outer = RegionEnd;
  for (size_t N = 0; N < Items.size(); ++N) {
    if (B.GetInsertBlock()->getTerminator())
      return;
    if (OneItem)
      regionEndsAt(N + 1 < Items.size() ? Items[N + 1].Inst : InstId(), Outer);
    groupItem(Items[N]);
  }
  RegionEnd = Outer;
}

void HostEmitter::groupItem(const GroupItem &Item) {
  if (Item.Inst)
    at(Item.Inst);
  switch (Item.What) {
  case GroupItem::Kind::Scalar:
    instruction(Item.Inst);
    break;
  case GroupItem::Kind::Control:
    groupControl(Item.Inst);
    break;
  case GroupItem::Kind::Region:
    region(Item.Region);
    break;
  case GroupItem::Kind::Barrier: // the order of regions
    break;
  }
}

void HostEmitter::groupControl(InstId I) {
  at(I);
  const Inst &N = F.Insts[I];
  switch (N.Opcode) {
  case Op::If:
    groupIf(I);
    break;
  case Op::Loop:
    groupLoopStatement(I);
    break;
  case Op::Block:
    groupBlockStatement(I);
    break;
  case Op::Break:
    B.CreateBr(GroupTargets.at(N.Target.index()).first);
    break;
  case Op::Continue:
    B.CreateBr(GroupTargets.at(N.Target.index()).second);
    break;
  case Op::Return:
    B.CreateBr(GroupEnd);
    break;
  default:
    notLegal(I);
    break;
  }
}

void HostEmitter::groupIf(InstId I) {
  const Inst &N = F.Insts[I];
  BasicBlock *Then = newBlock("then"), *Join = newBlock("join");
  BasicBlock *Else = N.Blocks[1] ? newBlock("else") : Join;
  B.CreateCondBr(scalar(F.operand(I, 0)), Then, Else);
  B.SetInsertPoint(Then);
  groupBlock(N.Blocks[0]);
  branchTo(Join);
  if (N.Blocks[1]) {
    B.SetInsertPoint(Else);
    groupBlock(N.Blocks[1]);
    branchTo(Join);
  }
  B.SetInsertPoint(Join);
}

void HostEmitter::groupLoopStatement(InstId I) {
  const Inst &N = F.Insts[I];
  BasicBlock *Header = newBlock("loop"), *Repeat = newBlock("repeat");
  BasicBlock *Leave = newBlock("leave");
  GroupTargets[I.index()] = {Leave, Repeat};
  B.CreateBr(Header);
  B.SetInsertPoint(Header);
  groupBlock(N.Blocks[0]);
  branchTo(Repeat);
  B.SetInsertPoint(Repeat);
  if (N.Blocks[1])
    for (const GroupItem &Item : Plan.Items[N.Blocks[1]]) {
      if (Item.What == GroupItem::Kind::Control &&
          F.Insts[Item.Inst].Opcode == Op::BreakIf)
        B.CreateCondBr(scalar(F.operand(Item.Inst, 0)), Leave, Header);
      else if (!B.GetInsertBlock()->getTerminator())
        groupItem(Item);
    }
  branchTo(Header);
  B.SetInsertPoint(Leave);
}

void HostEmitter::groupBlockStatement(InstId I) {
  const Inst &N = F.Insts[I];
  BasicBlock *Leave = newBlock("leave");
  GroupTargets[I.index()] = {Leave, nullptr};
  clearExitFlags(I);
  groupBlock(N.Blocks[0]);
  branchTo(Leave);
  B.SetInsertPoint(Leave);
}
