//===- FrameTest.cpp - Programs run by the names of their parameters ------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program of a copy and a launch of saxpy, whose frame computes lengths, grid
// and a temporary's size.
//
//===----------------------------------------------------------------------===//
#include "TestArtifact.h"

#include "goldy/frame.hpp"

#include <catch2/catch.hpp>

using namespace goldy;
using namespace goldy::cts;

namespace {

/// `y = a * t + y` with a temporary `t` of `n` elements, whose first 4 are
/// those of `x`.
constexpr const char *Text = R"(#![goldy::template(3)]
name: "p",
devices: ["first"],
types: [Scalar f32],
images: [{ device: 0, kernel: "saxpy" }],
inputs: [{ name: "x", device: 0, type: 0, access: read_only, bytes: 16 },
         { name: "y", device: 0, type: 0 },
         { device: 0, form: sized, size: 5 },
         { name: "u", device: 0, form: uniform, type: 0 }],
ints: [Param { name: "a", type: f32 }, Param { name: "n", type: i32 }, Length 1,
       Overlap { a: 0, b: 1 }, Hidden, Hidden, Param { name: "on", type: bool },
       Param { name: "big", type: u64 }],
derived: [{ word: 4, is: [int 2, 256, div_ceil_u32], origin: "y.len() / 256" },
          { word: 5, is: [int 1, 4, mul], origin: "n" }],
steps: [Submit {
  device: 0,
  parts: [
    Copy { src: 0, dst: 1, length: 16 },
    Launch {
      image: 0, name: "saxpy",
      params: {
        bytes: hex"00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
                   00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000",
        holes: [{ at: 8, width: W32, terms: [int 1 * 1] }, { at: 24, width: W32, terms: [int 2 * 1] },
                { at: 32, width: W32, terms: [int 0 * 1] }],
      },
      refs: [{ slot: 1, at: 0, use: read }, { slot: 2, at: 16, use: write }],
      groups: [int 4, 1, 1], threads: [256, 1, 1],
    },
  ],
  slots: [Input 0, Input 2, Input 1],
}],
)";

struct Fixture {
  std::vector<uint8_t> File = testKernels().bytes();
  Result<Artifact> A = Artifact::load(File);
  Result<Device> Cpu = Device::open("cpu");
  Result<ProgramTemplate> T = ProgramTemplate::parse(Text);
  goldy_device_t *Devices[1] = {Cpu->get()};
  Result<ProgramDesc> D = T->instantiate(*A, Devices);
  Result<Program> P = Program::load(*D, {Devices, 1, nullptr, 0}, true);
  Result<Frame> F = Frame::create(*T, *P, Devices);
  std::vector<float> X{1, 2, 3, 4}, Y{10, 20, 30, 40};
  Result<Buffer> Bx = Cpu->bufferOf(X), By = Cpu->bufferOf(Y),
                 Bu = Cpu->bufferOf(std::vector<float>{1});

  Fixture() {
    REQUIRE(T.status().message() == "");
    REQUIRE(D.status().message() == "");
    REQUIRE(P.status().message() == "");
    REQUIRE(F.status().message() == "");
  }
  void setAll() {
    CHECK(F->set("x", *Bx).message() == "");
    CHECK(F->set("y", *By).message() == "");
    CHECK(F->set("u", *Bu).message() == "");
    CHECK(F->set("a", 2.0f).message() == "");
    CHECK(F->set("n", int32_t(4)).message() == "");
  }
  std::string runError() { return F->run().message(); }
};

} // namespace

TEST_CASE("a frame runs a program by names") {
  Fixture F;
  F.setAll();
  CHECK(F.F->run().message() == "");
  CHECK(F.F->wait().ok());
  CHECK(F.By->read(F.Y).ok());
  CHECK(F.Y == std::vector<float>{12, 24, 36, 48});
  // Again with a temporary that grows and another scalar.
  CHECK(F.F->set("n", int32_t(1000)).ok());
  CHECK(F.F->set("a", -2.0f).ok());
  CHECK(F.F->run().message() == "");
  CHECK(F.F->wait().ok());
  CHECK(F.By->read(F.Y).ok());
  CHECK(F.Y == std::vector<float>{10, 20, 30, 40});
}

TEST_CASE("frames of a program share the memory of temporaries") {
  Fixture F;
  Result<Frame> Other = Frame::create(*F.T, *F.P, F.Devices);
  REQUIRE(Other.status().message() == "");
  F.setAll();
  Result<Buffer> Bz = F.Cpu->bufferOf(std::vector<float>{0, 0, 0, 0});
  // Either grows what the other has used.
  for (int32_t N : {4, 40, 400}) {
    CHECK(F.F->set("n", N).ok());
    CHECK(F.F->run().message() == "");
    CHECK(
        Other
            ->run({F.By->view<float>(), Bz->view<float>(), F.Bu->view<float>()},
                  {1.0f, N * 3, false, uint64_t(0)})
            .message() == "");
  }
  CHECK(F.F->wait().ok());
  CHECK(Other->wait().ok());
  std::vector<float> Z(4);
  CHECK(F.By->read(F.Y).ok());
  CHECK(Bz->read(Z).ok());
  CHECK(F.Y == std::vector<float>{16, 32, 48, 64});
  CHECK(Z == std::vector<float>{42, 84, 126, 168});
}

