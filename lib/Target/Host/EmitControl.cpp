//===- EmitControl.cpp - Masks and control flow within a vector
//-------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uniform conditions are branches. A divergent branch is skipped when no lane
// takes it; where all lanes are known to be live it is *versioned*: if all take
// it, a copy without masks runs, so that no masked store ever runs with a full
// mask. After a statement that lanes may have left for farther out, the rest of
// the block is versioned the same way: that makes `if i >= n { return; }` as
// good as `if i < n { … }`. Short branches without memory accesses are
// computed by all lanes and blended.
//
// An exit that all live lanes of its target take, or that stands in code
// without a mask, is a jump. Otherwise its lanes are taken out of the mask;
// where paths meet, the masks that arrive are joined.
//
//===----------------------------------------------------------------------===//
#include "Emitter.h"

#include <numeric>
#include <utility>

using namespace goldy;
using namespace llvm;

namespace {
/// Nested versions of code; each level adds one masked copy.
constexpr unsigned MaxVersions = 4;
/// Statements that may be copied for a version.
constexpr unsigned MaxVersionSize = 400;
/// Once this much has been emitted, nothing is copied any more.
constexpr unsigned MaxEmitted = 1200;
/// Operations that are cheaper computed by all lanes than jumped over.
constexpr unsigned MaxPredicated = 10;
} // namespace

// --- Masks

Value *HostEmitter::fullMask() {
  return llvm::Constant::getAllOnesValue(MaskTy);
}

Value *HostEmitter::andMask(Value *A, Value *Other) {
  if (!A || !Other)
    return A ? A : Other;
  return B.CreateAnd(A, Other);
}

Value *HostEmitter::andNotMask(Value *A, Value *Other) {
  Value *Not = B.CreateNot(Other);
  return A ? B.CreateAnd(A, Not) : Not;
}

Value *HostEmitter::laneBits(Value *Lanes) {
  unsigned Bits = std::max(W, 32u);
  llvm::Type *Word = B.getIntNTy(Bits);
  if (!Lanes)
    return ConstantInt::get(Word, APInt::getLowBitsSet(Bits, W));
  return B.CreateZExt(B.CreateBitCast(asI1(Lanes), B.getIntNTy(W)), Word);
}

/// The bits of one register of lanes, into which the others are folded.
Value *HostEmitter::foldedBits(Value *Lanes, Instruction::BinaryOps Fold) {
  for (unsigned N = W; N > Plan.Machine; N /= 2) {
    auto [Low, High] = halves(Lanes);
    Lanes = B.CreateBinOp(Fold, Low, High);
  }
  return B.CreateBitCast(asI1(Lanes), B.getIntNTy(std::min(W, Plan.Machine)));
}

std::pair<Value *, Value *> HostEmitter::halves(Value *V) {
  unsigned Half = cast<FixedVectorType>(V->getType())->getNumElements() / 2;
  SmallVector<int, 32> Low(Half), High(Half);
  std::iota(Low.begin(), Low.end(), 0);
  std::iota(High.begin(), High.end(), static_cast<int>(Half));
  return {B.CreateShuffleVector(V, Low), B.CreateShuffleVector(V, High)};
}

Value *HostEmitter::together(Value *Low, Value *High) {
  unsigned Half = cast<FixedVectorType>(Low->getType())->getNumElements();
  SmallVector<int, 64> All(2 * Half);
  std::iota(All.begin(), All.end(), 0);
  return B.CreateShuffleVector(Low, High, All);
}

/// `first + lane < n` for a vector that cannot wrap: the last lane decides for
/// all, the first for any; and so on for the other orders.
void HostEmitter::noteTests(InstId I, Value *Lanes) {
  const Inst &N = F.Insts[I];
  if (!isOrder(N.Opcode) || isa<llvm::Constant>(Lanes))
    return;
  ValueId X = F.operand(I, 0), Y = F.operand(I, 1);
  bool Swapped = Shapes->Value[Y].Shape == LaneShape::Strided;
  if (Swapped)
    std::swap(X, Y);
  LaneValue Moving = Shapes->Value[X];
  if (Moving.Shape != LaneShape::Strided || Moving.Stride != 1 ||
      Moving.Align < W || Shapes->Value[Y].Shape != LaneShape::Uniform)
    return;
  Value *First = scalar(X), *Limit = scalar(Y);
  Value *Last = B.CreateAdd(First, B.getInt32(W - 1));
  auto Test = [&](Value *Lane) {
    SmallVector<Value *, 2> Ops{Lane, Limit};
    if (Swapped)
      std::swap(Ops[0], Ops[1]);
    return compareOperation(I, N, Ops);
  };
  bool Below = (N.Opcode == Op::Lt || N.Opcode == Op::Le) != Swapped;
  Tests[Lanes] = {Test(Below ? Last : First), Test(Below ? First : Last)};
}

