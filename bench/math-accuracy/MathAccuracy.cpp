//===- MathAccuracy.cpp - Errors of the published functions ---------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: goldy-math-accuracy [--step=N] [--arch=LEVEL] [--threads=N] [--speed]
//                            [FUNCTION…]
// Runs each function on the CPU over every f32 (every N-th with --step; random
// pairs for functions of two arguments) and compares with the C library's
// double, whose own error is below 2^-28 of an f32's unit. The error is in
// units in the last place of the exact result, a unit being that of 2^-126 at
// least. Zero stands for every exact result below 2^-126; a zero for a larger
// one counts by its distance from 2^-126. NaN, infinities and the signs of
// zeros must be those of C99: each other one is a "wrong" result. With --speed,
// prints ns an element beside a loop over the C library's function instead.
//
//===----------------------------------------------------------------------===//
#include "kernels.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

using namespace goldy;

namespace {

template <class T> T need(Result<T> R) {
  if (!R) {
    std::fprintf(stderr, "%s\n", R.status().message().c_str());
    std::exit(1);
  }
  return std::move(*R);
}
void need(Status S) {
  if (S.ok())
    return;
  std::fprintf(stderr, "%s\n", S.message().c_str());
  std::exit(1);
}

double rsqrt(double X) { return 1 / std::sqrt(X); }
float rsqrt(float X) { return 1 / std::sqrt(X); }
double powi(double X, double Y) { return std::pow(X, Y); }

struct Entry {
  const char *Name;
  double (*Reference)(double);
  float (*Single)(float);
};
#define FN(NAME, C)                                                            \
  {NAME, [](double X) { return C(X); }, [](float X) { return C(X); }}
const Entry Entries[] = {
    FN("exp", std::exp),     FN("exp2", std::exp2), FN("exp_m1", std::expm1),
    FN("log", std::log),     FN("log2", std::log2), FN("log10", std::log10),
    FN("ln_1p", std::log1p), FN("sin", std::sin),   FN("cos", std::cos),
    FN("tan", std::tan),     FN("asin", std::asin), FN("acos", std::acos),
    FN("atan", std::atan),   FN("sinh", std::sinh), FN("cosh", std::cosh),
    FN("tanh", std::tanh),   FN("erf", std::erf),   FN("rsqrt", rsqrt),
};
#undef FN

struct PairEntry {
  const char *Name;
  double (*Reference)(double, double);
  float (*Single)(float, float);
};
#define FN(NAME, C)                                                            \
  {NAME, [](double X, double Y) { return double(C(X, Y)); },                   \
   [](float X, float Y) { return float(C(X, Y)); }}
const PairEntry PairEntries[] = {FN("pow", std::pow), FN("atan2", std::atan2),
                                 FN("powi", powi)};
#undef FN

/// A subnormal reads as zero of its sign.
float asRead(float X) {
  uint32_t Bits = std::bit_cast<uint32_t>(X);
  return Bits & 0x7f800000 ? X : std::bit_cast<float>(Bits & 0x80000000);
}

struct Worst {
  double Error = 0;
  float X = 0, Y = 0, Got = 0;
  double Want = 0;
  uint64_t Wrong = 0, Above1 = 0, Count = 0;
  float WrongX = 0, WrongY = 0, WrongGot = 0;
  double WrongWant = 0;

