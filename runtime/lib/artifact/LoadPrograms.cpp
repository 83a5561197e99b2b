//===- LoadPrograms.cpp - Checks of program templates ---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Templates have a format and rules of their own (schemas/program), which all
// who take one ask. Here is what ties them to the file. All templates together
// are no longer than the file, so overlapping blobs cannot make loading slow.
//
//===----------------------------------------------------------------------===//
#include "artifact/Loader.h"

#include "core/Utf8.h"
#include "program/Bytes.h"
#include "program/Check.h"

#include <set>

using namespace goldy::rt;
namespace program = goldy::program;

static std::string of(std::string_view Name, const std::string &What) {
  return "program `" + std::string(Name) + "`: " + What;
}

static Status printable(std::string_view Program, const std::string &Name) {
  for (char C : Name)
    if (static_cast<unsigned char>(C) < 0x20 || C == 0x7f)
      return invalid(of(Program, "a name holds a control character"));
  if (Name.size() > limits::NameBytes)
    return overLimit(of(Program, "a name in bytes"), Name.size(),
                     limits::NameBytes);
  return isUtf8(Name) ? Status() : invalid(of(Program, "a name is not UTF-8"));
}

/// Names of a template are printed, as those of kernels are.
static Status namesOf(const program::ProgramTemplate &T) {
  for (const std::string &D : T.Devices)
    GOLDY_TRY(printable(T.Name, D));
  for (const program::NamedInput &In : T.Inputs)
    GOLDY_TRY(printable(T.Name, In.Name));
  for (const program::TemplateInt &I : T.Ints)
    if (const program::NamedInt *N = std::get_if<program::NamedInt>(&I))
      GOLDY_TRY(printable(T.Name, N->Name));
  for (const program::ElementType &E : T.Types)
    if (const program::StructType *S = std::get_if<program::StructType>(&E)) {
      GOLDY_TRY(printable(T.Name, S->Name));
      for (const program::TypeField &F : S->Fields)
        GOLDY_TRY(printable(T.Name, F.Name));
    }
  return Status();
}

Status Loader::program(const schema::Program &P,
                       program::ProgramTemplate &Template) {
  std::string Name;
  GOLDY_TRY(name(P.name(), "a program", Name));
  std::span<const std::byte> View;
  GOLDY_TRY(blob(*P.template_(), of(Name, "template"), View));
  if (View.size() > ProgramBudget)
    return invalid(of(Name, "templates overlap"));
  ProgramBudget -= View.size();
  std::string Why;
  if (!program::fromBytes(
          {reinterpret_cast<const char *>(View.data()), View.size()}, Template,
          Why))
    return invalid(of(Name, Why));
  if (Template.Name != Name)
    return invalid(of(Name, "its template has another name"));
  if (std::optional<program::Refusal> R = program::check(Template))
    return R->Broken == program::Rule::StepLimit
               ? Status(GOLDY_LIMIT, of(Name, R->Message))
               : invalid(of(Name, R->Message));
  GOLDY_TRY(namesOf(Template));
  for (size_t I = 0; I < Template.Images.size(); ++I) {
    const std::string &Kernel = Template.Images[I].Kernel;
    if (!Kernel.empty() && !KernelNames.contains(Kernel))
      return invalid(of(Name, "images[" + std::to_string(I) +
                                  "]: the file has no kernel of that name"));
  }
  return Status();
}

Status Loader::programs() {
  uint32_t Count = Root->programs() ? Root->programs()->size() : 0;
  if (Count > limits::Programs)
    return overLimit("programs", Count, limits::Programs);
  if (Count)
    for (const Kernel &K : Out.Kernels)
      KernelNames.insert(K.Name);
  std::set<std::string_view> Names;
  Out.Programs.resize(Count);
  for (uint32_t I = 0; I < Count; ++I) {
    GOLDY_TRY(program(*Root->programs()->Get(I), Out.Programs[I]));
    if (!Names.insert(Out.Programs[I].Name).second)
      return invalid("two programs of one name");
  }
  return Status();
}
