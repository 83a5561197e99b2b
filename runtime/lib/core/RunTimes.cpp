//===- RunTimes.cpp - Times of a submission's last runs -------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/RunTimes.h"

#include <chrono>

using namespace goldy::rt;

uint64_t goldy::rt::steadyNs() {
  using namespace std::chrono;
  return static_cast<uint64_t>(
      duration_cast<nanoseconds>(steady_clock::now().time_since_epoch())
          .count());
}

Status goldy::rt::noTimes(uint64_t Point) {
  return Status(GOLDY_INVALID_ARGUMENT,
                "there are no times of point " + std::to_string(Point) +
                    "; the last " + std::to_string(TimedRunsKept) +
                    " runs of what was made to be timed have them, once they "
                    "were waited for");
}

Status goldy::rt::notReached(const char *Call, uint64_t Point,
                             uint64_t TimeoutNs) {
  return Status(GOLDY_TIMEOUT,
                std::string(Call) + ": point " + std::to_string(Point) +
                    " was not reached in " + std::to_string(TimeoutNs) + " ns");
}

void RunTimes::keep(uint64_t Point, std::vector<PartTime> Parts) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Last[Next] = {Point, std::move(Parts)};
  Next = (Next + 1) % Last.size();
}

Status RunTimes::find(uint64_t Point, std::vector<PartTime> &Out) const {
  std::lock_guard<std::mutex> Lock(Mutex);
  for (const Run &R : Last)
    if (Point && R.Point == Point) {
      Out = R.Parts;
      return Status();
    }
  return noTimes(Point);
}