  void take(const Worst &O) {
    if (O.Error > Error) {
      Error = O.Error;
      X = O.X, Y = O.Y, Got = O.Got, Want = O.Want;
    }
    if (O.Wrong && !Wrong)
      WrongX = O.WrongX, WrongY = O.WrongY, WrongGot = O.WrongGot,
      WrongWant = O.WrongWant;
    Wrong += O.Wrong;
    Above1 += O.Above1;
    Count += O.Count;
  }
};

constexpr double Least = 0x1p-126;

/// In units of the exact result; negative for a wrong kind of result.
double errorOf(float Got, double Want) {
  if (std::isnan(Want))
    return std::bit_cast<uint32_t>(Got) == 0x7fc00000 ? 0 : -1;
  double Size = std::fabs(Want);
  bool SameSign = std::signbit(Got) == std::signbit(Want);
  if (Size < Least * (1 - 0x1p-25) && Got == 0)
    return SameSign ? 0 : -1;
  bool Overflows = Size >= 0x1.ffffffp127;
  if (std::isinf(Want) || std::isinf(Got))
    return Overflows && std::isinf(Got) && SameSign ? 0 : -1;
  if (std::isnan(Got) || !SameSign)
    return -1;
  double Power =
      std::bit_cast<double>(std::bit_cast<uint64_t>(Size) & 0x7ff0000000000000);
  double Unit = std::clamp(Power, Least, 0x1p127) * 0x1p-23;
  if (Got == 0)
    return (Size - Least) / Unit;
  return std::fabs(double(Got) - Want) / Unit;
}

void note(Worst &W, float X, float Y, float Got, double Want) {
  double E = errorOf(Got, Want);
  ++W.Count;
  if (E < 0) {
    if (!W.Wrong++)
      W.WrongX = X, W.WrongY = Y, W.WrongGot = Got, W.WrongWant = Want;
    return;
  }
  W.Above1 += E > 1;
  if (E > W.Error)
    W.Error = E, W.X = X, W.Y = Y, W.Got = Got, W.Want = Want;
}

struct Settings {
  uint32_t Step = 1;
  unsigned Threads = std::max(1u, std::thread::hardware_concurrency());
  const char *Arch = nullptr;
  bool Speed = false;
};

constexpr uint32_t Chunk = 1 << 23;

struct Bench {
  Settings S;
  Device Dev;
  Artifact File;
  Buffer X, Y, Out;
  float *Xs, *Ys, *Outs;

