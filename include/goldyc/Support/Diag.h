//===- Diag.h - Diagnostics: codes, sink, rendering
//------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries report through an injected `DiagSink`; they never print or exit.
// Codes are declared once in `Diagnostics/<Room>.def`: number, severity,
// warning name, one-line title, and the text of `--explain`. The message
// itself is written where the fault is found: lower case, no full stop, the
// user's own names in backquotes, expected and got; a note says what to do.
//
//   return Diags.report(diag::G0310, Span)
//          << "expected `f32`, found `u32`" ... converts to `false`,
//          `std::nullopt` or an empty pointer and delivers on destruction.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_SUPPORT_DIAG_H
#define GOLDYC_SUPPORT_DIAG_H

#include "goldyc/Support/Source.h"

#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace goldy {

enum class Severity : uint8_t { Note, Warning, Error };

/// Whose fault it is. User errors exit 1; limits name the missing capability.
enum class DiagClass : uint8_t { User, Limit };

namespace diag {
enum Code : uint16_t {
  None = 0,
#define DIAG(NUMBER, CLASS, SEVERITY, NAME, TITLE, EXPLAIN)                    \
  G##NUMBER = 1##NUMBER - 10000,
#include "goldyc/Support/Diagnostics/All.def"
#undef DIAG
};
} // namespace diag

/// Static facts of a code.
struct DiagInfo {
  diag::Code Code;
  DiagClass Class;
  Severity Default;
  std::string_view Name;    ///< warning name for -W<name>, empty for errors
  std::string_view Title;   ///< one line
  std::string_view Explain; ///< `--explain` text, Markdown
};
/// Null when there is no such code.
const DiagInfo *diagInfo(diag::Code C);
const std::vector<DiagInfo> &allDiagInfos();
/// "G0412".
std::string diagCodeName(diag::Code C);

struct DiagNote {
  Span Where; ///< may be invalid: a note without a place
  std::string Text;
};
struct DiagFix {
  Span Where;
  std::string Replacement;
};
struct Diagnostic {
  diag::Code Code = diag::None;
  Severity Level = Severity::Error;
  Span Where;
  std::string Message;
  std::vector<DiagNote> Notes;
  std::vector<DiagFix> Fixes;
};

class DiagSink;

/// Collects one diagnostic and delivers it when destroyed.
class DiagBuilder {
public:
  DiagBuilder(DiagSink &Sink, Diagnostic D) : Sink(&Sink), D(std::move(D)) {}
  DiagBuilder(DiagBuilder &&O) noexcept : Sink(O.Sink), D(std::move(O.D)) {
    O.Sink = nullptr;
  }
  DiagBuilder(const DiagBuilder &) = delete;
  DiagBuilder &operator=(const DiagBuilder &) = delete;
  ~DiagBuilder();
  DiagBuilder &operator<<(std::string_view S) {
    D.Message += S;
    return *this;
  }
  DiagBuilder &operator<<(char C) {
    D.Message += C;
    return *this;
  }
  template <class I>
    requires std::is_integral_v<I>
  DiagBuilder &operator<<(I Value) {
    D.Message += std::to_string(Value);
    return *this;
  }
  /// A note at another place.
  DiagBuilder &note(Span Where, std::string Text) {
    D.Notes.push_back({Where, std::move(Text)});
    return *this;
  }
  /// A note without a place: what to write instead.
  DiagBuilder &help(std::string Text) { return note(Span(), std::move(Text)); }
  DiagBuilder &fix(Span Where, std::string Replacement) {
    D.Fixes.push_back({Where, std::move(Replacement)});
    return *this;
  }
  operator bool() const { return false; }
  operator std::nullopt_t() const { return std::nullopt; }
  template <class T> operator std::optional<T>() const { return std::nullopt; }
  template <class T> operator Handle<T>() const { return Handle<T>(); }

private:
  DiagSink *Sink;
  Diagnostic D;
};

/// What the command line says about warnings.
struct WarningOptions {
  bool All = false;      ///< -Wall: also those that are off by default
  bool None = false;     ///< -w
  bool AsErrors = false; ///< -Werror
  std::set<std::string, std::less<>> Enabled, Disabled, Errors;
};

/// Receives diagnostics in source order of discovery. Not thread-safe: each
/// job has its own; the driver merges them in input order.
class DiagSink {
public:
  explicit DiagSink(WarningOptions Warnings = {}, unsigned ErrorLimit = 20)
      : Warnings(std::move(Warnings)), ErrorLimit(ErrorLimit) {}
  DiagBuilder report(diag::Code C, Span Where);
  void deliver(Diagnostic D);
  bool hasErrors() const { return Errors != 0; }
  unsigned errorCount() const { return Errors; }
  /// True once the limit is reached; producers stop at their next checkpoint.
  bool atLimit() const { return ErrorLimit && Errors >= ErrorLimit; }
  const std::vector<Diagnostic> &diagnostics() const { return All; }
  void clear();

private:
  WarningOptions Warnings;
  unsigned ErrorLimit;
  unsigned Errors = 0;
  std::vector<Diagnostic> All;
  std::set<std::tuple<uint16_t, uint32_t, uint32_t, uint32_t, std::string>>
      Seen;
};

/// `file:line:column: error[G0123]: …`, the source line with carets, notes.
/// Wide characters and tabs keep the carets under their text.
void renderText(std::ostream &Out, const SourceManager &SM, const Diagnostic &D,
                bool Color);
/// One JSON object without a line end: level code message file line column
/// end_line end_column notes fix.
void renderJson(std::ostream &Out, const SourceManager &SM,
                const Diagnostic &D);
/// A whole SARIF 2.1.0 log.
void renderSarif(std::ostream &Out, const SourceManager &SM,
                 const std::vector<Diagnostic> &All);

/// The candidate nearest to `Name` by edit distance, if near enough to
/// suggest (at most a third of its length, at least one).
std::optional<std::string> nearest(std::string_view Name,
                                   const std::vector<std::string> &Candidates);

} // namespace goldy

#endif
