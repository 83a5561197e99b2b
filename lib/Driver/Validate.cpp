//===- Validate.cpp - --validate ------------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The validators are programs of the machine: a missing one is passed over, as
// the SPIR-V emitter has run the library's validator anyway. Their messages go
// into the diagnostic.
//
//===----------------------------------------------------------------------===//
#include "Emitters.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

using namespace goldy;

namespace {

/// A file of the system's temporary directory that goes with the object.
class TemporaryFile {
public:
  explicit TemporaryFile(std::span<const uint8_t> Bytes) {
    const char *Dir = std::getenv("TMPDIR");
    Path = std::string(Dir && *Dir ? Dir : "/tmp") + "/goldyc-XXXXXX";
    Fd = ::mkstemp(Path.data());
    Good = Fd >= 0 && ::write(Fd, Bytes.data(), Bytes.size()) ==
                          static_cast<ssize_t>(Bytes.size());
  }
  ~TemporaryFile() {
    if (Fd < 0)
      return;
    ::close(Fd);
    ::unlink(Path.c_str());
  }
  std::string Path;
  bool Good = false;

private:
  int Fd = -1;
};

struct Finished {
  bool Started = false;
  int Status = 0;
  std::string Output;
};

/// Runs a program of PATH and takes what it prints.
Finished runProgram(std::vector<std::string> Args) {
  Finished F;
  int Pipe[2];
  if (::pipe2(Pipe, O_CLOEXEC) != 0)
    return F;
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  posix_spawn_file_actions_adddup2(&Actions, Pipe[1], 1);
  posix_spawn_file_actions_adddup2(&Actions, Pipe[1], 2);
  std::vector<char *> Argv;
  for (std::string &A : Args)
    Argv.push_back(A.data());
  Argv.push_back(nullptr);
  pid_t Child = 0;
  F.Started = ::posix_spawnp(&Child, Argv[0], &Actions, nullptr, Argv.data(),
                             environ) == 0;
  posix_spawn_file_actions_destroy(&Actions);
  ::close(Pipe[1]);
  std::array<char, 4096> Buffer;
  for (ssize_t N;
       F.Started && (N = ::read(Pipe[0], Buffer.data(), Buffer.size())) > 0;)
    F.Output.append(Buffer.data(), static_cast<size_t>(N));
  ::close(Pipe[0]);
  if (F.Started)
    ::waitpid(Child, &F.Status, 0);
  return F;
}

} // namespace

bool driver::validateImage(const Image &I, const std::string &Name,
                           DiagSink &Diags) {
  bool Spirv = I.Format == "spirv", Ptx = I.Format == "ptx";
  if (!Spirv && !Ptx)
    return true;
  TemporaryFile File(I.Bytes);
  if (!File.Good)
    return Diags.report(diag::G0760, Span())
           << "cannot write a temporary file for --validate";
  std::vector<std::string> Args = {"spirv-val", "--target-env", I.Arch,
                                   "--scalar-block-layout", File.Path};
  if (Ptx)
    Args = {"ptxas", "-arch=" + I.Arch, "-o", "/dev/null", File.Path};
  Finished F = runProgram(Args);
  if (!F.Started)
    return true;
  bool Good = WIFEXITED(F.Status) && WEXITSTATUS(F.Status) == 0;
  if (Good || (WIFEXITED(F.Status) && WEXITSTATUS(F.Status) == 127))
    return true;
  while (!F.Output.empty() && F.Output.back() == '\n')
    F.Output.pop_back();
  return Diags.report(diag::G0780, Span())
         << "`" << Args[0] << "` refuses what was made for " << Name << ": "
         << F.Output;
}
