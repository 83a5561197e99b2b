//===- Comparison.h - One kernel on every device against the oracle -------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a source file that holds one kernel, fills its parameters with edge
// values and noise that depend on the parameters' names alone, three times
// over, and compares every byte that each device leaves with what the
// interpreter leaves.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_FUZZ_KERNELS_COMPARISON_H
#define GOLDY_FUZZ_KERNELS_COMPARISON_H

#include <cstdint>
#include <string>
#include <vector>

namespace goldy::fuzz {

/// A device and the arch of the image that it takes, and how that was compiled.
struct Contender {
  std::string Device; ///< "cpu", "vulkan", "cuda"
  std::string Arch;   ///< "x86-64-v3", "vulkan1.3", "sm_80"
  std::string Via;    ///< "own" or "slang"
  unsigned Threads = 1;
};

/// The CPU's levels that this machine runs, the last one also with two threads,
/// and Vulkan and CUDA if there is such a device. If `Only` names arches, just
/// those.
std::vector<Contender> contenders(bool WithSlang,
                                  const std::vector<std::string> &Only);

enum class Outcome : uint8_t {
  Equal,
  Different, ///< other bytes, or a device failed where the oracle did not
  Refused,   ///< the compiler or the oracle does not take the kernel
};

struct Verdict {
  Outcome Result = Outcome::Equal;
  std::string Detail; ///< of anything but Equal: one or more lines
};

/// Before the program ends: drivers take themselves down on the way out.
void closeDevices();

/// `File` is read, never written. `Flags` go to the compiler.
Verdict compareKernel(const std::string &File,
                      const std::vector<Contender> &Against,
                      const std::vector<std::string> &Flags);

} // namespace goldy::fuzz

#endif
