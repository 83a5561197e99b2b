//===- RandomKernel.h - Kernels to try passes on
//----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes verified kernels from a stream of choices: nested statements with all
// kinds of exits, helpers with early returns, structs, vectors and private
// arrays, indices in and out of range, floats of every class. Every loop ends
// after a few repetitions. The same choices give the same kernel.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_UNITTESTS_TRANSFORMS_RANDOMKERNEL_H
#define GOLDYC_UNITTESTS_TRANSFORMS_RANDOMKERNEL_H

#include "goldyc/IR/IR.h"

namespace goldy::test {

/// fn k(x: &[u32], y: &mut [u32], f: &mut [f32], n: u32, c: f32), groups of 4.
Module randomKernel(uint32_t Seed);
/// Ditto with barriers, not all of them where all work-items come.
Module randomKernelWithBarriers(uint32_t Seed);

} // namespace goldy::test

#endif
