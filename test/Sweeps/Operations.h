//===- Operations.h - What is swept ---===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One kernel an operation, all with the same signature: `edges`, results `o`,
// number of the first sample. A kernel makes a sample's operands from its
// number, so nothing but results leaves a device.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_TEST_SWEEPS_OPERATIONS_H
#define GOLDY_TEST_SWEEPS_OPERATIONS_H

#include "Twins.h"

#include <span>
#include <string>
#include <vector>

namespace goldy::sweep {

struct Operation {
  const char *Name;
  const char *Result; ///< element type of `o`
  const char *Value;  ///< of x, y, z (f32), s (their words)
  Twin Exact = nullptr;
  unsigned Takes = 1; ///< operands, for messages
  uint32_t bytes() const;
  /// Reads elements of that type in place of operands; all of their patterns.
  const char *Reads = nullptr;
};

std::span<const Operation> operations();
/// Gives a sample's operands: three words.
inline constexpr const char *OperandsKernel = "operands";
/// The kernels of all operations, in the kernel language.
std::string kernelText();

inline constexpr uint32_t NumEdges = 256;
/// Values where operations change: both sides of powers of two and of 2^-126,
/// halves, integers' ends, zeros, infinities, NaNs with payloads.
std::vector<uint32_t> edges();

} // namespace goldy::sweep

#endif
