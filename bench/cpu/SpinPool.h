//===- SpinPool.h - Threads for the native implementations ----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The least that a hand-made pool costs: while a measurement lasts, helpers
// spin for the next range, which the caller shares out in chunks. Between
// measurements they sleep, so that they do not disturb other implementations.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_BENCH_CPU_SPINPOOL_H
#define GOLDY_BENCH_CPU_SPINPOOL_H

#include "Native.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

class SpinPool {
public:
  explicit SpinPool(unsigned Threads) : Count(std::max(1u, Threads)) {
    for (unsigned I = 1; I < Count; ++I)
      Helpers.emplace_back([this] { help(); });
  }
  ~SpinPool() {
    Ending = true;
    wake();
    for (std::thread &T : Helpers)
      T.join();
  }
  unsigned threads() const { return Count; }

  void wake() {
    Awake = true;
    Awake.notify_all();
  }
  void sleep() { Awake = false; }

  /// Calls `Body` on ranges of at most `Chunk` that make up [0, Units), the
  /// last on the calling thread or a helper; returns when all are done.
  template <class F> void run(int64_t Units, int64_t Chunk, const F &Body) {
    if (Count == 1 || Units <= Chunk) {
      for (int64_t I = 0; I < Units; I += Chunk)
        Body(Range{I, std::min(Units, I + Chunk)});
      return;
    }
    Work = [&Body](Range R) { Body(R); };
    End = Units;
    Step = Chunk;
    Next = 0;
    Left = int(Count) - 1;
    Turn.fetch_add(1, std::memory_order_release);
    take();
    while (Left.load(std::memory_order_acquire) != 0)
      pause();
  }

private:
  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  void take() {
    for (int64_t I; (I = Next.fetch_add(Step)) < End;)
      Work({I, std::min(End, I + Step)});
  }
  void help() {
    for (unsigned Seen = 0; !Ending;) {
      if (Turn.load(std::memory_order_acquire) != Seen) {
        ++Seen;
        take();
        Left.fetch_sub(1, std::memory_order_release);
      } else if (!Awake) {
        Awake.wait(false);
      } else {
        pause();
      }
    }
  }

  unsigned Count;
  std::vector<std::thread> Helpers;
  std::function<void(Range)> Work;
  int64_t End = 0, Step = 1;
  alignas(64) std::atomic<int64_t> Next{0};
  alignas(64) std::atomic<unsigned> Turn{0};
  alignas(64) std::atomic<int> Left{0};
  alignas(64) std::atomic<bool> Awake{false};
  std::atomic<bool> Ending{false};
};

#endif
