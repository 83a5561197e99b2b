//===- RunDevicesTest.cpp - Programs on several devices -------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The null device stands for one whose work is its own: it copies, reaches host
// memory that it borrows, and its record tells what was waited for.
//
//===----------------------------------------------------------------------===//
#include "LoadFixture.h"

#include <catch2/catch.hpp>

using namespace goldy;
using namespace goldy::rt;
using Words = std::vector<uint64_t>;
using Buffer = std::unique_ptr<goldy_buffer>;

namespace {

/// There and back again: input 0, the CPU's memory 0, the null device's memory
/// 1, the CPU's memory 2, input 1.
const std::string Journey = R"(devices: ["x86-64-v1", "x86-64-v1"],
memory: [Alloc { device: 0, kind: device, bytes: 8 }, Alloc { device: 1, kind: device, bytes: 16 },
         Alloc { device: 0, kind: host, bytes: 8 }],
inputs: [{ device: 0, bytes: 8 }, { device: 0, bytes: 8 }], ints: 1,
steps: [
  Submit { device: 0, parts: [Copy { src: 0, dst: 1, length: 8 }], slots: [Input 0, Memory { memory: 0, offset: 0, length: 8 }] },
  Move { src: Memory { memory: 0, offset: 0, length: 8 }, dst: Memory { memory: 1, offset: 0, length: 16 }, dst_offset: [int 0 * 8], length: 8 },
  Move { src: Memory { memory: 1, offset: 0, length: 16 }, src_offset: [int 0 * 8], dst: Memory { memory: 2, offset: 0, length: 8 }, length: 8 },
  Submit { device: 0, parts: [Copy { src: 0, dst: 1, length: 8 }], slots: [Memory { memory: 2, offset: 0, length: 8 }, Input 1] },
])";

} // namespace

TEST_CASE("bytes go to another device and back by borrows") {
  TestDevice Cpu("cpu");
  Recorded Null;
  TestProgram P;
  REQUIRE(P.load(Journey, {&Cpu, &Null}).Message == "");
  Buffer In = Cpu.bufferOf(Words{5}), Out = Cpu.buffer(8);
  Null.mark();
  REQUIRE(P.run({In.get(), Out.get()}, {1}).Message == "");
  CHECK(valuesOf<uint64_t>(*Out) == Words{5});
  // Two copies on the device, in its order; one wait, before the CPU goes on.
  CHECK(Null.lines({"run", "wait", "read", "write"}) ==
        std::vector<std::string>{"run 3", "run 5", "wait 2"});
  REQUIRE(P.Ends.size() == 2);
  CHECK(P.Ends[1].device == 1);
  CHECK(P.Ends[1].value == 2);
  CHECK(P.Points.size() == 2);
  // The next run's first step overwrites what the device read: it is waited
  // for, and was.
  Null.mark();
  Buffer Six = Cpu.bufferOf(Words{6});
  REQUIRE(P.run({Six.get(), Out.get()}, {0}).Message == "");
  CHECK(valuesOf<uint64_t>(*Out) == Words{6});
  CHECK(Null.lines({"run", "wait"}) ==
        std::vector<std::string>{"run 3", "run 5", "wait 4"});
}

TEST_CASE("a device that does not borrow is reached through the host") {
  for (goldy_code_t Code : {GOLDY_UNSUPPORTED, GOLDY_OUT_OF_MEMORY}) {
    TestDevice Cpu("cpu");
    Recorded Null;
    TestProgram P;
    // The first move's borrow fails, the second one's does not.
    Null.Faults->failAt(1, Code, DriverCall::Borrow);
    REQUIRE(P.load(Journey, {&Cpu, &Null}).Message == "");
    Buffer In = Cpu.bufferOf(Words{5}), Out = Cpu.buffer(8);
    Null.mark();
    REQUIRE(P.run({In.get(), Out.get()}, {1}).Message == "");
    CHECK(valuesOf<uint64_t>(*Out) == Words{5});
    CHECK(Null.lines({"run", "wait", "write"}) ==
          std::vector<std::string>{"write 1 8 8", "run 3", "wait 1"});
    // Before the host writes again, the device has read.
    REQUIRE(P.run({In.get(), Out.get()}, {1}).Message == "");
    // Refused at the step as a submission would be.
    Told S = P.run({In.get(), Out.get()}, {2});
    CHECK(S.Code == GOLDY_INVALID_ARGUMENT);
    CHECK(S.Message == "steps[1]: 8 bytes from byte 16 of 16 of the "
                       "destination; rule R23: an end of a copy or move lies "
                       "within its buffer");
  }
}

