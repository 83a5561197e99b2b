//===- SlangMessagesTest.cpp - What Slang's compiler says -----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/Foreign/SlangLibrary.h"

#include <catch2/catch.hpp>

using namespace goldy;

TEST_CASE("messages, spans of the same place and notes of another") {
  std::vector<SlangMessage> M = parseSlangMessages(
      "E30201\terror\ta.slang\t9\t23\t9\t24\tfunction 'k' already has a body\n"
      "E30201\tspan\ta.slang\t9\t23\t9\t24\tRedeclared 'k' here, it isn't "
      "new.\n"
      "E30201\tnote\tb.slang\t7\t6\t7\t7\tsee 'k'\n"
      "E\tspan\tb.slang\t7\t6\t7\t7\t\n"
      "E40004\twarning\ta.slang\t1\t2\t1\t3\ttoo large\n"
      "E40003\tfatal error\t\t0\t0\t0\t0\tcompilation ceased\n");
  REQUIRE(M.size() == 3);
  CHECK(M[0].Level == Severity::Error);
  CHECK(M[0].Code == "E30201");
  CHECK(M[0].Line == 9);
  CHECK(M[0].EndColumn == 24);
  CHECK(M[0].Text == "redeclared `k` here, it isn't new");
  REQUIRE(M[0].Notes.size() == 1);
  CHECK(M[0].Notes[0].File == "b.slang");
  CHECK(M[0].Notes[0].Text == "see `k`");
  CHECK(M[1].Level == Severity::Warning);
  CHECK(M[2].Level == Severity::Error);
  CHECK(M[2].Line == 0);
}

TEST_CASE("text without fields is kept") {
  std::vector<SlangMessage> M = parseSlangMessages("nvrtc: bad\n\nsecond\n");
  REQUIRE(M.size() == 1);
  CHECK(M[0].Text == "nvrtc: bad; second");
  CHECK(parseSlangMessages("").empty());
}
