//===- ProgramFile.cpp - Files that hold a program description ------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages of the readers and the check name the place in the description;
// here the file's name comes in front.
//
//===----------------------------------------------------------------------===//
#include "ProgramFile.h"

#include "Session.h"

#include "program/Bytes.h"
#include "program/Check.h"
#include "program/Text.h"

#include <cstdio>
#include <memory>

using namespace goldyrun;
namespace program = goldy::program;

namespace {

enum class Form : uint8_t { None, Bytes, Text, TemplateBytes, TemplateText };

Form formOf(std::string_view Start) {
  if (Start.starts_with(program::ProgramMark))
    return Form::Bytes;
  if (Start.starts_with(program::TemplateMark))
    return Form::TemplateBytes;
  // The text form begins with its header, behind comments at most.
  size_t At = 0;
  while (At < Start.size()) {
    At = std::min(Start.find_first_not_of(" \t\r\n", At), Start.size());
    if (!Start.substr(At).starts_with("//"))
      break;
    At = std::min(Start.find('\n', At), Start.size());
  }
  Start = Start.substr(At);
  return Start.starts_with(program::ProgramHeader)    ? Form::Text
         : Start.starts_with(program::TemplateHeader) ? Form::TemplateText
                                                      : Form::None;
}

/// The whole file if it holds a description. A file that cannot be read is for
/// the artifact's loader to tell.
std::string readIfProgram(const std::string &Path) {
  struct Close {
    void operator()(std::FILE *F) const { std::fclose(F); }
  };
  std::unique_ptr<std::FILE, Close> F(std::fopen(Path.c_str(), "rb"));
  std::string Text;
  char Block[65536];
  while (F) {
    size_t N = std::fread(Block, 1, sizeof Block, F.get());
    Text.append(Block, N);
    if (N == 0 || formOf(Text) == Form::None)
      break;
  }
  return formOf(Text) == Form::None ? std::string() : Text;
}

} // namespace

static Exit readTemplate(const Options &O, Form F, std::string_view Bytes,
                         std::optional<ProgramFile> &Out) {
  program::ProgramTemplate T;
  std::string Why;
  bool Good = F == Form::TemplateBytes ? program::fromBytes(Bytes, T, Why)
                                       : program::fromText(Bytes, T, Why);
  if (!Good)
    return fail(Exit::Input, quoted(O.File) + ": " + Why);
  Out = std::move(T);
  return Exit::Ok;
}

Exit goldyrun::readProgram(const Options &O, std::vector<unsigned char> &Stdin,
                           std::optional<ProgramFile> &Out) {
  std::string Own;
  std::string_view Bytes;
  if (O.File == "-") {
    GOLDYRUN_TRY(readStdin(Stdin));
    Bytes = {reinterpret_cast<const char *>(Stdin.data()), Stdin.size()};
  } else {
    Own = readIfProgram(O.File);
    Bytes = Own;
  }
  Form F = formOf(Bytes);
  if (F == Form::None)
    return Exit::Ok;
  if (F == Form::TemplateBytes || F == Form::TemplateText)
    return readTemplate(O, F, Bytes, Out);
  goldy::Result<goldy::ProgramDesc> P = F == Form::Bytes
                                            ? goldy::ProgramDesc::decode(Bytes)
                                            : goldy::ProgramDesc::parse(Bytes);
  if (!P)
    return fail(Exit::Input, quoted(O.File) + ": " + P.status().message());
  Out = std::move(*P);
  return Exit::Ok;
}

static Exit openDevices(const Options &O, std::vector<goldy::Device> &Out) {
  for (const DeviceChoice &D : O.Devices) {
    goldy::Result<goldy::Device> Opened = goldy::Device::open(
        D.Name.c_str(),
        {D.Threads ? D.Threads : O.Threads,
         D.Arch.empty() ? nullptr : D.Arch.c_str(), nullptr, nullptr});
    if (!Opened) {
      goldy_code_t Code = Opened.status().code();
      bool Usage = Code == GOLDY_NOT_FOUND || Code == GOLDY_INVALID_ARGUMENT;
      return fail(Usage ? Exit::Usage : Exit::Missing,
                  "`--devices`: " + Opened.status().message());
    }
    Out.push_back(std::move(*Opened));
  }
  return Exit::Ok;
}

static Exit verifyTemplate(const Options &O,
                           const program::ProgramTemplate &T) {
  if (!O.Devices.empty())
    return fail(Exit::Usage, "`--devices`: " + quoted(O.File) +
                                 " is a template, which is for no device yet");
  if (std::optional<program::Refusal> R = program::check(T))
    return fail(Exit::Input, quoted(O.File) + ": " + R->Message);
  std::printf("%s: valid, a program template\n", O.File.c_str());
  return Exit::Ok;
}

Exit goldyrun::verifyProgram(const Options &O, const ProgramFile &P) {
  if (const program::ProgramTemplate *T =
          std::get_if<program::ProgramTemplate>(&P))
    return verifyTemplate(O, *T);
  const goldy::ProgramDesc &Desc = std::get<goldy::ProgramDesc>(P);
  std::vector<goldy::Device> Devices;
  GOLDYRUN_TRY(openDevices(O, Devices));
  std::vector<goldy_device_t *> Handles;
  for (const goldy::Device &D : Devices)
    Handles.push_back(D.get());
  goldy::Status S =
      Handles.empty()
          ? Desc.check()
          : Desc.check({Handles.data(), Handles.size(), nullptr, 0});
  if (!S.ok())
    return fail(Exit::Input, quoted(O.File) + ": " + S.message());
  std::printf("%s: valid, a program description\n", O.File.c_str());
  return Exit::Ok;
}

Exit goldyrun::programText(const Options &O, ProgramFile &P, std::string &Out) {
  if (const program::ProgramTemplate *T =
          std::get_if<program::ProgramTemplate>(&P)) {
    Out = program::toText(*T);
    return Exit::Ok;
  }
  goldy::Result<std::string_view> Text = std::get<goldy::ProgramDesc>(P).text();
  if (!Text)
    return fail(Exit::Input, quoted(O.File) + ": " + Text.status().message());
  Out = *Text;
  return Exit::Ok;
}
