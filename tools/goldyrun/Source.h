//===- Source.h - What FILE holds -----------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An artifact, or a description or template of a program.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYRUN_SOURCE_H
#define GOLDYRUN_SOURCE_H

#include "ProgramFile.h"

namespace goldyrun {

struct Source {
  std::vector<unsigned char> Stdin; ///< outlives the artifact
  std::optional<ProgramFile> Program;
  /// FILE, or where the kernels of a template are (--kernels).
  std::optional<goldy::Artifact> Artifact;
  /// The run is of a program and not of a kernel.
  bool runsProgram(const Options &O) const;
};

/// Reads FILE and, if there is one, the file of --kernels.
Exit readSource(const Options &O, Source &Out);

} // namespace goldyrun

#endif
