//===- Elementwise.cpp - saxpy, a chain, copies --------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Harness.h"

using namespace goldy;
using namespace goldy::bench;

static std::string power(const char *What, uint32_t Log) {
  return std::string(What) + " 2^" + std::to_string(Log);
}

static void copyCase(Bench &B) {
  uint64_t N = 1ull << B.Size.LogCopy;
  Case C{.Name = power("copy", B.Size.LogCopy), .Kernel = "copy"};
  C.Bytes = 8.0 * N;
  C.Samples = 20;
  C.Before = [&B, N] { B.fillFloats(B.X, N, 1); };
  C.Step = [&B, N](Steps &S, goldy_kernel_t *K, uint32_t) {
    S.launch(K, {view(B.X, 0, N), view(B.Z, 0, N)}, over(N));
  };
  C.Error = [&B, N] {
    constexpr uint32_t Tail = 1 << 16;
    std::vector<float> Got = B.floats(B.Z, Tail, N - Tail);
    Worst W;
    for (uint32_t I = 0; I < Tail; ++I)
      W.see(Got[I] - randomFloat(static_cast<uint32_t>(N - Tail + I), 1));
    return W.Of;
  };
  B.run(C);
}

static void saxpyCase(Bench &B, uint32_t Log) {
  constexpr float Factor = 0.7f;
  uint64_t N = 1ull << Log;
  Case C{.Name = power("saxpy", Log), .Kernel = "saxpy"};
  C.Bytes = 12.0 * N;
  C.Ops = 2.0 * N;
  C.Before = [&B, N] {
    B.fillFloats(B.X, N, 1);
    B.fillFloats(B.Y, N, 2);
  };
  C.Step = [&B, N](Steps &S, goldy_kernel_t *K, uint32_t) {
    S.launch(K, {view(B.X, 0, N), view(B.Y, 0, N), word(Factor)}, over(N));
  };
  C.Error = [&B] {
    std::vector<float> Got = B.floats(B.Y, 1 << 16);
    Worst W;
    for (uint32_t I = 0; I < Got.size(); ++I)
      W.see(Got[I] - (double(Factor) * randomFloat(I, 1) + randomFloat(I, 2)));
    return W.Of;
  };
  C.Tolerance = 2e-7;
  B.run(C);
}

static double chainOf(double X) {
  double Y = X * 2 + 1;
  double G = 0.5 * Y * (1 + std::tanh(0.79788456 * (Y + 0.044715 * Y * Y * Y)));
  return std::clamp(G, -0.1, 2.0);
}

static void chainCase(Bench &B) {
  uint64_t N = 1ull << B.Size.LogVector;
  Case C{.Name = power("chain", B.Size.LogVector), .Kernel = "chain"};
  C.Bytes = 8.0 * N;
  C.Ops = 12.0 * N;
  C.Before = [&B, N] { B.fillFloats(B.X, N, 1); };
  C.Step = [&B, N](Steps &S, goldy_kernel_t *K, uint32_t) {
    S.launch(K, {view(B.X, 0, N), view(B.Z, 0, N)}, over(N));
  };
  C.Error = [&B] {
    std::vector<float> Got = B.floats(B.Z, 1 << 16);
    Worst W;
    for (uint32_t I = 0; I < Got.size(); ++I)
      W.see(Got[I] - chainOf(randomFloat(I, 1)));
    return W.Of;
  };
  C.Tolerance = 2e-6;
  B.run(C);
}

void bench::elementwiseCases(Bench &B) {
  copyCase(B);
  saxpyCase(B, B.Size.LogVector);
  saxpyCase(B, 16);
  chainCase(B);
}
