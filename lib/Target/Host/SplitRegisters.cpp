//===- SplitRegisters.cpp - Very wide vectors by register -----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations without an effect wait until something else needs them or memory
// is written; then all of four registers come before those of the next four.
// What an operation needs of another register (the levels of a tree) comes
// first. Loads move behind nothing that writes but stores of other registers:
// those of a variable, and those of the same region, whose lanes are other
// work-items, which have no order there.
//
// A vector of as many registers as there are is no variable in registers. It
// stays in memory and each register of it is loaded, changed and stored in
// turn; else all of them would be spilled and moved about.
//
//===----------------------------------------------------------------------===//
#include "SplitRegisters.h"

#include "VectorParts.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace goldy;
using namespace llvm;

namespace {

/// Registers of each value that are made in turn.
constexpr unsigned Step = 4;

class RegisterSplitter : VectorParts {
public:
  RegisterSplitter(Function &Fn, unsigned Lanes, unsigned Few, unsigned All)
      : VectorParts(Fn, Lanes), Few(Few), AllRegisters(All),
        RegionKind(Fn.getContext().getMDKindID(LaneRegionMark)) {}

  void run() {
    keepCrossing();
    SmallVector<Instruction *, 128> All;
    bool Any = false;
    for (BasicBlock *Block : ReversePostOrderTraversal<Function *>(&Fn))
      for (Instruction &I : *Block) {
        release(I);
        All.push_back(&I);
        Any |= isWide(I.getType());
      }
    if (!Any)
      return;
    for (Instruction *I : All)
      visit(*I);
    for (PHINode *Whole : Phis)
      fill(*Whole);
    erase();
  }

private:
  bool isWide(const Type *T) const {
    const auto *V = dyn_cast<FixedVectorType>(T);
    return V && V->getNumElements() > Few * Lanes;
  }

  /// As many registers as there are, or more, of whole bytes.
  bool isRow(const Instruction &I) const {
    return isWide(I.getType()) && registers(&I) >= AllRegisters &&
           isWhole(I.getType());
  }
  /// Values of rows that cross from block to block lie in memory too.
  void keepCrossing() {
    SmallVector<PHINode *, 4> Meeting;
    for (Instruction &I : instructions(Fn))
      if (auto *Phi = dyn_cast<PHINode>(&I); Phi && isRow(I))
        Meeting.push_back(Phi);
    for (PHINode *Phi : Meeting)
      DemotePHIToStack(Phi);
    SmallVector<Instruction *, 4> Crossing;
    for (Instruction &I : instructions(Fn))
      if (isRow(I) && !isSplat(&I) && I.isUsedOutsideOfBlock(I.getParent()))
        Crossing.push_back(&I);
    for (Instruction *I : Crossing)
      DemoteRegToStack(*I);
  }

  void visit(Instruction &I) {
    if (auto *Phi = dyn_cast<PHINode>(&I))
      return phi(*Phi);
    if (beginsRegion(I))
      makeWaiting(I);
    if (waits(I)) {
      if (auto *Load = dyn_cast<LoadInst>(&I); Load && isStored(*Load))
        makeWaiting(I);
      Waiting.push_back(&I);
      Known[&I] = Parts(registers(&I));
      return;
    }
    auto *Store = dyn_cast<StoreInst>(&I);
    if (Store && storeWaits(*Store)) {
      Waiting.push_back(&I);
      return;
    }
    bool Uses = any_of(I.operands(),
                       [&](const Use &U) { return Known.contains(U.get()); });
    if (Uses || isWide(I.getType()) || I.mayWriteToMemory() ||
        I.isTerminator() || (I.mayReadFromMemory() && anyStoreWaits()))
      makeWaiting(I);
    if (Store && Store->isSimple() &&
        isWide(Store->getValueOperand()->getType()))
      return store(*Store);
    if (auto *S = dyn_cast<ShuffleVectorInst>(&I); S && Uses && hasParts(*S))
      return take(*S);
    if (Uses)
      join(I);
    if (isWide(I.getType())) {
      B.SetInsertPoint(I.getNextNode());
      Known[&I] = apart(&I);
    }
  }

