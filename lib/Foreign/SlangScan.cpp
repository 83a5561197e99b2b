//===- SlangScan.cpp - Kernels and structs of Slang text ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SlangScan.h"

#include <cctype>

namespace goldy::foreign {

namespace {

bool wordStart(char C) {
  return std::isalpha(static_cast<unsigned char>(C)) || C == '_';
}
bool wordPart(char C) {
  return std::isalnum(static_cast<unsigned char>(C)) || C == '_';
}

class Lexer {
public:
  Lexer(std::string_view Text, FileId File) : Text(Text), File(File) {}
  std::vector<SlangToken> run() {
    while (skip(), At < Text.size())
      token();
    return std::move(Tokens);
  }

private:
  void skip();
  void skipLine(bool Continued);
  void token();
  size_t quotedEnd(char Quote) const;

  std::string_view Text;
  FileId File;
  size_t At = 0;
  bool LineStart = true;
  std::vector<SlangToken> Tokens;
};

void Lexer::skipLine(bool Continued) {
  while (At < Text.size() && Text[At] != '\n')
    At += Continued && Text[At] == '\\' && At + 1 < Text.size() ? 2 : 1;
}

/// Blanks, comments, preprocessor lines.
void Lexer::skip() {
  while (At < Text.size()) {
    std::string_view Rest = Text.substr(At);
    if (std::isspace(static_cast<unsigned char>(Rest[0]))) {
      LineStart |= Rest[0] == '\n';
      ++At;
    } else if (Rest.starts_with("//")) {
      skipLine(false);
    } else if (Rest.starts_with("/*")) {
      size_t End = Text.find("*/", At + 2);
      At = End == Text.npos ? Text.size() : End + 2;
    } else if (Rest[0] == '#' && LineStart) {
      skipLine(true);
    } else {
      return;
    }
  }
}

size_t Lexer::quotedEnd(char Quote) const {
  size_t End = At + 1;
  while (End < Text.size() && Text[End] != Quote && Text[End] != '\n')
    End += Text[End] == '\\' && End + 1 < Text.size() ? 2 : 1;
  return std::min(End + 1, Text.size());
}

void Lexer::token() {
  LineStart = false;
  size_t End = At + 1;
  SlangToken T;
  if (wordStart(Text[At]) ||
      std::isdigit(static_cast<unsigned char>(Text[At]))) {
    T.Kind = wordStart(Text[At]) ? SlangToken::Word : SlangToken::Number;
    while (End < Text.size() && wordPart(Text[End]))
      ++End;
  } else if (Text[At] == '"' || Text[At] == '\'') {
    T.Kind = SlangToken::Text;
    End = quotedEnd(Text[At]);
  }
  T.Spelling = Text.substr(At, End - At);
  T.Where = {File, static_cast<uint32_t>(At), static_cast<uint32_t>(End)};
  Tokens.push_back(T);
  At = End;
}

class Scanner {
public:
  Scanner(std::string_view Text, FileId File)
      : Tokens(slangTokens(Text, File)) {}
  SlangScan run();

private:
  struct Attributes {
    bool Goldy = false, Compute = false, HasSize = false;
    std::array<std::string, 3> Size;
  };
  const SlangToken &peek(size_t Ahead = 0) const {
    static const SlangToken End;
    return At + Ahead < Tokens.size() ? Tokens[At + Ahead] : End;
  }
  bool atEnd() const { return At >= Tokens.size(); }
  bool take(std::string_view Sign) {
    bool Is = !atEnd() && peek().is(Sign);
    At += Is;
    return Is;
  }
  void skipBalanced(std::string_view Open, std::string_view Close);
  std::string argument();
  void attribute(Attributes &A);
  void attributes(Attributes &A);
  bool variable(SlangVariable &V);
  bool type(SlangVariable &V);
  void structure();
  void kernel(const Attributes &A);

