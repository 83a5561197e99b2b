//===- Session.cpp - A file and what is run of it -------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run with a time limit is one of no session: it may outlive it.
//
//===----------------------------------------------------------------------===//
#include "Session.h"

#include <cstdio>

using namespace goldyrun;

Exit Session::open(const Options &O) {
  GOLDYRUN_TRY(readSource(O, H->Own));
  return open(O, H->Own);
}

Exit Session::open(const Options &O, const Source &From) {
  Limit = O.TimeLimit;
  return From.runsProgram(O) ? openProgram(O, From, H->Does)
                             : openKernel(O, *From.Artifact, H->Does);
}

Exit Session::runOnce(RunTime &Out) {
  if (Limit)
    return runLimited(Out);
  Attempt A;
  H->Does->attempt(Limit, A);
  return finish(A, Out);
}

Exit Session::finish(const Attempt &A, RunTime &Out) {
  Out = A.Time;
  OnlyFindings = A.Result.code() == GOLDY_FINDINGS;
  return A.Result.ok() ? Exit::Ok : fail(A.Result);
}

Exit Session::runLimited(RunTime &Out) {
  std::shared_ptr<Attempt> A = std::make_shared<Attempt>();
  bool Done = finishesWithin(*Limit, [A, Uses = H->Does.get(), Most = Limit] {
    Uses->attempt(Most, *A);
  });
  if (!Done)
    return exceed("the submit did not return");
  if (A->Result.code() == GOLDY_TIMEOUT) {
    leaveBehind();
    return exceed(A->Result.message());
  }
  Out = A->Time;
  Exceeded =
      Seconds(static_cast<double>(Out.DoneNs - Out.StartNs) / 1e9) > *Limit;
  if (A->Result.ok() && Exceeded)
    return exceed("it is done now");
  return finish(*A, Out);
}

Exit Session::exceed(const std::string &Said) {
  char Text[32];
  std::snprintf(Text, sizeof Text, "%.9g", Limit->count());
  std::string Message =
      facts().title() + " on device " + quoted(facts().Device) +
      ": the run exceeded `--time-limit=" + Text + "`: " + Said;
  if (Exceeded)
    return fail(Exit::Input, Message);
  (void)H.release(); // in use until the process ends
  return fail(Exit::Input, Message,
              "no device can be told to stop; the work ends with this "
              "process");
}
