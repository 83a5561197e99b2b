//===- JoinTest.cpp - Submit steps that are prepared as one ---------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The null device's record tells what was prepared and started; devices that
// run code tell that the results are those of steps one by one.
//
//===----------------------------------------------------------------------===//
#include "LoadFixture.h"

#include "program/Loaded.h"

#include <catch2/catch.hpp>

#include <bit>

using namespace goldy::rt;
using Floats = std::vector<float>;
using Words = std::vector<uint64_t>;
using Lines = std::vector<std::string>;
using Buffer = std::unique_ptr<goldy_buffer>;

/// `Count` steps that copy 8 bytes from input 0 to input 1.
static std::string copies(size_t Count) {
  std::string Text;
  for (size_t I = 0; I < Count; ++I)
    Text += "Submit { device: 0, parts: [Copy { src: 0, dst: 1, length: 8 }], "
            "slots: [Input 0, Input 1] },\n";
  return Text;
}
static const std::string TwoInputs = R"(devices: ["x86-64-v1"],
inputs: [{ device: 0, bytes: 8 }, { device: 0, bytes: 8 }], ints: 2,
)";

/// Sizes of the submissions that load prepares.
static std::vector<size_t> prepared(Recorded &Null) {
  std::vector<size_t> Sizes;
  for (const std::string &Line : Null.lines({"prepare"}))
    Sizes.push_back(std::stoul(Line.substr(Line.rfind(' '))));
  return Sizes;
}
using Sizes = std::vector<size_t>;

TEST_CASE("neighbouring submit steps are one submission") {
  Recorded Null;
  TestProgram P;
  P.AsksPoints = false;
  REQUIRE(P.load(TwoInputs + "steps: [" + copies(3) + "]", {&Null}).Message ==
          "");
  CHECK(prepared(Null) == Sizes{3});
  Buffer In = Null.bufferOf(Words{5}), Out = Null.buffer(8);
  Null.mark();
  REQUIRE(P.run({In.get(), Out.get()}).Message == "");
  CHECK(valuesOf<uint64_t>(*Out) == Words{5});
  CHECK(Null.lines({"run", "prepare"}) == Lines{"run 1"});
  REQUIRE(P.Ends.size() == 1);
  CHECK(P.Ends[0].value == 1);
  goldy_text_t Plan{};
  REQUIRE(Told(goldy_program_plan(P.P, &Plan)).Message == "");
  CHECK(std::string_view(Plan.data, Plan.size)
            .starts_with("steps[0]: submit on device 0 `null`, prepared once "
                         "with its neighbours "
                         "(3 steps), 0 words, 1 check\n"));
}

TEST_CASE("a run that asks for the points of steps takes them one by one") {
  Recorded Null;
  TestProgram P;
  REQUIRE(P.load(TwoInputs + "steps: [" + copies(3) + "]", {&Null}).Message ==
          "");
  Buffer In = Null.bufferOf(Words{5}), Out = Null.buffer(8);
  Null.mark();
  for (uint64_t Run = 0; Run < 2; ++Run) {
    REQUIRE(P.run({In.get(), Out.get()}).Message == "");
    for (uint64_t I = 0; I < 3; ++I)
      CHECK(P.Points[I].value == 3 * Run + I + 1);
  }
  // They are prepared once.
  CHECK(Null.lines({"prepare"}).size() == 3);
  CHECK(Null.lines({"run"}).size() == 6);
}

TEST_CASE("a refused step ends a run behind those before it") {
  Recorded Null;
  TestProgram P;
  P.AsksPoints = false;
  REQUIRE(
      P.load(
           TwoInputs + "steps: [" + copies(2) +
               R"(Submit { device: 0, parts: [Copy { src: 0, src_offset: [int 0 * 1], dst: 1, length: 4 }], slots: [Input 0, Input 1] },)" +
               copies(1) + "]",
           {&Null})
          .Message == "");
  CHECK(prepared(Null) == Sizes{4});
  Buffer In = Null.bufferOf(Words{5}), Out = Null.buffer(8);
  Null.mark();
  Told S = P.run({In.get(), Out.get()}, {5});
  CHECK(S.Message == "steps[2].parts[0]: 4 bytes from byte 5 of 8 of the "
                     "source; rule R23: an end of a copy or move lies within "
                     "its buffer");
  CHECK(valuesOf<uint64_t>(*Out) == Words{5});
  CHECK(Null.lines({"copy"}).size() == 2);
  REQUIRE(P.Ends.size() == 1);
  CHECK(P.Ends[0].value == Null.driver().lastPoint());
  // The next run is whole.
  Null.mark();
  CHECK(P.run({In.get(), Out.get()}, {4}).Message == "");
  CHECK(Null.lines({"copy"}).size() == 4);
}

