//===- DiagTest.cpp - The sink and the three renderings
//---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/Support/Diag.h"

#include <catch2/catch.hpp>
#include <set>
#include <sstream>

using namespace goldy;

namespace {

struct Fixture {
  SourceManager SM;
  FileId File = SM.add("k.goldy", "let \xE4\xB8\xAD = a +\tbad;\nnext");
  Diagnostic one(Severity Level = Severity::Error) {
    Diagnostic D;
    D.Code = static_cast<diag::Code>(203);
    D.Level = Level;
    D.Where = {File, 14, 17};
    D.Message = "no `bad` here";
    D.Notes.push_back({Span(), "write `good`"});
    D.Fixes.push_back({{File, 14, 17}, "good"});
    return D;
  }
};

std::string text(const SourceManager &SM, const Diagnostic &D) {
  std::ostringstream Out;
  renderText(Out, SM, D, false);
  return Out.str();
}

} // namespace

TEST_CASE_METHOD(Fixture, "text puts carets under wide characters and tabs",
                 "[diag]") {
  CHECK(text(SM, one()) == "k.goldy:1:13: error[G0203]: no `bad` here\n"
                           "   |\n"
                           " 1 | let \xE4\xB8\xAD = a +\tbad;\n"
                           "   |             \t^^^\n"
                           "note: write `good`\n");
}

TEST_CASE_METHOD(Fixture, "JSON is one object a line", "[diag]") {
  std::ostringstream Out;
  renderJson(Out, SM, one());
  CHECK(Out.str() ==
        "{\"level\":\"error\",\"code\":\"G0203\",\"message\":\"no `bad` here\","
        "\"file\":\"k.goldy\",\"line\":1,\"column\":13,\"end_line\":1,"
        "\"end_column\":16,\"notes\":[{\"message\":\"write `good`\","
        "\"file\":null,\"line\":null,\"column\":null,\"end_line\":null,"
        "\"end_column\":null}],"
        "\"fix\":[{\"file\":\"k.goldy\",\"line\":1,\"column\":13,"
        "\"end_line\":1,\"end_column\":16,\"replacement\":\"good\"}]}");
}

TEST_CASE("bytes that are no text cannot break a terminal or JSON", "[diag]") {
  SourceManager SM;
  FileId F = SM.add("k", "a\x1b[2J\xFF b");
  Diagnostic D;
  D.Where = {F, 0, 1};
  D.Message = "quote \" back \\ and \x01";
  std::string Shown = text(SM, D);
  CHECK(Shown.find('\x1b') == std::string::npos);
  CHECK(Shown.find('\xFF') == std::string::npos);
  std::ostringstream Out;
  renderJson(Out, SM, D);
  CHECK(Out.str().find("quote \\\" back \\\\ and \\u0001") !=
        std::string::npos);
}

TEST_CASE("a long line is cut around its place", "[diag]") {
  SourceManager SM;
  FileId F =
      SM.add("k", std::string(100000, 'x') + "!" + std::string(100000, 'y'));
  Diagnostic D;
  D.Where = {F, 100000, 100001};
  CHECK(text(SM, D).size() < 1000);
  CHECK(text(SM, D).find('!') != std::string::npos);
}

TEST_CASE_METHOD(Fixture, "the sink drops repeats and stops at the limit",
                 "[diag]") {
  DiagSink Sink({}, 2);
  Sink.deliver(one());
  Sink.deliver(one());
  CHECK(Sink.errorCount() == 1);
  Diagnostic Other = one();
  Other.Message = "other";
  Sink.deliver(Other);
  CHECK(Sink.atLimit());
  Other.Message = "third";
  Sink.deliver(Other);
  CHECK(Sink.diagnostics().size() == 2);
}

TEST_CASE("codes are unique, explained, and named when they are warnings",
          "[diag]") {
  std::set<unsigned> Numbers;
  for (const DiagInfo &I : allDiagInfos()) {
    INFO(diagCodeName(I.Code));
    CHECK(Numbers.insert(I.Code).second);
    CHECK_FALSE(I.Title.empty());
    CHECK(I.Explain.size() > 30);
    CHECK((I.Default == Severity::Warning) == !I.Name.empty());
  }
  CHECK_FALSE(Numbers.empty());
}

TEST_CASE("warnings obey their options", "[diag]") {
  const DiagInfo *Warning = nullptr;
  for (const DiagInfo &I : allDiagInfos())
    if (I.Default == Severity::Warning)
      Warning = &I;
  REQUIRE(Warning);
  WarningOptions Off;
  Off.Disabled.insert(std::string(Warning->Name));
  DiagSink Quiet(Off);
  Quiet.report(Warning->Code, Span()) << "w";
  CHECK(Quiet.diagnostics().empty());
  WarningOptions Strict;
  Strict.Errors.insert(std::string(Warning->Name));
  DiagSink Loud(Strict);
  Loud.report(Warning->Code, Span()) << "w";
  CHECK(Loud.hasErrors());
}

TEST_CASE("the nearest name is offered only when it is near", "[diag]") {
  std::vector<std::string> Names = {"workgroup_barrier", "sqrt", "floor"};
  CHECK(nearest("sqtr", Names) == "sqrt"); // two swapped letters: one mistake
  CHECK(nearest("sqt", Names) == "sqrt");
  CHECK(nearest("spor", Names) == std::nullopt);
  CHECK(nearest("workgroup_barier", Names) == "workgroup_barrier");
  CHECK(nearest("banana", Names) == std::nullopt);
}
