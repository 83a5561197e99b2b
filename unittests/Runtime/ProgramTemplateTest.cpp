//===- ProgramTemplateTest.cpp - Templates become descriptions ------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Archs and images are chosen, and every image is an artifact that loads.
//
//===----------------------------------------------------------------------===//
#include "TestArtifact.h"

#include "goldy/program.hpp"
#include "program/Bytes.h"

#include <catch2/catch.hpp>

using namespace goldy;
using namespace goldy::cts;

namespace {

constexpr const char *Text = R"(#![goldy::template(2)]
name: "two",
devices: ["first", "second"],
images: [{ device: 0, kernel: "saxpy" }, { device: 1, kernel: "probe" }, { device: 1, kernel: "saxpy" }],
inputs: [{ name: "x", device: 0, bytes: 64 }],
ints: [Param { name: "n", type: u32 }, Hidden],
steps: [Loop { trips: int 0, trip: 1, body: [] }],
)";

program::ProgramDesc valueOf(ProgramDesc &P) {
  program::ProgramDesc D;
  std::string Why;
  Result<std::string_view> Bytes = P.bytes();
  REQUIRE(Bytes);
  REQUIRE(program::fromBytes(*Bytes, D, Why));
  return D;
}

Artifact load(std::string_view File) {
  Result<Artifact> A = Artifact::load(std::span(
      reinterpret_cast<const unsigned char *>(File.data()), File.size()));
  REQUIRE(A.status().message() == "");
  return std::move(*A);
}

struct Fixture {
  std::vector<uint8_t> File = deviceKernels().bytes();
  Artifact A = load({reinterpret_cast<const char *>(File.data()), File.size()});
  Result<Device> Cpu = Device::open("cpu"), Null = Device::open("null");
  Result<ProgramTemplate> T = ProgramTemplate::parse(Text);
};

} // namespace

TEST_CASE("a template becomes a description of the devices' archs") {
  Fixture F;
  REQUIRE(F.T.status().message() == "");
  goldy_device_t *Devices[] = {F.Cpu->get(), F.Null->get()};
  Result<ProgramDesc> P = F.T->instantiate(F.A, Devices);
  REQUIRE(P.status().message() == "");
  CHECK(P->check({Devices, 2, nullptr, 0}).message() == "");
  program::ProgramDesc D = valueOf(*P);
  REQUIRE(D.Devices.size() == 2);
  CHECK(D.Devices[0] == "x86-64-v1"); // all that the file has for a host
  CHECK(D.Devices[1] == "x86-64-v1"); // the null device takes the first
  CHECK(D.Ints == 2);
  CHECK(D.Inputs == std::vector<program::Input>{{0, 64, {}}});
  REQUIRE(D.Images.size() == 3);
  CHECK(D.Images[2].Device == 1);
  CHECK(D.Steps.size() == 1);
}

TEST_CASE("every image is an artifact of one kernel and one arch") {
  Fixture F;
  goldy_device_t *Devices[] = {F.Cpu->get(), F.Null->get()};
  Result<ProgramDesc> P = F.T->instantiate(F.A, Devices);
  REQUIRE(P);
  program::ProgramDesc D = valueOf(*P);
  const char *Names[] = {"saxpy", "probe", "saxpy"};
  for (size_t I = 0; I < 3; ++I) {
    Artifact One = load(D.Images[I].Binary.Bytes);
    REQUIRE(One.kernelCount() == 1);
    CHECK(One.kernelName(0) == Names[I]);
    CHECK(One.kernelDefinition(0) == F.A.kernelDefinition(I == 1 ? 1 : 0));
    CHECK(One.json().find("\"made by hand\"") != std::string::npos);
    Result<Kernel> K = Kernel::create(I == 0 ? *F.Cpu : *F.Null, One, nullptr);
    REQUIRE(K.status().message() == "");
    CHECK(K->info().arch == D.Devices[I == 0 ? 0 : 1]);
  }
  // The slice runs as the whole file does.
  Artifact One = load(D.Images[0].Binary.Bytes);
  Result<Kernel> K = Kernel::create(*F.Cpu, One, "saxpy");
  std::vector<float> X{1, 2, 3}, Y{10, 20, 30};
  Result<Buffer> Bx = F.Cpu->bufferOf(X), By = F.Cpu->bufferOf(Y);
  Result<uint64_t> Point =
      K->launch(K->over(3), {Bx->view<float>(), By->view<float>(), 2.0f});
  REQUIRE(Point.status().message() == "");
  CHECK(F.Cpu->wait(*Point).ok());
  CHECK(By->read(Y).ok());
  CHECK(Y == std::vector<float>{12, 24, 36});
  // A second time gives the same bytes.
  Result<ProgramDesc> Again = F.T->instantiate(F.A, Devices);
  CHECK(*Again == *P);
}

TEST_CASE("templates and devices that do not fit") {
  Fixture F;
  goldy_device_t *Devices[] = {F.Cpu->get(), F.Null->get()};
  Status One = F.T->instantiate(F.A, {Devices, 1}).takeStatus();
  CHECK(One.code() == GOLDY_INVALID_ARGUMENT);
  CHECK(One.message() == "the template is for 2 devices, got 1");
  std::string Other(Text);
  Other.replace(Other.find("\"probe\""), 7, "\"prove\"");
  Result<ProgramTemplate> T = ProgramTemplate::parse(Other);
  Status Missing = T->instantiate(F.A, Devices).takeStatus();
  CHECK(Missing.code() == GOLDY_NOT_FOUND);
  CHECK(Missing.message() == "images[1]: the file has no kernel `prove`");
  // A file whose kernels have no image for the CPU.
  TestArtifact Gpu = deviceKernels();
  Gpu.Spoil = [](schema::ArtifactT &R) {
    for (std::unique_ptr<schema::KernelT> &K : R.kernels)
      K->images.erase(K->images.begin());
  };
  std::vector<uint8_t> File = Gpu.bytes();
  Artifact A = load({reinterpret_cast<const char *>(File.data()), File.size()});
  Status None = F.T->instantiate(A, Devices).takeStatus();
  CHECK(None.code() == GOLDY_UNSUPPORTED);
  CHECK(None.message().starts_with("devices[0]: `cpu` runs `x86-64-v"));
  CHECK(ProgramTemplate::decode("GDYT").status().code() ==
        GOLDY_INVALID_ARTIFACT);
  Other = Text;
  Other.replace(Other.find("\"second\""), 8, "\"first\"");
  Status Twice = ProgramTemplate::parse(Other).takeStatus();
  CHECK(Twice.code() == GOLDY_INVALID_ARGUMENT);
  CHECK(Twice.message().starts_with("devices[1]: `first` again; rule P60"));
}
