//===- Main.cpp - goldy-fuzz-kernels --------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Comparison.h"
#include "Generator.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <unistd.h>

using namespace goldy::fuzz;

namespace {

constexpr const char *Usage =
    "usage: goldy-fuzz-kernels [--seconds=N] [--first=SEED] [--count=N] "
    "[--features=MASK]\n"
    "                          [--out-dir=DIR] [--slang] [--flag=OPTION…]\n"
    "       goldy-fuzz-kernels --print=SEED [--features=MASK]\n"
    "       goldy-fuzz-kernels FILE.goldy [--slang] [--flag=OPTION…]\n"
    "\n"
    "Compares random kernels, or one kernel from a file, on every device here "
    "with the\n"
    "interpreter. A kernel that differs, or that the compiler refuses, is kept "
    "in DIR\n"
    "(default: the current directory). Exit: 0 all equal, 1 differences, 2 bad "
    "usage,\n"
    "3 the compiler refused a kernel, 4 no device to compare with.\n";

struct Settings {
  uint64_t Seconds = 0, First = 1, Count = 0;
  uint32_t Features = AllFeatures;
  std::string OutDir = ".", File, Print;
  bool Slang = false;
  std::vector<std::string> Flags;
};

bool number(const std::string &Text, uint64_t &Out) {
  char *End = nullptr;
  Out = std::strtoull(Text.c_str(), &End, 0);
  return !Text.empty() && *End == 0;
}

bool takeOption(const std::string &Arg, Settings &S) {
  size_t Equal = Arg.find('=');
  std::string Name = Arg.substr(0, Equal);
  std::string Value = Equal == Arg.npos ? "" : Arg.substr(Equal + 1);
  uint64_t N = 0;
  if (Name == "--slang")
    return S.Slang = true;
  if (Name == "--flag")
    return S.Flags.push_back(Value), true;
  if (Name == "--out-dir")
    return S.OutDir = Value, !Value.empty();
  if (Name == "--print")
    return S.Print = Value, number(Value, N);
  if (!number(Value, N))
    return false;
  if (Name == "--seconds")
    return S.Seconds = N, true;
  if (Name == "--first")
    return S.First = N, true;
  if (Name == "--count")
    return S.Count = N, true;
  if (Name == "--features")
    return S.Features = static_cast<uint32_t>(N), true;
  return false;
}

struct Tally {
  uint64_t Equal = 0, Different = 0, Refused = 0;
};

void count(const Verdict &V, const std::string &Name, Tally &T) {
  if (V.Result == Outcome::Equal)
    return void(++T.Equal);
  ++(V.Result == Outcome::Different ? T.Different : T.Refused);
  std::cout << Name << ": "
            << (V.Result == Outcome::Different ? "differs" : "refused") << "\n"
            << V.Detail << std::flush;
}

/// -O level and bounds mode are part of what is tried.
std::vector<std::string> flagsFor(uint64_t Seed, const Settings &S) {
  std::vector<std::string> Flags = S.Flags;
  if (Flags.empty())
    Flags.push_back("-O" + std::to_string(Seed % 4));
  return Flags;
}

void sweep(const Settings &S, const std::vector<Contender> &Against, Tally &T) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point End = Clock::now() + std::chrono::seconds(S.Seconds);
  std::filesystem::path Dir = S.OutDir;
  std::filesystem::path Now =
      std::filesystem::temp_directory_path() /
      ("goldy-fuzz-" + std::to_string(getpid()) + ".goldy");
  for (uint64_t Seed = S.First;; ++Seed) {
    if (S.Count ? Seed >= S.First + S.Count : Clock::now() >= End)
      break;
    std::string Text = generateKernel(Seed, S.Features);
    std::ofstream(Now) << Text;
    std::vector<std::string> Flags = flagsFor(Seed, S);
    Verdict V = compareKernel(Now, Against, Flags);
    std::string Name = "kernel-" + std::to_string(Seed) + ".goldy";
    if (V.Result != Outcome::Equal)
      std::ofstream(Dir / Name) << Text;
    for (const std::string &Flag : Flags)
      Name += " --flag=" + Flag; // what compares the file in the same way
    count(V, Name, T);
  }
  std::filesystem::remove(Now);
}

} // namespace

int main(int Argc, char **Argv) {
  Settings S;
  for (int I = 1; I < Argc; ++I) {
    std::string Arg = Argv[I];
    bool Good = Arg.starts_with("--") ? takeOption(Arg, S)
                                      : (S.File.empty() && !Arg.empty());
    if (Good && !Arg.starts_with("--"))
      S.File = Arg;
    if (!Good)
      return std::cerr << Usage, 2;
  }
  uint64_t Seed = 0;
  if (number(S.Print, Seed))
    return std::cout << generateKernel(Seed, S.Features), 0;
  if (S.File.empty() && !S.Seconds && !S.Count)
    return std::cerr << Usage, 2;
  std::vector<Contender> Against = contenders(S.Slang);
  if (Against.empty())
    return std::cerr << "goldy-fuzz-kernels: no device here\n", 4;
  Tally T;
  if (S.File.empty())
    sweep(S, Against, T);
  else
    count(compareKernel(S.File, Against, S.Flags), S.File, T);
  closeDevices();
  std::cout << T.Equal << " equal, " << T.Different << " differ, " << T.Refused
            << " refused; against";
  for (const Contender &C : Against)
    std::cout << " " << C.Arch << (C.Via == "own" ? "" : "/" + C.Via);
  std::cout << "\n";
  return T.Different ? 1 : T.Refused ? 3 : 0;
}
