//===- Transfer.h - Bytes between the host and device memory --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host writes directly what it sees, and reads directly what it also
// caches: uncached reads go through the bus word by word. Everything else goes
// through a ring of two staging pieces, so that the host fills or empties one
// while the device works on the other.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_VULKAN_TRANSFER_H
#define GOLDY_RUNTIME_VULKAN_TRANSFER_H

#include "vulkan/Memory.h"

#include <span>

namespace goldy::rt::vk {

class Transfer {
public:
  Transfer(Device &D, MemoryPool &Pool) : D(D), Pool(Pool) {}
  ~Transfer();

  /// Done on return.
  Status write(const Allocation &To, uint64_t Offset,
               std::span<const std::byte> Data);
  Status read(const Allocation &From, uint64_t Offset,
              std::span<std::byte> Out);
  Status zero(const Allocation &A, uint64_t Bytes);

private:
  static constexpr uint64_t StageBytes = uint64_t(2) << 20;
  struct Stage {
    Allocation Memory;
    Commands Work;
    uint64_t Point = 0; ///< of the last work that used it
  };
  using Ring = std::array<Stage, 2>;
  Status writeStaged(const Allocation &To, uint64_t Offset,
                     std::span<const std::byte> Data);
  Status readStaged(const Allocation &From, uint64_t Offset,
                    std::span<std::byte> Out);
  /// Makes the stage's memory and waits for its last work.
  Status ready(Stage &S, MemoryKind Kind);
  Status copy(Stage &S, VkBuffer From, VkBuffer To, VkBufferCopy Region);
  void empty(Ring &R);

  Device &D;
  MemoryPool &Pool;
  std::mutex Mutex; ///< of the rings
  Ring Up, Down;
};

/// What kernels before it wrote into buffers is seen by kernels after it. A
/// barrier that is for copies too costs a device more than twice as much.
void kernelBarrier(const Api &Vk, VkCommandBuffer C);
/// Everything before it is done and seen by everything after it on the device.
void deviceBarrier(const Api &Vk, VkCommandBuffer C);
/// The same, and seen by the host once the submission's point is reached.
void fullBarrier(const Api &Vk, VkCommandBuffer C);

} // namespace goldy::rt::vk

#endif
