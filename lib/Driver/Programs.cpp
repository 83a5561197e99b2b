//===- Programs.cpp - Programs of an input on their way -------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Programs.h"

#include "goldyc/ProgramDesc/Build.h"
#include "program/Check.h"
#include "program/Text.h"

#include <algorithm>
#include <charconv>

using namespace goldy;
using namespace goldy::driver;

namespace {

bool contains(const std::vector<std::string> &Names, std::string_view Name) {
  return std::find(Names.begin(), Names.end(), Name) != Names.end();
}

/// Whether some program dispatches the kernel, or copies with it.
bool isDispatched(const CompileUnit &Unit, FuncId Kernel) {
  const Module &M = **Unit.Definition;
  bool Found = false;
  for (const prog::Program &P : Unit.Programs)
    prog::forEachStep(P.Steps, [&](const prog::Step &S) {
      if (const prog::Dispatch *D = std::get_if<prog::Dispatch>(&S.Kind))
        Found |= D->Kernel == Kernel;
      const prog::Copy *C = std::get_if<prog::Copy>(&S.Kind);
      if (C && !P.Exprs.constantBits(C->Count))
        Found |= prog::findCopyKernel(
                     M, prog::copyUnit(M, P.Buffers[C->Src].Element)) == Kernel;
    });
  return Found;
}

} // namespace

bool driver::preparePrograms(CompileUnit &Unit, Module &M,
                             const DriverOptions &O, DiagSink &Diags) {
  std::erase_if(Unit.Programs, [&](const prog::Program &P) {
    return O.Programs.empty() ? !O.Kernels.empty()
                              : !contains(O.Programs, P.Name);
  });
  bool Good = true;
  for (prog::Program &P : Unit.Programs) {
    Good &= prog::checkProgram(P, M, Diags);
    prog::addCopyKernels(P, M);
    if (!O.DeviceMap.empty())
      prog::spreadOverDevices(P, O.DeviceMap);
  }
  return Good;
}

bool driver::isSelected(const CompileUnit &Unit, FuncId Kernel,
                        const DriverOptions &O) {
  if (O.Kernels.empty() && O.Programs.empty())
    return true;
  return contains(O.Kernels, (*Unit.Definition)->Functions[Kernel].Name) ||
         isDispatched(Unit, Kernel);
}

bool driver::buildPrograms(CompileUnit &Unit, const SourceManager &SM,
                           DiagSink &Diags) {
  const Module &M = **Unit.Definition;
  for (prog::Program P : Unit.Programs) {
    prog::placeBuffers(P, M);
    program::ProgramTemplate T = prog::buildTemplate(P, M, &SM);
    if (std::optional<program::Refusal> R = program::check(T)) {
      Diags.report(diag::G1118, P.Loc)
          << "program `" << P.Name << "`: " << R->Message;
      return false;
    }
    Unit.Templates.push_back(std::move(T));
  }
  return true;
}

void driver::checkProgramNames(std::span<const CompileUnit> Units,
                               const DriverOptions &O, DiagSink &Diags) {
  std::vector<std::string> Known;
  for (const CompileUnit &Unit : Units)
    Known.insert(Known.end(), Unit.ProgramNames.begin(),
                 Unit.ProgramNames.end());
  for (const std::string &Name : O.Programs) {
    if (contains(Known, Name))
      continue;
    std::optional<std::string> Near = nearest(Name, Known);
    Diags.report(diag::G1116, Span())
            .help(Near ? "did you mean `" + *Near + "`?"
                       : "a program is marked `#[goldy::program]`")
        << "there is no program `" << Name << "`";
  }
}

//===-- Descriptions as text ----------------------------------------------===//

bool driver::isProgramText(std::string_view Path) {
  return Path.ends_with(".gdyt");
}

namespace {

/// Takes a number behind `Word` off the front of a text.
bool takeNumber(std::string_view &Text, std::string_view Word,
                uint32_t &Value) {
  if (!Text.starts_with(Word))
    return false;
  const char *Begin = Text.data() + Word.size();
  auto [End, Error] = std::from_chars(Begin, Text.data() + Text.size(), Value);
  if (Error != std::errc())
    return false;
  Text.remove_prefix(static_cast<size_t>(End - Text.data()));
  return true;
}

/// The place that "line 9, column 37, …" begins with, taken off.
Span takePlace(const SourceManager &SM, FileId File, std::string_view &Why) {
  std::string_view Rest = Why;
  uint32_t Line = 0, Column = 0;
  if (!takeNumber(Rest, "line ", Line) ||
      !takeNumber(Rest, ", column ", Column))
    return {};
  for (std::string_view Separator : {", ", ": "})
    if (Rest.starts_with(Separator)) {
      Why = Rest.substr(2);
      break;
    }
  std::string_view Text = SM.file(File).Text;
  size_t At = 0;
  for (uint32_t N = 1; N < Line && At < Text.size(); ++N)
    At = std::min(Text.find('\n', At), Text.size() - 1) + 1;
  uint32_t Begin =
      static_cast<uint32_t>(std::min(At + Column - 1, Text.size()));
  return {File, Begin, Begin};
}

/// Reads one of the two forms; its text in the canonical form.
template <class Form>
std::optional<std::string> readForm(const SourceManager &SM, FileId File,
                                    DiagSink &Diags) {
  Form Value;
  std::string Why;
  if (!program::fromText(SM.file(File).Text, Value, Why)) {
    std::string_view Rest = Why;
    Span Where = takePlace(SM, File, Rest);
    return Diags.report(diag::G1117, Where) << Rest;
  }
  if (std::optional<program::Refusal> R = program::check(Value))
    return Diags.report(diag::G1118, Span())
           << "`" << SM.file(File).Name << "`: " << R->Message;
  return program::toText(Value);
}

} // namespace

bool driver::runTextFrontEnd(const SourceManager &SM, CompileUnit &Unit,
                             const DriverOptions &O, DiagSink &Diags) {
  for (EmitKind K : O.Kinds)
    if (K != EmitKind::ProgramText && K != EmitKind::Deps && !O.Check &&
        !O.DepsOnly)
      return Diags.report(diag::G1120, Span())
                 .help("`--emit=program-text` prints it, `--check` checks it, "
                       "and `goldyrun` runs it")
             << "`" << SM.file(Unit.File).Name
             << "` is a description without kernels, and `--emit="
             << emitKindInfo(K).Name << "` is made from kernels";
  bool IsTemplate = SM.file(Unit.File).Text.find(program::TemplateHeader) !=
                    std::string::npos;
  Unit.Text = IsTemplate
                  ? readForm<program::ProgramTemplate>(SM, Unit.File, Diags)
                  : readForm<program::ProgramDesc>(SM, Unit.File, Diags);
  if (Unit.Text)
    Unit.Definition = verify(Module(), Diags);
  return Unit.Text.has_value();
}
