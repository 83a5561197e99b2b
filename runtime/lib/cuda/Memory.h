//===- Memory.h - Device memory and its zeros -----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory comes from a pool of the device's own, in the order of its stream: it
// may be named in work at once, and what is given back serves later work while
// earlier work still runs. Devices without pools allocate one by one.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CUDA_MEMORY_H
#define GOLDY_RUNTIME_CUDA_MEMORY_H

#include "cuda/Device.h"

namespace goldy::rt::cuda {

class DeviceMemory {
public:
  explicit DeviceMemory(Device &D) : D(D) {}
  /// All pieces are given back and the stream is idle.
  ~DeviceMemory();
  Status open();

  /// `Bytes` zeros from a multiple of 256 on; `Bytes` may be 0.
  Status allocate(uint64_t Bytes, DevicePointer &Out);
  /// Work that was submitted before may still use the piece.
  void free(DevicePointer Piece);

private:
  Status take(uint64_t Bytes, DevicePointer &Out);

  Device &D;
  Pool Pieces = nullptr; ///< null on devices without pools
};

/// Lets the device reach memory of the host's, at `Out`. GOLDY_UNSUPPORTED, or
/// GOLDY_OUT_OF_MEMORY without room for it.
Status borrowHost(Device &D, void *Host, uint64_t Bytes, DevicePointer &Out);
/// Waits for all work, then the device reaches it no more.
void returnHost(Device &D, void *Host);

} // namespace goldy::rt::cuda

#endif
