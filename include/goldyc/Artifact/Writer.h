//===- Writer.h - Artifacts and what is generated beside them
//--------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that describes compiled kernels to the outside: the `.gdy` file
// (schemas/artifact.fbs), its description as JSON, and generated C and C++.
// All are functions of ArtifactInput alone, so equal input gives equal bytes:
// no time, no path, no hash order.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_ARTIFACT_WRITER_H
#define GOLDYC_ARTIFACT_WRITER_H

#include "goldyc/IR/IR.h"
#include "goldyc/IR/ParamIndices.h"
#include "goldyc/Target/Target.h"

#include "program/Template.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace goldy {

/// Version of the file's structure, and of the parameter block, host entry and
/// layout table. Readers refuse what they do not know.
inline constexpr uint32_t ArtifactFormatVersion = 1;
inline constexpr uint32_t KernelAbiVersion = 1;

/// How floats were compiled; strict is the language's own meaning.
enum class FpMode : uint8_t { Strict, Contract, Fast };

struct KernelRecord {
  FuncId Kernel;              ///< in `Definition`
  std::string DefinitionText; ///< IR text of the extracted kernel; may be empty
  std::string CanonicalSlang; ///< may be empty
  std::vector<Image> Images;  ///< arches unique
  /// The images hold their specialisation constants' defaults for good.
  bool SpecsFixed = false;
  /// Per parameter: the proof that barriers are uniform reads this buffer.
  /// Empty: none does.
  std::vector<bool> UniformRead;
  /// Per parameter: at which ids it is touched. Empty: nothing is known.
  std::vector<ParamIndices> Dependence;
  /// Per parameter: the value that images hold. Empty: none do.
  std::vector<std::optional<uint64_t>> Baked;
  /// A fused kernel: its identity, and by parameter whose it was. Else empty.
  std::string FusionId;
  std::vector<std::string> Origins;
  /// Made for programs: part of the file, but no name for callers, so headers
  /// leave it out.
  bool Internal = false;
};

struct SourceRecord {
  std::string Name; ///< base name only: no paths in artifacts
  std::array<uint8_t, 32> Sha256;
};

struct ArtifactInput {
  const Module *Definition = nullptr; ///< never null when used
  std::vector<KernelRecord> Kernels;  ///< in source order
  /// In source order, names unique; they keep the rules of templates, and
  /// their kernels are among `Kernels`.
  std::vector<program::ProgramTemplate> Programs;
  std::vector<SourceRecord> Sources; ///< any order
  std::string CompilerVersion;
  std::string Flags; ///< those that change the result, canonical order
  FpMode Fp = FpMode::Strict;
};

/// The bytes of a `.gdy` file.
std::vector<uint8_t> writeArtifact(const ArtifactInput &Input);

/// One JSON object, indented, with a final line end: provenance, types with
/// offsets, sizes and strides, kernels with parameters and images, programs
/// with what a caller gives. The same facts as the file, without texts, code
/// and steps.
std::string metaJson(const ArtifactInput &Input);

/// A C++20 header: a namespace named by `Stem` (the file's name without its
/// suffix, made an identifier) with the structs, their layout asserted, and
/// per kernel a struct with its name, workgroup size, `prepare` and a typed
/// `launch`, per program one with its name, `prepare`, a typed `run` and
/// `wait`. Needs goldy/goldy.hpp, for programs goldy/frame.hpp.
std::string cppHeader(const ArtifactInput &Input, std::string_view Stem);

/// The same for C11 over goldy/goldy.h; all names start with `Stem` and `_`.
std::string cHeader(const ArtifactInput &Input, std::string_view Stem);

/// C11 source that defines `const unsigned char Symbol[]`, 64-byte aligned,
/// and `const size_t Symbol_size`. `Bytes` is not empty.
std::string embedC(std::span<const uint8_t> Bytes, std::string_view Symbol);

/// `Text` made a C identifier: other characters become `_`.
std::string identifierFrom(std::string_view Text);

} // namespace goldy

#endif
