//===- OptionsTest.cpp - Command lines ------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Report.h"

#include <catch2/catch.hpp>

using namespace goldy;

namespace {
DriverOptions parse(std::vector<std::string> Args, std::string &Codes) {
  DiagSink Diags(WarningOptions(), 0);
  DriverOptions O = parseOptions(Args, Diags);
  Codes.clear();
  for (const Diagnostic &D : Diags.diagnostics())
    Codes += (Codes.empty() ? "" : " ") + diagCodeName(D.Code);
  return O;
}
} // namespace

TEST_CASE("order and spelling do not matter") {
  std::string Codes;
  std::vector<std::vector<std::string>> Spellings = {
      {"a.goldy", "-o", "x", "--target=ptx,spirv", "-O3", "-DN=4", "-j", "2"},
      {"-j2", "-D", "N=4", "-O3", "--target", "ptx", "--target=spirv", "-ox",
       "a.goldy"},
      {"-ox", "-j2", "-DN=4", "-O3", "--target=ptx,spirv,ptx", "--",
       "a.goldy"}};
  for (const std::vector<std::string> &Args : Spellings) {
    DriverOptions O = parse(Args, Codes);
    CHECK(Codes == "");
    CHECK(O.Inputs == std::vector<std::string>{"a.goldy"});
    CHECK(O.Output == "x");
    CHECK(O.Archs == std::vector<std::string>{"sm_80", "vulkan1.3"});
    CHECK(O.OptLevel == 3);
    CHECK(O.Jobs == 2);
    REQUIRE(O.Defines.size() == 1);
    CHECK(O.Defines[0].second == "4");
  }
}

TEST_CASE("defaults") {
  std::string Codes;
  DriverOptions O = parse({"-"}, Codes);
  CHECK(Codes == "");
  CHECK(O.Archs == std::vector<std::string>{"x86-64-v2", "x86-64-v3",
                                            "x86-64-v4", "vulkan1.3", "sm_80"});
  CHECK(!O.TargetsGiven);
  CHECK(O.Kinds == std::vector<EmitKind>{EmitKind::Artifact});
  CHECK(O.OptLevel == 2);
  CHECK(O.Bounds == BoundsMode::Checked);
  CHECK(O.Inputs == std::vector<std::string>{"-"});
}

TEST_CASE("what is wrong is said, all of it") {
  std::string Codes;
  parse({"--nope", "-O4", "--time-trace=f", "--emit=what", "-M", "-MD"}, Codes);
  CHECK(Codes == "G0700 G0702 G0703 G0703 G0712");
  parse({"-o"}, Codes);
  CHECK(Codes == "G0701");
  parse({"--fp=fast", "--via=slang", "--fp=exact"}, Codes);
  CHECK(Codes == "G0703");
  parse({"a", "-o", "x", "--out-dir=y"}, Codes);
  CHECK(Codes == "G0712");
  parse({"a", "--fuel=-1", "--stop-after=nothing"}, Codes);
  CHECK(Codes == "G0703 G0703");
}

TEST_CASE("every name for --target stands for known architectures") {
  for (const TargetName &T : targetNames()) {
    INFO(T.Name);
    CHECK(!archsOfTarget(T.Name).empty());
  }
  CHECK(archsOfTarget("x86-64-v5").empty());
}

TEST_CASE("kinds are listed in the order of their enumeration") {
  for (size_t I = 0; I < emitKinds().size(); ++I)
    CHECK(static_cast<size_t>(emitKinds()[I].Kind) == I);
}

TEST_CASE("the gravest message decides the exit code") {
  Diagnostic Input, Usage, Internal, Warning;
  Input.Code = diag::G0110;
  Usage.Code = diag::G0705;
  Internal.Code = diag::G0781;
  Warning.Code = diag::G0440;
  Warning.Level = Severity::Warning;
  CHECK(driver::exitCodeOf({Warning}) == ExitSuccess);
  CHECK(driver::exitCodeOf({Warning, Input}) == ExitInputErrors);
  CHECK(driver::exitCodeOf({Input, Usage}) == ExitBadUsage);
  CHECK(driver::exitCodeOf({Internal, Usage}) == ExitInternalError);
}
