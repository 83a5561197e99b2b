//===- PeerRunner.cpp - One line for a comparison of CPU implementations
//---===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: goldy-peer-runner KERNEL N REPS THREADS
// Runs a kernel REPS times after a check and warm-up, and prints one JSON line:
// median_s and min_s of one launch and wait, sum and wsum of the output. Inputs
// are hashes of the index, so that other programs can make the same.
//
//===----------------------------------------------------------------------===//
#include "kernels.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

using namespace goldy;

namespace {

[[noreturn]] void stop(const std::string &Why) {
  std::printf("{\"skip\":\"%s\"}\n", Why.c_str());
  std::exit(0);
}

template <class T> T need(Result<T> R) {
  if (!R)
    stop(R.status().message());
  return std::move(*R);
}

uint32_t hash(uint32_t I) {
  I ^= I >> 16;
  I *= 0x7feb352du;
  I ^= I >> 15;
  I *= 0x846ca68bu;
  return I ^ I >> 16;
}

std::vector<float> floats(size_t N, uint32_t Seed) {
  std::vector<float> V(N);
  for (size_t I = 0; I < N; ++I)
    V[I] = float(hash(uint32_t(I) + Seed) >> 8) * (1.0f / 8388608.0f) - 1.0f;
  return V;
}

std::vector<uint32_t> words(size_t N) {
  std::vector<uint32_t> V(N);
  for (size_t I = 0; I < N; ++I)
    V[I] = hash(uint32_t(I));
  return V;
}

struct Digest {
  double Sum = 0, Weighted = 0;
};

struct Runner {
  std::string Name;
  uint32_t N;
  unsigned Reps, Threads;
  Device Dev;
  Artifact File;
  std::vector<Buffer> Buffers; ///< kept until the end

