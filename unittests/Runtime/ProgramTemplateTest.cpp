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

constexpr const char *Text = R"(#![goldy::template(3)]
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

//===-- Programs of artifacts ---------------------------------------------===//

namespace {

constexpr const char *Framed = R"(#![goldy::template(3)]
name: "framed",
devices: ["first"],
types: [Scalar f32, Struct { name: "P", fields: [{ name: "a", type: 0 }, { name: "b", type: 0 }] }],
images: [{ device: 0, kernel: "saxpy" }, { device: 0 }],
inputs: [{ name: "x", device: 0, type: 0, access: read_only, bytes: 8 },
         { device: 0, form: sized, size: 2 },
         { name: "p", device: 0, form: uniform, type: 1, bytes: 8 },
         { name: "raw", device: 0 }],
ints: [Hidden, Length 0, Hidden, Param { name: "n", type: i64 }],
derived: [{ word: 2, is: [int 1, 4, mul] }],
steps: [],
)";

std::string bytesOf(std::string_view Text) {
  Result<ProgramTemplate> T = ProgramTemplate::parse(Text);
  REQUIRE(T.status().message() == "");
  Result<std::string_view> Bytes = T->bytes();
  REQUIRE(Bytes);
  return std::string(*Bytes);
}

std::string loadError(TestArtifact A) {
  return Artifact::load(A.bytes()).status().message();
}

} // namespace

TEST_CASE("an artifact's programs are listed, opened and described") {
  TestArtifact File = deviceKernels();
  File.addProgram("two", bytesOf(Text));
  File.addProgram("framed", bytesOf(Framed));
  std::vector<uint8_t> Bytes = File.bytes();
  Result<Artifact> A = Artifact::load(Bytes);
  REQUIRE(A.status().message() == "");
  REQUIRE(goldy_artifact_program_count(A->get()) == 2);
  goldy_text_t Name = goldy_artifact_program_name(A->get(), 1);
  CHECK(std::string(Name.data, Name.size) == "framed");
  CHECK(goldy_artifact_program_name(A->get(), 2).size == 0);
  CHECK(A->json().find(
            R"({"name": "p", "form": "uniform", "type": "P", )"
            R"("access": "read_write", "device": "first", "bytes": 8})") !=
        std::string::npos);
  CHECK(A->json().find(R"({"name": "n", "type": "i64"})") != std::string::npos);

  Result<ProgramTemplate> T = ProgramTemplate::open(*A, "framed");
  REQUIRE(T.status().message() == "");
  CHECK(std::string(*T->bytes()) == bytesOf(Framed));
  CHECK(T->info().name == std::string("framed"));
  CHECK(T->info().device_count == 1);
  CHECK(T->info().input_count == 3);
  CHECK(T->info().int_count == 1);
  CHECK(T->device(0) == std::string("first"));
  CHECK(T->device(1) == nullptr);
  CHECK(T->input(0).name == std::string("x"));
  CHECK(T->input(0).access == GOLDY_READ);
  CHECK(T->input(0).bytes == 8);
  CHECK(goldy_type_kind(T->input(0).type) == GOLDY_TYPE_F32);
  CHECK(T->input(1).form == GOLDY_INPUT_UNIFORM);
  CHECK(goldy_type_field(T->input(1).type, 1).name == std::string("b"));
  CHECK(goldy_type_field(T->input(1).type, 1).offset == 4);
  CHECK(T->input(2).type == nullptr);
  CHECK(T->input(3).name == nullptr);
  CHECK(T->intInfo(0).name == std::string("n"));
  CHECK(goldy_type_kind(T->intInfo(0).type) == GOLDY_TYPE_I64);
  CHECK(goldy_type_size(T->intInfo(0).type) == 8);
  CHECK(T->intInfo(1).name == nullptr);

  CHECK(ProgramTemplate::open(*A, "none").status().message() ==
        "the file has no program `none`; it has `two`, `framed`");
  CHECK(ProgramTemplate::open(*A, nullptr).status().code() == GOLDY_NOT_FOUND);
  Fixture F;
  CHECK(ProgramTemplate::open(F.A, nullptr).status().message() ==
        "no program is named and the file has not exactly one; it has none");
}

