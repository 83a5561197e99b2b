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
// first. Loads move behind nothing that writes.
//
//===----------------------------------------------------------------------===//
#include "SplitRegisters.h"

#include "VectorParts.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace goldy;
using namespace llvm;

namespace {

class RegisterSplitter : VectorParts {
public:
  RegisterSplitter(Function &Fn, unsigned Lanes, unsigned Few)
      : VectorParts(Fn, Lanes), Few(Few) {}

  void run() {
    SmallVector<Instruction *, 128> All;
    bool Any = false;
    for (BasicBlock *Block : ReversePostOrderTraversal<Function *>(&Fn))
      for (Instruction &I : *Block) {
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

  void visit(Instruction &I) {
    if (auto *Phi = dyn_cast<PHINode>(&I))
      return phi(*Phi);
    if (waits(I)) {
      Waiting.push_back(&I);
      Known[&I] = Parts(registers(&I));
      return;
    }
    bool Uses = any_of(I.operands(),
                       [&](const Use &U) { return Known.contains(U.get()); });
    if (Uses || isWide(I.getType()) || I.mayWriteToMemory() || I.isTerminator())
      makeWaiting(I);
    auto *Store = dyn_cast<StoreInst>(&I);
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

  void makeWaiting(Instruction &Before) {
    At = &Before;
    constexpr unsigned Step = 4;
    unsigned Most = 0;
    for (const Instruction *I : Waiting)
      Most = std::max(Most, registers(I));
    for (unsigned First = 0; First < Most; First += Step)
      for (Instruction *I : Waiting)
        for (unsigned N = First; N < First + Step && N < registers(I); ++N)
          of(I, N);
    append_range(Dead, Waiting);
    Waiting.clear();
  }

  Value *of(Value *V, unsigned N) override {
    auto Found = Known.find(V);
    if (Found == Known.end() || Found->second[N])
      return VectorParts::of(V, N);
    auto &I = cast<Instruction>(*V);
    place(I);
    Value *Part = isa<LoadInst>(I) ? partOfLoad(cast<LoadInst>(I), N)
                                   : partOfOperation(I, N);
    return Known[V][N] = Part;
  }

  void place(const Instruction &For) {
    B.SetInsertPoint(At);
    B.SetCurrentDebugLocation(For.getDebugLoc());
  }

  Value *addressOf(Value *Whole, Type *T, unsigned N) {
    return N == 0 ? Whole : B.CreateConstInBoundsGEP1_64(partType(T), Whole, N);
  }

  Value *partOfLoad(LoadInst &Load, unsigned N) {
    Type *T = Load.getType();
    Value *From = addressOf(Load.getPointerOperand(), T, N);
    LoadInst *Part = B.CreateAlignedLoad(
        partType(T), From, commonAlignment(Load.getAlign(), bytesBefore(T, N)));
    Part->copyMetadata(Load);
    return Part;
  }

  uint64_t bytesBefore(Type *T, unsigned N) const {
    return uint64_t(N) * Lanes * T->getScalarSizeInBits() / 8;
  }

  void store(StoreInst &Store) {
    Value *V = Store.getValueOperand();
    At = &Store;
    for (unsigned N = 0; N < registers(V); ++N) {
      Value *Part = of(V, N);
      place(Store);
      Value *To = addressOf(Store.getPointerOperand(), V->getType(), N);
      StoreInst *Made = B.CreateAlignedStore(
          Part, To,
          commonAlignment(Store.getAlign(), bytesBefore(V->getType(), N)));
      Made->copyMetadata(Store);
    }
    Dead.push_back(&Store);
  }

  unsigned Few;              ///< registers that LLVM does well
  Instruction *At = nullptr; ///< where waiting ones are made
  SmallVector<Instruction *, 16> Waiting;
  SmallVector<PHINode *, 8> Phis;
};

} // namespace

void goldy::splitRegisters(Function &Fn, unsigned Lanes, unsigned Few) {
  RegisterSplitter(Fn, Lanes, Few).run();
}