TEST_CASE("a move between two devices without common memory") {
  Recorded First, Second;
  TestProgram P;
  std::string Text = R"(devices: ["x86-64-v1", "x86-64-v1"],
memory: [Alloc { device: 0, kind: device, bytes: 3000000 }],
inputs: [{ device: 0, bytes: 3000000 }, { device: 1, bytes: 3000000 }],
steps: [
  Submit { device: 0, parts: [Copy { src: 0, dst: 1, length: 3000000 }], slots: [Input 0, Memory { memory: 0, offset: 0, length: 3000000 }] },
  Move { src: Memory { memory: 0, offset: 0, length: 3000000 }, dst: Input 1, length: 3000000 },
])";
  REQUIRE(P.load(Text, {&First, &Second}).Message == "");
  std::vector<uint32_t> Values(750000);
  for (uint32_t I = 0; I < Values.size(); ++I)
    Values[I] = I;
  Buffer In = First.bufferOf(Values), Out = Second.buffer(3000000);
  First.mark();
  REQUIRE(P.run({In.get(), Out.get()}).Message == "");
  CHECK(valuesOf<uint32_t>(*Out) == Values);
  CHECK(First.lines({"run", "wait"}) ==
        std::vector<std::string>{"run 2", "wait 1"});
}

TEST_CASE("an input of the host is another device's for the run") {
  TestDevice Cpu("cpu");
  Recorded Null;
  TestProgram P;
  REQUIRE(P.load(R"(devices: ["x86-64-v1", "x86-64-v1"],
inputs: [{ device: 0, bytes: 8 }, { device: 0, bytes: 8 }],
steps: [Submit { device: 1, parts: [Copy { src: 0, dst: 1, length: 8 }], slots: [Input 0, Input 1] },
        Submit { device: 0, parts: [Copy { src: 0, dst: 1, length: 8 }], slots: [Input 1, Input 0] }])",
                 {&Cpu, &Null})
              .Message == "");
  int64_t Alive = Null.Faults->alive();
  Buffer In = Cpu.bufferOf(Words{5}), Out = Cpu.buffer(8);
  Null.mark();
  REQUIRE(P.run({In.get(), Out.get()}).Message == "");
  CHECK(valuesOf<uint64_t>(*Out) == Words{5});
  CHECK(Null.Faults->alive() == Alive);
  CHECK(Null.lines({"borrow", "run", "wait", "release"}) ==
        std::vector<std::string>{"borrow 2 8", "borrow 3 8", "run 1", "wait 1",
                                 "release 2", "release 3"});
  // A borrow that fails refuses the run before its first step, and the other
  // one ends.
  Null.Faults->failAt(2, GOLDY_UNSUPPORTED, DriverCall::Borrow);
  Told S = P.run({In.get(), Out.get()});
  CHECK(S.Message ==
        "`null`: inputs[1]: borrow: made to fail; rule R6: a device reaches "
        "the inputs that its steps name");
  CHECK(Null.Faults->alive() == Alive);
  CHECK(P.Ends.empty());
}

TEST_CASE("work on an input is work on others that are the same buffer") {
  Recorded Null;
  TestProgram P;
  REQUIRE(P.load(R"(devices: ["x86-64-v1"],
memory: [Alloc { device: 0, kind: device, bytes: 8 }],
inputs: [{ device: 0, bytes: 8 }, { device: 0, bytes: 8 }],
steps: [Submit { device: 0, parts: [Copy { src: 0, dst: 1, length: 8 }], slots: [Memory { memory: 0, offset: 0, length: 8 }, Input 1] },
        Loop { trips: 2, flag: { slot: Input 0, at: 0 }, body: [] }])",
                 {&Null})
              .Message == "");
  Buffer Flag = Null.bufferOf(Words{1}), Out = Null.buffer(8);
  Null.mark();
  REQUIRE(P.run({Flag.get(), Out.get()}).Message == "");
  CHECK(Null.lines({"run", "wait"}) == std::vector<std::string>{"run 2"});
  Null.mark();
  REQUIRE(P.run({Flag.get(), Flag.get()}).Message == "");
  CHECK(Null.lines({"run", "wait"}).back() == "wait 2");
}

