//===- CtsCuda.cpp - The conformance suite on the CUDA device -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A machine without a CUDA device skips the suite, unless GOLDY_REQUIRE_CUDA is
// set. `--runs-no-kernels` is for the fake driver (fakecuda), which checks what
// it is asked instead.
//
//===----------------------------------------------------------------------===//
#include "Suite.h"

#include <cstdlib>
#include <cstring>
#include <iostream>

int main(int Count, char **Arguments) {
  constexpr const char *Why = "the fake driver runs no kernel";
  goldy::cts::Registration Cuda{
      "cuda", {{"spirv-is-checked", "PTX is not SPIR-V"}}, {}};
  if (Count > 1 && std::strcmp(Arguments[1], "--runs-no-kernels") == 0)
    for (const char *Case : {"launches-compute-saxpy", "groups-run-once-each",
                             "many-callers-at-once", "views-may-be-shared",
                             "submissions-take-words"})
      Cuda.Unsupported.push_back({Case, Why});
  goldy_device_t *Device = nullptr;
  goldy_status_t S = goldy_device_create("cuda", nullptr, &Device);
  bool Missing = goldy_status_code(S) == GOLDY_UNAVAILABLE;
  if (Missing)
    std::cout << "skipped: " << goldy_status_message(S) << "\n";
  goldy_status_destroy(S);
  goldy_device_destroy(Device);
  if (Missing)
    return std::getenv("GOLDY_REQUIRE_CUDA") ? 1 : 0;
  return goldy::cts::runSuite(Cuda, std::cout) ? 1 : 0;
}
