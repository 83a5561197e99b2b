//===- LoadFixture.cpp - Programs that are loaded and run -----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LoadFixture.h"

#include "TestArtifact.h"
#include "program/Slice.h"
#include "program/Text.h"

#include <catch2/catch.hpp>

#include <cstdlib>

using namespace goldy;
using namespace goldy::rt;

/// `vulkan1.1` is the Vulkan device with code that names memory by handle.
static Status open(const std::string &Name, std::unique_ptr<Driver> &Out) {
  DeviceOptions Options;
  if (Name == "vulkan1.1")
    Options.Arch = Name;
  for (const DriverEntry &E : driverEntries())
    if (Name.starts_with(E.Name) && E.Open)
      return E.Open(Options, Out);
  return Status(GOLDY_UNAVAILABLE, "no driver `" + Name + "`");
}

/// Whether device `Name` runs programs; the ints of some are the host's.
static Status opens(const std::string &Name) {
  std::unique_ptr<Driver> D;
  GOLDY_TRY(open(Name, D));
  alignas(64) static std::byte Host[64];
  MemoryId Id{};
  GOLDY_TRY(D->borrow(Host, sizeof Host, Id));
  D->release(Id);
  return Status();
}

const std::vector<std::string> &goldy::rt::workingDevices() {
  static const std::vector<std::string> Names = [] {
    std::vector<std::string> Out{"cpu"};
    for (const char *Name : {"vulkan", "vulkan1.1", "cuda"}) {
      Status S = opens(Name);
      if (S.ok())
        Out.push_back(Name);
      else
        WARN(S.message());
      REQUIRE((S.ok() || Name == std::string("cuda") ||
               !std::getenv("GOLDY_REQUIRE_VULKAN")));
    }
    return Out;
  }();
  return Names;
}

TestDevice::TestDevice(const std::string &Name) {
  std::unique_ptr<Driver> Real;
  REQUIRE(open(Name, Real).ok());
  if (Name.starts_with("vulkan"))
    Arch = Real->facts().Arches.front();
  if (Name == "cuda")
    Arch = "sm_80";
  Faults = std::make_shared<FaultyDriver>(std::move(Real));
  Device.Driver = Faults;
}

std::unique_ptr<goldy_buffer> TestDevice::buffer(uint64_t Bytes) {
  std::unique_ptr<goldy_buffer> B = std::make_unique<goldy_buffer>();
  B->Memory = std::make_shared<Memory>();
  B->Memory->Device = Faults;
  B->Memory->Bytes = Bytes;
  REQUIRE(Faults->allocate(Bytes, B->Memory->Id).ok());
  return B;
}

/// A slice of the test kernels; the name itself if there is none.
static std::string sliceOf(const std::string &Kernel, const std::string &Arch) {
  auto Load = [](const std::vector<uint8_t> &File) {
    std::shared_ptr<const Artifact> Out;
    REQUIRE(
        loadArtifact(File::borrow(std::as_bytes(std::span(File))), true, Out)
            .ok());
    return Out;
  };
  static const std::vector<uint8_t> Files[] = {cts::deviceKernels().bytes(),
                                               cts::shapeKernels().bytes()};
  static const std::shared_ptr<const Artifact> All[] = {Load(Files[0]),
                                                        Load(Files[1])};
  for (const std::shared_ptr<const Artifact> &A : All)
    for (size_t I = 0; I < A->Kernels.size(); ++I)
      for (size_t N = 0; N < A->Kernels[I].Images.size(); ++N)
        if (A->Kernels[I].Name == Kernel &&
            A->Kernels[I].Images[N].Arch == Arch)
          return artifactSlice(*A, I, N);
  return Kernel;
}

goldy_program_desc goldy::rt::described(const std::string &Text,
                                        const std::vector<std::string> &Archs) {
  goldy_program_desc D;
  std::string Why;
  program::fromText("#![goldy::program(3)]\n" + Text, D.Desc, Why);
  INFO(Text);
  REQUIRE(Why == "");
  for (size_t I = 0; I < Archs.size() && I < D.Desc.Devices.size(); ++I)
    D.Desc.Devices[I] = Archs[I];
  for (program::Image &I : D.Desc.Images)
    I.Binary.Bytes = sliceOf(I.Binary.Bytes,
                             D.Desc.Devices.at(static_cast<size_t>(I.Device)));
  return D;
}

Told TestProgram::load(const goldy_program_desc &D,
                       std::vector<TestDevice *> Devices) {
  goldy_program_destroy(P);
  P = nullptr;
  std::vector<goldy_device_t *> Each;
  for (TestDevice *X : Devices)
    Each.push_back(&X->Device);
  goldy_program_machine_t M{Each.data(), Each.size(), Rails.data(),
                            Rails.size()};
  uint32_t Flags = (Trusted ? uint32_t(GOLDY_LOAD_TRUSTED) : 0) |
                   (Timed ? uint32_t(GOLDY_PROGRAM_TIMED) : 0);
  goldy_program_options_t O{sizeof O, Flags, Callbacks.data(),
                            Callbacks.size()};
  Told S(goldy_program_load(&D, &M, &O, &P));
  CHECK((S.Code == GOLDY_OK) == (P != nullptr));
  return S;
}

Told TestProgram::run(std::vector<goldy_buffer *> Inputs,
                      std::vector<int64_t> Ints) {
  goldy_program_counts_t Info = goldy_program_counts(P);
  Points.resize(AsksPoints ? Info.submits : 0);
  Ends.resize(Info.devices);
  goldy_program_frame_t F{Inputs.data(),
                          Inputs.size(),
                          Ints.data(),
                          Ints.size(),
                          AsksPoints ? Points.data() : nullptr,
                          Points.size()};
  size_t Count = 0;
  Told S(goldy_program_run(P, &F, Waits.data(), Waits.size(), Ends.data(),
                           &Count));
  Ends.resize(Count);
  for (const goldy_program_point_t &E : Ends)
    if (WaitsAfter)
      REQUIRE(Told(goldy_program_wait(P, E, GOLDY_FOREVER)).Message == "");
  return S;
}
