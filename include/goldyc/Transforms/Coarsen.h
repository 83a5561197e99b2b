//===- Coarsen.h - Several work-items a thread ----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What --coarsen asks for and what became of it. A coarsened kernel's function
// has the workgroup that is dispatched: it stands for several of the kernel's
// groups along x. All ids that the program sees stay (docs/Coarsen.md).
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TRANSFORMS_COARSEN_H
#define GOLDYC_TRANSFORMS_COARSEN_H

#include "goldyc/Support/Source.h"

#include <cstdint>

namespace goldy {

/// --coarsen=auto: a rule of cost chooses for each kernel.
constexpr uint32_t CoarsenByCost = 0;

/// Why a kernel keeps one work-item a thread.
enum class CoarsenReason : uint8_t {
  None,
  Together,  ///< barriers, collectives: `Cause`
  Memory,    ///< workgroup arrays: `Cause`
  OldValues, ///< uses what an atomic returns: `Cause`
  Prints,    ///< gpu::debug: `Cause`
  Large,     ///< the code of K work-items is more than the limit
  // By the rule of cost alone:
  Narrow,   ///< one work-item a group along x: its grid may be narrow too
  Array,    ///< a private array: `Cause`
  OwnLoop,  ///< work-items leave a loop one by one: `Cause`
  LongLoop, ///< a loop's body is more than the limit: `Cause`
  Early,    ///< work-items return one by one
  Values,   ///< more values live at once than the limit
};

struct CoarsenReport {
  uint32_t Asked = 1;          ///< K, or CoarsenByCost
  uint32_t ItemsPerThread = 1; ///< what a thread does
  uint32_t GroupsAtOnce = 1;   ///< groups along x of one that is dispatched
  CoarsenReason Reason = CoarsenReason::None;
  Span Cause;
  friend bool operator==(const CoarsenReport &,
                         const CoarsenReport &) = default;
};

} // namespace goldy

#endif
