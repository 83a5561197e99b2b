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
// first job that wants them. One that has worked looks for more for 50 µs,
// since waking it costs about as much; then it sleeps, and an idle pool costs
// nothing (docs/decisions/0048-threads-of-the-cpu.md).
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CPU_POOL_H
#define GOLDY_RUNTIME_CPU_POOL_H

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace goldy::rt {

/// Hands out [First, End) in chunks: an equal part of what is left, ever
/// smaller ones therefore, but at least `Least` while there are so many.
class RangeSource {
public:
  /// `Share`: a chunk is what is left divided by it; 0: `Least`, always.
  RangeSource(uint64_t First, uint64_t End, uint64_t Least, uint64_t Share = 0)
      : Next(First), End(End), Least(Least), Share(Share) {}
  bool next(uint64_t &OutFirst, uint64_t &OutEnd) {
    uint64_t At = Next.load(std::memory_order_relaxed);
    while (At < End) {
      uint64_t Left = End - At;
      uint64_t Count =
          std::min(std::max(Least, Share ? Left / Share : 0), Left);
      if (!Next.compare_exchange_weak(At, At + Count,
                                      std::memory_order_relaxed))
        continue;
      OutFirst = At;
      OutEnd = At + Count;
      return true;
    }
    return false;
  }
  bool empty() const { return Next.load(std::memory_order_relaxed) >= End; }
  /// Chunks that are still to be handed out, at most.
  uint64_t chunks() const {
    uint64_t At = Next.load(std::memory_order_relaxed);
    return At < End ? (End - At - 1) / Least + 1 : 0;
  }

private:
  std::atomic<uint64_t> Next;
  uint64_t End, Least, Share;
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
  /// Whether workers look for a job just now, so that one costs no wake-up.
  bool awake() const { return Looking.load(std::memory_order_relaxed) != 0; }
  /// Tells of a job of `Ns` nanoseconds that is too short to wake workers for.
  /// True if so many came one after another that it pays for the next ones.
  bool manyShort(float Ns);
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
    Job *Before = nullptr, *After = nullptr; ///< in the list
  };
  using Lock = std::unique_lock<std::mutex>;
  void start();
  void work();
  void list(Job &J);
  void unlist(Job &J);
  Job *openJob();
  Job *lookForJob(Lock &Guard);
  void help(Job &J, Lock &Guard);
  void waitForHelpers(Job &J);

  const unsigned Threads;
  std::once_flag Started;
  std::vector<std::thread> Workers;
  std::mutex Mutex;
  std::condition_variable Wake, Done;
  Job *Oldest = nullptr, *Newest = nullptr; ///< the listed ones; under Mutex
  bool Stop = false;                        ///< under Mutex
  std::atomic<unsigned> Looking{0};
  std::atomic<uint64_t> Listed{0}; ///< jobs so far
  // Of short jobs, roughly: callers may overwrite each other's.
  std::atomic<uint64_t> LastShort{0};
  std::atomic<float> ShortNs{0};
};

} // namespace goldy::rt

#endif
