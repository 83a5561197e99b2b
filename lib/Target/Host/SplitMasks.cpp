//===- SplitMasks.cpp - One mask per register -----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks are visited so that operands come before their uses, phis of loops
// excepted, whose operands are put in at the end. A value that is no mask of
// several registers (a number, an integer of bits) gets its parts by shuffles,
// which the backend drops; an instruction that needs a mask whole gets its
// parts joined.
//
//===----------------------------------------------------------------------===//
#include "SplitMasks.h"

#include "VectorParts.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace goldy;
using namespace llvm;

namespace {

class MaskSplitter : VectorParts {
public:
  MaskSplitter(Function &Fn, unsigned Lanes) : VectorParts(Fn, Lanes) {}

  void run() {
    if (!crossesBlocks())
      return;
    ReversePostOrderTraversal<Function *> Order(&Fn);
    SmallVector<Instruction *, 64> All;
    for (BasicBlock *Block : Order)
      for (Instruction &I : *Block)
        All.push_back(&I);
    for (Instruction *I : All)
      visit(*I);
    for (PHINode *Whole : Phis)
      fill(*Whole);
    erase();
  }

private:
  bool isWide(const Type *T) const {
    const auto *V = dyn_cast<FixedVectorType>(T);
    return V && V->getElementType()->isIntegerTy(1) &&
           V->getNumElements() > Lanes;
  }

  bool crossesBlocks() const {
    for (const BasicBlock &Block : Fn)
      for (const Instruction &I : Block)
        if (isWide(I.getType()) &&
            (isa<PHINode>(I) || I.isUsedOutsideOfBlock(&Block)))
          return true;
    return false;
  }

  void visit(Instruction &I) {
    B.SetInsertPoint(&I);
    B.SetCurrentDebugLocation(I.getDebugLoc());
    if (isWide(I.getType())) {
      if (splits(I))
        Dead.push_back(&I);
      return;
    }
    if (auto *S = dyn_cast<SelectInst>(&I);
        S && isWide(S->getCondition()->getType()))
      return splitChoice(*S);
    if (auto *S = dyn_cast<ShuffleVectorInst>(&I);
        S && isWide(S->getOperand(0)->getType()))
      if (Value *Part = partOfShuffle(*S, 0)) {
        I.replaceAllUsesWith(Part);
        Dead.push_back(&I);
        return;
      }
    join(I);
  }

  // --- Masks

  /// Finds the parts of a mask; false if it stays and is taken apart.
  bool splits(Instruction &I) {
    Parts Of;
    for (unsigned N = 0; N < registers(&I); ++N)
      if (Value *Part = part(I, N))
        Of.push_back(Part);
      else
        break;
    bool Whole = Of.size() == registers(&I);
    if (!Whole) {
      join(I);
      B.SetInsertPoint(I.getNextNode());
      Of = apart(&I);
    }
    Known[&I] = Of;
    return Whole;
  }

  /// Part `N` of what the instruction makes, or null.
  Value *part(Instruction &I, unsigned N) {
    if (auto *Phi = dyn_cast<PHINode>(&I)) {
      PHINode *Part =
          B.CreatePHI(partType(I.getType()), Phi->getNumIncomingValues());
      if (N == 0)
        Phis.push_back(Phi);
      return Part;
    }
    return partOfOperation(I, N);
  }

  // --- Numbers that masks choose

  void splitChoice(SelectInst &S) {
    Parts Of;
    for (unsigned N = 0; N < registers(S.getCondition()); ++N)
      Of.push_back(B.CreateSelect(of(S.getCondition(), N),
                                  of(S.getTrueValue(), N),
                                  of(S.getFalseValue(), N)));
    S.replaceAllUsesWith(joined(Of));
    Dead.push_back(&S);
  }

  SmallVector<PHINode *, 8> Phis;
};

} // namespace

void goldy::splitMasks(Function &Fn, unsigned Lanes) {
  MaskSplitter(Fn, Lanes).run();
}
