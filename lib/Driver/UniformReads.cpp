//===- UniformReads.cpp - Buffers that barriers rely on -------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A backward slice to the loads of read-only buffers. It starts at what decides
// whether a barrier is reached: the control statements around it, what leaves
// one of those early, returns, and promises, which choose between copies of the
// kernel. From there it goes through values, through
// slots to what is stored in them, and to what decides on those stores.
//
//===----------------------------------------------------------------------===//
#include "UniformReads.h"

using namespace goldy;

namespace {

class Slice {
public:
  explicit Slice(const Function &F)
      : F(F), Result(F.Params.size(), false), Stores(F.Slots.size()) {}

  std::vector<bool> run() {
    note(F.Body, InstId());
    if (Barriers.empty())
      return Result;
    for (InstId I : Barriers) {
      addWay(I);
      if (F.Insts[I].Opcode == Op::WorkgroupUniformLoad)
        addIndices(I);
    }
    for (InstId I : Returns)
      addWay(I);
    for (InstId I : Promises)
      addOperands(I);
    while (!Work.empty()) {
      InstId I = Work.back();
      Work.pop_back();
      visit(I);
    }
    return Result;
  }

private:
  bool isSlot(const Inst &N) const {
    return N.Where && F.Places[N.Where].Base.Kind == BaseKind::Slot;
  }
  void note(BlockId B, InstId Around) {
    for (InstId I : F.Blocks[B].Insts) {
      const Inst &N = F.Insts[I];
      Owner.set(I, Around);
      if (opInfo(N.Opcode).Effects == Effect::Sync)
        Barriers.push_back(I);
      else if (N.Opcode == Op::Return)
        Returns.push_back(I);
      else if (N.Opcode == Op::Assume)
        Promises.push_back(I);
      else if (N.Opcode == Op::Break || N.Opcode == Op::Continue)
        Leaving.at(N.Target).push_back(I);
      else if (N.Opcode == Op::BreakIf)
        Leaving.at(Around).push_back(I);
      else if (opInfo(N.Opcode).Effects == Effect::Write && isSlot(N))
        Stores[F.Places[N.Where].Base.Index].push_back(I);
      for (BlockId Inner : N.Blocks)
        if (Inner.isValid())
          note(Inner, I);
    }
  }
  /// What decides whether, and how often, control comes to `I`.
  void addWay(InstId I) {
    for (InstId C = Owner[I]; C.isValid() && !Decides[C]; C = Owner[C]) {
      Decides.set(C, true);
      addOperands(C);
      for (InstId Leaver : Leaving[C]) {
        addOperands(Leaver);
        addWay(Leaver);
      }
    }
  }
  void add(InstId I) {
    if (Seen[I])
      return;
    Seen.set(I, true);
    Work.push_back(I);
  }
  void addOperands(InstId I) {
    for (ValueId V : F.operands(I))
      add(V);
    addIndices(I);
  }
  void addIndices(InstId I) {
    const Inst &N = F.Insts[I];
    if (!N.Where)
      return;
    for (const PathElement &P : F.Places[N.Where].Path)
      if (P.isDynamic())
        add(P.Index);
  }
  void visit(InstId I) {
    const Inst &N = F.Insts[I];
    // What a whole-group operation gives is uniform whatever it takes.
    if (opInfo(N.Opcode).Effects == Effect::Sync)
      return;
    addOperands(I);
    if (N.Opcode == Op::LoopVar)
      addOperands(N.Target);
    if (opInfo(N.Opcode).Effects != Effect::Read || !N.Where)
      return;
    const PlaceBase &Base = F.Places[N.Where].Base;
    if (Base.Kind == BaseKind::Param)
      Result[Base.Index] = F.Params[Base.Index].Acc == Access::Read &&
                           (F.Params[Base.Index].Kind == ParamKind::Buffer ||
                            F.Params[Base.Index].Kind == ParamKind::Tensor);
    if (Base.Kind == BaseKind::Slot)
      for (InstId Store : Stores[Base.Index]) {
        addOperands(Store);
        addWay(Store);
      }
  }

  const Function &F;
  std::vector<bool> Result;
  std::vector<std::vector<InstId>> Stores;
  std::vector<InstId> Barriers, Returns, Promises;
  SideMap<Inst, InstId> Owner{InstId()};      ///< control statement around
  SideMap<Inst, std::vector<InstId>> Leaving; ///< early, by what they leave
  SideMap<Inst, bool> Seen{false}, Decides{false};
  std::vector<InstId> Work;
};

} // namespace

std::vector<bool> driver::uniformReads(const Function &Kernel) {
  return Slice(Kernel).run();
}
