//===- Coarsen.h - Several work-items a thread ----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What --coarsen=K asks for and what became of it. A coarsened kernel's
// function has its physical workgroup: threads, each of which does K
// work-items. Groups, their number and all ids that the program sees stay
// (docs/Coarsen.md).
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TRANSFORMS_COARSEN_H
#define GOLDYC_TRANSFORMS_COARSEN_H

#include "goldyc/Support/Source.h"

#include <cstdint>

namespace goldy {

/// Why a kernel keeps one work-item a thread.
enum class CoarsenReason : uint8_t {
  None,
  Together,  ///< barriers, collectives: `Cause`
  Memory,    ///< workgroup arrays: `Cause`
  OldValues, ///< uses what an atomic returns: `Cause`
  Prints,    ///< gpu::debug: `Cause`
  Narrow,    ///< no axis of its workgroup has K work-items
  Large,     ///< the code of K work-items is more than the limit
};

struct CoarsenReport {
  uint32_t Asked = 1;          ///< K
  uint32_t ItemsPerThread = 1; ///< K, or 1
  CoarsenReason Reason = CoarsenReason::None;
  Span Cause;
  friend bool operator==(const CoarsenReport &,
                         const CoarsenReport &) = default;
};

} // namespace goldy

#endif
