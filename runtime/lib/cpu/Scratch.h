//===- Scratch.h - Scratch memory of a thread -----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread keeps one arena that grows to the largest need and is freed when
// the thread ends. A launch inside a launch on the same thread gets memory of
// its own.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CPU_SCRATCH_H
#define GOLDY_RUNTIME_CPU_SCRATCH_H

#include "cpu/HostMemory.h"

namespace goldy::rt {

/// Holds the thread's arena, 64-byte aligned, contents undefined.
class ScratchLease {
public:
  explicit ScratchLease(uint64_t Bytes) {
    if (Bytes)
      take(Bytes);
  }
  ~ScratchLease() {
    if (Shared)
      giveBack();
  }
  ScratchLease(const ScratchLease &) = delete;
  ScratchLease &operator=(const ScratchLease &) = delete;
  /// False when there is no memory.
  bool ok() const { return Ok; }
  void *data() const { return Data; }

private:
  void take(uint64_t Bytes);
  static void giveBack();

  std::unique_ptr<HostMemory> Own; ///< of a nested lease
  void *Data = nullptr;
  bool Shared = false, Ok = true;
};

} // namespace goldy::rt

#endif
