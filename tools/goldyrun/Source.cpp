//===- Source.cpp - What FILE holds ---------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Descriptions and templates are told by what they begin with, all else is an
// artifact.
//
//===----------------------------------------------------------------------===//
#include "Source.h"

#include "Session.h"

#include <cstdio>

using namespace goldyrun;

static bool endsWith(const std::string &S, const char *Tail) {
  return std::string_view(S).ends_with(Tail);
}

Exit goldyrun::readStdin(std::vector<unsigned char> &Out) {
  unsigned char Block[65536];
  while (size_t N = std::fread(Block, 1, sizeof Block, stdin))
    Out.insert(Out.end(), Block, Block + N);
  return std::ferror(stdin) ? fail(Exit::Input, "cannot read stdin") : Exit::Ok;
}

Exit goldyrun::loadFile(const Options &O, std::vector<unsigned char> &Stdin,
                        std::optional<goldy::Artifact> &Out) {
  for (const char *Source : {".goldy", ".tosa", ".slang"})
    if (endsWith(O.File, Source))
      return fail(Exit::Missing,
                  quoted(O.File) + " is source, and compiling it here is not "
                                   "supported yet",
                  "run goldyc " + O.File + " -o OUT.gdy first");
  if (O.File == "-") {
    if (Stdin.empty())
      GOLDYRUN_TRY(readStdin(Stdin));
    goldy::Result<goldy::Artifact> A = goldy::Artifact::load(Stdin);
    if (!A)
      return fail(A.status());
    Out = std::move(*A);
    return Exit::Ok;
  }
  goldy::Result<goldy::Artifact> A = goldy::Artifact::load(O.File.c_str());
  if (!A)
    return fail(A.status());
  Out = std::move(*A);
  return Exit::Ok;
}

//===-- Both --------------------------------------------------------------===//

bool Source::runsProgram(const Options &O) const {
  if (Program)
    return true;
  size_t Count = goldy_artifact_program_count(Artifact->get());
  if (!O.Name)
    return Count > 0 && !O.Over && !O.Groups;
  for (size_t I = 0; I < Count; ++I) {
    goldy_text_t Name = goldy_artifact_program_name(Artifact->get(), I);
    if (std::string_view(Name.data, Name.size) == *O.Name)
      return true;
  }
  return false;
}

Exit goldyrun::readSource(const Options &O, Source &Out) {
  GOLDYRUN_TRY(readProgram(O, Out.Stdin, Out.Program));
  bool Template =
      Out.Program &&
      std::holds_alternative<goldy::program::ProgramTemplate>(*Out.Program);
  if (!Template && !O.Kernels.empty())
    return fail(Exit::Usage,
                "`--kernels`: " + quoted(O.File) + " is no program template");
  if (!Out.Program)
    return loadFile(O, Out.Stdin, Out.Artifact);
  if (!Template)
    return Exit::Ok;
  if (O.Kernels.empty())
    return fail(Exit::Usage,
                quoted(O.File) + " is a program template, and its kernels are "
                                 "in another file",
                "give --kernels=FILE.gdy");
  Options Kernels = O;
  Kernels.File = O.Kernels;
  return loadFile(Kernels, Out.Stdin, Out.Artifact);
}
