//===- Render.cpp - Diagnostics as text, JSON and SARIF
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/Support/Diag.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

using namespace goldy;

namespace {

struct Style {
  bool Color;
  const char *bold() const { return Color ? "\x1b[1m" : ""; }
  const char *reset() const { return Color ? "\x1b[0m" : ""; }
  const char *level(Severity S) const {
    if (!Color)
      return "";
    return S == Severity::Error     ? "\x1b[1;31m"
           : S == Severity::Warning ? "\x1b[1;35m"
                                    : "\x1b[1;36m";
  }
};

std::string_view levelName(Severity S) {
  return S == Severity::Error     ? "error"
         : S == Severity::Warning ? "warning"
                                  : "note";
}

/// A note of its own, without a code, is a remark: what a pass did, asked for.
std::string_view levelName(const Diagnostic &D) {
  return D.Code == diag::None ? "remark" : levelName(D.Level);
}

bool isContinuation(char C) {
  return (static_cast<unsigned char>(C) & 0xC0) == 0x80;
}

/// Decodes one code point at `I` and advances; bad bytes stand for themselves.
uint32_t decode(std::string_view S, size_t &I) {
  unsigned char Lead = static_cast<unsigned char>(S[I++]);
  uint32_t C = Lead < 0xC0   ? Lead
               : Lead < 0xE0 ? Lead & 0x1F
               : Lead < 0xF0 ? Lead & 0xF
                             : Lead & 7;
  while (I < S.size() && isContinuation(S[I]))
    C = C << 6 | (static_cast<unsigned char>(S[I++]) & 0x3F);
  return C;
}

/// Characters that take no room or turn the text after them around.
bool isInvisible(uint32_t C) {
  return (C >= 0x200B && C <= 0x200F) || (C >= 0x2028 && C <= 0x202E) ||
         (C >= 0x2060 && C <= 0x206F) || C == 0xFEFF || (C >= 0x80 && C < 0xA0);
}

/// Terminal columns of a character: 0 for combining marks, 2 for East Asian
/// wide ranges, 1 otherwise (invisible ones are shown as U+FFFD).
unsigned displayWidth(uint32_t C) {
  if ((C >= 0x300 && C <= 0x36F) || C == 0xFE0F)
    return 0;
  bool Wide = (C >= 0x1100 && C <= 0x115F) || (C >= 0x2E80 && C <= 0xA4CF) ||
              (C >= 0xAC00 && C <= 0xD7A3) || (C >= 0xF900 && C <= 0xFAFF) ||
              (C >= 0xFE30 && C <= 0xFE6F) || (C >= 0xFF00 && C <= 0xFF60) ||
              (C >= 0xFFE0 && C <= 0xFFE6) || (C >= 0x1F300 && C <= 0x1FAFF) ||
              (C >= 0x20000 && C <= 0x3FFFD);
  return Wide ? 2 : 1;
}

/// Blanks that take the same room on a terminal as `Text` (tabs stay tabs).
std::string padding(std::string_view Text) {
  std::string Out;
  for (size_t I = 0; I < Text.size();) {
    uint32_t C = decode(Text, I);
    if (C == '\t')
      Out += '\t';
    else
      Out.append(displayWidth(C), ' ');
  }
  return Out;
}

unsigned widthOf(std::string_view Text) {
  unsigned Width = 0;
  for (size_t I = 0; I < Text.size();)
    Width += displayWidth(decode(Text, I));
  return Width;
}

/// Control characters would move the cursor, and invisible ones show another
/// text than is there: they show as U+FFFD.
std::string printable(std::string_view Line) {
  std::string Out;
  size_t Bad = 0;
  bool Valid = isValidUtf8(Line, Bad);
  for (size_t I = 0; I < Line.size();) {
    size_t Begin = I;
    uint32_t C = static_cast<unsigned char>(Line[I]);
    if (Valid)
      C = decode(Line, I);
    else
      ++I;
    bool Show = C == '\t' || (C >= 0x20 && C < 0x7F) ||
                (Valid && C >= 0x80 && !isInvisible(C));
    Out +=
        Show ? Line.substr(Begin, I - Begin) : std::string_view("\xEF\xBF\xBD");
  }
  return Out;
}

/// Longest part of a source line that is shown, in bytes.
constexpr size_t MaxShown = 200;

void renderSnippet(std::ostream &Out, const SourceManager &SM, Span Where,
                   const Style &S, Severity Level) {
  LineColumn At = SM.lineColumn(Where.File, Where.Begin);
  std::string_view Line = SM.line(Where.File, At.Line);
  const SourceFile &File = SM.file(Where.File);
  size_t LineOffset = static_cast<size_t>(Line.data() - File.Text.data());
  size_t Begin = std::min(
      Where.Begin > LineOffset ? Where.Begin - LineOffset : 0, Line.size());
  size_t End = std::clamp<size_t>(
      Where.End > LineOffset ? Where.End - LineOffset : 0, Begin, Line.size());
  size_t First = 0;
  if (Begin > MaxShown / 2) {
    First = Begin - MaxShown / 2;
    while (First > 0 && isContinuation(Line[First]))
      --First;
  }
  std::string_view Shown = Line.substr(First);
  if (Shown.size() > MaxShown) {
    size_t Cut = MaxShown;
    while (Cut > 0 && isContinuation(Shown[Cut]))
      --Cut;
    Shown = Shown.substr(0, Cut);
  }
  Begin -= First;
  End = std::min(End - First, Shown.size());
  Begin = std::min(Begin, End);
  std::string Number = std::to_string(At.Line);
  std::string Gutter(Number.size(), ' ');
  unsigned Carets = std::max(1u, widthOf(Shown.substr(Begin, End - Begin)));
  Out << " " << Gutter << " |\n " << Number << " | " << printable(Shown)
      << "\n " << Gutter << " | " << padding(Shown.substr(0, Begin))
      << S.level(Level) << std::string(Carets, '^') << S.reset() << "\n";
}

void renderPlace(std::ostream &Out, const SourceManager &SM, Span Where) {
  if (!Where.isValid())
    return;
  LineColumn At = SM.lineColumn(Where.File, Where.Begin);
  Out << SM.file(Where.File).Name << ":" << At.Line << ":" << At.Column << ": ";
}

std::string quoted(std::string_view Text) {
  std::string Out = "\"";
  size_t Bad = 0;
  bool Valid = isValidUtf8(Text, Bad);
  for (char C : Text) {
    unsigned char U = static_cast<unsigned char>(C);
    if (C == '"' || C == '\\')
      (Out += '\\') += C;
    else if (C == '\n')
      Out += "\\n";
    else if (U < 0x20 || U == 0x7F || (!Valid && U >= 0x80))
      Out += fmt::format("\\u{:04x}", U < 0x80 ? U : 0xFFFD);
    else
      Out += C;
  }
  return Out + "\"";
}

/// Without a place every field is null, so that readers find them all.
std::string placeFields(const SourceManager &SM, Span Where) {
  if (!Where.isValid())
    return "\"file\":null,\"line\":null,\"column\":null,\"end_line\":null,"
           "\"end_column\":null";
  LineColumn B = SM.lineColumn(Where.File, Where.Begin);
  LineColumn E = SM.lineColumn(Where.File, Where.End);
  return fmt::format(
      "\"file\":{},\"line\":{},\"column\":{},\"end_line\":{},\"end_column\":{}",
      quoted(SM.file(Where.File).Name), B.Line, B.Column, E.Line, E.Column);
}

/// A file's name as a URI reference.
std::string uriOf(std::string_view Name) {
  constexpr std::string_view Plain = "-._~/!&'()*+,;=@";
  std::string Out;
  for (char C : Name) {
    unsigned char U = static_cast<unsigned char>(C);
    bool Keep = (C >= '0' && C <= '9') || (C >= 'A' && C <= 'Z') ||
                (C >= 'a' && C <= 'z') ||
                Plain.find(C) != std::string_view::npos;
    Out += Keep ? std::string(1, C) : fmt::format("%{:02X}", U);
  }
  return quoted(Out);
}

std::string sarifRegion(const SourceManager &SM, Span Where) {
  LineColumn B = SM.lineColumn(Where.File, Where.Begin);
  LineColumn E = SM.lineColumn(Where.File, Where.End);
  return fmt::format(
      "{{\"startLine\":{},\"startColumn\":{},\"endLine\":{},\"endColumn\":{}}}",
      B.Line, B.Column, E.Line, E.Column);
}

/// Left open: a message may follow.
std::string sarifLocation(const SourceManager &SM, Span Where) {
  return fmt::format("{{\"physicalLocation\":{{\"artifactLocation\":{{\"uri\":"
                     "{}}},\"region\":{}}}",
                     uriOf(SM.file(Where.File).Name), sarifRegion(SM, Where));
}

/// All replacements of one message together are its fix.
std::string sarifFix(const SourceManager &SM, const Diagnostic &D) {
  std::string Changes;
  for (const DiagFix &F : D.Fixes)
    Changes += fmt::format(
        "{}{{\"artifactLocation\":{{\"uri\":{}}},\"replacements\":[{{"
        "\"deletedRegion\":{},\"insertedContent\":{{\"text\":{}}}}}]}}",
        Changes.empty() ? "" : ",", uriOf(SM.file(F.Where.File).Name),
        sarifRegion(SM, F.Where), quoted(F.Replacement));
  return ",\"fixes\":[{\"description\":{\"text\":\"as suggested\"},"
         "\"artifactChanges\":[" +
         Changes + "]}]";
}

/// The codes that occur, each once, with what --explain says.
std::string sarifRules(const std::vector<Diagnostic> &All) {
  std::set<diag::Code> Seen;
  std::string Out;
  for (const Diagnostic &D : All) {
    const DiagInfo *Info = diagInfo(D.Code);
    if (!Info || !Seen.insert(D.Code).second)
      continue;
    Out += fmt::format("{}{{\"id\":\"{}\",\"shortDescription\":{{\"text\":{}}},"
                       "\"fullDescription\":{{\"text\":{}}}}}",
                       Out.empty() ? "" : ",", diagCodeName(D.Code),
                       quoted(Info->Title), quoted(Info->Explain));
  }
  return Out;
}

std::string sarifResult(const SourceManager &SM, const Diagnostic &D) {
  std::string Rule = D.Code == diag::None
                         ? ""
                         : "\"ruleId\":\"" + diagCodeName(D.Code) + "\",";
  std::string Out =
      fmt::format("{{{}\"level\":\"{}\",\"message\":{{\"text\":{}}}", Rule,
                  levelName(D.Level), quoted(D.Message));
  if (D.Where.isValid())
    Out += ",\"locations\":[" + sarifLocation(SM, D.Where) + "}]";
  std::string Related;
  for (const DiagNote &N : D.Notes)
    Related += (Related.empty() ? "" : ",") +
               (N.Where.isValid() ? sarifLocation(SM, N.Where) + ","
                                  : std::string("{")) +
               "\"message\":{\"text\":" + quoted(N.Text) + "}}";
  if (!Related.empty())
    Out += ",\"relatedLocations\":[" + Related + "]";
  if (!D.Fixes.empty())
    Out += sarifFix(SM, D);
  return Out + "}";
}

} // namespace

