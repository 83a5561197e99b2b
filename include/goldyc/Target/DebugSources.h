//===- DebugSources.h - Where a program's lines are, for -g ---------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of files in debug information are those of the command line, with
// prefixes replaced as it says: equal command lines give equal bytes wherever
// they run, and no name holds more than the user wrote.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TARGET_DEBUGSOURCES_H
#define GOLDYC_TARGET_DEBUGSOURCES_H

#include "goldyc/IR/NamedLocal.h"
#include "goldyc/Support/Source.h"

#include <string>
#include <utility>
#include <vector>

namespace goldy {

struct DebugSources {
  const SourceManager *Files = nullptr;
  /// --remap-path-prefix, in order; of several that fit the last one counts.
  std::vector<std::pair<std::string, std::string>> Prefixes;
  std::string Producer; ///< the compiler's name and version
  const NameTable *Names = nullptr;

  /// The file's name as debug information has it.
  std::string pathOf(FileId F) const;
};

} // namespace goldy

#endif
