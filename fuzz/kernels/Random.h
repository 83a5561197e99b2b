//===- Random.h - Numbers that are the same on every machine --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_FUZZ_KERNELS_RANDOM_H
#define GOLDY_FUZZ_KERNELS_RANDOM_H

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace goldy::fuzz {

/// Xorshift* of Vigna: 64 bits of state, any seed.
class Random {
public:
  explicit Random(uint64_t Seed) : State(Seed * 0x9e3779b97f4a7c15u + 1) {}
  uint64_t next() {
    State ^= State >> 12;
    State ^= State << 25;
    State ^= State >> 27;
    return State * 0x2545f4914f6cdd1du;
  }
  /// Below `N`, which is not 0.
  uint32_t below(uint32_t N) {
    return static_cast<uint32_t>((next() >> 32) % N);
  }
  /// True in `Percent` of 100 cases.
  bool chance(uint32_t Percent) { return below(100) < Percent; }
  template <typename T> T pick(std::initializer_list<T> Of) {
    return Of.begin()[below(static_cast<uint32_t>(Of.size()))];
  }
  template <typename T> const T &pick(const std::vector<T> &Of) {
    return Of[below(static_cast<uint32_t>(Of.size()))];
  }

private:
  uint64_t State;
};

} // namespace goldy::fuzz

#endif
