//===- Options.cpp - The command line of goldy-interp ---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Options.h"
#include "goldyc/Support/ValueSpec.h"

using namespace goldy;

const char *const goldy::Usage =
    "usage: goldy-interp FILE [NAME] [PARAM=VALUE…] [--over=N[,M[,K]] | "
    "--groups=X[,Y[,Z]]]\n"
    "                    [--save PARAM=FILE.npy…] [--print PARAM…] "
    "[--spec NAME=VALUE…]\n"
    "                    [--runs=N] [--step-limit=N]\n"
    "                    [-D NAME=VALUE…] [-I DIR…] [--bounds=unchecked]\n"
    "\n"
    "Runs a kernel or a program by the letter of the language. FILE is a "
    ".goldy file, IR\n"
    "text, or a .gdy file with retained definitions; programs are run from "
    ".goldy files.\n"
    "A kernel needs --over or --groups, a program has grids of its own. VALUE "
    "is as for\n"
    "goldyrun; -D, -I and --bounds are as for goldyc, for .goldy files.\n";

namespace {
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

/// Options whose values are lists of texts.
std::vector<std::string> *listOf(const std::vector<std::string> &Args,
                                 size_t &I, CommandLine &Out,
                                 std::string &Value) {
  const std::pair<std::string_view, std::vector<std::string> *> Lists[] = {
      {"--save", &Out.Saves},
      {"--print", &Out.Prints},
      {"--spec", &Out.Specs},
      {"-I", &Out.SearchDirs}};
  for (const auto &[Name, List] : Lists)
    if (optionValue(Args, I, Name, Value))
      return List;
  return nullptr;
}

bool takeDefine(const std::string &Value, CommandLine &Out, std::string &Why) {
  std::optional<std::pair<std::string, std::string>> Parts =
      splitAssignment(Value);
  if (!Parts) {
    Why = "expected -D NAME=VALUE, found `" + Value + "`";
    return false;
  }
  Out.Defines.push_back(*Parts);
  return true;
}

bool takeNumber(std::string_view Name, const std::string &Value, Scalar Type,
                uint64_t &Out, std::string &Why) {
  std::optional<uint64_t> Bits = scalarFromText(Value, Type, Why);
  if (!Bits)
    Why = std::string(Name) + ": " + Why;
  Out = Bits.value_or(0);
  return Bits.has_value();
}

bool takeOption(const std::vector<std::string> &Args, size_t &I,
                CommandLine &Out, std::string &Why) {
  std::string Value;
  if (std::vector<std::string> *List = listOf(Args, I, Out, Value)) {
    List->push_back(Value);
    return true;
  }
  if (optionValue(Args, I, "--over", Value))
    return (Out.Over = parseGrid(Value, Why)).has_value();
  if (optionValue(Args, I, "--groups", Value))
    return (Out.Groups = parseGrid(Value, Why)).has_value();
  if (optionValue(Args, I, "-D", Value))
    return takeDefine(Value, Out, Why);
  if (optionValue(Args, I, "--step-limit", Value))
    return takeNumber("--step-limit", Value, Scalar::U64, Out.Options.StepLimit,
                      Why);
  if (optionValue(Args, I, "--runs", Value)) {
    if (takeNumber("--runs", Value, Scalar::U32, Out.Runs, Why) &&
        Out.Runs == 0)
      Why = "--runs: at least one run is needed";
    return Why.empty();
  }
  if (Args[I] == "--bounds=unchecked" || Args[I] == "--bounds=checked") {
    Out.Unchecked = Args[I] == "--bounds=unchecked";
    return true;
  }
  Why = "unknown option `" + Args[I] + "`";
  return false;
}

} // namespace

bool goldy::parseCommandLine(const std::vector<std::string> &Args,
                             CommandLine &Out, std::string &Why) {
  for (size_t I = 0; I < Args.size(); ++I) {
    if (Args[I].starts_with("-")) {
      if (!takeOption(Args, I, Out, Why))
        return false;
    } else if (Out.File.empty()) {
      Out.File = Args[I];
    } else if (Args[I].find('=') != std::string::npos) {
      Out.Assignments.push_back(Args[I]);
    } else if (Out.Name.empty()) {
      Out.Name = Args[I];
    } else {
      Why = "unexpected argument `" + Args[I] + "`";
      return false;
    }
  }
  if (Out.File.empty())
    Why = "no input file";
  else if (Out.Over && Out.Groups)
    Why = "exactly one of --over and --groups is needed";
  return Why.empty();
}
