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

#include "SplitRegisters.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Local.h"

#include <numeric>

using namespace goldy;
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
    Copies.clear();
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
    for (const Entry &E : Known)
      if (E.Where.holds(S) && loaded(E))
        return reload(Load, E, S);
    Value *Stored = stored(Known, S, T, &Load);
    if (!Stored)
      Stored = joined(Load, S);
    if (!Stored)
      return;
    Load.replaceAllUsesWith(Stored);
    Load.eraseFromParent();
  }

  /// What was stored is in a variable that stays in memory: more values than
  /// there are registers.
  void reload(LoadInst &Load, const Entry &E, const Stretch &S) {
    BasicBlock *Before = Load.getParent()->getSinglePredecessor();
    AllocaInst *V = variable(E, *Load.getParent(), Load);
    if (!V && Before)
      V = variable(E, *Before, Load);
    if (!V)
      return;
    Load.replaceAllUsesWith(loadFrom(V, S.Begin - E.First, Load));
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
    auto InVariable = [&](const Way &W) {
      return any_of(*W.Known, [&](const Entry &E) {
        return E.Where.holds(S) && loaded(E);
      });
    };
    if (any_of(Ways, InVariable)) {
      const Copy *C = copyFor(Load, S);
      return C ? loadFrom(C->Variable, S.Begin - C->First, Load) : nullptr;
    }
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

  // --- Variables that stay in memory

  /// A variable that has elements where the block begins.
  struct Copy {
    Stretch Where;     ///< these
    int64_t First = 0; ///< where the variable's first one would be
    AllocaInst *Variable = nullptr;
  };

  static bool mayChange(const Instruction &I, const AllocaInst *Variable) {
    auto *Store = dyn_cast<StoreInst>(&I);
    return Store && getUnderlyingObject(Store->getPointerOperand()) == Variable;
  }

  static AllocaInst *loaded(const Entry &E) {
    auto *From = dyn_cast<LoadInst>(E.Stored);
    auto *Variable =
        From ? dyn_cast<AllocaInst>(From->getPointerOperand()) : nullptr;
    return Variable && Variable->hasMetadata(KeptMark) ? Variable : nullptr;
  }

  /// The variable that stays in memory and has what was stored there, from the
  /// load of it in `Block` until `Load`, which stands there or in the next.
  static AllocaInst *variable(const Entry &E, const BasicBlock &Block,
                              const LoadInst &Load) {
    AllocaInst *Variable = loaded(E);
    auto Keeps = [&](const Instruction &I) { return !mayChange(I, Variable); };
    if (!Variable)
      return nullptr;
    BasicBlock::const_iterator From(cast<Instruction>(E.Stored));
    const BasicBlock *Here = Load.getParent();
    if (From->getParent() != &Block)
      return nullptr;
    bool Has =
        &Block == Here
            ? all_of(make_range(From, Load.getIterator()), Keeps)
            : all_of(make_range(From, Block.end()), Keeps) &&
                  all_of(make_range(Here->begin(), Load.getIterator()), Keeps);
    return Has ? Variable : nullptr;
  }

  /// What is read next of the variable, from the block on, was written there.
  static bool isDead(const AllocaInst *Variable, BasicBlock &From) {
    SmallVector<BasicBlock *, 16> Todo{&From};
    SmallPtrSet<BasicBlock *, 16> Seen{&From};
    while (!Todo.empty()) {
      BasicBlock *Block = Todo.pop_back_val();
      auto Uses = [&](const Instruction &I) {
        return is_contained(I.operand_values(), Variable);
      };
      auto First = find_if(*Block, Uses);
      if (First != Block->end()) {
        auto *Store = dyn_cast<StoreInst>(First);
        if (!Store ||
            Store->getValueOperand()->getType() != Variable->getAllocatedType())
          return false;
        continue;
      }
      for (BasicBlock *Next : successors(Block))
        if (Seen.insert(Next).second)
          Todo.push_back(Next);
    }
    return true;
  }

  /// The ways have what the load reads in a variable that stays in memory, or
  /// get it: values at their ends would be more than there are registers.
  const Copy *copyFor(LoadInst &Load, const Stretch &S) {
    for (const Copy &C : Copies)
      if (C.Where.holds(S) && keeps(C, Load))
        return &C;
    Copy Made;
    SmallVector<Way *, 4> Others;
    for (Way &W : Ways) {
      AllocaInst *Has = nullptr;
      for (const Entry &E : *W.Known) {
        AllocaInst *V = E.Where.holds(S) ? variable(E, *W.From, Load) : nullptr;
        if (!V ||
            (Made.Variable && (Made.Variable != V || Made.First != E.First)))
          continue;
        Made = {Made.Variable ? meet(Made.Where, E.Where) : E.Where, E.First,
                V};
        Has = V;
      }
      if (!Has)
        Others.push_back(&W);
    }
    if (!Made.Variable || !isDead(Made.Variable, *Load.getParent()))
      return nullptr;
    for (Way *W : Others)
      fillVariable(Made, *W, *Load.getParent(),
                   commonAlignment(Load.getAlign(), static_cast<uint64_t>(
                                                        S.Begin - Made.First)));
    Copies.push_back(Made);
    return &Copies.back();
  }

  static Stretch meet(const Stretch &A, const Stretch &B) {
    return {A.Base, std::max(A.Begin, B.Begin), std::min(A.End, B.End)};
  }
  static bool keeps(const Copy &C, const LoadInst &Until) {
    return none_of(
        make_range(Until.getParent()->begin(), Until.getIterator()),
        [&](const Instruction &I) { return mayChange(I, C.Variable); });
  }

  void fillVariable(const Copy &C, Way &W, BasicBlock &To, Align A) {
    if (!W.From->getSingleSuccessor())
      splitWay(W, To);
    B.SetInsertPoint(W.From->getTerminator());
    Value *V = B.CreateAlignedLoad(
        C.Variable->getAllocatedType(),
        address(const_cast<Value *>(C.Where.Base), C.First), A);
    B.CreateStore(V, C.Variable);
  }

  LoadInst *loadFrom(Value *Place, int64_t Bytes, const LoadInst &As) {
    B.SetInsertPoint(const_cast<LoadInst *>(&As));
    LoadInst *Made =
        B.CreateAlignedLoad(As.getType(), address(Place, Bytes), As.getAlign());
    Made->copyMetadata(As);
    return Made;
  }

  Value *address(Value *From, int64_t Bytes) {
    return B.CreateConstGEP1_64(B.getInt8Ty(), From,
                                static_cast<uint64_t>(Bytes));
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
    return B.CreateAlignedLoad(Load.getType(),
                               address(const_cast<Value *>(S.Base), S.Begin),
                               Load.getAlign());
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
  SmallVector<Copy, 2> Copies;     ///< for the block
  DenseMap<const BasicBlock *, Entries> AtEnd;
};

} // namespace

void goldy::takeStoredVectors(Function &Fn) { StoredVectors(Fn).run(Fn); }
