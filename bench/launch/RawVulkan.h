//===- RawVulkan.h - A kernel by Vulkan's own calls -----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program without this runtime would write: its own device, queue,
// buffers and pipeline, commands recorded once, one timeline semaphore.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_BENCH_RAWVULKAN_H
#define GOLDY_BENCH_RAWVULKAN_H

#include "vulkan/Survey.h"

#include <array>
#include <span>

namespace goldy::bench {

class RawVulkan {
public:
  /// Ends the program if a call fails. `Spirv` takes a saxpy's block.
  explicit RawVulkan(std::span<const uint8_t> Spirv, uint32_t Elements);
  ~RawVulkan();

  /// `Launches` of one group, each after the one before it.
  VkCommandBuffer record(uint32_t Launches);
  /// Submits and blocks until it is done.
  void run(VkCommandBuffer Work);
  /// The same, looking at the semaphore until it is done.
  void runPolling(VkCommandBuffer Work);

private:
  void makeDevice();
  void makeBuffer();
  void makePipeline(std::span<const uint8_t> Spirv);
  void submit(VkCommandBuffer Work);

  std::shared_ptr<rt::vk::Instance> Owner;
  rt::vk::PhysicalDevice Physical;
  rt::vk::Api Vk;
  VkDevice Device = VK_NULL_HANDLE;
  VkQueue Queue = VK_NULL_HANDLE;
  VkSemaphore Timeline = VK_NULL_HANDLE;
  VkCommandPool Pool = VK_NULL_HANDLE;
  VkBuffer Buffer = VK_NULL_HANDLE;
  VkDeviceMemory Memory = VK_NULL_HANDLE;
  VkPipelineLayout Layout = VK_NULL_HANDLE;
  VkPipeline Pipeline = VK_NULL_HANDLE;
  uint64_t Address = 0, Point = 0;
  uint32_t Elements = 0;
};

} // namespace goldy::bench

#endif
