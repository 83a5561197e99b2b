//===- LanesArrays.cpp - What a group knows of its workgroup arrays -------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// *Settled loads.* Between two barriers nobody may read what somebody else
// writes. So where a work-item reads an element behind a barrier and has not
// written the array since, all that read the same element there get one value.
//
// *Arrays that need no zeros.* A group finds its arrays zeroed, which nobody
// sees if each element is written by some work-item before a barrier that all
// other accesses come after. The statements are followed in the group's order;
// what one way through them wrote is no news for the other.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Analysis/Lanes.h"
#include "goldyc/Analysis/LinearIndex.h"

#include <algorithm>

using namespace goldy;

namespace {

bool names(const Function &F, InstId I, uint32_t Array) {
  PlaceId P = F.Insts[I].Where;
  return P && F.Places[P].Base.Kind == BaseKind::Workgroup &&
         F.Places[P].Base.Index == Array;
}

/// True if `Holds` of the statement or one within.
template <class Fn>
bool anyWithin(const Function &F, InstId I, const Fn &Holds) {
  bool Any = Holds(I);
  for (BlockId B : F.Insts[I].Blocks)
    if (B && !Any)
      forEachInst(F, B, [&](InstId Inner) { Any |= Holds(Inner); });
  return Any;
}

bool meets(const Function &F, InstId I) {
  return opInfo(F.Insts[I].Opcode).Effects == Effect::Sync &&
         !exchangesLanes(F.Insts[I].Opcode);
}

class Settling {
public:
  explicit Settling(const Function &F)
      : F(F), Written(F.WorkgroupArrays.size()) {
    block(F.Body);
  }
  SideMap<Inst, bool> Settled{false};

private:
  void block(BlockId B) {
    Known = false;
    for (InstId I : F.Blocks[B].Insts) {
      const Inst &N = F.Insts[I];
      if (N.Opcode == Op::Load && Known && isArray(I) && !Written[arrayOf(I)])
        Settled.set(I, true);
      bool Before = Known;
      std::vector<bool> Mine = Written;
      for (BlockId Inner : N.Blocks)
        if (Inner)
          block(Inner);
      Known = Before;
      Written = std::move(Mine);
      after(I);
    }
  }

  void after(InstId I) {
    if (F.Insts[I].Opcode == Op::Barrier) {
      Known = true;
      Written.assign(Written.size(), false);
      return;
    }
    if (anyWithin(F, I, [&](InstId N) { return meets(F, N); })) {
      Known = false;
      return;
    }
    (void)anyWithin(F, I, [&](InstId N) {
      if (F.Insts[N].Opcode != Op::Load && isArray(N))
        Written[arrayOf(N)] = true;
      return false;
    });
  }

  bool isArray(InstId I) const {
    PlaceId P = F.Insts[I].Where;
    return P && F.Places[P].Base.Kind == BaseKind::Workgroup;
  }
  uint32_t arrayOf(InstId I) const {
    return F.Places[F.Insts[I].Where].Base.Index;
  }

  const Function &F;
  bool Known = false;        ///< the statement list has passed a barrier
  std::vector<bool> Written; ///< since then
};

class Zeros {
public:
  Zeros(const Module &M, const Function &F, const LanePlan &Plan,
        uint32_t Array)
      : M(M), F(F), Plan(Plan), Array(Array), Indices(F) {}

  bool needed() { return block(F.Body, State::Untouched) == State::Seen; }

private:
  /// Of the array, on the way to a statement.
  enum class State : uint8_t {
    Untouched,
    Written, ///< as a whole, and no barrier since
    Known,   ///< as a whole
    Mixed,   ///< on some ways; others have not touched it
    Seen     ///< its zeros may be seen
  };

  State block(BlockId B, State Now) {
    for (InstId I : F.Blocks[B].Insts) {
      if (Now == State::Known || Now == State::Seen)
        return Now;
      Now = statement(I, Now);
    }
    return Now;
  }

  State statement(InstId I, State Now) {
    const Inst &N = F.Insts[I];
    if (N.Opcode == Op::Barrier)
      return Now == State::Written ? State::Known : Now;
    if (!anyWithin(F, I, [&](InstId X) { return touches(X); }))
      return Now;
    if (Now != State::Untouched)
      return State::Seen;
    if (Plan.RegionOf[I] != NoRegion)
      return writesAll(I) ? State::Written : State::Seen;
    if (N.Opcode == Op::If)
      return either(block(N.Blocks[0], Now),
                    N.Blocks[1] ? block(N.Blocks[1], Now) : Now);
    if (N.Opcode != Op::Loop && N.Opcode != Op::Block)
      return State::Seen;
    return either(block(N.Blocks[0], Now), Now);
  }

  static State either(State A, State B) {
    if (A == State::Seen || B == State::Seen)
      return State::Seen;
    if (A == B)
      return A;
    return State::Mixed;
  }

  bool touches(InstId I) const {
    if (names(F, I, Array))
      return true;
    if (!isCollective(F.Insts[I].Opcode))
      return false;
    return std::any_of(F.operands(I).begin(), F.operands(I).end(),
                       [&](ValueId V) { return names(F, V, Array); });
  }

  /// A store by all work-items, one element each.
  bool writesAll(InstId I) {
    const Inst &N = F.Insts[I];
    const LaneRegion &R = Plan.Regions[Plan.RegionOf[I]];
    if (N.Opcode != Op::Store || F.guard(I) || !R.Exits.empty() ||
        !R.Absent.empty() || !standsIn(R, I))
      return false;
    const Place &P = F.Places[N.Where];
    uint64_t Bytes =
        M.Types.layout(F.WorkgroupArrays[WorkgroupId(Array)].Type).Size;
    uint64_t Each = M.Types.layout(P.Type).Size;
    uint64_t Items =
        uint64_t(F.WorkgroupSize[0]) * F.WorkgroupSize[1] * F.WorkgroupSize[2];
    return P.Path.size() == 1 && P.Path[0].isDynamic() &&
           Bytes == Each * Items && isOwn(P.Path[0].Index);
  }
  static bool standsIn(const LaneRegion &R, InstId I) {
    return std::find(R.Insts.begin(), R.Insts.end(), I) != R.Insts.end();
  }

  /// The work-item's number in its group.
  bool isOwn(ValueId Index) {
    const LinearIndex &L = Indices.of(Index);
    uint32_t Factor[3] = {};
    for (const LinearIndex::Product &P : L.Products) {
      const Inst &Id = F.Insts[P.Value];
      if (Id.Opcode != Op::LocalId)
        return false;
      Factor[Id.Imm] += P.Factor;
    }
    uint32_t Step = 1;
    for (unsigned A = 0; A < 3; ++A) {
      if (F.WorkgroupSize[A] > 1 && Factor[A] != Step)
        return false;
      Step *= F.WorkgroupSize[A];
    }
    return L.Constant == 0;
  }

  const Module &M;
  const Function &F;
  const LanePlan &Plan;
  uint32_t Array;
  LinearIndices Indices;
};

} // namespace

SideMap<Inst, bool> goldy::settledLoads(const Function &F) {
  return std::move(Settling(F).Settled);
}

void goldy::planArrays(const Module &M, const Function &F, LanePlan &Plan) {
  for (uint32_t A = 0; A < F.WorkgroupArrays.size(); ++A)
    Plan.Zeroed.set(WorkgroupId(A), Zeros(M, F, Plan, A).needed());
}
