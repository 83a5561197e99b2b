//===- Registers.cpp - How many registers a kernel wants ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backward liveness over the blocks: what a block needs from before it is what
// its successors need and what it uses itself, without what it makes.
//
//===----------------------------------------------------------------------===//
#include "Registers.h"
#include "Lower.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace goldy::ptx {

namespace {

unsigned registersOf(const llvm::Type *T) {
  if (const FixedVectorType *V = dyn_cast<FixedVectorType>(T))
    return V->getNumElements() * registersOf(V->getElementType());
  if (T->isPointerTy())
    return T->getPointerAddressSpace() == Shared ? 1 : 2;
  return T->isVoidTy() || T->isIntegerTy(1) ? 0 : T->isIntegerTy(64) ? 2 : 1;
}

class Liveness {
public:
  explicit Liveness(const llvm::Function &F) : F(F) {
    for (const BasicBlock &B : F)
      for (const Instruction &I : B) {
        Numbers.try_emplace(&I, static_cast<unsigned>(Weights.size()));
        Weights.push_back(registersOf(I.getType()));
      }
  }
  unsigned mostAtOnce();

private:
  /// Values alive where the block ends.
  BitVector atEnd(const BasicBlock &B) const;
  /// Goes backward through the block from `Live`; the most on the way.
  unsigned walk(const BasicBlock &B, BitVector &Live) const;
  bool use(BitVector &Live, const Value *V) const {
    DenseMap<const Value *, unsigned>::const_iterator Found = Numbers.find(V);
    if (Found == Numbers.end() || Live.test(Found->second))
      return false;
    Live.set(Found->second);
    return true;
  }

  const llvm::Function &F;
  DenseMap<const Value *, unsigned> Numbers;
  SmallVector<unsigned, 0> Weights; ///< registers, by number
  DenseMap<const BasicBlock *, BitVector> AtStart;
};

BitVector Liveness::atEnd(const BasicBlock &B) const {
  BitVector Live(Numbers.size());
  for (const BasicBlock *Next : successors(&B)) {
    if (DenseMap<const BasicBlock *, BitVector>::const_iterator Found =
            AtStart.find(Next);
        Found != AtStart.end())
      Live |= Found->second;
    for (const PHINode &Phi : Next->phis())
      use(Live, Phi.getIncomingValueForBlock(&B));
  }
  return Live;
}

unsigned Liveness::walk(const BasicBlock &B, BitVector &Live) const {
  unsigned Now = 0;
  for (unsigned Number : Live.set_bits())
    Now += Weights[Number];
  unsigned Most = Now;
  for (const Instruction &I : reverse(B)) {
    unsigned Number = Numbers.lookup(&I);
    if (Live.test(Number))
      Now -= Weights[Number];
    Live.reset(Number);
    if (isa<PHINode>(I))
      continue;
    for (const Value *Operand : I.operands())
      if (use(Live, Operand))
        Now += registersOf(Operand->getType());
    Most = std::max(Most, Now);
  }
  return Most;
}

unsigned Liveness::mostAtOnce() {
  unsigned Most = 0;
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const BasicBlock &B : reverse(F)) {
      BitVector Live = atEnd(B);
      Most = std::max(Most, walk(B, Live));
      BitVector &Old = AtStart[&B];
      Changed |= Old != Live;
      Old = std::move(Live);
    }
  }
  return Most;
}

} // namespace

unsigned liveRegisters(const llvm::Function &F) {
  return Liveness(F).mostAtOnce();
}

unsigned wantedGroups(const llvm::Function &F, unsigned Threads,
                      unsigned WorkgroupBytes) {
  constexpr unsigned Wanted = 512, Many = 80, Fits = 120;
  constexpr unsigned SharedBytes = 160 * 1024;
  unsigned Groups = Wanted / Threads;
  if (Groups < 2 || uint64_t(WorkgroupBytes) * Groups > SharedBytes)
    return 0;
  unsigned Live = liveRegisters(F);
  return Live >= Many && Live <= Fits ? Groups : 0;
}

unsigned groupsForAllWarps(const llvm::Function &F, unsigned Threads) {
  constexpr unsigned All = 2048, Fits = 28;
  return liveRegisters(F) <= Fits ? All / Threads : 0;
}

} // namespace goldy::ptx
