//===- Options.h - The command line of goldy-interp -----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TOOLS_GOLDY_INTERP_OPTIONS_H
#define GOLDYC_TOOLS_GOLDY_INTERP_OPTIONS_H

#include "goldyc/Interp/Interp.h"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace goldy {

extern const char *const Usage;

struct CommandLine {
  std::string File, Name;
  std::vector<std::string> Assignments, Saves, Prints, Specs, SearchDirs;
  std::vector<std::pair<std::string, std::string>> Defines;
  bool Unchecked = false; ///< --bounds=unchecked
  uint64_t Runs = 1;
  std::optional<std::array<uint64_t, 3>> Over, Groups;
  InterpOptions Options;
};

/// `Why` says what is wrong.
bool parseCommandLine(const std::vector<std::string> &Args, CommandLine &Out,
                      std::string &Why);

} // namespace goldy

#endif
