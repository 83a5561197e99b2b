//===- Main.cpp - goldy-interp: runs a kernel on the oracle
//----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../goldyrun/Print.h"
#include "Arguments.h"
#include "Input.h"
#include "goldyc/IR/Text.h"
#include "goldyc/Support/Diag.h"
#include "goldyc/Transforms/Collectives.h"
#include "goldyc/Transforms/ExpandMath.h"
#include "goldyc/Verify/Verify.h"

#include <iostream>

using namespace goldy;

namespace {

constexpr const char *Usage =
    "usage: goldy-interp FILE [KERNEL] [PARAM=VALUE…] (--over=N[,M[,K]] | "
    "--groups=X[,Y[,Z]])\n"
    "                    [--save PARAM=FILE.npy…] [--print PARAM…] "
    "[--spec NAME=VALUE…]\n"
    "                    [--runs=N] [--step-limit=N]\n"
    "\n"
    "Runs a kernel by the letter of the language. FILE is IR text or a .gdy "
    "file with\n"
    "retained definitions; VALUE is as for goldyrun.\n";

enum Exit { Good = 0, BadInput = 1, BadUsage = 2 };

struct CommandLine {
  std::string File, Kernel;
  std::vector<std::string> Assignments, Saves, Prints, Specs;
  uint64_t Runs = 1;
  std::optional<std::array<uint64_t, 3>> Over, Groups;
  InterpOptions Options;
};

int complain(int Code, const std::string &Message) {
  std::cerr << "goldy-interp: error: " << Message << '\n';
  return Code;
}

/// `--name=value` or `--name value`; advances `I` over a separate value.
bool optionValue(const std::vector<std::string> &Args, size_t &I,
                 std::string_view Name, std::string &Value) {
  if (Args[I].starts_with(std::string(Name) + "=")) {
    Value = Args[I].substr(Name.size() + 1);
    return true;
  }
  if (Args[I] != Name || I + 1 >= Args.size())
    return false;
  Value = Args[++I];
  return true;
}

bool takeOption(const std::vector<std::string> &Args, size_t &I,
                CommandLine &Out, std::string &Why) {
  std::string Value;
  if (optionValue(Args, I, "--over", Value))
    return (Out.Over = parseGrid(Value, Why)).has_value();
  if (optionValue(Args, I, "--groups", Value))
    return (Out.Groups = parseGrid(Value, Why)).has_value();
  if (optionValue(Args, I, "--save", Value)) {
    Out.Saves.push_back(Value);
    return true;
  }
  if (optionValue(Args, I, "--print", Value)) {
    Out.Prints.push_back(Value);
    return true;
  }
  if (optionValue(Args, I, "--spec", Value)) {
    Out.Specs.push_back(Value);
    return true;
  }
  if (optionValue(Args, I, "--runs", Value)) {
    std::optional<uint64_t> Runs = scalarFromText(Value, Scalar::U32, Why);
    Out.Runs = Runs.value_or(0);
    if (Runs == 0)
      Why = "--runs: at least one run is needed";
    return Out.Runs != 0;
  }
  if (optionValue(Args, I, "--step-limit", Value)) {
    std::optional<uint64_t> Limit = scalarFromText(Value, Scalar::U64, Why);
    Out.Options.StepLimit = Limit.value_or(0);
    return Limit.has_value();
  }
  Why = "unknown option `" + Args[I] + "`";
  return false;
}

bool parseCommandLine(const std::vector<std::string> &Args, CommandLine &Out,
                      std::string &Why) {
  for (size_t I = 0; I < Args.size(); ++I) {
    if (Args[I].starts_with("--")) {
      if (!takeOption(Args, I, Out, Why))
        return false;
    } else if (Out.File.empty()) {
      Out.File = Args[I];
    } else if (Args[I].find('=') != std::string::npos) {
      Out.Assignments.push_back(Args[I]);
    } else if (Out.Kernel.empty()) {
      Out.Kernel = Args[I];
    } else {
      Why = "unexpected argument `" + Args[I] + "`";
      return false;
    }
  }
  if (Out.File.empty())
    Why = "no input file";
  else if (Out.Over.has_value() == Out.Groups.has_value())
    Why = "exactly one of --over and --groups is needed";
  return Why.empty();
}

std::optional<FuncId> chooseKernel(const Module &M, const std::string &Name,
                                   std::string &Why) {
  std::vector<FuncId> Kernels = M.kernels();
  std::vector<std::string> Names;
  for (FuncId K : Kernels) {
    Names.push_back(M.Functions[K].Name);
    if (M.Functions[K].Name == Name)
      return K;
  }
  if (Name.empty() && Kernels.size() == 1)
    return Kernels[0];
  if (Name.empty()) {
    Why = "the file holds " + std::to_string(Kernels.size()) +
          " kernels, name one";
    return std::nullopt;
  }
  Why = "there is no kernel `" + Name + "`";
  if (std::optional<std::string> Near = nearest(Name, Names))
    Why += ", did you mean `" + *Near + "`?";
  return std::nullopt;
}

/// Gives a specialisation constant, `NAME=VALUE`, another value.
bool specialise(Module &M, const std::string &Text, std::string &Why) {
  std::optional<std::pair<std::string, std::string>> Parts =
      splitAssignment(Text);
  std::vector<std::string> Names;
  for (uint32_t I = 0; I < M.Specs.size(); ++I) {
    SpecId S(I);
    if (Parts && M.Specs[S].Name == Parts->first) {
      std::optional<Scalar> Type = scalarNamed(M.Types.name(M.Specs[S].Type));
      std::optional<uint64_t> Bits =
          Type ? scalarFromText(Parts->second, *Type, Why) : std::nullopt;
      M.Specs[S].Default = Bits.value_or(0);
      return Bits.has_value();
    }
    Names.push_back(M.Specs[S].Name);
  }
  if (!Parts) {
    Why = "expected NAME=VALUE";
    return false;
  }
  Why = "there is no specialisation constant of this name";
  if (std::optional<std::string> Near = nearest(Parts->first, Names))
    Why += ", did you mean `" + *Near + "`?";
  return false;
}

bool specialiseAll(Module &M, const CommandLine &Line, std::string &Why) {
  for (const std::string &Text : Line.Specs)
    if (!specialise(M, Text, Why)) {
      Why = "--spec " + Text + ": " + Why;
      return false;
    }
  return true;
}

/// Groups that cover the grid.
std::optional<std::array<uint32_t, 3>> gridOf(const CommandLine &Line,
                                              const Function &Kernel) {
  std::array<uint32_t, 3> Out{};
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    uint64_t Size = Kernel.WorkgroupSize[Axis];
    uint64_t Count = Line.Groups ? (*Line.Groups)[Axis]
                                 : ((*Line.Over)[Axis] + Size - 1) / Size;
    if (Count * Size > uint64_t(1) << 32)
      return std::nullopt;
    Out[Axis] = static_cast<uint32_t>(Count);
  }
  return Out;
}

