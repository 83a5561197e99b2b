//===- Phases.cpp - What happens between barriers -------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/Analysis/Phases.h"

#include "goldyc/Analysis/Structure.h"

namespace goldy {
namespace {

/// What a piece of code does first.
enum class First : uint8_t { Neither, Meets, Accesses };

bool accessesArray(const Function &F, InstId I) {
  const Inst &N = F.Insts[I];
  return accessesPlace(N.Opcode) &&
         F.Places[N.Where].Base.Kind == BaseKind::Workgroup;
}

bool isMeeting(const Function &F, InstId I) {
  Op O = F.Insts[I].Opcode;
  return opInfo(O).Effects == Effect::Sync && !exchangesLanes(O);
}

First firstOf(const Function &F, BlockId B);

/// A loop or block may be left from anywhere: what it does counts at once.
First firstOfStatement(const Function &F, InstId I) {
  const Inst &N = F.Insts[I];
  if (N.Opcode == Op::If) {
    First A = firstOf(F, N.Blocks[0]);
    First C = N.Blocks[1] ? firstOf(F, N.Blocks[1]) : First::Neither;
    return A == C ? A : First::Accesses;
  }
  bool Any = false;
  forEachWithin(
      F, I, [&](InstId X) { Any |= accessesArray(F, X) || isMeeting(F, X); });
  return Any ? First::Accesses : First::Neither;
}

First firstOf(const Function &F, BlockId B) {
  for (InstId I : F.Blocks[B].Insts) {
    if (isMeeting(F, I))
      return First::Meets;
    if (accessesArray(F, I))
      return First::Accesses;
    First Inner = firstOfStatement(F, I);
    if (Inner != First::Neither)
      return Inner;
  }
  return First::Neither;
}

} // namespace

bool meetsBeforeArrays(const Function &F) {
  return firstOf(F, F.Body) != First::Accesses;
}

} // namespace goldy
