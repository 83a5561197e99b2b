//===- Programs.cpp - What loading and steps cost the host ----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs of 10,000 steps that do next to nothing, so that what is left is the
// host's own work: beside the same submissions started one by one on the
// driver. Arguments: names of devices; none: `cpu` and `null`. The null
// device keeps a line of text for each call, so its runs are few; what GPUs do
// counts, up to the end of the last step.
//
//===----------------------------------------------------------------------===//
#include "../LaunchBench.h"
#include "TestArtifact.h"
#include "core/Objects.h"
#include "goldy/program.hpp"
#include "program/Bytes.h"
#include "program/Loaded.h"
#include "program/Slice.h"

#include <cstring>

using namespace goldy;
using namespace goldy::bench;
using Clock = std::chrono::steady_clock;

namespace {

constexpr size_t Steps = 10000;
constexpr uint32_t BlockBytes = 72, AtA = 32, Elements = 4;

double msSince(Clock::time_point Start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - Start)
      .count();
}

/// The arch of the test kernels' code for a device.
std::string archOf(const Device &D) {
  std::string Name = D.get()->Driver->facts().Name;
  if (Name.starts_with("vulkan"))
    return D.get()->Driver->facts().Arches.front();
  return Name.starts_with("cuda") ? "sm_80" : "x86-64-v1";
}

std::string slice(const std::string &Arch) {
  static const std::vector<uint8_t> File = cts::deviceKernels().bytes();
  std::shared_ptr<const rt::Artifact> A;
  need(rt::loadArtifact(rt::File::borrow(std::as_bytes(std::span(File))), true,
                        A),
       "artifact");
  size_t Image = 0;
  while (A->Kernels[0].Images[Image].Arch != Arch)
    ++Image;
  return rt::artifactSlice(*A, 0, Image);
}

enum class Kind { Launch, LaunchOfInts, Copy, CopyOfInts };

/// saxpy of four elements of input 0 into input 1; with its scalar and its
/// groups from ints.
program::Launch launch(bool Ints) {
  program::Launch L;
  L.Name = "saxpy";
  L.Params.Bytes.assign(BlockBytes, 0);
  std::memcpy(&L.Params.Bytes[8], &Elements, 4);
  std::memcpy(&L.Params.Bytes[24], &Elements, 4);
  L.Refs = {{0, 0, program::Use::Read}, {1, 16, program::Use::Write}};
  L.Groups = {program::Fixed{1}, program::Fixed{1}, program::Fixed{1}};
  L.Threads = {program::Fixed{256}, program::Fixed{1}, program::Fixed{1}};
  L.Shared = program::Fixed{0};
  if (Ints) {
    L.Params.Holes.push_back(
        {AtA, program::Width::W32, {{program::IntWord{0}, 1}}, 0, 0});
    L.Groups[0] = program::IntWord{1};
  }
  return L;
}

program::Copy copy(bool Ints) {
  program::Copy C;
  C.Dst = 1;
  C.Length = 4;
  if (Ints)
    C.SrcOffset = {{program::IntWord{1}, 4}};
  return C;
}

program::ProgramDesc described(Kind K, const std::string &Arch) {
  program::ProgramDesc P;
  P.Devices = {Arch};
  P.Images = {{0, {slice(Arch), {}}}};
  P.Inputs = {{0, 4 * Elements, {}}, {0, 4 * Elements, {}}};
  P.Ints = 2;
  program::Submit S;
  S.Slots = {program::InputSlot{0}, program::InputSlot{1}};
  bool Ints = K == Kind::LaunchOfInts || K == Kind::CopyOfInts;
  if (K == Kind::Launch || K == Kind::LaunchOfInts)
    S.Parts.push_back(launch(Ints));
  else
    S.Parts.push_back(copy(Ints));
  P.Steps.assign(Steps, {S});
  return P;
}

struct Loaded {
  Device D;
  Buffer X, Y;
  Result<Program> P;
  goldy_buffer_t *Inputs[2];
  int64_t Ints[2] = {0, 1};

  Loaded(const char *Name, Kind K)
      : D(need(Device::open(Name), "device")),
        X(need(D.buffer(4 * Elements), "buffer")),
        Y(need(D.buffer(4 * Elements), "buffer")), P(load(K)),
        Inputs{X.get(), Y.get()} {
    if (!P)
      stop("load", P.status().message());
  }
  Result<Program> load(Kind K) {
    std::string Bytes = program::toBytes(described(K, archOf(D)));
    Clock::time_point Start = Clock::now();
    ProgramDesc Desc = need(ProgramDesc::decode(Bytes), "decode");
    double Decoded = msSince(Start);
    goldy_device_t *Devices[] = {D.get()};
    Start = Clock::now();
    Result<Program> Out = Program::load(Desc, {Devices, 1, nullptr, 0}, true);
    std::printf("  load of %zu steps: %.1f ms (decoding %.1f ms)\n", Steps,
                msSince(Start), Decoded);
    return Out;
  }
  void run() { need(P->run({Inputs, 2, Ints, 2, nullptr, 0}), "run"); }
  /// The same submissions with the words of the run before.
  void drive() {
    goldy_program &L = *P->get();
    rt::Driver &Driver = *L.Devices[0];
    uint64_t Point = 0;
    const rt::MemoryId Memories[] = {X.get()->Memory->Id, Y.get()->Memory->Id};
    auto Run = [&](const auto &S) {
      need(Driver.run(
               L.Submissions[S.Prepared[0]].Id,
               {std::span(L.State.Table).subspan(S.Words.First, S.Words.Count),
                Memories},
               Point),
           "run");
    };
    for (const rt::SubmitPlan &S : L.Plan.Submits)
      if (S.Join == rt::NoIndex)
        Run(S);
    for (const rt::JoinPlan &J : L.Plan.Joins)
      Run(J);
  }
};

void costs(const char *Device, const char *What, Kind K, uint32_t Rounds) {
  std::printf("%s, %s\n", Device, What);
  Loaded L(Device, K);
  std::vector<double> Program, Driver;
  for (uint32_t R = 0; R <= Rounds; ++R) {
    Clock::time_point Start = Clock::now();
    L.run();
    double Ran = msSince(Start);
    Start = Clock::now();
    L.drive();
    if (R) {
      Program.push_back(Ran);
      Driver.push_back(msSince(Start));
    }
  }
  constexpr double UsAStep = 1000.0 / Steps;
  double Whole = median(Program) * UsAStep, Alone = median(Driver) * UsAStep;
  std::printf("  a step %.3f us, the driver alone %.3f us, the program's part "
              "%.3f us\n",
              Whole, Alone, Whole - Alone);
}

} // namespace

int main(int Count, char **Names) {
  std::vector<const char *> Devices(Names + 1, Names + Count);
  if (Devices.empty())
    Devices = {"cpu", "null"};
  for (const char *Device : Devices) {
    uint32_t Rounds = std::strcmp(Device, "cpu") == 0 ? 51 : 3;
    costs(Device, "launches", Kind::Launch, Rounds);
    costs(Device, "launches with a scalar and groups from ints",
          Kind::LaunchOfInts, Rounds);
    costs(Device, "copies", Kind::Copy, Rounds);
    costs(Device, "copies that ints move", Kind::CopyOfInts, Rounds);
  }
  return 0;
}