void render(const SourceManager &SM, const DiagSink &Diags) {
  for (const Diagnostic &D : Diags.diagnostics())
    renderText(std::cerr, SM, D, false);
}

/// Prints and saves what the run left.
int giveBack(const CommandLine &Line, const Arguments &Bound) {
  std::string Why;
  for (const std::string &Param : Line.Prints) {
    std::optional<npy::Array> A = Bound.current(Param, Why);
    if (!A)
      return complain(BadInput, Why);
    std::cout << goldyrun::arrayText(Param, *A);
  }
  for (const std::string &Save : Line.Saves) {
    std::optional<std::pair<std::string, std::string>> Parts =
        splitAssignment(Save);
    if (!Parts)
      return complain(BadUsage,
                      "expected --save PARAM=FILE.npy, found `" + Save + "`");
    if (!Bound.save(Parts->first, Parts->second, Why))
      return complain(BadInput, Why);
  }
  return Good;
}

int runKernel(const CommandLine &Line, const Module &M, FuncId Kernel,
              const SourceManager &SM) {
  const Function &F = M.Functions[Kernel];
  std::string Why;
  Arguments Bound(M, F);
  if (!Bound.bind(Line.Assignments, Why))
    return complain(BadInput, Why);
  std::optional<std::array<uint32_t, 3>> Groups = gridOf(Line, F);
  if (!Groups)
    return complain(BadInput, "the grid has more than 2^32 work-items on an "
                              "axis");
  InterpOptions Options = Line.Options;
  Options.Debug = [](const std::string &Said) { std::cerr << Said << '\n'; };
  std::optional<InterpFault> Fault;
  for (uint64_t Run = 0; Run < Line.Runs && !Fault; ++Run)
    Fault = interpret(M, Kernel, *Groups, Bound.values(), Options);
  if (Fault) {
    std::string At;
    if (Fault->Where.isValid()) {
      LineColumn Place = SM.lineColumn(Fault->Where.File, Fault->Where.Begin);
      At = SM.file(Fault->Where.File).Name + ":" + std::to_string(Place.Line) +
           ":" + std::to_string(Place.Column) + ": ";
    }
    return complain(BadInput, At + Fault->Message);
  }
  return giveBack(Line, Bound);
}

} // namespace

int main(int Argc, char **Argv) {
  std::vector<std::string> Args(Argv + 1, Argv + Argc);
  if (Args.empty() || Args[0] == "--help") {
    (Args.empty() ? std::cerr : std::cout) << Usage;
    return Args.empty() ? BadUsage : Good;
  }
  CommandLine Line;
  std::string Why;
  if (!parseCommandLine(Args, Line, Why))
    return complain(BadUsage, Why);
  SourceManager SM;
  std::optional<FileId> File = readInput(Line.File, Line.Kernel, SM, Why);
  if (!File)
    return complain(BadInput, "`" + Line.File + "` " + Why);
  DiagSink Diags;
  std::optional<Module> Parsed = parseIRText(SM, *File, Diags);
  std::optional<VerifiedModule> M;
  if (Parsed)
    M = verify(std::move(*Parsed), Diags);
  render(SM, Diags);
  if (!M)
    return BadInput;
  Module Expanded = **M;
  if (!specialiseAll(Expanded, Line, Why))
    return complain(BadInput, Why);
  expandSoftmax(Expanded);
  expandPublished(Expanded);
  std::optional<FuncId> Kernel = chooseKernel(Expanded, Line.Kernel, Why);
  return Kernel ? runKernel(Line, Expanded, *Kernel, SM)
                : complain(BadInput, Why);
}
