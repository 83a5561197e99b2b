//===- CheckReport.cpp - --emit=report: which accesses are checked --------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One list of sentences serves both forms. What is checked where it stands
// comes first on the page: that is what a reader can do something about.
//
//===----------------------------------------------------------------------===//
#include "CheckReport.h"

#include <array>
#include <fmt/format.h>
#include <utility>

using namespace goldy;
using namespace goldy::driver;

namespace {

std::string_view fateName(CheckFate F) {
  constexpr std::array<std::string_view, 4> Names = {"proven", "tested",
                                                     "checked", "outside"};
  return Names[static_cast<unsigned>(F)];
}

std::string_view placeName(TestPlace P) {
  constexpr std::array<std::string_view, 4> Names = {"none", "group", "loop",
                                                     "assumption"};
  return Names[static_cast<unsigned>(P)];
}

std::string_view reasonName(CheckReason R) {
  constexpr std::array<std::string_view, 6> Names = {
      "none", "unbounded", "past-end", "not-repeated", "limits", "no-copies"};
  return Names[static_cast<unsigned>(R)];
}

/// The user's text of a place in one line.
std::string textOf(const SourceManager &SM, Span S) {
  if (!S.isValid())
    return "";
  std::string Line;
  for (char C : SM.text(S)) {
    bool Space = C == '\n' || C == '\r' || C == '\t' || C == ' ';
    if (!Space)
      Line += C;
    else if (!Line.empty() && Line.back() != ' ')
      Line += ' ';
  }
  return Line;
}

/// The head of a loop or branch rather than all of it.
std::string headOf(const SourceManager &SM, Span S) {
  std::string Text = textOf(SM, S);
  return Text.substr(0, Text.find(" {"));
}

unsigned lineOf(const SourceManager &SM, Span S) {
  return S.isValid() ? SM.lineColumn(S.File, S.Begin).Line : 0;
}

std::string indexOf(const SourceManager &SM, const CheckRecord &R) {
  return R.IndexName.empty() ? textOf(SM, R.Index) : R.IndexName;
}

std::string causeOf(const SourceManager &SM, const CheckRecord &R) {
  return R.CauseName.empty() ? textOf(SM, R.Cause) : R.CauseName;
}

std::string whyChecked(const SourceManager &SM, const CheckRecord &R) {
  std::string Cause = causeOf(SM, R);
  switch (R.Reason) {
  case CheckReason::Unbounded:
    return Cause.empty() ? "nothing known earlier bounds the index"
                         : "nothing known earlier bounds `" + Cause + "`";
  case CheckReason::PastEnd:
    return "it may reach the length of `" + R.Resource + "`, whatever that is";
  case CheckReason::NotRepeated:
    return "a test before it would cost as much";
  case CheckReason::Limits:
    return "too much would have to be copied or tested";
  case CheckReason::NoCopies:
    return "no copies are made at -O0";
  case CheckReason::None:
    break;
  }
  return "";
}

std::string sentence(const SourceManager &SM, const CheckRecord &R) {
  switch (R.Fate) {
  case CheckFate::Proven:
    return "in range always";
  case CheckFate::Outside:
    return "out of range always: " +
           std::string(R.Writes ? "writes nothing" : "reads zero");
  case CheckFate::Checked:
    return whyChecked(SM, R);
  case CheckFate::Tested:
    break;
  }
  switch (R.Test) {
  case TestPlace::Loop:
    return fmt::format("one test before the loop in line {}",
                       lineOf(SM, R.TestAt));
  case TestPlace::Assumption:
    return fmt::format("one test where line {} assumes", lineOf(SM, R.TestAt));
  default:
    return "one test a group, before the kernel's body";
  }
}

std::string_view sentence(const AssumeRecord &A) {
  switch (A.Test) {
  case TestPlace::Group:
    return "tested once a group";
  case TestPlace::Loop:
    return "tested before a loop";
  case TestPlace::Assumption:
    return "tested where it stands";
  case TestPlace::None:
    break;
  }
  return "not tested: it saves no check, or no more than its test costs";
}

/// Why a thread does no more than one work-item; empty where that needs no
/// word.
std::string whyOne(const SourceManager &SM, const CoarsenReport &R) {
  auto InLine = [&](std::string_view Why) {
    return R.Cause.isValid()
               ? fmt::format("line {} {}", lineOf(SM, R.Cause), Why)
               : fmt::format("the kernel {}", Why);
  };
  switch (R.Reason) {
  case CoarsenReason::Together:
    return InLine("waits for the group");
  case CoarsenReason::Memory:
    return InLine("uses workgroup memory");
  case CoarsenReason::OldValues:
    return InLine("uses the value that an atomic operation returns");
  case CoarsenReason::Prints:
    return InLine("prints");
  case CoarsenReason::Narrow:
    return "its workgroup is one work-item wide along x";
  case CoarsenReason::Large:
    return "the code would grow too much";
  case CoarsenReason::Array:
    return InLine("uses a private array");
  case CoarsenReason::OwnLoop:
    return InLine("has a loop that work-items leave one by one");
  case CoarsenReason::LongLoop:
    return InLine("has a loop with a long body");
  case CoarsenReason::Early:
    return "its work-items return one by one";
  case CoarsenReason::Values:
    return "it needs too many values at once";
  case CoarsenReason::None:
    break;
  }
  return R.Asked == CoarsenByCost ? "" : "this target has no threads";
}

/// How many work-items a thread does; empty where only one was asked for.
std::string sentence(const SourceManager &SM, const CoarsenReport &R) {
  if (R.Asked == 1)
    return "";
  if (R.ItemsPerThread > 1)
    return fmt::format("a thread does {} work-items", R.ItemsPerThread);
  std::string Why = whyOne(SM, R);
  if (Why.empty())
    return "";
  return fmt::format(
      "a thread does one work-item{}: {}",
      R.Asked == CoarsenByCost ? "" : fmt::format(", not {}", R.Asked), Why);
}

// --- JSON

std::string quoted(std::string_view S) {
  std::string Out = "\"";
  for (char C : S) {
    if (C == '"' || C == '\\')
      Out += '\\';
    if (static_cast<unsigned char>(C) < 0x20)
      Out += fmt::format("\\u{:04x}", static_cast<unsigned>(C));
    else
      Out += C;
  }
  return Out + "\"";
}

std::string place(const SourceManager &SM, Span S) {
  if (!S.isValid())
    return "\"file\":null,\"line\":0,\"column\":0";
  LineColumn At = SM.lineColumn(S.File, S.Begin);
  return fmt::format("\"file\":{},\"line\":{},\"column\":{}",
                     quoted(SM.file(S.File).Name), At.Line, At.Column);
}

std::string json(const SourceManager &SM, const CheckRecord &R) {
  return fmt::format(
      "{{{},\"access\":{},\"index\":{},\"resource\":{},\"writes\":{},"
      "\"fate\":\"{}\",\"test\":\"{}\",\"test_line\":{},\"reason\":\"{}\","
      "\"unbounded\":{},\"copies\":{},\"text\":{}}}",
      place(SM, R.Access), quoted(textOf(SM, R.Access)), quoted(indexOf(SM, R)),
      quoted(R.Resource), R.Writes, fateName(R.Fate), placeName(R.Test),
      lineOf(SM, R.TestAt), reasonName(R.Reason), quoted(causeOf(SM, R)),
      R.Copies, quoted(sentence(SM, R)));
}

template <class T, class Fn>
std::string list(const std::vector<T> &All, Fn Text) {
  std::string Out;
  for (const T &One : All)
    Out += (Out.empty() ? "\n    " : ",\n    ") + Text(One);
  return Out;
}

std::string json(const SourceManager &SM, const LaneNote &N) {
  return fmt::format("{{{},\"text\":{}}}", place(SM, N.Where), quoted(N.Text));
}

std::string json(const SourceManager &SM, const LaneRemark &R) {
  std::string Notes;
  for (const LaneNote &N : R.Notes)
    Notes += (Notes.empty() ? "" : ",") + json(SM, N);
  return fmt::format(
      "{{{},\"topic\":\"{}\",\"costs\":{},\"code\":{},\"text\":{}"
      ",\"why\":[{}]}}",
      place(SM, R.Where), laneTopicName(R.Topic), R.Costs,
      quoted(headOf(SM, R.Where)), quoted(R.Text), Notes);
}

std::string json(const SourceManager &SM, const LaneReport &R) {
  return fmt::format(
      "{{\"width\":{},\"vectors_per_row\":{},\"vectors_per_group\":{},"
      "\"regions\":{},\"context_bytes\":{},\"summary\":{},\n"
      "   \"remarks\":[{}]}}",
      R.Width, R.VectorsPerRow, R.VectorsPerGroup, R.Regions, R.ContextBytes,
      quoted(R.Summary),
      list(R.Remarks, [&](const LaneRemark &Each) { return json(SM, Each); }));
}

// --- HTML

std::string escaped(std::string_view S) {
  std::string Out;
  for (char C : S)
    Out += C == '<'   ? "&lt;"
           : C == '>' ? "&gt;"
           : C == '&' ? "&amp;"
                      : std::string(1, C);
  return Out;
}

void row(std::string &Out, const SourceManager &SM, const CheckRecord &R) {
  Out += fmt::format(
      "<tr class=\"{0}\"><td>{1}</td><td><code>{2}</code></td>"
      "<td><code>{3}</code></td><td>{0}</td><td>{4}{5}</td></tr>\n",
      fateName(R.Fate), lineOf(SM, R.Access), escaped(textOf(SM, R.Access)),
      escaped(indexOf(SM, R)), escaped(sentence(SM, R)),
      R.Copies > 1 ? fmt::format(" ({} copies)", R.Copies) : "");
}

void table(std::string &Out, const SourceManager &SM, const KernelChecks &K) {
  Out += fmt::format("<h2>{} <small>{}</small></h2>\n", escaped(K.Kernel),
                     escaped(K.Arch));
  Out += "<table>\n<tr><th>line</th><th>access</th><th>index</th>"
         "<th>check</th><th>why</th></tr>\n";
  for (CheckFate F : {CheckFate::Checked, CheckFate::Tested, CheckFate::Outside,
                      CheckFate::Proven})
    for (const CheckRecord &R : K.Report->Checks)
      if (R.Fate == F)
        row(Out, SM, R);
  Out += "</table>\n";
  std::string Threads = sentence(SM, *K.Coarsening);
  if (!Threads.empty())
    Out += fmt::format("<p>coarsening: {}.</p>\n", escaped(Threads));
  for (const AssumeRecord &A : K.Report->Assumes)
    Out +=
        fmt::format("<p>line {}: <code>{}</code> is {}.</p>\n",
                    lineOf(SM, A.At), escaped(textOf(SM, A.At)), sentence(A));
}

std::string whyOf(const SourceManager &SM, const LaneRemark &R) {
  std::string Out;
  for (const LaneNote &N : R.Notes)
    Out += fmt::format("{}line {}: <code>{}</code> {}", Out.empty() ? "" : "; ",
                       lineOf(SM, N.Where), escaped(headOf(SM, N.Where)),
                       escaped(N.Text));
  return Out;
}

void lanes(std::string &Out, const SourceManager &SM, const LaneReport &R) {
  Out +=
      fmt::format("<p>lanes: {}.</p>\n<table>\n<tr><th>line</th><th>code</th>"
                  "<th>topic</th><th>how</th><th>why</th></tr>\n",
                  escaped(R.Summary));
  for (const LaneRemark &Each : R.Remarks)
    Out +=
        fmt::format("<tr class=\"{}\"><td>{}</td><td><code>{}</code></td>"
                    "<td>{}</td><td>{}</td><td>{}</td></tr>\n",
                    Each.Costs ? "costs" : "plain", lineOf(SM, Each.Where),
                    escaped(headOf(SM, Each.Where)), laneTopicName(Each.Topic),
                    escaped(Each.Text), whyOf(SM, Each));
  Out += "</table>\n";
}

// --- Programs

std::string notesOf(const Diagnostic &D) {
  std::string Text;
  for (const DiagNote &N : D.Notes)
    Text += (Text.empty() ? "" : "; ") + N.Text;
  return Text;
}

std::string json(const SourceManager &SM, const Diagnostic &D) {
  return fmt::format("{{{},\"remark\":{},\"notes\":{}}}", place(SM, D.Where),
                     quoted(D.Message), quoted(notesOf(D)));
}

void steps(std::string &Out, const SourceManager &SM,
           std::span<const Diagnostic> All) {
  for (const Diagnostic &D : All)
    Out += fmt::format("<tr><td>{}</td><td><code>{}</code></td><td>{}</td>"
                       "<td>{}</td></tr>\n",
                       lineOf(SM, D.Where), escaped(textOf(SM, D.Where)),
                       escaped(D.Message), escaped(notesOf(D)));
}

} // namespace

