//===- Harness.cpp - Kernels of artifacts, checked and timed --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Harness.h"

#include <bit>
#include <filesystem>

using namespace goldy;
using namespace goldy::bench;

Sizes Sizes::small() {
  Sizes S;
  S.LogCopy = 20;
  S.LogVector = 18;
  S.Rows = 64;
  S.Matrix = 256;
  S.Image = 256;
  S.CostGroups = 8;
  S.Small = true;
  return S;
}

goldy_argument_t bench::view(const Buffer &B, uint64_t First, uint64_t Count) {
  return {B.get(), 4 * First, Count, 0, nullptr};
}
goldy_argument_t bench::word(uint32_t Value) {
  return {nullptr, 0, 0, Value, nullptr};
}
goldy_argument_t bench::word(float Value) {
  return word(std::bit_cast<uint32_t>(Value));
}

//===----------------------------------------------------------------------===//
// Submissions
//===----------------------------------------------------------------------===//

/// A step takes all of a memory that it writes for written, so that it waits
/// for the step before even where a ring gives them different pieces.
static void widen(rt::Part &P,
                  const std::vector<std::shared_ptr<rt::Memory>> &Of) {
  for (rt::MemoryUse &U : P.Uses)
    for (const std::shared_ptr<rt::Memory> &M : Of)
      if (U.Written && U.Memory == M->Id)
        U = {U.Memory, 0, M->Bytes, true};
}

void Steps::launch(goldy_kernel_t *K, std::vector<goldy_argument_t> Arguments,
                   goldy_grid_t Grid) {
  std::unique_ptr<goldy_launch> &Out =
      Bound.emplace_back(std::make_unique<goldy_launch>());
  rt::SubmissionDesc One;
  need(rt::bindLaunch(*K->Loaded, Arguments, Grid, *Out, One), "bind");
  for (rt::Part &P : One.Parts) {
    widen(P, Out->Memories);
    Desc.Parts.push_back(std::move(P));
  }
}

void Steps::fill(const Buffer &B, uint64_t Bytes, uint8_t Value) {
  rt::Part P;
  P.Kind = rt::PartKind::Fill;
  P.Uses.push_back({B.get()->Memory->Id, 0, Bytes, true});
  P.Value = Value;
  Desc.Parts.push_back(std::move(P));
}

Prepared::Prepared(Steps &S) : Driver(S.driver()) {
  need(Driver.prepare(S.takeDesc(), Id), "prepare");
}

double Prepared::run() {
  using Clock = std::chrono::steady_clock;
  Clock::time_point Start = Clock::now();
  uint64_t Point = 0;
  need(Driver.run(Id, {}, Point), "run");
  for (;;) {
    rt::Status S = Driver.wait(Point, 0);
    if (S.ok())
      break;
    if (S.code() != GOLDY_TIMEOUT)
      stop("wait", S.message());
  }
  return std::chrono::duration<double, std::micro>(Clock::now() - Start)
      .count();
}

//===----------------------------------------------------------------------===//
// The bench
//===----------------------------------------------------------------------===//

Bench::Bench(const char *DeviceName, std::span<const std::string> Paths,
             Sizes S)
    : Size(S), D(bench::need(Device::open(DeviceName), "device")),
      X(bench::need(D.buffer(4ull << S.LogCopy), "buffer")),
      Y(bench::need(D.buffer(4ull << S.LogCopy), "buffer")),
      Z(bench::need(D.buffer(4ull << S.LogCopy), "buffer")),
      W(bench::need(D.buffer(4ull << 20), "buffer")) {
  for (const std::string &Path : Paths)
    Files.push_back({std::filesystem::path(Path).stem().string(),
                     bench::need(Artifact::load(Path.c_str()), Path.c_str())});
  Fills.push_back(need("fill_floats"));
  Fills.push_back(need("fill_bytes"));
  Kernel Nothing = need("nothing");
  Steps One(driver());
  One.launch(Nothing.get(), {view(W, 0, 32), word(1.0f)}, {{1, 1, 1}});
  Prepared P(One);
  std::vector<double> Us;
  for (int I = 0; I < 200; ++I)
    Us.push_back(P.run());
  EmptyUs = median(std::move(Us));
}

/// A kernel that the bench itself needs.
Kernel Bench::need(const char *Name) const {
  for (const File &F : Files)
    if (Result<Kernel> K = Kernel::create(D, F.A, Name))
      return std::move(*K);
  stop(Name, "no file has this kernel for the device");
}

