//===- SuiteTest.cpp - Implementations of the CPU suite agree -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is timed against each other computes the same: kernels.goldy at every
// level of this machine, the plain loops and the vectors by hand, at small
// sizes. Where a kernel leaves no order open, bit for bit.
//
//===----------------------------------------------------------------------===//
#include "Work.h"

#include "kernels.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdlib>

extern "C" const NativeSuite *plainSuite();
extern "C" const NativeSuite *vectorSuite();

using namespace goldy;

namespace {

struct Case {
  const char *Name;
  uint32_t N;
  double Plain, Vectors; ///< how far off, relative to the greatest element
};
constexpr Case Cases[] = {
    {"saxpy", 1000, 0, 0},      {"dispatch", 384, 0, 0},
    {"chain", 1000, 1e-6, 0},   {"softmax", 128, 1e-5, 1e-6},
    {"rmsnorm", 3, 1e-5, 1e-6}, {"sum", 1 << 16, 1e-5, 1e-6},
    {"sgemm", 64, 1e-5, 1e-5},  {"sgemm-plain", 64, 1e-5, 1e-5},
    {"conv5", 64, 0, 0},        {"mandel", 64, 0, 0},
    {"hist", 1 << 14, 0, 0},    {"mix", 1000, 0, 0}};

Memory memoryOf(const Device &D, const Work &W, uint32_t N) {
  Memory M;
  for (uint64_t Bytes : W.Sizes(N)) {
    Result<Buffer> B = D.buffer(Bytes);
    REQUIRE(B);
    M.Buffers.push_back(std::move(*B));
    Result<void *> At = M.Buffers.back().map();
    REQUIRE(At);
    M.Bytes.push_back(*At);
    REQUIRE(M.Buffers.back().unmap().ok());
  }
  W.Fill(M, N);
  return M;
}

std::vector<double> ours(const Device &D, const Work &W, uint32_t N) {
  Memory M = memoryOf(D, W, N);
  Result<Artifact> File = Artifact::load(kernels::embedded());
  REQUIRE(File);
  Result<Kernel> K = Kernel::create(D, *File, W.Entry);
  REQUIRE(K);
  Result<Launch> L = Launch::create(*K, W.Groups(N), W.Arguments(M, N));
  REQUIRE(L);
  if (W.Before)
    W.Before(M);
  for (int I = 0; I < W.Launches; ++I) {
    Result<uint64_t> Point = L->submit();
    REQUIRE(Point);
    REQUIRE(D.wait(*Point).ok());
  }
  if (W.After)
    W.After(M);
  return resultOf(W, M, N);
}

std::vector<double> native(const NativeSuite &S, const Device &D, const Work &W,
                           uint32_t N, unsigned Threads) {
  Memory M = memoryOf(D, W, N);
  SpinPool Pool(Threads);
  Pool.wake();
  W.Native(S, Pool, M, N);
  Pool.sleep();
  return resultOf(W, M, N);
}

void near(const std::vector<double> &A, const std::vector<double> &B,
          double Off) {
  REQUIRE(A.size() == B.size());
  double Most = 0, Far = 0;
  for (size_t I = 0; I < A.size(); ++I) {
    REQUIRE(std::isfinite(A[I]));
    Most = std::max(Most, std::fabs(A[I]));
    Far = std::max(Far, std::fabs(A[I] - B[I]));
  }
  CHECK(Most > 0);
  CHECK(Far <= Off * Most);
}

} // namespace

TEST_CASE("kernels and native implementations of the CPU suite agree") {
  const Case &C = GENERATE(from_range(std::begin(Cases), std::end(Cases)));
  INFO(C.Name);
  const Work *W = findWork(C.Name);
  REQUIRE(W);
  Result<Device> D = Device::open("cpu", {2});
  REQUIRE(D);
  std::vector<double> Want = ours(*D, *W, C.N);
  near(Want, native(*plainSuite(), *D, *W, C.N, 1), C.Plain);
  near(Want, native(*vectorSuite(), *D, *W, C.N, 1), C.Vectors);
  near(Want, native(*vectorSuite(), *D, *W, C.N, 3), C.Vectors);
}

TEST_CASE("kernels of the CPU suite give the same bits at every level") {
  const Case &C = GENERATE(from_range(std::begin(Cases), std::end(Cases)));
  const Work *W = findWork(C.Name);
  Result<Device> Best = Device::open("cpu", {1});
  REQUIRE(Best);
  std::vector<double> Want = ours(*Best, *W, C.N);
  for (const char *Arch : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    INFO(C.Name << " for " << Arch);
    if (Result<Device> D = Device::open("cpu", {2, Arch}); D)
      CHECK(ours(*D, *W, C.N) == Want);
  }
}
