//===- RunTest.cpp - What runs of loaded programs do ----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On the devices that run code, where results can be looked at.
//
//===----------------------------------------------------------------------===//
#include "LoadFixture.h"

#include "program/Loaded.h"
#include "program/Numbers.h"

#include <catch2/catch.hpp>

#include <array>
#include <bit>
#include <cstring>

using namespace goldy::rt;
namespace program = goldy::program;
using Floats = std::vector<float>;
using Words = std::vector<uint64_t>;
using Buffer = std::unique_ptr<goldy_buffer>;

static int64_t bitsOf(float X) { return std::bit_cast<int32_t>(X); }

/// y += a * x for 4 elements of two slots; a is int 0.
static const std::string Saxpy = R"(Launch { image: 0, name: "saxpy",
  params: { bytes: hex"00000000 00000000 04000000 00000000 00000000 00000000 04000000 00000000 00000000 00000000",
            holes: [{ at: 32, width: W32, terms: [int 0 * 1] }] },
  refs: [{ slot: 0, at: 0, use: read }, { slot: 1, at: 16, use: write }],
  groups: [1, 1, 1], threads: [256, 1, 1] })";

TEST_CASE("a launch with memory, an input and an int") {
  const std::string Name = GENERATE(from_range(workingDevices()));
  INFO(Name);
  TestDevice Device(Name);
  TestProgram P;
  P.WaitsAfter = true;
  Told S = P.load(
      R"(devices: ["x86-64-v1"],
memory: [Alloc { device: 0, kind: device, bytes: 16, init: hex"0000803f 00000040 00004040" }],
images: [{ device: 0, binary: "saxpy" }],
inputs: [{ device: 0, bytes: 16 }], ints: 1,
steps: [Submit { device: 0, parts: [)" +
          Saxpy +
          R"(], slots: [Memory { memory: 0, offset: 0, length: 16 }, Input 0] }])",
      {&Device});
  REQUIRE(S.Message == "");
  std::unique_ptr<goldy_buffer> Y = Device.bufferOf(Floats{10, 20, 30, 40});
  REQUIRE(P.run({Y.get()}, {bitsOf(2)}).Message == "");
  CHECK(valuesOf<float>(*Y) == Floats{12, 24, 36, 40});
  REQUIRE(P.Ends.size() == 1);
  CHECK(P.Ends[0].device == 0);
  CHECK(P.Points[0].device == 0);
  CHECK(P.Points[0].value == P.Ends[0].value);
  CHECK(Told(goldy_program_wait(P.P, P.Ends[0], 0)).Code == GOLDY_OK);
  // Another input, another int.
  std::unique_ptr<goldy_buffer> Z = Device.bufferOf(Floats{0, 0, 0, 5});
  REQUIRE(P.run({Z.get()}, {bitsOf(-1)}).Message == "");
  CHECK(valuesOf<float>(*Z) == Floats{-1, -2, -3, 5});
  CHECK(valuesOf<float>(*Y) == Floats{12, 24, 36, 40});
}

TEST_CASE("memory in two copies and ints in two copies") {
  const std::string Name = GENERATE(from_range(workingDevices()));
  INFO(Name);
  // out[0..8] = the memory, then memory = in; out[8..16] = int 1, which the run
  // leaves 5 above the int it was given.
  TestDevice Device(Name);
  TestProgram P;
  P.WaitsAfter = true;
  Told S = P.load(R"(devices: ["x86-64-v1"],
memory: [Alloc { device: 0, kind: device, bytes: 8, init: hex"07", copies: Two }],
inputs: [{ device: 0, bytes: 8 }, { device: 0, bytes: 16 }], ints: 2,
steps: [
  Submit { device: 0, parts: [Copy { src: 0, dst: 2, length: 8 }, Copy { src: 1, dst: 0, length: 8 },
                              Copy { src: 3, src_offset: [1 * 8], dst: 2, dst_offset: [8 * 1], length: 8 }],
           slots: [Memory { memory: 0, offset: 0, length: 8 }, Input 0, Input 1, Ints] },
  Move { src: Ints, dst: Ints, dst_offset: [8 * 1], length: 8 },
])",
                  {&Device});
  REQUIRE(S.Message == "");
  std::unique_ptr<goldy_buffer> Out = Device.buffer(16);
  for (uint64_t Run = 0; Run < 6; ++Run) {
    std::unique_ptr<goldy_buffer> In = Device.bufferOf(Words{100 + Run});
    REQUIRE(P.run({In.get(), Out.get()}, {int64_t(Run) + 50}).Message == "");
    // Two runs ago, or the first bytes.
    CHECK(valuesOf<uint64_t>(*Out)[0] == (Run < 2 ? 7 : 100 + Run - 2));
    CHECK(valuesOf<uint64_t>(*Out)[1] == (Run < 2 ? 0 : Run + 50 - 2));
  }
}

TEST_CASE("loops store their trips, and offsets move with them") {
  const std::string Name = GENERATE(from_range(workingDevices()));
  INFO(Name);
  // out[outer * 3 + inner] = in[inner], 8 bytes each.
  TestDevice Device(Name);
  TestProgram P;
  P.WaitsAfter = true;
  Told S = P.load(R"(devices: ["x86-64-v1"],
inputs: [{ device: 0, bytes: 24 }, { device: 0, bytes: 48 }], ints: 4,
steps: [
  Loop { trips: int 0, trip: 2, body: [
    Loop { trips: 3, trip: 3, body: [
      Submit { device: 0, parts: [Copy { src: 0, src_offset: [int 3 * 8], dst: 1, dst_offset: [int 2 * 24, int 3 * 8], length: 8 }],
               slots: [Input 0, Input 1] },
    ] },
  ] },
  Loop { trips: int 1, body: [Submit { device: 0, parts: [Copy { src: 0, dst: 1, length: 8 }], slots: [Input 0, Input 1] }] },
])",
                  {&Device});
  REQUIRE(S.Message == "");
  std::unique_ptr<goldy_buffer> In = Device.bufferOf(Words{1, 2, 3}),
                                Out = Device.buffer(48);
  REQUIRE(P.run({In.get(), Out.get()}, {2, 0}).Message == "");
  CHECK(valuesOf<uint64_t>(*Out) == Words{1, 2, 3, 1, 2, 3});
  REQUIRE(P.Points.size() == 2);
  CHECK(P.Points[0].device == 0);
  CHECK(P.Points[0].value == P.Ends[0].value);
  CHECK(P.Points[1].device == GOLDY_PROGRAM_HOST);
  // Never for 0 trips or less.
  Out = Device.buffer(48);
  REQUIRE(P.run({In.get(), Out.get()}, {-1, -2}).Message == "");
  CHECK(valuesOf<uint64_t>(*Out) == Words(6));
  CHECK(P.Ends.empty());
  CHECK(P.Points[0].device == GOLDY_PROGRAM_HOST);
}

