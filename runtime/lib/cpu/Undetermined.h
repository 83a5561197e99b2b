//===- Undetermined.h - Bytes that hold nothing yet -----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Temporaries of programs that are watched for `uninit`: their bytes are
// undetermined when a run starts, until something writes them. Kept by address
// for all devices of the process, as they share the host's memory. Without
// watched programs it is empty, and asking costs one load.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CPU_UNDETERMINED_H
#define GOLDY_RUNTIME_CPU_UNDETERMINED_H

#include "artifact/Artifact.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

namespace goldy::rt {

class Undetermined {
public:
  /// The one of the process.
  static Undetermined &memory();

  static bool any() { return Any.load(std::memory_order_relaxed); }
  /// [Address, Address + Bytes) holds nothing since `Where`. Throws
  /// std::bad_alloc, as do the others that change something.
  void mark(uint64_t Address, uint64_t Bytes,
            std::shared_ptr<const WatchSite> Where);
  /// Something was written.
  void clear(uint64_t Address, uint64_t Bytes);
  /// [From, From + Bytes) was copied to `To`.
  void copy(uint64_t From, uint64_t To, uint64_t Bytes);
  /// Bytes [First, End) that hold nothing since `Where`.
  struct Stretch {
    uint64_t First = 0, End = 0;
    std::shared_ptr<const WatchSite> Where;
    explicit operator bool() const { return Where != nullptr; }
  };
  /// The first of the range; none if all of it is determined.
  Stretch find(uint64_t Address, uint64_t Bytes);

private:
  struct Range {
    uint64_t End;
    std::shared_ptr<const WatchSite> Where;
  };
  using Map = std::map<uint64_t, Range>; ///< by first byte, disjoint
  Map::iterator firstIn(uint64_t Address);
  void cut(uint64_t Address, uint64_t End);
  void changed() { Any.store(!Ranges.empty(), std::memory_order_relaxed); }

  std::mutex Lock;
  Map Ranges; ///< under Lock
  static inline std::atomic<bool> Any{false};
};

} // namespace goldy::rt

#endif
