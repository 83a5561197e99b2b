//===- BlockOrder.cpp - Blocks in the order of the program ----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "BlockOrder.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace {

class Layout {
public:
  explicit Layout(Function &F) : F(F), Tree(F), Loops(Tree) {
    for (BasicBlock &Block : F)
      if (Tree.isReachableFromEntry(&Block))
        for (BasicBlock *Next : successors(&Block))
          Waits[Next] += !isEndOfLoop(&Block, Next);
  }

  void run() {
    place(&F.getEntryBlock());
    while (!Ready.empty())
      place(take());
  }

private:
  bool isEndOfLoop(BasicBlock *From, BasicBlock *To) const {
    return Tree.dominates(To, From);
  }
  /// The block begins in the line that the other ends in.
  static bool goesOn(const BasicBlock &From, const BasicBlock &To) {
    DebugLoc End = From.getTerminator()->getDebugLoc();
    for (const Instruction &I : To.instructionsWithoutDebug())
      if (DebugLoc Start = I.getDebugLoc())
        return End && Start.getLine() == End.getLine() &&
               Start.getInlinedAt() == End.getInlinedAt();
    return false;
  }
  void place(BasicBlock *Block) {
    if (Last)
      Block->moveAfter(Last);
    Last = Block;
    SmallVector<BasicBlock *, 4> Ways(successors(Block));
    // The tests of a `match` are one stop, before its arms.
    if (Ways.size() == 2 && goesOn(*Block, *Ways[1]) &&
        !goesOn(*Block, *Ways[0]))
      std::swap(Ways[0], Ways[1]);
    for (BasicBlock *Next : reverse(Ways))
      if (!isEndOfLoop(Block, Next) && --Waits[Next] == 0)
        Ready.push_back(Next);
  }
  /// The latest one that is ready, of the innermost loop that has any.
  BasicBlock *take() {
    size_t At = Ready.size() - 1;
    for (Loop *In = Loops.getLoopFor(Last); In; In = In->getParentLoop()) {
      size_t N = Ready.size();
      while (N > 0 && !In->contains(Ready[N - 1]))
        --N;
      if (N == 0)
        continue;
      At = N - 1;
      break;
    }
    BasicBlock *Block = Ready[At];
    Ready.erase(Ready.begin() + static_cast<ptrdiff_t>(At));
    return Block;
  }

  Function &F;
  DominatorTree Tree;
  LoopInfo Loops;
  DenseMap<BasicBlock *, unsigned> Waits; ///< ways in that are not placed
  SmallVector<BasicBlock *, 16> Ready;
  BasicBlock *Last = nullptr;
};

} // namespace

void goldy::orderBlocks(Function &F) { Layout(F).run(); }
