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
#include "Work.h"

#include "JsonWriter.h"

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

/// Of one kernel: the image that the device takes, and why that one or none.
static void takenImage(const goldy::Artifact &A, goldy::Device &D,
                       std::string_view Name, goldy::schema::JsonWriter &J) {
  goldy::Result<goldy::Kernel> K =
      goldy::Kernel::create(D, A, std::string(Name).c_str());
  J.separate();
  J.open('{', true);
  J.text("name", Name);
  if (!K) {
    J.key("image");
    J.raw("null");
    J.text("why", K.status().message());
  } else {
    goldy_kernel_info_t Info = goldy_kernel_info(K->get());
    std::string_view Passed = Info.passed_over ? Info.passed_over : "";
    std::string Best = goldy_device_info(D.get()).best_arch;
    J.text("image", Info.arch);
    J.text("why", !Passed.empty() ? std::string(Passed)
                  : Best == Info.arch
                      ? "the best that the device runs"
                      : "the file has none for " + Best +
                            ", which the device would take first");
  }
  J.close('}');
}

/// What the file says, and `here`: what this machine would run of it.
static Exit printHere(const Options &O, const goldy::Artifact &A) {
  std::optional<goldy::Device> D;
  DeviceChoice On{*O.Device, *O.Device, O.Arch, O.Threads};
  GOLDYRUN_TRY(openDevice(O, On, "--device", D));
  goldy_device_info_t Info = goldy_device_info(D->get());
  goldy::schema::JsonWriter J;
  J.open('{');
  J.text("device", Info.name);
  J.text("description", Info.description);
  J.text("best", Info.best_arch);
  J.open("kernels", '[');
  for (size_t I = 0; I < goldy_artifact_kernel_count(A.get()); ++I) {
    goldy_text_t Name = goldy_artifact_kernel_name(A.get(), I);
    takenImage(A, *D, {Name.data, Name.size}, J);
  }
  J.close(']');
  J.close('}');
  std::string Here = J.take();
  std::string Text(A.json());
  size_t End = Text.rfind("\n}");
  if (End == Text.npos)
    return fail(Exit::Internal, "the file's description is no object");
  std::string Indented;
  for (char C : Here)
    Indented += C == '\n' ? std::string("\n  ") : std::string(1, C);
  while (!Indented.empty() &&
         (Indented.back() == ' ' || Indented.back() == '\n'))
    Indented.pop_back();
  Text.insert(End, ",\n  \"here\": " + Indented);
  return print(Text);
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
  return O.Device ? printHere(O, *A) : print(A->json());
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
