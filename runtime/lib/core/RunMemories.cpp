//===- RunMemories.cpp - Whether a run's memories are different ones ------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/RunMemories.h"

#include <algorithm>

using namespace goldy::rt;

static bool meet(const MemoryRange &A, const MemoryRange &B) {
  return A.First < B.End && B.First < A.End;
}

RunMemories::RunMemories(const SubmissionDesc &Desc, RangeOf Of) : Of(Of) {
  if (!Desc.Memories)
    return;
  std::vector<bool> Uses(Desc.Memories);
  for (const Part &P : Desc.Parts)
    for (const MemoryUse &U : P.Uses)
      if (U.RunMemory == NoIndex)
        Named.push_back(Of(U.Memory));
      else
        Uses[U.RunMemory] = true;
  for (uint32_t M = 0; M < Uses.size(); ++M)
    if (Uses[M])
      Used.push_back(M);
  Brought.resize(Used.size());
  std::sort(Named.begin(), Named.end(),
            [](const MemoryRange &A, const MemoryRange &B) {
              return A.First < B.First;
            });
  size_t Kept = 0;
  for (size_t I = 1; I < Named.size(); ++I)
    if (Named[I].First <= Named[Kept].End)
      Named[Kept].End = std::max(Named[Kept].End, Named[I].End);
    else
      Named[++Kept] = Named[I];
  Named.resize(std::min(Named.size(), Kept + 1));
}

bool RunMemories::isNamed(const MemoryRange &R) const {
  auto After = std::partition_point(
      Named.begin(), Named.end(),
      [&](const MemoryRange &N) { return N.First < R.End; });
  return After != Named.begin() && meet(*std::prev(After), R);
}

bool RunMemories::areApart() const {
  for (size_t I = 0; I < Brought.size(); ++I) {
    if (isNamed(Brought[I]))
      return false;
    for (size_t J = 0; J < I; ++J)
      if (meet(Brought[I], Brought[J]))
        return false;
  }
  return true;
}

void RunMemories::look(std::span<const MemoryId> Memories) {
  Changed = !Looked;
  Looked = true;
  for (size_t I = 0; I < Brought.size(); ++I) {
    MemoryRange Now = Of(Memories[Used[I]]);
    Changed |= Brought[I] != Now;
    Brought[I] = Now;
  }
  if (Changed)
    Apart = areApart();
}
