//===- HostMemory.h - 64-byte aligned zeroed memory -----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For host buffers and scratch; also memory of a caller's, with the alignment
// that it has. Large blocks come from the system as fresh
// pages, so their zeros cost nothing until they are touched.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CPU_HOSTMEMORY_H
#define GOLDY_RUNTIME_CPU_HOSTMEMORY_H

#include <cstddef>
#include <cstdint>
#include <memory>

namespace goldy::rt {

class HostMemory {
public:
  /// Null when there is no memory. `Bytes` may be 0.
  static std::unique_ptr<HostMemory> create(uint64_t Bytes);
  /// Memory of the caller's, who keeps it as long as this lives. Null when
  /// there is no memory for this object.
  static std::unique_ptr<HostMemory> borrow(void *Base, uint64_t Bytes);
  ~HostMemory();
  HostMemory(const HostMemory &) = delete;
  HostMemory &operator=(const HostMemory &) = delete;
  std::byte *data() const { return static_cast<std::byte *>(Base); }
  uint64_t size() const { return Bytes; }

private:
  enum class Source : uint8_t { Heap, Pages, Caller };
  HostMemory(void *Base, uint64_t Bytes, uint64_t Reserved, Source From)
      : Base(Base), Bytes(Bytes), Reserved(Reserved), From(From) {}
  void *Base;
  uint64_t Bytes, Reserved;
  Source From;
};

} // namespace goldy::rt

#endif