TEST_CASE("ints that another device writes are read after it") {
  TestDevice Cpu("cpu");
  Recorded Null;
  TestProgram P;
  REQUIRE(P.load(R"(devices: ["x86-64-v1", "x86-64-v1"],
memory: [Alloc { device: 1, kind: device, bytes: 8, init: hex"03" }],
inputs: [{ device: 0, bytes: 8 }, { device: 0, bytes: 64 }], ints: 3,
steps: [
  Submit { device: 1, parts: [Copy { src: 0, dst: 1, length: 8 }], slots: [Memory { memory: 0, offset: 0, length: 8 }, Ints] },
  Loop { trips: int 0, trip: 1, body: [
    Submit { device: 0, parts: [Copy { src: 0, dst: 1, dst_offset: [int 1 * 8], length: 8 }], slots: [Input 0, Input 1] } ] },
  Move { src: Ints, src_offset: [1 * 8], dst: Memory { memory: 0, offset: 0, length: 8 }, length: 8 },
])",
                 {&Cpu, &Null})
              .Message == "");
  Buffer In = Cpu.bufferOf(Words{7}), Out = Cpu.buffer(64);
  Null.mark();
  REQUIRE(P.run({In.get(), Out.get()}, {1, 9}).Message == "");
  CHECK(valuesOf<uint64_t>(*Out) == Words{7, 7, 7, 0, 0, 0, 0, 0});
  // The last trip, 2, is how often the next run's loop runs; that run's copies
  // of the ints are others.
  Out = Cpu.buffer(64);
  REQUIRE(P.run({In.get(), Out.get()}).Message == "");
  CHECK(valuesOf<uint64_t>(*Out) == Words{7, 7, 0, 0, 0, 0, 0, 0});
  // One wait a run for the writer of the ints, which is behind the run before
  // the last.
  REQUIRE(P.run({In.get(), Out.get()}).Message == "");
  CHECK(Null.lines({"run", "wait"}) ==
        std::vector<std::string>{"run 4", "wait 1", "run 6", "run 5", "wait 3",
                                 "run 7", "run 4", "wait 5", "run 6"});
}

TEST_CASE("run n waits for run n - 2 on its copies, and only on copies") {
  Recorded Null;
  TestProgram P;
  const std::string Text = R"(devices: ["x86-64-v1"],
memory: [Alloc { device: 0, kind: device, bytes: 8, copies: Two }], inputs: [{ device: 0, bytes: 8 }],
steps: [Submit { device: 0, parts: [Copy { src: 0, dst: 1, length: 8 }], slots: [Input 0, Memory { memory: 0, offset: 0, length: 8 }] },
        Submit { device: 0, parts: [], slots: [] }])";
  P.AsksPoints = false;
  REQUIRE(P.load(Text, {&Null}).Message == "");
  Buffer In = Null.buffer(8);
  Null.mark();
  for (int N = 0; N < 4; ++N)
    REQUIRE(P.run({In.get()}).Message == "");
  CHECK(Null.lines({"run", "wait"}) ==
        std::vector<std::string>{"run 3", "run 4", "wait 1", "run 3", "wait 2",
                                 "run 4"});
  // One copy: no waits.
  std::string One = Text;
  One.erase(One.find(", copies: Two"), 13);
  REQUIRE(P.load(One, {&Null}).Message == "");
  Null.mark();
  for (int N = 0; N < 4; ++N)
    REQUIRE(P.run({In.get()}).Message == "");
  CHECK(Null.lines({"wait"}).empty());
}

// The host prepares the bytes of one run while the device works on those of the
// run before.
TEST_CASE("two copies let the host go ahead of a device by a run") {
  TestDevice Cpu("cpu");
  Recorded Null;
  TestProgram P;
  REQUIRE(P.load(R"(devices: ["x86-64-v1", "x86-64-v1"],
memory: [Alloc { device: 0, kind: host, bytes: 8, copies: Two }, Alloc { device: 1, kind: device, bytes: 8, copies: Two }],
inputs: [{ device: 0, bytes: 8 }, { device: 1, bytes: 8 }],
steps: [
  Submit { device: 0, parts: [Copy { src: 0, dst: 1, length: 8 }], slots: [Input 0, Memory { memory: 0, offset: 0, length: 8 }] },
  Move { src: Memory { memory: 0, offset: 0, length: 8 }, dst: Memory { memory: 1, offset: 0, length: 8 }, length: 8 },
  Submit { device: 1, parts: [Copy { src: 0, dst: 1, length: 8 }], slots: [Memory { memory: 1, offset: 0, length: 8 }, Input 1] },
])",
                 {&Cpu, &Null})
              .Message == "");
  Buffer Out = Null.buffer(8);
  Null.mark();
  for (uint64_t Run = 0; Run < 4; ++Run) {
    Buffer In = Cpu.bufferOf(Words{Run});
    REQUIRE(P.run({In.get(), Out.get()}).Message == "");
    CHECK(valuesOf<uint64_t>(*Out) == Words{Run});
  }
  // Each run starts a move and a copy; the third one waits for the first's.
  CHECK(Null.lines({"run", "wait"}) ==
        std::vector<std::string>{"run 5", "run 7", "run 6", "run 8", "wait 2",
                                 "run 5", "run 7", "wait 4", "run 6", "run 8"});
}

