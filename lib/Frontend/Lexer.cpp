//===- Lexer.cpp - Text to tokens -----------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pass over the bytes. The only places where Rust's lexical grammar needs
// thought are `'` (label or character), `.` after digits (fraction, range,
// method or field), and prefixes of strings (r, b, c with any number of #).
//
//===----------------------------------------------------------------------===//
#include "goldyc/Frontend/Lexer.h"

#include <algorithm>
#include <array>

using namespace goldy;

namespace {

bool isDigit(char C) { return C >= '0' && C <= '9'; }
bool isHexDigit(char C) {
  return isDigit(C) || (C >= 'a' && C <= 'f') || (C >= 'A' && C <= 'F');
}
bool isHighByte(char C) { return static_cast<unsigned char>(C) >= 0x80; }
bool isIdentStart(char C) {
  return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') || C == '_';
}
bool isIdentPart(char C) { return isIdentStart(C) || isDigit(C); }

struct Punct {
  std::string_view Text;
  Tok Kind;
};
// Longest first within one first character.
constexpr Punct Puncts[] = {
    {"...", Tok::DotDotDot}, {"..=", Tok::DotDotEq}, {"<<=", Tok::ShlEq},
    {">>=", Tok::ShrEq},     {"::", Tok::PathSep},   {"..", Tok::DotDot},
    {"->", Tok::Arrow},      {"=>", Tok::FatArrow},  {"==", Tok::EqEq},
    {"!=", Tok::Ne},         {"<=", Tok::Le},        {">=", Tok::Ge},
    {"&&", Tok::AndAnd},     {"||", Tok::OrOr},      {"<<", Tok::Shl},
    {">>", Tok::Shr},        {"+=", Tok::PlusEq},    {"-=", Tok::MinusEq},
    {"*=", Tok::StarEq},     {"/=", Tok::SlashEq},   {"%=", Tok::PercentEq},
    {"^=", Tok::CaretEq},    {"&=", Tok::AndEq},     {"|=", Tok::OrEq},
    {"(", Tok::LParen},      {")", Tok::RParen},     {"[", Tok::LBracket},
    {"]", Tok::RBracket},    {"{", Tok::LBrace},     {"}", Tok::RBrace},
    {";", Tok::Semi},        {",", Tok::Comma},      {":", Tok::Colon},
    {".", Tok::Dot},         {"?", Tok::Question},   {"@", Tok::At},
    {"$", Tok::Dollar},      {"#", Tok::Pound},      {"~", Tok::Tilde},
    {"=", Tok::Eq},          {"<", Tok::Lt},         {">", Tok::Gt},
    {"!", Tok::Not},         {"+", Tok::Plus},       {"-", Tok::Minus},
    {"*", Tok::Star},        {"/", Tok::Slash},      {"%", Tok::Percent},
    {"^", Tok::Caret},       {"&", Tok::And},        {"|", Tok::Or},
};

class Lexer {
public:
  explicit Lexer(std::string_view Text) : Text(Text) {}
  TokenList run();

private:
  char at(size_t I) const { return I < Text.size() ? Text[I] : '\0'; }
  char cur() const { return at(Pos); }
  bool done() const { return Pos >= Text.size(); }
  bool startsWith(std::string_view S) const {
    return Text.substr(Pos, S.size()) == S;
  }
  void skipLineComment();
  void skipBlockComment();
  void skipTrivia();
  void addDoc(size_t Begin, size_t End);
  void push(Tok Kind, size_t Begin);
  void fault(diag::Code Code, size_t Begin, size_t End, std::string Message,
             std::string Help = "");
  void lexToken();
  void lexWord();
  bool lexPrefixedLiteral();
  void lexQuoted(size_t Begin, char Quote, Tok Kind);
  void lexRawString(size_t Begin, size_t Hashes);
  void lexTick();
  void lexNumber();
  void lexRadixNumber(size_t Begin, unsigned Base);
  void lexFraction();
  void checkSuffix(bool Fraction);
  bool lexSymbol();
  void lexPunct();
  void lexOther();

