//===- FloatState.h - The float environment kernels are written for -------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// x86-64: flush results to zero, read subnormals as zero, round to nearest, no
// traps. The caller's state, its sticky flags included, comes back afterwards.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CPU_FLOATSTATE_H
#define GOLDY_RUNTIME_CPU_FLOATSTATE_H

#include <cstdint>

namespace goldy::rt {

class KernelFloatState {
public:
  static constexpr uint32_t FlushToZero = 0x8000, SubnormalsAreZero = 0x0040,
                            AllMasked = 0x1f80;
  KernelFloatState() {
    asm volatile("stmxcsr %0" : "=m"(Saved) : : "memory");
    set(Wanted);
  }
  ~KernelFloatState() { set(Saved); }
  KernelFloatState(const KernelFloatState &) = delete;
  KernelFloatState &operator=(const KernelFloatState &) = delete;

private:
  static void set(const uint32_t &State) {
    asm volatile("ldmxcsr %0" : : "m"(State) : "memory");
  }
  static constexpr uint32_t Wanted =
      AllMasked | FlushToZero | SubnormalsAreZero;
  uint32_t Saved;
};

} // namespace goldy::rt

#endif