  void phi(PHINode &Phi) {
    if (!isWide(Phi.getType()))
      return;
    B.SetInsertPoint(&Phi);
    Parts Of;
    for (unsigned N = 0; N < registers(&Phi); ++N)
      Of.push_back(
          B.CreatePHI(partType(Phi.getType()), Phi.getNumIncomingValues()));
    Known[&Phi] = Of;
    Phis.push_back(&Phi);
    Dead.push_back(&Phi);
  }

  /// Has no effect, and parts.
  bool waits(Instruction &I) const {
    if (!isWide(I.getType()))
      return false;
    if (auto *Load = dyn_cast<LoadInst>(&I))
      return Load->isSimple() && isWhole(I.getType());
    if (auto *S = dyn_cast<ShuffleVectorInst>(&I))
      return hasParts(*S);
    return isa<BinaryOperator, ICmpInst, SelectInst, ConstrainedFPIntrinsic>(
               I) ||
           (isa<CastInst>(I) && !isa<BitCastInst>(I));
  }
  // --- Stores that wait
  static const AllocaInst *variable(const Value *Address) {
    return dyn_cast<AllocaInst>(Address);
  }
  /// Volatile only so that it stayed.
  static void release(Instruction &I) {
    auto Kept = [](const Value *Address) {
      const AllocaInst *Of = variable(Address);
      return Of && Of->hasMetadata(KeptMark);
    };
    if (auto *Load = dyn_cast<LoadInst>(&I);
        Load && Kept(Load->getPointerOperand()))
      Load->setVolatile(false);
    if (auto *Store = dyn_cast<StoreInst>(&I);
        Store && Kept(Store->getPointerOperand()))
      Store->setVolatile(false);
  }
  /// A store that waits may write what the load reads.
  bool isStored(const LoadInst &Load) const {
    auto Variable = [](const Value *Address) {
      return dyn_cast<AllocaInst>(getUnderlyingObject(Address));
    };
    const AllocaInst *Of = Variable(Load.getPointerOperand());
    return any_of(Waiting, [&](const Instruction *I) {
      auto *Store = dyn_cast<StoreInst>(I);
      return Store && Variable(Store->getPointerOperand()) == Of;
    });
  }
  /// Stores of another region wait, and order between the two counts.
  bool beginsRegion(const Instruction &I) const {
    const MDNode *Region = I.getMetadata(RegionKind);
    const Value *Address = getLoadStorePointerOperand(&I);
    if (!Address || (variable(Address) && !Region))
      return false;
    return any_of(Waiting, [&](const Instruction *W) {
      auto *Store = dyn_cast<StoreInst>(W);
      return Store && !variable(Store->getPointerOperand()) &&
             Store->getMetadata(RegionKind) != Region;
    });
  }
  bool anyStoreWaits() const {
    return any_of(Waiting,
                  [](const Instruction *I) { return isa<StoreInst>(I); });
  }
  bool storeWaits(const StoreInst &Store) const {
    Type *T = Store.getValueOperand()->getType();
    if (!Store.isSimple() || !isWide(T) || !isWhole(T) ||
        registers(Store.getValueOperand()) < AllRegisters)
      return false;
    if (variable(Store.getPointerOperand()))
      return true;
    const MDNode *Region = Store.getMetadata(RegionKind);
    return Region && all_of(Waiting, [&](const Instruction *I) {
             auto *Load = dyn_cast<LoadInst>(I);
             return !Load || variable(Load->getPointerOperand()) ||
                    Load->getMetadata(RegionKind) == Region;
           });
  }

  /// Parts are whole bytes.
  bool isWhole(Type *T) const {
    return T->getScalarSizeInBits() * Lanes % 8 == 0 &&
           T->getScalarSizeInBits() > 1;
  }
  bool hasParts(const ShuffleVectorInst &S) const {
    ArrayRef<int> Mask = S.getShuffleMask();
    if (Mask.size() % Lanes != 0)
      return false;
    if (S.isZeroEltSplat())
      return true;
    for (size_t N = 0; N < Mask.size(); ++N)
      if (Mask[N] < 0 || Mask[N] % Lanes != N % Lanes ||
          Mask[N] - Mask[N - N % Lanes] != static_cast<int>(N % Lanes))
        return false;
    return registers(S.getOperand(0)) > 0;
  }

