//===- RunRulesTest.cpp - The rules of runs, one by one -------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// R1 to R19 are refused before the first step; the others at a step, when the
// steps before it ran. The program runs again after each.
//
//===----------------------------------------------------------------------===//
#include "LoadFixture.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

using namespace goldy;
using namespace goldy::rt;
using Words = std::vector<uint64_t>;
using Buffer = std::unique_ptr<goldy_buffer>;

namespace {

/// Copies 8 bytes from `in` (which may have 16) to `out`.
const std::string CopyOne = R"(devices: ["x86-64-v1"],
inputs: [{ device: 0, bytes: 8 }, { device: 0, bytes: 8 }], ints: 2,
steps: [Submit { device: 0, parts: [Copy { src: 0, dst: 1, length: 8 }], slots: [Input 0, Input 1] })";

struct Case {
  TestDevice Cpu{"cpu"};
  TestProgram P;
  Buffer In = Cpu.bufferOf(Words{5}), Out = Cpu.bufferOf(Words{9});

  /// Runs that ask for no points take joined steps as one.
  explicit Case(const std::string &Text = CopyOne + "]",
                bool AsksPoints = true) {
    REQUIRE(P.load(Text, {&Cpu}).Message == "");
    P.AsksPoints = AsksPoints;
  }
  void refuses(const Told &S, goldy_code_t Code, const std::string &Message) {
    CHECK(S.Code == Code);
    CHECK(S.Message == Message);
  }
  /// Nothing ran.
  void before(const Told &S, const std::string &Message) {
    refuses(S, GOLDY_INVALID_ARGUMENT, Message);
    CHECK(valuesOf<uint64_t>(*Out)[0] == 9);
    CHECK(P.Ends.empty());
  }
  /// The first step ran, and only it.
  void at(const Told &S, const std::string &Message) {
    refuses(S, GOLDY_INVALID_ARGUMENT, Message);
    CHECK(valuesOf<uint64_t>(*Out)[0] == 5);
    CHECK(P.Ends.size() == 1);
    if (P.AsksPoints)
      CHECK(P.Points[0].device == 0);
    for (size_t I = 1; I < P.Points.size(); ++I)
      CHECK(P.Points[I].device == GOLDY_PROGRAM_HOST);
  }
};

} // namespace

TEST_CASE("R1 a run brings as many inputs as the program has") {
  Case C;
  const char *Rule =
      "; rule R1: a run brings as many inputs as the program has";
  C.before(C.P.run({C.In.get()}),
           std::string("inputs: 1 inputs instead of 2") + Rule);
  C.before(C.P.run({C.In.get(), C.Out.get(), C.Out.get()}),
           std::string("inputs: 3 inputs instead of 2") + Rule);
}

TEST_CASE("R2 a run brings no more ints than the program has") {
  Case C;
  const std::string Rule = "; rule R2: a run brings no more ints than the "
                           "program has, each of 63 bits";
  C.before(C.P.run({C.In.get(), C.Out.get()}, {1, 2, 3}),
           "ints: 3 ints, the program has 2" + Rule);
  C.before(C.P.run({C.In.get(), C.Out.get()}, {0, INT64_MAX}),
           "ints[1]: 9223372036854775807" + Rule);
  CHECK(C.P.run({C.In.get(), C.Out.get()}, {1}).Message == "");
}

TEST_CASE("R3 a run has a point for each submit step, or none") {
  Case C;
  goldy_buffer_t *Inputs[] = {C.In.get(), C.Out.get()};
  goldy_program_point_t Points[2]{};
  goldy_program_frame_t F{Inputs, 2, nullptr, 0, Points, 2};
  C.before(Told(goldy_program_run(C.P.P, &F, nullptr, 0, nullptr, nullptr)),
           "step_points: 2 points, the program has 1 submit steps; rule R3: a "
           "run has a point for each submit step, or none");
  F.step_points = nullptr;
  CHECK(Told(goldy_program_run(C.P.P, &F, nullptr, 0, nullptr, nullptr))
            .Message == "");
}

TEST_CASE("R4 an input is a buffer of its device") {
  Case C;
  TestDevice Other("null");
  Buffer There = Other.buffer(8);
  const std::string Rule = "; rule R4: an input is a buffer of its device";
  C.before(C.P.run({There.get(), C.Out.get()}),
           "inputs[0]: a buffer of `null`, of another device than device 0 "
           "(`cpu`)" +
               Rule);
  C.before(C.P.run({C.In.get(), nullptr}),
           "inputs[1]: NULL instead of a buffer of device 0 (`cpu`)" + Rule);
}

