//===- Print.h - Values as text -------------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shortest decimals that read back to the same bits; `nan` and `inf` as the
// command line writes them.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYRUN_PRINT_H
#define GOLDYRUN_PRINT_H

#include "goldyc/Support/Npy.h"

#include <string>

namespace goldyrun {

/// One scalar at `At`; `Bits` adds them in hex to floats.
std::string scalarText(const goldy::npy::DType &T, const std::byte *At,
                       bool Bits);
/// `[2, 5]`: element `I`, in C order, of an array; empty for one without axes.
std::string indexText(uint64_t I, const std::vector<uint64_t> &Shape);
/// `y = [1, 2, 3]`, nested by axes; long axes keep both ends.
std::string arrayText(const std::string &Name, const goldy::npy::Array &A);

} // namespace goldyrun

#endif