TEST_CASE("what is set is judged by name") {
  Fixture F;
  CHECK(F.F->set("z", *F.Bx).message() ==
        "program `p` has no input `z`; it has `x`, `y`, `u`");
  CHECK(F.F->set("z", 1u).message() ==
        "program `p` has no int `z`; it has `a`, `n`, `on`, `big`");
  CHECK(F.F->set("a", 1u).message() ==
        "program `p`: `a` is `f32`, got a value of another type");
  CHECK(F.F->set("big", uint64_t(1) << 62).message() ==
        "program `p`: `big`: the value is not in -2^62 to 2^62 - 1, which the "
        "numbers of programs are");
  CHECK(F.F->set("big", (uint64_t(1) << 62) - 1).message() == "");
  CHECK(F.F->set("on", true).message() == "");
  Result<Buffer> Small = F.Cpu->bufferOf(std::vector<float>{1, 2});
  CHECK(F.F->set("x", *Small).message() ==
        "program `p`: input `x`: a buffer of 8 bytes where at least 16 are "
        "needed");
  Result<Buffer> Odd = F.Cpu->bufferOf(std::vector<uint8_t>(18));
  CHECK(F.F->set("y", *Odd).message() ==
        "program `p`: input `y`: 18 bytes are no whole number of elements of "
        "`f32`");
  CHECK(F.F->set("u", *Small).message() ==
        "program `p`: input `u`: is one value of `f32`, got 2");
  Result<Device> Null = Device::open("null");
  Result<Buffer> Foreign = Null->bufferOf(F.X);
  CHECK(F.F->set("x", *Foreign).message() ==
        "program `p`: input `x`: a buffer of device `null` where one of "
        "`first` (`cpu`) is needed");
  CHECK(
      Status(goldy_frame_set_int(F.F->get(), 9, GOLDY_TYPE_U32, 0)).message() ==
      "int 9 of 4");
  CHECK(Status(goldy_frame_set_input(F.F->get(), 3, F.Bx->get())).message() ==
        "input 3 of 3");
}

TEST_CASE("a run that lacks something says what") {
  Fixture F;
  CHECK(F.runError() == "program `p`: input `x` was not set");
  F.setAll();
  CHECK(F.F->set("n", int32_t(-1)).ok());
  CHECK(F.runError() == "program `p`: a temporary's size (`n`): -4 bytes");
  CHECK(F.F->set("n", int32_t(4)).ok());
  CHECK(F.runError() == "");
}

TEST_CASE("a frame keeps the memory of its inputs") {
  Fixture F;
  F.setAll();
  {
    Result<Buffer> Own = F.Cpu->bufferOf(std::vector<float>{5, 5, 5, 5});
    CHECK(F.F->set("x", *Own).ok());
  }
  CHECK(F.runError() == "");
  CHECK(F.F->wait().ok());
  CHECK(F.By->read(F.Y).ok());
  CHECK(F.Y == std::vector<float>{20, 30, 40, 50});
}

TEST_CASE("a frame outlives the handle of its program, and takes whole views") {
  std::optional<Frame> Kept;
  {
    Fixture F;
    Kept = std::move(*F.F);
    CHECK(Kept->setInput(0, WholeView(F.Bx->view<float>())).message() == "");
    CHECK(Kept->setInput(0, WholeView(F.Bx->view<float>().slice(0, 3)))
              .message() ==
          "program `p`: input `x`: 12 bytes from byte 0 of a buffer of 16; an "
          "input of a program is a whole buffer");
    CHECK(Kept->run({F.Bx->view<float>(), F.By->view<float>(),
                     F.Bu->view<float>()},
                    {3.0f, int32_t(4), true, uint64_t(5)})
              .message() == "");
    CHECK(Kept->wait().ok());
    CHECK(F.By->read(F.Y).ok());
    CHECK(F.Y == std::vector<float>{13, 26, 39, 52});
  }
  CHECK(Kept->run().message() == "");
  CHECK(Kept->wait().ok());
}

TEST_CASE("a program is loaded by its name in one call") {
  TestArtifact File = testKernels();
  Result<ProgramTemplate> T = ProgramTemplate::parse(Text);
  REQUIRE(T);
  Result<std::string_view> Template = T->bytes();
  REQUIRE(Template);
  File.addProgram("p", *Template);
  std::vector<uint8_t> Bytes = File.bytes();
  Result<Artifact> A = Artifact::load(Bytes);
  REQUIRE(A.status().message() == "");
  Result<Device> Cpu = Device::open("cpu");
  goldy_device_t *Devices[] = {Cpu->get()};
  CHECK(Frame::load(*A, "p", Devices).status().message() == "");
  CHECK(Frame::load(*A, "q", Devices).status().message() ==
        "the file has no program `q`; it has `p`");
}

TEST_CASE("a frame is for the program of its template") {
  Fixture F;
  Result<ProgramTemplate> Other = ProgramTemplate::parse(
      "#![goldy::template(3)]\nname: \"q\", devices: [\"first\"], steps: [],");
  REQUIRE(Other);
  CHECK(Frame::create(*Other, *F.P, F.Devices).status().message() ==
        "program `q`: the template, the loaded program and the devices do not "
        "belong together");
}
