//===- Work.cpp - The kernels of the suite and their data -----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table behind findWork. Sizes N are elements, or the side of a square;
// rmsnorm has N rows of 1024.
//
//===----------------------------------------------------------------------===//
#include "Work.h"

#include "../Inputs.h"

#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>

using namespace goldy;

namespace {

constexpr uint32_t NormCols = 1024, SumGroups = 256, HistGroups = 16;
constexpr float A = 0.001f;

void random(float *To, uint64_t N, uint32_t Seed, float Scale = 1,
            float Offset = 0) {
  for (uint64_t I = 0; I < N; ++I)
    To[I] = bench::randomFloat(uint32_t(I), Seed) * Scale + Offset;
}

void randomWords(uint32_t *To, uint64_t N) {
  for (uint64_t I = 0; I < N; ++I)
    To[I] = bench::hashOf(uint32_t(I));
}

uint32_t over(uint64_t Items, uint32_t Size) {
  return uint32_t((Items + Size - 1) / Size);
}
Grid lines(uint32_t N) { return {over(N, 256)}; }
Grid rows(uint32_t N) { return {N}; }
Grid pixels(uint32_t N) { return {over(N, 64), N}; }

/// Chunks of work that takes long enough to share out.
int64_t chunk(const SpinPool &P, int64_t Units) {
  return P.threads() == 1 ? Units
                          : std::max<int64_t>(1, Units / (P.threads() * 8));
}

std::vector<uint64_t> twoLines(uint64_t N) { return {N * 4, N * 4}; }
std::vector<uint64_t> twoSquares(uint64_t N) { return twoLines(N * N); }

void fillSaxpy(Memory &M, uint64_t N) {
  random(M.floats(0), N, 1);
  random(M.floats(1), N, 2);
}
std::vector<Argument> saxpyArguments(Memory &M, uint32_t) {
  return {M.view(0), M.view(1), A};
}
void saxpy(const NativeSuite &S, SpinPool &P, Memory &M, int64_t N) {
  // Small work is done before a helper has heard of it.
  P.run(N, N <= 32768 ? N : chunk(P, N),
        [&](Range R) { S.Saxpy(R, A, M.floats(0), M.floats(1)); });
}
void dispatch(const NativeSuite &S, SpinPool &P, Memory &M, int64_t N) {
  for (int I = 0; I < 1000; ++I)
    saxpy(S, P, M, N);
}

void fillLine(Memory &M, uint64_t N) {
  random(M.floats(0), N, 1);
  std::memset(M.Bytes[1], 0, N * 4);
}
void fillSquare(Memory &M, uint64_t N) { fillLine(M, N * N); }
std::vector<Argument> inOutCount(Memory &M, uint32_t N) {
  return {M.view(0), M.view(1), N};
}
void chain(const NativeSuite &S, SpinPool &P, Memory &M, int64_t N) {
  P.run(N, chunk(P, N), [&](Range R) { S.Chain(R, M.floats(0), M.floats(1)); });
}
void softmax(const NativeSuite &S, SpinPool &P, Memory &M, int64_t N) {
  P.run(N, chunk(P, N),
        [&](Range R) { S.Softmax(R, N, M.floats(0), M.floats(1)); });
}

std::vector<uint64_t> normSizes(uint64_t N) {
  return {N * NormCols * 4, NormCols * 4, N * NormCols * 4};
}
void fillNorm(Memory &M, uint64_t N) {
  random(M.floats(0), N * NormCols, 1);
  random(M.floats(1), NormCols, 2);
  std::memset(M.Bytes[2], 0, N * NormCols * 4);
}
std::vector<Argument> normArguments(Memory &M, uint32_t) {
  return {M.view(0), M.view(1), M.view(2), NormCols};
}
void rmsnorm(const NativeSuite &S, SpinPool &P, Memory &M, int64_t N) {
  P.run(N, chunk(P, N), [&](Range R) {
    S.Rmsnorm(R, NormCols, M.floats(0), M.floats(1), M.floats(2));
  });
}

std::vector<uint64_t> sumSizes(uint64_t N) { return {N * 4, SumGroups * 4}; }
void fillSum(Memory &M, uint64_t N) { random(M.floats(0), N, 1, 0.5f, 0.5f); }
std::vector<Argument> sumArguments(Memory &M, uint32_t N) {
  return {M.view(0), M.view(1), over(N, SumGroups * 256)};
}
void addPartials(Memory &M) {
  M.Total = 0;
  for (uint32_t I = 0; I < SumGroups; ++I)
    M.Total += M.floats(1)[I];
}
void sum(const NativeSuite &S, SpinPool &P, Memory &M, int64_t N) {
  // As many parts whatever the threads, so that the result is one.
  int64_t Chunk = std::max<int64_t>(N / 64, 1024);
  P.run(N, Chunk,
        [&](Range R) { M.floats(1)[R.Begin / Chunk] = S.Sum(R, M.floats(0)); });
  M.Total = 0;
  for (int64_t I = 0; I * Chunk < N; ++I)
    M.Total += M.floats(1)[I];
}

std::vector<uint64_t> threeSquares(uint64_t N) {
  return {N * N * 4, N * N * 4, N * N * 4};
}
void fillSgemm(Memory &M, uint64_t N) {
  random(M.floats(0), N * N, 1);
  random(M.floats(1), N * N, 2);
  std::memset(M.Bytes[2], 0, N * N * 4);
}
std::vector<Argument> sgemmArguments(Memory &M, uint32_t N) {
  return {M.view(0), M.view(1), M.view(2), N};
}
void sgemm(const NativeSuite &S, SpinPool &P, Memory &M, int64_t N) {
  P.run(N, N / P.threads(),
        [&](Range R) { S.Sgemm(R, N, M.floats(0), M.floats(1), M.floats(2)); });
}
Grid tiles(uint32_t N) { return {over(N, 64), over(N, 64)}; }
Grid plainTiles(uint32_t N) { return {N / 16, N / 16}; }

std::vector<uint64_t> convSizes(uint64_t N) {
  return {N * N * 4, 25 * 4, N * N * 4};
}
void fillConv(Memory &M, uint64_t N) {
  random(M.floats(0), N * N, 1);
  random(M.floats(1), 25, 2);
  std::memset(M.Bytes[2], 0, N * N * 4);
}
std::vector<Argument> convArguments(Memory &M, uint32_t N) {
  return {M.view(0), M.view(1), M.view(2), int32_t(N), int32_t(N)};
}
void conv5(const NativeSuite &S, SpinPool &P, Memory &M, int64_t N) {
  P.run(N, chunk(P, N), [&](Range R) {
    S.Conv5(R, N, N, M.floats(0), M.floats(1), M.floats(2));
  });
}

std::vector<uint64_t> oneSquare(uint64_t N) { return {N * N * 4}; }
void fillMandel(Memory &M, uint64_t N) {
  std::memset(M.Bytes[0], 0, N * N * 4);
}
std::vector<Argument> mandelArguments(Memory &M, uint32_t N) {
  return {M.Buffers[0].view<int32_t>(), N, N, int32_t(256)};
}
void mandel(const NativeSuite &S, SpinPool &P, Memory &M, int64_t N) {
  P.run(N, P.threads() == 1 ? N : 8,
        [&](Range R) { S.Mandel(R, N, N, 256, M.ints(0)); });
}

std::vector<uint64_t> histSizes(uint64_t N) {
  return {N * 4, 256 * 4, 256 * 4 * HistGroups};
}
void fillHist(Memory &M, uint64_t N) {
  randomWords(M.words(0), N);
  std::memset(M.Bytes[1], 0, 256 * 4);
}
void zeroBins(Memory &M) { std::memset(M.Bytes[1], 0, 256 * 4); }
std::vector<Argument> histArguments(Memory &M, uint32_t N) {
  return {M.Buffers[0].view<uint32_t>(), M.Buffers[1].view<uint32_t>(),
          over(N, HistGroups * 256)};
}
Grid histGroups(uint32_t) { return {HistGroups}; }
void hist(const NativeSuite &S, SpinPool &P, Memory &M, int64_t N) {
  int64_t Chunk = P.threads() == 1 ? N : (N + HistGroups - 1) / HistGroups;
  int64_t Parts = (N + Chunk - 1) / Chunk;
  std::memset(M.Bytes[2], 0, size_t(Parts) * 256 * 4);
  P.run(N, Chunk, [&](Range R) {
    S.Hist(R, M.words(0), M.words(2) + R.Begin / Chunk * 256);
  });
  zeroBins(M);
  for (int64_t Part = 0; Part < Parts; ++Part)
    for (int B = 0; B < 256; ++B)
      M.words(1)[B] += M.words(2)[Part * 256 + B];
}

void fillMix(Memory &M, uint64_t N) {
  randomWords(M.words(0), N);
  std::memset(M.Bytes[1], 0, N * 4);
}
std::vector<Argument> mixArguments(Memory &M, uint32_t) {
  return {M.Buffers[0].view<uint32_t>(), M.Buffers[1].view<uint32_t>()};
}
void mix(const NativeSuite &S, SpinPool &P, Memory &M, int64_t N) {
  P.run(N, chunk(P, N), [&](Range R) { S.Mix(R, M.words(0), M.words(1)); });
}
Grid sumGroups(uint32_t) { return {SumGroups}; }

const Work Table[] = {
    {"saxpy", "saxpy", twoLines, fillSaxpy, saxpyArguments, lines, saxpy,
     nullptr, nullptr, 1, Kind::Float},
    {"dispatch", "saxpy", twoLines, fillSaxpy, saxpyArguments, lines, dispatch,
     nullptr, nullptr, 1, Kind::Float, 1000},
    {"chain", "chain", twoLines, fillLine, inOutCount, lines, chain, nullptr,
     nullptr, 1, Kind::Float},
    {"softmax", "softmax", twoSquares, fillSquare, inOutCount, rows, softmax,
     nullptr, nullptr, 1, Kind::Float},
    {"rmsnorm", "rmsnorm", normSizes, fillNorm, normArguments, rows, rmsnorm,
     nullptr, nullptr, 2, Kind::Float},
    {"sum", "sum", sumSizes, fillSum, sumArguments, sumGroups, sum, nullptr,
     addPartials, -1, Kind::Float},
    {"sgemm", "sgemm_tiles", threeSquares, fillSgemm, sgemmArguments, tiles,
     sgemm, nullptr, nullptr, 2, Kind::Float},
    {"sgemm-plain", "sgemm", threeSquares, fillSgemm, sgemmArguments,
     plainTiles, sgemm, nullptr, nullptr, 2, Kind::Float},
    {"conv5", "conv5", convSizes, fillConv, convArguments, pixels, conv5,
     nullptr, nullptr, 2, Kind::Float},
    {"mandel", "mandel", oneSquare, fillMandel, mandelArguments, pixels, mandel,
     nullptr, nullptr, 0, Kind::Int},
    {"hist", "hist", histSizes, fillHist, histArguments, histGroups, hist,
     zeroBins, nullptr, 1, Kind::Word},
    {"mix", "mix_words", twoLines, fillMix, mixArguments, lines, mix, nullptr,
     nullptr, 1, Kind::Word}};

} // namespace

