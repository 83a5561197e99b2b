//===- Depfile.cpp - Make rules -------------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Depfile.h"

#include <string_view>

using namespace goldy;

namespace {
std::string quoted(std::string_view Name) {
  std::string S;
  for (size_t I = 0; I < Name.size(); ++I) {
    char C = Name[I];
    if (C == ' ' || C == '\t') {
      // Backslashes before a blank are read in pairs: double them.
      for (size_t J = I; J > 0 && Name[J - 1] == '\\'; --J)
        S += '\\';
      S += '\\';
    } else if (C == '$') {
      S += '$';
    } else if (C == '#') {
      S += '\\';
    }
    S += C;
  }
  return S;
}
} // namespace

std::string driver::makeRule(const std::vector<std::string> &Targets,
                             const std::vector<std::string> &Prerequisites,
                             bool Phony, bool AsWritten) {
  std::string Rule;
  size_t Column = 0;
  auto Add = [&](const std::string &Word) {
    if (Column > 0 && Column + Word.size() > 76) {
      Rule += " \\\n ";
      Column = 1;
    }
    if (Column > 0 && Rule.back() != '\n')
      Rule += " ";
    Rule += Word;
    Column += Word.size() + 1;
  };
  for (const std::string &T : Targets)
    Add(AsWritten ? T : quoted(T));
  Rule += ":";
  for (const std::string &P : Prerequisites)
    Add(quoted(P));
  Rule += "\n";
  for (size_t I = 1; Phony && I < Prerequisites.size(); ++I)
    Rule += "\n" + quoted(Prerequisites[I]) + ":\n";
  return Rule;
}
