//===- Memory.cpp - Device memory and its zeros ---------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pool keeps a sixteenth of the device for the next caller; the rest goes
// back to the system whenever the device is waited for.
//
//===----------------------------------------------------------------------===//
#include "cuda/Memory.h"

#include <algorithm>

using namespace goldy::rt;
using namespace goldy::rt::cuda;

Status DeviceMemory::open() {
  if (!D.physical().HasPools)
    return Status();
  PoolProps Props{};
  Props.AllocationType = PoolPinned;
  Props.LocationType = PoolOnDevice;
  Props.LocationId = D.physical().Handle;
  GOLDY_TRY(D.check(D.cu().MemPoolCreate(&Pieces, &Props), "cuMemPoolCreate"));
  uint64_t Keep = D.physical().MemoryBytes / 16;
  return D.check(
      D.cu().MemPoolSetAttribute(Pieces, PoolReleaseThreshold, &Keep),
      "cuMemPoolSetAttribute");
}

DeviceMemory::~DeviceMemory() {
  if (Pieces)
    D.cu().MemPoolDestroy(Pieces);
}

/// When memory is short, what the pool keeps is given back first.
Status DeviceMemory::take(uint64_t Bytes, DevicePointer &Out) {
  if (!Pieces)
    return D.check(D.cu().MemAlloc(&Out, Bytes), "cuMemAlloc");
  Result R = D.cu().MemAllocFromPoolAsync(&Out, Bytes, Pieces, D.stream());
  if (R == OutOfMemory) {
    GOLDY_TRY(
        D.check(D.cu().StreamSynchronize(D.stream()), "cuStreamSynchronize"));
    GOLDY_TRY(D.check(D.cu().MemPoolTrimTo(Pieces, 0), "cuMemPoolTrimTo"));
    R = D.cu().MemAllocFromPoolAsync(&Out, Bytes, Pieces, D.stream());
  }
  return D.check(R, "cuMemAllocFromPoolAsync");
}

Status DeviceMemory::allocate(uint64_t Bytes, DevicePointer &Out) {
  DevicePointer Piece = 0;
  GOLDY_TRY(take(std::max<uint64_t>(Bytes, 1), Piece));
  Status S = Bytes == 0
                 ? Status()
                 : D.check(D.cu().MemsetD8Async(Piece, 0, Bytes, D.stream()),
                           "cuMemsetD8Async");
  if (S.ok())
    Out = Piece;
  else
    free(Piece);
  return S;
}

void DeviceMemory::free(DevicePointer Piece) {
  if (Pieces)
    D.cu().MemFreeAsync(Piece, D.stream());
  else
    D.cu().MemFree(Piece);
}

Status cuda::borrowHost(Device &D, void *Host, uint64_t Bytes,
                        DevicePointer &Out) {
  GOLDY_TRY(D.check(D.cu().MemHostRegister(Host, Bytes, HostRegisterDeviceMap),
                    "cuMemHostRegister"));
  Status S = D.check(D.cu().MemHostGetDevicePointer(&Out, Host, 0),
                     "cuMemHostGetDevicePointer");
  if (!S.ok())
    D.cu().MemHostUnregister(Host);
  return S;
}

void cuda::returnHost(Device &D, void *Host) {
  (void)D.check(D.cu().StreamSynchronize(D.stream()), "cuStreamSynchronize");
  D.cu().MemHostUnregister(Host);
}
