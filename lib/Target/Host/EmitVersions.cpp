//===- EmitVersions.cpp - Copies in which all lanes pass every test -------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plan's versions (lib/Analysis/LanesVersions.cpp): scalar tests once a
// vector, then statements whose comparisons are known, without masks and with
// loops of few trips unrolled; or the same statements as they are.
//
//===----------------------------------------------------------------------===//
#include "Emitter.h"

#include "llvm/ADT/STLExtras.h"

using namespace goldy;
using namespace llvm;

/// Emits the version that starts at the list's statement `From`, both copies.
/// The index of its last statement.
size_t HostEmitter::versionedRun(const std::vector<InstId> &List, size_t From) {
  const LaneVersion &Version = Plan.Versions[Plan.VersionAt[List[From]] - 1];
  size_t To = From;
  while (List[To] != Version.To)
    ++To;
  bool Redone = mayNarrow();
  BasicBlock *Passed = newBlock("passed");
  BasicBlock *Tested = Redone ? Narrow : newBlock("tested");
  BasicBlock *Join = newBlock("version.end");
  B.CreateCondBr(passes(Version), Passed, Tested);
  B.SetInsertPoint(Passed);
  Chosen = &Version;
  Outcomes = {Version.Outcomes.begin(), Version.Outcomes.end()};
  ++Versions;
  runOf(List, From, To);
  --Versions;
  Chosen = nullptr;
  Passed = B.GetInsertBlock();
  B.CreateBr(Join);
  if (Redone) {
    B.SetInsertPoint(Join);
    return To;
  }
  std::vector<std::pair<Value **, Value *>> Known;
  for (size_t N = From; N <= To; ++N)
    rowsInStep(Plan.OfRow[List[N]],
               [&] { Known.push_back({&valueOf(List[N]), valueOf(List[N])}); });
  B.SetInsertPoint(Tested);
  runOf(List, From, To);
  BasicBlock *Else = B.GetInsertBlock();
  B.CreateBr(Join);
  B.SetInsertPoint(Join);
  for (const auto &[Now, There] : Known) {
    if (!*Now || *Now == There)
      continue;
    PHINode *Phi = B.CreatePHI(There->getType(), 2);
    Phi->addIncoming(There, Passed);
    Phi->addIncoming(*Now, Else);
    *Now = Phi;
  }
  return To;
}

/// No lane leaves the statements: the mask stays as it is.
void HostEmitter::runOf(const std::vector<InstId> &List, size_t From,
                        size_t To) {
  for (size_t N = From; N <= To; ++N)
    statement(List[N]);
}

/// Of all rows of a pass.
Value *HostEmitter::passes(const LaneVersion &Version) {
  Value *All = nullptr;
  for (const LaneTest &T : Version.Tests) {
    bool OfRow = false;
    for (const auto &[V, Factor] : T.Values)
      OfRow |= Plan.OfRow[V];
    rowsInStep(OfRow, [&] {
      Value *Holds = holds(T);
      All = All ? B.CreateAnd(All, Holds) : Holds;
    });
  }
  for (uint32_t Param : Version.Near) {
    Value *Short = B.CreateICmpULE(ParamLengths[Param], B.getInt32(MaxNear));
    All = All ? B.CreateAnd(All, Short) : Short;
  }
  return All ? All : B.getTrue();
}

Value *HostEmitter::holds(const LaneTest &T) {
  Value *Sum = B.getInt64(static_cast<uint64_t>(T.Constant));
  for (const auto &[V, Factor] : T.Values) {
    Value *X = scalar(V);
    X = F.typeOf(V) == types::I32 ? B.CreateSExt(X, I64) : B.CreateZExt(X, I64);
    Sum = B.CreateAdd(
        Sum, B.CreateMul(X, B.getInt64(static_cast<uint64_t>(Factor))));
  }
  return B.CreateICmpSGE(Sum, B.getInt64(0));
}

/// What is left of a condition where the chosen version's comparisons are
/// known: a scalar, or null if lanes may still differ.
Value *HostEmitter::uniformPart(ValueId Cond, unsigned Depth) {
  std::map<ValueId, bool>::const_iterator Known = Outcomes.find(Cond);
  if (Known != Outcomes.end())
    return B.getInt1(Known->second);
  const Inst &N = F.Insts[Cond];
  Value *Scalar = Shapes->Value[Cond].isScalar() ? scalar(Cond) : nullptr;
  bool All = N.Opcode == Op::And;
  if (Depth == 0 || (!All && N.Opcode != Op::Or && N.Opcode != Op::Not))
    return Scalar;
  Value *Left = uniformPart(F.operand(Cond, 0), Depth - 1);
  if (N.Opcode == Op::Not)
    return Left ? B.CreateNot(Left) : nullptr;
  Value *Right = uniformPart(F.operand(Cond, 1), Depth - 1);
  for (auto [One, Other] : {std::pair(Left, Right), std::pair(Right, Left)})
    if (ConstantInt *Is = dyn_cast_or_null<ConstantInt>(One))
      return Is->isOne() == All ? Other : One;
  if (!Left || !Right)
    return Scalar;
  return All ? B.CreateAnd(Left, Right) : B.CreateOr(Left, Right);
}

/// A loop of known trips, in which no lane leaves before the last.
bool HostEmitter::unrolledLoop(InstId I) {
  const Inst &N = F.Insts[I];
  for (uint32_t Trip = 0; Trip < Plan.Unrolled[I]; ++Trip) {
    statements(F.Blocks[N.Blocks[0]].Insts);
    for (InstId Inner : F.Blocks[N.Blocks[1]].Insts)
      if (F.Insts[Inner].Opcode != Op::BreakIf)
        statement(Inner);
  }
  return true;
}

/// Of a loop or block in the chosen copy: no lane leaves it alone.
bool HostEmitter::staysTogether(InstId Statement) const {
  return Chosen && llvm::is_contained(Chosen->Together, Statement);
}
