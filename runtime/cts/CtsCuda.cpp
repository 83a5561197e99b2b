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

#include <cstring>

int main(int Count, char **Arguments) {
  goldy::cts::Registration Cuda{
      "cuda", {{"spirv-is-checked", "PTX is not SPIR-V"}}, {}};
  if (Count > 1 && std::strcmp(Arguments[1], "--runs-no-kernels") == 0) {
    Cuda.RunsNoKernel = "the fake driver runs no kernel";
    --Count;
    ++Arguments;
  }
  return goldy::cts::suiteMain(Cuda, Count, Arguments);
}
