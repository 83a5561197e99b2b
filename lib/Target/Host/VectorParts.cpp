//===- VectorParts.cpp - Vectors taken apart ------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "VectorParts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"

#include <numeric>

using namespace llvm;

namespace goldy {

Value *VectorParts::of(Value *V, unsigned N) {
  if (auto Found = Known.find(V); Found != Known.end())
    return Found->second[N];
  auto *T = cast<FixedVectorType>(V->getType());
  if (T->getNumElements() == Lanes)
    return V;
  SmallVector<int, 32> Which(Lanes);
  std::iota(Which.begin(), Which.end(), static_cast<int>(N * Lanes));
  return B.CreateShuffleVector(V, Which); // folds constants
}

VectorParts::Parts VectorParts::apart(Value *V) {
  Parts Of;
  for (unsigned N = 0; N < registers(V); ++N)
    Of.push_back(of(V, N));
  return Of;
}

Value *VectorParts::joined(Parts Of) {
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

Value *VectorParts::partOfShuffle(ShuffleVectorInst &S, unsigned N) {
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

Value *VectorParts::partOfOperation(Instruction &I, unsigned N) {
  if (auto *O = dyn_cast<BinaryOperator>(&I)) {
    Value *Part = B.CreateBinOp(O->getOpcode(), of(O->getOperand(0), N),
                                of(O->getOperand(1), N));
    if (auto *Made = dyn_cast<Instruction>(Part))
      Made->copyIRFlags(O);
    return Part;
  }
  if (auto *C = dyn_cast<CastInst>(&I); C && !isa<BitCastInst>(I))
    return B.CreateCast(C->getOpcode(), of(C->getOperand(0), N),
                        partType(C->getType()));
  if (auto *C = dyn_cast<ICmpInst>(&I))
    return B.CreateICmp(C->getPredicate(), of(C->getOperand(0), N),
                        of(C->getOperand(1), N));
  if (auto *S = dyn_cast<SelectInst>(&I)) {
    Value *Cond = S->getCondition();
    return B.CreateSelect(Cond->getType()->isVectorTy() ? of(Cond, N) : Cond,
                          of(S->getTrueValue(), N), of(S->getFalseValue(), N));
  }
  if (auto *S = dyn_cast<ShuffleVectorInst>(&I))
    return partOfShuffle(*S, N);
  auto *C = dyn_cast<ConstrainedFPIntrinsic>(&I);
  if (!C)
    return nullptr;
  SmallVector<Value *, 5> Operands;
  for (Value *V : C->args())
    Operands.push_back(V->getType()->isVectorTy() ? of(V, N) : V);
  SmallVector<Type *, 2> Types{Operands[0]->getType()};
  if (!isa<ConstrainedFPCmpIntrinsic>(C) &&
      I.getType() != C->getArgOperand(0)->getType()) // a conversion
    Types.insert(Types.begin(), partType(I.getType()));
  CallInst *Part = B.CreateIntrinsic(C->getIntrinsicID(), Types, Operands);
  Part->setAttributes(C->getAttributes());
  return Part;
}

void VectorParts::fill(PHINode &Whole) {
  const Parts Of = Known[&Whole];
  for (unsigned E = 0; E < Whole.getNumIncomingValues(); ++E) {
    BasicBlock *From = Whole.getIncomingBlock(E);
    B.SetInsertPoint(From->getTerminator());
    for (unsigned N = 0; N < Of.size(); ++N)
      cast<PHINode>(Of[N])->addIncoming(of(Whole.getIncomingValue(E), N), From);
  }
}

void VectorParts::join(Instruction &I) {
  for (Use &U : I.operands())
    if (Known.contains(U.get()))
      U.set(joined(Known[U.get()]));
}

void VectorParts::erase() {
  for (Instruction *I : Dead)
    I->dropAllReferences();
  for (Instruction *I : Dead) {
    I->replaceAllUsesWith(PoisonValue::get(I->getType()));
    I->eraseFromParent();
  }
}

} // namespace goldy
