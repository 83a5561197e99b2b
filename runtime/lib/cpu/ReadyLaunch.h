//===- ReadyLaunch.h - A launch that needs nothing but its call -----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a launch hands to its kernel is the same in each run, and so is whether
// anybody has to be asked before: both are found when it is prepared. The one
// thing that changes is whether its time is known well enough.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CPU_READYLAUNCH_H
#define GOLDY_RUNTIME_CPU_READYLAUNCH_H

#include "core/Parts.h"
#include "cpu/Execute.h"
#include "cpu/Scratch.h"

namespace goldy::rt {

class ReadyLaunch {
public:
  ReadyLaunch() = default;
  /// Of a part that is a launch. `Fixed`: no word of a run changes it. `Heard`:
  /// somebody listens to the device's launches.
  void prepare(const Part &P, const Pool &Threads, bool Fixed, bool Heard) {
    const HostImage &Image =
        *reinterpret_cast<HostImage *>(static_cast<uintptr_t>(P.Image));
    uint64_t Total = uint64_t(P.Groups[0]) * P.Groups[1] * P.Groups[2];
    this->Fixed = Fixed;
    if (Threads.threads() == 1 || (!hasGridWords(P) && Total == 1))
      Untimed.store(AlwaysUntimed, std::memory_order_relaxed);
    if (Heard || Image.Watched || Image.Item)
      return;
    Entry = Image.Entry;
    ScratchBytes = Image.ScratchBytes;
    Range = {{P.Groups[0], P.Groups[1], P.Groups[2]}, 0, 0, Total, nullptr, 0};
  }

  /// No word of a run changes it.
  bool isFixed() const { return Fixed; }
  /// It may be called, by a thread that has the kernel's float state: there is
  /// one thread for it and no need to look at the clock. True takes one of the
  /// launches that may go so.
  bool goesAtOnce() { return Entry && takeUntimed(Untimed); }
  /// The same whatever a run's words change in the block.
  bool neverDivided() const {
    return Entry && Untimed.load(std::memory_order_relaxed) == AlwaysUntimed;
  }
  /// All groups; `Scratch` is of scratchBytes(). Gives what the kernel returns.
  /// It has no services to call.
  int32_t call(const std::byte *Block, void *Scratch) const noexcept {
    return callKernel(Entry, Block, Range, Scratch);
  }
  uint64_t scratchBytes() const { return ScratchBytes; }
  /// For executeLaunch.
  LaunchCount &untimed() { return Untimed; }
  /// It is expected to be too short to share. Counted without floats: the
  /// thread may not have the kernel's float state yet.
  bool isShort(const HostImage &Image) const {
    return !neverDivided() &&
           Range.end <= Image.ShortGroups.load(std::memory_order_relaxed);
  }

private:
  goldy_host_kernel Entry = nullptr; ///< null: it needs more than a call
  goldy_group_range Range{};
  uint64_t ScratchBytes = 0;
  LaunchCount Untimed{0};
  bool Fixed = false;
};

} // namespace goldy::rt

#endif
