//===- LanesSplit.cpp - Vectors of a row before the first that fails ------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most kernels begin with `if i < n`. Along a row of the group `i` grows by one
// from lane to lane, so the vectors in which all lanes pass are the first ones,
// and how many they are follows from the row's first id. They run without a
// test; the others, of which one at most has some lanes that pass, under masks.
//
// *Exact.* Where first + lane < bound as whole numbers, no id up to that lane
// has wrapped, so the program's comparison has the same outcome.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Analysis/Lanes.h"

#include <algorithm>
#include <optional>

using namespace goldy;

namespace {

/// Statements behind the guard that are there twice.
constexpr size_t MaxCopied = 8;
/// Steps from a local id to what is compared.
constexpr unsigned MaxSteps = 8;

class SplitFinder {
public:
  SplitFinder(const Function &F, const LanePlan &Plan, uint32_t Number)
      : F(F), Plan(Plan), Number(Number), Region(Plan.Regions[Number]) {}

  std::optional<RowSplit> find() {
    if (Region.Cold || Region.Whole || !Region.Absent.empty())
      return std::nullopt;
    size_t At = 0;
    while (At < Region.Insts.size() && !F.Insts[Region.Insts[At]].Blocks[0])
      ++At;
    if (At == Region.Insts.size() || Region.takes(Region.Insts[At]) ||
        !isGuard(Region.Insts[At]))
      return std::nullopt;
    bool Exits = !fallsThrough(F, F.Insts[Split.Guard].Blocks[0]);
    bool Copies = !Exits && Region.Insts.size() - At - 1 > MaxCopied;
    if (Copies || !othersStayTogether() || !compares())
      return std::nullopt;
    return Split;
  }

private:
  bool isGuard(InstId I) {
    const Inst &N = F.Insts[I];
    bool Else = N.Blocks[1] && !F.Blocks[N.Blocks[1]].Insts.empty();
    Split.Guard = I;
    Split.Outcome = fallsThrough(F, N.Blocks[0]);
    return N.Opcode == Op::If && Plan.Vector.Divergent[I] && !Else;
  }

  /// Lanes part at the guard and nowhere else.
  bool othersStayTogether() const {
    bool Together = true;
    auto Look = [&](InstId I) {
      const Inst &N = F.Insts[I];
      bool Control = N.Blocks[0] || N.Opcode == Op::BreakIf;
      Together &= I == Split.Guard ||
                  !(Control && (Plan.Vector.Divergent[I] ||
                                Plan.HasDivergentExit[I] || Plan.VersionAt[I]));
    };
    forEachOf(F, Region.Insts, Look);
    return Together;
  }

  bool compares() {
    ValueId Cond = F.operand(Split.Guard, 0);
    const Inst &N = F.Insts[Cond];
    bool Less = N.Opcode == Op::Lt || N.Opcode == Op::Le;
    bool Greater = N.Opcode == Op::Gt || N.Opcode == Op::Ge;
    if (!Less && !Greater)
      return false;
    // As `id < bound` or `id <= bound`.
    bool Left = Less == Split.Outcome;
    Split.Id = F.operand(Cond, Left ? 0 : 1);
    Split.Bound = F.operand(Cond, Left ? 1 : 0);
    bool Strict = N.Opcode == Op::Lt || N.Opcode == Op::Gt;
    Split.Inclusive = Strict != Split.Outcome;
    TypeId T = F.typeOf(Split.Id);
    return (T == types::U32 || T == types::I32) && isKnown(Split.Bound) &&
           growsByOne(Split.Id, MaxSteps);
  }

  /// Computed before the region, the same in all rows.
  bool isKnown(ValueId V) const {
    bool Before = opInfo(F.Insts[V].Opcode).Effects == Effect::Leaf ||
                  Plan.RegionOf[V] == NoRegion;
    return Before && Plan.Vector.Value[V].Shape == LaneShape::Uniform &&
           !Plan.OfRow[V];
  }

  /// From lane to lane, across the vectors of a row.
  bool growsByOne(ValueId V, unsigned Steps) {
    const Inst &N = F.Insts[V];
    if (Steps == 0 || Plan.RegionOf[V] != Number || Plan.OfRow[V])
      return false;
    bool Grows = false;
    switch (N.Opcode) {
    case Op::LocalId:
    case Op::GlobalId:
      Grows = N.Imm == 0;
      break;
    case Op::Cast:
      Grows = growsByOne(F.operand(V, 0), Steps - 1);
      break;
    case Op::Add:
      Grows =
          (isKnown(F.operand(V, 1)) &&
           growsByOne(F.operand(V, 0), Steps - 1)) ||
          (isKnown(F.operand(V, 0)) && growsByOne(F.operand(V, 1), Steps - 1));
      break;
    case Op::Sub:
      Grows =
          isKnown(F.operand(V, 1)) && growsByOne(F.operand(V, 0), Steps - 1);
      break;
    default:
      break;
    }
    TypeId T = N.Type;
    Grows &= T == types::U32 || T == types::I32;
    if (Grows)
      Split.Chain.push_back(V);
    return Grows;
  }

  const Function &F;
  const LanePlan &Plan;
  uint32_t Number;
  const LaneRegion &Region;
  RowSplit Split;
};

} // namespace

void goldy::planSplits(const Function &F, LanePlan &Plan) {
  for (uint32_t R = 0; R < Plan.Regions.size(); ++R)
    if (std::optional<RowSplit> Split = SplitFinder(F, Plan, R).find())
      Plan.Regions[R].Split = std::move(*Split);
}