Value *HostEmitter::anyLane(Value *Lanes) {
  if (auto Known = Tests.find(Lanes); Known != Tests.end())
    return Known->second.second;
  Value *Bits = foldedBits(Lanes, Instruction::Or);
  return B.CreateICmpNE(Bits, llvm::Constant::getNullValue(Bits->getType()),
                        "any");
}

Value *HostEmitter::allLanes(Value *Lanes) {
  if (auto Known = Tests.find(Lanes); Known != Tests.end())
    return Known->second.first;
  Value *Bits = foldedBits(Lanes, Instruction::And);
  return B.CreateICmpEQ(Bits, llvm::Constant::getAllOnesValue(Bits->getType()),
                        "all");
}

HostEmitter::MaskJoin HostEmitter::startJoin() {
  MaskJoin J;
  J.Lanes = entryAlloca(MaskTy, "lanes");
  B.CreateStore(emptyMask(), J.Lanes);
  return J;
}

void HostEmitter::arrive(MaskJoin &J, Value *Lanes) {
  if (!J.Any)
    J.First = Lanes;
  J.Same = !J.Any || (J.Same && J.First == Lanes);
  J.Any = true;
  Value *Before = B.CreateLoad(MaskTy, J.Lanes);
  B.CreateStore(B.CreateOr(Before, Lanes ? Lanes : fullMask()), J.Lanes);
}

/// The lanes of all paths that arrived; null if each brought all lanes.
Value *HostEmitter::joined(MaskJoin &J) {
  if (J.Any && J.Same && !J.First)
    return nullptr;
  return B.CreateLoad(MaskTy, J.Lanes);
}

/// Which statements lanes leave for a target farther out, and in which loops
/// they wait for others.
void HostEmitter::findExits() {
  Structure S(F);
  forEachInst(F, [&](InstId I) {
    Op O = F.Insts[I].Opcode;
    if (O != Op::Break && O != Op::Continue && O != Op::Return)
      return;
    if (!Plan.Vector.Divergent[I])
      return;
    InstId Target = O == Op::Return ? InstId() : F.Insts[I].Target;
    if (O == Op::Continue)
      Waits.set(Target, true);
    for (InstId P = S.parentOf(I); P && P != Target; P = S.parentOf(P))
      PassesOut.set(P, true);
  });
}

// --- Statements

bool HostEmitter::statements(const std::vector<InstId> &List, size_t From) {
  Remainder Rest;
  bool Ends = true;
  llvm::DILocation *Outer = Following;
  for (size_t N = From; Ends && N < List.size(); ++N) {
    if (OneItem && Shows)
      Following =
          N + 1 < List.size() ? Lines->place(F.Insts[List[N + 1]].Loc) : Outer;
    if (Plan.VersionAt[List[N]] && W > 1 && !Mask && !Chosen && mayVersion()) {
      N = versionedRun(List, N);
      continue;
    }
    Value *Before = Mask;
    Op O = F.Insts[List[N]].Opcode;
    Ends = statement(List[N]);
    if (isExit(O) || N + 1 == List.size())
      break;
    if (!Ends || Mask == Before)
      continue;
    if (!Before && (mayNarrow() || (mayVersion() && worthCopy(List, N + 1)))) {
      Ends = versionedRest(List, N + 1);
      break;
    }
    if (Frame *Loop = loopOf(List))
      leaveIfEmpty(*Loop);
    else
      skipIfEmpty(Rest);
  }
  Following = Outer;
  if (OneItem && Shows && Outer)
    B.SetCurrentDebugLocation(Outer);
  return endOfRest(Rest, Ends);
}

/// The loop whose body this is, if it is over once no lane is left in it.
HostEmitter::Frame *HostEmitter::loopOf(const std::vector<InstId> &List) {
  if (Frames.empty() || !Frames.back().Live || Frames.back().Waits)
    return nullptr;
  BlockId Body = F.Insts[Frames.back().Target].Blocks[0];
  return &F.Blocks[Body].Insts == &List ? &Frames.back() : nullptr;
}

