//===- CtsVulkan.cpp - The conformance suite on the Vulkan device ---------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A machine without a Vulkan device skips the suite, unless
// GOLDY_REQUIRE_VULKAN is set.
//
//===----------------------------------------------------------------------===//
#include "Suite.h"

int main(int Count, char **Arguments) {
  return goldy::cts::suiteMain(
      {"vulkan",
       {{"machine-code-needs-trust", "SPIR-V is not machine code"},
        {"addresses-past-4-gib", "software devices would fill the memory"}},
       {}},
      Count, Arguments);
}
