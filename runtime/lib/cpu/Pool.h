//===- Pool.h - Threads that share ranges of work -------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A job is a range of numbers that its caller and idle workers eat in chunks.
// The caller always works on its own job until nothing is left of it, so a job
// ends whether or not workers come, and any number of callers, workers that
// run jobs of their own included, may be inside at once. Workers start at the
// first job that wants them and sleep when there is none.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CPU_POOL_H
#define GOLDY_RUNTIME_CPU_POOL_H

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

namespace goldy::rt {

/// Hands out [First, End) in chunks. End + threads * Chunk is below 2^64.
class RangeSource {
public:
  RangeSource(uint64_t First, uint64_t End, uint64_t Chunk)
      : Next(First), End(End), Chunk(Chunk) {}
  bool next(uint64_t &OutFirst, uint64_t &OutEnd) {
    if (empty())
      return false;
    OutFirst = Next.fetch_add(Chunk, std::memory_order_relaxed);
    OutEnd = std::min(OutFirst + Chunk, End);
    return OutFirst < End;
  }
  bool empty() const { return Next.load(std::memory_order_relaxed) >= End; }
  /// Chunks that are still to be handed out.
  uint64_t chunks() const {
    uint64_t At = Next.load(std::memory_order_relaxed);
    return At < End ? (End - At - 1) / Chunk + 1 : 0;
  }

private:
  std::atomic<uint64_t> Next;
  uint64_t End, Chunk;
};

class Pool {
public:
  /// Takes part in a job: eats from the source until it is empty, or returns
  /// at once, before its first bite, when it cannot help.
  using Body = void (*)(void *Context, RangeSource &Source);

  /// `Threads` counts the caller; at least 1.
  explicit Pool(unsigned Threads) : Threads(Threads) {}
  ~Pool();
  unsigned threads() const { return Threads; }
  /// Runs a job on the caller and idle workers. All of it is done on return,
  /// and visible to the caller, if the caller's own call of `Run` emptied the
  /// source.
  void run(RangeSource &Source, Body Run, void *Context);

private:
  struct Job {
    RangeSource &Source;
    Body Run;
    void *Context;
    unsigned MaxHelpers;
    std::atomic<unsigned> Active{0};
  };
  void start();
  void work();
  Job *openJob();
  void waitForHelpers(Job &J);

  const unsigned Threads;
  std::once_flag Started;
  std::vector<std::thread> Workers;
  std::mutex Mutex;
  std::condition_variable Wake, Done;
  std::list<Job *> Jobs; ///< under Mutex, oldest first
  bool Stop = false;     ///< under Mutex
};

} // namespace goldy::rt

#endif
