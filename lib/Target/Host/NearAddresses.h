//===- NearAddresses.h - Elements near each other --------------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Indices have 32 bits and wrap, so `x[i + 1]` is not known to lie behind
// `x[i]` and every element of a window has an address of its own. Where all of
// them are accessed and no buffer is so long that an index can wrap from its
// one end to the other, they are at fixed distances.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TARGET_HOST_NEARADDRESSES_H
#define GOLDYC_LIB_TARGET_HOST_NEARADDRESSES_H

#include <cstdint>

namespace llvm {
class Function;
class LoadInst;
} // namespace llvm

namespace goldy {

/// Says of a load that its first lane's index, a 32-bit number, is in range
/// whenever it runs, in a buffer of at most 2^32 - NearDistance elements.
void markNear(llvm::LoadInst &Load);

/// Addresses of marked loads of a block whose indices differ by less than
/// NearDistance become those of the first, and a number of bytes.
void shareNearAddresses(llvm::Function &Fn);

} // namespace goldy

#endif
