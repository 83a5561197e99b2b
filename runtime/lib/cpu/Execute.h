//===- Execute.h - Running one launch on the CPU --------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many threads a launch gets follows from what its groups cost: one of less
// than 60 µs runs on the caller alone and wakes no thread, unless threads are
// awake or many such launches follow one another; one of less than 5 µs always
// does. The cost of a group is measured, per image: probed by doubling at the
// first launch, corrected by later ones.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CPU_EXECUTE_H
#define GOLDY_RUNTIME_CPU_EXECUTE_H

#include "core/Driver.h"
#include "cpu/Code.h"
#include "cpu/DebugLog.h"
#include "cpu/Pool.h"
#include "cpu/Sanitizer.h"

#include <atomic>

namespace goldy::rt {

/// Code for one work-item under a debugger.
struct ItemImage {
  Code Memory;
  goldy_host_kernel Entry = nullptr;
  uint64_t ScratchBytes = 0;
  std::array<uint32_t, 3> Item{}, WorkgroupSize{};
};

/// Host code that is ready to run.
struct HostImage {
  Code Memory;
  goldy_host_kernel Entry = nullptr;
  uint64_t ScratchBytes = 0;
  std::string Name;                           ///< of the kernel
  std::atomic<float> GroupNs{0};              ///< measured; 0 is unknown
  std::unique_ptr<const WatchedCode> Watched; ///< of --sanitize; else null
  std::unique_ptr<ItemImage> Item; ///< of a device that has such an item
};

/// Who hears what launches say.
struct Listeners {
  DebugListener Debug, Finding;
};

/// Launches since one of them was timed.
using LaunchCount = std::atomic<uint32_t>;

/// Runs all groups; `Block` is 8-byte aligned. `HasState`: the thread has the
/// kernel's float state. `Untimed`: of launches that have this block and grid,
/// so that few of those that are small need to be timed; may be null.
/// GOLDY_OUT_OF_MEMORY when there is no scratch, then nothing has run.
/// GOLDY_FINDINGS, of watched code, when all is done.
Status executeLaunch(Pool &Threads, HostImage &Image, const std::byte *Block,
                     const std::array<uint32_t, 3> &Groups, const Listeners &To,
                     bool HasState, LaunchCount *Untimed = nullptr);

} // namespace goldy::rt

#endif
