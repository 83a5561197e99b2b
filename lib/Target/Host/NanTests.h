//===- NanTests.h - One test for the NaN of many results --------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel stores has one NaN for all. A comparison and a choice for each
// register is much of a short loop, and a NaN is rare.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TARGET_HOST_NANTESTS_H
#define GOLDYC_LIB_TARGET_HOST_NANTESTS_H

namespace llvm {
class Function;
} // namespace llvm

namespace goldy {

/// Where several registers of eight floats get the canonical NaN before the
/// first of them is used, one test for all of them jumps to code that chooses.
/// For v3.
void testNansTogether(llvm::Function &Fn);

} // namespace goldy

#endif
