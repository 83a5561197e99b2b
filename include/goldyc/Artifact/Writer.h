//===- Writer.h - Writes .gdy artifact files ------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_ARTIFACT_WRITER_H
#define GOLDYC_ARTIFACT_WRITER_H
#include "goldyc/IR/IR.h"
#include "goldyc/Target/Target.h"
#include <array>
#include <string>
#include <vector>
namespace goldy {
struct KernelRecord {
  FuncId Kernel;              ///< in `Definition`
  std::string DefinitionText; ///< IR text of the extracted kernel
  std::string CanonicalSlang;
  std::vector<Image> Images;
};
struct SourceRecord {
  std::string Name; ///< base name only: no paths in artifacts
  std::array<uint8_t, 32> Sha256;
};
struct ArtifactInput {
  const Module *Definition = nullptr;
  std::vector<KernelRecord> Kernels;
  std::vector<SourceRecord> Sources;
  std::string CompilerVersion;
  std::string Flags; ///< those that change the result, canonical order
};
/// The bytes of a `.gdy` file; identical for identical input.
std::vector<uint8_t> writeArtifact(const ArtifactInput &Input);
} // namespace goldy
#endif
