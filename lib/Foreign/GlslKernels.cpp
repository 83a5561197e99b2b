//===- GlslKernels.cpp - Kernels written in GLSL --------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `.comp` file is one kernel, named after the file. glslang makes SPIR-V of
// it, which is then fitted to the kernel ABI (BindAbi.h).
//
//===----------------------------------------------------------------------===//
#include "BindAbi.h"
#include "Opaque.h"
#include "SlangScan.h"

#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>

using namespace goldy;
using namespace goldy::foreign;
namespace fs = std::filesystem;

namespace {

/// Looks beside the file that includes; keeps what it read.
class Includer final : public glslang::TShader::Includer {
public:
  explicit Includer(std::string Directory) : Directory(std::move(Directory)) {}
  IncludeResult *includeLocal(const char *Header, const char *From,
                              size_t Depth) override;
  void releaseInclude(IncludeResult *Result) override { delete Result; }
  std::vector<std::string> files() const {
    std::vector<std::string> Names;
    for (const std::pair<const std::string, std::string> &F : Read)
      Names.push_back(F.first);
    return Names;
  }

private:
  std::string Directory;
  std::map<std::string, std::string> Read; ///< text by path
};

glslang::TShader::Includer::IncludeResult *
Includer::includeLocal(const char *Header, const char *From, size_t Depth) {
  fs::path Dir = Depth > 1 ? fs::path(From).parent_path() : fs::path(Directory);
  std::string Path = (Dir / Header).lexically_normal().string();
  std::ifstream In(Path, std::ios::binary);
  if (!In)
    return nullptr;
  std::string &Text = Read[Path];
  Text.assign(std::istreambuf_iterator<char>(In), {});
  return new IncludeResult(Path, Text.data(), Text.size(), nullptr);
}

/// `KIND: NAME:LINE: 'TOKEN' : TEXT`; a file's name may hold colons.
struct LogLine {
  bool Error = false;
  std::string File, Token, Text;
  uint32_t Line = 0;
};

std::optional<LogLine> parseLog(std::string_view Line) {
  LogLine Out;
  Out.Error = Line.starts_with("ERROR: ");
  if (!Out.Error && !Line.starts_with("WARNING: "))
    return std::nullopt;
  Line.remove_prefix(Out.Error ? 7 : 9);
  for (size_t At = Line.find(':'); At != Line.npos;
       At = Line.find(':', At + 1)) {
    const char *Digits = Line.data() + At + 1, *End = Line.data() + Line.size();
    std::from_chars_result R = std::from_chars(Digits, End, Out.Line);
    if (R.ec != std::errc() ||
        std::string_view(R.ptr, End).substr(0, 2) != ": ")
      continue;
    Out.File = Line.substr(0, At);
    Line = std::string_view(R.ptr + 2, End);
    break;
  }
  size_t Quote = Line.find("' :");
  if (Line.starts_with('\'') && Quote != Line.npos) {
    Out.Token = Line.substr(1, Quote - 1);
    Line.remove_prefix(std::min(Quote + 3, Line.size()));
  }
  size_t First = Line.find_first_not_of(' ');
  size_t Last = Line.find_last_not_of(" .\r");
  if (First != Line.npos)
    Out.Text = Line.substr(First, Last + 1 - First);
  return Out;
}

class GlslReader {
public:
  GlslReader(SourceManager &SM, FileId File, const OpaqueOptions &Options,
             DiagSink &Diags)
      : SM(SM), File(File), Diags(Diags), Includes(Options.Directory) {
    Unit.Options = Options;
    Name = fs::path(SM.file(File).Name).stem().string();
    for (char &C : Name)
      if (!std::isalnum(static_cast<unsigned char>(C)))
        C = '_';
    if (std::isdigit(static_cast<unsigned char>(Name[0])))
      Name.insert(0, 1, '_');
  }
  std::optional<OpaqueUnit> run();

private:
  std::optional<Words> compile();
  bool report(std::string_view Log);
  Span placeOf(const LogLine &L);
  Span placeOfName(std::string_view Name) const;

