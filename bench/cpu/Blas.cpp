//===- Blas.cpp - SGEMM by OpenBLAS ---------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library is the file that GOLDY_OPENBLAS names, with plain names or those
// of the wheel scipy-openblas32. It runs on the calling thread; rows are shared
// out as for every native implementation, because its own helpers spin on after
// a call and would disturb the next one. (Its own threads were not faster.)
//
//===----------------------------------------------------------------------===//
#include "Native.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>

namespace {

using Gemm = void (*)(int Order, int TransA, int TransB, int M, int N, int K,
                      float Alpha, const float *A, int LDA, const float *B,
                      int LDB, float Beta, float *C, int LDC);

template <class F> F symbol(const char *Name) {
  static void *Library =
      dlopen(std::getenv("GOLDY_OPENBLAS"), RTLD_NOW | RTLD_LOCAL);
  if (!Library) {
    std::printf("{\"error\":\"GOLDY_OPENBLAS is no library\"}\n");
    std::exit(1);
  }
  void *Found = dlsym(Library, Name);
  if (!Found)
    Found = dlsym(Library, ("scipy_" + std::string(Name)).c_str());
  return reinterpret_cast<F>(Found);
}

void sgemm(Range R, int64_t N, const float *A, const float *B, float *C) {
  static const Gemm Call = [] {
    symbol<void (*)(int)>("openblas_set_num_threads")(1);
    return symbol<Gemm>("cblas_sgemm");
  }();
  constexpr int RowMajor = 101, Plain = 111;
  int Side = int(N);
  Call(RowMajor, Plain, Plain, int(R.End - R.Begin), Side, Side, 1.0f,
       A + R.Begin * N, Side, B, Side, 0.0f, C + R.Begin * N, Side);
}

} // namespace

const NativeSuite *nativeSuite() {
  static const NativeSuite Suite{.Sgemm = sgemm};
  return &Suite;
}