TEST_CASE("an image of host functions needs no kernel of the file") {
  TestArtifact File = deviceKernels();
  File.addProgram("framed", bytesOf(Framed));
  std::vector<uint8_t> Bytes = File.bytes();
  Result<Artifact> A = Artifact::load(Bytes);
  REQUIRE(A);
  Result<ProgramTemplate> T = ProgramTemplate::open(*A, nullptr);
  REQUIRE(T);
  Result<Device> Cpu = Device::open("cpu");
  goldy_device_t *Devices[] = {Cpu->get()};
  Result<ProgramDesc> P = T->instantiate(*A, Devices);
  REQUIRE(P.status().message() == "");
  program::ProgramDesc D = valueOf(*P);
  REQUIRE(D.Images.size() == 2);
  CHECK(D.Images[0].Binary.Bytes.size() > 100);
  CHECK(D.Images[1].Binary.Bytes == program::CallbacksMark);
  CHECK(D.Inputs[0].Length == program::Length{1, 4});
}

TEST_CASE("programs of a file are verified") {
  std::string Good = bytesOf(Framed);
  auto With = [&](const char *Name, std::string_view Template) {
    TestArtifact A = deviceKernels();
    A.addProgram(Name, Template);
    return loadError(std::move(A));
  };
  CHECK(With("framed", Good) == "");
  CHECK(With("other", Good) ==
        "program `other`: its template has another name");
  CHECK(With("framed", Good.substr(0, 40))
            .starts_with("program `framed`: byte "));
  CHECK(With("framed", "GDYP").starts_with("program `framed`: byte 0: not a"));
  std::string_view NoKernel = R"(#![goldy::template(3)]
name: "p", devices: ["d"], images: [{ device: 0, kernel: "none" }], steps: [],)";
  CHECK(With("p", bytesOf(NoKernel)) ==
        "program `p`: images[0]: the file has no kernel of that name");
  program::ProgramTemplate Broken;
  Broken.Name = "p";
  Broken.Devices = {"a", "a"};
  CHECK(With("p", program::toBytes(Broken))
            .starts_with("program `p`: devices[1]: `a` again; rule P60"));
  Broken.Devices = {"\x1b[2J"};
  CHECK(With("p", program::toBytes(Broken)) ==
        "program `p`: a name holds a control character");
  Broken.Devices = {"\xff"};
  CHECK(With("p", program::toBytes(Broken)) ==
        "program `p`: a name is not UTF-8");
  TestArtifact Twice = deviceKernels();
  Twice.addProgram("framed", Good);
  Twice.addProgram("framed", Good);
  CHECK(loadError(std::move(Twice)) == "two programs of one name");
  TestArtifact Outside = deviceKernels();
  Outside.addProgram("framed", Good);
  Outside.Spoil = [](schema::ArtifactT &R) {
    *R.programs[0]->template_ = schema::Blob(uint64_t(1) << 40, 64);
  };
  CHECK(loadError(std::move(Outside))
            .find("program `framed`: template: the blob of 64 bytes") == 0);
}

TEST_CASE("damage to a program in a file is an error") {
  TestArtifact A = deviceKernels();
  A.addProgram("framed", bytesOf(Framed));
  std::vector<uint8_t> File = A.bytes();
  size_t Size = bytesOf(Framed).size();
  std::string_view All(reinterpret_cast<char *>(File.data()), File.size());
  size_t Start = All.find(program::TemplateMark);
  REQUIRE(Start != std::string_view::npos);
  size_t Refused = 0;
  for (size_t Bit = 0; Bit < 8 * Size; ++Bit) {
    File[Start + Bit / 8] ^= uint8_t(1 << (Bit % 8));
    Result<Artifact> Loaded = Artifact::load(File);
    if (!Loaded)
      ++Refused;
    File[Start + Bit / 8] ^= uint8_t(1 << (Bit % 8));
  }
  CHECK(Refused > 4 * Size);
}
