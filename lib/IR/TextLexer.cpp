//===- TextLexer.cpp - Tokens of IR text
//-----------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TextLexer.h"

using namespace goldy;

static bool isDigit(char C) { return C >= '0' && C <= '9'; }
static bool isWordStart(char C) {
  return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') || C == '_' ||
         static_cast<signed char>(C) < 0;
}
static bool isWordPart(char C) { return isWordStart(C) || isDigit(C); }

/// `///` but not `////`.
static bool startsDoc(std::string_view Rest) {
  return Rest.starts_with("///") && !Rest.starts_with("////");
}

void TextLexer::skipBlank() {
  if (At == 0 && Text.starts_with("\xef\xbb\xbf"))
    At = 3;
  while (At < Text.size()) {
    char C = Text[At];
    if (C == ' ' || C == '\t' || C == '\n' || C == '\r') {
      ++At;
      continue;
    }
    std::string_view Rest = Text.substr(At);
    if (!Rest.starts_with("//") || startsDoc(Rest))
      return;
    while (At < Text.size() && Text[At] != '\n' && Text[At] != '\r')
      ++At;
  }
}

TextToken TextLexer::make(TextToken::Kind K, uint32_t Begin,
                          uint32_t End) const {
  return {K, Text.substr(Begin, End - Begin), Span{File, Begin, End}};
}

TextToken TextLexer::number() {
  uint32_t Begin = At;
  bool Hex = Text.substr(At).starts_with("0x");
  bool Point = false;
  while (At < Text.size()) {
    char C = Text[At];
    bool Sign = (C == '+' || C == '-') && !Hex && At > Begin &&
                (Text[At - 1] | 32) == 'e';
    bool Dot = C == '.' && !Point && !Hex && At + 1 < Text.size() &&
               isDigit(Text[At + 1]);
    if (!isWordPart(C) && !Sign && !Dot)
      break;
    Point = Point || Dot;
    ++At;
  }
  return make(TextToken::Kind::Number, Begin, At);
}

TextToken TextLexer::doc() {
  uint32_t Begin = At + 3;
  if (Begin < Text.size() && Text[Begin] == ' ')
    ++Begin;
  At = Begin;
  while (At < Text.size() && Text[At] != '\n' && Text[At] != '\r')
    ++At;
  return make(TextToken::Kind::Doc, Begin, At);
}

TextToken TextLexer::next() {
  skipBlank();
  uint32_t Begin = At;
  if (At >= Text.size())
    return make(TextToken::Kind::End, At, At);
  char C = Text[At];
  if (C == '/' && startsDoc(Text.substr(At)))
    return doc();
  if (isDigit(C))
    return number();
  bool Label = C == '\'' && At + 1 < Text.size() && isWordStart(Text[At + 1]);
  if (Label || isWordStart(C)) {
    ++At;
    while (At < Text.size() && isWordPart(Text[At]))
      ++At;
    return make(Label ? TextToken::Kind::Label : TextToken::Kind::Word, Begin,
                At);
  }
  static constexpr std::string_view Long[] = {
      "..=", "::", "->", "..", "==", "!=", "<=", ">=", "<<", ">>"};
  for (std::string_view S : Long)
    if (Text.substr(At).starts_with(S)) {
      At += static_cast<uint32_t>(S.size());
      return make(TextToken::Kind::Symbol, Begin, At);
    }
  ++At;
  bool Known = std::string_view("()[]{}<>.,:;=+-*/%&|^!#").find(C) !=
               std::string_view::npos;
  return make(Known ? TextToken::Kind::Symbol : TextToken::Kind::Bad, Begin,
              At);
}
