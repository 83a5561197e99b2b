//===- DepfileTest.cpp - Make rules ---------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Depfile.h"

#include <catch2/catch.hpp>

using namespace goldy::driver;

TEST_CASE("rules quote what make reads specially") {
  CHECK(makeRule({"a.gdy"}, {"a.goldy"}, false) == "a.gdy: a.goldy\n");
  CHECK(makeRule({"a b"}, {"c$d", "e#f"}, false) == "a\\ b: c$$d e\\#f\n");
  CHECK(makeRule({"t"}, {"dir\\ x"}, false) == "t: dir\\\\\\ x\n");
  CHECK(makeRule({"t"}, {}, false) == "t:\n");
}

TEST_CASE("phony rules for all but the first prerequisite") {
  CHECK(makeRule({"t"}, {"a", "b", "c"}, true) == "t: a b c\n\nb:\n\nc:\n");
}

TEST_CASE("long rules are wrapped") {
  std::vector<std::string> Many(20, "some/directory/name.goldy");
  std::string Rule = makeRule({"t"}, Many, false);
  size_t Longest = 0, Begin = 0;
  for (size_t I = 0; I < Rule.size(); ++I)
    if (Rule[I] == '\n') {
      Longest = std::max(Longest, I - Begin);
      Begin = I + 1;
    }
  CHECK(Longest <= 80);
  CHECK(Rule.find(" \\\n  some/") != std::string::npos);
}