TEST_CASE("a program goes after the work of its last run") {
  Recorded Null;
  TestProgram P;
  REQUIRE(
      P.load(
           R"(devices: ["x86-64-v1"], memory: [Alloc { device: 0, kind: host, bytes: 8 }], inputs: [{ device: 0, bytes: 8 }],
steps: [Submit { device: 0, parts: [Copy { src: 0, dst: 1, length: 8 }], slots: [Input 0, Memory { memory: 0, offset: 0, length: 8 }] }])",
           {&Null})
          .Message == "");
  Buffer In = Null.buffer(8);
  REQUIRE(P.run({In.get()}).Message == "");
  Null.mark();
  goldy_program_destroy(P.P);
  P.P = nullptr;
  CHECK(Null.lines({""}) ==
        std::vector<std::string>{"wait 1", "discard 2", "release 1"});
}

TEST_CASE("a run follows the points that it is given") {
  TestDevice Cpu("cpu");
  Recorded Null;
  TestProgram P;
  REQUIRE(P.load(Journey, {&Cpu, &Null}).Message == "");
  Buffer In = Cpu.bufferOf(Words{5}), Out = Cpu.buffer(8);
  REQUIRE(P.run({In.get(), Out.get()}, {0}).Message == "");
  TestProgram Other;
  REQUIRE(Other.load(Journey, {&Cpu, &Null}).Message == "");
  Other.Waits = P.Ends;
  Null.mark();
  REQUIRE(Other.run({In.get(), Out.get()}, {0}).Message == "");
  CHECK(Null.lines({"run", "wait"})[0] == "wait 2");
}

// A double of a rail's end: areas of the test's, and a ready that counts.
TEST_CASE("a program reaches its machine's end of a rail") {
  TestDevice Cpu("cpu");
  Recorded Null;
  TestProgram P;
  struct Block {
    uint64_t *Counts;
    uint64_t Count;
  };
  struct End {
    alignas(64) uint64_t Outbound[8] = {};
    alignas(64) uint64_t Inbound[8] = {};
    alignas(64) uint64_t Counts[8] = {};
    Words Sent;
  } E;
  P.Rails = {{7,
              {64, 64, 64},
              {E.Outbound, E.Inbound, E.Counts},
              [](void *User, const void *At) {
                End &E = *static_cast<End *>(User);
                const Block &B = *static_cast<const Block *>(At);
                E.Sent.push_back(E.Outbound[B.Count % 2 * 4]);
                *B.Counts = B.Count;
                return 0;
              },
              &E}};
  std::string Text = R"(devices: ["x86-64-v1", "x86-64-v1"],
memory: [Rail { rail: 7, area: outbound }, Rail { rail: 7, area: counts }, Rail { rail: 7, area: inbound }],
inputs: [{ device: 1, bytes: 8 }, { device: 0, bytes: 8 }], ints: 1,
steps: [
  Submit { device: 1, parts: [Copy { src: 0, dst: 1, dst_offset: [int 0 * 32], length: 8 }],
           slots: [Input 0, Memory { memory: 0, offset: 0, length: 64 }] },
  Submit { device: 0, parts: [
      Fill { fill: Ready 7, params: { bytes: hex"00000000 00000000 00000000 00000000", holes: [{ at: 8, width: W64, terms: [int 0 * 1] }] },
             refs: [{ slot: 0, at: 0, use: write }] },
      Copy { src: 2, dst: 3, length: 8 }, Copy { src: 1, dst: 4, length: 8 }],
    slots: [Memory { memory: 1, offset: 0, length: 64 }, Memory { memory: 0, offset: 0, length: 64 },
            Memory { memory: 2, offset: 8, length: 8 }, Input 1, Memory { memory: 2, offset: 32, length: 8 }] },
])";
  REQUIRE(P.load(Text, {&Cpu, &Null}).Message == "");
  E.Inbound[1] = 77;
  Buffer In = Null.bufferOf(Words{5}), Out = Cpu.buffer(8);
  Null.mark();
  REQUIRE(P.run({In.get(), Out.get()}, {1}).Message == "");
  CHECK(E.Sent == Words{5});
  CHECK(E.Counts[0] == 1);
  CHECK(E.Outbound[4] == 5);
  CHECK(valuesOf<uint64_t>(*Out) == Words{77});
  CHECK(Null.lines({"run", "wait"}).size() == 2);
  // The rail is not given.
  P.Rails.clear();
  Told S = P.load(Text, {&Cpu, &Null});
  CHECK(S.Code == GOLDY_INVALID_ARGUMENT);
  CHECK(S.Message == "memory[0]: rail 7; rule P27: a rail is one of this "
                     "machine's");
}

