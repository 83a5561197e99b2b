//===- Code.h - PTX that is ready to run ----------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver compiles PTX when it is loaded and keeps the result in its own
// cache on disk.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CUDA_CODE_H
#define GOLDY_RUNTIME_CUDA_CODE_H

#include "core/Driver.h"
#include "cuda/Device.h"

namespace goldy::rt::cuda {

/// The context is current when it is destroyed, and no launch is pending.
struct Code {
  explicit Code(const Api &Cu) : Cu(Cu) {}
  ~Code();
  Code(const Code &) = delete;
  Code &operator=(const Code &) = delete;

  const Api &Cu;
  Module Loaded = nullptr;
  Function Entry = nullptr;
  std::array<uint32_t, 3> Threads{}; ///< of a group
};

/// Loads an image. GOLDY_UNSUPPORTED: the driver or the device is too old for
/// it, another image may do. On failure nothing is made.
Status loadCode(Device &D, const Kernel &K, const Image &I,
                std::unique_ptr<Code> &Out);

} // namespace goldy::rt::cuda

#endif
