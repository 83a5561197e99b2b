//===- Main.cpp - goldy-frames: a program over many frames, on all sides --===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every side runs the same frames in the same order and keeps its own state
// from run to run. Runs overlap as the device likes: a run is looked at when
// its slot is needed again. The first side is what the others are held
// against.
//
//===----------------------------------------------------------------------===//
#include "Sides.h"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace frames;

namespace {

constexpr const char *Usage =
    "usage: goldy-frames FILE.gdy PROGRAM [NAME=SPEC…] [--devices=SIDE,…]\n"
    "       goldy-frames --list=FILE [--devices=SIDE,…]\n"
    "                    [--runs=N] [--seed=N] [--slots=N]\n"
    "\n"
    "Runs a program over N (1000) random frames on each SIDE and compares what "
    "every run\n"
    "leaves, bit for bit. A SIDE is `oracle`, which reads the source beside "
    "FILE (its name\n"
    "up to the first dot), or a device: `cpu`, `cpu.x86-64-v2.1` "
    "(architecture, "
    "threads),\n"
    "`vulkan`, `cuda.sm_80`, `cpu+vulkan` for a program of several. SPEC is "
    "LO..HI, a number, [NUMBER*]NAME elements, "
    "or &NAME.\n"
    "A line of a list is FILE.gdy PROGRAM [NAME=SPEC…].\n";

struct Options {
  std::vector<std::string> Sides{"oracle", "cpu"};
  uint64_t Runs = 1000, Seed = 1;
  size_t Slots = 3;
  std::string List;
  std::vector<std::string> Words; ///< the program and its specs
};

int complain(const std::string &Message) {
  std::cerr << "goldy-frames: error: " << Message << '\n';
  return 2;
}

std::vector<std::string> splitAt(const std::string &Text, char At) {
  std::vector<std::string> Out;
  std::istringstream In(Text);
  for (std::string Word; std::getline(In, Word, At);)
    if (!Word.empty())
      Out.push_back(Word);
  return Out;
}

bool parse(int Argc, char **Argv, Options &O) {
  for (int I = 1; I < Argc; ++I) {
    std::string A = Argv[I];
    std::string Value = A.substr(std::min(A.find('=') + 1, A.size()));
    if (A.starts_with("--devices="))
      O.Sides = splitAt(Value, ',');
    else if (A.starts_with("--list="))
      O.List = Value;
    else if (A.starts_with("--runs="))
      O.Runs = std::strtoull(Value.c_str(), nullptr, 10);
    else if (A.starts_with("--seed="))
      O.Seed = std::strtoull(Value.c_str(), nullptr, 10);
    else if (A.starts_with("--slots="))
      O.Slots = std::strtoull(Value.c_str(), nullptr, 10);
    else if (A.starts_with("--"))
      return false;
    else
      O.Words.push_back(A);
  }
  return !O.Sides.empty() && O.Runs && O.Slots &&
         (O.List.empty() ? O.Words.size() >= 2 : O.Words.empty());
}

/// FNV-1a over what the first side left.
class Digest {
public:
  void add(const Outcome &X) {
    add(static_cast<std::byte>(X.Refused));
    if (X.Refused)
      return;
    for (const std::vector<std::byte> &B : X.Buffers)
      for (std::byte One : B)
        add(One);
  }
  uint64_t value() const { return Sum; }

private:
  void add(std::byte B) {
    Sum = (Sum ^ static_cast<uint64_t>(B)) * 0x100000001b3;
  }
  uint64_t Sum = 0xcbf29ce484222325;
};

class Comparison {
public:
  Comparison(const Options &O, std::vector<std::string> Words)
      : O(O), Words(std::move(Words)) {}
  /// What to say of all runs; `Good` if they were equal.
  std::string run(bool &Good);

private:
  bool prepare();
  bool addSide(const std::string &Name, const goldy::Artifact &A,
               const goldy::ProgramTemplate &T);
  bool start(uint64_t Run);
  bool finish(uint64_t Run);
  bool equal(const Side &S, const Outcome &Want, const Outcome &Got);
  bool fail(uint64_t Run, const Side &S);

