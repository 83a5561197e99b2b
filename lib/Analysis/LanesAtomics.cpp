//===- LanesAtomics.cpp - How atomics are done over lanes -----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes that add to one place are added up first, where nobody asks for old
// values. Other atomics go lane by lane. There an index that is a few
// operations away from neighbours in memory is better loaded lane by lane, too:
// out of a vector each lane costs more than its load.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Analysis/Lanes.h"

using namespace goldy;

namespace {

/// Operations of an index that each lane computes for itself.
constexpr unsigned MaxScalarIndex = 4;

class AtomicPlanner {
public:
  AtomicPlanner(const Function &F, const Structure &S, LanePlan &Plan)
      : F(F), S(S), Plan(Plan) {}

  void run() {
    forEachInst(F, [&](InstId I) { noteUses(I); });
    forEachInst(F, [&](InstId I) {
      if (!isAtomic(F.Insts[I].Opcode))
        return;
      Plan.Atomic.set(I, order(I));
      Plan.ScalarIndex.set(I, hasScalarIndex(I));
    });
  }

private:
  void noteUses(InstId I) {
    forEachUse(F, I, [&](ValueId V) { Plan.Used.set(V, true); });
  }

  /// The order of lanes shows in a sum of floats and in what is stored last.
  LaneAtomic order(InstId I) const {
    const Inst &N = F.Insts[I];
    bool Joins = N.Opcode >= Op::AtomicAdd && N.Opcode <= Op::AtomicXor &&
                 N.Type != types::F32;
    bool One = Plan.Access[I] == LaneAccess::Broadcast && !Plan.Used[I];
    return Joins && One ? LaneAtomic::OneForAll : LaneAtomic::InLaneOrder;
  }

  /// Workgroup arrays only: there an atomic costs no more than its index.
  bool hasScalarIndex(InstId I) const {
    const Place &P = F.Places[F.Insts[I].Where];
    if (P.Base.Kind != BaseKind::Workgroup ||
        Plan.Access[I] != LaneAccess::Gather)
      return false;
    unsigned Left = MaxScalarIndex;
    for (const PathElement &E : P.Path)
      if (E.isDynamic() && !isScalar(E.Index, I, Left))
        return false;
    return true;
  }

  bool isScalar(ValueId V, InstId Atomic, unsigned &Left) const {
    if (Plan.Vector.Value[V].isScalar())
      return true;
    if (Left-- == 0)
      return Left = 0, false;
    const Inst &N = F.Insts[V];
    if (N.Opcode == Op::Load)
      return isLoadedAgain(V, Atomic);
    if (!isCheap(V))
      return false;
    for (ValueId Operand : F.operands(V))
      if (!isScalar(Operand, Atomic, Left))
        return false;
    return true;
  }

  static bool isWord(TypeId T) { return T == types::U32 || T == types::I32; }
  bool isCheap(ValueId V) const {
    if (!isWord(F.Insts[V].Type) || !isWord(F.typeOf(F.operand(V, 0))))
      return false;
    switch (F.Insts[V].Opcode) {
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::RawShl:
    case Op::RawShr:
    case Op::Min:
    case Op::Max:
    case Op::Cast:
      return true;
    default:
      return false;
    }
  }

  /// Neighbours of a buffer, in the same block, and nothing is written between.
  bool isLoadedAgain(InstId Load, InstId Atomic) const {
    const Place &P = F.Places[F.Insts[Load].Where];
    BlockId Block = S.blockOf(Load);
    if (P.Base.Kind != BaseKind::Param || F.guard(Load) || !isWord(P.Type) ||
        Plan.Access[Load] != LaneAccess::Contiguous ||
        Block != S.blockOf(Atomic))
      return false;
    bool Between = false;
    for (InstId I : F.Blocks[Block].Insts) {
      if (I == Atomic)
        return true;
      Effect E = opInfo(F.Insts[I].Opcode).Effects;
      if (Between && E != Effect::Pure && E != Effect::Read)
        return false;
      Between |= I == Load;
    }
    return false;
  }

  const Function &F;
  const Structure &S;
  LanePlan &Plan;
};

} // namespace

void goldy::planAtomics(const Function &F, const Structure &S, LanePlan &Plan) {
  AtomicPlanner(F, S, Plan).run();
}
