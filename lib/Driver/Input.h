//===- Input.h - Files from the disk ----------------------------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_DRIVER_INPUT_H
#define GOLDYC_LIB_DRIVER_INPUT_H

#include "goldyc/Frontend/Parser.h"

#include <string>
#include <vector>

namespace goldy::driver {

/// The whole of a file or of standard input ("-"); nothing with a diagnostic.
std::optional<std::string> readInput(const std::string &Path, DiagSink &Diags);

/// Looks for `name.goldy` beside the file that names it, then in the
/// directories, in order. Each file is read once. The arguments outlive the
/// finder.
ModuleFinder moduleFinder(SourceManager &SM,
                          const std::vector<std::string> &SearchDirs,
                          DiagSink &Diags);

} // namespace goldy::driver

#endif
