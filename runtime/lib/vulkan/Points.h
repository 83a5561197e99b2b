//===- Points.h - What a Vulkan device has done ---------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs end at points, numbers that grow by one. They are the values of a
// timeline semaphore, or, on devices without such semaphores, the fences of the
// submissions (docs/decisions/0016-vulkan-below-1.3.md).
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_VULKAN_POINTS_H
#define GOLDY_RUNTIME_VULKAN_POINTS_H

#include "vulkan/Api.h"

#include <memory>

namespace goldy::rt::vk {

/// A result and the call that gave it.
struct CallResult {
  VkResult Result = VK_SUCCESS;
  const char *Call = "";
  bool ok() const { return Result == VK_SUCCESS; }
};

class Points {
public:
  virtual ~Points() = default;
  /// Starts recorded commands; `Point`, one more than the last, is reached when
  /// they are done. The caller holds the queue.
  virtual CallResult submit(VkQueue Queue, VkCommandBuffer Buffer,
                            uint64_t Point) = 0;
  /// The greatest point that is known to be reached.
  virtual CallResult reached(uint64_t &Out) = 0;
  /// VK_TIMEOUT after `TimeoutNs`. `Point` was submitted.
  virtual CallResult wait(uint64_t Point, uint64_t TimeoutNs) = 0;
};

/// The device has `vkWaitSemaphores`; no work is pending when it goes.
CallResult makeSemaphorePoints(const Api &Vk, VkDevice Device,
                               std::unique_ptr<Points> &Out);
std::unique_ptr<Points> makeFencePoints(const Api &Vk, VkDevice Device);

} // namespace goldy::rt::vk

#endif
