//===- BoundsCost.cpp - Checked beside unchecked kernels ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: goldy-bounds-cost time CHECKED.gdy UNCHECKED.gdy ROUNDS [ARCH]
//        goldy-bounds-cost run FILE.gdy KERNEL RUNS [ARCH]
// `time`: each round times both forms of a kernel on the same memory, one
// after the other, in alternating order; one line a kernel: name, medians in
// microseconds, median ratio and its 95% interval by order statistics. `run`
// does RUNS launches and nothing else, for an instruction counter. Sizes stay
// in a second-level cache of 512 KiB. One thread.
//
//===----------------------------------------------------------------------===//
#include "../Inputs.h"

#include <goldy/goldy.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using namespace goldy;

namespace {

template <class T> T need(Result<T> R) {
  if (!R) {
    std::fprintf(stderr, "goldy-bounds-cost: %s\n",
                 R.status().message().c_str());
    std::exit(1);
  }
  return std::move(*R);
}

/// What a kernel is launched on.
class Work {
public:
  explicit Work(Device &D) : D(D) { Buffers.reserve(8); }
  ViewOf<float> floats(size_t N) {
    std::vector<float> V(N);
    for (size_t I = 0; I < N; ++I)
      V[I] = bench::randomFloat(uint32_t(I), ++Seed);
    Buffers.push_back(need(D.bufferOf(V)));
    return Buffers.back().view<float>();
  }
  ViewOf<uint32_t> words(size_t N) {
    std::vector<uint32_t> V(N);
    for (size_t I = 0; I < N; ++I)
      V[I] = bench::hashOf(uint32_t(I));
    Buffers.push_back(need(D.bufferOf(V)));
    return Buffers.back().view<uint32_t>();
  }
  ViewOf<int32_t> integers(size_t N) {
    Buffers.push_back(need(D.bufferOf(std::vector<int32_t>(N))));
    return Buffers.back().view<int32_t>();
  }

  std::vector<Argument> Args;
  Grid Groups{1, 1, 1};

private:
  Device &D;
  std::vector<Buffer> Buffers;
  uint32_t Seed = 0;
};

struct Entry {
  const char *Kernel;
  void (*Prepare)(Work &);
};

constexpr uint32_t N = 1 << 14;

const Entry Entries[] = {
    {"saxpy",
     [](Work &W) {
       W.Args = {W.floats(N), W.floats(N), 0.001f};
       W.Groups = {N / 256, 1, 1};
     }},
    {"chain",
     [](Work &W) {
       W.Args = {W.floats(N), W.floats(N), N};
       W.Groups = {N / 256, 1, 1};
     }},
    {"softmax",
     [](Work &W) {
       W.Args = {W.floats(N), W.floats(N), 1024u};
       W.Groups = {N / 1024, 1, 1};
     }},
    {"rmsnorm",
     [](Work &W) {
       W.Args = {W.floats(N), W.floats(1024), W.floats(N), 1024u};
       W.Groups = {N / 1024, 1, 1};
     }},
    {"sum",
     [](Work &W) {
       W.Args = {W.floats(4 * N), W.floats(16), 16u};
       W.Groups = {16, 1, 1};
     }},
    {"sgemm",
     [](Work &W) {
       W.Args = {W.floats(128 * 128), W.floats(128 * 128), W.floats(128 * 128),
                 128u};
       W.Groups = {8, 8, 1};
     }},
    {"conv5",
     [](Work &W) {
       W.Args = {W.floats(N), W.floats(25), W.floats(N), int32_t(128),
                 int32_t(128)};
       W.Groups = {2, 128, 1};
     }},
    {"mandel",
     [](Work &W) {
       W.Args = {W.integers(64 * 64), 64u, 64u, int32_t(64)};
       W.Groups = {1, 64, 1};
     }},
    {"hist",
     [](Work &W) {
       W.Args = {W.words(4 * N), W.words(256), 16u};
       W.Groups = {16, 1, 1};
     }},
    {"mix_words",
     [](Work &W) {
       W.Args = {W.words(N), W.words(N)};
       W.Groups = {N / 256, 1, 1};
     }},
};

class Runner {
public:
  Runner(Device &D, const char *File, const Entry &E, Work &W)
      : D(D), A(need(Artifact::load(File))),
        K(need(Kernel::create(D, A, E.Kernel))),
        L(need(Launch::create(K, W.Groups, W.Args))) {}
  void run(unsigned Times) {
    uint64_t Point = 0;
    for (unsigned I = 0; I < Times; ++I)
      Point = need(L.submit());
    if (Status S = D.wait(Point); !S.ok())
      std::exit(1);
  }
  double seconds(unsigned Times) {
    using Clock = std::chrono::steady_clock;
    Clock::time_point Start = Clock::now();
    run(Times);
    return std::chrono::duration<double>(Clock::now() - Start).count();
  }
  const char *arch() { return K.info().arch; }

private:
  Device &D;
  Artifact A;
  Kernel K;
  Launch L;
};

double median(std::vector<double> V) {
  std::sort(V.begin(), V.end());
  return (V[(V.size() - 1) / 2] + V[V.size() / 2]) / 2;
}

void time(Device &D, const Entry &E, char **Argv, unsigned Rounds) {
  Work W(D);
  E.Prepare(W);
  Runner Checked(D, Argv[2], E, W), Unchecked(D, Argv[3], E, W);
  Checked.run(3), Unchecked.run(3);
  // About a millisecond a measurement.
  unsigned Times =
      unsigned(std::clamp(1e-3 / Unchecked.seconds(1), 1.0, 1000.0));
  std::vector<double> C, U, Ratio;
  for (unsigned R = 0; R < Rounds; ++R) {
    double First = R % 2 ? Unchecked.seconds(Times) : Checked.seconds(Times);
    double Second = R % 2 ? Checked.seconds(Times) : Unchecked.seconds(Times);
    C.push_back((R % 2 ? Second : First) / Times);
    U.push_back((R % 2 ? First : Second) / Times);
    Ratio.push_back(C.back() / U.back());
  }
  std::sort(Ratio.begin(), Ratio.end());
  double Half = 0.98 * std::sqrt(double(Rounds));
  size_t Low = size_t(std::max(0.0, std::floor(Rounds / 2.0 - Half)));
  size_t High = std::min<size_t>(Rounds - 1, Rounds - 1 - Low);
  std::printf("%s %s %.3f %.3f %.4f %.4f %.4f\n", E.Kernel, Checked.arch(),
              1e6 * median(C), 1e6 * median(U), median(Ratio), Ratio[Low],
              Ratio[High]);
  std::fflush(stdout);
}

int usage() {
  std::fputs("usage: goldy-bounds-cost time CHECKED.gdy UNCHECKED.gdy ROUNDS "
             "[ARCH]\n       goldy-bounds-cost run FILE.gdy KERNEL RUNS "
             "[ARCH]\n",
             stderr);
  return 2;
}

} // namespace

int main(int Argc, char **Argv) {
  if (Argc < 5)
    return usage();
  Device D = need(Device::open("cpu", {1, Argc > 5 ? Argv[5] : nullptr}));
  if (!std::strcmp(Argv[1], "time")) {
    for (const Entry &E : Entries)
      time(D, E, Argv, unsigned(std::max(3, std::atoi(Argv[4]))));
    return 0;
  }
  for (const Entry &E : Entries)
    if (!std::strcmp(Argv[3], E.Kernel)) {
      Work W(D);
      E.Prepare(W);
      Runner(D, Argv[2], E, W).run(unsigned(std::atoi(Argv[4])));
      return 0;
    }
  return usage();
}
