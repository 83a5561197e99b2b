//===- EmitItem.cpp - Code of one work-item, for debuggers ----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plan has one lane. A region is a call that does the work-items with lower
// numbers, the item's own copy of the statements, and a call that does the
// rest: so each region is done in the order of numbers, a debugger that goes
// from statement to statement stays with the item, and its breakpoints are hit
// once. The calls are cut out of the finished function; their code has no
// lines, and debuggers step over functions that have none.
//
// Variables of the item have memory of their own from the kernel's start to its
// end: what a debugger shows is what the item did last.
//
//===----------------------------------------------------------------------===//
#include "BlockOrder.h"
#include "Emitter.h"

#include <cstddef>
#include <goldy_host_abi.h>

#include "llvm/Transforms/Utils/CodeExtractor.h"

using namespace goldy;
using namespace llvm;

// --- Regions

void HostEmitter::standAt(Value *Number) {
  Value *X = B.getInt32(F.WorkgroupSize[0]),
        *Y = B.getInt32(F.WorkgroupSize[1]);
  LocalFirst = B.CreateURem(Number, X);
  Value *Rows = B.CreateUDiv(Number, X);
  RowY = B.CreateURem(Rows, Y);
  RowZ = B.CreateUDiv(Rows, Y);
  PassRows = 1;
  Pass.resize(1);
  Pass[0].Y = RowY;
  Pass[0].Index = Number;
  selectRow(0);
}

/// The item has slots of its own, and slots of others are one set.
void HostEmitter::shareSlots() { std::swap(VectorSlots, ItemSlots); }

/// From a region's end a debugger comes to the statement that follows at group
/// level, a barrier mostly, or to what is behind the statement around it, or to
/// the kernel's end.
void HostEmitter::regionEndsAt(InstId Next, DILocation *Outer) {
  RegionEnd = Next    ? Lines->place(F.Insts[Next].Loc)
              : Outer ? Outer
                      : Lines->kernelEnd();
}

void HostEmitter::itemRegion(uint32_t R) {
  others(R, B.getInt32(0), Item);
  Shows = true;
  shareSlots();
  slotsOfVector(R);
  standAt(Item);
  vectorOfRegion(R, nullptr);
  Lines->leaveAllCalls(); // a helper may not come back
  shareSlots();
  Value *Next = B.CreateAdd(Item, B.getInt32(1));
  others(R, Next, B.getInt32(Plan.VectorsPerGroup));
}

void HostEmitter::others(uint32_t R, Value *From, Value *To) {
  DebugLoc Here = B.getCurrentDebugLocation();
  Shows = false;
  AllocaInst *At = entryAlloca(I32, "other");
  B.CreateStore(From, At);
  BasicBlock *Before = &Fn->back();
  BasicBlock *Test = newBlock("others"), *Body = newBlock("others.body");
  B.CreateBr(Test);
  atNoStatement();
  BasicBlock *End = BasicBlock::Create(C, "others.end");
  B.SetInsertPoint(Test);
  Value *Number = B.CreateLoad(I32, At);
  B.CreateCondBr(B.CreateICmpULT(Number, To), Body, End);
  B.SetInsertPoint(Body);
  standAt(Number);
  vectorOfRegion(R, nullptr);
  B.CreateStore(B.CreateAdd(Number, B.getInt32(1)), At);
  B.CreateBr(Test);
  OthersCode &Code = OthersCodes.emplace_back();
  Code.CalledAt = Here;
  for (BasicBlock *Each = Before->getNextNode(); Each;
       Each = Each->getNextNode())
    Code.Blocks.push_back(Each);
  Fn->insert(Fn->end(), End);
  B.SetInsertPoint(End);
  Shows = true;
  B.SetCurrentDebugLocation(Here);
}

void HostEmitter::outlineOthers() {
  // Without its subprogram the function's other parts are cut without lines.
  DISubprogram *Kernel = Fn->getSubprogram();
  Fn->setSubprogram(nullptr);
  for (const OthersCode &Code : OthersCodes) {
    CodeExtractorAnalysisCache Cache(*Fn);
    CodeExtractor Extractor(Code.Blocks, nullptr, false, nullptr, nullptr,
                            nullptr, false, false, nullptr, "others");
    llvm::Function *Others = Extractor.extractCodeRegion(Cache);
    assert(Others && "a loop with one way in and one way out");
    Others->addFnAttr(Attribute::NoInline);
    for (Instruction &I :
         *cast<Instruction>(*Others->user_begin())->getParent())
      I.setDebugLoc(Code.CalledAt);
  }
  Fn->setSubprogram(Kernel);
  orderBlocks(*Fn);
}

// --- What a debugger sees

