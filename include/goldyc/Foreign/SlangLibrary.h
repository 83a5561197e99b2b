//===- SlangLibrary.h - Slang's own compiler, loaded at run time ----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library is not linked: it is looked for when the first kernel needs it.
// Only C functions that it exports are called, so no header of it is needed
// and no class layout is relied on (docs/decisions). Making its session takes
// some tenths of a second; there is one a process, made on first use, and one
// lock around everything.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_FOREIGN_SLANGLIBRARY_H
#define GOLDYC_FOREIGN_SLANGLIBRARY_H

#include "goldyc/Support/Diag.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace goldy {

/// One file of a translation unit.
struct SlangSource {
  std::string Name; ///< as messages name it
  std::string Text;
};

enum class SlangOutput : uint8_t { Check, Spirv, Ptx };

struct SlangRequest {
  std::vector<SlangSource> Sources; ///< one unit, in this order
  std::vector<std::string> Entries; ///< compute entry points
  std::vector<std::string> SearchPaths;
  std::vector<std::pair<std::string, std::string>> Macros;
  SlangOutput Output = SlangOutput::Spirv;
  std::string Arch; ///< Ptx: "sm_80"
};

/// What the compiler says about a place. Lines and columns count from 1 and
/// in characters; line 0: no place.
struct SlangMessage {
  Severity Level = Severity::Error;
  std::string Code; ///< its own number, such as "E30015"
  std::string File;
  uint32_t Line = 0, Column = 0, EndLine = 0, EndColumn = 0;
  std::string Text;
  std::vector<SlangMessage> Notes;
};

struct SlangResult {
  bool Good = false;
  /// One an entry: SPIR-V words as bytes, or PTX text without a terminator.
  std::vector<std::vector<uint8_t>> Code;
  std::vector<SlangMessage> Messages;
  std::vector<std::string> FilesRead; ///< beside the given sources
};

class SlangLibrary {
public:
  /// The process's library, loaded on the first call. Null, with G1010 or
  /// G1011 for each asker, if there is none that can be used. Thread-safe.
  static SlangLibrary *get(DiagSink &Diags);
  /// Floats are never contracted. Thread-safe; requests wait for each other.
  SlangResult compile(const SlangRequest &Request);
  const std::string &version() const;
  const std::string &path() const;

  struct Functions;
  ~SlangLibrary();

private:
  SlangLibrary();
  std::unique_ptr<Functions> F;
};

/// Where the library is looked for: GOLDY_SLANG_PATH alone if it is set, else
/// the wheels of the Python environments `.venv` and that of `python3`.
std::vector<std::string> slangLibraryCandidates();

/// NVRTC's library: GOLDY_NVRTC_PATH, the CUDA toolkit's usual places; empty
/// if there is none.
std::string nvrtcLibrary();

/// Takes the compiler's tab-separated messages apart.
std::vector<SlangMessage> parseSlangMessages(std::string_view Text);

} // namespace goldy

#endif
