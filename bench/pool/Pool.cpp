//===- Pool.cpp - Sharing launches out, beside oneTBB ---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: goldy-pool-cost FILE.gdy THREADS [ROUNDS]
// The code that goldyc made of kernels.goldy over the same groups and the same
// memory: by a launch of this runtime, by oneTBB's parallel_for, by threads
// that spin all the time, by the caller alone. Rounds alternate; a figure is
// the median, its ratio to oneTBB (else to the spinning threads) the median
// over the rounds with its 95 % interval. Runs follow one another at once, or
// each after 2 ms of rest.
//
//===----------------------------------------------------------------------===//
#include "../cpu/Work.h"

#include "core/Objects.h"
#include "cpu/Execute.h"
#include "cpu/FloatState.h"
#include "cpu/Scratch.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#ifdef GOLDY_HAS_TBB
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#endif

using namespace goldy;
using Clock = std::chrono::steady_clock;

namespace {

[[noreturn]] void stop(std::string_view Why) {
  std::fprintf(stderr, "goldy-pool-cost: %.*s\n", static_cast<int>(Why.size()),
               Why.data());
  std::exit(1);
}
template <class T> T need(Result<T> R) {
  if (!R)
    stop(R.status().message());
  return std::move(*R);
}

/// A kernel over its groups, as the runtime calls it.
struct Code {
  rt::HostImage *Image;
  std::vector<std::byte> Block;
  std::array<uint32_t, 3> Groups;

  uint64_t total() const { return uint64_t(Groups[0]) * Groups[1] * Groups[2]; }
  void operator()(uint64_t First, uint64_t End) const {
    rt::KernelFloatState State;
    rt::ScratchLease Scratch(Image->ScratchBytes);
    goldy_group_range Range{
        {Groups[0], Groups[1], Groups[2]}, 0, First, End, nullptr};
    Image->Entry(Block.data(), &Range, Scratch.data());
  }
};

struct Way {
  const char *Name;
  std::function<void()> Once, Before, After;
  std::vector<double> Us{};
};

struct Row {
  const char *Work;
  uint32_t N;
};
constexpr Row Rows[] = {
    {"saxpy", 1 << 12}, {"saxpy", 1 << 14},   {"saxpy", 1 << 16},
    {"saxpy", 1 << 18}, {"saxpy", 1 << 20},   {"mix", 1 << 12},
    {"mix", 1 << 14},   {"mix", 1 << 16},     {"mix", 1 << 18},
    {"mix", 1 << 20},   {"chain", 1 << 12},   {"chain", 1 << 14},
    {"chain", 1 << 16}, {"chain", 1 << 18},   {"softmax", 64},
    {"softmax", 256},   {"mandel", 32},       {"mandel", 64},
    {"mandel", 256},    {"sgemm-plain", 128}, {"sgemm-plain", 256},
};

double medianOf(std::vector<double> V) {
  std::sort(V.begin(), V.end());
  return V[V.size() / 2];
}

/// Ratios by round, with the ranks that bound the median in 95 of 100 cases.
void report(const std::vector<Way> &Ways, const Way &Base) {
  for (const Way &W : Ways) {
    std::vector<double> Ratios;
    for (size_t R = 0; R < W.Us.size(); ++R)
      Ratios.push_back(W.Us[R] / Base.Us[R]);
    std::sort(Ratios.begin(), Ratios.end());
    double Middle = static_cast<double>(Ratios.size()) / 2,
           Half = 0.98 * std::sqrt(static_cast<double>(Ratios.size()));
    size_t Low = static_cast<size_t>(std::max(0.0, Middle - Half));
    size_t High =
        std::min(Ratios.size() - 1, static_cast<size_t>(Middle + Half));
    std::printf("    %-8s %10.2f us  x %.3f (%.3f to %.3f)\n", W.Name,
                medianOf(W.Us), Ratios[Ratios.size() / 2], Ratios[Low],
                Ratios[High]);
  }
  std::fflush(stdout);
}

class Bench {
public:
  Bench(const char *File, unsigned Threads, unsigned Rounds)
      : Threads(Threads), Rounds(Rounds),
        Dev(need(Device::open("cpu", {Threads, nullptr}))),
        Kernels(need(Artifact::load(File))), Spin(Threads) {}

