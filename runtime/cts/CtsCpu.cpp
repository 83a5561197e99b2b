//===- CtsCpu.cpp - The conformance suite on the CPU device ---------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host code is not SPIR-V; everything else is supported and passes.
//
//===----------------------------------------------------------------------===//
#include "Suite.h"

int main(int Count, char **Arguments) {
  return goldy::cts::suiteMain(
      {"cpu",
       {{"spirv-is-checked", "host code is not SPIR-V"},
        {"addresses-past-4-gib", "the CPU runs whole grids"}},
       {}},
      Count, Arguments);
}
