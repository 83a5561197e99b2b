//===- Opaque.h - Kernels written in Slang or GLSL
//------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Such kernels have no definition, so they are opaque to composition: only
// their parameters and images are known. A module stands for them whose
// kernels have parameters and empty bodies; all that needs names, types and
// the parameter block works from it as for other kernels.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_FOREIGN_OPAQUE_H
#define GOLDYC_FOREIGN_OPAQUE_H

#include "goldyc/Foreign/SlangLibrary.h"
#include "goldyc/IR/IR.h"
#include "goldyc/Target/Target.h"

#include <optional>
#include <string>
#include <vector>

namespace goldy {

enum class OpaqueLanguage : uint8_t { Slang, Glsl };

struct OpaqueOptions {
  OpaqueLanguage Language = OpaqueLanguage::Slang;
  std::string Directory; ///< of the file: where its includes are looked for
  std::vector<std::pair<std::string, std::string>> Macros;
  unsigned OptLevel = 2;
  std::string_view Prelude; ///< goldy.slang
};

struct OpaqueKernel {
  Image Spirv;
  std::string PtxEntry; ///< symbol; empty: the form has no PTX
  std::string Wrapper;  ///< Slang text that fits the kernel to the ABI
};

struct OpaqueUnit {
  Module Kernels;                 ///< parameters and sizes; bodies are empty
  std::vector<OpaqueKernel> Code; ///< by number of the function
  std::vector<std::string> FilesRead; ///< beside the input
  std::vector<SlangSource> Sources;   ///< Slang: for other targets
  OpaqueOptions Options;
};

/// Finds a file's kernels and compiles them to SPIR-V. Errors of the other
/// compiler are reported at their places in the file; names of files that it
/// read itself are added to `SM`.
std::optional<OpaqueUnit> readOpaque(SourceManager &SM, FileId File,
                                     const OpaqueOptions &Options,
                                     DiagSink &Diags);

/// PTX of one kernel through NVRTC. G1012 if it is missing, G1006 if the
/// kernel's form has no PTX.
std::optional<Image> opaquePtx(const OpaqueUnit &Unit, FuncId Kernel,
                               const std::string &Arch, DiagSink &Diags);

/// Hands a compiler's messages on, at their places. False if there was an
/// error.
bool reportSlang(SourceManager &SM, FileId Main, const SlangResult &Result,
                 const std::string &Directory, DiagSink &Diags);

} // namespace goldy

#endif