const Work *findWork(const std::string &Name) {
  for (const Work &W : Table)
    if (Name == W.Name)
      return &W;
  return nullptr;
}

std::vector<double> resultOf(const Work &W, Memory &M, uint64_t N) {
  if (W.Result < 0)
    return {double(M.Total)};
  size_t At = size_t(W.Result);
  std::vector<double> V(W.Sizes(N)[At] / 4);
  for (size_t E = 0; E < V.size(); ++E)
    V[E] = W.Element == Kind::Float ? double(M.floats(At)[E])
           : W.Element == Kind::Int ? double(M.ints(At)[E])
                                    : double(M.words(At)[E]);
  return V;
}

Digest digest(const std::vector<double> &Elements) {
  Digest D;
  D.Hash = 0xcbf29ce484222325;
  for (size_t E = 0; E < Elements.size(); ++E) {
    D.Sum += Elements[E];
    D.Weighted += Elements[E] * double(E % 7 + 1);
    D.Scale += std::fabs(Elements[E]) * double(E % 7 + 1);
    uint64_t Bits = std::bit_cast<uint64_t>(Elements[E]);
    D.Hash = (D.Hash ^ Bits ^ Bits >> 32) * 0x100000001b3;
  }
  return D;
}

double secondsOf(const std::function<void()> &Once, unsigned Warm,
                 unsigned Samples, unsigned Batch) {
  using Clock = std::chrono::steady_clock;
  Samples = std::max(1u, Samples);
  Batch = std::max(1u, Batch);
  for (unsigned R = 0; R < Warm; ++R)
    Once();
  std::vector<double> Seconds(Samples);
  for (double &S : Seconds) {
    Clock::time_point Start = Clock::now();
    for (unsigned B = 0; B < Batch; ++B)
      Once();
    S = std::chrono::duration<double>(Clock::now() - Start).count() / Batch;
  }
  std::sort(Seconds.begin(), Seconds.end());
  return Seconds[Samples / 2];
}
