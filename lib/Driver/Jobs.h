//===- Jobs.h - Independent work on several threads -----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_DRIVER_JOBS_H
#define GOLDYC_LIB_DRIVER_JOBS_H

#include <cstddef>
#include <functional>

namespace goldy::driver {

/// Calls `Work` once for each number below `Count`, on at most `Threads`
/// threads (0: one a core), and returns when all are done. Which thread takes
/// which number is not determined; results must go to places of their own.
void runJobs(unsigned Threads, size_t Count,
             const std::function<void(size_t)> &Work);

} // namespace goldy::driver

#endif
