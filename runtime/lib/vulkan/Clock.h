//===- Clock.h - The device's clock on the host's -------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device counts ticks of its own length from its own start, and begins again
// after as few as 2^36. The clock is set once, when the first submission that
// is timed is made: the host looks at its clock before and after the device
// writes the time, a few times, and takes the closest pair.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_VULKAN_CLOCK_H
#define GOLDY_RUNTIME_VULKAN_CLOCK_H

#include "vulkan/Device.h"

#include <span>

namespace goldy::rt::vk {

/// All of a pool's queries, from the first on; their commands are done.
Status readTicks(Device &D, VkQueryPool Pool, std::span<uint64_t> Out);

/// `start` may be called from several threads at once.
class Clock {
public:
  explicit Clock(Device &D) : D(D) {}

  /// Sets the clock, if that was not done.
  Status start();
  /// On the host's steady clock: `Ticks`, which the device counted after
  /// `NotBeforeNs` and within three quarters of a turn of its counter.
  uint64_t steadyNs(uint64_t Ticks, uint64_t NotBeforeNs) const;

private:
  Status set(VkQueryPool Pool);
  Status look(VkQueryPool Pool, VkCommandBuffer Write);

  Device &D;
  std::mutex Mutex; ///< of start
  bool IsSet = false;
  uint64_t BaseNs = 0, BaseTicks = 0;
  uint64_t ErrorNs = UINT64_MAX; ///< at most, of that pair
};

} // namespace goldy::rt::vk

#endif
