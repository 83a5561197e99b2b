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

void ScratchLease::take(uint64_t Bytes) {
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

void ScratchLease::giveBack() { ThreadArena.Busy = false; }
