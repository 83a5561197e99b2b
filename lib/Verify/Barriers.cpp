//===- Barriers.cpp - Barriers are reached uniformly
//------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// V60: a rule on the program, not on the IR's form. The error points at the
// barrier or whole-group operation; notes lead from the statement that splits
// the group back to the value that differs. V65: so does the index of a uniform
// load.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"

#include "goldyc/Analysis/Uniformity.h"

namespace goldy::verifier {
namespace {

/// What an instruction that makes a difference is to the reader.
std::string explain(const Function &F, InstId I) {
  const Inst &N = F.Insts[I];
  switch (N.Opcode) {
  case Op::GlobalId:
  case Op::LocalId:
    return "`" + std::string(opInfo(N.Opcode).Mnemonic) +
           "` differs between the work-items of a group";
  case Op::Load:
    return F.Places[N.Where].Base.Kind == BaseKind::Workgroup
               ? "work-items may read different values from workgroup memory"
               : "work-items may read different values here";
  case Op::Call:
    return "the result of this call differs between work-items";
  default:
    return "the old value of an atomic differs between work-items";
  }
}

bool isBranch(Op O) { return O == Op::If || O == Op::For || O == Op::BreakIf; }

class BarrierChecker {
public:
  BarrierChecker(const Module &M, const Function &F, Reporter &R)
      : F(F), R(R), U(analyseUniformity(M, F)) {}

  bool run() {
    for (const Block &B : F.Blocks)
      for (InstId I : B.Insts)
        check(I);
    return Good;
  }

private:
  void check(InstId I);
  void report(InstId I);
  void reportIndex(InstId I, ValueId Index);
  /// Notes that lead from `At` back to the value that differs.
  void trace(DiagBuilder &D, InstId At);
  /// The operand of a branch that varies, if one does.
  ValueId varyingOperand(InstId Branch) const {
    for (ValueId V : F.operands(Branch))
      if (!U.Value[V])
        return V;
    return {};
  }

  const Function &F;
  Reporter &R;
  Uniformity U;
  bool Good = true;
};

void BarrierChecker::check(InstId I) {
  const Inst &N = F.Insts[I];
  if (opInfo(N.Opcode).Effects != Effect::Sync)
    return;
  if (!U.Reached[I])
    return report(I);
  if (N.Opcode != Op::WorkgroupUniformLoad)
    return;
  for (const PathElement &E : F.Places[N.Where].Path)
    if (E.isDynamic() && !U.Value[E.Index])
      return reportIndex(I, E.Index);
}

void BarrierChecker::reportIndex(InstId I, ValueId Index) {
  Good = false;
  DiagBuilder D = R.sink().report(diag::G0565, F.Insts[I].Loc);
  D << "the index of `gpu::workgroup_uniform_load` differs between work-items";
  trace(D, U.Cause[Index]);
  D.help("read the element with `s[i]` after a barrier: the value then differs "
         "too");
}

void BarrierChecker::report(InstId I) {
  Good = false;
  Op O = F.Insts[I].Opcode;
  DiagBuilder D = R.sink().report(diag::G0560, F.Insts[I].Loc);
  D << (O == Op::Barrier ? std::string("barrier")
                         : "`" + std::string(opInfo(O).Mnemonic) + "`")
    << " is not reached uniformly by the whole workgroup";
  trace(D, U.Cause[I]);
  D.help(std::string("move the ") + (O == Op::Barrier ? "barrier" : "call") +
         " out of the divergent statement and put the condition around the "
         "work between " +
         (O == Op::Barrier ? "barriers" : "such calls") + " instead");
}

void BarrierChecker::trace(DiagBuilder &D, InstId At) {
  // A slot may differ because an earlier branch stored into it: follow a few.
  for (unsigned Steps = 0; At && isBranch(F.Insts[At].Opcode) && Steps < 4;
       ++Steps) {
    ValueId Condition = varyingOperand(At);
    Span Where = Condition && F.Insts[Condition].Loc.isValid()
                     ? F.Insts[Condition].Loc
                     : F.Insts[At].Loc;
    D.note(Where, F.Insts[At].Opcode == Op::For
                      ? "the number of repetitions differs between work-items"
                      : "work-items go different ways here");
    At = Condition ? U.Cause[Condition] : InstId();
  }
  if (At && !isBranch(F.Insts[At].Opcode) && F.Insts[At].Loc.isValid())
    D.note(F.Insts[At].Loc, explain(F, At));
}

} // namespace

bool checkBarriers(const Module &M, const Function &F, Reporter &R) {
  bool Any = false;
  for (const Block &B : F.Blocks)
    for (InstId I : B.Insts)
      Any |= opInfo(F.Insts[I].Opcode).Effects == Effect::Sync;
  return !Any || BarrierChecker(M, F, R).run();
}

} // namespace goldy::verifier
