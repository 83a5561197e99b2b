//===- CtsNull.cpp - The conformance suite on the null device -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What needs results of kernels is unsupported.
//
//===----------------------------------------------------------------------===//
#include "Suite.h"

int main(int Count, char **Arguments) {
  return goldy::cts::suiteMain(
      {"null",
       {{"spirv-is-checked", "the null device takes any image"}},
       {},
       "the null device runs no kernel"},
      Count, Arguments);
}