void HostEmitter::leaveIfEmpty(Frame &Loop) {
  BasicBlock *Some = newBlock("rest.some");
  B.CreateCondBr(anyLane(Mask), Some, Loop.Leave);
  B.SetInsertPoint(Some);
  Loop.Some = Mask;
}

bool HostEmitter::statement(InstId I) {
  if (InStep && Plan.PerRow[I])
    return rowByRow(I);
  at(I);
  switch (F.Insts[I].Opcode) {
  case Op::If:
    return ifStatement(I);
  case Op::Loop:
    return loopStatement(I);
  case Op::Block:
    return blockStatement(I);
  case Op::Break:
  case Op::Continue:
  case Op::Return:
    return exitStatement(I);
  default:
    inStep(I);
    return true;
  }
}

/// A second copy of the list from index `From` on pays, for all lanes. Code
/// that seldom runs gets one only for loops that lanes may leave together: what
/// it accesses elsewhere asks whether all lanes take part.
bool HostEmitter::worthCopy(const std::vector<InstId> &List,
                            size_t From) const {
  unsigned Size = 0; // nested ones counted
  bool Strips = false;
  auto Count = [&](InstId I) {
    ++Size;
    Strips |= Plan.Strips[I].Step && touchesMemory(I);
  };
  for (size_t N = From; N < List.size() && Size <= MaxVersionSize; ++N) {
    Count(List[N]);
    forEachWithin(F, List[N], Count);
  }
  return Size <= MaxVersionSize && (Strips || !RegionNow->Cold);
}

/// What follows is jumped over when no lane is left.
void HostEmitter::skipIfEmpty(Remainder &Rest) {
  if (!Rest.End) {
    Rest.End = newBlock("rest.end");
    Rest.After = startJoin();
  }
  BasicBlock *Some = newBlock("rest.some");
  B.CreateCondBr(anyLane(Mask), Some, Rest.End);
  B.SetInsertPoint(Some);
}

bool HostEmitter::endOfRest(Remainder &Rest, bool Ends) {
  if (!Rest.End)
    return Ends;
  if (Ends) {
    arrive(Rest.After, Mask);
    B.CreateBr(Rest.End);
  }
  B.SetInsertPoint(Rest.End);
  Mask = B.CreateLoad(MaskTy, Rest.After.Lanes);
  return true;
}

/// The rest of a block when all lanes were live before: a copy for all lanes,
/// a masked copy, or nothing.
bool HostEmitter::versionedRest(const std::vector<InstId> &List, size_t From) {
  Value *Lanes = Mask;
  MaskJoin After = startJoin();
  bool Redone = mayNarrow();
  BasicBlock *Join = newBlock("rest.end");
  BasicBlock *Some = Redone ? Narrow : newBlock("rest.some");
  BasicBlock *All = newBlock("rest.all"), *Test = newBlock("rest.test");
  auto Copy = [&](Value *Under) {
    Mask = Under;
    if (!statements(List, From))
      return;
    arrive(After, Mask);
    B.CreateBr(Join);
  };
  B.CreateCondBr(allLanes(Lanes), All, Test);
  B.SetInsertPoint(All);
  ++Versions;
  Copy(nullptr);
  --Versions;
  B.SetInsertPoint(Test);
  B.CreateCondBr(anyLane(Lanes), Some, Join);
  if (!Redone) {
    B.SetInsertPoint(Some);
    bool WasPartial = Partial;
    Partial = true;
    Copy(Lanes);
    Partial = WasPartial;
  }
  B.SetInsertPoint(Join);
  Mask = B.CreateLoad(MaskTy, After.Lanes);
  return true;
}

// --- If

bool HostEmitter::ifStatement(InstId I) {
  ValueId Cond = F.operand(I, 0);
  if (RegionNow && RegionNow->takes(I))
    return statements(F.Blocks[F.Insts[I].Blocks[0]].Insts);
  if (Passing && Passing->Guard == I)
    return !Passing->Outcome ||
           statements(F.Blocks[F.Insts[I].Blocks[0]].Insts);
  Value *Part = Chosen ? uniformPart(Cond) : nullptr;
  if (ConstantInt *Known = dyn_cast_or_null<ConstantInt>(Part)) {
    BlockId Taken = F.Insts[I].Blocks[Known->isZero() ? 1 : 0];
    return !Taken || statements(F.Blocks[Taken].Insts);
  }
  if (Part || Shapes->Value[Cond].isScalar())
    return uniformIf(I, Part ? Part : scalar(Cond));
  return divergentIf(I);
}

