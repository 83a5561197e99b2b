//===- SaxpyAgainstC.cpp - saxpy beside a hand-written C loop -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: goldy-saxpy-against-c [N] [ROUNDS] [THREADS] [ARCH]
// Each round times both on the same memory, one after the other, in alternating
// order; what counts is the ratio within a round, so that a slow machine slows
// both. Prints the median ratio and its 95% interval, by order statistics: the
// ranks that a binomial of one half leaves outside with 2.5% on each side.
//
//===----------------------------------------------------------------------===//
#include "kernels.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace goldy;

extern "C" void saxpy_c(size_t n, float a, const float *x, float *y);

template <class T> static T need(Result<T> R) {
  if (!R) {
    std::fprintf(stderr, "%s\n", R.status().message().c_str());
    std::exit(1);
  }
  return std::move(*R);
}

template <class F> static double seconds(F Run) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point Start = Clock::now();
  Run();
  return std::chrono::duration<double>(Clock::now() - Start).count();
}

static double median(std::vector<double> V) {
  std::sort(V.begin(), V.end());
  return (V[(V.size() - 1) / 2] + V[V.size() / 2]) / 2;
}

static void report(size_t N, const std::vector<double> &Ours,
                   const std::vector<double> &C, const Device &D,
                   const char *Arch) {
  std::vector<double> Ratio;
  for (size_t I = 0; I < Ours.size(); ++I)
    Ratio.push_back(Ours[I] / C[I]);
  std::sort(Ratio.begin(), Ratio.end());
  double Half = double(Ratio.size()) / 2,
         Reach = 0.98 * std::sqrt(double(Ratio.size()));
  size_t Low = size_t(std::max(0.0, std::floor(Half - Reach)));
  size_t High = std::min(Ratio.size() - 1, size_t(std::ceil(Half + Reach)));
  std::printf("saxpy n = %zu, %s, image %s, %zu paired rounds\n", N,
              D.info().description, Arch, Ours.size());
  std::printf("goldy %.3f ms, C %.3f ms, ratio %.3f, 95%% interval %.3f to "
              "%.3f\n",
              1e3 * median(Ours), 1e3 * median(C), median(Ratio), Ratio[Low],
              Ratio[High]);
}

int main(int Argc, char **Argv) {
  size_t N = Argc > 1 ? std::strtoull(Argv[1], nullptr, 0) : size_t(1) << 24;
  unsigned Rounds = Argc > 2 ? unsigned(std::atoi(Argv[2])) : 41;
  unsigned Threads = Argc > 3 ? unsigned(std::atoi(Argv[3])) : 1;
  Device D = need(Device::open("cpu", {Threads, Argc > 4 ? Argv[4] : nullptr}));
  Artifact A = need(Artifact::load(kernels::embedded()));
  kernels::saxpy K = need(kernels::saxpy::prepare(D, A));
  Buffer X = need(D.bufferOf(std::vector<float>(N, 1.0f)));
  Buffer Y = need(D.bufferOf(std::vector<float>(N, 2.0f)));
  const float *Xp = static_cast<float *>(need(X.map()));
  float *Yp = static_cast<float *>(need(Y.map()));
  constexpr float Factor = 0.001f;
  std::vector<Argument> Args = {X.view<float>(), Y.view<float>(), Factor};
  Launch L = need(Launch::create(K.kernel, K.over(uint32_t(N)), Args));
  auto Ours = [&] { (void)D.wait(need(L.submit())).ok(); };
  auto InC = [&] { saxpy_c(N, Factor, Xp, Yp); };
  for (int I = 0; I < 3; ++I)
    Ours(), InC();
  std::vector<double> OursTimes, CTimes;
  for (unsigned R = 0; R < Rounds; ++R) {
    double First = R % 2 ? seconds(InC) : seconds(Ours);
    double Second = R % 2 ? seconds(Ours) : seconds(InC);
    OursTimes.push_back(R % 2 ? Second : First);
    CTimes.push_back(R % 2 ? First : Second);
  }
  report(N, OursTimes, CTimes, D, K.kernel.info().arch);
}
