//===- CoarsenVersion.cpp - The common case of a kernel in front ---------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test is expected to pass if it can be computed at the kernel's beginning
// and is: the guard of an access that every work-item in the common case comes
// to; the condition of an `if` that orders something varying against something
// uniform and has nothing to do otherwise, or of a group's own (what the bounds
// pass asks before it leaves guards out); a condition under which the kernel
// returns at once, which is expected to fail. Everything else stays where it
// is.
//
//===----------------------------------------------------------------------===//
#include "CoarsenVersion.h"
#include "RewritePass.h"

#include "goldyc/Analysis/Structure.h"
#include "goldyc/Analysis/Uniformity.h"

#include <algorithm>

namespace goldy {
namespace {

/// Instructions that all tests of a kernel may take.
constexpr unsigned MaxTestWork = 128;

enum class Expect : uint8_t { Open, Pass, Fail };

/// A uniform condition under which, or under whose opposite, a statement is.
struct Under {
  ValueId Condition;
  bool Holds = true;
};

struct Test {
  ValueId Value;
  Expect Outcome = Expect::Pass;
  std::vector<Under> Where; ///< it matters under all of these
};

/// The tests of a kernel, in program order.
class Expectations {
public:
  Expectations(const Module &M, const Function &F)
      : F(F), U(analyseUniformity(M, F, Among::Columns)),
        OfGroup(analyseUniformity(M, F)), Place(F) {
    walk(F.Body);
  }
  /// What an If or the guard of an access comes to where all tests pass.
  Expect operator[](InstId I) const {
    if (Of[I] != Expect::Open)
      return Of[I];
    ValueId C = F.Insts[I].Opcode == Op::If ? F.operand(I, 0) : F.guard(I);
    return C ? Everywhere[C] : Expect::Open;
  }
  const std::vector<Test> &tests() const { return Tests; }

private:
  void walk(BlockId B);
  void walkUnder(InstId I);
  void visitIf(InstId I);
  bool expect(InstId I, ValueId V, Expect E);
  bool isEarly(ValueId V, std::vector<ValueId> &Work) const;
  bool ordersVarying(ValueId V) const;
  bool returnsOnly(BlockId B) const;
  bool touchesNothing(BlockId B) const;

  const Function &F;
  const Uniformity U, OfGroup;
  const Structure Place;
  SideMap<Inst, Expect> Of{Expect::Open};         ///< of statements
  SideMap<Inst, Expect> Everywhere{Expect::Open}; ///< of conditions
  SideMap<Inst, bool> Counted{false};
  std::vector<Test> Tests;
  std::vector<Under> Where; ///< the walk stands under these
  size_t Work = 0;
};

/// Statements that every work-item of the common case comes to.
void Expectations::walk(BlockId B) {
  for (InstId I : F.Blocks[B].Insts) {
    const Inst &N = F.Insts[I];
    if (N.Opcode == Op::If)
      visitIf(I);
    else if (N.Opcode == Op::Block || N.Opcode == Op::Loop)
      walk(N.Blocks[0]);
    else if (ValueId Guard = F.guard(I); Guard && !U.Value[Guard])
      expect(I, Guard, Expect::Pass);
  }
}

/// What stands under a uniform condition is tested together with it.
void Expectations::walkUnder(InstId I) {
  const Inst &N = F.Insts[I];
  std::vector<ValueId> More;
  if (!isEarly(F.operand(I, 0), More))
    return;
  for (unsigned K = 0; K < 2; ++K) {
    if (!N.Blocks[K])
      continue;
    Where.push_back({F.operand(I, 0), K == 0});
    walk(N.Blocks[K]);
    Where.pop_back();
  }
}

void Expectations::visitIf(InstId I) {
  const Inst &N = F.Insts[I];
  ValueId C = F.operand(I, 0);
  if (U.Value[C])
    return walkUnder(I);
  if (!N.Blocks[1] && returnsOnly(N.Blocks[0]))
    expect(I, C, Expect::Fail);
  else if (ordersVarying(C) &&
           (OfGroup.Value[C] || !N.Blocks[1] || touchesNothing(N.Blocks[1])) &&
           expect(I, C, Expect::Pass))
    walk(N.Blocks[0]);
}

/// Adds the test if it can be made early.
bool Expectations::expect(InstId I, ValueId V, Expect E) {
  if (Everywhere[V] != Expect::Open)
    return Everywhere[V] == E;
  std::vector<ValueId> More;
  bool Early = isEarly(V, More);
  for (const Under &C : Where)
    Early = Early && isEarly(C.Condition, More);
  if (!Early || Work + More.size() > MaxTestWork)
    return false;
  Work += More.size();
  for (ValueId W : More)
    Counted.set(W, true);
  Of.set(I, E);
  if (Where.empty())
    Everywhere.set(V, E);
  Tests.push_back({V, E, Where});
  return true;
}

/// Made of ids, lengths, scalars and constants alone. Adds what it takes that
/// is not computed anyway.
bool Expectations::isEarly(ValueId V, std::vector<ValueId> &More) const {
  const Inst &N = F.Insts[V];
  if (opInfo(N.Opcode).Effects == Effect::Leaf)
    return N.Opcode != Op::LoopVar;
  // Machine operations may stand behind a test of their operands.
  bool Raw = N.Opcode >= Op::RawDiv && N.Opcode <= Op::RawFloatToInt;
  if (Raw && (N.NumOperands != 2 || !F.isConst(F.operand(V, 1))))
    return false;
  if (!isPure(N.Opcode) || More.size() > MaxTestWork)
    return false;
  if (std::ranges::find(More, V) != More.end())
    return true;
  if (!Counted[V] && Place.blockOf(V) != F.Body)
    More.push_back(V);
  return std::ranges::all_of(F.operands(V),
                             [&](ValueId W) { return isEarly(W, More); });
}

/// `varying < uniform` and the like, or several of them at once.
bool Expectations::ordersVarying(ValueId V) const {
  const Inst &N = F.Insts[V];
  if (N.Opcode == Op::And)
    return ordersVarying(F.operand(V, 0)) && ordersVarying(F.operand(V, 1));
  if (!isOrder(N.Opcode))
    return false;
  return U.Value[F.operand(V, 0)] || U.Value[F.operand(V, 1)] ||
         F.isConst(F.operand(V, 0)) || F.isConst(F.operand(V, 1));
}

bool Expectations::returnsOnly(BlockId B) const {
  const std::vector<InstId> &List = F.Blocks[B].Insts;
  return List.size() == 1 && F.Insts[List[0]].Opcode == Op::Return;
}

/// Nothing but private values are computed.
bool Expectations::touchesNothing(BlockId B) const {
  return std::ranges::all_of(F.Blocks[B].Insts, [&](InstId I) {
    const Inst &N = F.Insts[I];
    return isPure(N.Opcode) || (N.Opcode == Op::Store && F.slotOf(I));
  });
}

class Versioner : public Rewriter {
public:
  Versioner(Module &M, const Function &F, const Expectations &E)
      : Rewriter(M, F), E(E) {}

