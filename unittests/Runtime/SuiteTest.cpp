//===- SuiteTest.cpp - The conformance suite judges itself ----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What turns a suite red beside a failed case: a listed failure that passes, a
// name that no case has, a device that must run and does not.
//
//===----------------------------------------------------------------------===//
#include "Suite.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <sstream>

using namespace goldy::cts;

namespace {
int failures(const Registration &R, const char *Only, std::string &Text) {
  std::ostringstream Out;
  int Failures = runSuite(R, Out, Only);
  Text = Out.str();
  return Failures;
}
} // namespace

TEST_CASE("a listed failure that passes is a failure") {
  std::string Text;
  CHECK(failures({"null", {}, {}}, "device-info", Text) == 0);
  CHECK(Text == "pass device-info\n");
  CHECK(failures({"null", {}, {{"device-info", "why"}}}, "device-info", Text) ==
        1);
  CHECK(Text == "FAIL device-info: passed, but is listed as failing\n");
}

TEST_CASE("a listed failure that fails is none") {
  std::string Text;
  CHECK(failures({"null", {}, {{"launches-compute-saxpy", "why"}}},
                 "launches-compute-saxpy", Text) == 0);
  CHECK(Text == "expected failure launches-compute-saxpy (why)\n");
}

TEST_CASE("what is not supported says why and does not run") {
  std::string Text;
  CHECK(failures({"null", {{"device-info", "why"}}, {}}, "device-info", Text) ==
        0);
  CHECK(Text == "unsupported device-info (why)\n");
  CHECK(failures({"null", {}, {}, "no kernels"}, "launches-compute-saxpy",
                 Text) == 0);
  CHECK(Text == "unsupported launches-compute-saxpy (no kernels)\n");
  CHECK(failures({"null", {}, {}}, "launches-compute-saxpy", Text) == 1);
}

TEST_CASE("a list names cases that there are") {
  std::string Text;
  CHECK(failures({"null", {{"no-such", "why"}}, {}}, "device-info", Text) == 1);
  CHECK(Text.find("FAIL no-such: listed, but there is no such case") == 0);
}

TEST_CASE("a device that must run is not skipped") {
  Registration Missing{"cpu:7", {}, {}};
  char Name[] = "suite", *Arguments[] = {Name, nullptr};
  unsetenv("GOLDY_REQUIRE_CPU");
  CHECK(suiteMain(Missing, 1, Arguments) == 0);
  setenv("GOLDY_REQUIRE_CPU", "1", 1);
  CHECK(suiteMain(Missing, 1, Arguments) == 1);
  unsetenv("GOLDY_REQUIRE_CPU");
}

TEST_CASE("an unknown case is a wrong command line") {
  char Name[] = "suite", Case[] = "--case=no-such",
       *Arguments[] = {Name, Case, nullptr};
  CHECK(suiteMain({"null", {}, {}}, 2, Arguments) == 2);
}
