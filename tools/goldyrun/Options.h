//===- Options.h - The command line of goldyrun ---------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// goldyrun [VERB] FILE [NAME] [PARAM=VALUE…] [options], in any order but that
// of VERB, FILE and NAME among themselves.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYRUN_OPTIONS_H
#define GOLDYRUN_OPTIONS_H

#include "Report.h"
#include "TimeLimit.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace goldyrun {

using Assignment = std::pair<std::string, std::string>; ///< name, value

/// One of --devices: `cpu@x86-64-v2/4`, `vulkan:1`, `interp`.
struct DeviceChoice {
  std::string Text; ///< as it was given
  std::string Name;
  std::string Arch;     ///< empty: the best
  uint32_t Threads = 0; ///< 0: those of --threads
  bool isOracle() const { return Name == "interp"; }
};

enum class StatsForm : uint8_t { None, Text, Json };

struct Options {
  std::string Verb = "run";
  std::string File;
  std::optional<std::string> Name;
  std::vector<Assignment> Arguments; ///< PARAM=VALUE
  std::optional<std::string> Device; ///< none: the cpu
  std::vector<DeviceChoice> Devices; ///< of `diff` and `verify`
  /// Of a program: template device ("" where it is the next one), device.
  std::vector<std::pair<std::string, DeviceChoice>> DeviceMap;
  std::string SourceFile; ///< of `diff`: a program's source; empty: none
  std::string Kernels;    ///< artifact with a template's kernels; empty: none
  uint32_t Threads = 0;
  std::string Arch; ///< of the image to take; empty: the best
  std::optional<std::array<uint64_t, 3>> Over, Groups;
  std::optional<std::array<uint32_t, 3>> DebugItem;
  std::vector<Assignment> Specs;  ///< NAME=VALUE
  std::vector<Assignment> Save;   ///< PARAM=FILE
  std::vector<std::string> Print; ///< PARAM
  std::vector<Assignment> Expect; ///< PARAM=VALUE
  uint64_t MaxUlp = 0;
  std::optional<double> RelativeTolerance, AbsoluteTolerance;
  uint64_t Runs = 0;                ///< 0: the verb's own number
  std::optional<Seconds> TimeLimit; ///< of each run
  StatsForm Stats = StatsForm::None;
  std::string TraceFile;    ///< empty: none
  bool ProgramText = false; ///< of `info`: the text form of a program
  bool Json = false, Verbose = false, Help = false, Version = false;
};

/// Reads the command line; prints what is wrong with it.
Exit parseOptions(const std::vector<std::string> &Words, Options &Out);

/// What `--help` prints.
const char *helpText();

} // namespace goldyrun

#endif
