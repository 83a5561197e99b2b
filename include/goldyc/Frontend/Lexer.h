//===- Lexer.h - Text to tokens
//---------------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lexer takes any bytes and gives tokens of Rust's own lexical grammar, of
// which the language uses a part: strings, characters and raw identifiers are
// tokens too, so that the parser can refuse them by name, and can skip host
// code without losing the balance of its brackets. It reports nothing itself:
// a fault hangs on its token and is reported when the parser comes to it, so
// skipped code is never complained about.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_FRONTEND_LEXER_H
#define GOLDYC_FRONTEND_LEXER_H

#include "goldyc/Support/Diag.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace goldy {

enum class Tok : uint8_t {
  End,
  Invalid,  ///< always has a fault
  Ident,    ///< keywords too: the parser compares text
  RawIdent, ///< r#name
  Label,    ///< 'name
  Int,
  Float,
  Str,  ///< any string or byte string literal
  Char, ///< any character or byte literal
  // Brackets.
  LParen,
  RParen,
  LBracket,
  RBracket,
  LBrace,
  RBrace,
  // Punctuation, longest match.
  Semi,
  Comma,
  Colon,
  PathSep,
  Dot,
  DotDot,
  DotDotEq,
  DotDotDot,
  Arrow,
  FatArrow,
  Question,
  At,
  Dollar,
  Pound,
  Tilde,
  Eq,
  EqEq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  AndAnd,
  OrOr,
  Not,
  Plus,
  Minus,
  Star,
  Slash,
  Percent,
  Caret,
  And,
  Or,
  Shl,
  Shr,
  PlusEq,
  MinusEq,
  StarEq,
  SlashEq,
  PercentEq,
  CaretEq,
  AndEq,
  OrEq,
  ShlEq,
  ShrEq
};

struct Token {
  Tok Kind = Tok::End;
  bool StartsLine = false;     ///< first token of its line
  uint32_t Begin = 0, End = 0; ///< byte range in the file's text
};

/// What is wrong with a token's text.
struct LexFault {
  uint32_t Token; ///< index into TokenList::Tokens
  diag::Code Code;
  uint32_t Begin, End;
  std::string Message;
  std::string Help; ///< may be empty
};

/// An outer doc comment (`///` or `/** */`), before token `Token`.
struct DocComment {
  uint32_t Token;
  std::string_view Text; ///< without the comment's own characters
};

struct TokenList {
  std::vector<Token> Tokens;    ///< ends with one End token
  std::vector<LexFault> Faults; ///< by token
  std::vector<DocComment> Docs; ///< by token
  /// A string or comment never ends: everything after it is lost.
  bool Unterminated = false;
};

/// Lexes well-formed UTF-8 of less than 4 GiB. Never fails.
TokenList lex(std::string_view Text);

/// An integer or float literal taken apart. For an integer literal with a
/// float suffix `IsFloat` is set.
struct NumberParts {
  bool IsFloat = false;
  unsigned Base = 10;
  std::string_view Digits; ///< without prefix and suffix, underscores kept
  std::string_view Suffix; ///< as written, or empty
};
NumberParts splitNumber(std::string_view Text);

/// True when the word is a keyword of Rust (strict or reserved).
bool isRustKeyword(std::string_view Word);

/// "`,`", "identifier", "end of file": for messages.
std::string_view tokenName(Tok Kind);

} // namespace goldy

#endif
