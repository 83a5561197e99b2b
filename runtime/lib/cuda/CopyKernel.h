//===- CopyKernel.h - Large copies within a graph -------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copy nodes of a graph reach two thirds of what a kernel does when they are
// very large, half where one end is no multiple of 256, and a fifth when the
// ends are not equally far from a multiple of 16. Copies that are not small are
// kernel nodes, with kernels of the runtime's own: each thread stores 16 bytes;
// those of the first group also the bytes before the first and behind the last
// multiple of 16.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CUDA_COPYKERNEL_H
#define GOLDY_RUNTIME_CUDA_COPYKERNEL_H

#include "cuda/Device.h"

namespace goldy::rt::cuda {

/// The kernels' parameter, as their code reads it.
struct CopyBlock {
  DevicePointer To;        ///< of the first vector: a multiple of 16
  DevicePointer From;      ///< its source; a multiple of 16 if none is shifted
  uint64_t Vectors;        ///< of 16 bytes
  uint32_t Before, Behind; ///< single bytes, at most 15
};

/// May be used from several threads at once.
class CopyKernel {
public:
  explicit CopyKernel(Device &D) : D(D) {}
  /// No launch is pending.
  ~CopyKernel();

  /// A copy that a kernel is faster for.
  static bool takes(DevicePointer To, DevicePointer From, uint64_t Bytes);

  /// The same for a copy whose ends are not known.
  static bool mayTake(uint64_t Bytes);

  /// The launch of a copy of 16 bytes or more; null `Out.Kernel` if the driver
  /// cannot compile the kernels. `Out` refers to `Block` and `Value`.
  Status launch(DevicePointer To, DevicePointer From, uint64_t Bytes,
                CopyBlock &Block, void *&Value, KernelNodeParams &Out);

private:
  Status load();

  Device &D;
  std::mutex Mutex; ///< of all below
  bool Tried = false;
  Module Loaded = nullptr;
  Function Straight = nullptr, Shifted = nullptr;
};

} // namespace goldy::rt::cuda

#endif
