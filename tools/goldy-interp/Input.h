//===- Input.h - Text from a file or an artifact --------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TOOLS_GOLDY_INTERP_INPUT_H
#define GOLDYC_TOOLS_GOLDY_INTERP_INPUT_H

#include "goldyc/Support/Source.h"

#include <optional>

namespace goldy {

/// A file's bytes.
std::optional<std::string> readWhole(const std::string &Path, std::string &Why);

/// Puts the text of a `.goldy` file, the IR text of the file, or of the named
/// kernel's retained definition in an artifact (the only kernel's if there is
/// no name), into `SM`. `Why` follows the file's name.
std::optional<FileId> readInput(const std::string &Path,
                                const std::string &Kernel, SourceManager &SM,
                                std::string &Why);

} // namespace goldy

#endif