  std::vector<SlangToken> Tokens;
  size_t At = 0;
  SlangScan Out;
};

/// From an opening sign to behind its closing one.
void Scanner::skipBalanced(std::string_view Open, std::string_view Close) {
  unsigned Depth = 0;
  for (; !atEnd(); ++At) {
    Depth += peek().is(Open);
    if (peek().is(Close) && --Depth == 0) {
      ++At;
      return;
    }
  }
}

/// The text up to a comma or the closing parenthesis of this level.
std::string Scanner::argument() {
  std::string Text;
  for (unsigned Depth = 0; !atEnd(); ++At) {
    if (Depth == 0 && (peek().is(",") || peek().is(")")))
      break;
    Depth += peek().is("(");
    Depth -= peek().is(")");
    Text += peek().Spelling;
  }
  return Text;
}

void Scanner::attribute(Attributes &A) {
  std::string_view Name = peek().Spelling;
  ++At;
  std::vector<std::string> Given;
  if (take("(")) {
    do
      Given.push_back(argument());
    while (take(","));
    take(")");
  }
  A.Goldy |= Name == "goldy_compute";
  A.Compute |=
      Name == "shader" && Given.size() == 1 && Given[0] == "\"compute\"";
  if (Name != "numthreads")
    return;
  A.HasSize = true;
  for (size_t I = 0; I < 3; ++I)
    A.Size[I] = I < Given.size() ? Given[I] : "1";
}

/// `[a, b(..)]` or `[[a]]`, at its opening bracket.
void Scanner::attributes(Attributes &A) {
  unsigned Brackets = 0;
  for (; take("["); ++Brackets) {
  }
  while (!atEnd() && !peek().is("]")) {
    if (peek().Kind == SlangToken::Word)
      attribute(A);
    else
      ++At;
  }
  while (Brackets-- && take("]")) {
  }
}

bool Scanner::type(SlangVariable &V) {
  if (peek().Kind != SlangToken::Word)
    return false;
  V.Type = peek().Spelling;
  ++At;
  if (take("<")) {
    unsigned Depth = 1;
    for (; !atEnd() && Depth; ++At) {
      Depth += peek().is("<");
      Depth -= peek().is(">");
      if (Depth)
        V.Element += peek().Spelling;
    }
    V.Type += "<" + V.Element + ">";
  }
  while (take("*"))
    V.Type += "*";
  return true;
}

bool Scanner::variable(SlangVariable &V) {
  for (std::string_view M : {"in", "out", "inout", "uniform", "const", "ref"})
    if (peek().is(M) && peek(1).Kind == SlangToken::Word)
      V.Modifier = M, ++At;
  if (!type(V) || peek().Kind != SlangToken::Word)
    return false;
  V.Name = peek().Spelling;
  V.Where = peek().Where;
  ++At;
  while (take("[")) {
    V.Extents.emplace_back();
    for (; !atEnd() && !peek().is("]"); ++At)
      V.Extents.back() += peek().Spelling;
    take("]");
  }
  if (take(":")) {
    V.Semantic = peek().Spelling;
    ++At;
  }
  return true;
}

/// At the name behind `struct`.
void Scanner::structure() {
  SlangStruct S;
  S.Name = peek().Spelling;
  S.Where = peek().Where;
  ++At;
  if (!peek().is("{"))
    return;
  size_t Body = At;
  ++At;
  while (S.Plain && !atEnd() && !peek().is("}")) {
    SlangVariable V;
    S.Plain = variable(V) && take(";");
    S.Fields.push_back(std::move(V));
  }
  At = Body;
  skipBalanced("{", "}");
  Out.Structs.push_back(std::move(S));
}

/// At what follows the attributes; a kernel if it is a function.
void Scanner::kernel(const Attributes &A) {
  while (peek().is("public") || peek().is("internal") || peek().is("export") ||
         peek().is("static") || peek().is("inline"))
    ++At;
  if (!peek().is("void") || peek(1).Kind != SlangToken::Word ||
      !peek(2).is("("))
    return;
  SlangKernel K;
  K.Name = peek(1).Spelling;
  K.Where = peek(1).Where;
  K.Goldy = A.Goldy;
  K.HasSize = A.HasSize;
  K.Size = A.Size;
  size_t Open = At += 2;
  ++At;
  while (!atEnd() && !peek().is(")")) {
    SlangVariable V;
    size_t Start = At;
    if (!variable(V)) // shown with what stands there
      V.Name = peek().Spelling, V.Where = peek().Where, V.Type.clear();
    K.Params.push_back(std::move(V));
    argument(); // a default value, or what was not understood
    if (!take(",") && At == Start)
      ++At;
  }
  At = Open;
  skipBalanced("(", ")");
  Out.Kernels.push_back(std::move(K));
}

SlangScan Scanner::run() {
  Attributes A;
  while (!atEnd()) {
    if (peek().is("[")) {
      attributes(A);
      continue;
    }
    if (A.Goldy || A.Compute)
      kernel(A);
    A = Attributes();
    if (peek().is("struct") && peek(1).Kind == SlangToken::Word) {
      ++At;
      structure();
    } else if (peek().is("{")) {
      skipBalanced("{", "}");
    } else if (!atEnd()) {
      ++At;
    }
  }
  return std::move(Out);
}

} // namespace

std::vector<SlangToken> slangTokens(std::string_view Text, FileId File) {
  return Lexer(Text, File).run();
}

SlangScan scanSlang(std::string_view Text, FileId File) {
  return Scanner(Text, File).run();
}

} // namespace goldy::foreign
