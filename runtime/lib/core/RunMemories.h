//===- RunMemories.h - Whether a run's memories are different ones --------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only memories that parts use are looked at: a run may bring none for others.
//
// What a driver records before it knows a run's memories takes them for
// different ones. A run that brings one memory twice, or one that a part names,
// is found here, and takes a recording in which every part waits for the one
// before it.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CORE_RUNMEMORIES_H
#define GOLDY_RUNTIME_CORE_RUNMEMORIES_H

#include "core/Driver.h"

namespace goldy::rt {

/// Where a memory lies: at addresses of the device, or, if it is borrowed, of
/// the host, so that two borrows meet.
struct MemoryRange {
  uint64_t First = 0, End = 0;
  bool operator==(const MemoryRange &) const = default;
};

/// Of one submission; its owner guards it.
class RunMemories {
public:
  using RangeOf = MemoryRange (*)(MemoryId);
  RunMemories(const SubmissionDesc &Desc, RangeOf Of);

  /// Looks at a run's memories; allocates nothing.
  void look(std::span<const MemoryId> Memories);
  /// Those of the last look are different from each other and from all that
  /// parts name.
  bool apart() const { return Apart; }
  /// They lay elsewhere at the look before, or there was none.
  bool changed() const { return Changed; }

private:
  bool isNamed(const MemoryRange &R) const;
  bool areApart() const;

  RangeOf Of;
  std::vector<MemoryRange> Named;   ///< by address, disjoint
  std::vector<uint32_t> Used;       ///< numbers of memories of the run
  std::vector<MemoryRange> Brought; ///< of those
  bool Apart = true, Changed = true, Looked = false;
};

} // namespace goldy::rt

#endif
