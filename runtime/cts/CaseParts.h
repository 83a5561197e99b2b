//===- CaseParts.h - Parts of submissions for conformance cases -----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CTS_CASEPARTS_H
#define GOLDY_RUNTIME_CTS_CASEPARTS_H

#include "Fixture.h"

#include "core/Objects.h"

namespace goldy::cts {

rt::MemoryUse use(goldy_buffer_t *B, uint64_t Offset, uint64_t Bytes,
                  bool Written);
/// Bytes of memory number `Number` of a run.
rt::MemoryUse brought(uint32_t Number, uint64_t Offset, uint64_t Bytes,
                      bool Written);

rt::Part fillPart(goldy_buffer_t *B, uint64_t Offset, uint64_t Bytes,
                  uint8_t Value);
rt::Part copyPart(goldy_buffer_t *From, uint64_t FromOffset, goldy_buffer_t *To,
                  uint64_t ToOffset, uint64_t Bytes);
/// The launch as a part. `Keep` holds what it needs.
rt::Part launchPart(Check &C, const Fixture &F,
                    const std::vector<goldy_argument_t> &Args,
                    goldy_grid_t Grid, goldy_launch &Keep);

/// Prepares, runs, waits and releases; false after a failure.
bool runOnce(Check &C, rt::Driver &D, rt::SubmissionDesc Desc,
             std::span<const uint64_t> Words);

} // namespace goldy::cts

#endif
