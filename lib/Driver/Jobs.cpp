//===- Jobs.cpp - Independent work on several threads ---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Jobs.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

void goldy::driver::runJobs(unsigned Threads, size_t Count,
                            const std::function<void(size_t)> &Work) {
  if (Threads == 0)
    Threads = std::max(1u, std::thread::hardware_concurrency());
  Threads = static_cast<unsigned>(std::min<size_t>(Threads, Count));
  std::atomic<size_t> Next{0};
  auto Run = [&] {
    for (size_t I = Next++; I < Count; I = Next++)
      Work(I);
  };
  std::vector<std::jthread> Helpers;
  for (unsigned T = 1; T < Threads; ++T)
    Helpers.emplace_back(Run);
  Run();
}
