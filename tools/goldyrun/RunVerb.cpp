//===- RunVerb.cpp - goldyrun run -----------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Run, then save, print and compare. If one output cannot be written, those
// written before it are removed: a failure leaves no output behind.
//
//===----------------------------------------------------------------------===//
#include "Compare.h"
#include "Print.h"
#include "Session.h"
#include "Stats.h"
#include "Trace.h"
#include "Verbs.h"

#include <cstdio>
#include <filesystem>

using namespace goldyrun;
namespace npy = goldy::npy;

static Exit writeStdout(std::string_view Bytes) {
  bool Good =
      std::fwrite(Bytes.data(), 1, Bytes.size(), stdout) == Bytes.size();
  return Good && std::fflush(stdout) == 0
             ? Exit::Ok
             : fail(Exit::Input, "cannot write to stdout");
}

static Exit saveOne(const Session &S, const Assignment &A) {
  const Bound *B = nullptr;
  npy::Array Data;
  GOLDYRUN_TRY(S.args().findBuffer("--save", A.first, B));
  GOLDYRUN_TRY(S.args().read(*B, Data));
  if (A.second == "-") {
    std::string Header = npy::encodeHeader(Data.Type, Data.Shape);
    GOLDYRUN_TRY(writeStdout(Header));
    return writeStdout(
        {reinterpret_cast<const char *>(Data.Data.data()), Data.Data.size()});
  }
  std::string Why;
  if (!npy::writeFile(A.second, Data.Type, Data.Shape, Data.Data, Why))
    return fail(Exit::Input,
                "`--save " + A.first + "=" + A.second + "`: " + Why);
  return Exit::Ok;
}

static Exit saveAll(const Session &S, const Options &O) {
  for (size_t I = 0; I < O.Save.size(); ++I) {
    Exit X = saveOne(S, O.Save[I]);
    if (X == Exit::Ok)
      continue;
    // Nothing half done stays; devices and pipes are not ours to remove.
    for (size_t Written = 0; Written < I; ++Written) {
      std::error_code Error;
      const std::string &Path = O.Save[Written].second;
      if (Path != "-" && std::filesystem::is_regular_file(Path, Error))
        std::filesystem::remove(Path, Error);
    }
    return X;
  }
  return Exit::Ok;
}

static Exit printAll(const Session &S, const Options &O) {
  for (const std::string &Name : O.Print) {
    const Bound *B = nullptr;
    npy::Array Data;
    GOLDYRUN_TRY(S.args().findBuffer("--print", Name, B));
    GOLDYRUN_TRY(S.args().read(*B, Data));
    GOLDYRUN_TRY(writeStdout(arrayText(Name, Data)));
  }
  return Exit::Ok;
}

/// Runs are measured by the device if anything shows its times.
static Exit startMeasuring(Session &S, const Options &O) {
  bool Timed = false;
  if (O.Stats != StatsForm::None || !O.TraceFile.empty())
    GOLDYRUN_TRY(S.measure(Timed));
  if (!O.TraceFile.empty() && !Timed)
    return fail(Exit::Missing,
                "`--trace`: the device " + quoted(S.facts().Device) +
                    " cannot measure times",
                "--stats shows the host's");
  return Exit::Ok;
}

Exit goldyrun::runVerb(const Options &O) {
  Session S;
  Trace Events;
  uint64_t StartNs = hostNs();
  GOLDYRUN_TRY(S.open(O));
  GOLDYRUN_TRY(startMeasuring(S, O));
  Events.host("load", StartNs, hostNs());
  Times T;
  Exit Watched = Exit::Ok; // after findings too, what was written is shown
  for (uint64_t I = 0; I < (O.Runs ? O.Runs : 1); ++I) {
    RunTime Run;
    Exit X = S.runOnce(Run);
    if (X != Exit::Ok && !S.onlyFindings())
      return X;
    if (X != Exit::Ok)
      Watched = X;
    T.add(Run);
    if (!O.TraceFile.empty())
      Events.run(S, I, Run);
  }
  StartNs = hostNs();
  GOLDYRUN_TRY(saveAll(S, O));
  Events.host("save", StartNs, hostNs());
  if (!O.TraceFile.empty())
    GOLDYRUN_TRY(Events.write(O.TraceFile));
  GOLDYRUN_TRY(printAll(S, O));
  if (O.Stats == StatsForm::Text)
    std::fputs(statsText(S, T).c_str(), stderr);
  if (O.Stats == StatsForm::Json)
    std::fputs(statsJson(S, T).c_str(), stderr);
  GOLDYRUN_TRY(compareAll(O, S.args()));
  return Watched;
}