  /// A few registers of many.
  void take(ShuffleVectorInst &S) {
    B.SetInsertPoint(&S);
    Parts Of;
    for (unsigned N = 0; N < registers(&S); ++N)
      Of.push_back(partOfShuffle(S, N));
    S.replaceAllUsesWith(joined(Of));
    Dead.push_back(&S);
  }

  // --- In turn

  unsigned parts(const Instruction &I) const {
    auto *Store = dyn_cast<StoreInst>(&I);
    return registers(Store ? Store->getValueOperand() : &I);
  }

  void make(Instruction &I, unsigned N) {
    auto *Store = dyn_cast<StoreInst>(&I);
    if (!Store)
      of(&I, N);
    else if (Store != Only)
      partOfStore(*Store, N);
  }

  void makeWaiting(Instruction &Before) {
    At = &Before;
    unsigned Most = 0;
    for (const Instruction *I : Waiting)
      Most = std::max(Most, parts(*I));
    if (Most >= AllRegisters && anyStoreWaits() && isLoop(Most))
      makeLoop(Most);
    else
      makeStraight(Most);
    append_range(Dead, Waiting);
    Waiting.clear();
  }
  void makeSome(unsigned First) {
    for (Instruction *I : Waiting)
      for (unsigned N = First; N < First + Step && N < parts(*I); ++N)
        make(*I, N);
  }
  /// What the only store waits to write is written as soon as it is there.
  void makeStraight(unsigned Most) {
    auto Store = find_if(Waiting, IsaPred<StoreInst>);
    if (count_if(Waiting, IsaPred<StoreInst>) == 1 &&
        is_contained(Waiting, (*Store)->getOperand(0)) &&
        !isSplat((*Store)->getOperand(0)))
      Only = cast<StoreInst>(*Store);
    for (unsigned First = 0; First < Most; First += Step)
      makeSome(First);
    Only = nullptr;
  }

  // --- Loops over registers

  /// All that waits is the same for each few registers, but for the place in
  /// memory, and nothing else uses it.
  bool isLoop(unsigned Most) const {
    auto Waits = [&](const Value *V) { return is_contained(Waiting, V); };
    auto Same = [&](const Value *V) {
      if (!isWide(V->getType()) || Waits(V))
        return true;
      if (auto *C = dyn_cast<Constant>(V))
        return C->getSplatValue() != nullptr;
      return isSplat(V) && Known.contains(V);
    };
    return all_of(Waiting, [&](const Instruction *I) {
      auto *Store = dyn_cast<StoreInst>(I);
      return parts(*I) == Most &&
             (Store || isSplat(I) || all_of(I->users(), Waits)) &&
             (!isa<ShuffleVectorInst>(I) || isSplat(I)) &&
             (isa<ShuffleVectorInst>(I) || all_of(I->operands(), Same));
    });
  }

  static bool isSplat(const Value *V) {
    auto *S = dyn_cast<ShuffleVectorInst>(V);
    return S && S->isZeroEltSplat();
  }

  void makeLoop(unsigned Most) {
    for (Instruction *I : Waiting)
      if (isSplat(I))
        for (unsigned N = 0; N < Most; ++N)
          of(I, N);
    BasicBlock *Before = At->getParent();
    BasicBlock *After = Before->splitBasicBlock(At, "registers.end");
    auto *Body = BasicBlock::Create(Fn.getContext(), "registers", &Fn, After);
    Before->getTerminator()->setSuccessor(0, Body);
    B.SetInsertPoint(Body);
    PHINode *Index = B.CreatePHI(B.getInt64Ty(), 2, "register");
    Value *Next = B.CreateAdd(Index, B.getInt64(Step), "", true, true);
    At = B.CreateCondBr(B.CreateICmpULT(Next, B.getInt64(Most)), Body, After);
    Index->addIncoming(B.getInt64(0), Before);
    Index->addIncoming(Next, Body);
    FirstOfMany = Index;
    makeSome(0);
    FirstOfMany = nullptr;
  }

