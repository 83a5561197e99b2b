//===- LanesRun.cpp - What many groups do together ------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first choice of a kernel, such as the test for bounds, is about the
// greatest index of a group. If greater ids of groups only make it fail, a call
// asks for the greatest ids of its groups; where that passes, all of them do.
//
// Followed are the saturating sums and products that such tests are made of
// (Transforms/UpperBounds.cpp).
//
//===----------------------------------------------------------------------===//
#include "goldyc/Analysis/Lanes.h"

#include <algorithm>

using namespace goldy;

namespace {

/// What becomes of a value when ids of groups grow.
enum class Course : uint8_t { Same, Up, Down, Unknown };

class RunPlanner {
public:
  RunPlanner(const Function &F, LanePlan &Plan) : F(F), Plan(Plan) {}

  void run() {
    const std::vector<InstId> &Body = F.Blocks[F.Body].Insts;
    if (Body.empty() || !Plan.FirstChoice[Body.back()])
      return;
    for (InstId I : Body)
      Courses.set(I, course(I));
    Course Of = of(F.operand(Body.back(), 0));
    Plan.OnceARun.set(Body.back(), Of == Course::Same || Of == Course::Down);
  }

private:
  Course of(ValueId V) const {
    return opInfo(F.Insts[V].Opcode).Effects == Effect::Leaf ? Course::Same
                                                             : Courses[V];
  }
  bool rises(ValueId V) const {
    return F.typeOf(V) == types::U32 &&
           (of(V) == Course::Same || of(V) == Course::Up);
  }
  bool isSame(ValueId V) const { return of(V) == Course::Same; }

  Course course(InstId I) const {
    const Inst &N = F.Insts[I];
    std::span<const ValueId> Ops = F.operands(I);
    bool Ids = N.Opcode == Op::WorkgroupId || N.Opcode == Op::GlobalId;
    if (Ids) // of an axis with one work-item: a value of the group
      return Course::Up;
    if (std::all_of(Ops.begin(), Ops.end(),
                    [&](ValueId V) { return isSame(V); }))
      return Course::Same;
    switch (N.Opcode) {
    case Op::Min:
    case Op::Max:
      return rises(Ops[0]) && rises(Ops[1]) ? Course::Up : Course::Unknown;
    case Op::Select:
      return saturates(Ops) ? Course::Up : Course::Unknown;
    case Op::Lt:
    case Op::Le:
      return rises(Ops[0]) && isSame(Ops[1]) ? Course::Down : Course::Unknown;
    case Op::And:
    case Op::Or: {
      auto Falls = [&](ValueId V) {
        return isSame(V) || of(V) == Course::Down;
      };
      bool Both = N.Type == types::Bool && Falls(Ops[0]) && Falls(Ops[1]);
      return Both ? Course::Down : Course::Unknown;
    }
    default:
      return Course::Unknown;
    }
  }

  bool isMost(ValueId V) const {
    return F.isConst(V) && static_cast<uint32_t>(F.Insts[V].Imm) == ~0u;
  }
  bool isConstant(ValueId V, uint32_t &C) const {
    C = static_cast<uint32_t>(F.Insts[V].Imm);
    return F.isConst(V) && F.typeOf(V) == types::U32;
  }

  /// A sum or product, or the greatest number where it would wrap.
  bool saturates(std::span<const ValueId> Ops) const {
    const Inst &Cond = F.Insts[Ops[0]];
    if (F.operands(Cond).size() != 2 || F.typeOf(Ops[1]) != types::U32)
      return false;
    ValueId A = F.operands(Cond)[0], B = F.operands(Cond)[1];
    switch (Cond.Opcode) {
    case Op::Le:
      return isMost(Ops[2]) && rises(A) && isBelow(Ops[1], A, B);
    case Op::Lt:
      return isMost(Ops[1]) && A == Ops[2] && isSumWith(A, B);
    case Op::Eq:
      return isMost(Ops[2]) && isHighOf(A, B, Ops[1]);
    default:
      return false;
    }
  }

  /// X is A, or A times a constant that cannot wrap while A <= Most.
  bool isBelow(ValueId X, ValueId A, ValueId Most) const {
    uint32_t Limit, Factor;
    if (X == A)
      return isSame(Most);
    const Inst &N = F.Insts[X];
    return N.Opcode == Op::Mul && F.operand(X, 0) == A &&
           isConstant(Most, Limit) && isConstant(F.operand(X, 1), Factor) &&
           uint64_t(Limit) * Factor <= 0xffffffffu;
  }

  /// Sum = B + another, both rising.
  bool isSumWith(ValueId Sum, ValueId B) const {
    if (F.Insts[Sum].Opcode != Op::Add)
      return false;
    ValueId X = F.operand(Sum, 0), Y = F.operand(Sum, 1);
    return (X == B || Y == B) && rises(X) && rises(Y);
  }

  /// Zero == the high half of Product.
  bool isHighOf(ValueId High, ValueId Zero, ValueId Product) const {
    uint32_t Nothing;
    if (!isConstant(Zero, Nothing) || Nothing != 0 ||
        F.Insts[High].Opcode != Op::MulHi || F.Insts[Product].Opcode != Op::Mul)
      return false;
    std::span<const ValueId> H = F.operands(High), P = F.operands(Product);
    return rises(H[0]) && rises(H[1]) &&
           std::is_permutation(H.begin(), H.end(), P.begin(), P.end());
  }

  const Function &F;
  LanePlan &Plan;
  SideMap<Inst, Course> Courses{Course::Unknown};
};

} // namespace

void goldy::planRuns(const Function &F, LanePlan &Plan) {
  RunPlanner(F, Plan).run();
}
