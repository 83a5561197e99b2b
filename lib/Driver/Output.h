//===- Output.h - Outputs that appear together or not at all --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Outputs are collected in memory. `commit` writes every file aside, in the
// directory where it belongs, and renames them only when all were written; on
// any failure no file has appeared and none has changed. Devices and pipes are
// written directly, last; `-` is standard output.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_DRIVER_OUTPUT_H
#define GOLDYC_LIB_DRIVER_OUTPUT_H

#include "goldyc/Support/Diag.h"

#include <ostream>
#include <string>
#include <vector>

namespace goldy::driver {

struct OutputFile {
  std::string Path; ///< "-": standard output
  std::string Bytes;
};

class OutputSet {
public:
  /// Adds an output; several for "-" follow one another.
  void add(std::string Path, std::string Bytes);
  bool empty() const { return Files.empty(); }
  const std::vector<OutputFile> &files() const { return Files; }
  /// Refuses two files of one name, files that are inputs, and directories.
  bool check(const std::vector<std::string> &Inputs, DiagSink &Diags) const;
  /// Writes all; false with a diagnostic and nothing written otherwise.
  bool commit(std::ostream &Out, DiagSink &Diags);

private:
  struct Aside {
    std::string Temporary, Final;
  };
  bool writeAside(const OutputFile &F, std::vector<Aside> &Made,
                  DiagSink &Diags) const;
  bool writeDirect(const OutputFile &F, DiagSink &Diags) const;
  std::vector<OutputFile> Files;
};

/// Makes a directory and its parents; false with a diagnostic.
bool makeDirectory(const std::string &Path, DiagSink &Diags);

} // namespace goldy::driver

#endif
