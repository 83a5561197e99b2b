//===- Scratch.cpp - Scratch memory of a thread ---------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that need none take no lease's cost: zero bytes give a null pointer.
//
//===----------------------------------------------------------------------===//
#include "cpu/Scratch.h"

using namespace goldy::rt;

namespace {
struct Arena {
  std::unique_ptr<HostMemory> Memory;
  bool Busy = false;
};
thread_local Arena ThreadArena;
} // namespace

ScratchLease::ScratchLease(uint64_t Bytes) {
  if (Bytes == 0)
    return;
  Arena &A = ThreadArena;
  std::unique_ptr<HostMemory> &Memory = A.Busy ? Own : A.Memory;
  if (!Memory || Memory->size() < Bytes) {
    Memory.reset();
    Memory = HostMemory::create(Bytes);
  }
  if (!Memory) {
    Ok = false;
    return;
  }
  Data = Memory->data();
  Shared = !A.Busy;
  A.Busy = true;
}

ScratchLease::~ScratchLease() {
  if (Shared)
    ThreadArena.Busy = false;
}
