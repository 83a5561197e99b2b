//===- Oracle.cpp - The interpreter as one of the devices of diff ---------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program beside this one is taken before one in PATH: both come from the
// same build.
//
//===----------------------------------------------------------------------===//
#include "Oracle.h"

#include "Print.h"

#include "goldyc/Support/Sha256.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace goldyrun;
namespace fs = std::filesystem;
namespace npy = goldy::npy;

extern char **environ;

namespace {

constexpr const char *Program = "goldy-interp";

/// Removed with all it holds.
class TemporaryFolder {
public:
  ~TemporaryFolder() {
    std::error_code Ignored; // nobody is left to tell
    if (!Path.empty())
      fs::remove_all(Path, Ignored);
  }
  Exit make() {
    std::error_code Error;
    std::string Name =
        (fs::temp_directory_path(Error) / "goldyrun-XXXXXX").string();
    if (Error || !mkdtemp(Name.data()))
      return fail(Exit::Input,
                  "no temporary folder can be made for the "
                  "interpreter's results: " +
                      (Error ? Error.message() : std::strerror(errno)),
                  "set TMPDIR to a folder that can be written");
    Path = Name;
    return Exit::Ok;
  }
  std::string file(const std::string &Name) const {
    return (Path / Name).string();
  }

private:
  fs::path Path;
};

std::string programPath() {
  std::error_code Error;
  fs::path Beside = fs::read_symlink("/proc/self/exe", Error);
  Beside.replace_filename(Program);
  return !Error && fs::exists(Beside, Error) ? Beside.string() : Program;
}

std::string gridText(const std::array<uint64_t, 3> &Numbers) {
  return std::to_string(Numbers[0]) + "," + std::to_string(Numbers[1]) + "," +
         std::to_string(Numbers[2]);
}

/// What a baked scalar that was left out holds.
std::string bakedText(const Bound &B) {
  npy::DType Type = goldy::scalarDType(*scalarOf(B.Info.type));
  return scalarText(Type, reinterpret_cast<const std::byte *>(&B.Word), false);
}

/// The value of a text field at the start of an artifact's description.
std::string fieldOf(std::string_view Json, const std::string &Key) {
  std::string Start = "\n  \"" + Key + "\": \"";
  size_t Begin = Json.find(Start);
  if (Begin == Json.npos)
    return "";
  Begin += Start.size();
  return std::string(Json.substr(Begin, Json.find('"', Begin) - Begin));
}

/// Options of goldyc that change what a source means.
void addMeaning(const Source &From, std::vector<std::string> &Words) {
  std::istringstream Flags(fieldOf(From.Artifact->json(), "flags"));
  for (std::string Flag; Flags >> Flag;)
    if (Flag.starts_with("-D") || Flag.starts_with("--spec=") ||
        Flag == "--bounds=unchecked")
      Words.push_back(Flag);
}

std::vector<std::string> commandLine(const Options &O, const Session &S,
                                     const std::string &File) {
  std::vector<std::string> Words{programPath(), File, S.facts().Name};
  for (const Assignment &A : O.Arguments)
    Words.push_back(A.first + "=" + A.second);
  for (const Bound &B : S.args().all())
    if (!B.Given && B.Info.baked)
      Words.push_back(std::string(B.Info.name) + "=" + bakedText(B));
  for (const Assignment &A : O.Specs)
    Words.push_back("--spec=" + A.first + "=" + A.second);
  if (!S.facts().IsProgram)
    Words.push_back(O.Over ? "--over=" + gridText(*O.Over)
                           : "--groups=" + gridText(*O.Groups));
  Words.push_back("--runs=" + std::to_string(O.Runs ? O.Runs : 1));
  return Words;
}

/// Starts a program; its messages go to stderr.
Exit start(const std::vector<std::string> &Words, pid_t &Child) {
  std::vector<char *> Argv;
  for (const std::string &W : Words)
    Argv.push_back(const_cast<char *>(W.c_str()));
  Argv.push_back(nullptr);
  int Error =
      posix_spawnp(&Child, Argv[0], nullptr, nullptr, Argv.data(), environ);
  if (Error == ENOENT)
    return fail(Exit::Missing,
                "device `interp` needs the program " + quoted(Program) +
                    ", which is neither beside goldyrun nor in PATH");
  return Error
             ? fail(Exit::Internal,
                    quoted(Program) + " cannot be run: " + std::strerror(Error))
             : Exit::Ok;
}

/// Waits for the end of a program; of one that takes longer than `Most`, by
/// ending it.
Exit await(pid_t Child, std::optional<Seconds> Most, int &State,
           bool &Exceeded) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds Pause(5);
  Clock::time_point Start = Clock::now();
  for (;;) {
    pid_t Ended = waitpid(Child, &State, Most && !Exceeded ? WNOHANG : 0);
    if (Ended == Child)
      return Exit::Ok;
    if (Ended < 0 && errno != EINTR)
      return fail(Exit::Internal, quoted(Program) + " cannot be waited for: " +
                                      std::strerror(errno));
    if (!Most || Exceeded)
      continue;
    Exceeded = Clock::now() - Start > *Most;
    if (Exceeded)
      kill(Child, SIGKILL);
    else
      std::this_thread::sleep_for(Pause);
  }
}

