//===- Output.cpp - Outputs that appear together or not at all ------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Output.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

using namespace goldy;
using namespace goldy::driver;
namespace fs = std::filesystem;

namespace {

/// 1 regular or absent, 2 directory, 3 device, pipe or socket.
int kindOf(const std::string &Path) {
  struct stat S;
  if (::stat(Path.c_str(), &S) != 0)
    return 1;
  return S_ISDIR(S.st_mode) ? 2 : S_ISREG(S.st_mode) ? 1 : 3;
}

bool sameFile(const std::string &A, const std::string &B) {
  struct stat X, Y;
  return ::stat(A.c_str(), &X) == 0 && ::stat(B.c_str(), &Y) == 0 &&
         X.st_dev == Y.st_dev && X.st_ino == Y.st_ino && S_ISREG(X.st_mode);
}

bool writeAll(int Fd, std::string_view Bytes) {
  while (!Bytes.empty()) {
    ssize_t N = ::write(Fd, Bytes.data(), Bytes.size());
    if (N < 0 && errno == EINTR)
      continue;
    if (N < 0)
      return false;
    Bytes.remove_prefix(static_cast<size_t>(N));
  }
  return true;
}

bool cannotWrite(const std::string &Path, int Error, DiagSink &Diags) {
  return Diags.report(diag::G0760, Span())
         << "cannot write `" << Path << "`: " << std::strerror(Error);
}

/// Where a chain of symbolic links leads, so that the links stay. The end need
/// not exist.
std::string throughLinks(const std::string &Path) {
  fs::path At = Path;
  std::error_code Error;
  for (unsigned Steps = 0; Steps < 40 && fs::is_symlink(At, Error); ++Steps) {
    fs::path To = fs::read_symlink(At, Error);
    if (Error)
      return Path;
    At = To.is_absolute() ? To : At.parent_path() / To;
  }
  return At.string();
}

} // namespace

void OutputSet::add(std::string Path, std::string Bytes) {
  Files.push_back({std::move(Path), std::move(Bytes)});
}

bool OutputSet::check(const std::vector<std::string> &Inputs,
                      DiagSink &Diags) const {
  std::set<std::string> Names;
  bool Good = true;
  for (const OutputFile &F : Files) {
    if (F.Path == "-")
      continue;
    if (kindOf(F.Path) == 2) {
      Diags.report(diag::G0761, Span())
              .help("give a file's name, or use `--out-dir=" + F.Path + "`")
          << "output `" << F.Path << "` is a directory";
      Good = false;
    }
    if (kindOf(F.Path) == 1 &&
        !Names.insert(fs::path(F.Path).lexically_normal().string()).second) {
      Diags.report(diag::G0709, Span())
          << "two outputs would be written to `" << F.Path << "`";
      Good = false;
    }
    for (const std::string &Input : Inputs)
      if (Input != "-" && sameFile(Input, F.Path)) {
        Diags.report(diag::G0710, Span())
            << "output `" << F.Path << "` would replace the input";
        Good = false;
      }
  }
  return Good;
}

bool OutputSet::writeAside(const OutputFile &F, std::vector<Aside> &Made,
                           DiagSink &Diags) const {
  std::string Final = throughLinks(F.Path);
  if (::access(Final.c_str(), F_OK) == 0 && ::access(Final.c_str(), W_OK) != 0)
    return cannotWrite(F.Path, errno, Diags);
  std::string Name = Final + ".XXXXXX";
  int Fd = ::mkstemp(Name.data());
  if (Fd < 0)
    return cannotWrite(F.Path, errno, Diags);
  Made.push_back({Name, Final});
  mode_t Mask = ::umask(0);
  ::umask(Mask);
  struct stat Old;
  mode_t Mode =
      ::stat(Final.c_str(), &Old) == 0 ? Old.st_mode & 07777 : 0666 & ~Mask;
  bool Good = writeAll(Fd, F.Bytes) && ::fchmod(Fd, Mode) == 0;
  int Error = errno;
  Good &= ::close(Fd) == 0;
  return Good || cannotWrite(F.Path, Error, Diags);
}

bool OutputSet::writeDirect(const OutputFile &F, DiagSink &Diags) const {
  int Fd = ::open(F.Path.c_str(), O_WRONLY | O_CLOEXEC);
  if (Fd < 0)
    return cannotWrite(F.Path, errno, Diags);
  bool Good = writeAll(Fd, F.Bytes);
  int Error = errno;
  ::close(Fd);
  return Good || cannotWrite(F.Path, Error, Diags);
}

bool OutputSet::commit(std::ostream &Out, DiagSink &Diags) {
  std::vector<Aside> Made;
  bool Good = true;
  for (const OutputFile &F : Files)
    if (Good && F.Path != "-" && kindOf(F.Path) == 1)
      Good = writeAside(F, Made, Diags);
  size_t Renamed = 0;
  for (; Good && Renamed < Made.size(); ++Renamed)
    if (::rename(Made[Renamed].Temporary.c_str(),
                 Made[Renamed].Final.c_str()) != 0) {
      Good = cannotWrite(Made[Renamed].Final, errno, Diags);
      break;
    }
  if (!Good) { // what was renamed already goes again: all or nothing
    for (size_t I = 0; I < Made.size(); ++I)
      ::unlink(I < Renamed ? Made[I].Final.c_str() : Made[I].Temporary.c_str());
    return false;
  }
  for (const OutputFile &F : Files) {
    if (F.Path == "-")
      Out.write(F.Bytes.data(), static_cast<std::streamsize>(F.Bytes.size()));
    else if (kindOf(F.Path) == 3)
      Good &= writeDirect(F, Diags);
  }
  Out.flush();
  if (!Out)
    return cannotWrite("standard output", EIO, Diags);
  return Good;
}

bool driver::makeDirectory(const std::string &Path, DiagSink &Diags) {
  std::error_code Error;
  fs::create_directories(Path, Error);
  if (!Error && fs::is_directory(Path, Error))
    return true;
  return Diags.report(diag::G0760, Span())
         << "cannot make the directory `" << Path
         << "`: " << (Error ? Error.message() : "a file has that name");
}