  std::string_view Text;
  size_t Pos = 0;
  bool LineStart = true;
  TokenList Out;
};

void Lexer::push(Tok Kind, size_t Begin) {
  Out.Tokens.push_back({Kind, LineStart, static_cast<uint32_t>(Begin),
                        static_cast<uint32_t>(Pos)});
  LineStart = false;
}

/// Hangs a fault on the token that is pushed next.
void Lexer::fault(diag::Code Code, size_t Begin, size_t End,
                  std::string Message, std::string Help) {
  Out.Faults.push_back({static_cast<uint32_t>(Out.Tokens.size()), Code,
                        static_cast<uint32_t>(Begin),
                        static_cast<uint32_t>(End), std::move(Message),
                        std::move(Help)});
}

void Lexer::addDoc(size_t Begin, size_t End) {
  Out.Docs.push_back({static_cast<uint32_t>(Out.Tokens.size()),
                      Text.substr(Begin, End - Begin)});
}

void Lexer::skipLineComment() {
  size_t Begin = Pos;
  while (!done() && cur() != '\n' && cur() != '\r')
    ++Pos;
  if (at(Begin + 2) == '/' && at(Begin + 3) != '/')
    addDoc(std::min(Begin + 3, Pos), Pos);
}

void Lexer::skipBlockComment() {
  size_t Begin = Pos;
  unsigned Depth = 0;
  while (!done()) {
    if (startsWith("/*")) {
      ++Depth;
      Pos += 2;
    } else if (startsWith("*/")) {
      Pos += 2;
      if (--Depth == 0)
        break;
    } else {
      LineStart |= cur() == '\n' || cur() == '\r';
      ++Pos;
    }
  }
  if (Depth != 0) {
    fault(diag::G0103, Begin, Begin + 2, "this block comment never ends",
          "block comments nest: each `/*` needs its own `*/`");
    Out.Unterminated = true;
    push(Tok::Invalid, Begin);
    return;
  }
  if (at(Begin + 2) == '*' && Pos - Begin > 4 && at(Begin + 3) != '*')
    addDoc(Begin + 3, Pos - 2);
}

void Lexer::skipTrivia() {
  while (!done() && !Out.Unterminated) {
    char C = cur();
    if (C == '\n' || C == '\r') {
      LineStart = true;
      ++Pos;
    } else if (C == ' ' || C == '\t' || C == '\f' || C == '\v') {
      ++Pos;
    } else if (startsWith("//")) {
      skipLineComment();
    } else if (startsWith("/*")) {
      skipBlockComment();
    } else {
      return;
    }
  }
}

void Lexer::lexQuoted(size_t Begin, char Quote, Tok Kind) {
  ++Pos;
  while (!done() && cur() != Quote)
    Pos += cur() == '\\' && Pos + 1 < Text.size() ? 2 : 1;
  if (done()) {
    fault(diag::G0104, Begin, Begin + 1, "this string never ends",
          "kernels have no strings: remove it");
    Out.Unterminated = true;
    push(Tok::Invalid, Begin);
    return;
  }
  ++Pos;
  while (isIdentPart(cur())) // a suffix belongs to the token
    ++Pos;
  push(Kind, Begin);
}

void Lexer::lexRawString(size_t Begin, size_t Hashes) {
  std::string Close = "\"" + std::string(Hashes, '#');
  size_t End = Text.find(Close, Pos + 1);
  if (End == std::string_view::npos) {
    fault(diag::G0104, Begin, Pos + 1, "this raw string never ends",
          "kernels have no strings: remove it");
    Out.Unterminated = true;
    Pos = Text.size();
    push(Tok::Invalid, Begin);
    return;
  }
  Pos = End + Close.size();
  push(Tok::Str, Begin);
}

/// b'x', b"…", c"…", r"…", r#"…"#, br"…", cr"…", r#name.
bool Lexer::lexPrefixedLiteral() {
  size_t Begin = Pos, I = Pos;
  bool Raw = false;
  if (at(I) == 'b' || at(I) == 'c')
    ++I;
  if (at(I) == 'r') {
    Raw = true;
    ++I;
  }
  size_t Hashes = 0;
  while (Raw && at(I + Hashes) == '#')
    ++Hashes;
  if (Raw && at(I + Hashes) == '"') {
    Pos = I + Hashes;
    lexRawString(Begin, Hashes);
    return true;
  }
  if (Raw && I == Begin + 1 && Hashes == 1 && isIdentStart(at(I + 1))) {
    Pos = I + 1;
    while (isIdentPart(cur()))
      ++Pos;
    push(Tok::RawIdent, Begin);
    return true;
  }
  if (Raw || I == Begin)
    return false;
  if (at(I) == '"' || (at(I) == '\'' && at(Begin) == 'b')) {
    Pos = I;
    lexQuoted(Begin, at(I), at(I) == '"' ? Tok::Str : Tok::Char);
    return true;
  }
  return false;
}

void Lexer::lexWord() {
  size_t Begin = Pos;
  if (lexPrefixedLiteral())
    return;
  bool Ascii = true;
  while (isIdentPart(cur()) || isHighByte(cur())) {
    Ascii &= !isHighByte(cur());
    ++Pos;
  }
  if (!Ascii)
    fault(diag::G0117, Begin, Pos,
          "name `" + std::string(Text.substr(Begin, Pos - Begin)) +
              "` has characters outside ASCII",
          "names are made of ASCII letters, digits and `_`");
  push(Tok::Ident, Begin);
}

/// `'a'`, `'\n'` are characters, `'name` is a label.
void Lexer::lexTick() {
  size_t Begin = Pos;
  if (at(Pos + 1) == '\\') {
    size_t I = Pos + 3;
    while (I < Text.size() && at(I) != '\'' && at(I) != '\n')
      ++I;
    bool Closed = at(I) == '\'';
    if (!Closed)
      fault(diag::G0104, Begin, I, "this character never ends",
            "write the character's number");
    Pos = std::min(Closed ? I + 1 : I, Text.size());
    push(Closed ? Tok::Char : Tok::Invalid, Begin);
    return;
  }
  size_t Next = Pos + 2; // after one whole character
  while (Next < Text.size() &&
         (static_cast<unsigned char>(Text[Next]) & 0xC0) == 0x80)
    ++Next;
  if (at(Next) == '\'' && at(Pos + 1) != '\'') {
    Pos = Next + 1;
    push(Tok::Char, Begin);
    return;
  }
  ++Pos;
  if (!isIdentStart(cur())) {
    while (cur() == '\'' && !done())
      ++Pos;
    fault(diag::G0102, Begin, Pos, "unexpected `'`", "remove it");
    push(Tok::Invalid, Begin);
    return;
  }
  while (isIdentPart(cur()))
    ++Pos;
  push(Tok::Label, Begin);
}

void Lexer::checkSuffix(bool Fraction) {
  size_t SuffixBegin = Pos;
  while (isIdentPart(cur()) || isHighByte(cur()))
    ++Pos;
  std::string_view Suffix = Text.substr(SuffixBegin, Pos - SuffixBegin);
  while (!Suffix.empty() && Suffix.front() == '_')
    Suffix.remove_prefix(1);
  static constexpr std::array Known = {"u32", "i32", "f32", "u64", "i64"};
  bool IsKnown = std::find(Known.begin(), Known.end(), Suffix) != Known.end();
  if (Suffix.empty() || (IsKnown && (!Fraction || Suffix == "f32")))
    return;
  if (IsKnown)
    return fault(diag::G0106, SuffixBegin, Pos,
                 "a number with a fraction or exponent cannot be `" +
                     std::string(Suffix) + "`",
                 "a float literal is `f32`; convert it with `as " +
                     std::string(Suffix) + "`");
  fault(diag::G0106, SuffixBegin, Pos,
        "`" + std::string(Suffix) + "` is not a type that a literal can have",
        "literals are `u32`, `i32`, `f32`, `u64` or `i64`");
}

void Lexer::lexRadixNumber(size_t Begin, unsigned Base) {
  Pos += 2;
  size_t Digits = 0;
  bool Bad = false;
  for (;; ++Pos) {
    char C = cur();
    if (C == '_')
      continue;
    if (Base == 16 ? !isHexDigit(C) : !isDigit(C))
      break;
    ++Digits;
    if (Bad || Base == 16 || C < static_cast<char>('0' + Base))
      continue;
    Bad = true;
    fault(diag::G0105, Pos, Pos + 1,
          std::string("digit `") + C + "` in a number of base " +
              std::to_string(Base),
          Base == 2 ? "binary digits are `0` and `1`"
                    : "octal digits are `0` to `7`");
  }
  if (Digits == 0)
    fault(diag::G0105, Begin, Pos,
          "no digits after `" + std::string(Text.substr(Begin, 2)) + "`",
          Base == 16  ? "write a number such as `0xff`"
          : Base == 8 ? "write a number such as `0o17`"
                      : "write a number such as `0b101`");
  if (cur() == '.' && (isDigit(at(Pos + 1))))
    fault(diag::G0105, Begin, Pos + 1, "floats are written in decimal",
          "write the value with `f32::from_bits` or in decimal");
  if (Digits == 0)
    while (isIdentPart(cur()))
      ++Pos;
  checkSuffix(false);
  push(Tok::Int, Begin);
}

/// At the `.` or exponent of a float.
void Lexer::lexFraction() {
  if (cur() == '.') {
    ++Pos;
    while (isDigit(cur()) || (cur() == '_' && isDigit(at(Pos - 1))))
      ++Pos;
  }
  if (cur() != 'e' && cur() != 'E')
    return;
  size_t E = Pos++;
  if (cur() == '+' || cur() == '-')
    ++Pos;
  size_t Digits = 0;
  for (; isDigit(cur()) || cur() == '_'; ++Pos)
    Digits += isDigit(cur());
  if (Digits == 0)
    fault(diag::G0105, E, Pos, "no digits in the exponent",
          "write a number such as `1.0e-6`");
}

void Lexer::lexNumber() {
  size_t Begin = Pos;
  if (cur() == '0' && at(Pos + 1) == 'x')
    return lexRadixNumber(Begin, 16);
  if (cur() == '0' && at(Pos + 1) == 'o')
    return lexRadixNumber(Begin, 8);
  if (cur() == '0' && at(Pos + 1) == 'b')
    return lexRadixNumber(Begin, 2);
  while (isDigit(cur()) || cur() == '_')
    ++Pos;
  char After = at(Pos + 1);
  bool Dot = cur() == '.' && After != '.' && !isIdentStart(After) &&
             !isHighByte(After);
  bool Exponent = cur() == 'e' || cur() == 'E';
  if (Dot || Exponent)
    lexFraction();
  checkSuffix(Dot || Exponent);
  push(Dot || Exponent ? Tok::Float : Tok::Int, Begin);
}

void Lexer::lexPunct() {
  for (const Punct &P : Puncts)
    if (startsWith(P.Text)) {
      size_t Begin = Pos;
      Pos += P.Text.size();
      return push(P.Kind, Begin);
    }
  lexOther();
}

/// A run of one unusable character.
void Lexer::lexOther() {
  size_t Begin = Pos;
  char C = cur();
  while (!done() && cur() == C)
    ++Pos;
  std::string What;
  if (C == '\0')
    What = "unexpected NUL byte";
  else if (C == '\\' || C == '`')
    What = std::string("unexpected `") + C + "`";
  else
    What = "unexpected control character (code " +
           std::to_string(static_cast<unsigned char>(C)) + ")";
  fault(diag::G0102, Begin, Pos, What, "remove it");
  push(Tok::Invalid, Begin);
}

/// A symbol or space outside ASCII (arrows, typographic quotes, no-break
/// spaces …) is no name; letters of other alphabets are, to be refused as one.
bool Lexer::lexSymbol() {
  unsigned char B0 = static_cast<unsigned char>(at(Pos));
  if (B0 < 0x80)
    return false;
  auto Low = [&](size_t I) {
    return static_cast<unsigned>(static_cast<unsigned char>(at(I)) & 0x3F);
  };
  unsigned Size = B0 < 0xE0 ? 2 : B0 < 0xF0 ? 3 : 4;
  unsigned Code = Size == 2 ? (B0 & 0x1Fu) << 6 | Low(Pos + 1)
                  : Size == 3
                      ? (B0 & 0xFu) << 12 | Low(Pos + 1) << 6 | Low(Pos + 2)
                      : 0x10000;
  bool Symbol = Code < 0xC0 || Code == 0xD7 || Code == 0xF7 ||
                (Code >= 0x2000 && Code < 0x2C00) ||
                (Code >= 0x3000 && Code < 0x3040) ||
                (Code >= 0xFE00 && Code < 0xFFF0) || Code >= 0x10000;
  if (!Symbol)
    return false;
  size_t Begin = Pos;
  std::string_view Character = Text.substr(Begin, Size);
  while (Text.substr(Pos, Size) == Character)
    Pos += Character.size();
  // Characters that cannot be seen, or turn the text around, go by number.
  bool Unseen = Code < 0xC0 || (Code >= 0x2000 && Code < 0x2010) ||
                (Code >= 0x2028 && Code < 0x2030) ||
                (Code >= 0x205F && Code < 0x2070) || Code == 0x3000 ||
                Code == 0xFEFF;
  static constexpr char Hex[] = "0123456789ABCDEF";
  std::string Number = "U+";
  for (unsigned Shift = 16; Shift > 0; Shift -= 4)
    Number += Hex[Code >> (Shift - 4) & 0xF];
  fault(diag::G0102, Begin, Pos,
        "unexpected character " +
            (Unseen ? Number : "`" + std::string(Character) + "`"),
        "names and operators are ASCII");
  push(Tok::Invalid, Begin);
  return true;
}

void Lexer::lexToken() {
  char C = cur();
  if (lexSymbol())
    return;
  if (isIdentStart(C) || isHighByte(C))
    return lexWord();
  if (isDigit(C))
    return lexNumber();
  if (C == '"')
    return lexQuoted(Pos, '"', Tok::Str);
  if (C == '\'')
    return lexTick();
  lexPunct();
}

TokenList Lexer::run() {
  if (startsWith("\xEF\xBB\xBF"))
    Pos = 3;
  if (startsWith("#!") && at(Pos + 2) != '[')
    skipLineComment();
  Out.Tokens.reserve(Text.size() / 4 + 16);
  for (;;) {
    skipTrivia();
    if (done() || Out.Unterminated)
      break;
    lexToken();
  }
  Pos = Text.size();
  push(Tok::End, Pos);
  return std::move(Out);
}

} // namespace

