//===- VulkanAround.h - Around every call of Vulkan -----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While it is there, instances and devices are opened with tables whose
// functions call `Enter` before the driver's and `Leave` after it, and count
// what they make and destroy. Make it before the program's first instance.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_UNITTESTS_RUNTIME_VULKANAROUND_H
#define GOLDY_UNITTESTS_RUNTIME_VULKANAROUND_H

namespace goldy::rt {

class VulkanAround {
public:
  VulkanAround(void (*Enter)(), void (*Leave)());
  ~VulkanAround();
  VulkanAround(const VulkanAround &) = delete;
  VulkanAround &operator=(const VulkanAround &) = delete;
  /// Objects that were made and not destroyed.
  int alive() const;
};

} // namespace goldy::rt

#endif
