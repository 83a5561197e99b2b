//===- NearAddresses.cpp - Elements near each other -----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs when slots are values and counters of unrolled loops are numbers. Two
// indices that differ by a number D modulo 2^32 differ by D, or by D +- 2^32;
// the second would put one of them within D of 2^32, beyond the buffer.
//
//===----------------------------------------------------------------------===//
#include "NearAddresses.h"

#include "goldyc/Analysis/Lanes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr const char *Mark = "goldy.near";
/// Nested sums of an index.
constexpr unsigned MaxDepth = 6;

/// An index: the sum of values, and a number, modulo 2^32.
struct Sum {
  SmallVector<Value *, 4> Values; ///< in an order that equal sums share
  uint32_t Constant = 0;

  void add(Value *V, unsigned Depth) {
    Value *X, *Y;
    if (auto *C = dyn_cast<ConstantInt>(V)) {
      Constant += static_cast<uint32_t>(C->getZExtValue());
    } else if (Depth > 0 && match(V, m_Add(m_Value(X), m_Value(Y)))) {
      add(X, Depth - 1);
      add(Y, Depth - 1);
    } else {
      Values.push_back(V);
    }
  }
};

/// What loads of a block start from.
struct Start {
  Value *Base;
  uint64_t Stride;
  Sum Index;
  Value *Address;
};

class AddressSharer {
public:
  void run(BasicBlock &Block) {
    Starts.clear();
    for (Instruction &I : Block)
      if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->hasMetadata(Mark))
        visit(*Load);
  }

  /// Some of the addresses have other users, and stay.
  void finish() { RecursivelyDeleteTriviallyDeadInstructionsPermissive(Dead); }

private:
  void visit(LoadInst &Load) {
    auto *At = dyn_cast<GetElementPtrInst>(Load.getPointerOperand());
    Value *Index;
    uint64_t Stride;
    if (!At || !At->getSourceElementType()->isIntegerTy(8) ||
        !match(At->getOperand(1),
               m_Mul(m_ZExt(m_Value(Index)), m_ConstantInt(Stride))) ||
        !Index->getType()->isIntegerTy(32))
      return;
    Start New{At->getPointerOperand(), Stride, {}, At};
    New.Index.add(Index, MaxDepth);
    llvm::sort(New.Index.Values);
    for (const Start &Known : Starts)
      if (Known.Base == New.Base && Known.Stride == Stride &&
          Known.Index.Values == New.Index.Values &&
          share(Load, Known, New.Index.Constant - Known.Index.Constant))
        return;
    Starts.push_back(std::move(New));
  }

  bool share(LoadInst &Load, const Start &Known, uint32_t Distance) {
    if (Known.Address == Load.getPointerOperand())
      return true;
    auto Signed = static_cast<int32_t>(Distance);
    if (Signed <= -goldy::NearDistance || Signed >= goldy::NearDistance)
      return false;
    IRBuilder<> B(&Load);
    int64_t Bytes = Signed * static_cast<int64_t>(Known.Stride);
    Value *Address = B.CreateGEP(B.getInt8Ty(), Known.Address,
                                 B.getInt64(static_cast<uint64_t>(Bytes)));
    Dead.push_back(Load.getPointerOperand());
    Load.setOperand(LoadInst::getPointerOperandIndex(), Address);
    return true;
  }

  SmallVector<Start, 8> Starts;
  SmallVector<WeakTrackingVH, 32> Dead;
};

} // namespace

void goldy::markNear(LoadInst &Load) {
  Load.setMetadata(Mark, MDNode::get(Load.getContext(), {}));
}

void goldy::shareNearAddresses(llvm::Function &Fn) {
  AddressSharer Sharer;
  for (BasicBlock &Block : Fn)
    Sharer.run(Block);
  Sharer.finish();
}
