//===- Launch.cpp - Launch and wait beside Vulkan's own calls -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One group of saxpy, and chains of 100 and 1,000 of them, started and waited
// for, on the CPU and on the first Vulkan device; its kernels are in the
// program, which needs nothing else. Arguments: `cpu`, `vulkan`; none: both.
//
//===----------------------------------------------------------------------===//
#include "../ReplayProgram.h"
#include "RawVulkan.h"
#include "TestArtifact.h"
#include "core/Objects.h"

#include <optional>
#include <string_view>

using namespace goldy;
using namespace goldy::bench;

namespace {

constexpr uint32_t Elements = 256, ChainLength = 100;
constexpr uint32_t OffsetOfA = 32; ///< of saxpy's block

/// A launch of one group, and chains of it.
struct Ours {
  Device D;
  Artifact A;
  Kernel K;
  Buffer X, Y;
  goldy_argument_t Args[3];
  goldy_launch_t *Prepared = nullptr;
  goldy_launch Bound;
  rt::SubmissionId Chain{}, WithWords{};
  uint64_t Point = 0, Word = 0;
  std::optional<Replay> Many;
  std::optional<ReplayProgram> AsProgram, AsSteps;

  Ours(const char *Name, std::span<const uint8_t> File, const char *KernelName)
      : D(need(Device::open(Name), "device")),
        A(need(Artifact::load(File), "artifact")),
        K(need(Kernel::create(D, A, KernelName), "kernel")),
        X(need(D.buffer(4 * Elements), "buffer")),
        Y(need(D.buffer(4 * Elements), "buffer")),
        Args{{X.get(), 0, Elements, 0, nullptr},
             {Y.get(), 0, Elements, 0, nullptr},
             {nullptr, 0, 0, 0x3f800000, nullptr}} {
    need(goldy_launch_create(K.get(), Args, 3, {{1, 1, 1}}, &Prepared),
         "launch");
    rt::SubmissionDesc Desc;
    need(rt::bindLaunch(*K.get()->Loaded, Args, {{1, 1, 1}}, Bound, Desc),
         "bind");
    Many.emplace(driver(), Desc, OffsetOfA);
    std::string Arch = driver().facts().Arches.front();
    if (Arch.starts_with("x86-64"))
      Arch = "x86-64-v1";
    AsProgram.emplace(D, X, Y, File, KernelName, Arch, Elements);
    AsSteps.emplace(D, X, Y, File, KernelName, Arch, Elements, StepsOf::Each);
    Desc.Parts.resize(ChainLength, Desc.Parts[0]);
    rt::SubmissionDesc Words = Desc;
    for (uint32_t N = 0; N < ChainLength; ++N)
      Words.Slots.push_back({N, OffsetOfA, 4, 0});
    Words.Words = 1;
    need(driver().prepare(std::move(Desc), Chain), "prepare");
    need(driver().prepare(std::move(Words), WithWords), "prepare");
  }
  ~Ours() {
    driver().releaseSubmission(Chain);
    driver().releaseSubmission(WithWords);
    goldy_launch_destroy(Prepared);
  }
  rt::Driver &driver() { return *D.get()->Driver; }