TokenList goldy::lex(std::string_view Text) { return Lexer(Text).run(); }

NumberParts goldy::splitNumber(std::string_view Text) {
  NumberParts P;
  auto IsPrefix = [&](char C) {
    return Text.size() > 1 && Text[0] == '0' && Text[1] == C;
  };
  P.Base = IsPrefix('x') ? 16 : IsPrefix('o') ? 8 : IsPrefix('b') ? 2 : 10;
  size_t I = P.Base == 10 ? 0 : 2, Begin = I;
  if (P.Base != 10) {
    while (I < Text.size() &&
           (Text[I] == '_' ||
            (P.Base == 16 ? isHexDigit(Text[I]) : isDigit(Text[I]))))
      ++I;
  } else {
    for (; I < Text.size(); ++I) {
      char C = Text[I];
      bool Exponent = C == 'e' || C == 'E';
      if (Exponent && I + 1 < Text.size() &&
          (Text[I + 1] == '+' || Text[I + 1] == '-'))
        ++I;
      if (!isDigit(C) && C != '_' && C != '.' && !Exponent)
        break;
      P.IsFloat |= C == '.' || Exponent;
    }
  }
  P.Digits = Text.substr(Begin, I - Begin);
  P.Suffix = Text.substr(I);
  P.IsFloat |= P.Suffix == "f32" && P.Base != 16;
  while (!P.Digits.empty() && P.Digits.back() == '_')
    P.Digits.remove_suffix(1);
  return P;
}

