//===- FileVerbs.cpp - goldyrun info, goldyrun verify ---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Artifacts are loaded as a run does, which checks all of them; descriptions of
// programs are decoded or parsed, and checked by `verify`.
//
//===----------------------------------------------------------------------===//
#include "ProgramFile.h"
#include "Session.h"
#include "Verbs.h"

#include <cstdio>

using namespace goldyrun;

static Exit print(std::string_view Text) {
  bool Good = std::fwrite(Text.data(), 1, Text.size(), stdout) == Text.size();
  return Good && std::fflush(stdout) == 0
             ? Exit::Ok
             : fail(Exit::Input, "cannot write to stdout");
}

static Exit noExtras(const Options &O) {
  if (O.Name || !O.Arguments.empty())
    return fail(Exit::Usage, quoted(O.Verb) + " takes one file and no more");
  return Exit::Ok;
}

Exit goldyrun::infoVerb(const Options &O) {
  GOLDYRUN_TRY(noExtras(O));
  std::vector<unsigned char> Stdin;
  std::optional<ProgramFile> P;
  GOLDYRUN_TRY(readProgram(O, Stdin, P));
  if (P) {
    std::string Text;
    GOLDYRUN_TRY(programText(O, *P, Text));
    return print(Text);
  }
  std::optional<goldy::Artifact> A;
  GOLDYRUN_TRY(loadFile(O, Stdin, A));
  if (O.ProgramText)
    return fail(Exit::Input, quoted(O.File) + " holds kernels and no program");
  return print(A->json());
}

Exit goldyrun::verifyVerb(const Options &O) {
  GOLDYRUN_TRY(noExtras(O));
  std::vector<unsigned char> Stdin;
  std::optional<ProgramFile> P;
  GOLDYRUN_TRY(readProgram(O, Stdin, P));
  if (P)
    return verifyProgram(O, *P);
  std::optional<goldy::Artifact> A;
  GOLDYRUN_TRY(loadFile(O, Stdin, A));
  if (!O.Devices.empty())
    return fail(Exit::Usage,
                "`verify` takes --devices for program descriptions only");
  size_t Kernels = A->kernelCount();
  return print(O.File + ": valid, " + std::to_string(Kernels) +
               (Kernels == 1 ? " kernel\n" : " kernels\n"));
}
