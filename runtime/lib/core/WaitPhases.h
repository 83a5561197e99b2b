//===- WaitPhases.h - How long a wait polls and sleeps --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To be woken by a driver takes a thread up to 200 us, a tenth of a program of
// two milliseconds; to poll all the time takes a processor. Waits tend to be as
// long as the one before, so a wait polls for a short one, then sleeps until
// shortly before the time that the last long one took, and polls again.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CORE_WAITPHASES_H
#define GOLDY_RUNTIME_CORE_WAITPHASES_H

#include <cstdint>

namespace goldy::rt {

/// In this order, in nanoseconds; behind them the wait sleeps to its end.
struct WaitPhases {
  uint64_t Poll = 0, Sleep = 0, PollAgain = 0;
  /// About as long as it takes to wake a thread.
  static constexpr uint64_t WakingNs = 250000;
};

/// Of a wait, where the last one that outlived its first poll took `LongNs` (0:
/// none did). Whatever that was, it polls no more than three times as long as
/// it takes to wake a thread.
constexpr WaitPhases phasesAfter(uint64_t LongNs) {
  constexpr uint64_t Waking = WaitPhases::WakingNs;
  uint64_t Sleep = LongNs > 2 * Waking ? LongNs - 2 * Waking : 0;
  return {Waking, Sleep, LongNs ? 2 * Waking : 0};
}

} // namespace goldy::rt

#endif