  VersionedKernel version() {
    Dst.Body = B.newBlock();
    B.setBlock(Dst.Body);
    InstId Test = B.createIf(allPass(), true);
    B.setBlock(Dst.Insts[Test].Blocks[0]);
    Common = true;
    copyBlock(Src.Body);
    Common = false;
    for (uint32_t N = 0; N < Src.Slots.size(); ++N)
      setSlot(SlotId(N), Dst.Slots.push(Slot(Src.Slots[SlotId(N)])));
    B.setBlock(Dst.Insts[Test].Blocks[1]);
    copyBlock(Src.Body);
    return {std::move(Dst), Test};
  }

protected:
  InstId visit(InstId I) override { return Common ? common(I) : copy(I); }

private:
  ValueId allPass();
  void early(ValueId V);
  ValueId negated(ValueId V);
  InstId common(InstId I);

  const Expectations &E;
  bool Common = false;
  SideMap<Inst, bool> Made{false};
};

ValueId Versioner::allPass() {
  ValueId All;
  for (const Test &T : E.tests()) {
    early(T.Value);
    ValueId Pass = T.Outcome == Expect::Pass ? map(T.Value) : negated(T.Value);
    for (const Under &U : T.Where) {
      early(U.Condition);
      ValueId Other = map(U.Condition);
      if (U.Holds)
        Other = B.op(Op::Not, {Other});
      Pass = B.op(Op::Or, {Pass, Other});
    }
    All = All ? B.op(Op::And, {All, Pass}) : Pass;
  }
  return All ? All : B.boolean(true);
}

/// Computes an old value at the kernel's beginning.
void Versioner::early(ValueId V) {
  if (opInfo(Src.Insts[V].Opcode).Effects == Effect::Leaf || Made[V])
    return;
  for (ValueId W : Src.operands(V))
    early(W);
  Made.set(V, true);
  copy(V);
}

/// `!V` as `&` of orders of integers, where it can be.
ValueId Versioner::negated(ValueId V) {
  const Inst &N = Src.Insts[V];
  if (N.Opcode == Op::Or)
    return B.op(Op::And,
                {negated(Src.operand(V, 0)), negated(Src.operand(V, 1))});
  if (!isOrder(N.Opcode) || M.Types.isFloat(Src.typeOf(Src.operand(V, 0))))
    return B.op(Op::Not, {map(V)});
  constexpr Op Opposite[] = {Op::Ge, Op::Gt, Op::Le, Op::Lt};
  return B.op(Opposite[unsigned(N.Opcode) - unsigned(Op::Lt)],
              {map(Src.operand(V, 0)), map(Src.operand(V, 1))});
}

/// A statement of the work-items that pass all tests.
InstId Versioner::common(InstId I) {
  const Inst &N = Src.Insts[I];
  if (N.Opcode == Op::If && E[I] != Expect::Open) {
    if (E[I] == Expect::Pass)
      copyBlock(N.Blocks[0]);
    else if (N.Blocks[1])
      copyBlock(N.Blocks[1]);
    return {};
  }
  if (!Src.guard(I) || E[I] != Expect::Pass)
    return copy(I);
  Inst New = N;
  New.Flags = static_cast<uint8_t>(New.Flags & ~FlagGuarded);
  New.Where = mapPlace(N.Where);
  std::vector<ValueId> Operands;
  for (ValueId V : Src.arguments(I))
    Operands.push_back(map(V));
  return B.append(New, Operands);
}

} // namespace

VersionedKernel versionKernel(Module &M, const Function &F) {
  Expectations E(M, F);
  return Versioner(M, F, E).version();
}

} // namespace goldy