  const Options &O;
  std::vector<std::string> Words;
  Specs How;
  std::vector<Parameter> Params;
  std::vector<std::unique_ptr<Side>> Sides;
  Digest Sum;
  uint64_t Refused = 0;
  std::string Why;
};

bool Comparison::addSide(const std::string &Name, const goldy::Artifact &A,
                         const goldy::ProgramTemplate &T) {
  std::string Source = Words[0];
  size_t Leaf = Source.rfind('/') == Source.npos ? 0 : Source.rfind('/') + 1;
  Source = Source.substr(0, Source.find('.', Leaf)) + ".goldy";
  Sides.push_back(Name == "oracle"
                      ? oracleSide(Source, Words[1], Params, O.Slots, Why)
                      : deviceSide(Name, A, T, Params, O.Slots, Why));
  if (!Sides.back())
    Why = Name + ": " + Why;
  return Sides.back() != nullptr;
}

bool Comparison::prepare() {
  for (size_t I = 2; I < Words.size(); ++I)
    if (!addSpec(Words[I], How, Why))
      return false;
  goldy::Result<goldy::Artifact> A = goldy::Artifact::load(Words[0].c_str());
  if (!A) {
    Why = A.status().message();
    return false;
  }
  goldy::Result<goldy::ProgramTemplate> T =
      goldy::ProgramTemplate::open(*A, Words[1].c_str());
  if (!T) {
    Why = T.status().message();
    return false;
  }
  Params = parametersOf(*T);
  for (const std::string &Name : O.Sides)
    if (!addSide(Name, *A, *T))
      return false;
  return true;
}

bool Comparison::fail(uint64_t Run, const Side &S) {
  Why = "run " + std::to_string(Run) + " on " + S.Name + ": " + Why;
  return false;
}

bool Comparison::start(uint64_t Run) {
  Frame F;
  if (!drawFrame(Params, How, O.Seed, Run, F, Why))
    return false;
  for (std::unique_ptr<Side> &S : Sides)
    if (!S->start(Run % O.Slots, F, Why))
      return fail(Run, *S);
  return true;
}

bool Comparison::equal(const Side &S, const Outcome &Want, const Outcome &Got) {
  if (Want.Refused != Got.Refused) {
    Why = Got.Refused
              ? "refused (" + Got.Message + "), " + Sides[0]->Name + " runs it"
              : "not refused, " + Sides[0]->Name + " says: " + Want.Message;
    return false;
  }
  if (Want.Refused) // what the steps before left is not determined
    return true;
  for (size_t I = 0; I < Params.size(); ++I)
    for (size_t At = 0; At < Want.Buffers[I].size(); ++At)
      if (Want.Buffers[I][At] != Got.Buffers[I][At]) {
        Why = "byte " + std::to_string(At) + " of `" + Params[I].Name +
              "` differs from " + Sides[0]->Name + "'s on " + S.Name;
        return false;
      }
  return true;
}

bool Comparison::finish(uint64_t Run) {
  Outcome First;
  if (!Sides[0]->finish(Run % O.Slots, First, Why))
    return fail(Run, *Sides[0]);
  for (size_t I = 1; I < Sides.size(); ++I) {
    Outcome Other;
    if (!Sides[I]->finish(Run % O.Slots, Other, Why) ||
        !equal(*Sides[I], First, Other))
      return fail(Run, *Sides[I]);
  }
  Refused += First.Refused;
  Sum.add(First);
  return true;
}

std::string Comparison::run(bool &Good) {
  Good = prepare();
  for (uint64_t Run = 0; Good && Run < O.Runs + O.Slots; ++Run) {
    if (Run >= O.Slots)
      Good = finish(Run - O.Slots);
    if (Good && Run < O.Runs)
      Good = start(Run);
  }
  std::string Text;
  for (const std::string &Word : Words)
    Text += (Text.empty() ? "" : " ") + Word;
  Text += ": ";
  if (!Good)
    return Text + Why;
  char Hex[32];
  std::snprintf(Hex, sizeof Hex, "%016llx",
                static_cast<unsigned long long>(Sum.value()));
  return Text + std::to_string(O.Runs) + " runs equal on " +
         std::to_string(Sides.size()) + " sides, " + std::to_string(Refused) +
         " of them refused, digest " + Hex;
}

} // namespace

int main(int Argc, char **Argv) {
  Options O;
  if (!parse(Argc, Argv, O)) {
    std::cerr << Usage;
    return 2;
  }
  std::vector<std::vector<std::string>> All;
  if (O.List.empty())
    All.push_back(O.Words);
  std::ifstream In(O.List);
  if (!O.List.empty() && !In)
    return complain("`" + O.List + "` cannot be read");
  for (std::string Line; std::getline(In, Line);)
    if (std::vector<std::string> W = splitAt(Line, ' '); W.size() >= 2)
      All.push_back(W);
  size_t Failed = 0;
  for (const std::vector<std::string> &Words : All) {
    bool Good = false;
    std::string Said = Comparison(O, Words).run(Good);
    std::cout << (Good ? "" : "FAIL ") << Said << std::endl;
    Failed += !Good;
  }
  std::cout << All.size() - Failed << " programs equal, " << Failed
            << " failed\n";
  return Failed || All.empty() ? 1 : 0;
}
