//===- NanTests.cpp - One test for the NaN of many results ----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `X is unordered with X ? NaN : X` is three operations on machines without
// masked moves, for every register that is stored. One comparison asks two
// registers at once: X is unordered with Y where either is a NaN. Results of
// such comparisons are joined and tested once; the choices themselves go to a
// block of their own, which is seldom entered.
//
//===----------------------------------------------------------------------===//
#include "NanTests.h"

#include "VectorParts.h"
#include "goldyc/Target/LLVM/OpaqueFloat.h"

#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace goldy;
using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// Registers from which a test pays, and that may wait for one.
constexpr unsigned Fewest = 4, Most = 16;
/// Of the ways out of the test.
constexpr uint32_t SeldomWeight = 1, UsualWeight = 2000;
/// Of cmpps: not ordered.
constexpr uint64_t Unordered = 3;
/// Of a register.
constexpr unsigned RegisterLanes = 8;
constexpr uint32_t CanonicalNan = 0x7fc00000u;

/// `Condition` holds where X is a NaN.
bool isNan(Value *Condition, const Value *X) {
  auto *Compare = dyn_cast<ConstrainedFPCmpIntrinsic>(Condition);
  return Compare && Compare->getPredicate() == CmpInst::FCMP_UNO &&
         Compare->getArgOperand(0) == X && Compare->getArgOperand(1) == X;
}

class NanTester : VectorParts {
public:
  explicit NanTester(Function &Fn)
      : VectorParts(Fn, RegisterLanes), Float(B, false) {}

  void run() {
    for (BasicBlock &Block : Fn) {
      for (Instruction &I : Block)
        visit(I);
    }
    for (const Together &Each : Found)
      test(Each);
  }

private:
  /// Results, and the first instruction behind all of them, which uses one of
  /// them or ends the block.
  struct Together {
    SmallVector<SelectInst *, 4> Results;
    Instruction *Before;
  };

  void visit(Instruction &I) {
    bool Uses = any_of(I.operands(), [&](const Use &U) {
      return is_contained(Waiting, U.get());
    });
    auto *S = dyn_cast<SelectInst>(&I);
    bool Canonical = S && isCanonical(*S);
    if (Uses || I.isTerminator() ||
        (Canonical && Count + registers(S) > Most)) {
      if (Count >= Fewest)
        Found.push_back({Waiting, &I});
      Waiting.clear();
      Count = 0;
    }
    if (Canonical) {
      Waiting.push_back(S);
      Count += registers(S);
    }
  }

  bool isCanonical(SelectInst &S) const {
    auto *T = dyn_cast<FixedVectorType>(S.getType());
    const APFloat *Nan = nullptr;
    return T && T->getElementType()->isFloatTy() &&
           T->getNumElements() % Lanes == 0 &&
           match(S.getTrueValue(), m_APFloat(Nan)) &&
           Nan->bitcastToAPInt() == CanonicalNan &&
           isNan(S.getCondition(), S.getFalseValue());
  }

  void test(const Together &Each) {
    BasicBlock *Head = Each.Before->getParent();
    BasicBlock *Tail = Head->splitBasicBlock(Each.Before, "canonical");
    BasicBlock *Rare = BasicBlock::Create(Fn.getContext(), "nans", &Fn);
    B.SetInsertPoint(Head->getTerminator());
    B.SetCurrentDebugLocation(Each.Results.back()->getDebugLoc());
    B.CreateCondBr(anyNan(Each), Rare, Tail,
                   MDBuilder(Fn.getContext())
                       .createBranchWeights(SeldomWeight, UsualWeight));
    Head->getTerminator()->eraseFromParent();
    B.SetInsertPoint(Rare);
    B.CreateBr(Tail);
    for (SelectInst *S : Each.Results)
      choose(*S, Head, Rare, Tail);
  }

  Value *anyNan(const Together &Each) {
    Parts All;
    for (SelectInst *S : Each.Results)
      append_range(All, apart(S->getFalseValue()));
    auto *Words = FixedVectorType::get(B.getInt32Ty(), Lanes);
    Value *Any = nullptr;
    for (size_t N = 0; N < All.size(); N += 2) {
      Value *Either = B.CreateBitCast(
          unordered(All[N], All[std::min(N + 1, All.size() - 1)]), Words);
      Any = Any ? B.CreateOr(Any, Either) : Either;
    }
    Value *Signs = B.CreateIntrinsic(Intrinsic::x86_avx_movmsk_ps_256, {},
                                     {B.CreateBitCast(Any, All[0]->getType())});
    return B.CreateICmpNE(Signs, B.getInt32(0), "nan");
  }

  /// cmpps of one register.
  Value *unordered(Value *X, Value *Y) {
    CallInst *I = B.CreateIntrinsic(Intrinsic::x86_avx_cmp_ps_256, {},
                                    {X, Y, B.getInt8(Unordered)});
    I->addFnAttr(Attribute::StrictFP);
    return I;
  }

  /// The result as it is, or as it was chosen.
  void choose(SelectInst &S, BasicBlock *Head, BasicBlock *Rare,
              BasicBlock *Tail) {
    Value *X = S.getFalseValue();
    B.SetInsertPoint(Rare->getTerminator());
    B.SetCurrentDebugLocation(S.getDebugLoc());
    Value *IsNan = Float.compare(OpaqueFloat::Compare::Unordered, X, X);
    Value *Chosen = B.CreateSelect(IsNan, S.getTrueValue(), X);
    B.SetInsertPoint(Tail, Tail->begin());
    PHINode *Result = B.CreatePHI(S.getType(), 2);
    Result->addIncoming(X, Head);
    Result->addIncoming(Chosen, Rare);
    S.replaceAllUsesWith(Result);
    RecursivelyDeleteTriviallyDeadInstructions(&S);
  }

  OpaqueFloat Float;
  SmallVector<SelectInst *, 4> Waiting;
  unsigned Count = 0; ///< registers of those
  SmallVector<Together, 4> Found;
};

} // namespace

void goldy::testNansTogether(Function &Fn) { NanTester(Fn).run(); }
