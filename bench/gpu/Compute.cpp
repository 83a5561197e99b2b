//===- Compute.cpp - matrices, a stencil, bins, Mandelbrot ---------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Harness.h"

using namespace goldy;
using namespace goldy::bench;

namespace {
/// A kernel over a square, and how much of it a group does along x and y.
struct SquareKernel {
  const char *Name;
  uint32_t Width, Height;
  const char *Suffix = ""; ///< of the benchmark's name
  uint32_t Lanes = 1;      ///< elements that are one of its views'
};
struct MandelKernel {
  const char *Name;
  bool TakesHeight; ///< as well as the width
};
struct HistKernel {
  const char *Name;
  uint32_t Groups;
  uint32_t Lanes = 1;
};
} // namespace

static const SquareKernel SgemmKernels[] = {
    {"sgemm_plain", 16, 16},
    {"sgemm_fma", 128, 128, "", 4},
    {"sgemm_strict", 128, 128, " strict", 4}};
/// A filter of 25 lanes is one uniform block.
static const SquareKernel ConvKernels[] = {{"conv5_plain", 32, 8},
                                           {"conv5", 32, 8, "", 25},
                                           {"conv5_rows", 64, 16, "", 25}};
static const MandelKernel MandelKernels[] = {{"mandel_plain", false},
                                             {"mandel", true}};
static const HistKernel HistKernels[] = {{"hist_plain", 1056},
                                         {"hist", 1056, 4}};

static goldy_grid_t tiles(const SquareKernel &K, uint32_t N) {
  return {{(N + K.Width - 1) / K.Width, (N + K.Height - 1) / K.Height, 1}};
}

/// An element a work-item.
static goldy_grid_t overSquare(goldy_kernel_t *K, uint32_t N) {
  goldy_kernel_info_t I = goldy_kernel_info(K);
  return {{(N + I.workgroup_size[0] - 1) / I.workgroup_size[0],
           (N + I.workgroup_size[1] - 1) / I.workgroup_size[1], 1}};
}

/// The root mean square error of 400 elements, relative to theirs.
static double sgemmError(const Bench &B, uint32_t N) {
  std::vector<float> Got = B.floats(B.Z, uint64_t(N) * N);
  double Off = 0, All = 0;
  for (uint32_t K = 0; K < 400; ++K) {
    uint32_t I = hashOf(K) % N, J = hashOf(K + 977) % N;
    double Sum = 0;
    for (uint32_t Q = 0; Q < N; ++Q)
      Sum += double(randomFloat(I * N + Q, 1)) * randomFloat(Q * N + J, 2);
    double E = Got[uint64_t(I) * N + J] - Sum;
    Off += E * E;
    All += Sum * Sum;
  }
  return std::sqrt(Off / All);
}

static void sgemmCase(Bench &B, const SquareKernel &Of, uint32_t N) {
  if (N % Of.Width)
    return;
  uint64_t Elements = uint64_t(N) * N;
  Case C{.Name = "sgemm " + std::to_string(N) + Of.Suffix, .Kernel = Of.Name};
  C.Bytes = 12.0 * Elements;
  C.Ops = 2.0 * Elements * N;
  C.SampleMs = 10;
  C.Samples = 20;
  C.Before = [&B, Elements] {
    B.fillFloats(B.X, Elements, 1);
    B.fillFloats(B.Y, Elements, 2);
  };
  C.Step = [&B, Of, Elements, N](Steps &S, goldy_kernel_t *K, uint32_t) {
    S.launch(K,
             {view(B.X, 0, Elements / Of.Lanes),
              view(B.Y, 0, Elements / Of.Lanes),
              view(B.Z, 0, Elements / Of.Lanes), word(N)},
             tiles(Of, N));
  };
  C.Error = [&B, N] { return sgemmError(B, N); };
  C.Tolerance = 1e-5;
  B.run(C);
}

/// 4,000 places, the corners' neighbourhood among them.
static double convError(const Bench &B, int32_t N) {
  std::vector<float> Got = B.floats(B.Z, uint64_t(N) * N);
  Worst W;
  for (int32_t Q = 0; Q < 4000; ++Q) {
    int32_t X = hashOf(Q) % N, Y = hashOf(Q + 977) % N;
    if (Q < 400) {
      int32_t K = Q % 200;
      X = Q < 200 ? K % 3 : N - 1 - K % 3;
      Y = Q < 200 ? K / 3 : N - 1 - K / 3;
    }
    double Sum = 0;
    for (int32_t I = 0; I < 25; ++I) {
      int32_t U = X + I % 5 - 2, V = Y + I / 5 - 2;
      if (U >= 0 && U < N && V >= 0 && V < N)
        Sum += double(randomFloat(V * N + U, 1)) * randomFloat(I, 99);
    }
    W.see(Got[uint64_t(Y) * N + X] - Sum);
  }
  return W.Of;
}

