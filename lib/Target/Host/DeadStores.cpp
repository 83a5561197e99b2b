//===- DeadStores.cpp - Stores that no work-item reads --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From each store all ways are followed until its bytes are written again, the
// group ends or something may read them. Buffers, parameters and variables on
// the stack are never in scratch memory.
//
//===----------------------------------------------------------------------===//
#include "DeadStores.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace goldy;
using namespace llvm;

namespace {

class DeadStores {
public:
  DeadStores(Function &Fn, const Value *Scratch)
      : Fn(Fn), Scratch(Scratch), Layout(Fn.getDataLayout()),
        EndKind(Fn.getContext().getMDKindID(GroupEndMark)) {}

  void run() {
    SmallVector<StoreInst *, 32> Dead;
    for (Instruction &I : instructions(Fn))
      if (auto *Store = dyn_cast<StoreInst>(&I);
          Store && Store->isSimple() && isDead(*Store))
        Dead.push_back(Store);
    for (StoreInst *Store : Dead) {
      auto *Stored = dyn_cast<Instruction>(Store->getValueOperand());
      Store->eraseFromParent();
      if (Stored && Stored->use_empty() && isa<LoadInst>(Stored))
        Stored->eraseFromParent();
    }
  }

private:
  /// Bytes from the start of scratch memory.
  struct Stretch {
    bool Known = false;
    int64_t Begin = 0, End = 0;
  };

  Stretch stretch(const Value *Pointer, Type *T) const {
    Stretch S;
    const Value *Base =
        GetPointerBaseWithConstantOffset(Pointer, S.Begin, Layout);
    TypeSize Bytes = Layout.getTypeStoreSize(T);
    S.Known = Base == Scratch && !Bytes.isScalable();
    if (S.Known)
      S.End = S.Begin + static_cast<int64_t>(Bytes.getFixedValue());
    return S;
  }

  bool isDead(StoreInst &Store) const {
    Stretch S =
        stretch(Store.getPointerOperand(), Store.getValueOperand()->getType());
    if (!S.Known)
      return false;
    SmallVector<BasicBlock *, 16> Todo;
    SmallPtrSet<BasicBlock *, 16> Seen;
    BasicBlock *Block = Store.getParent();
    BasicBlock::iterator From = std::next(Store.getIterator());
    while (true) {
      What Next = follow(S, make_range(From, Block->end()));
      if (Next == What::Reads)
        return false;
      if (Next == What::Goes)
        for (BasicBlock *To : successors(Block))
          if (Seen.insert(To).second)
            Todo.push_back(To);
      if (Todo.empty())
        return true;
      Block = Todo.pop_back_val();
      From = Block->begin();
    }
  }

  enum class What { Reads, Ends, Goes };

  What follow(const Stretch &S, iterator_range<BasicBlock::iterator> On) const {
    for (Instruction &I : On) {
      if (mayRead(I, S))
        return What::Reads;
      if (writesAll(I, S) || I.getMetadata(EndKind))
        return What::Ends;
    }
    return What::Goes;
  }

  bool mayRead(Instruction &I, const Stretch &S) const {
    if (!I.mayReadFromMemory() || isa<StoreInst>(I))
      return false;
    if (auto *Load = dyn_cast<LoadInst>(&I)) {
      Stretch L = stretch(Load->getPointerOperand(), Load->getType());
      return L.Known ? L.Begin < S.End && S.Begin < L.End
                     : mayBeScratch(Load->getPointerOperand());
    }
    auto *Call = dyn_cast<CallBase>(&I);
    if (Call && Call->onlyAccessesInaccessibleMemory())
      return false;
    return !Call || !Call->onlyAccessesArgMemory() ||
           any_of(Call->args(), [&](const Use &U) {
             return U->getType()->isPtrOrPtrVectorTy() && mayBeScratch(U);
           });
  }

  bool mayBeScratch(const Value *Pointer) const {
    const Value *Of = getUnderlyingObject(Pointer, 0);
    bool Other = isa<Argument>(Of) && Of != Scratch;
    return Pointer->getType()->isVectorTy() ||
           !(Other || isa<AllocaInst, LoadInst, GlobalValue>(Of));
  }

  bool writesAll(const Instruction &I, const Stretch &S) const {
    auto *Store = dyn_cast<StoreInst>(&I);
    if (!Store)
      return false;
    Stretch W = stretch(Store->getPointerOperand(),
                        Store->getValueOperand()->getType());
    return W.Known && W.Begin <= S.Begin && S.End <= W.End;
  }

  Function &Fn;
  const Value *Scratch;
  const DataLayout &Layout;
  unsigned EndKind; ///< of metadata
};

} // namespace

void goldy::dropDeadStores(Function &Fn, const Value *Scratch) {
  DeadStores(Fn, Scratch).run();
}
