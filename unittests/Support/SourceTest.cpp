//===- SourceTest.cpp - Lines, columns, UTF-8
//-------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/Support/Source.h"

#include <catch2/catch.hpp>

using namespace goldy;

namespace {
LineColumn at(const std::string &Text, uint32_t Offset) {
  SourceManager SM;
  FileId F = SM.add("t.goldy", Text);
  return SM.lineColumn(F, Offset);
}
} // namespace

TEST_CASE("columns count characters from 1 and a tab is one", "[source]") {
  CHECK(at("a\tb", 2).Column == 3);
  CHECK(at("\xC3\xA9\xE4\xB8\xAD x", 6).Column == 4); // é, 中, blank, x
  CHECK(at("ab\ncd", 4).Line == 2);
  CHECK(at("ab\ncd", 4).Column == 2);
}

TEST_CASE("CRLF and lone CR end lines", "[source]") {
  CHECK(at("a\r\nb", 3).Line == 2);
  CHECK(at("a\r\nb", 3).Column == 1);
  CHECK(at("a\rb", 2).Line == 2);
  SourceManager SM;
  FileId F = SM.add("t", "one\r\ntwo\rthree");
  CHECK(SM.line(F, 1) == "one");
  CHECK(SM.line(F, 2) == "two");
  CHECK(SM.line(F, 3) == "three");
  CHECK(SM.line(F, 4).empty());
}

TEST_CASE("a byte order mark takes no column", "[source]") {
  CHECK(at("\xEF\xBB\xBFuse", 3).Column == 1);
  CHECK(at("\xEF\xBB\xBFuse", 5).Column == 3);
}

TEST_CASE("offsets past the end are the end", "[source]") {
  CHECK(at("ab", 99).Column == 3);
  CHECK(at("", 0).Line == 1);
}

TEST_CASE("UTF-8 is checked to the letter", "[source]") {
  size_t Bad = 0;
  CHECK(isValidUtf8("plain \xF0\x9F\x98\x80", Bad));
  CHECK_FALSE(isValidUtf8("ab\xC0\x80", Bad)); // overlong
  CHECK(Bad == 2);
  CHECK_FALSE(isValidUtf8("\xED\xA0\x80", Bad));     // surrogate
  CHECK_FALSE(isValidUtf8("\xF4\x90\x80\x80", Bad)); // beyond U+10FFFF
  CHECK_FALSE(isValidUtf8("\xE4\xB8", Bad));         // cut short
}

TEST_CASE("spans join within a file", "[source]") {
  Span A{FileId(0), 3, 5}, B{FileId(0), 9, 11}, C{FileId(1), 0, 1};
  CHECK(A.to(B) == Span{FileId(0), 3, 11});
  CHECK(A.to(C) == A);
  CHECK(Span().to(B) == B);
}
