//===- SlangMessages.cpp - What Slang's compiler says ---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With -enable-machine-readable-diagnostics a message is a line of eight
// fields: code, kind, file, line, column, end line, end column, text. Kinds:
// a message begins with `error`, `warning`, `fatal error` or `note`; a `span`
// that follows says more of the same place or names another one.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Foreign/SlangLibrary.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

using namespace goldy;

namespace {

using Fields = std::array<std::string_view, 8>;

std::optional<Fields> split(std::string_view Line) {
  Fields F;
  for (size_t N = 0; N + 1 < F.size(); ++N) {
    size_t Tab = Line.find('\t');
    if (Tab == Line.npos)
      return std::nullopt;
    F[N] = Line.substr(0, Tab);
    Line.remove_prefix(Tab + 1);
  }
  F.back() = Line;
  return F;
}

uint32_t number(std::string_view Text) {
  uint32_t N = 0;
  std::from_chars(Text.data(), Text.data() + Text.size(), N);
  return N;
}

/// As goldyc writes messages: no full stop, first letter small where the rest
/// of the word is.
std::string tidy(std::string_view Text) {
  while (!Text.empty() && (Text.back() == '.' || Text.back() == '\n'))
    Text.remove_suffix(1);
  std::string Out(Text);
  if (Out.size() > 1 && Out[0] >= 'A' && Out[0] <= 'Z' && Out[1] >= 'a' &&
      Out[1] <= 'z')
    Out[0] = static_cast<char>(Out[0] + ('a' - 'A'));
  bool Open = false; // names in backquotes, apostrophes left alone
  for (size_t I = 0; I < Out.size(); ++I) {
    bool InWord = I > 0 && std::isalnum(static_cast<unsigned char>(Out[I - 1]));
    if (Out[I] != '\'' || (!Open && InWord))
      continue;
    Out[I] = '`';
    Open = !Open;
  }
  return Out;
}

SlangMessage message(const Fields &F) {
  SlangMessage M;
  M.Code = F[0];
  M.Level = F[1] == "warning" ? Severity::Warning
            : F[1] == "note"  ? Severity::Note
                              : Severity::Error;
  M.File = F[2];
  M.Line = number(F[3]);
  M.Column = number(F[4]);
  M.EndLine = number(F[5]);
  M.EndColumn = number(F[6]);
  M.Text = tidy(F[7]);
  return M;
}

bool samePlace(const SlangMessage &A, const SlangMessage &B) {
  return A.File == B.File && A.Line == B.Line && A.Column == B.Column;
}

void add(std::vector<SlangMessage> &All, SlangMessage M, bool Span) {
  if (All.empty() || (!Span && M.Level != Severity::Note)) {
    All.push_back(std::move(M));
    return;
  }
  SlangMessage &Last = All.back();
  SlangMessage &About = Span && !Last.Notes.empty() ? Last.Notes.back() : Last;
  if (Span && samePlace(About, M)) {
    if (!M.Text.empty())
      About.Text = std::move(M.Text);
    return;
  }
  Last.Notes.push_back(std::move(M));
}

} // namespace

std::vector<SlangMessage> goldy::parseSlangMessages(std::string_view Text) {
  std::vector<SlangMessage> All;
  while (!Text.empty()) {
    size_t End = std::min(Text.find('\n'), Text.size());
    std::string_view Line = Text.substr(0, End);
    Text.remove_prefix(std::min(End + 1, Text.size()));
    if (Line.find_first_not_of(" \r\t") == Line.npos)
      continue;
    if (std::optional<Fields> F = split(Line)) {
      add(All, message(*F), (*F)[1] == "span");
    } else if (!All.empty()) { // a text of several lines
      All.back().Text += "; " + tidy(Line);
    } else {
      SlangMessage Plain;
      Plain.Text = tidy(Line);
      All.push_back(std::move(Plain));
    }
  }
  return All;
}
