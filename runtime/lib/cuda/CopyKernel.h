//===- CopyKernel.h - Large copies within a graph -------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy node of a graph reaches two thirds of what the same copy does in a
// stream or as a kernel. Large copies are kernel nodes, with a kernel of the
// runtime's own: each thread moves 16 bytes, those of the first group also the
// bytes before the first and behind the last multiple of 16.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CUDA_COPYKERNEL_H
#define GOLDY_RUNTIME_CUDA_COPYKERNEL_H

#include "cuda/Device.h"

namespace goldy::rt::cuda {

/// The kernel's parameter, as its code reads it.
struct CopyBlock {
  DevicePointer To, From;  ///< of the first of the vectors: multiples of 16
  uint64_t Vectors;        ///< of 16 bytes
  uint32_t Before, Behind; ///< single bytes, at most 15
};

/// May be used from several threads at once.
class CopyKernel {
public:
  explicit CopyKernel(Device &D) : D(D) {}
  /// No launch is pending.
  ~CopyKernel();

  /// A copy that this is for: large, and both ends equally far from a multiple
  /// of 16.
  static bool takes(DevicePointer To, DevicePointer From, uint64_t Bytes);

  /// The launch of a copy that is taken; null `Out.Kernel` if the driver cannot
  /// compile the kernel. `Out` refers to `Block` and `Value`.
  Status launch(DevicePointer To, DevicePointer From, uint64_t Bytes,
                CopyBlock &Block, void *&Value, KernelNodeParams &Out);

private:
  Status load();

  Device &D;
  std::mutex Mutex; ///< of all below
  bool Tried = false;
  Module Loaded = nullptr;
  Function Entry = nullptr;
};

} // namespace goldy::rt::cuda

#endif
