//===- SlangScan.h - Kernels and structs of Slang text ----------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Not a parser of Slang: it finds the declarations of kernels and of plain
// structs at file level, by their tokens, with their places. Whether the text
// is right is for Slang's compiler to say.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_FOREIGN_SLANGSCAN_H
#define GOLDYC_LIB_FOREIGN_SLANGSCAN_H

#include "goldyc/Support/Source.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace goldy::foreign {

struct SlangToken {
  enum Kind : uint8_t { Word, Number, Text, Sign } Kind = Sign;
  std::string_view Spelling;
  Span Where;
  bool is(std::string_view T) const { return Spelling == T; }
};

/// Tokens without comments and preprocessor lines; signs are one character.
std::vector<SlangToken> slangTokens(std::string_view Text, FileId File);

/// `float3 v[4]` in a struct, `BufRO<float> x : SEMANTIC` in a signature.
struct SlangVariable {
  std::string Modifier; ///< `out`, `uniform` …; empty: none
  std::string Type;     ///< as written, without blanks
  std::string Element;  ///< what stands between `<` and `>`
  std::string Name, Semantic;
  std::vector<std::string> Extents; ///< outermost first
  Span Where;
};
struct SlangStruct {
  std::string Name;
  std::vector<SlangVariable> Fields;
  bool Plain = true; ///< fields only, nothing that was passed over
  Span Where;
};
struct SlangKernel {
  std::string Name;
  bool Goldy = false;              ///< `[goldy_compute]`
  bool HasSize = false;            ///< there is `[numthreads(..)]`
  std::array<std::string, 3> Size; ///< its arguments as written
  std::vector<SlangVariable> Params;
  Span Where; ///< the name
};
struct SlangScan {
  std::vector<SlangStruct> Structs;
  std::vector<SlangKernel> Kernels; ///< in the order of the text
};
SlangScan scanSlang(std::string_view Text, FileId File);

} // namespace goldy::foreign

#endif
