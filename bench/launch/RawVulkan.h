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
#include <vector>

namespace goldy::bench {

class RawVulkan {
public:
  /// Ends the program if a call fails. `Spirv` takes a saxpy's block.
  explicit RawVulkan(std::span<const uint8_t> Spirv, uint32_t Elements);
  ~RawVulkan();

  /// `Launches` of one group, each after the one before it.
  VkCommandBuffer record(uint32_t Launches);
  /// The same for a kernel whose block lies behind an address.
  VkCommandBuffer recordFar(uint32_t Launches, uint32_t Step = 64);
  /// A word of 4 bytes at a byte of a launch's block there.
  void setFar(uint32_t Launch, uint32_t Offset, uint32_t Word);
  /// Records into `Work` again, with a word for each launch.
  void recordAgain(VkCommandBuffer Work, uint32_t Offset,
                   const std::vector<uint32_t> &Words);
  /// Submits and blocks until it is done.
  void run(VkCommandBuffer Work);
  /// The same, looking at the semaphore until it is done.
  void runPolling(VkCommandBuffer Work);

private:
  void makeDevice();
  void makeBuffer();
  void makeBlocks(uint64_t Bytes);
  VkDeviceMemory makeMemory(VkBuffer Of, VkMemoryPropertyFlags Wanted);
  uint64_t addressOf(VkBuffer Of);
  std::array<std::byte, 64> block() const;
  VkCommandBuffer begin();
  void begin(VkCommandBuffer C);
  void dispatch(VkCommandBuffer C, const void *Pushed, uint32_t Bytes,
                bool Waits);
  void end(VkCommandBuffer C);
  void barrier(VkCommandBuffer C, VkPipelineStageFlags For,
               VkAccessFlags Access);
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
  VkBuffer Blocks = VK_NULL_HANDLE;
  VkDeviceMemory BlockMemory = VK_NULL_HANDLE;
  std::byte *Mapped = nullptr; ///< the blocks
  uint32_t FarStep = 64;       ///< from one to the next
  VkPipelineLayout Layout = VK_NULL_HANDLE;
  VkPipeline Pipeline = VK_NULL_HANDLE;
  uint64_t Address = 0, Point = 0;
  uint32_t Elements = 0;
};

} // namespace goldy::bench

#endif