TEST_CASE("a flag that work clears ends its loop") {
  const std::string Name = GENERATE(from_range(workingDevices()));
  INFO(Name);
  // Each trip copies byte `trip` of the input over the flag.
  TestDevice Device(Name);
  TestProgram P;
  P.WaitsAfter = true;
  Told S = P.load(R"(devices: ["x86-64-v1"],
memory: [Alloc { device: 0, kind: device, bytes: 1, init: hex"01" }],
inputs: [{ device: 0, bytes: 8 }, { device: 0, bytes: 8 }], ints: 2,
steps: [
  Loop { trips: 8, trip: 0, flag: { slot: Memory { memory: 0, offset: 0, length: 1 }, at: 0 }, body: [
    Submit { device: 0, parts: [Copy { src: 0, src_offset: [int 0 * 1], dst: 1, length: 1 }, Copy { src: 3, dst: 2, length: 8 }],
             slots: [Input 0, Memory { memory: 0, offset: 0, length: 1 }, Input 1, Ints] } ] },
])",
                  {&Device});
  REQUIRE(S.Message == "");
  std::unique_ptr<goldy_buffer> Flags = Device.bufferOf(std::vector<uint8_t>{
                                    1, 9, 1, 0, 1, 1, 1, 1}),
                                Trip = Device.buffer(8);
  REQUIRE(P.run({Flags.get(), Trip.get()}).Message == "");
  CHECK(valuesOf<uint64_t>(*Trip) == Words{3});
  // The flag stays 0: no trip of the next run.
  Trip = Device.bufferOf(Words{77});
  REQUIRE(P.run({Flags.get(), Trip.get()}).Message == "");
  CHECK(valuesOf<uint64_t>(*Trip) == Words{77});
  CHECK(P.Ends.empty());
}

