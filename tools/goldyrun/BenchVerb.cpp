//===- BenchVerb.cpp - goldyrun bench -------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warm-up runs settle caches, pages and the cost that the device learns; then
// each run is timed from submit to done.
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
  uint64_t Ns = 0;
  for (uint64_t I = 0; I < WarmUps; ++I)
    GOLDYRUN_TRY(S.runOnce(Ns));
  Times T;
  for (uint64_t I = 0; I < (O.Runs ? O.Runs : DefaultRuns); ++I) {
    GOLDYRUN_TRY(S.runOnce(Ns));
    T.Ns.push_back(Ns);
  }
  std::string Report = O.Json ? statsJson(S, T) : statsText(S, T);
  return std::fputs(Report.c_str(), stdout) < 0 || std::fflush(stdout) != 0
             ? fail(Exit::Input, "cannot write to stdout")
             : Exit::Ok;
}
