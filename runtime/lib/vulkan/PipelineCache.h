//===- PipelineCache.h - Compiled pipelines, kept between runs ------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Drivers take long to compile (8 to 200 ms a kernel) and little to load what
// they compiled before. With GOLDY_CACHE_DIR in the environment, the driver's
// cache is a file of that folder, one for each device and driver. The file is
// believed only if its header, length and checksum are right; it is written
// aside and renamed, so that readers see the old or the new one. One that
// cannot be read or written is as none.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_VULKAN_PIPELINECACHE_H
#define GOLDY_RUNTIME_VULKAN_PIPELINECACHE_H

#include "vulkan/Device.h"

namespace goldy::rt::vk {

class PipelineCache {
public:
  explicit PipelineCache(Device &D) : D(D) {}
  ~PipelineCache();

  /// Makes the cache, from its file if there is a good one.
  Status open();
  VkPipelineCache handle() const { return Handle; }
  /// Says that a pipeline was made: the file is written in the end if the
  /// cache has grown.
  void used() { Used = true; }

private:
  void save();

  Device &D;
  VkPipelineCache Handle = VK_NULL_HANDLE;
  std::string Path; ///< empty: no file
  size_t LoadedBytes = 0;
  std::atomic<bool> Used{false};
};

} // namespace goldy::rt::vk

#endif