/// One branch under a mask, up to `Join`.
void HostEmitter::branch(BlockId Id, Value *Lanes, MaskJoin &After,
                         BasicBlock *Join) {
  Mask = Lanes;
  if (Id && !statements(F.Blocks[Id].Insts))
    return;
  arrive(After, Mask);
  B.CreateBr(Join);
}

bool HostEmitter::uniformIf(InstId I, Value *Cond) {
  const Inst &N = F.Insts[I];
  Value *Lanes = Mask;
  MaskJoin After = startJoin();
  BasicBlock *Then = newBlock("then"), *Else = newBlock("else");
  BasicBlock *Join = newBlock("join");
  B.CreateCondBr(Cond, Then, Else);
  B.SetInsertPoint(Then);
  branch(N.Blocks[0], Lanes, After, Join);
  B.SetInsertPoint(Else);
  branch(N.Blocks[1], Lanes, After, Join);
  B.SetInsertPoint(Join);
  Mask = passesOut(I) && !(After.Same && After.First == Lanes) ? joined(After)
                                                               : Lanes;
  if (!After.Any)
    Join->eraseFromParent();
  return After.Any;
}

bool HostEmitter::isCheap(BlockId Id, unsigned &Budget) const {
  if (!Id)
    return true;
  for (InstId I : F.Blocks[Id].Insts) {
    const Inst &N = F.Insts[I];
    bool Access = N.Opcode == Op::Load || N.Opcode == Op::Store;
    bool Divides = N.Opcode == Op::RawDiv || N.Opcode == Op::RawRem;
    if (!(Access && F.wholeSlotOf(I)) && (!isPure(N.Opcode) || Divides))
      return false;
    if (Budget-- == 0)
      return false;
  }
  return true;
}

bool HostEmitter::mayVersion() const {
  return !MaskedOnly && Versions < MaxVersions && Emitted < MaxEmitted;
}

/// Copies pay where masks cost: memory accesses and loops.
bool HostEmitter::worthVersions(InstId I) const {
  bool Pays = false;
  forEachWithin(F, I, [&](InstId Inner) {
    const Inst &N = F.Insts[Inner];
    Pays |= N.Opcode == Op::Loop || (N.Where && !F.slotOf(Inner));
  });
  return Pays && worthCopy({I}, 0);
}

bool HostEmitter::divergentIf(InstId I) {
  const Inst &N = F.Insts[I];
  Value *Cond = vector(F.operand(I, 0));
  unsigned Budget = MaxPredicated;
  if (isCheap(N.Blocks[0], Budget) && isCheap(N.Blocks[1], Budget)) {
    predicatedIf(I, Cond);
    return true;
  }
  if (!Mask && (mayVersion() || mayNarrow()) &&
      (passesOut(I) || worthVersions(I)))
    return versionedIf(I, Cond);
  return maskedIf(I, Cond);
}

void HostEmitter::predicatedIf(InstId I, Value *Cond) {
  const Inst &N = F.Insts[I];
  Value *Lanes = Mask;
  Mask = andMask(Lanes, Cond);
  statements(F.Blocks[N.Blocks[0]].Insts);
  if (N.Blocks[1]) {
    Mask = andNotMask(Lanes, Cond);
    statements(F.Blocks[N.Blocks[1]].Insts);
  }
  Mask = Lanes;
}

/// All lanes are live: all take it, none does, or both branches under masks.
bool HostEmitter::versionedIf(InstId I, Value *Cond) {
  const Inst &N = F.Insts[I];
  MaskJoin After = startJoin();
  bool Redone = mayNarrow();
  BasicBlock *All = newBlock("all"), *Test = newBlock("test");
  BasicBlock *None = newBlock("none");
  BasicBlock *Some = Redone ? Narrow : newBlock("some");
  BasicBlock *Join = newBlock("join");
  B.CreateCondBr(allLanes(Cond), All, Test);
  ++Versions;
  B.SetInsertPoint(All);
  branch(N.Blocks[0], nullptr, After, Join);
  bool CleanAfter = std::exchange(Clean, Redone);
  B.SetInsertPoint(Test);
  B.CreateCondBr(anyLane(Cond), Some, None);
  B.SetInsertPoint(None);
  branch(N.Blocks[1], nullptr, After, Join);
  Clean &= CleanAfter;
  --Versions;
  if (Redone) {
    B.SetInsertPoint(Join);
    Mask = passesOut(I) ? joined(After) : nullptr;
    return true;
  }
  B.SetInsertPoint(Some);
  Mask = Cond;
  Partial = true;
  if (statements(F.Blocks[N.Blocks[0]].Insts))
    arrive(After, Mask);
  else // cannot be: exits under a mask go on
    B.SetInsertPoint(newBlock("unreached"));
  branch(N.Blocks[1], andNotMask(nullptr, Cond), After, Join);
  Partial = false;
  B.SetInsertPoint(Join);
  Mask = passesOut(I) ? joined(After) : nullptr;
  return true;
}

