//===- Ticks.h - A clock that costs next to nothing -----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The processor's counter, a quarter of what the system's clock costs. It tells
// how long work took where that decides how work is divided, and nothing that
// anybody sees: counters of two cores may differ, and on old processors their
// rate changes.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CPU_TICKS_H
#define GOLDY_RUNTIME_CPU_TICKS_H

#include <cstdint>
#include <x86intrin.h>

namespace goldy::rt {

inline uint64_t ticks() { return __rdtsc(); }

/// Ticks of a nanosecond, measured at the first call, for 30 µs.
float ticksPerNs();

/// From `Start` on, in nanoseconds; 0 if the counter went back.
inline float nsSince(uint64_t Start) {
  uint64_t Now = ticks();
  return Now > Start ? static_cast<float>(Now - Start) / ticksPerNs() : 0;
}

} // namespace goldy::rt

#endif
