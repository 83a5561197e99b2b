//===- VulkanOlder.h - The Vulkan device used as an older one -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_UNITTESTS_RUNTIME_VULKANOLDER_H
#define GOLDY_UNITTESTS_RUNTIME_VULKANOLDER_H

#include <cstdlib>

namespace goldy::rt {

/// Vulkan devices that are opened while it is there are of `Version` at most
/// and lack what `Without` names (docs/devices.md).
class VulkanOlder {
public:
  VulkanOlder(const char *Version, const char *Without) {
    setenv("GOLDY_VULKAN_VERSION", Version, 1);
    setenv("GOLDY_VULKAN_WITHOUT", Without, 1);
  }
  ~VulkanOlder() {
    unsetenv("GOLDY_VULKAN_VERSION");
    unsetenv("GOLDY_VULKAN_WITHOUT");
  }
  VulkanOlder(const VulkanOlder &) = delete;
  VulkanOlder &operator=(const VulkanOlder &) = delete;
};

} // namespace goldy::rt

#endif
