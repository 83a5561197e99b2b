//===- Embed.cpp - `--emit=embed`: bytes as a C array
//----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain decimal numbers: the shortest text that every C compiler takes.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Artifact/Writer.h"

#include <cassert>

using namespace goldy;

std::string goldy::embedC(std::span<const uint8_t> Bytes,
                          std::string_view Symbol) {
  assert(!Bytes.empty() && "C has no empty arrays");
  std::string S(Symbol);
  std::string Out = "/* Made by goldyc. */\n#include <stddef.h>\n\n";
  Out += "extern const unsigned char " + S + "[];\nextern const size_t " + S +
         "_size;\n\n";
  Out += "_Alignas(64) const unsigned char " + S + "[" +
         std::to_string(Bytes.size()) + "] = {";
  for (size_t I = 0; I < Bytes.size(); ++I) {
    Out += I % 20 == 0 ? "\n" : "";
    Out += std::to_string(Bytes[I]) + ",";
  }
  Out += "\n};\nconst size_t " + S + "_size = sizeof " + S + ";\n";
  return Out;
}

std::string goldy::identifierFrom(std::string_view Text) {
  std::string Out;
  for (char C : Text) {
    bool Letter = (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') || C == '_';
    bool Digit = C >= '0' && C <= '9';
    if (Digit && Out.empty())
      Out += '_';
    Out += Letter || Digit ? C : '_';
  }
  return Out.empty() ? "_" : Out;
}
