//===- Opaque.cpp - What both languages of opaque kernels share -----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Opaque.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace goldy;
using namespace goldy::foreign;
namespace fs = std::filesystem;

FuncId foreign::addKernel(Module &M, std::string Name,
                          std::vector<Param> Params,
                          std::array<uint32_t, 3> Size, Span Where) {
  Function F;
  F.Name = std::move(Name);
  F.Kind = FuncKind::Kernel;
  F.Params = std::move(Params);
  F.WorkgroupSize = Size;
  F.Loc = Where;
  F.Body = F.Blocks.push(Block());
  return M.Functions.push(std::move(F));
}

bool foreign::checkKernel(const Function &F, DiagSink &Diags) {
  const std::array<uint32_t, 3> &S = F.WorkgroupSize;
  uint64_t Items = uint64_t(S[0]) * S[1];
  bool Fits = S[0] && S[1] && S[2] && Items <= 1024 && Items * S[2] <= 1024 &&
              S[2] <= 64;
  if (!Fits)
    return Diags.report(diag::G0650, F.Loc)
               .help("a group has at most 1024 work-items, at most 64 along z")
           << "the workgroup of `" << F.Name << "` is " << S[0] << " × " << S[1]
           << " × " << S[2];
  for (size_t I = 0; I < F.Params.size(); ++I)
    for (size_t J = 0; J < I; ++J)
      if (F.Params[I].Name == F.Params[J].Name)
        return Diags.report(diag::G1008, F.Params[I].Loc)
               << "two parameters of `" << F.Name << "` are named `"
               << F.Params[I].Name << "`";
  return true;
}

std::vector<uint32_t> foreign::wordsOf(const std::vector<uint8_t> &Bytes) {
  std::vector<uint32_t> Words(Bytes.size() / 4);
  for (size_t I = 0; I < Words.size() * 4; ++I)
    Words[I / 4] |= static_cast<uint32_t>(Bytes[I]) << (8 * (I % 4));
  return Words;
}

/// Byte offset of a line and column; the line's end if it is shorter.
static uint32_t offsetOf(const SourceFile &File, uint32_t Line,
                         uint32_t Column) {
  if (Line == 0 || Line > File.LineStarts.size())
    return static_cast<uint32_t>(File.Text.size());
  uint32_t At = File.LineStarts[Line - 1];
  auto Continues = [&File](uint32_t I) {
    return I < File.Text.size() &&
           (static_cast<unsigned char>(File.Text[I]) & 0xc0) == 0x80;
  };
  for (uint32_t C = 1;
       C < Column && At < File.Text.size() && File.Text[At] != '\n'; ++C)
    do
      ++At;
    while (Continues(At));
  return At;
}

Span foreign::spanAt(const SourceFile &File, FileId Id, uint32_t Line,
                     uint32_t Column, uint32_t EndLine, uint32_t EndColumn) {
  uint32_t Begin = offsetOf(File, Line, Column);
  uint32_t End = EndLine ? offsetOf(File, EndLine, EndColumn) : Begin;
  auto InWord = [&File](uint32_t I) {
    return I < File.Text.size() &&
           (std::isalnum(static_cast<unsigned char>(File.Text[I])) ||
            File.Text[I] == '_');
  };
  if (End <= Begin + 1 && InWord(Begin))
    for (End = Begin; InWord(End); ++End) {
    }
  return {Id, Begin, std::max(End, Begin)};
}

namespace {

/// Gives the files that messages name places in the source manager.
class Places {
public:
  Places(SourceManager &SM, FileId Main, const std::string &Directory)
      : SM(SM), Main(Main), Directory(Directory) {}
  Span of(const SlangMessage &M);

private:
  FileId file(const std::string &Name);
  SourceManager &SM;
  FileId Main;
  std::string Directory;
};

FileId Places::file(const std::string &Name) {
  for (uint32_t I = 0; I < SM.size(); ++I)
    if (SM.file(FileId(I)).Name == Name)
      return FileId(I);
  for (const fs::path &Path : {fs::path(Directory) / Name, fs::path(Name)}) {
    std::ifstream In(Path, std::ios::binary);
    if (In)
      return SM.add(Path.string(), {std::istreambuf_iterator<char>(In), {}});
  }
  return FileId();
}

Span Places::of(const SlangMessage &M) {
  if (M.Line == 0)
    return Span{Main, 0, 0};
  FileId File = file(M.File);
  if (!File.isValid()) // a text of ours: the file that it was made for
    return Span{Main, 0, 0};
  return spanAt(SM.file(File), File, M.Line, M.Column, M.EndLine, M.EndColumn);
}

} // namespace

bool goldy::reportSlang(SourceManager &SM, FileId Main,
                        const SlangResult &Result, const std::string &Directory,
                        DiagSink &Diags) {
  Places Where(SM, Main, Directory);
  bool Good = Result.Good;
  for (const SlangMessage &M : Result.Messages) {
    if (M.Level == Severity::Error && M.Line == 0 && !Good && Diags.hasErrors())
      continue; // "compilation ceased"
    bool Error = M.Level == Severity::Error;
    DiagBuilder D =
        Diags.report(Error ? diag::G1000 : diag::G1001, Where.of(M));
    D << M.Text;
    for (const SlangMessage &N : M.Notes)
      if (!N.Text.empty())
        D.note(Where.of(N), N.Text);
    Good &= !Error;
  }
  if (!Good && !Diags.hasErrors())
    Diags.report(diag::G1000, Span{Main, 0, 0})
        << "Slang's compiler failed without a message";
  return Good;
}

std::optional<OpaqueUnit> goldy::readOpaque(SourceManager &SM, FileId File,
                                            const OpaqueOptions &Options,
                                            DiagSink &Diags) {
  return Options.Language == OpaqueLanguage::Slang
             ? readSlang(SM, File, Options, Diags)
             : readGlsl(SM, File, Options, Diags);
}
