//===- SubnormalUses.cpp - Where a subnormal differs from zero ------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SubnormalUses.h"

using namespace goldy;

SubnormalUses::SubnormalUses(const Function &F) : F(F), Seen(F.Insts.size()) {
  do {
    Changed = false;
    for (uint32_t N = F.Insts.size(); N-- > 0;)
      visit(InstId(N));
  } while (Changed);
}

void SubnormalUses::visit(InstId I) {
  const Inst &N = F.Insts[I];
  if (N.Where && N.Opcode != Op::Len) {
    bool Loads = N.Opcode == Op::Load && N.Type == types::F32;
    bool Stores =
        N.Opcode == Op::Store && F.typeOf(F.operand(I, 0)) == types::F32;
    if ((Loads && Seen[I.index()]) || (!Loads && !Stores))
      seeMemory(I);
    if (Stores && isOwnMemory(I) && !SeenMemory.contains(memoryOf(I)))
      return;
  }
  if (readsSubnormalsAsZero(N.Opcode) ||
      (passesFloatsOn(N.Opcode) && !Seen[I.index()]))
    return;
  for (ValueId V : F.operands(I))
    see(V);
}

void SubnormalUses::see(ValueId V) {
  Changed |= !Seen[V.index()];
  Seen[V.index()] = true;
}

bool SubnormalUses::isOwnMemory(InstId I) const {
  const Place &P = F.Places[F.Insts[I].Where];
  return (P.Base.Kind == BaseKind::Slot ||
          P.Base.Kind == BaseKind::Workgroup) &&
         P.Type == types::F32;
}

void SubnormalUses::seeMemory(InstId I) {
  Changed |= SeenMemory.insert(memoryOf(I)).second;
}