  void submit() {
    need(goldy_launch_submit(Prepared, &Point), "submit");
    need(goldy_device_wait(D.get(), Point, GOLDY_FOREVER), "wait");
  }
  void launch() {
    need(goldy_kernel_launch(K.get(), Args, 3, {{1, 1, 1}}, &Point), "launch");
    need(goldy_device_wait(D.get(), Point, GOLDY_FOREVER), "wait");
  }
  void run(rt::SubmissionId Id, uint64_t Added) {
    Word += Added;
    std::span<const uint64_t> Given(&Word, Id == WithWords ? 1 : 0);
    need(driver().run(Id, {Given, {}}, Point), "run");
    need(driver().wait(Point, GOLDY_FOREVER), "wait");
  }
};

std::vector<Way> oneLaunch(Ours &O) {
  return {{"goldy_launch_submit, goldy_device_wait", [&] { O.submit(); }, {}},
          {"goldy_kernel_launch, goldy_device_wait", [&] { O.launch(); }, {}}};
}
std::vector<Way> aChain(Ours &O, const char *Changed) {
  return {
      {"a prepared submission", [&] { O.run(O.Chain, 0); }, {}},
      {"one whose 100 words are as before", [&] { O.run(O.WithWords, 0); }, {}},
      {Changed, [&] { O.run(O.WithWords, 1); }, {}}};
}

/// The kernel is one work-item that writes four words, so that what is left is
/// the host's own work.
void stepsOnCpu(Ours &O) {
  constexpr uint32_t OffsetOfLength = 8; // which the kernel does not read
  Kernel K = need(Kernel::create(O.D, O.A, "probe"), "kernel");
  goldy_argument_t Args[2] = {{O.X.get(), 0, 4, 0, nullptr},
                              {nullptr, 0, 0, 0, nullptr}};
  goldy_launch Bound;
  rt::SubmissionDesc One;
  need(rt::bindLaunch(*K.get()->Loaded, Args, {{1, 1, 1}}, Bound, One), "bind");
  Replay Steps(O.driver(), One, OffsetOfLength);
  goldy_launch_t *Launch = nullptr;
  need(goldy_launch_create(K.get(), Args, 2, {{1, 1, 1}}, &Launch), "launch");
  measure("1,000 launches of one work-item",
          {{"as they were", [&] { Steps.run(); }, {}},
           {"every tenth word changed", [&] { Steps.runChanged(); }, {}},
           {"1,000 times goldy_launch_submit, goldy_device_wait",
            [&] {
              for (uint32_t N = 0; N < Replay::Launches; ++N) {
                uint64_t Point = 0;
                need(goldy_launch_submit(Launch, &Point), "submit");
                need(goldy_device_wait(O.D.get(), Point, GOLDY_FOREVER),
                     "wait");
              }
            },
            {}}});
  goldy_launch_destroy(Launch);
}

void onCpu(cts::TestArtifact &Source) {
  std::vector<uint8_t> File = Source.bytes();
  Ours O("cpu", File, "saxpy");
  std::printf("%s: %s\n", O.D.info().name, O.D.info().description);
  measure("one launch and the wait for it", oneLaunch(O), 20000);
  measure("a chain of 100 launches and the wait for it",
          aChain(O, "one whose 100 words change"));
  measure("1,000 launches and the wait for them",
          {{"as they were", [&] { O.Many->run(); }, {}},
           {"every tenth word changed", [&] { O.Many->runChanged(); }, {}},
           {"a program", [&] { O.AsProgram->run(); }, {}},
           {"a program, every tenth int changed",
            [&] { O.AsProgram->runChanged(); },
            {}},
           {"a program of 1,000 steps", [&] { O.AsSteps->run(); }, {}}});
  stepsOnCpu(O);
}

/// 1,000 launches: as they were, and with every tenth word changed, in push
/// constants (which both record anew) and in memory.
void replayOnVulkan(Ours &O, Ours &Far, RawVulkan &R, RawVulkan &RawFar,
                    RawVulkan &RawApart) {
  constexpr uint32_t N = Replay::Launches;
  constexpr uint32_t Rounds = 300;
  VkCommandBuffer Pushed = R.record(N), Again = R.record(N),
                  InMemory = RawFar.recordFar(N),
                  Apart = RawApart.recordFar(N, 128);
  std::vector<uint32_t> Words(N);
  uint32_t Turn = 0;
  auto Change = [&](auto Set) {
    ++Turn;
    for (uint32_t L = Turn % Replay::ChangeEach; L < N; L += Replay::ChangeEach)
      Set(L);
  };
  measure("1,000 launches and the wait for them, pushed",
          {{"recorded commands", [&] { R.runPolling(Pushed); }, {}},
           {"a prepared submission", [&] { O.Many->run(); }, {}},
           {"a program", [&] { O.AsProgram->run(); }, {}},
           {"a program of 1,000 steps", [&] { O.AsSteps->run(); }, {}}},
          Rounds);
  measure("1,000 launches and the wait for them, in memory",
          {{"recorded commands", [&] { RawFar.runPolling(InMemory); }, {}},
           {"…, blocks as far apart as ours",
            [&] { RawApart.runPolling(Apart); },
            {}},
           {"a prepared submission", [&] { Far.Many->run(); }, {}},
           {"a program", [&] { Far.AsProgram->run(); }, {}},
           {"a program of 1,000 steps", [&] { Far.AsSteps->run(); }, {}}},
          Rounds);
  measure("… every tenth word changed, pushed",
          {{"commands recorded anew",
            [&] {
              Change([&](uint32_t L) { Words[L] = Turn; });
              R.recordAgain(Again, OffsetOfA, Words);
              R.runPolling(Again);
            },
            {}},
           {"a prepared submission", [&] { O.Many->runChanged(); }, {}},
           {"a program", [&] { O.AsProgram->runChanged(); }, {}},
           {"a program of 1,000 steps", [&] { O.AsSteps->runChanged(); }, {}}},
          Rounds);
  measure(
      "… every tenth word changed, in memory",
      {{"words written, recorded commands",
        [&] {
          Change([&](uint32_t L) { RawFar.setFar(L, OffsetOfA, Turn); });
          RawFar.runPolling(InMemory);
        },
        {}},
       {"a prepared submission", [&] { Far.Many->runChanged(); }, {}},
       {"a program", [&] { Far.AsProgram->runChanged(); }, {}},
       {"a program of 1,000 steps", [&] { Far.AsSteps->runChanged(); }, {}}},
      Rounds);
}

void onVulkan(cts::TestArtifact &Source) {
  std::vector<uint8_t> File = Source.bytes();
  std::vector<uint8_t> Others = cts::shapeKernels().bytes();
  Ours O("vulkan", File, "saxpy"), Far("vulkan", Others, "far");
  RawVulkan R(Source.Blobs[cts::SaxpySpirvBlobs[0]], Elements);
  RawVulkan RawFar(cts::shapeKernels().Blobs[cts::FarSpirvBlob], Elements),
      RawApart(cts::shapeKernels().Blobs[cts::FarSpirvBlob], Elements);
  VkCommandBuffer One = R.record(1), Chain = R.record(ChainLength);
  std::printf("%s: %s\n", O.D.info().name, O.D.info().description);
  std::vector<Way> Ways = {
      {"vkQueueSubmit, vkWaitSemaphores", [&] { R.run(One); }, {}},
      {"vkQueueSubmit, polling", [&] { R.runPolling(One); }, {}}};
  for (Way &W : oneLaunch(O))
    Ways.push_back(std::move(W));
  measure("one launch and the wait for it", std::move(Ways));
  Ways = {{"recorded commands, vkWaitSemaphores", [&] { R.run(Chain); }, {}}};
  for (Way &W : aChain(O, "one whose 100 words change, pushed"))
    Ways.push_back(std::move(W));
  Ways.push_back({"one whose 100 words change, in memory",
                  [&] { Far.run(Far.WithWords, 1); },
                  {}});
  measure("a chain of 100 launches and the wait for it", std::move(Ways), 500);
  replayOnVulkan(O, Far, R, RawFar, RawApart);
}

} // namespace

int main(int Count, char **Arguments) {
  std::string_view Only = Count > 1 ? Arguments[1] : "";
  cts::TestArtifact Source = cts::deviceKernels();
  if (Only != "vulkan")
    onCpu(Source);
  if (Only != "cpu")
    onVulkan(Source);
  return 0;
}
