//===- StoredVectors.cpp - Loads of what was just stored ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of memory are the last stores at numbers of bytes from one
// address, along a block and into those that nobody else leads to. Whatever
// else may write forgets it, also a store by another address: the two may be
// one place. Where paths meet and one of them knows what a load gives, the
// others load before they meet: so the vectors of a group that were done as a
// whole hand on what they stored, and those done register by register do not
// stand in the way.
//
//===----------------------------------------------------------------------===//
#include "StoredVectors.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Local.h"

#include <numeric>

using namespace llvm;

namespace {

/// Elements of one type in a row.
struct Stretch {
  const Value *Base = nullptr;
  int64_t Begin = 0, End = 0; ///< bytes from Base

  bool holds(const Stretch &S) const {
    return Base == S.Base && Begin <= S.Begin && S.End <= End;
  }
};

struct Entry {
  Stretch Where; ///< of what was stored, what is still there
  int64_t First; ///< where it was stored
  Value *Stored;
};

class StoredVectors {
public:
  explicit StoredVectors(Function &Fn)
      : Layout(Fn.getDataLayout()), B(Fn.getContext()) {}

  void run(Function &Fn) {
    for (BasicBlock *Block : ReversePostOrderTraversal<Function *>(&Fn)) {
      enter(*Block);
      for (Instruction &I : make_early_inc_range(*Block))
        visit(I);
      AtEnd[Block] = std::move(Known);
    }
  }

private:
  using Entries = SmallVector<Entry, 8>;

  /// A way into a block where paths meet.
  struct Way {
    BasicBlock *From;
    const Entries *Known;
  };

  void enter(BasicBlock &Block) {
    Known.clear();
    Ways.clear();
    Written.clear();
    if (BasicBlock *Only = Block.getSinglePredecessor()) {
      Known = AtEnd.lookup(Only);
      return;
    }
    for (BasicBlock *From : predecessors(&Block)) {
      auto Done = AtEnd.find(From);
      bool Again = any_of(Ways, [&](const Way &W) { return W.From == From; });
      if (Done == AtEnd.end() || Again) { // a switch leads here twice
        Ways.clear();
        return;
      }
      Ways.push_back({From, &Done->second});
    }
  }

  /// A stretch without elements where bits of elements are no whole bytes.
  Stretch stretch(const Value *Pointer, Type *T) const {
    Stretch S;
    S.Base = GetPointerBaseWithConstantOffset(Pointer, S.Begin, Layout);
    TypeSize Bits = Layout.getTypeSizeInBits(T);
    bool Whole = !Bits.isScalable() &&
                 elementBytes(T) * 8 * count(T) == Bits.getFixedValue();
    S.End =
        S.Begin + (Whole ? static_cast<int64_t>(Bits.getFixedValue() / 8) : 0);
    return S;
  }
  uint64_t elementBytes(Type *T) const {
    return Layout.getTypeSizeInBits(T->getScalarType()).getFixedValue() / 8;
  }
  static unsigned count(Type *T) {
    auto *V = dyn_cast<FixedVectorType>(T);
    return V ? V->getNumElements() : 1;
  }

  void visit(Instruction &I) {
    if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->isSimple())
      return load(*Load);
    if (auto *Store = dyn_cast<StoreInst>(&I); Store && Store->isSimple())
      return store(*Store);
    auto *Call = dyn_cast<CallBase>(&I);
    if (I.mayWriteToMemory() &&
        !(Call && Call->onlyAccessesInaccessibleMemory())) {
      Known.clear();
      Ways.clear();
    }
  }

  void store(StoreInst &Store) {
    Value *Stored = Store.getValueOperand();
    Stretch S = stretch(Store.getPointerOperand(), Stored->getType());
    forget(S);
    Written.push_back(S);
    if (S.Begin != S.End)
      Known.push_back({S, S.Begin, Stored});
  }

  /// Keeps what lies before and behind.
  void forget(const Stretch &S) {
    SmallVector<Entry, 8> Left;
    for (const Entry &Old : Known) {
      if (Old.Where.Base != S.Base || S.Begin == S.End)
        continue;
      Entry Before = Old, Behind = Old;
      Before.Where.End = std::min(Old.Where.End, S.Begin);
      Behind.Where.Begin = std::max(Old.Where.Begin, S.End);
      for (const Entry &Part : {Before, Behind})
        if (Part.Where.Begin < Part.Where.End)
          Left.push_back(Part);
    }
    Known = std::move(Left);
  }