  template <class T> ViewOf<T> bind(const std::vector<T> &Data) {
    Buffers.push_back(need(Dev.bufferOf(Data)));
    return Buffers.back().view<T>();
  }
  template <class T> ViewOf<T> zeros(size_t Count) {
    Buffers.push_back(need(Dev.buffer(Count * sizeof(T))));
    return Buffers.back().view<T>();
  }
  template <class T> Digest digest(ViewOf<T> V) {
    std::vector<T> Data(V.Length);
    Status S(goldy_buffer_read(V.Handle, V.Offset, Data.data(),
                               Data.size() * sizeof(T)));
    if (!S.ok())
      stop(S.message());
    Digest D;
    for (size_t I = 0; I < Data.size(); ++I) {
      D.Sum += double(Data[I]);
      D.Weighted += double(Data[I]) * double(I % 7 + 1);
    }
    return D;
  }
  Launch launch(const char *Kernel, std::vector<Argument> Args, uint32_t X,
                uint32_t Y = 1) {
    goldy::Kernel K = need(goldy::Kernel::create(Dev, File, Kernel));
    return need(Launch::create(K, {X, Y, 1}, Args));
  }
  void once(Launch &L) {
    uint64_t Point = need(L.submit());
    if (Status S = Dev.wait(Point); !S.ok())
      stop(S.message());
  }
  void measure(const std::function<void()> &Once,
               const std::function<Digest()> &Check) {
    Once();
    Digest D = Check();
    for (int I = 0; I < 3; ++I)
      Once();
    std::vector<double> Seconds(Reps);
    for (double &S : Seconds) {
      using Clock = std::chrono::steady_clock;
      Clock::time_point Start = Clock::now();
      Once();
      S = std::chrono::duration<double>(Clock::now() - Start).count();
    }
    std::sort(Seconds.begin(), Seconds.end());
    std::printf("{\"impl\":\"goldy\",\"kernel\":\"%s\",\"n\":%u,\"threads\":%u,"
                "\"reps\":%u,\"median_s\":%.9g,\"min_s\":%.9g,\"sum\":%.9g,"
                "\"wsum\":%.9g}\n",
                Name.c_str(), N, Threads, Reps, Seconds[Reps / 2], Seconds[0],
                D.Sum, D.Weighted);
  }
};

void saxpy(Runner &R) {
  ViewOf<float> X = R.bind(floats(R.N, 1)), Y = R.bind(floats(R.N, 2));
  Launch L = R.launch("saxpy", {X, Y, 0.001f}, (R.N + 255) / 256);
  R.measure([&] { R.once(L); }, [&] { return R.digest(Y); });
}

void dispatch(Runner &R) {
  ViewOf<float> X = R.bind(floats(R.N, 1)), Y = R.bind(floats(R.N, 2));
  Launch L = R.launch("saxpy", {X, Y, 0.001f}, (R.N + 255) / 256);
  R.measure(
      [&] {
        for (int I = 0; I < 1000; ++I)
          R.once(L);
      },
      [&] { return R.digest(Y); });
}

void sum(Runner &R) {
  constexpr uint32_t Groups = 256;
  std::vector<float> Data = floats(R.N, 1);
  for (float &F : Data)
    F = F * 0.5f + 0.5f;
  uint32_t Per = (R.N + Groups * 256 - 1) / (Groups * 256);
  ViewOf<float> X = R.bind(Data), Partial = R.zeros<float>(Groups);
  Launch L = R.launch("sum", {X, Partial, Per}, Groups);
  double Total = 0;
  R.measure(
      [&] {
        R.once(L);
        Total = R.digest(Partial).Sum;
      },
      [&] { return Digest{Total, Total}; });
}

void sgemm(Runner &R) {
  size_t Count = size_t(R.N) * R.N;
  ViewOf<float> A = R.bind(floats(Count, 1)), B = R.bind(floats(Count, 2)),
                C = R.zeros<float>(Count);
  Launch L = R.launch("sgemm", {A, B, C, R.N}, R.N / 16, R.N / 16);
  R.measure([&] { R.once(L); }, [&] { return R.digest(C); });
}

void mixWords(Runner &R) {
  ViewOf<uint32_t> X = R.bind(words(R.N)), Z = R.zeros<uint32_t>(R.N);
  Launch L = R.launch("mix_words", {X, Z}, (R.N + 255) / 256);
  R.measure([&] { R.once(L); }, [&] { return R.digest(Z); });
}

void mandel(Runner &R) {
  ViewOf<int32_t> Z = R.zeros<int32_t>(size_t(R.N) * R.N);
  Launch L =
      R.launch("mandel", {Z, R.N, R.N, int32_t(256)}, (R.N + 63) / 64, R.N);
  R.measure([&] { R.once(L); }, [&] { return R.digest(Z); });
}

void hist(Runner &R) {
  constexpr uint32_t Groups = 64;
  ViewOf<uint32_t> X = R.bind(words(R.N)), Bins = R.zeros<uint32_t>(256);
  Launch L = R.launch("hist", {X, Bins, R.N / (Groups * 256)}, Groups);
  std::vector<uint32_t> Zero(256);
  Buffer &B = R.Buffers.back();
  R.measure(
      [&] {
        if (Status S = B.write(Zero); !S.ok())
          stop(S.message());
        R.once(L);
      },
      [&] { return R.digest(Bins); });
}

struct Entry {
  const char *Name;
  void (*Run)(Runner &);
};
constexpr Entry Entries[] = {
    {"saxpy", saxpy},  {"dispatch", dispatch}, {"sum", sum},  {"sgemm", sgemm},
    {"mix", mixWords}, {"mandel", mandel},     {"hist", hist}};

} // namespace

int main(int Argc, char **Argv) {
  if (Argc != 5) {
    std::fputs("usage: goldy-peer-runner KERNEL N REPS THREADS\n", stderr);
    return 2;
  }
  unsigned Threads = unsigned(std::atoi(Argv[4]));
  Runner R{Argv[1],
           uint32_t(std::atol(Argv[2])),
           std::max(1u, unsigned(std::atoi(Argv[3]))),
           Threads,
           need(Device::open("cpu", {Threads, nullptr})),
           need(Artifact::load(kernels::embedded())),
           {}};
  R.Buffers.reserve(8);
  for (const Entry &E : Entries)
    if (R.Name == E.Name) {
      E.Run(R);
      return 0;
    }
  stop("no such kernel");
}