void goldy::renderText(std::ostream &Out, const SourceManager &SM,
                       const Diagnostic &D, bool Color) {
  Style S{Color};
  Out << S.bold();
  renderPlace(Out, SM, D.Where);
  Out << S.reset() << S.level(D.Level) << levelName(D);
  if (D.Code != diag::None)
    Out << "[" << diagCodeName(D.Code) << "]";
  Out << S.reset() << ": " << S.bold() << D.Message << S.reset() << "\n";
  if (D.Where.isValid())
    renderSnippet(Out, SM, D.Where, S, D.Level);
  for (const DiagNote &N : D.Notes) {
    renderPlace(Out, SM, N.Where);
    Out << S.level(Severity::Note) << "note" << S.reset() << ": " << N.Text
        << "\n";
    if (N.Where.isValid())
      renderSnippet(Out, SM, N.Where, S, Severity::Note);
  }
}

void goldy::renderJson(std::ostream &Out, const SourceManager &SM,
                       const Diagnostic &D) {
  Out << "{\"level\":\"" << levelName(D) << "\",\"code\":\""
      << (D.Code == diag::None ? "" : diagCodeName(D.Code))
      << "\",\"message\":" << quoted(D.Message);
  Out << "," << placeFields(SM, D.Where) << ",\"notes\":[";
  for (size_t I = 0; I < D.Notes.size(); ++I)
    Out << (I ? "," : "") << "{\"message\":" << quoted(D.Notes[I].Text) << ","
        << placeFields(SM, D.Notes[I].Where) << "}";
  Out << "],\"fix\":[";
  for (size_t I = 0; I < D.Fixes.size(); ++I)
    Out << (I ? "," : "") << "{" << placeFields(SM, D.Fixes[I].Where)
        << ",\"replacement\":" << quoted(D.Fixes[I].Replacement) << "}";
  Out << "]}";
}

void goldy::renderSarif(std::ostream &Out, const SourceManager &SM,
                        const std::vector<Diagnostic> &All) {
  Out << "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\","
         "\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":"
         "\"goldyc\",\"rules\":["
      << sarifRules(All)
      << "]}},\"columnKind\":\"unicodeCodePoints\",\"results\":[";
  for (size_t I = 0; I < All.size(); ++I)
    Out << (I ? "," : "") << sarifResult(SM, All[I]);
  Out << "]}]}\n";
}
