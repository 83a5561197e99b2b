//===- UniformReads.cpp - Buffers that barriers rely on -------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A backward slice from the operands of all control statements, through values
// and through slots, to the loads of read-only buffers.
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
    bool Barriers = false;
    for (const Block &B : F.Blocks)
      for (InstId I : B.Insts) {
        Barriers |= opInfo(F.Insts[I].Opcode).Effects == Effect::Sync;
        noteStore(I);
      }
    if (!Barriers)
      return Result;
    for (const Block &B : F.Blocks)
      for (InstId I : B.Insts)
        if (opInfo(F.Insts[I].Opcode).Effects == Effect::Control)
          addOperands(I);
        else if (F.Insts[I].Opcode == Op::WorkgroupUniformLoad)
          addIndices(I);
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
  void noteStore(InstId I) {
    const Inst &N = F.Insts[I];
    if (opInfo(N.Opcode).Effects == Effect::Write && isSlot(N))
      Stores[F.Places[N.Where].Base.Index].push_back(I);
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
      for (InstId Store : Stores[Base.Index])
        addOperands(Store);
  }

  const Function &F;
  std::vector<bool> Result;
  std::vector<std::vector<InstId>> Stores;
  SideMap<Inst, bool> Seen{false};
  std::vector<InstId> Work;
};

} // namespace

std::vector<bool> driver::uniformReads(const Function &Kernel) {
  return Slice(Kernel).run();
}
