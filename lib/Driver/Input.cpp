//===- Input.cpp - Files from the disk ------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Input.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace goldy;
namespace fs = std::filesystem;

std::optional<std::string> driver::readInput(const std::string &Path,
                                             DiagSink &Diags) {
  int Fd = Path == "-" ? 0 : ::open(Path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat S;
  if (Fd < 0 || ::fstat(Fd, &S) != 0)
    return Diags.report(diag::G0730, Span())
           << "cannot read `" << Path << "`: " << std::strerror(errno);
  if (S_ISDIR(S.st_mode)) {
    ::close(Fd);
    return Diags.report(diag::G0731, Span()).help("name the files in it")
           << "input `" << Path << "` is a directory";
  }
  std::string Text, Chunk(1 << 16, '\0');
  constexpr size_t Limit = size_t(1) << 32;
  ssize_t N;
  while ((N = ::read(Fd, Chunk.data(), Chunk.size())) != 0) {
    if (N < 0 && errno == EINTR)
      continue;
    if (N < 0 || Text.size() + static_cast<size_t>(N) >= Limit)
      break;
    Text.append(Chunk, 0, static_cast<size_t>(N));
  }
  int Error = errno;
  if (Fd != 0)
    ::close(Fd);
  if (N < 0)
    return Diags.report(diag::G0730, Span())
           << "cannot read `" << Path << "`: " << std::strerror(Error);
  if (N > 0)
    return Diags.report(diag::G0732, Span())
           << "input `" << Path
           << "` is too large: inputs hold less than 4 GiB";
  return Text;
}

namespace {

/// The file of this name if it was read already.
std::optional<FileId> knownFile(const SourceManager &SM,
                                const std::string &Path) {
  for (uint32_t I = 0; I < SM.size(); ++I)
    if (SM.file(FileId(I)).Name == Path)
      return FileId(I);
  return std::nullopt;
}

} // namespace

ModuleFinder driver::moduleFinder(SourceManager &SM,
                                  const std::vector<std::string> &SearchDirs,
                                  DiagSink &Diags) {
  return [&SM, &SearchDirs,
          &Diags](FileId From, std::string_view Name,
                  std::vector<std::string> &Tried) -> std::optional<FileId> {
    std::string File = std::string(Name) + ".goldy";
    std::vector<fs::path> Places = {fs::path(SM.file(From).Name).parent_path() /
                                    File};
    for (const std::string &Dir : SearchDirs)
      Places.push_back(fs::path(Dir) / File);
    for (const fs::path &Place : Places) {
      std::string Path = Place.string();
      if (std::optional<FileId> Known = knownFile(SM, Path))
        return Known;
      std::error_code Error;
      Tried.push_back("`" + Path + "`");
      if (!fs::exists(Place, Error))
        continue;
      std::optional<std::string> Text = readInput(Path, Diags);
      return Text ? std::optional<FileId>(SM.add(Path, std::move(*Text)))
                  : std::nullopt;
    }
    return std::nullopt;
  };
}
