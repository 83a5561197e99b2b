//===- HostMemory.cpp - 64-byte aligned zeroed memory ---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// POSIX.
//
//===----------------------------------------------------------------------===//
#include "cpu/HostMemory.h"

#include "core/Checked.h"

#include "cpu/Undetermined.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>

using namespace goldy::rt;

static constexpr uint64_t Align = 64, MapFrom = uint64_t(1) << 20;

static void *mapPages(uint64_t Bytes) {
  void *Base = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (Base == MAP_FAILED)
    return nullptr;
  madvise(Base, Bytes, MADV_HUGEPAGE);
  return Base;
}

static void *allocateZeroed(uint64_t Bytes) {
  void *Base = std::aligned_alloc(Align, Bytes);
  if (Base)
    std::memset(Base, 0, Bytes);
  return Base;
}

std::unique_ptr<HostMemory> HostMemory::create(uint64_t Bytes) {
  std::optional<uint64_t> Padded = checkedAlign(Bytes ? Bytes : 1, Align);
  if (!Padded || *Padded > (uint64_t(1) << 62))
    return nullptr;
  bool Mapped = *Padded >= MapFrom;
  void *Base = Mapped ? mapPages(*Padded) : allocateZeroed(*Padded);
  if (!Base)
    return nullptr;
  std::unique_ptr<HostMemory> M(new (std::nothrow) HostMemory(
      Base, Bytes, *Padded, Mapped ? Source::Pages : Source::Heap));
  if (!M)
    Mapped ? void(munmap(Base, *Padded)) : std::free(Base);
  return M;
}

std::unique_ptr<HostMemory> HostMemory::borrow(void *Base, uint64_t Bytes) {
  return std::unique_ptr<HostMemory>(
      new (std::nothrow) HostMemory(Base, Bytes, Bytes, Source::Caller));
}

HostMemory::~HostMemory() {
  if (From != Source::Caller)
    Undetermined::memory().clear(reinterpret_cast<uintptr_t>(Base), Bytes);
  if (From == Source::Pages)
    munmap(Base, Reserved);
  else if (From == Source::Heap)
    std::free(Base);
}