static void convCase(Bench &B, const SquareKernel &Of) {
  uint32_t N = B.Size.Image;
  uint64_t Elements = uint64_t(N) * N;
  Case C{.Name = "conv5 " + std::to_string(N), .Kernel = Of.Name};
  C.Bytes = 8.0 * Elements;
  C.Ops = 50.0 * Elements;
  C.Before = [&B, Elements] {
    B.fillFloats(B.X, Elements, 1);
    B.fillFloats(B.W, 25, 99);
  };
  C.Step = [&B, Of, Elements, N](Steps &S, goldy_kernel_t *K, uint32_t) {
    S.launch(K,
             {view(B.X, 0, Elements), view(B.W, 0, 25 / Of.Lanes),
              view(B.Z, 0, Elements), word(N)},
             tiles(Of, N));
  };
  C.Error = [&B, N] { return convError(B, static_cast<int32_t>(N)); };
  C.Tolerance = 1e-5;
  B.run(C);
}

static void histCase(Bench &B, const HistKernel &Of) {
  constexpr uint32_t Bins = 256;
  uint64_t N = 1ull << B.Size.LogVector;
  Case C{.Name = "hist 2^" + std::to_string(B.Size.LogVector),
         .Kernel = Of.Name};
  C.Bytes = 4.0 * N;
  C.Ops = N;
  C.Before = [&B, N] { B.fillBytes(B.X, N); };
  C.Step = [&B, Of, N](Steps &S, goldy_kernel_t *K, uint32_t) {
    S.fill(B.W, 4 * Bins, 0);
    S.launch(K, {view(B.X, 0, N / Of.Lanes), view(B.W, 0, Bins)},
             {{Of.Groups, 1, 1}});
  };
  C.Error = [&B, N] {
    std::vector<uint32_t> Want(Bins), Got = B.words(B.W, Bins);
    for (uint64_t I = 0; I < N; ++I)
      ++Want[hashOf(static_cast<uint32_t>(I)) & 255];
    double Wrong = 0;
    for (uint32_t I = 0; I < Bins; ++I)
      Wrong += Want[I] != Got[I];
    return Wrong;
  };
  B.run(C);
}

/// Iterations of one point; this file is compiled without contraction.
static uint32_t escapeOf(uint32_t X, uint32_t Y, uint32_t N, uint32_t Most) {
  float Cr = -2.0f + 3.0f * static_cast<float>(X) / static_cast<float>(N);
  float Ci = -1.5f + 3.0f * static_cast<float>(Y) / static_cast<float>(N);
  float A = 0, B = 0;
  uint32_t K = 0;
  for (; K < Most && A * A + B * B < 4.0f; ++K) {
    float T = A * A - B * B + Cr;
    B = 2.0f * A * B + Ci;
    A = T;
  }
  return K;
}

static void mandelCase(Bench &B, const MandelKernel &Of) {
  constexpr uint32_t Most = 256;
  uint32_t N = B.Size.Image;
  uint64_t Elements = uint64_t(N) * N;
  Case C{.Name = "mandel " + std::to_string(N), .Kernel = Of.Name};
  C.Bytes = 4.0 * Elements;
  C.Step = [&B, Of, Elements, N](Steps &S, goldy_kernel_t *K, uint32_t) {
    std::vector<goldy_argument_t> Arguments{view(B.Z, 0, Elements), word(N)};
    if (Of.TakesHeight)
      Arguments.push_back(word(N));
    Arguments.push_back(word(Most));
    S.launch(K, std::move(Arguments), overSquare(K, N));
  };
  C.Error = [&B, Elements, N] {
    std::vector<uint32_t> Got = B.words(B.Z, Elements);
    double Wrong = 0;
    for (uint32_t Q = 0; Q < 20000; ++Q) {
      uint32_t X = hashOf(Q) % N, Y = hashOf(Q + 977) % N;
      Wrong += Got[uint64_t(Y) * N + X] != escapeOf(X, Y, N, Most);
    }
    return Wrong;
  };
  B.run(C);
}

void bench::computeCases(Bench &B) {
  for (uint32_t N : {B.Size.Matrix, B.Size.Matrix / 4})
    for (const SquareKernel &K : SgemmKernels)
      sgemmCase(B, K, N);
  for (const SquareKernel &K : ConvKernels)
    convCase(B, K);
  for (const HistKernel &K : HistKernels)
    histCase(B, K);
  for (const MandelKernel &K : MandelKernels)
    mandelCase(B, K);
}