bool HostEmitter::maskedIf(InstId I, Value *Cond) {
  const Inst &N = F.Insts[I];
  Value *Lanes = Mask;
  MaskJoin After = startJoin();
  for (unsigned Side = 0; Side < 2; ++Side) {
    Value *Takes = Side == 0 ? andMask(Lanes, Cond) : andNotMask(Lanes, Cond);
    if (!N.Blocks[Side]) {
      arrive(After, Takes);
      continue;
    }
    BasicBlock *Run = newBlock("some"), *Join = newBlock("join");
    B.CreateCondBr(anyLane(Takes), Run, Join);
    B.SetInsertPoint(Run);
    branch(N.Blocks[Side], Takes, After, Join);
    B.SetInsertPoint(Join);
  }
  Mask = passesOut(I) ? B.CreateLoad(MaskTy, After.Lanes) : Lanes;
  return true;
}

// --- Loops, blocks, exits

bool HostEmitter::loopStatement(InstId I) {
  if (Plan.Unrolled[I] && (Chosen || (Plan.AlwaysUnrolled[I] && !MaskedOnly)))
    return unrolledLoop(I);
  bool Copies = mayNarrow() || mayVersion();
  if (!Mask && W > 1 && !staysTogether(I) && Plan.Strips[I].Step && Copies &&
      touchesMemory(I))
    return loopTogether(I);
  return loopCopy(I, false);
}

bool HostEmitter::loopCopy(InstId I, bool Together) {
  forEachWithin(F, I, [&](InstId Inner) { noteEffect(Inner); });
  Value *Entry = Mask;
  MaskJoin Rejoin;
  Frame Loop;
  Loop.Target = I;
  Loop.Leave = newBlock("leave");
  Loop.Repeat = newBlock("repeat");
  BasicBlock *Header = newBlock("loop");
  if (passesOut(I) && !staysTogether(I)) {
    Rejoin = startJoin();
    Loop.Rejoin = &Rejoin;
  }
  Loop.Together = Together;
  if (leavesApart(I) && !staysTogether(I) && !Together) {
    Loop.Live = entryAlloca(MaskTy, "live");
    Loop.Waits = Waits[I];
    if (Loop.Waits)
      Loop.Waiting = entryAlloca(MaskTy, "waiting");
    B.CreateStore(Entry ? Entry : fullMask(), Loop.Live);
  }
  B.CreateBr(Header);
  B.SetInsertPoint(Header);
  loopBody(I, Loop);
  B.SetInsertPoint(Loop.Repeat);
  Mask = Entry;
  loopEnd(I, Loop, Header, Entry);
  B.SetInsertPoint(Loop.Leave);
  Mask = Loop.Rejoin ? B.CreateLoad(MaskTy, Rejoin.Lanes) : Entry;
  if (!Loop.Leave->hasNPredecessorsOrMore(1)) {
    B.CreateUnreachable();
    return false;
  }
  return true;
}

void HostEmitter::loopBody(InstId I, Frame &Loop) {
  if (Loop.Live)
    Mask = B.CreateLoad(MaskTy, Loop.Live);
  if (Loop.Waits)
    B.CreateStore(emptyMask(), Loop.Waiting);
  Frames.push_back(Loop);
  llvm::DILocation *Behind = Following;
  if (OneItem && Shows)
    Following = Lines->place(F.Insts[I].Loc);
  bool Ends = statements(F.Blocks[F.Insts[I].Blocks[0]].Insts);
  Following = Behind;
  Loop = Frames.back();
  Frames.pop_back();
  if (!Ends)
    return;
  if (Loop.Live) {
    Value *Lanes = Mask ? Mask : fullMask();
    if (Loop.Waits)
      Lanes = B.CreateOr(Lanes, B.CreateLoad(MaskTy, Loop.Waiting));
    B.CreateStore(Lanes, Loop.Live);
    Loop.SomeLeft = Loop.Some && Loop.Some == Lanes && Loop.Repeat->use_empty();
  }
  B.CreateBr(Loop.Repeat);
}

