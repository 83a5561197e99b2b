//===- Expectations.cpp - --verify-diagnostics ----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `//~ G0123: text` expects a message of this code on its line whose text
// holds `text`; each `^` behind `//~` moves one line up, and several
// expectations may follow one another on a line. Messages without a place are
// expected by no comment, so they always count as surprises.
//
//===----------------------------------------------------------------------===//
#include "Report.h"

using namespace goldy;

namespace {

struct Expectation {
  FileId File;
  uint32_t Line;
  std::string Code, Text;
  Span Where; ///< the comment
  bool Met = false;
};

std::string_view trimmed(std::string_view S) {
  while (!S.empty() && (S.front() == ' ' || S.front() == '\t'))
    S.remove_prefix(1);
  while (!S.empty() &&
         (S.back() == ' ' || S.back() == '\t' || S.back() == '\r'))
    S.remove_suffix(1);
  return S;
}

/// Reads the comments of one file.
void collect(const SourceManager &SM, FileId File,
             std::vector<Expectation> &Out) {
  std::string_view Text = SM.file(File).Text;
  for (size_t At = Text.find("//~"); At != std::string_view::npos;
       At = Text.find("//~", At + 3)) {
    size_t End =
        std::min({Text.find('\n', At), Text.find("//~", At + 3), Text.size()});
    Expectation E;
    E.File = File;
    E.Where = Span{File, static_cast<uint32_t>(At), static_cast<uint32_t>(End)};
    E.Line = SM.lineColumn(File, E.Where.Begin).Line;
    std::string_view Rest = Text.substr(At + 3, End - At - 3);
    for (; !Rest.empty() && Rest.front() == '^'; Rest.remove_prefix(1))
      E.Line -= E.Line > 1;
    Rest = trimmed(Rest);
    size_t Colon = std::min(Rest.find(':'), Rest.size());
    E.Code = trimmed(Rest.substr(0, Colon));
    E.Text = trimmed(Rest.substr(std::min(Colon + 1, Rest.size())));
    Out.push_back(std::move(E));
  }
}

bool meets(const SourceManager &SM, const Diagnostic &D, const Expectation &E) {
  return D.Where.isValid() && D.Where.File == E.File &&
         diagCodeName(D.Code) == E.Code &&
         SM.lineColumn(E.File, D.Where.Begin).Line == E.Line &&
         D.Message.find(E.Text) != std::string::npos;
}

} // namespace

void driver::verifyDiagnostics(const SourceManager &SM,
                               const std::vector<Diagnostic> &All,
                               DiagSink &Diags) {
  std::vector<Expectation> Expected;
  for (uint32_t I = 0; I < SM.size(); ++I)
    collect(SM, FileId(I), Expected);
  for (const Diagnostic &D : All) {
    bool Found = false;
    for (Expectation &E : Expected)
      if (!Found && !E.Met && meets(SM, D, E))
        Found = E.Met = true;
    if (!Found)
      Diags.report(diag::G0741, D.Where)
          << "unexpected " << diagCodeName(D.Code) << ": " << D.Message;
  }
  for (const Expectation &E : Expected)
    if (!E.Met)
      Diags.report(diag::G0740, E.Where)
          << "expected " << E.Code << " on line " << E.Line
          << (E.Text.empty() ? "" : " with `" + E.Text + "`")
          << ", which did not come";
}
