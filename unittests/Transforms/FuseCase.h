//===- FuseCase.h - Launches, one by one and fused ------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A chain of launches with named arguments runs in the interpreter as it
// stands and as one kernel, before and after the passes for three kinds of
// target. Every buffer must have the same bytes, but for those that vanished.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_UNITTESTS_TRANSFORMS_FUSECASE_H
#define GOLDYC_UNITTESTS_TRANSFORMS_FUSECASE_H

#include "goldyc/Transforms/Fuse.h"

#include <map>
#include <random>
#include <string>
#include <vector>

namespace goldy::fusetest {

Module compile(const std::string &Text);

struct Launch {
  std::string Kernel;
  std::vector<std::string> Arguments; ///< names of buffers and scalars
};

struct Chain {
  std::vector<Launch> Launches;
  std::map<std::string, uint64_t> Scalars;
  std::map<std::string, std::vector<std::byte>> Buffers;
  std::map<std::string, std::string> Temporaries; ///< with their length
  bool Carried = false;
  std::array<uint32_t, 3> Groups{1, 1, 1};
};

FusionRequest requestOf(const Module &M, const Chain &C);
/// Fails the test if a buffer differs. Gives what fusing gave.
std::variant<FusedKernel, FusionRejection> checkChain(Module &M,
                                                      const Chain &C);
/// `Count` words that hold every kind of float, by a seed.
std::vector<std::byte> randomBytes(size_t Count, uint32_t Seed);
/// `fn NAME(a: &mut [f32], b: &mut [f32], c: &[f32], n: u32)` in groups of 8,
/// from guards, indices and statements most of which allow fusion.
std::string randomKernel(std::mt19937 &Random, const std::string &Name);

} // namespace goldy::fusetest

#endif