TEST_CASE("every call of a run may fail, and the program goes on or is lost") {
  for (goldy_code_t Code : {GOLDY_OUT_OF_MEMORY, GOLDY_LOST, GOLDY_INTERNAL})
    for (uint64_t N = 1;; ++N) {
      TestDevice Cpu("cpu");
      Recorded Null;
      TestProgram P;
      Null.Faults->failAt(3, GOLDY_UNSUPPORTED, DriverCall::Borrow);
      REQUIRE(P.load(Journey, {&Cpu, &Null}).Message == "");
      Buffer In = Cpu.bufferOf(Words{5}), Out = Cpu.buffer(8);
      Null.Faults->failAt(N, Code);
      Told S;
      for (int Run = 0; Run < 3 && S.Code == GOLDY_OK; ++Run)
        S = P.run({In.get(), Out.get()}, {1});
      INFO("call " << N << ": " << S.Message);
      if (!Null.Faults->failed()) {
        CHECK(N > 6);
        break;
      }
      CHECK(S.Code == Code);
      if (Code != GOLDY_LOST) {
        Null.Faults->failAt(0, GOLDY_OK);
        REQUIRE(P.run({In.get(), Out.get()}, {0}).Message == "");
        CHECK(valuesOf<uint64_t>(*Out) == Words{5});
      }
      goldy_program_destroy(P.P);
      P.P = nullptr;
      CHECK(Null.Faults->alive() == 0);
    }
}

TEST_CASE("the plan says what the host waits for") {
  TestDevice Cpu("cpu");
  Recorded Null;
  TestProgram P;
  Null.Faults->failAt(2, GOLDY_UNSUPPORTED, DriverCall::Borrow);
  std::string Text = Journey;
  Text.insert(Text.size() - 1,
              "Loop { trips: int 0, trip: 0, flag: { slot: Input 0, at: 0 }, "
              "derived: [{ word: 0, is: [1] }], body: [Submit { device: 1, "
              "parts: [Copy { src: 0, dst: 1, length: 8 }], slots: [Ints, "
              "Input 1] }, Submit { device: 0, parts: [], slots: [] }] }");
  REQUIRE(P.load(Text, {&Cpu, &Null}).Message == "");
  goldy_text_t Plan{};
  REQUIRE(Told(goldy_program_plan(P.P, &Plan)).Message == "");
  CHECK(
      std::string(Plan.data, Plan.size) ==
      R"(steps[0]: submit on device 0 `cpu`, prepared once, 0 words, 0 checks; waits for what other devices write of input 0; waits for what other devices do with memory 0
steps[1]: move on device 1 `null`, prepared once, 1 word, 1 check; waits for what writes the ints; waits for what other devices write of memory 0; waits for what other devices do with memory 1
steps[2]: move by the host from memory 1 to memory 2, 8 bytes; waits for what writes the ints; waits for what other devices write of memory 1; waits for what other devices do with memory 2
steps[3]: submit on device 0 `cpu`, prepared once, 0 words, 0 checks; waits for what other devices write of memory 2; waits for what other devices do with input 1
steps[4]: loop, trips in int 0, 1 derived int, flag in input 0 read before each trip; waits for what writes the ints
steps[4].body[0]: submit on device 1 `null`, prepared for each copy, 0 words, 0 checks; waits for what other devices write of the ints; waits for what other devices do with input 1
steps[4].body[1]: submit on device 0 `cpu`, nothing to do, 0 words, 0 checks
)");
}