/// The continuing block and the branch back.
void HostEmitter::loopEnd(InstId I, Frame &Loop, BasicBlock *Header,
                          Value *Entry) {
  const Inst &N = F.Insts[I];
  if (Loop.Live) {
    Mask = B.CreateLoad(MaskTy, Loop.Live);
    if (!Loop.SomeLeft) {
      BasicBlock *Some = newBlock("repeat.some");
      B.CreateCondBr(anyLane(Mask), Some, Loop.Leave);
      B.SetInsertPoint(Some);
    }
  }
  if (N.Blocks[1])
    for (InstId Inner : F.Blocks[N.Blocks[1]].Insts) {
      if (F.Insts[Inner].Opcode == Op::BreakIf) {
        breakIf(Inner, Loop, Header);
        return;
      }
      std::vector<InstId> One{Inner};
      statements(One);
    }
  B.CreateBr(Header);
}

void HostEmitter::breakIf(InstId I, Frame &Loop, BasicBlock *Header) {
  at(I);
  ValueId Cond = F.operand(I, 0);
  if (Loop.Together || Shapes->Value[Cond].isScalar()) {
    Value *Leaves = Loop.Together ? firstLane(Cond) : scalar(Cond);
    if (Loop.Rejoin) {
      BasicBlock *Out = newBlock("out");
      B.CreateCondBr(Leaves, Out, Header);
      B.SetInsertPoint(Out);
      arrive(*Loop.Rejoin, Mask);
      B.CreateBr(Loop.Leave);
      return;
    }
    B.CreateCondBr(Leaves, Loop.Leave, Header);
    return;
  }
  Value *Leaves = vector(Cond);
  if (Loop.Rejoin)
    arrive(*Loop.Rejoin, andMask(Mask, Leaves));
  Value *Stays = andNotMask(Mask, Leaves);
  B.CreateStore(Stays, Loop.Live);
  B.CreateCondBr(anyLane(Stays), Header, Loop.Leave);
}

bool HostEmitter::blockStatement(InstId I) {
  Value *Entry = Mask;
  MaskJoin Rejoin;
  Frame Frame;
  Frame.Target = I;
  Frame.Leave = newBlock("leave");
  if (passesOut(I) && !staysTogether(I)) {
    Rejoin = startJoin();
    Frame.Rejoin = &Rejoin;
  }
  Frames.push_back(Frame);
  bool Ends = statements(F.Blocks[F.Insts[I].Blocks[0]].Insts);
  Frames.pop_back();
  if (Ends) {
    if (Frame.Rejoin)
      arrive(Rejoin, Mask);
    B.CreateBr(Frame.Leave);
  }
  B.SetInsertPoint(Frame.Leave);
  Mask = Frame.Rejoin ? B.CreateLoad(MaskTy, Rejoin.Lanes) : Entry;
  if (!Frame.Leave->hasNPredecessorsOrMore(1)) {
    B.CreateUnreachable();
    return false;
  }
  return true;
}

HostEmitter::Frame &HostEmitter::frameOf(InstId Target) {
  for (size_t N = Frames.size(); N-- > 0;)
    if (Frames[N].Target == Target)
      return Frames[N];
  llvm_unreachable("an exit's target is around it");
}

bool HostEmitter::exitStatement(InstId I) {
  const Inst &N = F.Insts[I];
  Frame &To = frameOf(N.Opcode == Op::Return ? InstId() : N.Target);
  bool Repeats = N.Opcode == Op::Continue;
  bool Jumps =
      !Mask || !Shapes->Divergent[I] || (To.Target && staysTogether(To.Target));
  if (To.Left) {
    Value *Word = Mask ? B.CreateSExt(asI1(Mask), I32Vec)
                       : llvm::Constant::getAllOnesValue(I32Vec);
    B.CreateStore(B.CreateOr(B.CreateLoad(I32Vec, To.Left), Word), To.Left);
  }
  if (Repeats && To.Live) {
    Value *Lanes = Mask ? Mask : fullMask();
    if (To.Waits)
      Lanes = B.CreateOr(B.CreateLoad(MaskTy, To.Waiting), Lanes);
    B.CreateStore(Lanes, Jumps ? To.Live : To.Waiting);
  }
  if (!Repeats && To.Rejoin)
    arrive(*To.Rejoin, Mask);
  if (To.Of && To.Target)
    giveAtExit(*To.Of, To.Target);
  if (Jumps) {
    B.CreateBr(Repeats ? To.Repeat : To.Leave);
    return false;
  }
  Mask = emptyMask();
  return true;
}