TEST_CASE("ints that work writes are read after it") {
  const std::string Name = GENERATE(from_range(workingDevices()));
  INFO(Name);
  // int 1 = the input; then int 1 trips.
  TestDevice Device(Name);
  TestProgram P;
  P.WaitsAfter = true;
  Told S = P.load(R"(devices: ["x86-64-v1"],
inputs: [{ device: 0, bytes: 8 }, { device: 0, bytes: 8 }], ints: 3,
steps: [
  Submit { device: 0, parts: [Copy { src: 0, dst: 1, dst_offset: [8 * 1], length: 8 }], slots: [Input 0, Ints] },
  Loop { trips: int 1, trip: 2, body: [
    Submit { device: 0, parts: [Copy { src: 1, src_offset: [16 * 1], dst: 0, length: 8 }], slots: [Input 1, Ints] } ] },
])",
                  {&Device});
  REQUIRE(S.Message == "");
  std::unique_ptr<goldy_buffer> Count = Device.bufferOf(Words{5}),
                                Last = Device.buffer(8);
  REQUIRE(P.run({Count.get(), Last.get()}, {0, 2}).Message == "");
  CHECK(valuesOf<uint64_t>(*Last) == Words{4});
}

TEST_CASE("geometry, lengths and offsets of refs from ints") {
  const std::string Name = GENERATE(from_range(workingDevices()));
  INFO(Name);
  // Row `int 1` of rows of 16 bytes, `int 2` elements, `int 3` groups.
  TestDevice Device(Name);
  TestProgram P;
  P.WaitsAfter = true;
  Told S = P.load(R"(devices: ["x86-64-v1"],
images: [{ device: 0, binary: "saxpy" }],
inputs: [{ device: 0, bytes: 16 }, { device: 0, bytes: 32 }], ints: 4,
steps: [Submit { device: 0, parts: [Launch { image: 0, name: "saxpy",
  params: { bytes: hex"00000000 00000000 04000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000",
            holes: [{ at: 16, width: W64, terms: [int 1 * 16] }, { at: 24, width: W32, terms: [int 2 * 1] },
                    { at: 32, width: W32, terms: [int 0 * 1] }] },
  refs: [{ slot: 0, at: 0, use: read }, { slot: 1, at: 16, use: write }],
  groups: [int 3, 1, 1], threads: [256, 1, 1] }], slots: [Input 0, Input 1] }])",
                  {&Device});
  REQUIRE(S.Message == "");
  std::unique_ptr<goldy_buffer> X = Device.bufferOf(Floats{1, 2, 3, 4}),
                                Y = Device.buffer(32);
  REQUIRE(P.run({X.get(), Y.get()}, {bitsOf(1), 1, 3, 1}).Message == "");
  CHECK(valuesOf<float>(*Y) == Floats{0, 0, 0, 0, 1, 2, 3, 0});
  REQUIRE(P.run({X.get(), Y.get()}, {bitsOf(1), 0, 1, 1}).Message == "");
  CHECK(valuesOf<float>(*Y) == Floats{1, 0, 0, 0, 1, 2, 3, 0});
  // No groups, nothing happens; the step has its point.
  REQUIRE(P.run({X.get(), Y.get()}, {bitsOf(1), 0, 1, 0}).Message == "");
  CHECK(valuesOf<float>(*Y) == Floats{1, 0, 0, 0, 1, 2, 3, 0});
  CHECK(P.Points[0].device == 0);
}

