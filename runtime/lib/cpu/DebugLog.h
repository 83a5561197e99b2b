//===- DebugLog.h - What kernels print ------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads run groups in any order, so the values of a launch are collected and
// told after it, by work-item. The values of one work-item come from one thread
// and keep their order.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CPU_DEBUGLOG_H
#define GOLDY_RUNTIME_CPU_DEBUGLOG_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace goldy::rt {

/// goldy_device_options_t::debug, or ::finding; `Call` may be null.
struct DebugListener {
  void (*Call)(void *User, const char *Line, size_t Size) = nullptr;
  void *User = nullptr;
};

class DebugLog {
public:
  /// goldy_host_services::debug, `Log` a DebugLog.
  static void add(void *Log, const uint32_t *Id, uint32_t Kind, uint32_t Count,
                  const uint64_t *Bits);
  /// Tells all, one line a value.
  void print(const std::string &Kernel, const DebugListener &To);

private:
  struct Record {
    std::array<uint32_t, 3> Id;
    uint32_t Kind, Count;
    std::array<uint64_t, 4> Bits;
  };
  std::mutex Lock;
  bool keep(const Record &R) noexcept;
  void printAll(const std::string &Kernel, const DebugListener &To);

  std::vector<Record> Records;
  uint64_t Dropped = 0;
};

} // namespace goldy::rt

#endif