void Bench::once(const std::function<void(Steps &)> &Add) {
  Steps S(driver());
  Add(S);
  Prepared(S).run();
}

void Bench::fillFloats(const Buffer &B, uint64_t Count, uint32_t Seed) {
  once([&](Steps &S) {
    S.launch(Fills[0].get(), {view(B, 0, Count), word(Seed)}, over(Count));
  });
}
void Bench::fillBytes(const Buffer &B, uint64_t Count) {
  once([&](Steps &S) {
    S.launch(Fills[1].get(), {view(B, 0, Count)}, over(Count));
  });
}

std::vector<float> Bench::floats(const Buffer &B, uint64_t Count,
                                 uint64_t First) const {
  std::vector<float> V(Count);
  Status S = B.read(V, 4 * First);
  if (!S.ok())
    stop("read", S.message());
  return V;
}
std::vector<uint32_t> Bench::words(const Buffer &B, uint64_t Count) const {
  std::vector<uint32_t> V(Count);
  Status S = B.read(V);
  if (!S.ok())
    stop("read", S.message());
  return V;
}

void Bench::run(const Case &C) {
  if (!std::regex_search(C.Name + " " + C.Kernel, Only))
    return;
  for (const File &F : Files) {
    Result<Kernel> K = Kernel::create(D, F.A, C.Kernel.c_str());
    if (K.ok())
      timed(C, F, K->get());
    else if (K.status().code() != GOLDY_NOT_FOUND)
      stop(C.Kernel.c_str(), K.status().message());
  }
}

void Bench::check(const Case &C, goldy_kernel_t *K, double &Error) {
  if (C.Before)
    C.Before();
  if (!C.Error)
    return;
  once([&](Steps &S) { S.fill(Z, Z.bytes(), 0xff); });
  once([&](Steps &S) { C.Step(S, K, 0); });
  Error = C.Error();
  if (Error <= C.Tolerance)
    return;
  Passed = false;
  std::fprintf(stderr, "error: %s, %s: off by %g, %g is allowed\n",
               C.Name.c_str(), C.Kernel.c_str(), Error, C.Tolerance);
}

/// Microseconds of a step, in a submission of `Inner` of them.
static double stepUs(Prepared &P, uint32_t Inner, double EmptyUs) {
  return std::max(P.run() - EmptyUs, 0.001) / Inner;
}

void Bench::timed(const Case &C, const File &F, goldy_kernel_t *K) {
  constexpr uint32_t MostSteps = 512, WarmUps = 4;
  double Error = 0;
  check(C, K, Error);
  auto Make = [&](uint32_t Count) {
    Steps S(driver());
    for (uint32_t I = 0; I < Count; ++I)
      C.Step(S, K, I % C.Ring);
    return std::make_unique<Prepared>(S);
  };
  std::unique_ptr<Prepared> P = Make(C.Ring);
  P->run();
  double First = stepUs(*P, C.Ring, EmptyUs);
  double Fits = std::clamp(C.SampleMs * 1e3 / First, 1.0, double(MostSteps));
  uint32_t Inner = (uint32_t(Fits) + C.Ring - 1) / C.Ring * C.Ring;
  uint32_t Samples = First > 50e3 ? 7 : C.Samples;
  P = Make(Inner);
  std::vector<double> Us;
  for (uint32_t I = 0; I < Samples + WarmUps; ++I) {
    double One = stepUs(*P, Inner, EmptyUs);
    if (I >= WarmUps)
      Us.push_back(One);
  }
  double Least = *std::min_element(Us.begin(), Us.end()), Us50 = median(Us);
  std::printf("{\"group\":\"%s\",\"kernel\":\"%s\",\"impl\":\"goldy %s %s, "
              "%s\",\"us\":%.4f,\"min_us\":%.4f,\"inner\":%u,\"reps\":%u,"
              "\"TBps\":%.4f,\"Tops\":%.4f,\"err\":%.3g}\n",
              C.Group.c_str(), C.Name.c_str(), D.info().name, C.Kernel.c_str(),
              F.Stem.c_str(), Us50, Least, Inner, Samples,
              C.Bytes / Us50 * 1e-6, C.Ops / Us50 * 1e-6, Error);
  std::fflush(stdout);
}
