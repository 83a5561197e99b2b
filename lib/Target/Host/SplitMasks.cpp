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

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

#include <numeric>

using namespace llvm;

namespace {

using Parts = SmallVector<Value *, 4>;

class MaskSplitter {
public:
  MaskSplitter(Function &Fn, unsigned Lanes)
      : Fn(Fn), Lanes(Lanes), B(Fn.getContext()) {}

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
  unsigned registers(const Value *V) const {
    return cast<FixedVectorType>(V->getType())->getNumElements() / Lanes;
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
    for (Use &U : I.operands())
      if (Known.contains(U.get()))
        U.set(joined(Known[U.get()]));
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
      for (Use &U : I.operands())
        if (Known.contains(U.get()))
          U.set(joined(Known[U.get()]));
      B.SetInsertPoint(I.getNextNode());
      Of = apart(&I);
    }
    Known[&I] = Of;
    return Whole;
  }

  /// Part `N` of what the instruction makes, or null.
  Value *part(Instruction &I, unsigned N) {
    if (auto *Phi = dyn_cast<PHINode>(&I)) {
      PHINode *Part = B.CreatePHI(maskType(), Phi->getNumIncomingValues());
      if (N == 0)
        Phis.push_back(Phi);
      return Part;
    }
    if (auto *O = dyn_cast<BinaryOperator>(&I))
      return B.CreateBinOp(O->getOpcode(), of(O->getOperand(0), N),
                           of(O->getOperand(1), N));
    if (auto *C = dyn_cast<ICmpInst>(&I))
      return B.CreateICmp(C->getPredicate(), of(C->getOperand(0), N),
                          of(C->getOperand(1), N));
    if (auto *C = dyn_cast<ConstrainedFPCmpIntrinsic>(&I))
      return comparison(*C, N);
    if (auto *S = dyn_cast<SelectInst>(&I)) {
      Value *Cond = S->getCondition();
      return B.CreateSelect(Cond->getType()->isVectorTy() ? of(Cond, N) : Cond,
                            of(S->getTrueValue(), N),
                            of(S->getFalseValue(), N));
    }
    if (auto *S = dyn_cast<ShuffleVectorInst>(&I))
      return partOfShuffle(*S, N);
    return nullptr;
  }

  Value *comparison(ConstrainedFPCmpIntrinsic &C, unsigned N) {
    Value *X = of(C.getArgOperand(0), N);
    CallInst *Part = B.CreateIntrinsic(
        C.getIntrinsicID(), X->getType(),
        {X, of(C.getArgOperand(1), N), C.getArgOperand(2), C.getArgOperand(3)});
    Part->setAttributes(C.getAttributes());
    return Part;
  }

  /// Lanes of one register of its operand, in their order; one lane for all.
  Value *partOfShuffle(ShuffleVectorInst &S, unsigned N) {
    ArrayRef<int> From = S.getShuffleMask();
    if (From.size() < Lanes)
      return nullptr;
    From = From.slice(N * Lanes, Lanes);
    Value *Source = S.getOperand(0);
    unsigned Size = cast<FixedVectorType>(Source->getType())->getNumElements();
    if (all_of(From, [](int Lane) { return Lane == 0; }))
      return B.CreateVectorSplat(Lanes,
                                 B.CreateExtractElement(Source, uint64_t(0)));
    unsigned First = static_cast<unsigned>(From[0]);
    for (unsigned Lane = 0; Lane < Lanes; ++Lane)
      if (From[Lane] != static_cast<int>(First + Lane))
        return nullptr;
    if (From[0] < 0 || First % Lanes != 0)
      return nullptr;
    if (First >= Size) {
      Source = S.getOperand(1);
      First -= Size;
    }
    return of(Source, First / Lanes);
  }

  void fill(PHINode &Whole) {
    const Parts &Of = Known[&Whole];
    for (unsigned E = 0; E < Whole.getNumIncomingValues(); ++E) {
      BasicBlock *From = Whole.getIncomingBlock(E);
      B.SetInsertPoint(From->getTerminator());
      for (unsigned N = 0; N < Of.size(); ++N)
        cast<PHINode>(Of[N])->addIncoming(of(Whole.getIncomingValue(E), N),
                                          From);
    }
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

  // --- Parts

  Type *maskType() { return FixedVectorType::get(B.getInt1Ty(), Lanes); }

  /// Part `N` of a vector of any kind.
  Value *of(Value *V, unsigned N) {
    if (auto Found = Known.find(V); Found != Known.end())
      return Found->second[N];
    auto *T = cast<FixedVectorType>(V->getType());
    if (T->getNumElements() == Lanes)
      return V;
    SmallVector<int, 32> Which(Lanes);
    std::iota(Which.begin(), Which.end(), static_cast<int>(N * Lanes));
    return B.CreateShuffleVector(V, Which); // folds constants
  }

  Parts apart(Value *V) {
    Parts Of;
    for (unsigned N = 0; N < registers(V); ++N)
      Of.push_back(of(V, N));
    return Of;
  }

  Value *joined(Parts Of) {
    for (; Of.size() > 1; Of.resize(Of.size() / 2))
      for (unsigned N = 0; N < Of.size() / 2; ++N) {
        Value *Low = Of[2 * N], *High = Of[2 * N + 1];
        SmallVector<int, 64> All(
            2 * cast<FixedVectorType>(Low->getType())->getNumElements());
        std::iota(All.begin(), All.end(), 0);
        Of[N] = B.CreateShuffleVector(Low, High, All);
      }
    return Of[0];
  }

  void erase() {
    for (Instruction *I : Dead)
      I->dropAllReferences();
    for (Instruction *I : Dead) {
      I->replaceAllUsesWith(PoisonValue::get(I->getType()));
      I->eraseFromParent();
    }
  }

  Function &Fn;
  unsigned Lanes;
  IRBuilder<> B;
  DenseMap<Value *, Parts> Known;
  SmallVector<PHINode *, 8> Phis;
  SmallVector<Instruction *, 32> Dead;
};

} // namespace

void goldy::splitMasks(Function &Fn, unsigned Lanes) {
  MaskSplitter(Fn, Lanes).run();
}
