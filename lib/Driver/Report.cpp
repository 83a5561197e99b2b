//===- Report.cpp - Where messages go -------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Report.h"

#include <cstdlib>
#include <unistd.h>

using namespace goldy;

namespace {

bool useColor(ColorMode Mode) {
  if (Mode != ColorMode::Auto)
    return Mode == ColorMode::Always;
  const char *Term = std::getenv("TERM"), *No = std::getenv("NO_COLOR");
  return ::isatty(2) && Term && std::string_view(Term) != "dumb" &&
         (!No || !*No);
}

void printCounts(std::ostream &Err, const DriverOptions &O, unsigned Errors,
                 unsigned Warnings) {
  if (Errors + Warnings == 0)
    return;
  auto Count = [](unsigned N, std::string_view What) {
    return std::to_string(N) + " " + std::string(What) + (N == 1 ? "" : "s");
  };
  if (O.ErrorLimit && Errors >= O.ErrorLimit)
    Err << "goldyc: stopped after " << Count(Errors, "error")
        << "; --error-limit=0 shows all\n";
  else
    Err << "goldyc: " << (Errors ? Count(Errors, "error") : "")
        << (Errors && Warnings ? ", " : "")
        << (Warnings ? Count(Warnings, "warning") : "") << "\n";
}

} // namespace

void driver::printDiagnostics(std::ostream &Err, const SourceManager &SM,
                              const DriverOptions &O,
                              const std::vector<Diagnostic> &All) {
  if (O.Format == DiagFormat::Sarif)
    return renderSarif(Err, SM, All);
  bool Color = useColor(O.Color);
  unsigned Errors = 0, Warnings = 0;
  for (const Diagnostic &D : All) {
    Errors += D.Level == Severity::Error;
    Warnings += D.Level == Severity::Warning;
    if (O.Format == DiagFormat::Json) {
      renderJson(Err, SM, D);
      Err << '\n';
    } else {
      if (!D.Where.isValid())
        Err << "goldyc: ";
      renderText(Err, SM, D, Color);
    }
  }
  if (O.Format == DiagFormat::Text)
    printCounts(Err, O, Errors, Warnings);
}

int driver::exitCodeOf(const std::vector<Diagnostic> &All) {
  int Code = ExitSuccess;
  for (const Diagnostic &D : All) {
    if (D.Level != Severity::Error)
      continue;
    unsigned N = D.Code;
    bool Internal = N >= 780 && N < 800;
    bool Missing = N >= 1010 && N < 1020;
    bool Usage = (N >= 700 && N < 730) || (N >= 760 && N < 780);
    Code = std::max<int>(Code, Missing    ? ExitMissing
                               : Internal ? ExitInternalError
                               : Usage    ? ExitBadUsage
                                          : ExitInputErrors);
  }
  return Code;
}
