//===- Shadow.cpp - Who touched which bytes -------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "cpu/Shadow.h"

#include <algorithm>
#include <bit>

using namespace goldy::rt;

/// Each cell becomes 2^By of the same history.
void Shadow::split(std::vector<Pair> &Cells, unsigned By) {
  std::vector<Pair> Finer(Cells.size() << By);
  for (size_t N = 0; N < Finer.size(); ++N)
    Finer[N] = Cells[N >> By];
  Cells = std::move(Finer);
}

Shadow::Page &Shadow::pageOf(uint64_t Address, unsigned CellShift) {
  uint64_t Number = Address >> PageShift;
  if (Number != LastNumber) {
    std::unique_ptr<Page> &P = Pages[Number];
    if (!P)
      P = std::make_unique<Page>();
    Last = P.get();
    LastNumber = Number;
  }
  if (CellShift < Last->CellShift) {
    unsigned By = Last->CellShift - CellShift;
    for (std::vector<Pair> &Cells : Last->Kinds)
      split(Cells, By);
    Last->CellShift = CellShift;
  }
  return *Last;
}

/// Barriers order the work-items of a group, nothing orders groups.
bool Shadow::unordered(const AccessRecord &A, const AccessRecord &B) const {
  if (A.Group != B.Group)
    return Shared;
  return A.Item != B.Item && A.Epoch == B.Epoch;
}

void Shadow::add(Pair &P, const AccessRecord &Now) const {
  bool FromFar = Shared && P.Other.Site && P.Other.Group != Now.Group;
  if (!FromFar) {
    if (P.Last.Site && unordered(P.Last, Now))
      P.Other = P.Last;
    else if (P.Other.Site && !unordered(P.Other, Now))
      P.Other = {};
  }
  P.Last = Now;
}

static bool sameValue(const AccessRecord &A, const AccessRecord &B) {
  return A.Value && A.Value == B.Value;
}

Shadow::Conflict Shadow::meet(const Page &P, size_t Cell, Kind K,
                              const AccessRecord &Now) const {
  for (Kind Was : {Kind::Write, Kind::Atomic, Kind::Read}) {
    const std::vector<Pair> &Of = P.Kinds[static_cast<size_t>(Was)];
    if (Of.empty() || (Was == K && K != Kind::Write))
      continue;
    for (const AccessRecord *A : {&Of[Cell].Last, &Of[Cell].Other})
      if (A->Site && unordered(*A, Now) && !(Was == K && sameValue(*A, Now)))
        return {*A, Was};
  }
  return {};
}

Shadow::Conflict Shadow::note(uint64_t Address, uint32_t Bytes, Kind K,
                              const AccessRecord &Now) {
  unsigned CellShift =
      std::min(2, std::countr_zero(Address | Bytes | uint64_t(4)));
  Conflict First;
  for (uint64_t At = Address, End = Address + Bytes; At < End;) {
    Page &P = pageOf(At, CellShift);
    size_t Cell = (At & ((uint64_t(1) << PageShift) - 1)) >> P.CellShift;
    if (!First)
      First = meet(P, Cell, K, Now);
    std::vector<Pair> &Own = P.Kinds[static_cast<size_t>(K)];
    Own.resize(size_t(1) << (PageShift - P.CellShift));
    add(Own[Cell], Now);
    At += uint64_t(1) << P.CellShift;
  }
  return First;
}
