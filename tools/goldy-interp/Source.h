//===- Source.h - A .goldy file as kernels and programs -------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TOOLS_GOLDY_INTERP_SOURCE_H
#define GOLDYC_TOOLS_GOLDY_INTERP_SOURCE_H

#include "Options.h"
#include "goldyc/ProgramDesc/Program.h"
#include "goldyc/Support/Diag.h"

namespace goldy {

/// What a file holds, before any pass.
struct Definitions {
  Module Kernels;
  std::vector<prog::Program> Programs;
};

/// Reads a file of the language with the modules that it names. What is wrong
/// is in `Diags`.
std::optional<Definitions> readSource(FileId File, const CommandLine &Line,
                                      SourceManager &SM, DiagSink &Diags);

} // namespace goldy

#endif
