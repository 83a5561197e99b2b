//===- Main.cpp - goldyrun: runs kernels of .gdy files --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The command line is read, one verb is run, its exit code is returned.
//
//===----------------------------------------------------------------------===//
#include "TimeLimit.h"
#include "Verbs.h"

#include <cstdio>
#include <exception>
#include <new>

using namespace goldyrun;

static Exit dispatch(const Options &O) {
  if (O.Help) {
    std::fputs(helpText(), stdout);
    return Exit::Ok;
  }
  if (O.Version) {
    std::printf("goldyrun %s\n", goldy_version());
    return Exit::Ok;
  }
  if (O.Verb == "bench")
    return benchVerb(O);
  if (O.Verb == "info")
    return infoVerb(O);
  if (O.Verb == "verify")
    return verifyVerb(O);
  if (O.Verb == "devices")
    return devicesVerb(O);
  if (O.Verb == "diff")
    return diffVerb(O);
  return runVerb(O);
}

static Exit run(const std::vector<std::string> &Words) {
  Options O;
  GOLDYRUN_TRY(parseOptions(Words, O));
  GOLDYRUN_TRY(dispatch(O));
  if (std::fflush(stdout) != 0 || std::ferror(stdout))
    return fail(Exit::Input, "cannot write to stdout");
  return Exit::Ok;
}

static Exit runOrSayWhy(const std::vector<std::string> &Words) {
  try {
    return run(Words);
  } catch (const std::bad_alloc &) {
    return fail(Exit::Input, "no memory left");
  } catch (const std::exception &E) {
    return fail(Exit::Internal, E.what());
  }
}

int main(int Argc, char **Argv) {
  return leave(static_cast<int>(runOrSayWhy({Argv + 1, Argv + Argc})));
}