TEST_CASE("derived ints of a loop are computed each trip") {
  const std::string Name = GENERATE(from_range(workingDevices()));
  INFO(Name);
  // Word `int 2` is 3 * trip + int 0; out[int 2] = in.
  TestDevice Device(Name);
  TestProgram P;
  P.WaitsAfter = true;
  Told S = P.load(R"(devices: ["x86-64-v1"],
inputs: [{ device: 0, bytes: 8 }, { device: 0, bytes: 64 }], ints: 3,
steps: [
  Loop { trips: 2, trip: 1, derived: [{ word: 2, is: [int 1, 3, mul, int 0, add] }], body: [
    Submit { device: 0, parts: [Copy { src: 0, dst: 1, dst_offset: [int 2 * 8], length: 8 }], slots: [Input 0, Input 1] } ] },
])",
                  {&Device});
  REQUIRE(S.Message == "");
  std::unique_ptr<goldy_buffer> In = Device.bufferOf(Words{6}),
                                Out = Device.buffer(64);
  REQUIRE(P.run({In.get(), Out.get()}, {2}).Message == "");
  CHECK(valuesOf<uint64_t>(*Out) == Words{0, 0, 6, 0, 0, 6, 0, 0});
}

TEST_CASE("leaves stand for what the loaded program knows") {
  // The first bytes of a memory in two copies are its handle, and those of
  // another the first one's address, an entry and a sum of them.
  TestDevice Cpu("cpu");
  TestProgram P;
  HostFunction Function = [](void *, const void *) { return 0; };
  P.Callbacks = {{"f", Function, nullptr}};
  Told S = P.load(R"(devices: ["x86-64-v1"],
memory: [Alloc { device: 0, kind: device, bytes: 8,
                 init: { bytes: hex"00000000 00000000", holes: [{ at: 0, width: W64, terms: [Handle 0 * 1] }] }, copies: Two },
         Alloc { device: 0, kind: device, bytes: 32,
                 init: { bytes: hex"00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000",
                         holes: [{ at: 0, width: W64, terms: [Address { memory: 0, on: 0 } * 1] },
                                 { at: 8, width: W64, terms: [Entry { image: 0, name: "f" } * 1] },
                                 { at: 16, width: W64, terms: [Address { memory: 0, on: 0 } * 2, Handle 1 * 1], add: 5, shift: 4 },
                                 { at: 24, width: W32, terms: [Address { memory: 0, on: 0 } * 1], shift: 32 }] }, copies: Two }],
images: [{ device: 0, binary: "GDYC" }],
inputs: [{ device: 0, bytes: 8 }, { device: 0, bytes: 32 }],
steps: [Submit { device: 0, parts: [Copy { src: 0, dst: 2, length: 8 }, Copy { src: 1, dst: 3, length: 32 }],
  slots: [Memory { memory: 0, offset: 0, length: 8 }, Memory { memory: 1, offset: 0, length: 32 }, Input 0, Input 1],
  fixed: [{ view: { memory: 0, offset: 0, length: 8 }, access: read_only }] }])",
                  {&Cpu});
  REQUIRE(S.Message == "");
  Buffer Own = Cpu.buffer(8), Other = Cpu.buffer(32);
  for (size_t Run = 0; Run < 3; ++Run) {
    REQUIRE(P.run({Own.get(), Other.get()}).Message == "");
    const ProgramMemory &First = P.P->Memories[0], &Second = P.P->Memories[1];
    uint64_t Handle = static_cast<uint64_t>(First.of(Run % 2).On[0]->Id),
             Address = reinterpret_cast<uintptr_t>(First.of(Run % 2).Host),
             Mine = static_cast<uint64_t>(Second.of(Run % 2).On[0]->Id);
    CHECK(valuesOf<uint64_t>(*Own) == Words{Handle});
    CHECK(valuesOf<uint64_t>(*Other) ==
          Words{Address, reinterpret_cast<uintptr_t>(Function),
                (2 * Address + Mine + 5) >> 4, Address >> 32});
  }
}

