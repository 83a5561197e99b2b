//===- Native.h - What a native implementation of the suite exports -------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A native implementation is a shared library with one symbol, nativeSuite, a
// table of functions over ranges of units: elements, rows, or whatever the
// comment of a function says. Ranges of one call may run on several threads.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_BENCH_CPU_NATIVE_H
#define GOLDY_BENCH_CPU_NATIVE_H

#include <cstdint>

/// A range of units: [Begin, End).
struct Range {
  int64_t Begin, End;
};

struct NativeSuite {
  /// Elements: y += a * x.
  void (*Saxpy)(Range, float A, const float *X, float *Y);
  /// Elements.
  void (*Chain)(Range, const float *X, float *Z);
  /// Rows of Cols elements.
  void (*Softmax)(Range, int64_t Cols, const float *X, float *Z);
  void (*Rmsnorm)(Range, int64_t Cols, const float *X, const float *G,
                  float *Z);
  /// The sum of elements.
  float (*Sum)(Range, const float *X);
  /// Rows of C = A * B, all of N x N.
  void (*Sgemm)(Range, int64_t N, const float *A, const float *B, float *C);
  /// Rows of an image of W x H.
  void (*Conv5)(Range, int64_t W, int64_t H, const float *X, const float *K,
                float *Z);
  void (*Mandel)(Range, int64_t W, int64_t H, int32_t Most, int32_t *Z);
  /// Adds the counts of the elements' low bytes to 256 Bins.
  void (*Hist)(Range, const uint32_t *X, uint32_t *Bins);
  /// Elements.
  void (*Mix)(Range, const uint32_t *X, uint32_t *Z);
};

extern "C" const NativeSuite *nativeSuite();

#endif
