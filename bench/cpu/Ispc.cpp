//===- Ispc.cpp - The suite by ISPC ---------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hands the ranges of Native.h to the exported functions of kernels.ispc.
//
//===----------------------------------------------------------------------===//
#include "Native.h"

extern "C" {
void ispc_saxpy(int64_t, int64_t, float, const float *, float *);
void ispc_chain(int64_t, int64_t, const float *, float *);
void ispc_softmax(int64_t, int64_t, int64_t, const float *, float *);
void ispc_rmsnorm(int64_t, int64_t, int64_t, const float *, const float *,
                  float *);
float ispc_sum(int64_t, int64_t, const float *);
void ispc_sgemm(int64_t, int64_t, int64_t, const float *, const float *,
                float *);
void ispc_conv5(int64_t, int64_t, int64_t, int64_t, const float *,
                const float *, float *);
void ispc_mandel(int64_t, int64_t, int64_t, int64_t, int32_t, int32_t *);
void ispc_hist(int64_t, int64_t, const uint32_t *, uint32_t *);
void ispc_mix(int64_t, int64_t, const uint32_t *, uint32_t *);
}

namespace {

template <auto F, class... T> void call(Range R, T... Arguments) {
  F(R.Begin, R.End, Arguments...);
}
float sum(Range R, const float *X) { return ispc_sum(R.Begin, R.End, X); }

} // namespace

const NativeSuite *nativeSuite() {
  static const NativeSuite Suite{call<ispc_saxpy>,
                                 call<ispc_chain>,
                                 call<ispc_softmax>,
                                 call<ispc_rmsnorm>,
                                 sum,
                                 call<ispc_sgemm>,
                                 call<ispc_conv5>,
                                 call<ispc_mandel>,
                                 call<ispc_hist>,
                                 call<ispc_mix>};
  return &Suite;
}
