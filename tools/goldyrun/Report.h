//===- Report.h - Errors and exit codes of goldyrun -----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions return an Exit: Ok, or the code of an error that was printed. All
// messages go to stderr.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYRUN_REPORT_H
#define GOLDYRUN_REPORT_H

#include "goldy/goldy.hpp"

#include <string>
#include <vector>

namespace goldyrun {

enum class Exit : int {
  Ok = 0,
  Input = 1,    ///< errors in files, arguments or results
  Usage = 2,    ///< errors in the command line
  Internal = 3, ///< faults of ours
  Missing = 4   ///< a needed library or device is not there
};

/// Prints `goldyrun: error: …` and, if not empty, `goldyrun: help: …`.
[[nodiscard]] Exit fail(Exit Code, const std::string &Message,
                        const std::string &Help = "");
/// The same for a status of the runtime; its code decides the exit code.
[[nodiscard]] Exit fail(const goldy::Status &S, const std::string &Help = "");

/// "did you mean `x`?", or empty.
std::string didYouMean(const std::string &Name,
                       const std::vector<std::string> &Known);
std::string quoted(const std::string &Name);

} // namespace goldyrun

/// Returns from the enclosing function when `Call` failed.
#define GOLDYRUN_TRY(Call)                                                     \
  do {                                                                         \
    if (::goldyrun::Exit TryExit = (Call); TryExit != ::goldyrun::Exit::Ok)    \
      return TryExit;                                                          \
  } while (0)

#endif