/// A word of a block, as the description's rule gives it.
static uint64_t holeOf(uint64_t Constant, int64_t Sum, int Shift, bool Half) {
  uint64_t Word = program::holeWord(
      Sum, 0, Shift, Half ? program::Width::W32 : program::Width::W64);
  return Constant | Word;
}

TEST_CASE("words of ints are the same in the first run and in later ones") {
  TestDevice Cpu("cpu");
  TestProgram P;
  P.AsksPoints = false;
  Words Seen(5);
  P.Callbacks = {{"f",
                  [](void *User, const void *Block) {
                    std::memcpy(User, Block, 5 * sizeof(uint64_t));
                    return 0;
                  },
                  Seen.data()}};
  // Whole words and halves, factors, shifts, what is added, two ints.
  REQUIRE(
      P.load(
           R"(devices: ["x86-64-v1"], images: [{ device: 0, binary: "GDYC" }], ints: 3,
steps: [Submit { device: 0, parts: [Launch { image: 0, name: "f",
  params: { bytes: hex"0000000000000000 00000000 00000000 0000000000000000 00000000 07000000 0000000000000080",
            holes: [{ at: 0, width: W64, terms: [int 0 * 1] },
                    { at: 12, width: W32, terms: [int 1 * -3], add: 5, shift: 2 },
                    { at: 16, width: W64, terms: [int 0 * 4, int 1 * 1] },
                    { at: 24, width: W32, terms: [int 2 * 1], shift: 32 },
                    { at: 32, width: W64, terms: [int 1 * 1], shift: 1 }] },
  groups: [1, 1, 1], threads: [1, 1, 1] }] }])",
           {&Cpu})
          .Message == "");
  const SubmitPlan &X = P.P->Plan.Submits[0];
  CHECK(X.OneInts.Count == 4);
  CHECK(X.Changing.Count == 1);
  constexpr int64_t Most = (int64_t(1) << 62) - 1;
  for (std::array<int64_t, 3> I : {std::array<int64_t, 3>{1, 2, 3},
                                   {-1, 7, -8},
                                   {Most, -Most - 1, Most},
                                   {0, 0, int64_t(1) << 40}}) {
    CHECK(P.run({}, {I[0], I[1], I[2]}).Message == "");
    auto Wrapped = [](uint64_t X) { return program::wrap(X); };
    uint64_t A = static_cast<uint64_t>(I[0]), B = static_cast<uint64_t>(I[1]);
    CHECK(Seen == Words{holeOf(0, I[0], 0, false),
                        holeOf(0, Wrapped(5 - 3 * B), 2, true) << 32,
                        holeOf(0, Wrapped(4 * A + B), 0, false),
                        holeOf(uint64_t(7) << 32, I[2], 32, true),
                        holeOf(uint64_t(1) << 63, I[1], 1, false)});
  }
}

TEST_CASE("the first word that is refused is told in later runs too") {
  TestDevice Cpu("cpu");
  TestProgram P;
  P.Callbacks = {{"f", [](void *, const void *) { return 0; }, nullptr}};
  REQUIRE(
      P.load(
           R"(devices: ["x86-64-v1"], images: [{ device: 0, binary: "GDYC" }], ints: 2,
steps: [Submit { device: 0, parts: [Launch { image: 0, name: "f",
  params: { bytes: hex"0100000000000000 0100000000000000",
            holes: [{ at: 0, width: W64, terms: [int 0 * 1, int 1 * 2] },
                    { at: 8, width: W64, terms: [int 0 * 1] }] },
  groups: [1, 1, 1], threads: [1, 1, 1] }] }])",
           {&Cpu})
          .Message == "");
  for (int Run = 0; Run < 2; ++Run) {
    CHECK(P.run({}, {2, 1}).Message == "");
    CHECK(P.run({}, {1, 1}).Message ==
          "steps[0].parts[0], device `cpu`, byte 0 of its parameters: the "
          "value 3 over set bits; rule P11: a hole's value meets no set bit of "
          "the bytes under it");
  }
}
