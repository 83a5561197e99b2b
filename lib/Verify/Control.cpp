//===- Control.cpp - Rules on control statements
//----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// V40 each statement has the blocks it needs and no others · V41 exits name an
// enclosing statement that they may leave · V42 nothing leaves a continuing
// block but its last BreakIf · V43 For · V44 results · V45 helpers hold no
// barrier.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"

#include "goldyc/Analysis/Structure.h"

#include <algorithm>

namespace goldy::verifier {
namespace {

class ControlChecker {
public:
  ControlChecker(const Module &M, const Function &F, Reporter &R)
      : M(M), F(F), R(R) {}

  bool run() {
    for (uint32_t N = 0; N < F.Insts.size(); ++N)
      checkParts(InstId(N));
    if (!Good)
      return false;
    walk(F.Body, {});
    if (F.ReturnType != types::Void && fallsThrough(F, F.Body)) {
      R.rule(44, &F, F.Loc) << "a path of the helper returns no value";
      Good = false;
    }
    return Good;
  }

private:
  void checkParts(InstId I);
  void checkFor(InstId I);
  void walk(BlockId B, InstId ContinuingOf);
  void checkExit(InstId I);
  void checkReturn(InstId I);
  void complain(unsigned Rule, InstId I, const std::string &Text) {
    R.rule(Rule, F, I) << Text;
    Good = false;
  }
  /// Around the statement, but not across a continuing block.
  bool encloses(InstId Target) const {
    return std::find(Enclosing.begin() + Barrier, Enclosing.end(), Target) !=
           Enclosing.end();
  }

  const Module &M;
  const Function &F;
  Reporter &R;
  std::vector<InstId> Enclosing;
  /// Statements before this one lie outside the innermost continuing block.
  ptrdiff_t Barrier = 0;
  bool Good = true;
};

void ControlChecker::checkParts(InstId I) {
  const Inst &N = F.Insts[I];
  bool First = N.Blocks[0].isValid(), Second = N.Blocks[1].isValid();
  bool NeedsFirst = N.Opcode == Op::If || N.Opcode == Op::Loop ||
                    N.Opcode == Op::For || N.Opcode == Op::Block;
  bool MaySecond = N.Opcode == Op::If || N.Opcode == Op::Loop;
  if (First != NeedsFirst || (Second && !MaySecond))
    complain(40, I, "it does not have the blocks that it needs");
  bool Exit = N.Opcode == Op::Break || N.Opcode == Op::Continue;
  if (N.Target.isValid() != (Exit || N.Opcode == Op::LoopVar))
    complain(41, I, "it has a target exactly if it is an exit");
  if (N.Var.isValid() != (N.Opcode == Op::For))
    complain(43, I, "it has a variable exactly if it is a `for`");
  if (N.Callee.isValid() != (N.Opcode == Op::Call))
    complain(26, I, "it has a callee exactly if it is a call");
  if (N.Opcode == Op::For && Good)
    checkFor(I);
  if (opInfo(N.Opcode).Effects == Effect::Sync && F.Kind == FuncKind::Helper)
    complain(45, I, "a helper holds a barrier or a whole-group operation");
}

void ControlChecker::checkFor(InstId I) {
  const Inst &N = F.Insts[I];
  TypeId T = F.typeOf(F.operand(I, 0));
  if (!M.Types.isInteger(T) || F.typeOf(F.operand(I, 1)) != T)
    return complain(43, I, "its bounds are not integers of one type");
  const Inst &Var = F.Insts[N.Var];
  if (Var.Opcode != Op::LoopVar || Var.Target != I || Var.Type != T)
    complain(43, I, "its variable does not belong to it");
  if (N.Imm == 0)
    complain(43, I, "its step is zero");
}

void ControlChecker::walk(BlockId B, InstId ContinuingOf) {
  const std::vector<InstId> &Insts = F.Blocks[B].Insts;
  for (InstId I : Insts) {
    const Inst &N = F.Insts[I];
    if (N.Opcode == Op::Break || N.Opcode == Op::Continue)
      checkExit(I);
    if (N.Opcode == Op::Return)
      checkReturn(I);
    if (N.Opcode == Op::BreakIf && (!ContinuingOf || I != Insts.back()))
      complain(42, I, "it is not the last statement of a continuing block");
    Enclosing.push_back(I);
    if (N.Blocks[0])
      walk(N.Blocks[0], {});
    if (N.Blocks[1] && N.Opcode == Op::Loop) {
      ptrdiff_t Outer = Barrier;
      Barrier = static_cast<ptrdiff_t>(Enclosing.size());
      walk(N.Blocks[1], I);
      Barrier = Outer;
    } else if (N.Blocks[1]) {
      walk(N.Blocks[1], {});
    }
    Enclosing.pop_back();
  }
}

void ControlChecker::checkExit(InstId I) {
  const Inst &N = F.Insts[I];
  Op T = F.Insts[N.Target].Opcode;
  bool Loop = isLoop(T);
  if (!(Loop || (T == Op::Block && N.Opcode == Op::Break)))
    return complain(41, I, "its target is no statement of the right kind");
  if (!encloses(N.Target))
    complain(Barrier ? 42 : 41, I, "its target does not enclose it");
}

void ControlChecker::checkReturn(InstId I) {
  std::span<const ValueId> Operands = F.operands(I);
  TypeId T = Operands.empty() ? TypeId(types::Void) : F.typeOf(Operands[0]);
  if (T != F.ReturnType)
    complain(44, I, "it does not return `" + M.Types.name(F.ReturnType) + "`");
  if (Barrier)
    complain(42, I, "it leaves a continuing block");
}

} // namespace

bool checkControl(const Module &M, const Function &F, Reporter &R) {
  return ControlChecker(M, F, R).run();
}

} // namespace goldy::verifier
