//===- OutputTest.cpp - All outputs or none -------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Output.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace goldy;
using namespace goldy::driver;
namespace fs = std::filesystem;

namespace {
/// A directory that goes with the object.
struct Scratch {
  fs::path Dir;
  Scratch() {
    std::string Name = (fs::temp_directory_path() / "goldy-XXXXXX").string();
    REQUIRE(::mkdtemp(Name.data()));
    Dir = Name;
  }
  ~Scratch() { fs::remove_all(Dir); }
  std::string at(const std::string &Name) const {
    return (Dir / Name).string();
  }
  std::string read(const std::string &Name) const {
    std::ifstream In(Dir / Name, std::ios::binary);
    return {std::istreambuf_iterator<char>(In), {}};
  }
  size_t files() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(Dir), fs::directory_iterator()));
  }
};
} // namespace

TEST_CASE("all outputs appear") {
  Scratch S;
  DiagSink Diags;
  OutputSet Out;
  std::ostringstream Stdout;
  Out.add(S.at("a"), std::string("A\0B", 3));
  Out.add("-", "one ");
  Out.add(S.at("b"), "");
  Out.add("-", "two");
  CHECK(Out.check({}, Diags));
  CHECK(Out.commit(Stdout, Diags));
  CHECK(S.read("a") == std::string("A\0B", 3));
  CHECK(S.files() == 2);
  CHECK(Stdout.str() == "one two");
}

TEST_CASE("no output appears or changes when one cannot be written") {
  Scratch S;
  DiagSink Diags;
  OutputSet Out;
  std::ostringstream Stdout;
  std::ofstream(S.at("a")) << "old";
  Out.add(S.at("a"), "new");
  Out.add("-", "text");
  Out.add(S.at("missing/b"), "new");
  CHECK(!Out.commit(Stdout, Diags));
  CHECK(Diags.hasErrors());
  CHECK(S.read("a") == "old");
  CHECK(S.files() == 1);
  CHECK(Stdout.str().empty());
}

TEST_CASE("names are checked before anything is written") {
  Scratch S;
  std::ofstream(S.at("in.goldy")) << "x";
  auto Codes = [&](std::vector<std::string> Names) {
    DiagSink Diags;
    OutputSet Out;
    for (const std::string &Name : Names)
      Out.add(Name, "");
    std::string Text;
    if (!Out.check({S.at("in.goldy")}, Diags))
      for (const Diagnostic &D : Diags.diagnostics())
        Text += diagCodeName(D.Code);
    return Text;
  };
  CHECK(Codes({S.at("a"), S.at("b"), "-", "-"}) == "");
  CHECK(Codes({S.Dir.string()}) == "G0761");
  CHECK(Codes({S.at("a"), S.at("./a")}) == "G0709");
  CHECK(Codes({S.at("in.goldy")}) == "G0710");
}

TEST_CASE("links stay, also those to nothing yet") {
  Scratch S;
  DiagSink Diags;
  std::ostringstream Stdout;
  fs::create_symlink("real", S.at("link"));
  OutputSet Out;
  Out.add(S.at("link"), "text");
  CHECK(Out.commit(Stdout, Diags));
  CHECK(fs::is_symlink(S.at("link")));
  CHECK(S.read("real") == "text");
}