bool goldy::isRustKeyword(std::string_view Word) {
  static constexpr std::array Words = {
      "Self",    "abstract", "as",     "async",    "await",   "become",
      "box",     "break",    "const",  "continue", "crate",   "do",
      "dyn",     "else",     "enum",   "extern",   "false",   "final",
      "fn",      "for",      "gen",    "if",       "impl",    "in",
      "let",     "loop",     "macro",  "match",    "mod",     "move",
      "mut",     "override", "priv",   "pub",      "ref",     "return",
      "self",    "static",   "struct", "super",    "trait",   "true",
      "try",     "type",     "typeof", "unsafe",   "unsized", "use",
      "virtual", "where",    "while",  "yield"};
  return std::binary_search(Words.begin(), Words.end(), Word);
}

std::string_view goldy::tokenName(Tok Kind) {
  switch (Kind) {
  case Tok::End:
    return "end of file";
  case Tok::Invalid:
    return "invalid text";
  case Tok::Ident:
    return "identifier";
  case Tok::RawIdent:
    return "raw identifier";
  case Tok::Label:
    return "label";
  case Tok::Int:
  case Tok::Float:
    return "number";
  case Tok::Str:
    return "string";
  case Tok::Char:
    return "character";
  default:
    break;
  }
  for (const Punct &P : Puncts)
    if (P.Kind == Kind)
      return P.Text;
  return "token";
}
