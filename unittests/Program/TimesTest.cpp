//===- TimesTest.cpp - When a run's parts began and ended -----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The null device's clock is its own: each part takes a microsecond.
//
//===----------------------------------------------------------------------===//
#include "LoadFixture.h"

#include "program/Loaded.h"

#include <catch2/catch.hpp>

using namespace goldy::rt;
using Words = std::vector<uint64_t>;
using Lines = std::vector<std::string>;
using Spans = std::vector<goldy_program_time_t>;
using Buffer = std::unique_ptr<goldy_buffer>;

static Told timesOf(TestProgram &P, Spans &Out) {
  size_t Count = 0, Left = 7;
  Told S(goldy_program_times(P.P, nullptr, 0, &Count, &Left));
  if (S.Code != GOLDY_OK)
    return S;
  CHECK(Left == 0);
  Out.resize(Count);
  return Told(goldy_program_times(P.P, Out.data(), Count, &Count, nullptr));
}

/// "steps[0].parts[1] copy on 0".
static Lines texts(const Spans &Times) {
  Lines Out;
  for (const goldy_program_time_t &T : Times) {
    CHECK(T.span.begin_ns <= T.span.end_ns);
    Out.push_back(std::string(T.place) + " " + T.name + " on " +
                  (T.device == GOLDY_PROGRAM_HOST ? "the host"
                                                  : std::to_string(T.device)));
  }
  return Out;
}

static const std::string Copy = "Copy { src: 0, dst: 1, length: 8 }",
                         Nothing = "Copy { src: 0, dst: 1, length: 0 }",
                         Submit0 = "Submit { device: 0, parts: [" + Copy +
                                   ", " + Nothing + ", " + Copy +
                                   "], slots: [Input 0, Input 1] }, ";
static const std::string Head = R"(devices: ["x86-64-v1"],
inputs: [{ device: 0, bytes: 8 }, { device: 0, bytes: 8 }], ints: 1,
steps: [)";

TEST_CASE("a run's times are told part by part") {
  const std::string Name = GENERATE_COPY(from_range([] {
    Lines Names = workingDevices();
    Names.push_back("null");
    return Names;
  }()));
  INFO(Name);
  TestDevice Device(Name);
  TestProgram P;
  P.Timed = true;
  P.AsksPoints = GENERATE(false, true);
  // Joined steps, moves, and more trips than devices keep times of.
  REQUIRE(P.load(Head + Submit0 + Submit0 +
                     "Move { src: Input 1, dst: Input 0, length: 8 }, "
                     "Loop { trips: int 0, body: [" +
                     Submit0 + "] }]",
                 {&Device})
              .Message == "");
  Buffer In = Device.bufferOf(Words{5}), Out = Device.buffer(8);
  Spans Times;
  for (int64_t Trips : {20, 3}) {
    REQUIRE(P.run({In.get(), Out.get()}, {Trips}).Message == "");
    REQUIRE(timesOf(P, Times).Message == "");
    Lines Expected{"steps[0].parts[0] copy on 0", "steps[0].parts[2] copy on 0",
                   "steps[1].parts[0] copy on 0", "steps[1].parts[2] copy on 0",
                   "steps[2] move on 0"};
    for (int64_t T = 0; T < Trips; ++T) {
      Expected.push_back("steps[3].body[0].parts[0] copy on 0");
      Expected.push_back("steps[3].body[0].parts[2] copy on 0");
    }
    CHECK(texts(Times) == Expected);
    if (Name == "null")
      for (const goldy_program_time_t &T : Times)
        CHECK(T.span.end_ns - T.span.begin_ns == 1000);
    else
      for (size_t I = 1; I < Times.size(); ++I)
        CHECK(Times[I - 1].span.end_ns <= Times[I].span.end_ns);
  }
}

