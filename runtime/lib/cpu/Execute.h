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

/// Launches of one kind that may still go without a look at the
/// clock, which costs as much as a few groups may do. One that was small when
/// it was timed grants some. If its data made it long meanwhile, that is known
/// after at most so many.
using LaunchCount = std::atomic<uint32_t>;
/// Of launches that are never divided.
inline constexpr uint32_t AlwaysUntimed = UINT32_MAX;

/// Takes one; false when there is none.
inline bool takeUntimed(LaunchCount &Untimed) {
  uint32_t N = Untimed.load(std::memory_order_relaxed);
  if (N == 0)
    return false;
  if (N != AlwaysUntimed)
    Untimed.store(N - 1, std::memory_order_relaxed);
  return true;
}

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
  std::string Name;              ///< of the kernel
  std::atomic<float> GroupNs{0}; ///< measured; 0 is unknown
  /// So many groups are expected to be too short to share.
  std::atomic<uint64_t> ShortGroups{0};
  LaunchCount UntimedOnce{0}; ///< of short launches that are run once
  std::unique_ptr<const WatchedCode> Watched; ///< of --sanitize; else null
  std::unique_ptr<ItemImage> Item; ///< of a device that has such an item
};

/// Who hears what launches say.
struct Listeners {
  DebugListener Debug, Finding;
};

/// A kernel is code from a file: it has no type record before its entry, which
/// the sanitizer of indirect calls would read.
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
inline int32_t
callKernel(goldy_host_kernel Entry, const std::byte *Block,
           const goldy_group_range &Range, void *Scratch) {
  return Entry(Block, &Range, Scratch);
}

/// What a launch says whose kernel returned `Code`, which is not 0.
Status kernelFailed(const HostImage &Image, int32_t Code);
/// What one says for whose scratch there is no memory.
Status noScratch(const HostImage &Image);

/// Runs all groups; `Block` is 8-byte aligned. `HasState`: the thread has the
/// kernel's float state. `Untimed`: of launches such as this one; may be null.
/// GOLDY_OUT_OF_MEMORY when there is no scratch, then nothing has run.
/// GOLDY_FINDINGS, of watched code, when all is done.
Status executeLaunch(Pool &Threads, HostImage &Image, const std::byte *Block,
                     const std::array<uint32_t, 3> &Groups, const Listeners &To,
                     bool HasState, LaunchCount *Untimed = nullptr);

} // namespace goldy::rt

#endif