TEST_CASE("R5 an input has at least the bytes that the program says") {
  Case C;
  Buffer Small = C.Cpu.buffer(7), Large = C.Cpu.bufferOf(Words{3, 4});
  C.before(C.P.run({Small.get(), C.Out.get()}),
           "inputs[0]: a buffer of 7 bytes instead of 8; rule R5: an input has "
           "at least the bytes that the program says");
  CHECK(C.P.run({Large.get(), C.Out.get()}).Message == "");
  CHECK(valuesOf<uint64_t>(*C.Out) == Words{3});
}

TEST_CASE("R6 a device reaches the inputs that its steps name") {
  TestDevice Null("null"), Cpu("cpu");
  TestProgram P;
  REQUIRE(P.load(R"(devices: ["x86-64-v1", "x86-64-v1"],
inputs: [{ device: 0, bytes: 8 }, { device: 1, bytes: 8 }],
steps: [Submit { device: 1, parts: [Copy { src: 0, dst: 1, length: 8 }], slots: [Input 0, Input 1] }])",
                 {&Null, &Cpu})
              .Message == "");
  Buffer In = Null.buffer(8), Out = Cpu.buffer(8);
  Told S = P.run({In.get(), Out.get()});
  CHECK(S.Code == GOLDY_INVALID_ARGUMENT);
  CHECK(S.Message ==
        "`cpu`: inputs[0]: a buffer of `null`; move its bytes; "
        "rule R6: a device reaches the inputs that its steps name");
}

TEST_CASE("R8 an int that says how long an input is fits its bytes") {
  std::string Text = CopyOne + "]";
  Text.replace(Text.find("bytes: 8 }"), 10,
               "bytes: 8, length: { word: 1, stride: 4 } }");
  Case C(Text);
  const std::string Rule = "; rule R8: an int that says how long an input is "
                           "fits its bytes";
  C.before(C.P.run({C.In.get(), C.Out.get()}, {0, 3}),
           "inputs[0]: int 1 says 3 elements of 4 bytes, of 8" + Rule);
  C.before(C.P.run({C.In.get(), C.Out.get()}, {0, -1}),
           "inputs[0]: int 1 says -1 elements of 4 bytes, of 8" + Rule);
  CHECK(C.P.run({C.In.get(), C.Out.get()}, {0, 2}).Message == "");
}

TEST_CASE("R9 a point to wait for is one that a device gave") {
  Case C;
  const std::string Rule =
      "; rule R9: a point to wait for is one that a device gave";
  C.P.Waits = {{0, 1000000}};
  uint64_t Last = C.Cpu.driver().lastPoint();
  C.before(C.P.run({C.In.get(), C.Out.get()}),
           "waits: point 1000000 of `cpu`, whose last one is " +
               std::to_string(Last) + Rule);
  C.P.Waits = {{3, 0}};
  C.before(C.P.run({C.In.get(), C.Out.get()}), "waits: device 3 of 1" + Rule);
  C.P.Waits = {{GOLDY_PROGRAM_HOST, 7}, {0, Last}};
  CHECK(C.P.run({C.In.get(), C.Out.get()}).Message == "");
}

//===-- At a step ---------------------------------------------------------===//

