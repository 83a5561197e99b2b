//===- Rows.cpp - softmax, rmsnorm, sums ---------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Harness.h"

using namespace goldy;
using namespace goldy::bench;

namespace {
/// A kernel that takes rows, how many of them a group has, and their length, if
/// it is the kernel's and no parameter; floats of an element of the views.
struct RowKernel {
  const char *Name;
  uint32_t RowsOfGroup = 1, Cols = 0, Together = 1;
};
/// A pass of a sum: a group adds up so many elements and stores one.
struct SumKernel {
  const char *Name;
  uint32_t ElementsOfGroup;
};
} // namespace

static const RowKernel SoftmaxKernels[] = {
    {"softmax_plain"}, {"softmax4096", 1, 4096, 4}, {"softmax256", 1, 256}};
static const RowKernel RmsNormKernels[] = {{"rmsnorm_plain"},
                                           {"rmsnorm4096", 1, 4096}};
static const SumKernel SumKernels[] = {{"sum_plain", 4096}, {"sum_step", 8192}};

/// The launch of `K` over all rows.
static void rowLaunch(Steps &S, goldy_kernel_t *K, const RowKernel &Of,
                      std::vector<goldy_argument_t> Arguments, uint32_t Rows,
                      uint32_t Cols) {
  if (!Of.Cols)
    Arguments.push_back(word(Cols));
  S.launch(K, std::move(Arguments), over(Rows, Of.RowsOfGroup));
}

static std::string rowsName(const char *What, uint32_t Rows, uint32_t Cols) {
  return std::string(What) + " " + std::to_string(Rows) + "x" +
         std::to_string(Cols);
}

/// The largest relative error in the first two rows.
static double softmaxError(const Bench &B, uint32_t Cols) {
  std::vector<float> Got = B.floats(B.Z, 2ull * Cols);
  Worst W;
  for (uint32_t R = 0; R < 2; ++R) {
    std::vector<double> E(Cols);
    double Sum = 0;
    for (uint32_t I = 0; I < Cols; ++I)
      Sum += E[I] = std::exp(double(randomFloat(R * Cols + I, 1)));
    for (uint32_t I = 0; I < Cols; ++I)
      W.see(Got[R * Cols + I] / (E[I] / Sum) - 1);
  }
  return W.Of;
}

/// `Ring` inputs and outputs in turn; one stays in the device's cache.
static void softmaxCase(Bench &B, const RowKernel &Of, uint32_t Cols,
                        uint32_t Ring) {
  if (Of.Cols && Of.Cols != Cols)
    return;
  uint32_t Rows = B.Size.Rows;
  uint64_t N = uint64_t(Rows) * Cols;
  Case C{.Name = rowsName("softmax", Rows, Cols), .Kernel = Of.Name};
  if (Ring == 1 && !B.Size.Small)
    C.Name += " L2-hot";
  C.Bytes = 8.0 * N;
  C.Ring = Ring;
  C.Before = [&B, N, Ring] { B.fillFloats(B.X, N * Ring, 1); };
  C.Step = [&B, Of, Cols, Rows, N](Steps &S, goldy_kernel_t *K, uint32_t Turn) {
    uint64_t Count = N / Of.Together;
    rowLaunch(S, K, Of,
              {view(B.X, N * Turn, Count), view(B.Z, N * Turn, Count)}, Rows,
              Cols);
  };
  C.Error = [&B, Cols] { return softmaxError(B, Cols); };
  C.Tolerance = 2e-5;
  B.run(C);
}

static double rmsNormError(const Bench &B, uint32_t Cols) {
  std::vector<float> Got = B.floats(B.Z, Cols);
  double Squares = 0;
  for (uint32_t I = 0; I < Cols; ++I)
    Squares += double(randomFloat(I, 1)) * randomFloat(I, 1);
  double Scale = 1 / std::sqrt(Squares / Cols + 1e-5);
  Worst W;
  for (uint32_t I = 0; I < Cols; ++I)
    W.see(Got[I] - randomFloat(I, 1) * Scale * randomFloat(I, 4));
  return W.Of;
}

static void rmsNormCase(Bench &B, const RowKernel &Of) {
  constexpr uint32_t Cols = 4096;
  uint32_t Rows = B.Size.Rows, Ring = B.Size.Small ? 1 : 4;
  uint64_t N = uint64_t(Rows) * Cols;
  Case C{.Name = rowsName("rmsnorm", Rows, Cols), .Kernel = Of.Name};
  C.Bytes = 8.0 * N;
  C.Ring = Ring;
  C.Before = [&B, N, Ring] {
    B.fillFloats(B.X, N * Ring, 1);
    B.fillFloats(B.W, Cols, 4);
  };
  C.Step = [&B, Of, Rows, N](Steps &S, goldy_kernel_t *K, uint32_t Turn) {
    rowLaunch(
        S, K, Of,
        {view(B.X, N * Turn, N), view(B.W, 0, Cols), view(B.Z, N * Turn, N)},
        Rows, Cols);
  };
  C.Error = [&B] { return rmsNormError(B, Cols); };
  C.Tolerance = 1e-5;
  B.run(C);
}

/// Passes until one element is left, into pieces of W that follow each other.
/// Gives the place of the last.
static uint64_t sumSteps(Bench &B, const SumKernel &Of, uint64_t N,
                         uint32_t Turn, Steps *S, goldy_kernel_t *K) {
  uint64_t To = 0;
  goldy_argument_t From = view(B.X, N * Turn, N);
  for (uint64_t Left = N;;) {
    goldy_grid_t Grid = over(Left, Of.ElementsOfGroup);
    Left = Grid.groups[0];
    goldy_argument_t Into = view(B.W, To, Left);
    if (S)
      S->launch(K, {From, Into}, Grid);
    if (Left == 1)
      return To;
    From = Into;
    To += (Left + 63) / 64 * 64;
  }
}

static void sumCase(Bench &B, const SumKernel &Of) {
  uint64_t N = 1ull << B.Size.LogVector;
  Case C{.Name = "sum 2^" + std::to_string(B.Size.LogVector),
         .Kernel = Of.Name};
  C.Bytes = 4.0 * N;
  C.Ops = N;
  C.Ring = B.Size.Small ? 1 : 4;
  C.Before = [&B, N, Ring = C.Ring] { B.fillFloats(B.X, N * Ring, 1); };
  C.Step = [&B, Of, N](Steps &S, goldy_kernel_t *K, uint32_t Turn) {
    sumSteps(B, Of, N, Turn, &S, K);
  };
  C.Error = [&B, Of, N] {
    uint64_t At = sumSteps(B, Of, N, 0, nullptr, nullptr);
    double Sum = 0;
    for (uint64_t I = 0; I < N; ++I)
      Sum += randomFloat(static_cast<uint32_t>(I), 1);
    return std::fabs(B.floats(B.W, 1, At)[0] - Sum);
  };
  C.Tolerance = 0.02;
  B.run(C);
}

void bench::rowCases(Bench &B) {
  bool Small = B.Size.Small;
  for (const RowKernel &K : SoftmaxKernels) {
    softmaxCase(B, K, 4096, Small ? 1 : 4);
    softmaxCase(B, K, 256, Small ? 1 : 32);
    if (!Small)
      softmaxCase(B, K, 256, 1);
  }
  for (const RowKernel &K : RmsNormKernels)
    rmsNormCase(B, K);
  for (const SumKernel &K : SumKernels)
    sumCase(B, K);
}
