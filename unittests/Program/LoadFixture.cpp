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

using namespace goldy;
using namespace goldy::rt;

TestDevice::TestDevice(const char *Name) {
  std::unique_ptr<Driver> Real;
  for (const DriverEntry &E : driverEntries())
    if (E.Name == std::string(Name))
      REQUIRE(E.Open({}, Real).ok());
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

std::string goldy::rt::sliceOf(const std::string &Kernel) {
  static const std::vector<uint8_t> File = cts::testKernels().bytes();
  static const std::shared_ptr<const Artifact> A = [] {
    std::shared_ptr<const Artifact> Out;
    REQUIRE(
        loadArtifact(File::borrow(std::as_bytes(std::span(File))), true, Out)
            .ok());
    return Out;
  }();
  for (size_t I = 0; I < A->Kernels.size(); ++I)
    if (A->Kernels[I].Name == Kernel)
      return artifactSlice(*A, I, 0);
  return Kernel;
}

goldy_program_desc goldy::rt::described(const std::string &Text) {
  goldy_program_desc D;
  std::string Why;
  program::fromText("#![goldy::program(2)]\n" + Text, D.Desc, Why);
  INFO(Text);
  REQUIRE(Why == "");
  for (program::Image &I : D.Desc.Images)
    I.Binary.Bytes = sliceOf(I.Binary.Bytes);
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
  goldy_program_options_t O{sizeof O,
                            Trusted ? uint32_t(GOLDY_LOAD_TRUSTED) : 0,
                            Callbacks.data(), Callbacks.size()};
  Told S(goldy_program_load(&D, &M, &O, &P));
  CHECK((S.Code == GOLDY_OK) == (P != nullptr));
  return S;
}

Told TestProgram::run(std::vector<goldy_buffer *> Inputs,
                      std::vector<int64_t> Ints) {
  goldy_program_counts_t Info = goldy_program_counts(P);
  Points.resize(Info.submits);
  Ends.resize(Info.devices);
  goldy_program_frame_t F{Inputs.data(), Inputs.size(), Ints.data(),
                          Ints.size(),   Points.data(), Points.size()};
  size_t Count = 0;
  Told S(goldy_program_run(P, &F, Waits.data(), Waits.size(), Ends.data(),
                           &Count));
  Ends.resize(Count);
  return S;
}