std::string driver::checkReportJson(const SourceManager &SM,
                                    const std::vector<KernelChecks> &Kernels,
                                    const ProgramNotes &Programs) {
  std::string Out = "[";
  for (const KernelChecks &K : Kernels)
    Out += fmt::format(
        "{}\n {{\"kernel\":{},\"arch\":{},\n  \"items_per_thread\":{},"
        "\"coarsening\":{},\n  \"lanes\":{},\n  \"accesses\":[{}],\n"
        "  \"assumptions\":[{}]}}",
        &K == Kernels.data() ? "" : ",", quoted(K.Kernel), quoted(K.Arch),
        K.Coarsening->ItemsPerThread, quoted(sentence(SM, *K.Coarsening)),
        K.Lanes ? json(SM, *K.Lanes) : "null",
        list(K.Report->Checks,
             [&](const CheckRecord &R) { return json(SM, R); }),
        list(K.Report->Assumes, [&](const AssumeRecord &A) {
          return fmt::format("{{{},\"condition\":{},\"test\":\"{}\"}}",
                             place(SM, A.At), quoted(textOf(SM, A.At)),
                             placeName(A.Test));
        }));
  for (std::span<const Diagnostic> All : {Programs.Fusion, Programs.Variants})
    for (const Diagnostic &D : All)
      Out += (Out == "[" ? "\n " : ",\n ") + json(SM, D);
  return Out + "\n]\n";
}

