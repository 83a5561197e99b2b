//===- Diag.cpp - Diagnostic codes and the sink
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/Support/Diag.h"

#include <algorithm>
#include <tuple>

using namespace goldy;

const std::vector<DiagInfo> &goldy::allDiagInfos() {
  static const std::vector<DiagInfo> Infos = {
#define DIAG(NUMBER, CLASS, SEVERITY, NAME, TITLE, EXPLAIN)                    \
  {diag::G##NUMBER, DiagClass::CLASS, Severity::SEVERITY, NAME, TITLE, EXPLAIN},
#include "goldyc/Support/Diagnostics/All.def"
#undef DIAG
  };
  return Infos;
}

const DiagInfo *goldy::diagInfo(diag::Code C) {
  for (const DiagInfo &I : allDiagInfos())
    if (I.Code == C)
      return &I;
  return nullptr;
}

std::string goldy::diagCodeName(diag::Code C) {
  std::string Digits = std::to_string(static_cast<unsigned>(C));
  return "G" + std::string(Digits.size() < 4 ? 4 - Digits.size() : 0, '0') +
         Digits;
}

DiagBuilder::~DiagBuilder() {
  if (Sink)
    Sink->deliver(std::move(D));
}

DiagBuilder DiagSink::report(diag::Code C, Span Where) {
  Diagnostic D;
  D.Code = C;
  D.Where = Where;
  const DiagInfo *Info = diagInfo(C);
  D.Level = Info ? Info->Default : Severity::Error;
  return DiagBuilder(*this, std::move(D));
}

void DiagSink::deliver(Diagnostic D) {
  if (D.Level == Severity::Warning) {
    const DiagInfo *Info = diagInfo(D.Code);
    std::string_view Name = Info ? Info->Name : std::string_view();
    if (Warnings.None || Warnings.Disabled.contains(Name))
      return;
    if (Warnings.AsErrors || Warnings.Errors.contains(Name))
      D.Level = Severity::Error;
  }
  if (D.Level == Severity::Error && atLimit())
    return;
  uint32_t File = D.Where.isValid() ? D.Where.File.index() : ~0u;
  if (!Seen.emplace(D.Code, File, D.Where.Begin, D.Where.End, D.Message).second)
    return;
  Errors += D.Level == Severity::Error;
  All.push_back(std::move(D));
}

void DiagSink::clear() {
  All.clear();
  Seen.clear();
  Errors = 0;
}

namespace {
/// Insertions, deletions, substitutions and swaps of neighbours.
unsigned editDistance(std::string_view A, std::string_view B) {
  std::vector<unsigned> Before, Last, Row(B.size() + 1);
  for (size_t J = 0; J <= B.size(); ++J)
    Row[J] = static_cast<unsigned>(J);
  for (size_t I = 1; I <= A.size(); ++I) {
    Before = std::move(Last);
    Last = Row;
    Row[0] = static_cast<unsigned>(I);
    for (size_t J = 1; J <= B.size(); ++J) {
      unsigned Substitute = Last[J - 1] + (A[I - 1] != B[J - 1]);
      Row[J] = std::min({Last[J] + 1, Row[J - 1] + 1, Substitute});
      if (I > 1 && J > 1 && A[I - 1] == B[J - 2] && A[I - 2] == B[J - 1])
        Row[J] = std::min(Row[J], Before[J - 2] + 1);
    }
  }
  return Row[B.size()];
}
} // namespace

std::optional<std::string>
goldy::nearest(std::string_view Name,
               const std::vector<std::string> &Candidates) {
  if (Name.size() > 64)
    return std::nullopt;
  unsigned Best = std::max<unsigned>(1, Name.size() / 3) + 1;
  const std::string *Found = nullptr;
  for (const std::string &C : Candidates) {
    unsigned Distance = editDistance(Name, C);
    if (Distance < Best) {
      Best = Distance;
      Found = &C;
    }
  }
  return Found ? std::optional<std::string>(*Found) : std::nullopt;
}