TEST_CASE("steps do not join over what can be seen between them") {
  Recorded Null;
  TestProgram P;
  P.AsksPoints = false;
  SECTION("borders of loops, and moves") {
    // On this device the host may have to move, so what moves is watched.
    std::string Four = TwoInputs;
    Four.insert(Four.find("], ints"),
                ", { device: 0, bytes: 8 }, { device: 0, bytes: 8 }");
    REQUIRE(P.load(Four + "steps: [" + copies(2) + "Loop { trips: 2, body: [" +
                       copies(3) + "] }, " + copies(2) +
                       "Move { src: Input 2, dst: Input 3, length: 8 }, " +
                       copies(1) + "]",
                   {&Null})
                .Message == "");
    CHECK(prepared(Null) == Sizes{2, 3, 2, 1, 1});
  }
  SECTION("ints that work writes and a step reads") {
    const std::string Writes =
        "Submit { device: 0, parts: [Copy { src: 0, dst: 1, length: 8 }], "
        "slots: [Input 0, Ints] }, ";
    const std::string Reads =
        "Submit { device: 0, parts: [Copy { src: 0, src_offset: [int 0 * 8], "
        "dst: 1, length: 8 }], slots: [Input 0, Input 1] }, ";
    REQUIRE(P.load(TwoInputs + "steps: [" + Writes + copies(2) + Reads + Reads +
                       "]",
                   {&Null})
                .Message == "");
    CHECK(prepared(Null) == Sizes{1, 1, 2, 2});
  }
  SECTION("too many parts for one") {
    REQUIRE(
        P.load(TwoInputs + "steps: [" + copies(1500) + "]", {&Null}).Message ==
        "");
    CHECK(prepared(Null) == Sizes{1024, 476});
  }
  SECTION("what a device does not take is told of its step") {
    Null.Faults->failAt(1, GOLDY_UNSUPPORTED, DriverCall::Prepare);
    REQUIRE(P.load(TwoInputs + "steps: [" + copies(2) + "]", {&Null}).Message ==
            "");
    CHECK(prepared(Null) == Sizes{1, 1});
    Null.Faults->failAt(1, GOLDY_LOST, DriverCall::Prepare);
    Told S = P.load(TwoInputs + "steps: [" + copies(2) + "]", {&Null});
    CHECK(S.Message == "`null`: steps[0]: prepare: made to fail; rule L13: no "
                       "device is lost while a program is loaded");
  }
}

TEST_CASE("memory that several devices use keeps steps apart") {
  Recorded First, Second;
  TestProgram P;
  P.AsksPoints = false;
  const std::string Shared = "Memory { memory: 0, offset: 0, length: 8 }",
                    Own = "Memory { memory: 1, offset: 0, length: 8 }",
                    Mine = "Memory { memory: 2, offset: 0, length: 8 }";
  auto Step = [](int Device, const std::string &From, const std::string &To) {
    return "Submit { device: " + std::to_string(Device) +
           ", parts: [Copy { src: 0, dst: 1, length: 8 }], slots: [" + From +
           ", " + To + "] }, ";
  };
  REQUIRE(P.load(R"(devices: ["x86-64-v1", "x86-64-v1"],
memory: [Alloc { device: 0, kind: host, bytes: 8 }, Alloc { device: 0, kind: device, bytes: 8 },
         Alloc { device: 0, kind: device, bytes: 8 }],
inputs: [{ device: 0, bytes: 8 }, { device: 1, bytes: 8 }],
steps: [)" + Step(0, Own, Mine) +
                     Step(0, Mine, Own) + Step(0, Own, Shared) +
                     Step(0, Own, Mine) + Step(1, Shared, "Input 1") + "]",
                 {&First, &Second})
              .Message == "");
  CHECK(prepared(First) == Sizes{2, 1, 1});
  CHECK(prepared(Second) == Sizes{1});
}

