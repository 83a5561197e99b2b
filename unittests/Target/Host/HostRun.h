//===- HostRun.h - Runs host code beside the interpreter --------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel, as source or as IR text of its definition, goes through the
// verifier, the legalisation passes and the host emitter for every level that
// this machine runs; the blob is mapped and run over the grid, whole and in two
// ranges, and every word of every buffer is compared with what the interpreter
// makes of the definition.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_UNITTESTS_TARGET_HOST_HOSTRUN_H
#define GOLDYC_UNITTESTS_TARGET_HOST_HOSTRUN_H

#include "goldyc/IR/IR.h"
#include "goldyc/Target/Host/Emit.h"

#include <array>
#include <string>
#include <vector>

namespace goldy::test {

using Words = std::vector<uint32_t>;

/// An argument: a buffer's words, a scalar's bits, or the buffer of an
/// earlier argument again.
struct Arg {
  Words Buffer;
  uint32_t Scalar = 0;
  int SameAs = -1;
};
Arg buffer(Words W);
Arg scalar(uint32_t Bits);
Arg floatScalar(float F);
Arg sameAs(int Argument);
/// `N` pseudo-random words, or floats in [-1, 1).
Words words(size_t N, uint32_t Seed);
Words floats(size_t N, uint32_t Seed);

/// Levels of this machine: "x86-64-v1" … up to the native one.
std::vector<std::string> levels();

/// `-D` options.
using Defines = std::vector<std::pair<std::string, std::string>>;

/// The legal form for a level; fails the test when something is refused.
Module legal(const std::string &Text, const std::string &Arch,
             unsigned OptLevel = 2, const Defines &D = {});
Image compile(Module Legal, const std::string &Arch,
              HostOutput Output = HostOutput::Blob);

/// Buffers after a run over `Groups` groups.
std::vector<Words> runHost(const Module &M, const Image &I,
                           std::array<uint32_t, 3> Groups,
                           std::vector<Arg> Args, unsigned Parts = 1);

/// Buffers after a run of those [first, end) of the grid's groups.
std::vector<Words> runGroups(const Module &M, const Image &I,
                             std::array<uint32_t, 3> Groups,
                             std::vector<std::pair<uint64_t, uint64_t>> Ranges,
                             std::vector<Arg> Args);

/// Runs at every level and checks against the interpreter; gives the buffers
/// that the interpreter computed.
std::vector<Words> checkKernel(const std::string &Text,
                               std::array<uint32_t, 3> Groups,
                               const std::vector<Arg> &Args,
                               const std::vector<unsigned> &OptLevels = {2, 0},
                               const Defines &D = {});

} // namespace goldy::test

#endif