  void row(const Row &R) {
    const Work &W = *findWork(R.Work);
    Memory Data;
    for (uint64_t Bytes : W.Sizes(R.N)) {
      Data.Buffers.push_back(need(Dev.buffer(Bytes)));
      Data.Bytes.push_back(need(Data.Buffers.back().map()));
      (void)Data.Buffers.back().unmap().ok(); // host memory stays
    }
    W.Fill(Data, R.N);
    Kernel K = need(Kernel::create(Dev, Kernels, W.Entry));
    std::vector<Argument> Args = W.Arguments(Data, R.N);
    Grid Groups = W.Groups(R.N);
    Launch L = need(Launch::create(K, Groups, Args));
    Code C = codeOf(K, Args, Groups);
    std::vector<Way> Ways = ways(L, C);
    double Alone = timeOf(Ways.back(), 3, 5);
    unsigned Batch =
        static_cast<unsigned>(std::clamp(300.0 / Alone, 1.0, 200.0));
    std::printf("%s %u, %u threads\n  at once\n", R.Work, R.N, Threads);
    measure(Ways, Batch, 0);
    std::printf("  after a rest\n");
    measure(Ways, 1, 2000);
  }

private:
  static Code codeOf(const Kernel &K, std::span<const Argument> Args,
                     Grid Groups) {
    goldy_launch Bound;
    rt::SubmissionDesc Desc;
    const rt::LoadedKernel &Loaded = *K.get()->Loaded;
    const std::vector<goldy_argument_t> Plain(Args.begin(), Args.end());
    if (Status S(rt::bindLaunch(Loaded, Plain, Groups, Bound, Desc).release());
        !S.ok())
      stop(S.message());
    return {
        reinterpret_cast<rt::HostImage *>(static_cast<uintptr_t>(Loaded.Id)),
        Desc.Parts[0].Block, Desc.Parts[0].Groups};
  }

  std::vector<Way> ways(Launch &L, Code &C) {
    std::vector<Way> Ways;
    Ways.push_back(
        {"ours", [&] { (void)Dev.wait(need(L.submit())).ok(); }, {}, {}});
#ifdef GOLDY_HAS_TBB
    Ways.push_back({"oneTBB",
                    [&] {
                      tbb::parallel_for(
                          tbb::blocked_range<uint64_t>(0, C.total()),
                          [&](const tbb::blocked_range<uint64_t> &R) {
                            C(R.begin(), R.end());
                          });
                    },
                    {},
                    {}});
#endif
    int64_t Total = static_cast<int64_t>(C.total());
    int64_t Chunk = std::max<int64_t>(1, Total / (8 * Threads));
    Ways.push_back({"spinning",
                    [this, &C, Total, Chunk] {
                      Spin.run(Total, Chunk, [&](Range R) {
                        C(static_cast<uint64_t>(R.Begin),
                          static_cast<uint64_t>(R.End));
                      });
                    },
                    [this] { Spin.wake(); }, [this] { Spin.sleep(); }});
    Ways.push_back({"alone", [&] { C(0, C.total()); }, {}, {}});
    return Ways;
  }

  static double timeOf(Way &W, unsigned Warm, unsigned Batch) {
    if (W.Before)
      W.Before();
    for (unsigned I = 0; I < Warm; ++I)
      W.Once();
    Clock::time_point Start = Clock::now();
    for (unsigned I = 0; I < Batch; ++I)
      W.Once();
    double Us = std::chrono::duration<double, std::micro>(Clock::now() - Start)
                    .count() /
                Batch;
    if (W.After)
      W.After();
    return Us;
  }

  void measure(std::vector<Way> &Ways, unsigned Batch, unsigned RestUs) {
    for (Way &W : Ways)
      W.Us.clear();
    for (unsigned R = 0; R < Rounds; ++R)
      for (size_t I = 0; I < Ways.size(); ++I) {
        Way &W = Ways[(I + R) % Ways.size()];
        if (RestUs)
          std::this_thread::sleep_for(std::chrono::microseconds(RestUs));
        W.Us.push_back(timeOf(W, RestUs ? 0 : std::min(Batch, 20u), Batch));
      }
    report(Ways, Ways[1]);
  }

  unsigned Threads, Rounds;
  Device Dev;
  Artifact Kernels;
  SpinPool Spin;
};

} // namespace

int main(int Count, char **Arguments) {
  if (Count < 3)
    stop("usage: goldy-pool-cost FILE.gdy THREADS [ROUNDS]");
  unsigned Threads = static_cast<unsigned>(std::atoi(Arguments[2]));
  unsigned Rounds =
      Count > 3 ? static_cast<unsigned>(std::atoi(Arguments[3])) : 31;
#ifdef GOLDY_HAS_TBB
  tbb::global_control Most(tbb::global_control::max_allowed_parallelism,
                           Threads);
#else
  std::printf("oneTBB was not there at configuration (Debian: libtbb-dev)\n");
#endif
  Bench B(Arguments[1], std::max(1u, Threads), std::max(3u, Rounds));
  for (const Row &R : Rows)
    B.row(R);
  return 0;
}