  template <class F> void inThreads(uint32_t Count, F Run) {
    std::vector<std::thread> Team;
    uint32_t Part = (Count + S.Threads - 1) / S.Threads;
    for (uint32_t First = 0; First < Count; First += Part)
      Team.emplace_back(Run, First, std::min(Count, First + Part));
    for (std::thread &T : Team)
      T.join();
  }
  Launch launch(const char *Name, uint32_t Count, bool Pair) {
    Kernel K = need(Kernel::create(Dev, File, Name));
    ViewOf<float> O = Out.view<float>();
    std::vector<Argument> Arguments = {X.view<float>(), O};
    if (Pair)
      Arguments.insert(Arguments.begin() + 1, Y.view<float>());
    return need(Launch::create(K, {(Count + 255) / 256, 1, 1}, Arguments));
  }
  void wait(Launch &L) { need(Dev.wait(need(L.submit()))); }
};

void print(const char *Name, const Worst &W, bool Pair) {
  std::printf("%-7s %6.3f ulp  at %.9g (0x%08x)", Name, W.Error, W.X,
              std::bit_cast<uint32_t>(W.X));
  if (Pair)
    std::printf(", %.9g (0x%08x)", W.Y, std::bit_cast<uint32_t>(W.Y));
  std::printf(": %.9g for %.12g; above 1 ulp: %llu of %llu; wrong: %llu", W.Got,
              W.Want, static_cast<unsigned long long>(W.Above1),
              static_cast<unsigned long long>(W.Count),
              static_cast<unsigned long long>(W.Wrong));
  if (W.Wrong)
    std::printf(" (first at %.9g, %.9g: %.9g for %.9g)", W.WrongX, W.WrongY,
                W.WrongGot, W.WrongWant);
  std::printf("\n");
  std::fflush(stdout);
}

void sweep(Bench &B, const Entry &E) {
  Worst Total;
  Launch L = B.launch(E.Name, Chunk, false);
  uint64_t Count = ((uint64_t(1) << 32) + B.S.Step - 1) / B.S.Step;
  for (uint64_t First = 0; First < Count; First += Chunk) {
    for (uint32_t I = 0; I < Chunk; ++I)
      B.Xs[I] = std::bit_cast<float>(uint32_t((First + I) * B.S.Step));
    B.wait(L);
    std::vector<Worst> Parts(B.S.Threads + 1);
    std::atomic<unsigned> Next = 0;
    B.inThreads(uint32_t(std::min<uint64_t>(Chunk, Count - First)),
                [&](uint32_t From, uint32_t To) {
                  Worst W;
                  for (uint32_t I = From; I < To; ++I)
                    note(W, B.Xs[I], 0, B.Outs[I],
                         E.Reference(double(asRead(B.Xs[I]))));
                  Parts[Next++] = W;
                });
    for (const Worst &W : Parts)
      Total.take(W);
  }
  print(E.Name, Total, false);
}

uint32_t hash(uint64_t I) {
  I = (I ^ (I >> 30)) * 0xbf58476d1ce4e5b9;
  I = (I ^ (I >> 27)) * 0x94d049bb133111eb;
  return uint32_t((I ^ (I >> 31)) >> 16);
}

constexpr uint32_t Specials[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000,
    0x80800000, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x3f000000,
    0xbf000000, 0x40000000, 0xc0000000, 0x40400000, 0xc0400000, 0x3fc00000,
    0xbfc00000, 0x4b7fffff, 0xcb7fffff, 0x4b800000, 0xcb800000, 0x4b800001,
    0x4affffff, 0xcb000001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
    0x7fc00000, 0xffc00000};

/// Pairs: a sixteenth with special values, a quarter of all bits, the rest
/// where results are finite.
void makePair(const std::string &Name, uint64_t I, float &X, float &Y) {
  uint32_t A = hash(3 * I + 1), C = hash(3 * I + 2), D = hash(3 * I + 3);
  X = std::bit_cast<float>(A);
  Y = std::bit_cast<float>(C);
  if ((D >> 28) == 0) {
    X = std::bit_cast<float>(Specials[A % 32]);
    if (D & 1)
      Y = std::bit_cast<float>(Specials[C % 32]);
    return;
  }
  if (Name == "powi") {
    int32_t N = int32_t(C) >> (D & 31);
    if (D & 0x300) {
      double Far = std::min(127.0, 150.0 / (1 + std::fabs(double(N))));
      X = float(std::exp2((double(A) / 0x1p31 - 1) * Far));
      X = D & 0x400 ? -X : X;
    }
    std::memcpy(&Y, &N, 4);
    return;
  }
  if ((D & 3) == 0)
    return;
  if (Name == "atan2") {
    Y = X * float(std::exp2((double(C) / 0x1p31 - 1) * 30));
    Y = D & 4 ? -Y : Y;
    return;
  }
  X = std::fabs(X);
  if ((D & 3) == 1)
    X = 1 +
        (float(A >> 8) * 0x1p-24f - 0.5f) * std::exp2(-float((D >> 8) % 20));
  double L = std::log2(double(X));
  double Range = (double(C) / 0x1p31 - 1) * 130;
  if (std::isfinite(L) && L != 0)
    Y = float(Range / L);
}

double pairReference(const PairEntry &E, float X, float Y) {
  if (std::string(E.Name) == "powi")
    return E.Reference(double(asRead(X)), double(std::bit_cast<int32_t>(Y)));
  return E.Reference(double(asRead(X)), double(asRead(Y)));
}

void sweep(Bench &B, const PairEntry &E) {
  Worst Total;
  Launch L = B.launch(E.Name, Chunk, true);
  uint64_t Count = ((uint64_t(1) << 28) + B.S.Step - 1) / B.S.Step;
  for (uint64_t First = 0; First < Count; First += Chunk) {
    B.inThreads(Chunk, [&](uint32_t From, uint32_t To) {
      for (uint32_t I = From; I < To; ++I)
        makePair(E.Name, First + I, B.Xs[I], B.Ys[I]);
    });
    B.wait(L);
    std::vector<Worst> Parts(B.S.Threads + 1);
    std::atomic<unsigned> Next = 0;
    B.inThreads(Chunk, [&](uint32_t From, uint32_t To) {
      Worst W;
      for (uint32_t I = From; I < To; ++I)
        note(W, B.Xs[I], B.Ys[I], B.Outs[I],
             pairReference(E, B.Xs[I], B.Ys[I]));
      Parts[Next++] = W;
    });
    for (const Worst &W : Parts)
      Total.take(W);
  }
  print(E.Name, Total, true);
}

template <class F> double bestNs(uint32_t Count, F Run) {
  double Best = 1e9;
  for (int Round = 0; Round < 15; ++Round) {
    auto Start = std::chrono::steady_clock::now();
    Run();
    std::chrono::duration<double, std::nano> Took =
        std::chrono::steady_clock::now() - Start;
    Best = std::min(Best, Took.count() / Count);
  }
  return Best;
}

/// Arguments in [-10, 10), or (0, 20) where a function wants positive ones, of
/// a size that stays in the cache.
constexpr uint32_t SpeedCount = 1 << 14;

void fillForSpeed(Bench &B, const std::string &Name) {
  bool Unit = Name == "asin" || Name == "acos";
  bool Positive = Name.starts_with("l") || Name == "rsqrt" || Name == "pow";
  for (uint32_t I = 0; I < SpeedCount; ++I) {
    float R = float(hash(I) >> 8) * 0x1p-24f;
    B.Xs[I] = Unit ? 2 * R - 1 : Positive ? 20 * R + 0.01f : 20 * R - 10;
    B.Ys[I] = float(hash(I + SpeedCount) >> 8) * 0x1p-21f - 4;
  }
}

void printSpeed(const char *Name, double Ours, double C) {
  std::printf("%-7s goldy %6.3f ns, C library %6.3f ns, ratio %.3f\n", Name,
              Ours, C, Ours / C);
  std::fflush(stdout);
}

void speed(Bench &B, const Entry &E) {
  fillForSpeed(B, E.Name);
  Launch L = B.launch(E.Name, SpeedCount, false);
  double Ours = bestNs(SpeedCount, [&] { B.wait(L); });
  double C = bestNs(SpeedCount, [&] {
    for (uint32_t I = 0; I < SpeedCount; ++I)
      B.Outs[I] = E.Single(B.Xs[I]);
  });
  printSpeed(E.Name, Ours, C);
}

void speed(Bench &B, const PairEntry &E) {
  fillForSpeed(B, E.Name);
  Launch L = B.launch(E.Name, SpeedCount, true);
  double Ours = bestNs(SpeedCount, [&] { B.wait(L); });
  double C = bestNs(SpeedCount, [&] {
    for (uint32_t I = 0; I < SpeedCount; ++I)
      B.Outs[I] = E.Single(B.Xs[I], B.Ys[I]);
  });
  printSpeed(E.Name, Ours, C);
}

template <class E>
void each(Bench &B, const E &Which, const std::vector<std::string> &Names) {
  for (const auto &Entry : Which) {
    bool Wanted = Names.empty() || std::find(Names.begin(), Names.end(),
                                             Entry.Name) != Names.end();
    if (!Wanted)
      continue;
    if (B.S.Speed)
      speed(B, Entry);
    else
      sweep(B, Entry);
  }
}

} // namespace

