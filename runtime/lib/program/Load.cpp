//===- Load.cpp - Loading a description -----------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "program/Load.h"

#include "program/Planner.h"

#include <algorithm>

using namespace goldy;
using namespace goldy::rt;

/// Room for all that runs keep, so that they allocate nothing.
static void makeState(goldy_program &L) {
  RunState &S = L.State;
  size_t Devices = L.Devices.size(), Inputs = L.Inputs.size();
  S.Table.resize(L.Plan.Words.size());
  S.InputMemories.assign(Devices, std::vector<MemoryId>(Inputs));
  S.InputAddresses.assign(Devices, std::vector<uint64_t>(Inputs));
  S.InputBytes.resize(Inputs);
  S.Inputs.resize(Inputs);
  S.Evaluated.resize(L.Plan.Submits.size());
  S.EvaluatedJoins.resize(L.Plan.Joins.size());
  for (size_t C = 0; C < 2; ++C) {
    S.Wrote[C].resize(L.Plan.Watches.size() * Devices);
    S.Used[C].resize(L.Plan.Watches.size() * Devices);
    S.OfCopies[C].resize(Devices);
  }
  S.Ends.resize(Devices);
  S.Last.resize(Devices);
  S.Reached.resize(Devices);
  constexpr uint64_t MostStaged = uint64_t(1) << 20;
  uint64_t Staged = 0;
  for (const StagePlan &X : L.Plan.Stages)
    Staged = std::max(Staged, std::min(X.Ends.Length, MostStaged));
  S.Staging.resize(Staged);
}

Status goldy::rt::loadProgram(const program::ProgramDesc &Desc, bool Trusted,
                              goldy_program &L) {
  constexpr Number MostInts = Number(1) << 28;
  if (Desc.Ints > MostInts)
    return broken(LoadRule::MemoryMade, "ints",
                  Status(GOLDY_LIMIT, std::to_string(Desc.Ints) +
                                          " words, the limit is " +
                                          std::to_string(MostInts)));
  L.Inputs = Desc.Inputs;
  L.Ints = static_cast<uint32_t>(Desc.Ints);
  GOLDY_TRY(makeMemories(Desc, L));
  GOLDY_TRY(loadImages(Desc, Trusted, L));
  GOLDY_TRY(Planner(Desc, L).run());
  GOLDY_TRY(writeInits(Desc, L));
  makeState(L);
  return Status();
}

/// What a device says is not looked at: one that is lost has no work left.
goldy_program::~goldy_program() {
  for (size_t D = 0; D < State.Last.size(); ++D)
    if (State.Last[D])
      (void)Devices[D]->wait(State.Last[D], GOLDY_FOREVER).ok();
}
