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

using namespace goldy::fuzz;

namespace {

constexpr const char *Usage =
    "usage: goldy-fuzz-kernels [--seconds=N] [--first=SEED] [--count=N]\n"
    "                          [--family=typed|state|rows] [--features=MASK]\n"
    "                          [--arch=NAME…] [--out-dir=DIR] [--slang] "
    "[--flag=OPTION…]\n"
    "       goldy-fuzz-kernels --print=SEED [--family=typed|state|rows] "
    "[--features=MASK]\n"
    "       goldy-fuzz-kernels FILE.goldy [--arch=NAME…] [--slang] "
    "[--flag=OPTION…]\n"
    "\n"
    "Compares random kernels, or one kernel from a file, on every device here "
    "with the\n"
    "interpreter; without --family each number gives one of each family. A "
    "kernel that differs, or that the compiler refuses, is kept "
    "in DIR\n"
    "(default: the current directory). Exit: 0 all equal, 1 differences, 2 bad "
    "usage,\n"
    "3 the compiler refused a kernel, 4 no device to compare with.\n";

struct Settings {
  uint64_t Seconds = 0, First = 1, Count = 0;
  uint32_t Features = AllFeatures;
  std::string OutDir = ".", File, Print;
  std::vector<Family> Families{Family::Typed, Family::State, Family::Rows};
  bool Slang = false;
  std::vector<std::string> Flags, Arches;
};

const char *nameOf(Family F) {
  constexpr const char *Names[] = {"typed", "state", "rows"};
  return Names[static_cast<unsigned>(F)];
}

bool familyNamed(const std::string &Name, Settings &S) {
  for (Family F : {Family::Typed, Family::State, Family::Rows})
    if (Name == nameOf(F))
      return S.Families = {F}, true;
  return false;
}

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
  if (Name == "--arch")
    return S.Arches.push_back(Value), !Value.empty();
  if (Name == "--family")
    return familyNamed(Value, S);
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

/// One kernel from its number. Its file stays in the folder of findings if it
/// is one, and if the compiler takes this process down.
void tryKernel(Family F, uint64_t Seed, const Settings &S,
               const std::vector<Contender> &Against, Tally &T) {
  std::string Name = (F == Family::Typed ? "kernel" : nameOf(F)) +
                     ("-" + std::to_string(Seed) + ".goldy");
  std::filesystem::path File = std::filesystem::path(S.OutDir) / Name;
  std::ofstream(File) << generateKernel(F, Seed, S.Features);
  std::vector<std::string> Flags = flagsFor(Seed, S);
  Verdict V = compareKernel(File, Against, Flags);
  if (V.Result == Outcome::Equal)
    std::filesystem::remove(File);
  for (const std::string &Flag : Flags)
    Name += " --flag=" + Flag; // what compares the file in the same way
  count(V, Name, T);
}

void sweep(const Settings &S, const std::vector<Contender> &Against, Tally &T) {
  using Clock = std::chrono::steady_clock;
  std::error_code Ignored; // a folder that is not there shows at the first file
  std::filesystem::create_directories(S.OutDir, Ignored);
  Clock::time_point End = Clock::now() + std::chrono::seconds(S.Seconds);
  for (uint64_t Seed = S.First;; ++Seed) {
    if (S.Count ? Seed >= S.First + S.Count : Clock::now() >= End)
      break;
    for (Family F : S.Families)
      tryKernel(F, Seed, S, Against, T);
  }
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
    return std::cout << generateKernel(S.Families[0], Seed, S.Features), 0;
  if (S.File.empty() && !S.Seconds && !S.Count)
    return std::cerr << Usage, 2;
  std::vector<Contender> Against = contenders(S.Slang, S.Arches);
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
    std::cout << " " << C.Arch << (C.Via == "own" ? "" : "/" + C.Via)
              << (C.Threads > 1 ? "*2" : "");
  std::cout << "\n";
  return T.Different ? 1 : T.Refused ? 3 : 0;
}
