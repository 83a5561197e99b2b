//===- DocsTest.cpp - The reference lists every operation
//------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/IR/IR.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

using namespace goldy;

/// As a cell of a Markdown table.
static std::string cell(std::string_view Text) {
  std::string Out;
  for (char C : Text)
    Out += C == '|' ? std::string("\\|") : std::string(1, C);
  return Out;
}

TEST_CASE("docs/IR.md has a row of Ops.def for every operation") {
  std::ifstream In(GOLDY_DOCS "/IR.md");
  std::ostringstream Text;
  Text << In.rdbuf();
  for (unsigned I = 0; I < NumOps; ++I) {
    const OpInfo &Info = opInfo(static_cast<Op>(I));
    std::string Row =
        "| `" + std::string(Info.Name) + "` | `" + cell(Info.Mnemonic) + "` | ";
    std::string Doc = " | " + cell(Info.Doc) + " |\n";
    INFO(Row << "…" << Doc);
    size_t At = Text.str().find(Row);
    REQUIRE(At != std::string::npos);
    std::string Line =
        Text.str().substr(At, Text.str().find('\n', At) + 1 - At);
    CHECK(Line.ends_with(Doc));
  }
}

TEST_CASE("docs/IR.md has what operations make of subnormals and NaNs") {
  std::ifstream In(GOLDY_DOCS "/IR.md");
  std::string Line, Rows[6];
  constexpr std::string_view Names[] = {"Bits",   "Number", "Reads",
                                        "Rounds", "Near",   "Passes"};
  while (std::getline(In, Line))
    for (unsigned Use = 0; Use < 6; ++Use)
      if (Line.starts_with("| `" + std::string(Names[Use]) + "` | "))
        Rows[Use] = Line;
  for (unsigned I = 0; I < NumOps; ++I) {
    const OpInfo &Info = opInfo(static_cast<Op>(I));
    std::string Name = "`" + std::string(Info.Name) + "`";
    INFO(Name);
    for (unsigned Use = 1; Use < 6; ++Use)
      CHECK((Rows[Use].find(Name) != std::string::npos) ==
            (unsigned(Info.Floats) == Use));
  }
}