/// A launch of saxpy over both inputs with a part replaced.
static std::string launching(const std::string &Holes,
                             const std::string &Groups) {
  return std::string(
             R"(devices: ["x86-64-v1"], images: [{ device: 0, binary: "saxpy" }],
inputs: [{ device: 0, bytes: 8 }, { device: 0, bytes: 8 }], ints: 2,
steps: [Submit { device: 0, parts: [Copy { src: 0, dst: 1, length: 8 }], slots: [Input 0, Input 1] },
  Submit { device: 0, parts: [Launch { image: 0, name: "saxpy",
  params: { bytes: hex"00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000",
            holes: [)") +
         Holes +
         R"(] }, refs: [{ slot: 0, at: 0, use: read }, { slot: 1, at: 16, use: write }], groups: [)" +
         Groups + R"(], threads: [256, 1, 1] }], slots: [Input 0, Input 1] }])";
}

TEST_CASE("R20 geometry from ints is one that rule L6 allows") {
  bool AsksPoints = GENERATE(true, false);
  Case C(launching("", "int 0, int 1, 1"), AsksPoints);
  const std::string Rule = "; rule R20: a launch's geometry from ints is one "
                           "that rule L6 allows";
  const std::string Part = "steps[1].parts[0], device `cpu`: ";
  C.at(C.P.run({C.In.get(), C.Out.get()}, {-1, 1}),
       Part + "-1 groups along x" + Rule);
  C.at(C.P.run({C.In.get(), C.Out.get()}, {int64_t(1) << 32, 1}),
       Part + "4294967296 groups along x" + Rule);
  C.at(C.P.run({C.In.get(), C.Out.get()}, {16777217, 1}),
       Part + "4294967552 work-items along x, the limit is 4294967296" + Rule);
  CHECK(C.P.run({C.In.get(), C.Out.get()}, {1, 1}).Message == "");
  // Threads and workgroup memory too.
  std::string Text = launching("", "1, 1, 1");
  Text.replace(Text.find("[256"), 4, "[int 0");
  Case Threads(Text, AsksPoints);
  Threads.at(Threads.P.run({Threads.In.get(), Threads.Out.get()}, {128}),
             Part + "128 threads along x, the kernel's groups have 256" + Rule);
  CHECK(Threads.P.run({Threads.In.get(), Threads.Out.get()}, {256}).Message ==
        "");
}

TEST_CASE("R21 elements lie within what a run names for them") {
  bool AsksPoints = GENERATE(true, false);
  Case C(launching("{ at: 16, width: W64, terms: [int 0 * 1] }, { at: 24, "
                   "width: W32, terms: [int 1 * 1] }",
                   "1, 1, 1"),
         AsksPoints);
  const std::string Part = "steps[1].parts[0], device `cpu`: parameter `y`: ",
                    Rule = " of 8, aligned to 4; rule R21: a buffer's elements "
                           "lie within what the run names for it, aligned";
  C.at(C.P.run({C.In.get(), C.Out.get()}, {0, 3}),
       Part + "3 elements of 4 bytes from byte 0" + Rule);
  C.at(C.P.run({C.In.get(), C.Out.get()}, {-4, 1}),
       Part + "1 elements of 4 bytes from byte -4" + Rule);
  C.at(C.P.run({C.In.get(), C.Out.get()}, {2, 1}),
       Part + "1 elements of 4 bytes from byte 2" + Rule);
  CHECK(C.P.run({C.In.get(), C.Out.get()}, {4, 1}).Message == "");
  Buffer Large = C.Cpu.bufferOf(Words{9, 9});
  CHECK(C.P.run({C.In.get(), Large.get()}, {0, 4}).Message == "");
}

TEST_CASE("P11 a value from ints meets no set bit") {
  bool AsksPoints = GENERATE(true, false);
  std::string Text =
      launching("{ at: 32, width: W32, terms: [int 0 * 1] }", "1, 1, 1");
  size_t At = Text.find("00000000\",");
  Text.replace(At - 9, 8, "01000000");
  Case C(Text, AsksPoints);
  C.at(C.P.run({C.In.get(), C.Out.get()}, {3}),
       "steps[1].parts[0], device `cpu`, byte 32 of its parameters: the value "
       "3 over set bits; rule P11: a hole's value meets no set bit of the "
       "bytes under it");
  CHECK(C.P.run({C.In.get(), C.Out.get()}, {2}).Message == "");
}

/// A second copy whose ends ints move.
static std::string copying(const std::string &Src, const std::string &Dst,
                           const std::string &Slots) {
  return CopyOne +
         R"(, Submit { device: 0, parts: [Copy { src: 0, src_offset: [)" + Src +
         R"(], dst: 1, dst_offset: [)" + Dst + R"(], length: 4 }], slots: [)" +
         Slots + "] }]";
}

TEST_CASE("R22 an offset's products and partial sums have 63 bits") {
  bool AsksPoints = GENERATE(true, false);
  Case C(copying("int 0 * 4611686018427387903, int 1 * -1", "",
                 "Input 0, Input 1"),
         AsksPoints);
  const std::string Rule = "; rule R22: an offset's products and partial sums "
                           "have 63 bits";
  C.at(C.P.run({C.In.get(), C.Out.get()}, {2, 0}),
       "steps[1].parts[0]: the source's offset" + Rule);
  C.at(C.P.run({C.In.get(), C.Out.get()}, {1, -1}),
       "steps[1].parts[0]: the source's offset" + Rule);
  CHECK(C.P.run({C.In.get(), C.Out.get()}, {1, 4611686018427387903}).Message ==
        "");
}

TEST_CASE("R23 an end of a copy or move lies within its buffer") {
  bool AsksPoints = GENERATE(true, false);
  Case C(copying("int 0 * 1", "int 1 * 1", "Input 0, Input 1"), AsksPoints);
  const std::string Rule =
      "; rule R23: an end of a copy or move lies within its buffer";
  C.at(C.P.run({C.In.get(), C.Out.get()}, {5, 0}),
       "steps[1].parts[0]: 4 bytes from byte 5 of 8 of the source" + Rule);
  C.at(C.P.run({C.In.get(), C.Out.get()}, {0, -1}),
       "steps[1].parts[0]: 4 bytes from byte -1 of 8 of the destination" +
           Rule);
  CHECK(C.P.run({C.In.get(), C.Out.get()}, {4, 4}).Message == "");
  // A constant beyond what an input must have is the run's to judge.
  Case Long(
      CopyOne +
      ", Move { src: Input 0, src_offset: [8 * 1], dst: Input 1, length: 8 }]");
  Long.at(Long.P.run({Long.In.get(), Long.Out.get()}),
          "steps[1]: 8 bytes from byte 8 of 8 of the source" + Rule);
  Buffer Two = Long.Cpu.bufferOf(Words{1, 2});
  CHECK(Long.P.run({Two.get(), Long.Out.get()}).Message == "");
  CHECK(valuesOf<uint64_t>(*Long.Out) == Words{2});
  // An input ends where its length says, however long the buffer is.
  std::string Text = CopyOne +
                     ", Submit { device: 0, parts: [Copy { src: 0, "
                     "dst: 1, length: 8 }], slots: [Input 2, Input 1] "
                     "}]";
  Text.replace(Text.find("], ints: 2"), 10,
               ", { device: 0, bytes: 8, length: { word: 1, stride: 4 } }], "
               "ints: 2");
  Case Ends(Text, AsksPoints);
  Buffer Pool = Ends.Cpu.bufferOf(Words{1});
  Ends.at(Ends.P.run({Ends.In.get(), Ends.Out.get(), Pool.get()}, {0, 1}),
          "steps[1].parts[0]: 8 bytes from byte 0 of 4 of the source" + Rule);
  CHECK(
      Ends.P.run({Ends.In.get(), Ends.Out.get(), Pool.get()}, {0, 2}).Message ==
      "");
}

TEST_CASE("R24 the two ends of a copy or move share no byte") {
  bool AsksPoints = GENERATE(true, false);
  Case C(copying("int 0 * 1", "int 1 * 1", "Input 1, Input 1"), AsksPoints);
  const std::string Rule =
      "; rule R24: the two ends of a copy or move share no byte";
  C.at(C.P.run({C.In.get(), C.Out.get()}, {0, 3}),
       "steps[1].parts[0]: 4 bytes from byte 0 of the source to byte 3 of the "
       "same buffer" +
           Rule);
  CHECK(C.P.run({C.In.get(), C.Out.get()}, {0, 4}).Message == "");
  // Two inputs that are one buffer.
  Case Same;
  Told S = Same.P.run({Same.In.get(), Same.In.get()});
  CHECK(S.Message == "steps[0].parts[0]: 8 bytes from byte 0 of the source to "
                     "byte 0 of the same buffer" +
                         Rule);
}

TEST_CASE("R25 a loop's flag is a byte of its input") {
  Case C(CopyOne +
         ", Loop { trips: 1, flag: { slot: Input 0, at: 8 }, body: [] }]");
  C.at(C.P.run({C.In.get(), C.Out.get()}),
       "steps[1].flag: byte 8 of 8; rule R25: a loop's flag is a byte of its "
       "input");
  Buffer Two = C.Cpu.bufferOf(Words{1, 2});
  CHECK(C.P.run({Two.get(), C.Out.get()}).Message == "");
}

/// A call of the host function `f` behind the copy.
static std::string calling() {
  std::string Text = CopyOne;
  return Text.insert(Text.find("inputs:"),
                     "images: [{ device: 0, binary: \"GDYC\" }],\n") +
         R"(, Submit { device: 0, parts: [Launch { image: 0, name: "f",
  params: { bytes: hex"00000000 00000000 07000000 00000000", holes: [{ at: 12, width: W32, terms: [int 0 * 1] }] },
  refs: [{ slot: 0, at: 0, use: write }], groups: [1, 1, 1], threads: [1, 1, 1] }], slots: [Input 1] }])";
}

namespace {
struct Called {
  int Result = 0;
  goldy_program_t *Again = nullptr;
  goldy_program_frame_t Frame{};
  Told Inner;
  uint64_t Times = 0;
};

/// Adds its ints to the buffer; runs a program again if asked to.
int called(void *User, const void *Block) {
  Called &C = *static_cast<Called *>(User);
  const struct {
    uint64_t *Out;
    uint32_t Seven, Int;
  } &B = *static_cast<decltype(&B)>(Block);
  ++C.Times;
  *B.Out += B.Seven + B.Int;
  if (C.Again)
    C.Inner = Told(
        goldy_program_run(C.Again, &C.Frame, nullptr, 0, nullptr, nullptr));
  return C.Result;
}
} // namespace

TEST_CASE("R26 a host function gives 0") {
  TestDevice Cpu("cpu");
  TestProgram P;
  Called Host;
  P.Callbacks = {{"f", called, &Host}};
  REQUIRE(P.load(calling(), {&Cpu}).Message == "");
  Buffer In = Cpu.bufferOf(Words{5}), Out = Cpu.buffer(8);
  REQUIRE(P.run({In.get(), Out.get()}, {3}).Message == "");
  CHECK(valuesOf<uint64_t>(*Out) == Words{15});
  Host.Result = GOLDY_IO;
  Told S = P.run({In.get(), Out.get()}, {3});
  CHECK(S.Code == GOLDY_IO);
  CHECK(S.Message == "steps[1], device `cpu`: the host function `f` returned "
                     "8; rule R26: a device does what it is asked, and a host "
                     "function gives 0");
  CHECK(Host.Times == 2);
  CHECK(P.Points[1].device == GOLDY_PROGRAM_HOST);
}

TEST_CASE("R7 a run is not started by a run of the program") {
  TestDevice Cpu("cpu");
  TestProgram P, Other;
  Called Host;
  P.Callbacks = {{"f", called, &Host}};
  REQUIRE(P.load(calling(), {&Cpu}).Message == "");
  REQUIRE(Other.load(CopyOne + "]", {&Cpu}).Message == "");
  Buffer In = Cpu.bufferOf(Words{5}), Out = Cpu.buffer(8),
         There = Cpu.buffer(8);
  goldy_buffer_t *Inputs[] = {In.get(), There.get()};
  Host.Frame = {Inputs, 2, nullptr, 0, nullptr, 0};
  Host.Again = P.P;
  REQUIRE(P.run({In.get(), Out.get()}, {0}).Message == "");
  CHECK(Host.Inner.Code == GOLDY_INVALID_ARGUMENT);
  CHECK(Host.Inner.Message ==
        "this thread runs the program; rule R7: a run is not started on the "
        "thread that runs the program");
  // Another program may run.
  Host.Again = Other.P;
  REQUIRE(P.run({In.get(), Out.get()}, {0}).Message == "");
  CHECK(Host.Inner.Message == "");
  CHECK(valuesOf<uint64_t>(*There) == Words{5});
}

TEST_CASE("R27 a derived int can be computed") {
  Case C(CopyOne +
         ", Loop { trips: 1, derived: [{ word: 1, is: [int 0, "
         "4611686018427387903, mul], origin: \"n * m\" }], body: [] }]");
  Told S = C.P.run({C.In.get(), C.Out.get()}, {2});
  C.at(S, S.Message);
  CHECK(S.Message.starts_with("steps[1].derived[0]: "));
  CHECK(S.Message.find("n * m") != std::string::npos);
  CHECK(S.Message.ends_with("; rule R27: a derived int can be computed"));
  CHECK(C.P.run({C.In.get(), C.Out.get()}, {1}).Message == "");
}

TEST_CASE("R28 no device is lost during a run") {
  TestDevice Null("null");
  TestProgram P;
  REQUIRE(P.load(CopyOne + "]", {&Null}).Message == "");
  Buffer In = Null.buffer(8), Out = Null.buffer(8);
  Null.Faults->failAt(1, GOLDY_LOST, DriverCall::Run);
  Told S = P.run({In.get(), Out.get()});
  CHECK(S.Code == GOLDY_LOST);
  CHECK(S.Message.starts_with("steps[0], device `null`: run"));
  CHECK(S.Message.ends_with("; rule R28: no device is lost during a run"));
}

TEST_CASE("R29 buffers that a run names are one view or share no byte") {
  Case C;
  Buffer One = C.Cpu.bufferOf(Words{1, 2});
  // The step before copies between the inputs, which must not be one buffer.
  std::string Text =
      launching("{ at: 16, width: W64, terms: [int 0 * 1] }, { at: "
                "8, width: W32, terms: [int 1 * 1] }, { at: 24, "
                "width: W32, terms: [int 1 * 1] }",
                "1, 1, 1");
  size_t At = Text.find("length: 8 }]");
  Text.replace(At, 12, "length: 0 }]");
  REQUIRE(C.P.load(Text, {&C.Cpu}).Message == "");
  Told S = C.P.run({One.get(), One.get()}, {4, 2});
  CHECK(S.Code == GOLDY_INVALID_ARGUMENT);
  CHECK(S.Message ==
        "steps[1].parts[0], device `cpu`: parameters `x` and `y`: their views "
        "overlap and `y` is written; bind the same view or disjoint ones; rule "
        "R29: buffers of a launch that a run names are one view or share no "
        "byte that it writes");
  CHECK(C.P.run({One.get(), One.get()}, {0, 2}).Message == "");
  CHECK(C.P.run({One.get(), One.get()}, {8, 2}).Message == "");
  CHECK(C.P.run({One.get(), C.Out.get()}, {4, 1}).Message == "");
}

TEST_CASE("a frame that changes during its run changes nothing") {
  TestDevice Cpu("cpu");
  TestProgram P;
  struct State {
    goldy_buffer_t *Inputs[2];
    Buffer In, Out, Other;
    int64_t Ints[2] = {3, 0};
  } S;
  P.Callbacks = {{"f",
                  [](void *User, const void *Block) {
                    State &S = *static_cast<State *>(User);
                    const struct {
                      uint64_t *Out;
                      uint32_t Seven, Int;
                    } &B = *static_cast<decltype(&B)>(Block);
                    *B.Out += B.Seven + B.Int;
                    S.Ints[0] = 100;
                    S.Inputs[1] = S.Other.get();
                    S.In.reset();
                    return 0;
                  },
                  &S}};
  // The call, then a flag and a copy that look at the inputs.
  std::string Text = calling();
  Text.insert(
      Text.size() - 1,
      ", Loop { trips: int 0, flag: { slot: Input 0, at: 0 }, body: [Move { "
      "src: Input 0, dst: Input 1, length: 8 }] }");
  REQUIRE(P.load(Text, {&Cpu}).Message == "");
  S.In = Cpu.bufferOf(Words{5});
  S.Out = Cpu.buffer(8);
  S.Other = Cpu.buffer(8);
  S.Inputs[0] = S.In.get();
  S.Inputs[1] = S.Out.get();
  goldy_program_frame_t F{S.Inputs, 2, S.Ints, 2, nullptr, 0};
  CHECK(
      Told(goldy_program_run(P.P, &F, nullptr, 0, nullptr, nullptr)).Message ==
      "");
  CHECK(valuesOf<uint64_t>(*S.Out) == Words{5});
  CHECK(valuesOf<uint64_t>(*S.Other) == Words{0});
}

TEST_CASE("runs of one program take place one after another") {
  TestDevice Cpu("cpu");
  TestProgram P;
  struct State {
    std::atomic<int> Inside{0}, Most{0}, Calls{0};
  } Seen;
  P.Callbacks = {{"f",
                  [](void *User, const void *) {
                    State &S = *static_cast<State *>(User);
                    int Now = ++S.Inside;
                    if (Now > S.Most)
                      S.Most = Now;
                    std::this_thread::yield();
                    ++S.Calls;
                    --S.Inside;
                    return 0;
                  },
                  &Seen}};
  REQUIRE(P.load(calling(), {&Cpu}).Message == "");
  std::vector<std::thread> Threads;
  for (int T = 0; T < 4; ++T)
    Threads.emplace_back([&] {
      Buffer In = Cpu.buffer(8), Out = Cpu.buffer(8);
      goldy_buffer_t *Inputs[] = {In.get(), Out.get()};
      goldy_program_frame_t F{Inputs, 2, nullptr, 0, nullptr, 0};
      for (int N = 0; N < 50; ++N)
        if (goldy_program_run(P.P, &F, nullptr, 0, nullptr, nullptr))
          std::abort();
    });
  for (std::thread &T : Threads)
    T.join();
  CHECK(Seen.Calls == 200);
  CHECK(Seen.Most == 1);
}
