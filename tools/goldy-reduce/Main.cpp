//===- Main.cpp - goldy-reduce: shrinks a failing input -------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Candidates.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace goldy::reduce;

extern char **environ;

namespace {

constexpr const char *Usage =
    "usage: goldy-reduce --test=SCRIPT FILE [-o OUT] [--max-tests=N] "
    "[--verbose]\n"
    "\n"
    "Makes FILE smaller for as long as SCRIPT, run with a candidate's path as "
    "its only\n"
    "argument, exits with 0 (still of interest). FILE is kernel source or IR "
    "text; OUT\n"
    "defaults to FILE with `.reduced` before its suffix. Exit: 0 done, 1 "
    "SCRIPT refuses\n"
    "FILE itself, 2 bad usage.\n";

struct Settings {
  std::string Test, File, Out;
  uint64_t MaxTests = 20000;
  bool Verbose = false;
};

bool parse(int Argc, char **Argv, Settings &S) {
  for (int I = 1; I < Argc; ++I) {
    std::string A = Argv[I];
    if (A.starts_with("--test="))
      S.Test = A.substr(7);
    else if (A.starts_with("--max-tests="))
      S.MaxTests = std::strtoull(A.c_str() + 12, nullptr, 10);
    else if (A == "--verbose")
      S.Verbose = true;
    else if (A == "-o" && I + 1 < Argc)
      S.Out = Argv[++I];
    else if (A.starts_with("-") || !S.File.empty())
      return false;
    else
      S.File = A;
  }
  return !S.Test.empty() && !S.File.empty() && S.MaxTests > 0;
}

class Reducer {
public:
  Reducer(const Settings &S, std::string Text)
      : S(S), Text(std::move(Text)),
        Scratch(std::filesystem::temp_directory_path() /
                ("goldy-reduce-" + std::to_string(getpid()) +
                 std::filesystem::path(S.File).extension().string())) {}
  ~Reducer() {
    std::error_code Ignored;
    std::filesystem::remove(Scratch, Ignored);
  }

  bool holds() { return interesting(Text); }
  /// Candidates until none of a whole round helps.
  void run() {
    while (Tests < S.MaxTests && round())
      ;
  }
  const std::string &text() const { return Text; }
  uint64_t tests() const { return Tests; }

private:
  bool interesting(const std::string &Candidate);
  bool round();

  const Settings &S;
  std::string Text;
  std::filesystem::path Scratch;
  std::set<size_t> Refused; ///< hashes of candidates that did not hold
  uint64_t Tests = 0;
};

bool Reducer::interesting(const std::string &Candidate) {
  if (Refused.count(std::hash<std::string>()(Candidate)))
    return false;
  std::ofstream(Scratch, std::ios::binary) << Candidate;
  std::string Script = S.Test, Path = Scratch;
  char *Args[] = {Script.data(), Path.data(), nullptr};
  pid_t Child = 0;
  int Status = 1;
  ++Tests;
  if (posix_spawnp(&Child, Args[0], nullptr, nullptr, Args, environ) != 0 ||
      waitpid(Child, &Status, 0) != Child)
    return false;
  bool Good = WIFEXITED(Status) && WEXITSTATUS(Status) == 0;
  if (!Good)
    Refused.insert(std::hash<std::string>()(Candidate));
  return Good;
}

bool Reducer::round() {
  bool Smaller = false;
  std::vector<Edit> Edits = candidates(Text);
  for (size_t N = 0; N < Edits.size() && Tests < S.MaxTests; ++N) {
    std::string Candidate = edited(Text, Edits[N]);
    if (!interesting(Candidate))
      continue;
    Text = std::move(Candidate);
    Smaller = true;
    if (S.Verbose)
      std::cerr << "goldy-reduce: " << Text.size() << " bytes after " << Tests
                << " tests\n";
    // The rest of the list speaks of the old text.
    Edits = candidates(Text);
    N = N > 4 ? N - 4 : 0;
  }
  return Smaller;
}

} // namespace

int main(int Argc, char **Argv) {
  Settings S;
  if (Argc == 2 && std::string(Argv[1]) == "--help")
    return std::cout << Usage, 0;
  if (!parse(Argc, Argv, S))
    return std::cerr << Usage, 2;
  std::ifstream In(S.File, std::ios::binary);
  if (!In)
    return std::cerr << "goldy-reduce: error: cannot read `" << S.File << "`\n",
           2;
  std::string Text((std::istreambuf_iterator<char>(In)), {});
  if (S.Out.empty()) {
    std::filesystem::path P = S.File;
    S.Out = P.replace_extension(".reduced" + P.extension().string());
  }
  size_t Before = Text.size();
  Reducer R(S, std::move(Text));
  if (!R.holds()) {
    std::cerr << "goldy-reduce: error: `" << S.Test << "` does not hold for `"
              << S.File << "` itself: it must exit with 0\n";
    return 1;
  }
  R.run();
  std::ofstream(S.Out, std::ios::binary) << R.text();
  std::cout << "goldy-reduce: " << Before << " bytes became " << R.text().size()
            << " in " << S.Out << " (" << R.tests() << " tests)\n";
  return 0;
}