  Value *of(Value *V, unsigned N) override {
    auto Found = Known.find(V);
    if (Found == Known.end() || Found->second[N])
      return VectorParts::of(V, N);
    auto &I = cast<Instruction>(*V);
    if (N > 0 && isSplat(&I) && Found->second[0])
      return Known[V][N] = Found->second[0];
    place(I);
    Value *Part = isa<LoadInst>(I) ? partOfLoad(cast<LoadInst>(I), N)
                                   : partOfOperation(I, N);
    Known[V][N] = Part;
    if (Only && Only->getValueOperand() == V)
      partOfStore(*Only, N);
    return Part;
  }

  void place(const Instruction &For) {
    B.SetInsertPoint(At);
    B.SetCurrentDebugLocation(For.getDebugLoc());
  }

  Value *addressOf(Value *Whole, Type *T, unsigned N) {
    if (FirstOfMany)
      Whole = B.CreateInBoundsGEP(partType(T), Whole, FirstOfMany);
    return N == 0 ? Whole : B.CreateConstInBoundsGEP1_64(partType(T), Whole, N);
  }

  Value *partOfLoad(LoadInst &Load, unsigned N) {
    Type *T = Load.getType();
    Value *From = addressOf(Load.getPointerOperand(), T, N);
    LoadInst *Part =
        B.CreateAlignedLoad(partType(T), From, alignOf(Load.getAlign(), T, N));
    Part->copyMetadata(Load);
    return Part;
  }

  Align alignOf(Align Whole, Type *T, unsigned N) const {
    if (FirstOfMany)
      Whole = commonAlignment(Whole, bytesBefore(T, Step));
    return commonAlignment(Whole, bytesBefore(T, N));
  }
  uint64_t bytesBefore(Type *T, unsigned N) const {
    return uint64_t(N) * Lanes * T->getScalarSizeInBits() / 8;
  }

  void partOfStore(StoreInst &Store, unsigned N) {
    Value *V = Store.getValueOperand();
    Value *Part = of(V, N);
    place(Store);
    Value *To = addressOf(Store.getPointerOperand(), V->getType(), N);
    StoreInst *Made = B.CreateAlignedStore(
        Part, To, alignOf(Store.getAlign(), V->getType(), N));
    Made->copyMetadata(Store);
  }

  void store(StoreInst &Store) {
    At = &Store;
    for (unsigned N = 0; N < registers(Store.getValueOperand()); ++N)
      partOfStore(Store, N);
    Dead.push_back(&Store);
  }

  unsigned Few;                 ///< registers that LLVM does well
  unsigned AllRegisters;        ///< of the machine
  unsigned RegionKind;          ///< of metadata
  Value *FirstOfMany = nullptr; ///< in a loop, the first register of a trip
  StoreInst *Only = nullptr;    ///< that waits, in straight code
  Instruction *At = nullptr;    ///< where waiting ones are made
  SmallVector<Instruction *, 16> Waiting;
  SmallVector<PHINode *, 8> Phis;
};

} // namespace

bool goldy::keepInMemory(Function &Fn, unsigned Lanes, unsigned Registers) {
  bool Any = false;
  for (Instruction &I : Fn.getEntryBlock()) {
    auto *Variable = dyn_cast<AllocaInst>(&I);
    auto *T = Variable ? dyn_cast<FixedVectorType>(Variable->getAllocatedType())
                       : nullptr;
    if (!T || T->getNumElements() < Lanes * Registers ||
        T->getScalarSizeInBits() % 8 != 0 ||
        !Variable->hasMetadata(VariableMark))
      continue;
    Variable->setMetadata(KeptMark, MDNode::get(Fn.getContext(), {}));
    Any = true;
    for (User *U : Variable->users())
      if (auto *Load = dyn_cast<LoadInst>(U))
        Load->setVolatile(true);
      else if (auto *Store = dyn_cast<StoreInst>(U))
        Store->setVolatile(true);
  }
  return Any;
}

void goldy::splitRegisters(Function &Fn, unsigned Lanes, unsigned Few,
                           unsigned All) {
  RegisterSplitter(Fn, Lanes, Few, All).run();
}
