//===- VulkanHost.h - Runs one SPIR-V image on a Vulkan device --*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The smallest host that can run a kernel: host-visible buffers named by their
// addresses, the parameter block as push constants or behind its address. For
// tests only; every call that fails fails the test.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_UNITTESTS_TARGET_VULKAN_VULKANHOST_H
#define GOLDYC_UNITTESTS_TARGET_VULKAN_VULKANHOST_H

#include "goldyc/IR/IR.h"
#include "goldyc/Target/Target.h"

#include <array>
#include <memory>
#include <vector>

#include <vulkan/vulkan.h>

namespace goldy::test {

/// A buffer's bytes, or a scalar's bits.
struct Argument {
  bool IsBuffer = true;
  std::vector<std::byte> Bytes;
  uint32_t Length = 0; ///< elements
  uint64_t Word = 0;
};

class VulkanHost {
public:
  /// The first device that has what the images need; null if there is none.
  static std::unique_ptr<VulkanHost> open();
  ~VulkanHost();
  const std::string &name() const { return Name; }
  /// Runs the image over `Groups`; buffers are read back into `Arguments`.
  void run(const Image &I, const AbiLayout &Abi,
           std::vector<Argument> &Arguments, std::array<uint32_t, 3> Groups);

private:
  struct Memory {
    VkBuffer Buffer = VK_NULL_HANDLE;
    VkDeviceMemory Storage = VK_NULL_HANDLE;
    VkDeviceAddress Address = 0;
    void *Mapped = nullptr;
  };
  VulkanHost() = default;
  bool pick();
  bool makeDevice(VkPhysicalDevice Candidate);
  Memory allocate(size_t Bytes);
  void release(Memory &M);
  VkPipeline makePipeline(const Image &I, VkPipelineLayout Layout);
  void submit(VkPipeline Pipeline, VkPipelineLayout Layout,
              const std::vector<std::byte> &Push,
              std::array<uint32_t, 3> Groups);

  std::string Name;
  VkInstance Instance = VK_NULL_HANDLE;
  VkPhysicalDevice Physical = VK_NULL_HANDLE;
  VkDevice Device = VK_NULL_HANDLE;
  VkQueue Queue = VK_NULL_HANDLE;
  uint32_t Family = 0, MemoryType = 0;
};

} // namespace goldy::test

#endif
