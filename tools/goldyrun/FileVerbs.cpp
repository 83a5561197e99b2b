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

static Exit noExtras(const Options &O, bool TakesName = false) {
  if ((O.Name && !TakesName) || !O.Arguments.empty())
    return fail(Exit::Usage,
                quoted(O.Verb) + (TakesName
                                      ? " takes one file and one name at most"
                                      : " takes one file and no more"));
  return Exit::Ok;
}

/// The text form of a program of an artifact.
static Exit printProgram(const Options &O, const goldy::Artifact &A) {
  if (goldy_artifact_program_count(A.get()) == 0)
    return fail(Exit::Input, quoted(O.File) + " holds kernels and no program");
  goldy::Result<goldy::ProgramTemplate> T =
      goldy::ProgramTemplate::open(A, O.Name ? O.Name->c_str() : nullptr);
  if (!T)
    return fail(Exit::Usage, quoted(O.File) + ": " + T.status().message());
  goldy::Result<std::string_view> Text = T->text();
  if (!Text)
    return fail(Exit::Input, Text.status().message());
  return print(*Text);
}

Exit goldyrun::infoVerb(const Options &O) {
  GOLDYRUN_TRY(noExtras(O, O.ProgramText));
  std::vector<unsigned char> Stdin;
  std::optional<ProgramFile> P;
  GOLDYRUN_TRY(readProgram(O, Stdin, P));
  if (P && O.Name)
    return fail(Exit::Usage,
                quoted(O.File) + " is one program and takes no name");
  if (P) {
    std::string Text;
    GOLDYRUN_TRY(programText(O, *P, Text));
    return print(Text);
  }
  std::optional<goldy::Artifact> A;
  GOLDYRUN_TRY(loadFile(O, Stdin, A));
  if (O.ProgramText)
    return printProgram(O, *A);
  return print(A->json());
}

static std::string counted(size_t N, const char *What) {
  return std::to_string(N) + " " + What + (N == 1 ? "" : "s");
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
  size_t Programs = goldy_artifact_program_count(A->get());
  return print(O.File + ": valid, " + counted(A->kernelCount(), "kernel") +
               (Programs ? ", " + counted(Programs, "program") : "") + "\n");
}
