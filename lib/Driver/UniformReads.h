//===- UniformReads.h - Buffers that barriers rely on ---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_DRIVER_UNIFORMREADS_H
#define GOLDYC_LIB_DRIVER_UNIFORMREADS_H

#include "goldyc/IR/IR.h"

#include <vector>

namespace goldy::driver {

/// Per parameter of a kernel without calls: a value read from this buffer may
/// decide whether or how often a barrier is reached. Binding such a
/// buffer to memory that the kernel also writes would break the proof that
/// barriers are reached uniformly. All false without barriers.
std::vector<bool> uniformReads(const Function &Kernel);

} // namespace goldy::driver

#endif
