//===- Result.h - CUresult to Status --------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CUDA_RESULT_H
#define GOLDY_RUNTIME_CUDA_RESULT_H

#include "core/Status.h"
#include "cuda/Types.h"

namespace goldy::rt::cuda {

/// The status of a failed call names the call; success gives success. Where
/// there is no memory for the words, the code and the number are left.
Status fromResult(Result R, const char *Call) noexcept;

/// Whether the context is unusable from here on: every later call in it gives
/// the same result.
bool losesDevice(Result R);

} // namespace goldy::rt::cuda

#endif
