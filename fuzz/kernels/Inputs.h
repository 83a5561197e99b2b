//===- Inputs.h - Hostile arguments for any kernel ------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_FUZZ_KERNELS_INPUTS_H
#define GOLDY_FUZZ_KERNELS_INPUTS_H

#include "goldyc/IR/IR.h"

#include "goldyc/Interp/Interp.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace goldy::fuzz {

/// The argument of one parameter.
struct Input {
  std::string Name;
  bool IsBuffer = false;
  uint64_t Bits = 0;                ///< scalars
  uint64_t Stride = 0;              ///< bytes an element
  std::vector<std::byte> Bytes;     ///< elements, in the language's layout
  std::optional<size_t> Again;      ///< the same view as that parameter's
  std::optional<InterpTensor> View; ///< tensors: what is seen of them
};

/// Edge values and noise by the number of the run and the parameters' names and
/// types alone. Buffers that are written have one element for each work-item of
/// `Groups` groups and a few more; the rest have fewer, so that indices run out
/// of range. Some names ask for more:
/// - `few…`, `some…`: a number below 10, below 400; `few…` may be 0;
/// - `long…`, `four…`: four elements a work-item, in every third run a third of
///   them; what is in `long…` is of ordinary size but in every other run;
/// - `X_again`: the view that `X` is.
std::vector<Input> makeInputs(const Module &M, const Function &Kernel,
                              uint32_t Groups, uint32_t Run);

} // namespace goldy::fuzz

#endif