std::string driver::checkReportHtml(const SourceManager &SM,
                                    const std::string &Title,
                                    const std::vector<KernelChecks> &Kernels,
                                    const ProgramNotes &Programs) {
  std::string Out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<title>{0}</title>\n<style>body{{font-family:sans-serif}}"
      "td,th{{padding:.2em .8em;text-align:left}}"
      ".checked,.costs{{background:#fdd}}.tested{{background:#ffd}}</style></"
      "head>\n"
      "<body><h1>{0}</h1>\n<p>Checks of indices. <b>checked</b>: where it "
      "stands, each time. <b>tested</b>: one test selects a copy without the "
      "check. <b>proven</b>, <b>outside</b>: none.</p>\n",
      escaped(Title));
  for (const KernelChecks &K : Kernels) {
    table(Out, SM, K);
    if (K.Lanes)
      lanes(Out, SM, *K.Lanes);
  }
  if (!Programs.Fusion.empty() || !Programs.Variants.empty()) {
    Out += "<h2>Programs</h2>\n<table>\n<tr><th>line</th><th>step</th>"
           "<th>what became of it</th><th>more</th></tr>\n";
    steps(Out, SM, Programs.Fusion);
    steps(Out, SM, Programs.Variants);
    Out += "</table>\n";
  }
  return Out + "</body></html>\n";
}