int main(int Argc, char **Argv) {
  Settings S;
  std::vector<std::string> Names;
  std::string Arch;
  for (int I = 1; I < Argc; ++I) {
    std::string A = Argv[I];
    if (A.starts_with("--step="))
      S.Step = uint32_t(std::max(1, std::atoi(A.c_str() + 7)));
    else if (A.starts_with("--threads="))
      S.Threads = unsigned(std::max(1, std::atoi(A.c_str() + 10)));
    else if (A.starts_with("--arch="))
      Arch = A.substr(7);
    else if (A == "--speed")
      S.Speed = true;
    else
      Names.push_back(A);
  }
  S.Arch = Arch.empty() ? nullptr : Arch.c_str();
  Device Dev = need(Device::open("cpu", {S.Speed ? 1 : S.Threads, S.Arch}));
  uint64_t Bytes = uint64_t(Chunk) * 4;
  Buffer X = need(Dev.buffer(Bytes)), Y = need(Dev.buffer(Bytes)),
         Out = need(Dev.buffer(Bytes));
  float *Xs = static_cast<float *>(need(X.map()));
  float *Ys = static_cast<float *>(need(Y.map()));
  float *Outs = static_cast<float *>(need(Out.map()));
  Bench B{S,
          std::move(Dev),
          need(Artifact::load(kernels::embedded())),
          std::move(X),
          std::move(Y),
          std::move(Out),
          Xs,
          Ys,
          Outs};
  each(B, Entries, Names);
  each(B, PairEntries, Names);
}
