//===- Transfer.h - Bytes between the host and device memory --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes go through two pieces of pinned host memory in turn each way, so that
// the device copies one while the host copies the other. Copies stand in the
// device's stream: they see what was submitted before them. Any thread may
// call; each way serves one caller at a time.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CUDA_TRANSFER_H
#define GOLDY_RUNTIME_CUDA_TRANSFER_H

#include "cuda/Device.h"

#include <span>

namespace goldy::rt::cuda {

class Transfer {
public:
  explicit Transfer(Device &D) : D(D) {}
  /// The stream is idle.
  ~Transfer();

  /// Returns when `Data` may change; the copy may still be under way.
  Status write(DevicePointer To, std::span<const std::byte> Data);
  Status read(DevicePointer From, std::span<std::byte> Out);

private:
  struct Stage {
    std::byte *Memory = nullptr;
    Event Copied = nullptr;
    bool Busy = false; ///< a copy of it may be under way
  };
  struct Ring {
    std::mutex Mutex;
    std::array<Stage, 2> Stages;
    unsigned Turn = 0;
    Stage &next() { return Stages[Turn++ % Stages.size()]; }
  };
  static constexpr uint64_t StageBytes = uint64_t(4) << 20;

  /// Makes the stage at first, and waits for the copy that it is part of.
  Status ready(Stage &S);
  Status copying(Stage &S);
  Status copied(Stage &S);
  void empty(Ring &R);

  Device &D;
  Ring Up, Down;
};

} // namespace goldy::rt::cuda

#endif
