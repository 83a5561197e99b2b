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

#include <cstdlib>
#include <iostream>

int main() {
  goldy::cts::Registration Vulkan{
      "vulkan",
      {{"machine-code-needs-trust", "SPIR-V is not machine code"}},
      {}};
  goldy_device_t *Device = nullptr;
  goldy_status_t S = goldy_device_create("vulkan", nullptr, &Device);
  bool Missing = goldy_status_code(S) == GOLDY_UNAVAILABLE;
  if (Missing)
    std::cout << "skipped: " << goldy_status_message(S) << "\n";
  goldy_status_destroy(S);
  goldy_device_destroy(Device);
  if (Missing)
    return std::getenv("GOLDY_REQUIRE_VULKAN") ? 1 : 0;
  return goldy::cts::runSuite(Vulkan, std::cout) ? 1 : 0;
}
