//===- Suite.cpp - One conformance suite for all drivers ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each case gets a device of its own.
//
//===----------------------------------------------------------------------===//
#include "Suite.h"

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <iostream>

using namespace goldy::cts;

bool Check::that(bool Holds, const std::string &Note) {
  if (!Holds && Failure.empty())
    Failure = Note;
  return Holds;
}

bool Check::ok(goldy_status_t S, const char *Call) {
  bool Good = that(!S, std::string(Call) + ": " + goldy_status_message(S));
  goldy_status_destroy(S);
  return Good;
}

bool Check::refused(goldy_status_t S, goldy_code_t Code,
                    const std::string &Words) {
  std::string Message = goldy_status_message(S);
  bool Good =
      that(goldy_status_code(S) == Code,
           std::string("expected `") + goldy_code_name(Code) + "`, got `" +
               goldy_code_name(goldy_status_code(S)) + "`: " + Message) &&
      that(Message.find(Words) != Message.npos,
           "message lacks `" + Words + "`: " + Message);
  goldy_status_destroy(S);
  return Good;
}

static const char *reason(const std::vector<Exemption> &List,
                          const char *Case) {
  for (const Exemption &E : List)
    if (std::strcmp(E.Case, Case) == 0)
      return E.Reason;
  return nullptr;
}

static bool isCase(const char *Name) {
  for (const Case &C : allCases())
    if (std::strcmp(C.Name, Name) == 0)
      return true;
  return false;
}

static int unknownNames(const std::vector<Exemption> &List, std::ostream &Out) {
  int Unknown = 0;
  for (const Exemption &E : List)
    if (!isCase(E.Case)) {
      Out << "FAIL " << E.Case << ": listed, but there is no such case\n";
      ++Unknown;
    }
  return Unknown;
}

static std::string runCase(const Case &C, const char *DeviceName) {
  goldy_device_t *Device = nullptr;
  goldy_status_t S = goldy_device_create(DeviceName, nullptr, &Device);
  if (S) {
    std::string Message = goldy_status_message(S);
    goldy_status_destroy(S);
    return "no device: " + Message;
  }
  Check Context(DeviceName, Device);
  C.Run(Context);
  goldy_device_destroy(Device);
  return Context.failure();
}

static const char *whyUnsupported(const Registration &R, const Case &C) {
  const char *Why = reason(R.Unsupported, C.Name);
  return Why || !C.SeesKernels ? Why : R.RunsNoKernel;
}

/// False after a failure.
static bool report(const Registration &R, const Case &C, std::ostream &Out) {
  if (const char *Why = whyUnsupported(R, C)) {
    Out << "unsupported " << C.Name << " (" << Why << ")\n";
    return true;
  }
  const char *Expected = reason(R.ExpectedFailure, C.Name);
  std::string Failure = runCase(C, R.Device);
  bool Passed = Failure.empty();
  if (Passed && !Expected)
    Out << "pass " << C.Name << "\n";
  else if (!Passed && Expected)
    Out << "expected failure " << C.Name << " (" << Expected << ")\n";
  else
    Out << "FAIL " << C.Name << ": "
        << (Passed ? "passed, but is listed as failing" : Failure) << "\n";
  return Passed == !Expected;
}

int goldy::cts::runSuite(const Registration &R, std::ostream &Out,
                         const std::string &Only) {
  int Failures =
      unknownNames(R.Unsupported, Out) + unknownNames(R.ExpectedFailure, Out);
  for (const Case &C : allCases())
    if (Only.empty() || Only == C.Name)
      Failures += !report(R, C, Out);
  return Failures;
}

/// GOLDY_REQUIRE_CUDA of "cuda:1".
static bool isRequired(const std::string &Device) {
  std::string Name = "GOLDY_REQUIRE_";
  for (char C : Device.substr(0, Device.find(':')))
    Name += static_cast<char>(std::toupper(static_cast<unsigned char>(C)));
  return std::getenv(Name.c_str()) != nullptr;
}

/// Runs the suite, or skips it for want of a device.
static int runOrSkip(const Registration &R, const std::string &Only) {
  goldy_device_t *Device = nullptr;
  goldy_status_t S = goldy_device_create(R.Device, nullptr, &Device);
  bool Missing = goldy_status_code(S) == GOLDY_UNAVAILABLE;
  if (Missing)
    std::cout << (isRequired(R.Device) ? "FAIL: required, but " : "skipped: ")
              << goldy_status_message(S) << "\n";
  goldy_status_destroy(S);
  goldy_device_destroy(Device);
  if (Missing)
    return isRequired(R.Device) ? 1 : 0;
  return runSuite(R, std::cout, Only) ? 1 : 0;
}

int goldy::cts::suiteMain(const Registration &R, int Count, char **Arguments) {
  std::string Only;
  for (int I = 1; I < Count; ++I) {
    std::string Word = Arguments[I];
    if (Word == "--list") {
      for (const Case &C : allCases())
        std::cout << C.Name << "\n";
      return 0;
    }
    Only = Word.rfind("--case=", 0) == 0 ? Word.substr(7) : Word;
    if (!isCase(Only.c_str())) {
      std::cerr << "there is no case or option `" << Only << "`\n";
      return 2;
    }
  }
  return runOrSkip(R, Only);
}
