//===- TextLexer.h - Tokens of IR text
//-------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tokens are made one at a time, so a text costs no memory beside itself.
// Comments are skipped but for `///`, which documents the kernel after it.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_IR_TEXTLEXER_H
#define GOLDYC_LIB_IR_TEXTLEXER_H

#include "goldyc/Support/Source.h"

#include <string_view>

namespace goldy {

struct TextToken {
  enum class Kind : uint8_t {
    End,
    Word,   ///< identifier or keyword
    Number, ///< digits with their suffix, no sign
    Label,  ///< `'name`, the quote included
    Doc,    ///< the rest of a line after `///` and one space
    Symbol, ///< punctuation, `::` and other pairs whole
    Bad     ///< a character that begins no token
  };
  Kind Form = Kind::End;
  std::string_view Text;
  Span Where;
  bool is(std::string_view S) const {
    return (Form == Kind::Symbol || Form == Kind::Word) && Text == S;
  }
};

class TextLexer {
public:
  TextLexer(FileId File, std::string_view Text, uint32_t At = 0)
      : File(File), Text(Text), At(At) {}
  TextToken next();

private:
  void skipBlank();
  TextToken make(TextToken::Kind K, uint32_t Begin, uint32_t End) const;
  TextToken number();
  TextToken doc();

  FileId File;
  std::string_view Text;
  uint32_t At;
};

} // namespace goldy

#endif
