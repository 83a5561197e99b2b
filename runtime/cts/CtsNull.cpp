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

#include <iostream>

int main() {
  constexpr const char *Why = "the null device runs no kernel";
  goldy::cts::Registration Null{
      "null",
      {{"launches-compute-saxpy", Why},
       {"groups-run-once-each", Why},
       {"many-callers-at-once", Why},
       {"views-may-be-shared", Why},
       {"submissions-take-words", Why},
       {"spirv-is-checked", "the null device takes any image"}},
      {}};
  return goldy::cts::runSuite(Null, std::cout) ? 1 : 0;
}
