//===- LaunchBench.h - Ways to do the same work, timed in turn ------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rounds of all ways in turn; printed are each way's median and the median of
// its ratio to the first way within a round, and how long the host took until
// all was started, of ways that tell. Each way works twice in a row and the
// second time counts: what a device takes to turn to another context is
// nobody's.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_BENCH_LAUNCHBENCH_H
#define GOLDY_BENCH_LAUNCHBENCH_H

#include "core/Status.h"
#include "goldy/goldy.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace goldy::bench {

[[noreturn]] inline void stop(const char *What, const std::string &Why) {
  std::fprintf(stderr, "error: %s: %s\n", What, Why.c_str());
  std::exit(1);
}
template <class T> T need(Result<T> R, const char *What) {
  if (!R.ok())
    stop(What, R.status().message());
  return std::move(*R);
}
inline void need(rt::Status S, const char *What) {
  if (!S.ok())
    stop(What, S.message());
}
inline void need(goldy_status_t S, const char *What) {
  if (S)
    stop(What, goldy_status_message(S));
}

struct Way {
  const char *Name;
  std::function<void()> Do;
  std::vector<double> Us, StartedUs = {};
};

/// When the work that is measured had been started, if its way tells.
inline std::chrono::steady_clock::time_point StartedAt;
inline void started() { StartedAt = std::chrono::steady_clock::now(); }

inline double median(std::vector<double> V) {
  std::nth_element(V.begin(), V.begin() + V.size() / 2, V.end());
  return V[V.size() / 2];
}

/// The first way is what the others are compared with.
inline void measure(const char *Title, std::vector<Way> Ways,
                    uint32_t Rounds = 2000) {
  using Clock = std::chrono::steady_clock;
  using Us = std::chrono::duration<double, std::micro>;
  constexpr uint32_t WarmUps = 100;
  for (uint32_t R = 0; R < Rounds + WarmUps; ++R)
    for (Way &W : Ways) {
      W.Do();
      Clock::time_point Start = Clock::now();
      W.Do();
      Us Spent = Clock::now() - Start;
      if (R < WarmUps)
        continue;
      W.Us.push_back(Spent.count());
      if (StartedAt > Start)
        W.StartedUs.push_back(Us(StartedAt - Start).count());
    }
  std::printf("%s\n", Title);
  for (const Way &W : Ways) {
    std::vector<double> Ratios;
    for (uint32_t R = 0; R < Rounds; ++R)
      Ratios.push_back(W.Us[R] / Ways[0].Us[R]);
    std::printf("  %-44s %8.2f us  x %.3f", W.Name, median(W.Us),
                median(Ratios));
    if (W.StartedUs.empty())
      std::printf("\n");
    else
      std::printf("  started after %.2f us\n", median(W.StartedUs));
  }
  std::fflush(stdout);
}

} // namespace goldy::bench

#endif