  /// What the memory has, if it was stored; made before `At`.
  Value *stored(const Entries &From, const Stretch &S, Type *T,
                Instruction *At) {
    for (const auto &[Where, First, Stored] : From) {
      uint64_t Bytes = elementBytes(T), Begin = S.Begin - First;
      if (!Where.holds(S) || Begin % Bytes != 0 ||
          Stored->getType()->getScalarType() != T->getScalarType())
        continue;
      B.SetInsertPoint(At);
      return part(Stored, Begin / Bytes, T);
    }
    return nullptr;
  }

  void load(LoadInst &Load) {
    Type *T = Load.getType();
    Stretch S = stretch(Load.getPointerOperand(), T);
    if (S.Begin == S.End)
      return;
    Value *Stored = stored(Known, S, T, &Load);
    if (!Stored)
      Stored = joined(Load, S);
    if (!Stored)
      return;
    Load.replaceAllUsesWith(Stored);
    Load.eraseFromParent();
  }

  /// What the ways into the block bring, if one of them has stored it and no
  /// store of the block may have changed it.
  Value *joined(LoadInst &Load, const Stretch &S) {
    auto Changes = [&](const Stretch &W) {
      return W.Base != S.Base || W.Begin == W.End ||
             (W.Begin < S.End && S.Begin < W.End);
    };
    if (Ways.empty() || !isa<Argument>(S.Base) || any_of(Written, Changes))
      return nullptr;
    Type *T = Load.getType();
    SmallVector<Value *, 4> Each;
    for (const Way &W : Ways)
      Each.push_back(stored(*W.Known, S, T, W.From->getTerminator()));
    if (all_of(Each, [](Value *V) { return !V; }))
      return nullptr;
    PHINode *Phi = PHINode::Create(T, static_cast<unsigned>(Ways.size()), "",
                                   Load.getParent()->begin());
    for (auto [W, V] : zip(Ways, Each)) {
      if (!V && !W.From->getSingleSuccessor())
        splitWay(W, *Load.getParent());
      Phi->addIncoming(V ? V : loadBefore(W, Load, S), W.From);
    }
    Known.push_back({S, S.Begin, Phi});
    return Phi;
  }

  /// Nothing but the block stands behind the way then.
  static void splitWay(Way &W, BasicBlock &To) {
    BasicBlock *Between =
        BasicBlock::Create(To.getContext(), "", To.getParent(), &To);
    BranchInst::Create(&To, Between);
    W.From->getTerminator()->replaceSuccessorWith(&To, Between);
    To.replacePhiUsesWith(W.From, Between);
    W.From = Between;
  }

  Value *loadBefore(const Way &W, const LoadInst &Load, const Stretch &S) {
    B.SetInsertPoint(W.From->getTerminator());
    Value *Base = const_cast<Value *>(S.Base);
    Value *At = B.CreateConstGEP1_64(B.getInt8Ty(), Base,
                                     static_cast<uint64_t>(S.Begin));
    return B.CreateAlignedLoad(Load.getType(), At, Load.getAlign());
  }

  Value *part(Value *Stored, unsigned From, Type *T) {
    if (Stored->getType() == T)
      return Stored;
    if (!T->isVectorTy())
      return B.CreateExtractElement(Stored, From);
    SmallVector<int, 64> Lanes(count(T));
    std::iota(Lanes.begin(), Lanes.end(), static_cast<int>(From));
    if (Stored->getType()->isVectorTy())
      return B.CreateShuffleVector(Stored, Lanes);
    return B.CreateInsertElement(PoisonValue::get(T), Stored, uint64_t(0));
  }

  const DataLayout &Layout;
  IRBuilder<> B;
  Entries Known;
  SmallVector<Way, 4> Ways;        ///< into a block where paths meet
  SmallVector<Stretch, 8> Written; ///< in the block so far
  DenseMap<const BasicBlock *, Entries> AtEnd;
};

} // namespace

void goldy::takeStoredVectors(Function &Fn) { StoredVectors(Fn).run(Fn); }