/// Tells of a resource that a helper is given.
void HostEmitter::argumentMark(InstId I, SlotId S) {
  ArgumentCode Is =
      ArgumentCode::of(static_cast<uint32_t>(F.Insts[F.operand(I, 0)].Imm));
  const std::vector<AllocaInst *> &Homes =
      Is.Base.Kind == BaseKind::Workgroup ? ArrayHomes : ParamHomes;
  Lines->declareArgument(StringRef(F.Slots[S].Name).substr(ArgumentMark.size()),
                         Is, F.Slots[S].Loc, Homes[Is.Base.Index],
                         &Fn->getEntryBlock());
}

/// True if the store marks a call.
bool HostEmitter::callMark(InstId I, SlotId S) {
  bool Argument = F.Slots[S].Name.starts_with(ArgumentMark);
  if (Argument && Lines && Shows)
    argumentMark(I, S);
  if (Argument)
    return true;
  StringRef Name = F.Slots[S].Name;
  if (!Name.consume_front(CallMark))
    return false;
  if (!Lines || !Shows)
    return true;
  bool Enters = F.Insts[F.operand(I, 0)].Imm != 0;
  // Code for the call's line, and for that of the return.
  B.CreateStore(B.getInt32(Enters), slotStorage(S));
  if (Enters)
    Lines->enterCall(F.Insts[I].Loc, Name);
  else
    Lines->leaveCall();
  return true;
}

/// Remembers in which call a variable's slot is.
void HostEmitter::noteSlot(SlotId S) {
  if (!OneItem || !Shows || SlotPlaces[S])
    return;
  if (const NamedLocal *L = Lines->local(F.Slots[S]))
    SlotPlaces.set(S, Lines->localPlace(*L));
}

void HostEmitter::noteArray(SlotId S, Value *Address) {
  if (!OneItem || !Shows)
    return;
  if (!ItemArrays[S])
    ItemArrays.set(S, entryAlloca(Ptr, F.Slots[S].Name));
  noteSlot(S);
  B.CreateStore(Address, ItemArrays[S]);
}

AllocaInst *HostEmitter::shownAddress(Value *Address, const Twine &Name) {
  AllocaInst *Holder = entryAlloca(Ptr, Name);
  B.CreateStore(Address, Holder);
  return Holder;
}

/// At the function's start: parameters in memory, and the item's number.
void HostEmitter::showParams() {
  for (uint32_t N = 0; N < F.Params.size(); ++N) {
    const Param &P = F.Params[N];
    bool Scalar = P.Kind == ParamKind::Scalar;
    llvm::Type *T =
        Scalar ? ParamValues[N]->getType()
        : ParamLengths[N]
            ? static_cast<llvm::Type *>(llvm::StructType::get(Ptr, I32))
            : Ptr;
    AllocaInst *At = entryAlloca(T, P.Name);
    B.CreateStore(ParamValues[N], At);
    if (!Scalar && ParamLengths[N])
      B.CreateStore(ParamLengths[N], B.CreateConstInBoundsGEP1_64(I8, At, 8));
    Lines->declareParameter(N, At, B.GetInsertBlock());
    ParamHomes.push_back(At);
  }
  for (uint32_t N = 0; N < F.WorkgroupArrays.size(); ++N) {
    const WorkgroupArray &A = F.WorkgroupArrays[WorkgroupId(N)];
    Value *Address =
        B.CreateConstInBoundsGEP1_64(I8, Scratch, Layout.WorkgroupArrays[N]);
    ArrayHomes.push_back(shownAddress(Address, A.Name));
    Lines->declareShared(A.Name, A.Type, A.Loc, ArrayHomes.back(),
                         B.GetInsertBlock());
  }
  for (const auto &[N, Offset] : Layout.BigSlots)
    ItemArrays.set(SlotId(N), shownAddress(B.CreateConstInBoundsGEP1_64(
                                               I8, Scratch, Offset),
                                           F.Slots[SlotId(N)].Name));
  Value *Number =
      B.CreateLoad(I64, B.CreateConstInBoundsGEP1_64(
                            I8, Range, offsetof(goldy_group_range, item)));
  Item = B.CreateTrunc(Number, I32);
}

void HostEmitter::showSlots() {
  BasicBlock *Entry = &Fn->getEntryBlock();
  for (uint32_t N = 0; N < F.Slots.size(); ++N) {
    SlotId S(N);
    const NamedLocal *L = Lines->local(F.Slots[S]);
    if (!L || !SlotPlaces[S])
      continue;
    AllocaInst *Array = ItemArrays[S];
    AllocaInst *At = Array          ? Array
                     : ItemSlots[S] ? ItemSlots[S]
                                    : GroupSlots[S];
    if (At)
      Lines->declareSlot(*L, F.Slots[S], SlotPlaces[S], At, Array != nullptr,
                         Entry);
  }
}
