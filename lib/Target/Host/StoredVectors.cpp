//===- StoredVectors.cpp - Loads of what was just stored ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Within a block, what is known of memory are the last stores at numbers of
// bytes from one address. Whatever else may write forgets it, also a store by
// another address: the two may be one place.
//
//===----------------------------------------------------------------------===//
#include "StoredVectors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
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

  void run(BasicBlock &Block) {
    Known.clear();
    for (Instruction &I : make_early_inc_range(Block))
      visit(I);
  }

private:
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
        !(Call && Call->onlyAccessesInaccessibleMemory()))
      Known.clear();
  }

  void store(StoreInst &Store) {
    Value *Stored = Store.getValueOperand();
    Stretch S = stretch(Store.getPointerOperand(), Stored->getType());
    forget(S);
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

  void load(LoadInst &Load) {
    Type *T = Load.getType();
    Stretch S = stretch(Load.getPointerOperand(), T);
    if (S.Begin == S.End)
      return;
    for (const auto &[Where, First, Stored] : Known) {
      uint64_t Bytes = elementBytes(T), At = S.Begin - First;
      if (!Where.holds(S) || At % Bytes != 0 ||
          Stored->getType()->getScalarType() != T->getScalarType())
        continue;
      B.SetInsertPoint(&Load);
      Load.replaceAllUsesWith(part(Stored, At / Bytes, T));
      Load.eraseFromParent();
      return;
    }
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
  SmallVector<Entry, 8> Known;
};

} // namespace

void goldy::takeStoredVectors(Function &Fn) {
  StoredVectors Known(Fn);
  for (BasicBlock &Block : Fn)
    Known.run(Block);
}