Exit runProgram(const std::vector<std::string> &Words,
                std::optional<Seconds> Most, bool &Exceeded) {
  pid_t Child = 0;
  int State = 0;
  GOLDYRUN_TRY(start(Words, Child));
  GOLDYRUN_TRY(await(Child, Most, State, Exceeded));
  if (Exceeded)
    return fail(Exit::Input, "the interpreter exceeded `--time-limit`");
  if (!WIFEXITED(State))
    return fail(Exit::Internal, quoted(Program) + " was ended by signal " +
                                    std::to_string(WTERMSIG(State)));
  if (WEXITSTATUS(State) == 0)
    return Exit::Ok;
  return fail(WEXITSTATUS(State) == 1 ? Exit::Input : Exit::Internal,
              "the interpreter refused the run, as it says above");
}

Exit writeBytes(const std::string &Path,
                const std::vector<unsigned char> &Bytes) {
  std::FILE *F = std::fopen(Path.c_str(), "wb");
  bool Good =
      F && std::fwrite(Bytes.data(), 1, Bytes.size(), F) == Bytes.size();
  if (F)
    Good &= std::fclose(F) == 0;
  return Good ? Exit::Ok
              : fail(Exit::Input, quoted(Path) + ": cannot be written");
}

} // namespace

Exit goldyrun::checkProgramSource(const Options &O, const Source &From) {
  if (From.Program)
    return fail(Exit::Usage,
                "`--devices`: `interp` runs programs of artifacts, and " +
                    quoted(O.File) + " is a program by itself");
  if (O.SourceFile.empty())
    return fail(Exit::Usage,
                "`--devices`: `interp` runs a program from its source, which "
                "an artifact does not keep",
                "give --source=FILE.goldy");
  std::ifstream File(O.SourceFile, std::ios::binary);
  std::string Text{std::istreambuf_iterator<char>(File), {}};
  if (!File.is_open() || File.bad())
    return fail(Exit::Input, quoted(O.SourceFile) + ": cannot be read");
  std::string Hash = goldy::Sha256::hex(goldy::Sha256::of(Text));
  if (From.Artifact->json().find("\"sha256\": \"" + Hash + "\"") ==
      std::string_view::npos)
    return fail(Exit::Input,
                quoted(O.SourceFile) + " is not the source that " +
                    quoted(O.File) + " was made from",
                "compile it again, or name the file as it was then");
  return Exit::Ok;
}

Exit goldyrun::runOracle(const Options &O, const Session &Checked,
                         const Source &From, std::vector<npy::Array> &Out,
                         bool &Exceeded) {
  TemporaryFolder Folder;
  GOLDYRUN_TRY(Folder.make());
  bool Program = Checked.facts().IsProgram;
  std::string File = Program ? O.SourceFile : O.File;
  if (File == "-") {
    File = Folder.file("stdin.gdy");
    GOLDYRUN_TRY(writeBytes(File, From.Stdin));
  }
  std::vector<std::string> Words = commandLine(O, Checked, File);
  if (Program)
    addMeaning(From, Words);
  std::vector<std::string> Saved;
  for (const Bound *B : Checked.args().written()) {
    Saved.push_back(Folder.file(std::to_string(Saved.size()) + ".npy"));
    Words.push_back("--save=" + std::string(B->Info.name) + "=" + Saved.back());
  }
  std::optional<Seconds> Most = O.TimeLimit;
  if (Most)
    *Most *= static_cast<double>(O.Runs ? O.Runs : 1);
  GOLDYRUN_TRY(runProgram(Words, Most, Exceeded));
  for (const std::string &Path : Saved) {
    std::string Why;
    std::optional<npy::Array> A = npy::readFile(Path, Why);
    if (!A)
      return fail(Exit::Internal, "the interpreter's result: " + Why);
    Out.push_back(std::move(*A));
  }
  return Exit::Ok;
}
