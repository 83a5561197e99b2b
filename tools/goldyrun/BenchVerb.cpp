//===- BenchVerb.cpp - goldyrun bench -------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warm-up runs settle caches, pages and the cost that the device learns. Then
// runs are timed on the host, and then as many by the device: measuring there
// costs the host a little.
//
//===----------------------------------------------------------------------===//
#include "Compare.h"
#include "Session.h"
#include "Stats.h"
#include "Verbs.h"

#include <cstdio>

using namespace goldyrun;

Exit goldyrun::benchVerb(const Options &O) {
  if (!O.Save.empty() || !O.Print.empty() || !O.Expect.empty())
    return fail(Exit::Usage, "`bench` takes no --save, --print or --expect",
                "use `run` to see results");
  Session S;
  GOLDYRUN_TRY(S.open(O));
  constexpr uint64_t WarmUps = 5, DefaultRuns = 100;
  RunTime Run;
  for (uint64_t I = 0; I < WarmUps; ++I)
    GOLDYRUN_TRY(S.runOnce(Run));
  Times T;
  uint64_t Runs = O.Runs ? O.Runs : DefaultRuns;
  for (uint64_t I = 0; I < Runs; ++I) {
    GOLDYRUN_TRY(S.runOnce(Run));
    T.add(Run);
  }
  bool Timed = false;
  GOLDYRUN_TRY(S.measure(Timed));
  for (uint64_t I = 0; Timed && I < Runs; ++I) {
    GOLDYRUN_TRY(S.runOnce(Run));
    T.addDevice(Run);
  }
  std::string Report = O.Json ? statsJson(S, T) : statsText(S, T);
  return std::fputs(Report.c_str(), stdout) < 0 || std::fflush(stdout) != 0
             ? fail(Exit::Input, "cannot write to stdout")
             : Exit::Ok;
}
