//===- Work.h - The kernels of the suite and their data -------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One Work a kernel: what its buffers hold, how a kernel of kernels.goldy is
// launched over them, how a native implementation runs over the same bytes,
// and where the result lies. Inputs are hashes of the index, so that other
// programs can make the same.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_BENCH_CPU_WORK_H
#define GOLDY_BENCH_CPU_WORK_H

#include "SpinPool.h"

#include "goldy/goldy.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// Buffers of a CPU device and where their bytes are.
struct Memory {
  std::vector<goldy::Buffer> Buffers;
  std::vector<void *> Bytes;
  float Total = 0; ///< the result of a sum

  float *floats(size_t I) { return static_cast<float *>(Bytes[I]); }
  uint32_t *words(size_t I) { return static_cast<uint32_t *>(Bytes[I]); }
  int32_t *ints(size_t I) { return static_cast<int32_t *>(Bytes[I]); }
  goldy::ViewOf<float> view(size_t I) { return Buffers[I].view<float>(); }
};

enum class Kind { Float, Int, Word };

struct Work {
  const char *Name;
  const char *Entry; ///< the kernel of kernels.goldy
  /// Bytes of each buffer for size N.
  std::vector<uint64_t> (*Sizes)(uint64_t N);
  /// Writes the inputs, zeros the outputs.
  void (*Fill)(Memory &, uint64_t N);
  std::vector<goldy::Argument> (*Arguments)(Memory &, uint32_t N);
  goldy::Grid (*Groups)(uint32_t N);
  void (*Native)(const NativeSuite &, SpinPool &, Memory &, int64_t N);
  /// Before and after a launch, on the host; may be null.
  void (*Before)(Memory &), (*After)(Memory &);
  /// The buffer that holds the result, null for Memory::Total.
  int Result;
  Kind Element;
  int Launches = 1; ///< of one run
};

/// Null when there is none of that name.
const Work *findWork(const std::string &Name);

/// The elements of the result, of a kernel of size N.
std::vector<double> resultOf(const Work &, Memory &, uint64_t N);

/// What two processes compare their results by.
struct Digest {
  double Sum = 0, Weighted = 0; ///< element I counts I % 7 + 1 times
  double Scale = 0;             ///< Weighted of the absolute values
  uint64_t Hash = 0;
};
Digest digest(const std::vector<double> &Elements);

/// The time of `Once` in seconds: the median of Samples, each the mean of Batch
/// runs, after Warm runs that do not count.
double secondsOf(const std::function<void()> &Once, unsigned Warm,
                 unsigned Samples, unsigned Batch);

#endif
