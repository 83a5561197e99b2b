//===- Driver.h - goldyc as a library
//---------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_DRIVER_DRIVER_H
#define GOLDYC_DRIVER_DRIVER_H

#include "goldyc/Driver/Options.h"

#include <ostream>
#include <string>
#include <vector>

namespace goldy {

/// The compiler's own version, "0.1.0".
std::string_view compilerVersion();

/// Runs one command line (without the program's name) and returns the exit
/// code. Standard output gets what was asked for with `-` or has no file of
/// its own; messages go to `Err`. Output files appear only if all succeeded.
int runGoldyc(const std::vector<std::string> &Args, std::ostream &Out,
              std::ostream &Err);

} // namespace goldy

#endif
