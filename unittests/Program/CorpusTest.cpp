//===- CorpusTest.cpp - Damaged files of the corpus -----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every truncation and every flipped bit of every seed of the fuzzer: an error
// with a place, or a description that is checked. Bytes have one form, so what
// is read from damaged bytes is another description.
//
//===----------------------------------------------------------------------===//
#include "program/Bytes.h"
#include "program/Check.h"
#include "program/Text.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace goldy::program;

namespace {

struct Counts {
  size_t Read = 0, Refused = 0;
};

template <class T>
void tryAs(const std::string &Bytes, bool Text, Counts &Count) {
  T X;
  std::string Why;
  bool Good = Text ? fromText(Bytes, X, Why) : fromBytes(Bytes, X, Why);
  if (!Good) {
    ++Count.Refused;
    if (!Why.starts_with(Text ? "line " : "byte "))
      FAIL("no place: " << Why);
    return;
  }
  ++Count.Read;
  check(X);
  if (!Text && toBytes(X) != Bytes)
    FAIL("two forms of one description");
}

void tryFile(const std::string &Bytes, bool Text, bool Template,
             Counts &Count) {
  if (Template)
    tryAs<ProgramTemplate>(Bytes, Text, Count);
  else
    tryAs<ProgramDesc>(Bytes, Text, Count);
}

} // namespace

TEST_CASE("truncations and flipped bits of every file of the corpus") {
  size_t Files = 0;
  for (const std::filesystem::directory_entry &E :
       std::filesystem::directory_iterator(GOLDY_PROGRAM_CORPUS)) {
    std::ifstream In(E.path(), std::ios::binary);
    std::string Good((std::istreambuf_iterator<char>(In)), {});
    bool Text = Good.starts_with("#");
    bool Template = Good.starts_with(Text ? TemplateHeader : TemplateMark);
    INFO(E.path().filename());
    Counts Whole, Cut, Flipped;
    tryFile(Good, Text, Template, Whole);
    CHECK(Whole.Read == 1);
    for (size_t N = 0; N < Good.size(); ++N)
      tryFile(Good.substr(0, N), Text, Template, Cut);
    // A text may lose its last comma and line end.
    CHECK(Cut.Read <= (Text ? 2 : 0));
    CHECK(Cut.Refused + Cut.Read == Good.size());
    for (size_t Bit = 0; Bit < 8 * Good.size(); ++Bit) {
      std::string Bad = Good;
      Bad[Bit / 8] ^= static_cast<char>(1 << (Bit % 8));
      tryFile(Bad, Text, Template, Flipped);
    }
    CHECK(Flipped.Refused > 0);
    CHECK(Flipped.Refused + Flipped.Read == 8 * Good.size());
    ++Files;
  }
  CHECK(Files >= 5);
}
