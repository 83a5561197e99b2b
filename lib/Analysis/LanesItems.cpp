//===- LanesItems.cpp - Regions that few work-items run -------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `if l < 8 { … }` between two barriers is no work for most of a row. Where
// every effect of a region stands under such a choice, its loop over vectors
// ends where the items do, its vectors are as wide as divides them, and choices
// that all of them take are none.
//
//===----------------------------------------------------------------------===//
#include "LanesRegions.h"

#include <algorithm>
#include <bit>

using namespace goldy;

namespace {

/// Operations of all registers that wide code of a region has at most if one
/// register is better for it.
constexpr unsigned MostShared = 640;

class ItemFinder {
public:
  ItemFinder(const Function &F, LanePlan &Plan)
      : F(F), Plan(Plan), Row(F.WorkgroupSize[0]) {}

  void region(LaneRegion &R) {
    bool AtOnce = R.Whole || changesShared(Plan, R);
    R.Width = AtOnce ? Plan.Width : Plan.Machine * R.Interleave.Registers;
    R.ByRegister = AtOnce && !R.Whole && isBetterNarrow(R);
    R.Items = Row;
    if (Plan.Width == 1 || AtOnce || !R.Exits.empty() || !R.Absent.empty() ||
        !R.UniformWrites.empty() || !R.Keeps.empty() || hasArray(R))
      return;
    R.Items = std::min(Row, itemsOf(R.Insts));
    if (R.Items == Row)
      return;
    R.Width = widthFor(R.Items, mostLanes(R), goesLaneByLane(R));
    for (InstId I : R.Insts)
      if (F.Insts[I].Opcode == Op::If && passes(F.operand(I, 0)) >= R.Items)
        R.Taken.push_back(I);
  }

private:
  /// Wide only because of what it changes, and what it does is for one register
  /// a time, or too much for all of them.
  bool isBetterNarrow(const LaneRegion &R) const {
    unsigned Registers = Plan.Width / Plan.Machine;
    return Registers > R.Interleave.Registers &&
           (R.Interleave.Why == InterleaveReason::LaneByLane ||
            R.Interleave.Size * Registers > MostShared);
  }
  template <class Fn> bool any(const LaneRegion &R, const Fn &Holds) const {
    bool Any = false;
    auto Look = [&](InstId I) { Any |= Holds(F.Insts[I]); };
    forEachOf(F, R.Insts, Look);
    return Any;
  }
  /// Arrays of a work-item's own lie in memory by the plan's lanes.
  bool hasArray(const LaneRegion &R) const {
    return any(R, [&](const Inst &N) {
      return N.Where && F.Places[N.Where].Base.Kind == BaseKind::Slot &&
             !F.Places[N.Where].Path.empty();
    });
  }
  bool goesLaneByLane(const LaneRegion &R) const {
    return any(R, [](const Inst &N) {
      return isAtomic(N.Opcode) || N.Opcode == Op::Debug ||
             N.Opcode == Op::Watch;
    });
  }

  /// Short code without loops takes what a quarter of the registers hold, or
  /// beside rows that lie in memory what all do: what the region before has
  /// stored comes from registers then.
  unsigned mostLanes(const LaneRegion &R) const {
    constexpr unsigned Short = 8;
    bool Loops = any(R, [](const Inst &N) { return N.Opcode == Op::Loop; });
    if (Loops || R.Cold || R.Items < Plan.Machine ||
        R.Interleave.Size > Short ||
        R.Interleave.Why == InterleaveReason::LaneByLane)
      return R.Width;
    unsigned Registers = Plan.MachineRegisters;
    bool Rows = Plan.Width / Plan.Machine >= Registers;
    return std::min(
        Plan.Width,
        std::max(R.Width, Plan.Machine * (Rows ? Registers : Registers / 4)));
  }

  /// Whole vectors if that can be; of several registers only if so.
  unsigned widthFor(uint32_t Items, unsigned Most, bool OneByOne) const {
    if (Items < MinLanes)
      return OneByOne ? Most : 1;
    unsigned Down = std::min<unsigned>(Most, std::bit_floor(Items));
    unsigned Up = std::min<unsigned>(Most, std::bit_ceil(Items));
    if (Items % Down == 0)
      return Down;
    return std::min(Up, Plan.Machine);
  }

  bool isLocalX(ValueId V) const {
    return F.Insts[V].Opcode == Op::LocalId && F.Insts[V].Imm == 0;
  }

  /// A comparison of local_id.x with a constant: `From <= x < To` passes.
  struct Span {
    uint32_t From, To;
  };
  Span span(ValueId V) const {
    const Inst &N = F.Insts[V];
    Span All{0, Row};
    if (N.NumOperands != 2)
      return All;
    ValueId A = F.operand(V, 0), C = F.operand(V, 1);
    bool Swapped = F.isConst(A) && isLocalX(C);
    if (Swapped)
      std::swap(A, C);
    if (!isLocalX(A) || !F.isConst(C))
      return All;
    return compared(Swapped ? mirrored(N.Opcode) : N.Opcode,
                    static_cast<uint32_t>(F.Insts[C].Imm));
  }
  static Op mirrored(Op O) {
    switch (O) {
    case Op::Lt:
      return Op::Gt;
    case Op::Le:
      return Op::Ge;
    case Op::Gt:
      return Op::Lt;
    case Op::Ge:
      return Op::Le;
    default:
      return O;
    }
  }
  Span compared(Op O, uint32_t C) const {
    uint32_t After = C < Row ? C + 1 : Row;
    switch (O) {
    case Op::Lt:
      return {0, std::min(C, Row)};
    case Op::Le:
      return {0, After};
    case Op::Eq:
      return {std::min(C, Row), After};
    default:
      return {0, Row};
    }
  }

  /// No item from here on passes.
  uint32_t bound(ValueId Cond) const {
    if (F.Insts[Cond].Opcode == Op::And)
      return std::min(bound(F.operand(Cond, 0)), bound(F.operand(Cond, 1)));
    return span(Cond).To;
  }
  /// All items up to here pass.
  uint32_t passes(ValueId Cond) const {
    const Inst &N = F.Insts[Cond];
    bool Compares = N.Opcode == Op::Lt || N.Opcode == Op::Le ||
                    N.Opcode == Op::Eq || N.Opcode == Op::Gt ||
                    N.Opcode == Op::Ge;
    Span S = span(Cond);
    return Compares && S.From == 0 && S.To < Row ? S.To : 0;
  }

  /// Work-items from here on do nothing in these statements.
  uint32_t itemsOf(const std::vector<InstId> &List) const {
    uint32_t Most = 0;
    for (InstId I : List) {
      const Inst &N = F.Insts[I];
      if (isPure(N.Opcode) || N.Opcode == Op::Load)
        continue; // nobody else wants the value
      bool Choice = N.Opcode == Op::If && !N.Blocks[1];
      uint32_t Here = Choice ? bound(F.operand(I, 0)) : Row;
      Most = std::max(Most, Here);
    }
    return Most == 0 ? Row : Most;
  }

  const Function &F;
  LanePlan &Plan;
  uint32_t Row;
};

} // namespace

void goldy::planItems(const Function &F, LanePlan &Plan) {
  ItemFinder Finder(F, Plan);
  for (LaneRegion &R : Plan.Regions)
    Finder.region(R);
}
