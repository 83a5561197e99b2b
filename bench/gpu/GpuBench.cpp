//===- GpuBench.cpp - Kernels on a GPU, timed as peers are ---------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// goldy-gpu-bench [--device=NAME] [--only=REGEX] [--small] [--start] FILE...
//
// A JSON line for each kernel of each file, with the keys of the peers'
// programs. `--start` only opens the device, loads the files and makes all
// kernels, and says how long each took. Exit status 1: a result was wrong.
//
//===----------------------------------------------------------------------===//
#include "Harness.h"

#include <string_view>

using namespace goldy;
using namespace goldy::bench;

namespace {
struct Options {
  std::string Device = "vulkan", Only;
  bool Small = false, Start = false;
  std::vector<std::string> Files;
};
} // namespace

static Options parse(int Count, char **Words) {
  Options O;
  for (int I = 1; I < Count; ++I) {
    std::string_view W = Words[I];
    if (W.starts_with("--device="))
      O.Device = W.substr(9);
    else if (W.starts_with("--only="))
      O.Only = W.substr(7);
    else if (W == "--small")
      O.Small = true;
    else if (W == "--start")
      O.Start = true;
    else if (W.starts_with("--"))
      stop("usage", "unknown option `" + std::string(W) + "`");
    else
      O.Files.emplace_back(W);
  }
  if (O.Files.empty())
    stop("usage", "no artifacts");
  return O;
}

/// What a program waits for before its first launch.
static void start(const Options &O) {
  using Clock = std::chrono::steady_clock;
  auto Ms = [](Clock::time_point A, Clock::time_point B) {
    return std::chrono::duration<double, std::milli>(B - A).count();
  };
  Clock::time_point T0 = Clock::now();
  Device D = need(Device::open(O.Device.c_str()), "device");
  Clock::time_point T1 = Clock::now();
  std::vector<Artifact> Artifacts;
  for (const std::string &F : O.Files)
    Artifacts.push_back(need(Artifact::load(F.c_str()), F.c_str()));
  Clock::time_point T2 = Clock::now();
  std::vector<Kernel> Kernels;
  for (const Artifact &A : Artifacts)
    for (size_t I = 0; I < A.kernelCount(); ++I)
      Kernels.push_back(
          need(Kernel::create(D, A, std::string(A.kernelName(I)).c_str()),
               "kernel"));
  Clock::time_point T3 = Clock::now();
  std::printf("{\"group\":\"start\",\"impl\":\"goldy %s\",\"device_ms\":%.2f,"
              "\"load_ms\":%.2f,\"kernels_ms\":%.2f,\"kernels\":%zu}\n",
              D.info().name, Ms(T0, T1), Ms(T1, T2), Ms(T2, T3),
              Kernels.size());
}

int main(int Count, char **Words) {
  Options O = parse(Count, Words);
  if (O.Start) {
    start(O);
    return 0;
  }
  Bench B(O.Device.c_str(), O.Files, O.Small ? Sizes::small() : Sizes());
  B.only(O.Only);
  std::printf("{\"group\":\"version\",\"goldy\":\"%s\",\"device\":\"%s\"}\n",
              goldy_version(), B.D.info().description);
  elementwiseCases(B);
  rowCases(B);
  computeCases(B);
  costCases(B);
  return B.allPassed() ? 0 : 1;
}