TEST_CASE("launches, host functions and moves of the host have names") {
  TestDevice Cpu("cpu");
  Recorded Null;
  TestProgram P;
  P.Timed = true;
  P.Callbacks = {{"poke", [](void *, const void *) { return 0; }, nullptr}};
  REQUIRE(P.load(R"(devices: ["x86-64-v1", "x86-64-v1"],
memory: [Alloc { device: 1, kind: device, bytes: 16 }],
images: [{ device: 0, binary: "saxpy" }, { device: 0, binary: hex"47445943" }],
inputs: [{ device: 0, bytes: 16 }, { device: 0, bytes: 16 }],
steps: [Submit { device: 0, parts: [Launch { image: 0, name: "saxpy",
  params: { bytes: hex"00000000 00000000 04000000 00000000 00000000 00000000 04000000 00000000 0000803f 00000000" },
  refs: [{ slot: 0, at: 0, use: read }, { slot: 1, at: 16, use: write }],
  groups: [1, 1, 1], threads: [256, 1, 1] },
  Fill { fill: Entry { image: 1, name: "poke" }, params: hex"00000000" }], slots: [Input 0, Input 1] },
  Move { src: Input 0, dst: Memory { memory: 0, offset: 0, length: 16 }, length: 16 }])",
                 {&Cpu, &Null})
              .Message == "");
  Buffer In = Cpu.buffer(16), Out = Cpu.buffer(16);
  REQUIRE(P.run({In.get(), Out.get()}).Message == "");
  Spans Times;
  REQUIRE(timesOf(P, Times).Message == "");
  Lines Told = texts(Times);
  REQUIRE(Told.size() == 3);
  CHECK(Told[0] == "steps[0].parts[0] saxpy on 0");
  CHECK(Told[1] == "steps[0].parts[1] poke on 0");
  CHECK(Told[2].starts_with("steps[1] move on "));
  CHECK(P.P->Plan.Stages.size() ==
        (Told[2] == "steps[1] move on the host" ? 1 : 0));
}

TEST_CASE("times that are not there are refused") {
  Recorded Null;
  TestProgram P;
  Buffer In = Null.bufferOf(Words{5}), Out = Null.buffer(8);
  Spans Times;
  SECTION("of a program that is not timed") {
    REQUIRE(P.load(Head + Submit0 + "]", {&Null}).Message == "");
    Told S = timesOf(P, Times);
    CHECK(S.Code == GOLDY_INVALID_ARGUMENT);
    CHECK(S.Message ==
          "the program is not timed; load it with GOLDY_PROGRAM_TIMED");
    Null.Faults->failAt(1, GOLDY_LOST, DriverCall::Times);
    CHECK(P.run({In.get(), Out.get()}, {1}).Message == "");
    CHECK(Null.Faults->calls() == 0);
  }
  P.Timed = true;
  SECTION("before a run") {
    REQUIRE(P.load(Head + Submit0 + "]", {&Null}).Message == "");
    CHECK(timesOf(P, Times).Message == "");
    CHECK(Times.empty());
  }
  SECTION("because the device fails, within a run") {
    REQUIRE(P.load(Head + "Loop { trips: int 0, body: [" + Submit0 + "] }]",
                   {&Null})
                .Message == "");
    Null.Faults->failAt(1, GOLDY_LOST, DriverCall::Times);
    CHECK(P.run({In.get(), Out.get()}, {8}).Message == "");
    CHECK(P.run({In.get(), Out.get()}, {9}).Message ==
          "steps[0].body[0], device `null`: times: made to fail; rule R28: no "
          "device is lost during a run");
  }
  SECTION("because the device fails, and then does not") {
    REQUIRE(P.load(Head + Submit0 + "]", {&Null}).Message == "");
    REQUIRE(P.run({In.get(), Out.get()}, {1}).Message == "");
    Null.Faults->failAt(1, GOLDY_INTERNAL, DriverCall::Times);
    CHECK(timesOf(P, Times).Code == GOLDY_INTERNAL);
    CHECK(timesOf(P, Times).Message == "");
    CHECK(Times.size() == 2);
  }
}