  SourceManager &SM;
  FileId File;
  DiagSink &Diags;
  Includer Includes;
  OpaqueUnit Unit;
  std::string Name;
};

/// The named token in the line; glslang names no column.
Span GlslReader::placeOf(const LogLine &L) {
  FileId In = File;
  if (!L.File.empty() && L.File != SM.file(File).Name) {
    std::ifstream Read(L.File, std::ios::binary);
    if (Read)
      In = SM.add(L.File, {std::istreambuf_iterator<char>(Read), {}});
  }
  const SourceFile &F = SM.file(In);
  if (L.Line == 0 || L.Line > F.LineStarts.size())
    return Span{In, 0, 0};
  uint32_t Start = F.LineStarts[L.Line - 1];
  std::string_view Text = SM.line(In, L.Line);
  size_t At = Text.find_first_not_of(" \t");
  for (const SlangToken &T : slangTokens(Text, In))
    if (!L.Token.empty() && T.Spelling == L.Token)
      return Span{In, Start + T.Where.Begin, Start + T.Where.End};
  uint32_t First = Start + static_cast<uint32_t>(At == Text.npos ? 0 : At);
  return Span{In, First, Start + static_cast<uint32_t>(Text.size())};
}

bool GlslReader::report(std::string_view Log) {
  bool Good = true;
  while (!Log.empty()) {
    size_t End = std::min(Log.find('\n'), Log.size());
    std::optional<LogLine> L = parseLog(Log.substr(0, End));
    Log.remove_prefix(std::min(End + 1, Log.size()));
    bool Count = L && L->Line == 0 && Diags.hasErrors();
    if (!L || Count || L->Text == "compilation terminated")
      continue; // the last words of the log count the errors
    Diags.report(L->Error ? diag::G1002 : diag::G1003, placeOf(*L))
        << (L->Token.empty() ? "" : "`" + L->Token + "`: ") << L->Text;
    Good &= !L->Error;
  }
  return Good;
}

Span GlslReader::placeOfName(std::string_view Wanted) const {
  for (const SlangToken &T : slangTokens(SM.file(File).Text, File))
    if (T.Spelling == Wanted)
      return T.Where;
  return Span();
}

std::optional<Words> GlslReader::compile() {
  static std::once_flag Once;
  std::call_once(Once, [] { glslang::InitializeProcess(); });
  const SourceFile &F = SM.file(File);
  std::string Preamble;
  for (const std::pair<std::string, std::string> &Macro : Unit.Options.Macros)
    Preamble += "#define " + Macro.first + " " + Macro.second + "\n";
  const char *Text = F.Text.data(), *FileName = F.Name.c_str();
  int Length = static_cast<int>(F.Text.size());
  glslang::TShader Shader(EShLangCompute);
  Shader.setStringsWithLengthsAndNames(&Text, &Length, &FileName, 1);
  Shader.setPreamble(Preamble.c_str());
  Shader.setEnvInput(glslang::EShSourceGlsl, EShLangCompute,
                     glslang::EShClientVulkan, 100);
  Shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_3);
  Shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_5);
  EShMessages Rules =
      static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules);
  glslang::TProgram Program;
  bool Good = Shader.parse(GetDefaultResources(), 460, false, Rules, Includes);
  std::string Log = Shader.getInfoLog();
  if (Good) {
    Program.addShader(&Shader);
    Good = Program.link(Rules);
    Log += Program.getInfoLog();
  }
  Good &= report(Log);
  if (!Good && !Diags.hasErrors())
    Diags.report(diag::G1002, Span{File, 0, 0})
        << "the GLSL compiler failed without a message";
  if (!Good)
    return std::nullopt;
  Words Binary;
  glslang::SpvOptions Options;
  Options.disableOptimizer = true;
  glslang::GlslangToSpv(*Program.getIntermediate(EShLangCompute), Binary,
                        &Options);
  return Binary;
}

std::optional<OpaqueUnit> GlslReader::run() {
  std::optional<Words> Binary = compile();
  if (!Binary)
    return std::nullopt;
  Span Main = placeOfName("main");
  FuncId Id = addKernel(Unit.Kernels, Name, {}, {1, 1, 1}, Main);
  Function &F = Unit.Kernels.Functions[Id];
  std::string Why = "it is no SPIR-V";
  std::optional<SpirvModule> M = SpirvModule::read(*Binary);
  std::optional<Image> Code;
  if (M) {
    cleanModule(*M, Name);
    if (!bindToAbi(
            *M, Unit.Kernels, F,
            [this](std::string_view Wanted) { return placeOfName(Wanted); },
            Diags) ||
        !checkKernel(F, Diags))
      return std::nullopt;
    Code = makeSpirvImage(*M, abiLayout(Unit.Kernels, F), Unit.Options.OptLevel,
                          Why);
  }
  if (!Code)
    return Diags.report(diag::G1021, Main)
           << "the SPIR-V of `" << Name << "` is not valid: " << Why;
  Unit.FilesRead = Includes.files();
  Unit.Code.emplace_back().Spirv = std::move(*Code);
  return std::move(Unit);
}

} // namespace

std::optional<OpaqueUnit> foreign::readGlsl(SourceManager &SM, FileId File,
                                            const OpaqueOptions &Options,
                                            DiagSink &Diags) {
  return GlslReader(SM, File, Options, Diags).run();
}