/// y += a * x for 4 elements of two slots; a is an int, and so are the groups.
static std::string saxpy(int Scalar, int Groups) {
  return R"(Submit { device: 0, parts: [Launch { image: 0, name: "saxpy",
  params: { bytes: hex"00000000 00000000 04000000 00000000 00000000 00000000 04000000 00000000 00000000 00000000",
            holes: [{ at: 32, width: W32, terms: [int )" +
         std::to_string(Scalar) + R"( * 1] }] },
  refs: [{ slot: 0, at: 0, use: read }, { slot: 1, at: 16, use: write }],
  groups: [int )" +
         std::to_string(Groups) + R"(, 1, 1], threads: [256, 1, 1] }],
  slots: [Input 0, Input 1] }, )";
}

static int64_t bitsOf(float X) { return std::bit_cast<int32_t>(X); }

TEST_CASE("joined steps keep their words, grids, moved ends and copies") {
  const std::string Name = GENERATE(from_range(workingDevices()));
  INFO(Name);
  TestDevice Device(Name);
  TestProgram P;
  P.WaitsAfter = true;
  P.AsksPoints = GENERATE(false, true);
  const std::string Move =
      R"(Submit { device: 0, parts: [Copy { src: 0, src_offset: [int 4 * 4], dst: 1, dst_offset: [int 5 * 4], length: 4 },
                                    Copy { src: 2, dst: 3, length: 8 }, Copy { src: 0, dst: 2, length: 8 }],
  slots: [Input 1, Input 2, Memory { memory: 0, offset: 0, length: 8 }, Input 3] }, )";
  REQUIRE(P.load(R"(devices: ["x86-64-v1"],
memory: [Alloc { device: 0, kind: device, bytes: 8, init: hex"0000803f", copies: Two }],
images: [{ device: 0, binary: "saxpy" }],
inputs: [{ device: 0, bytes: 16 }, { device: 0, bytes: 16 }, { device: 0, bytes: 16 }, { device: 0, bytes: 8 }], ints: 6,
steps: [)" + saxpy(0, 1) +
                     saxpy(2, 3) + Move + "]",
                 {&Device})
              .Message == "");
  Buffer X = Device.bufferOf(Floats{1, 2, 3, 4}),
         Y = Device.bufferOf(Floats{0, 0, 0, 0}),
         Z = Device.bufferOf(Floats{0, 0, 0, 0}), Last = Device.buffer(8);
  auto Run = [&](Words Ints) {
    REQUIRE(P.run({X.get(), Y.get(), Z.get(), Last.get()},
                  {Ints.begin(), Ints.end()})
                .Message == "");
  };
  auto W = [](float F) { return static_cast<uint64_t>(bitsOf(F)); };
  Run({W(10), 1, W(1), 1, 3, 0});
  CHECK(valuesOf<float>(*Y) == Floats{11, 22, 33, 44});
  CHECK(valuesOf<float>(*Z) == Floats{44, 0, 0, 0});
  CHECK(valuesOf<float>(*Last) == Floats{1, 0});
  // Another grid, other words, other ends; the other copy of the memory.
  Run({W(1), 1, W(5), 0, 0, 2});
  CHECK(valuesOf<float>(*Y) == Floats{12, 24, 36, 48});
  CHECK(valuesOf<float>(*Z) == Floats{44, 0, 12, 0});
  CHECK(valuesOf<float>(*Last) == Floats{1, 0});
  Run({W(0), 1, W(0), 0, 1, 1});
  CHECK(valuesOf<float>(*Z) == Floats{44, 24, 12, 0});
  CHECK(valuesOf<float>(*Last) == Floats{11, 22});
}

