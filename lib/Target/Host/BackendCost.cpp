//===- BackendCost.cpp - What the backend need not look at ----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "BackendCost.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

/// `I` is an index times the size of an element, for an address.
static bool isOffset(const Instruction &I) {
  const APInt *Size;
  return match(&I, m_Mul(m_Value(), m_APInt(Size))) && Size->ule(8) &&
         all_of(I.users(),
                [](const User *U) { return isa<GetElementPtrInst>(U); });
}

static bool multiplies(const Instruction &I) {
  bool Product =
      I.getOpcode() == Instruction::Mul || I.getOpcode() == Instruction::Shl;
  return Product && I.getType()->isIntegerTy() && !isOffset(I);
}

static constexpr const char *SeldomMark = "goldy.seldom";

void goldy::markSeldom(BranchInst *Latch) {
  if (!Latch)
    return;
  LLVMContext &C = Latch->getContext();
  MDNode *Mark = MDNode::get(C, MDString::get(C, SeldomMark));
  MDNode *Id = MDNode::getDistinct(C, {nullptr, Mark});
  Id->replaceOperandWith(0, Id);
  Latch->setMetadata(LLVMContext::MD_loop, Id);
}

static bool isSeldom(const Loop &L) {
  return findOptionMDForLoopID(L.getLoopID(), SeldomMark);
}

bool goldy::hasSteps(const Loop &L) {
  return L.isInnermost() && !isSeldom(L) &&
         any_of(L.blocks(), [](const BasicBlock *Block) {
           return any_of(*Block, multiplies);
         });
}

static void hide(Instruction &I) {
  IRBuilder<> B(I.getNextNode());
  auto *Type = cast<VectorType>(I.getType());
  auto *Floats = VectorType::get(B.getFloatTy(), Type->getElementCount());
  SmallVector<Use *, 4> Uses(make_pointer_range(I.uses()));
  Value *Cast = B.CreateBitCast(&I, Floats);
  Value *Fence = B.CreateIntrinsic(Intrinsic::arithmetic_fence, {Floats}, Cast);
  Value *Back = B.CreateBitCast(Fence, Type);
  for (Use *U : Uses)
    U->set(Back);
}

/// `V` is the exclusive or of `X` and `X` shifted to the right by `By`.
static bool isShiftedOnto(Value *V, Value *&X, const APInt *&By) {
  return match(V, m_c_Xor(m_LShr(m_Value(X), m_APInt(By)), m_Deferred(X)));
}

/// Where one round of a hash meets the next: a word met by half of itself twice
/// is the word, and the products on both sides are one.
static Value *joined(Instruction &I) {
  Value *X = nullptr, *Twice = nullptr;
  const APInt *By = nullptr, *Again = nullptr, *A = nullptr, *C = nullptr;
  if (isShiftedOnto(&I, Twice, By) && isShiftedOnto(Twice, X, Again) &&
      *By == *Again && (2 * *By).uge(By->getBitWidth()))
    return X;
  if (match(&I, m_Mul(m_OneUse(m_Mul(m_Value(X), m_APInt(A))), m_APInt(C))))
    return BinaryOperator::CreateMul(X, ConstantInt::get(I.getType(), *A * *C),
                                     "", I.getIterator());
  return nullptr;
}

static void joinRounds(Function &Fn) {
  SmallVector<WeakTrackingVH, 8> Dead;
  for (BasicBlock &Block : Fn)
    for (Instruction &I : make_early_inc_range(Block))
      if (Value *New = joined(I)) {
        I.replaceAllUsesWith(New);
        Dead.push_back(&I);
        // The product of a product loses its other user with this one.
        RecursivelyDeleteTriviallyDeadInstructionsPermissive(Dead);
      }
}

void goldy::hideProducts(Function &Fn) {
  joinRounds(Fn);
  SmallVector<Instruction *, 16> Products;
  for (Instruction &I : instructions(Fn))
    if (I.getOpcode() == Instruction::Mul && I.getType()->isVectorTy() &&
        I.getType()->getScalarSizeInBits() == 32 && !I.hasOneUse())
      Products.push_back(&I);
  for (Instruction *I : Products)
    hide(*I);
}
