//===- JsonWriter.h - JSON text, indented
//----------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Appends to a string. The writer puts commas, line ends and indentation; the
// caller opens and closes in pairs and gives a key inside objects.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_SCHEMAS_JSONWRITER_H
#define GOLDY_SCHEMAS_JSONWRITER_H

#include <cstdint>
#include <string>
#include <string_view>

namespace goldy::schema {

class JsonWriter {
public:
  /// `Inline` containers stay on one line.
  void open(char Bracket, bool Inline = false) {
    Out += Bracket;
    ++Depth;
    First = true;
    if (Inline && !InlineDepth)
      InlineDepth = Depth;
  }
  void open(std::string_view Key, char Bracket, bool Inline = false) {
    key(Key);
    open(Bracket, Inline);
  }
  void close(char Bracket) {
    bool OneLine = InlineDepth != 0;
    if (InlineDepth == Depth)
      InlineDepth = 0;
    --Depth;
    if (!First && !OneLine)
      newLine();
    Out += Bracket;
    First = false;
  }
  void key(std::string_view Key) {
    separate();
    quote(Key);
    Out += ": ";
  }
  /// Before an element of an array.
  void separate() {
    if (!First)
      Out += ',';
    if (!InlineDepth)
      newLine();
    else if (!First)
      Out += ' ';
    First = false;
  }
  void text(std::string_view Key, std::string_view Value) {
    key(Key);
    quote(Value);
  }
  void number(std::string_view Key, uint64_t Value) {
    key(Key);
    Out += std::to_string(Value);
  }
  void boolean(std::string_view Key, bool Value) {
    key(Key);
    Out += Value ? "true" : "false";
  }
  void raw(std::string_view Text) { Out += Text; }
  void quote(std::string_view Text) {
    Out += '"';
    for (char C : Text)
      escape(C);
    Out += '"';
  }
  std::string take() {
    Out += '\n';
    return std::move(Out);
  }

private:
  void newLine() {
    Out += '\n';
    Out.append(2 * Depth, ' ');
  }
  void escape(char C) {
    static constexpr char Hex[] = "0123456789abcdef";
    unsigned char U = static_cast<unsigned char>(C);
    if (C == '"' || C == '\\')
      (Out += '\\') += C;
    else if (C == '\n')
      Out += "\\n";
    else if (U < 0x20)
      ((Out += "\\u00") += Hex[U >> 4]) += Hex[U & 15];
    else
      Out += C;
  }

  std::string Out;
  unsigned Depth = 0, InlineDepth = 0;
  bool First = true;
};

} // namespace goldy::schema

#endif