/// y += a * x for 4 elements; a is an int, ORed into `Scalar`.
static std::string plainSaxpy(const char *Scalar, int Int,
                              const std::string &X = "Input 0") {
  return R"(Submit { device: 0, parts: [Launch { image: 0, name: "saxpy",
  params: { bytes: hex"00000000 00000000 04000000 00000000 00000000 00000000 04000000 00000000 )" +
         std::string(Scalar) +
         R"( 00000000", holes: [{ at: 32, width: W32, terms: [int )" +
         std::to_string(Int) + R"( * 1] }] },
  refs: [{ slot: 0, at: 0, use: read }, { slot: 1, at: 16, use: write }],
  groups: [1, 1, 1], threads: [256, 1, 1] }], slots: [)" +
         X + ", Input 1] }, ";
}

TEST_CASE("a refused word leaves none of other inputs behind") {
  const std::string Name = GENERATE(from_range(workingDevices()));
  INFO(Name);
  TestDevice Device(Name);
  TestProgram P;
  P.WaitsAfter = true;
  P.AsksPoints = false;
  // Int 0 meets a set bit of the second step's scalar.
  REQUIRE(
      P.load(
           R"(devices: ["x86-64-v1"], images: [{ device: 0, binary: "saxpy" }],
inputs: [{ device: 0, bytes: 16 }, { device: 0, bytes: 16 }], ints: 2,
steps: [)" + plainSaxpy("00000000", 1) +
               plainSaxpy("0000803f", 0) + plainSaxpy("00000000", 1) + "]",
           {&Device})
          .Message == "");
  REQUIRE(P.P->Plan.Joins.size() == 1);
  Buffer X = Device.bufferOf(Floats{1, 2, 3, 4}),
         Y = Device.bufferOf(Floats{0, 0, 0, 0}),
         Z = Device.bufferOf(Floats{0, 0, 0, 0});
  REQUIRE(P.run({X.get(), Y.get()}, {0, bitsOf(2)}).Message == "");
  CHECK(valuesOf<float>(*Y) == Floats{5, 10, 15, 20});
  Told S = P.run({X.get(), Z.get()}, {bitsOf(1), bitsOf(2)});
  CHECK(S.Message.starts_with("steps[1].parts[0], device `"));
  CHECK(valuesOf<float>(*Z) == Floats{2, 4, 6, 8});
  REQUIRE(P.run({X.get(), Z.get()}, {0, bitsOf(2)}).Message == "");
  CHECK(valuesOf<float>(*Z) == Floats{7, 14, 21, 28});
  CHECK(valuesOf<float>(*Y) == Floats{5, 10, 15, 20});
}

TEST_CASE("joined steps wait for other devices where inputs are one buffer") {
  TestDevice Cpu("cpu");
  Recorded Null;
  TestProgram P;
  P.AsksPoints = false;
  const std::string Ones = "Memory { memory: 0, offset: 0, length: 16 }";
  REQUIRE(P.load(R"(devices: ["x86-64-v1", "x86-64-v1"],
memory: [Alloc { device: 0, kind: device, bytes: 16, init: hex"0000803f 0000803f 0000803f 0000803f" }],
images: [{ device: 0, binary: "saxpy" }],
inputs: [{ device: 0, bytes: 16 }, { device: 0, bytes: 16 }, { device: 1, bytes: 16 }], ints: 1,
steps: [Submit { device: 1, parts: [Copy { src: 0, dst: 1, length: 16 }], slots: [Input 2, Input 0] }, )" +
                     plainSaxpy("00000000", 0, Ones) +
                     plainSaxpy("00000000", 0, Ones) + "]",
                 {&Cpu, &Null})
              .Message == "");
  REQUIRE(P.P->Plan.Joins.size() == 1);
  Buffer Written = Cpu.bufferOf(Floats{0, 0, 0, 0}),
         Y = Cpu.bufferOf(Floats{0, 0, 0, 0}),
         From = Null.bufferOf(Floats{1, 2, 3, 4});
  auto WaitsOfRun = [&](goldy_buffer *Added) {
    Null.mark();
    REQUIRE(P.run({Written.get(), Added, From.get()}, {bitsOf(1)}).Message ==
            "");
    return Null.lines({"wait"}).size();
  };
  CHECK(WaitsOfRun(Y.get()) == 0);
  CHECK(WaitsOfRun(Y.get()) == 0);
  CHECK(valuesOf<float>(*Y) == Floats{4, 4, 4, 4});
  // The steps add to what the other device writes.
  CHECK(WaitsOfRun(Written.get()) == 1);
  CHECK(WaitsOfRun(Written.get()) == 1);
  CHECK(valuesOf<float>(*Written) == Floats{3, 4, 5, 6});
}

TEST_CASE("a step that calls the host stands alone") {
  TestDevice Cpu("cpu");
  TestProgram P;
  static uint64_t Seen;
  Seen = 0;
  auto Look = [](void *, const void *Block) {
    Seen = **static_cast<const uint64_t *const *>(Block);
    return 0;
  };
  P.Callbacks = {{"f", Look, nullptr}};
  P.AsksPoints = false;
  const std::string Call =
      R"(Submit { device: 0, parts: [Launch { image: 0, name: "f", params: { bytes: hex"00000000 00000000" },
  refs: [{ slot: 0, at: 0, use: read }], groups: [1, 1, 1], threads: [1, 1, 1] }], slots: [Input 1] }, )";
  std::string Head = TwoInputs;
  Head.insert(Head.find("inputs:"),
              "images: [{ device: 0, binary: \"GDYC\" }],\n");
  REQUIRE(P.load(Head + "steps: [" + copies(2) + Call + copies(2) + "]", {&Cpu})
              .Message == "");
  CHECK(P.P->Plan.Joins.size() == 2);
  CHECK(P.P->Submissions.size() == 3);
  Buffer In = Cpu.bufferOf(Words{5}), Out = Cpu.buffer(8);
  REQUIRE(P.run({In.get(), Out.get()}).Message == "");
  CHECK(Seen == 5);
}
