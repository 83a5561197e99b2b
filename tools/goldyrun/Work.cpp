//===- Work.cpp - What a session runs -------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernels and programs have in common.
//
//===----------------------------------------------------------------------===//
#include "Work.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace goldyrun;

Work::~Work() = default;

std::string WorkFacts::title() const {
  return (IsProgram ? "program " : "kernel ") + quoted(Name);
}

uint64_t goldyrun::hostNs() {
  using namespace std::chrono;
  return static_cast<uint64_t>(
      duration_cast<nanoseconds>(steady_clock::now().time_since_epoch())
          .count());
}

uint64_t Work::remaining(std::optional<Seconds> Limit, const RunTime &T) {
  if (!Limit)
    return GOLDY_FOREVER;
  uint64_t Most = static_cast<uint64_t>(Limit->count() * 1e9);
  return Most - std::min(Most, hostNs() - T.StartNs);
}

/// What `gpu::debug` says goes beside the messages.
static void printDebug(void *, const char *Line, size_t Size) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(Size), Line);
}

/// What `--sanitize` found, in lines of their own.
static void printFinding(void *, const char *Text, size_t Size) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(Size), Text);
}

Exit goldyrun::openDevice(const Options &O, const DeviceChoice &D,
                          const std::string &Option,
                          std::optional<goldy::Device> &Out) {
  std::string Arch = D.Arch.empty() ? O.Arch : D.Arch;
  goldy::DeviceOptions With{D.Threads ? D.Threads : O.Threads,
                            Arch.empty() ? nullptr : Arch.c_str(),
                            printDebug,
                            nullptr,
                            printFinding,
                            nullptr,
                            O.DebugItem ? O.DebugItem->data() : nullptr};
  goldy::Result<goldy::Device> Opened =
      goldy::Device::open(D.Name.c_str(), With);
  if (Opened) {
    Out = std::move(*Opened);
    return Exit::Ok;
  }
  const goldy::Status &S = Opened.status();
  goldy_code_t Code = S.code();
  if (Code == GOLDY_NOT_FOUND || Code == GOLDY_INVALID_ARGUMENT)
    return fail(Exit::Usage, quoted(Option) + ": " + S.message());
  if (Code == GOLDY_UNSUPPORTED) // the machine cannot run --arch
    return fail(Exit::Missing, S.message());
  return fail(S);
}

Exit goldyrun::checkOutputs(const Options &O, const Arguments &Args) {
  const Bound *Unused = nullptr;
  for (const Assignment &A : O.Save)
    GOLDYRUN_TRY(Args.findBuffer("--save", A.first, Unused));
  for (const std::string &Name : O.Print)
    GOLDYRUN_TRY(Args.findBuffer("--print", Name, Unused));
  for (const Assignment &A : O.Expect)
    GOLDYRUN_TRY(Args.findBuffer("--expect", A.first, Unused));
  return Exit::Ok;
}
