//===- LoadRulesTest.cpp - The rules of load, one by one ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each test breaks one rule in each of its ways, in a description that loads
// otherwise, and finds nothing left behind.
//
//===----------------------------------------------------------------------===//
#include "LoadFixture.h"

#include <catch2/catch.hpp>

using namespace goldy;
using namespace goldy::rt;

/// One launch of saxpy on an input and a memory, and one of probe.
static const std::string Good = R"(devices: ["x86-64-v1"],
memory: [Alloc { device: 0, kind: device, bytes: 64, copies: Two }, Alloc { device: 0, kind: host, bytes: 64 }],
images: [{ device: 0, binary: "saxpy" }],
inputs: [{ device: 0, bytes: 64 }], ints: 2,
steps: [Submit { device: 0, parts: [Launch { image: 0, name: "saxpy",
  params: { bytes: hex"00000000 00000000 10000000 00000000 00000000 00000000 10000000 00000000 00000000 00000000",
            holes: [{ at: 16, width: W64, terms: [Address { memory: 1, on: 0 } * 1] }] },
  refs: [{ slot: 0, at: 0, use: read }],
  groups: [1, 1, 1], threads: [256, 1, 1] }, Copy { src: 0, dst: 1, length: 64 }],
  slots: [Input 0, Memory { memory: 0, offset: 0, length: 64 }],
  fixed: [{ view: { memory: 1, offset: 0, length: 64 }, access: read_write }] }])";

namespace {

/// The description with a part of it replaced.
std::string with(std::string Text, const std::string &Old,
                 const std::string &New) {
  size_t At = Text.find(Old);
  REQUIRE(At != std::string::npos);
  return Text.replace(At, Old.size(), New);
}

struct Case {
  TestDevice Cpu{"cpu"};
  TestProgram P;
  /// Refused with that code and message, and nothing is left.
  void refuses(const std::string &Text, goldy_code_t Code,
               const std::string &Message) {
    Told S = P.load(Text, {&Cpu});
    CHECK(S.Code == Code);
    CHECK(S.Message == Message);
    CHECK(Cpu.Faults->alive() == 0);
  }
  void replaces(const std::string &Old, const std::string &New,
                goldy_code_t Code, const std::string &Message) {
    refuses(with(Good, Old, New), Code, Message);
  }
};

const std::string Here = "steps[0].parts[0], device `cpu`: ";

} // namespace

TEST_CASE("the description that the rules break loads") {
  Case C;
  CHECK(C.P.load(Good, {&C.Cpu}).Message == "");
  TestDevice Null("null");
  CHECK(C.P.load(Good, {&Null}).Message == "");
}

TEST_CASE("L1 an image is a slice that its device takes") {
  Case C;
  const char *Rule =
      "; rule L1: an image is a slice of an artifact that its device takes";
  C.P.Trusted = false;
  C.refuses(Good, GOLDY_UNTRUSTED,
            std::string("`cpu`: images[0]: kernel `saxpy`: its image is "
                        "machine code, and the artifact was not loaded with "
                        "GOLDY_LOAD_TRUSTED") +
                Rule);
  C.P.Trusted = true;
  Told S = C.P.load(with(Good, "\"saxpy\" }]", "\"no artifact\" }]"), {&C.Cpu});
  CHECK(S.Code == GOLDY_INVALID_ARTIFACT);
  CHECK(S.Message.starts_with("`cpu`: images[0]: "));
  CHECK(S.Message.ends_with(Rule));
  CHECK(C.Cpu.Faults->alive() == 0);
}

TEST_CASE("L2 a function that is named is its image's") {
  Case C;
  C.replaces("name: \"saxpy\"", "name: \"sakspy\"", GOLDY_UNSUPPORTED,
             "`cpu`: steps[0].parts[0]: image 0 has no function `sakspy`; it "
             "has `saxpy`; rule L2: a function that a launch, a fill or an "
             "entry names is its image's");
  C.replaces("Address { memory: 1, on: 0 } * 1",
             "Entry { image: 0, name: \"f\" } * 1", GOLDY_UNSUPPORTED,
             "`cpu`: steps[0].parts[0].params.holes[0]: image 0 has no "
             "function `f`; it has `saxpy`; rule L2: a function that a "
             "launch, a fill or an entry names is its image's");
}

TEST_CASE("images are loaded in order, their holes filled first") {
  Case C;
  C.P.Callbacks = {{"f", [](void *, const void *) { return 0; }, nullptr}};
  // "GDY" and a hole for the last byte; the number of an entry is no artifact.
  auto Images = [](const std::string &First, const std::string &Second) {
    return "devices: [\"x86-64-v1\"], images: [{ device: 0, binary: " + First +
           " }, { device: 0, binary: " + Second +
           R"( }], steps: [Submit { device: 0, parts: [Fill { fill: Entry { image: 0, name: "f" }, params: hex"" }] }])";
  };
  const std::string Mark = "{ bytes: hex\"47445900\", holes: [{ at: 0, width: "
                           "W32, terms: [], add: 1124073472 }] }";
  CHECK(C.P.load(Images(Mark, Mark), {&C.Cpu}).Message == "");
  C.refuses(Images(Mark, "{ bytes: hex\"00000000 00000000\", holes: [{ at: 0, "
                         "width: W64, terms: [Entry { image: 0, name: \"g\" } "
                         "* 1] }] }"),
            GOLDY_UNSUPPORTED,
            "`cpu`: images[1].binary.holes[0]: no host function `g` is given; "
            "rule L3: a host function that an image of callbacks names is "
            "given to load");
  Told S = C.P.load(Images(Mark, "{ bytes: hex\"00000000 00000000\", holes: [{ "
                                 "at: 0, width: W64, terms: [Entry { image: 0, "
                                 "name: \"f\" } * 1] }] }"),
                    {&C.Cpu});
  CHECK(S.Code == GOLDY_INVALID_ARTIFACT);
  CHECK(S.Message.starts_with("`cpu`: images[1]: "));
  CHECK(C.Cpu.Faults->alive() == 0);
}

TEST_CASE("L3 a host function is given to load") {
  Case C;
  std::string Text =
      R"(devices: ["x86-64-v1"], images: [{ device: 0, binary: "GDYC" }],
steps: [Submit { device: 0, parts: [Fill { fill: Entry { image: 0, name: "tell" }, params: hex"" }] }])";
  C.refuses(Text, GOLDY_UNSUPPORTED,
            "`cpu`: steps[0].parts[0]: no host function `tell` is given; rule "
            "L3: a host function that an image of callbacks names is given to "
            "load");
  C.P.Callbacks = {{"tell", [](void *, const void *) { return 0; }, nullptr}};
  CHECK(C.P.load(Text, {&C.Cpu}).Message == "");
}

TEST_CASE("L4 a device reaches the memory that its steps name") {
  TestDevice Null("null"), Cpu("cpu");
  TestProgram P;
  std::string Text = R"(devices: ["x86-64-v1", "x86-64-v1"],
memory: [Alloc { device: 0, kind: device, bytes: 8 }],
steps: [Submit { device: 1, parts: [Copy { src: 0, dst: 1, length: 4 }],
  slots: [Memory { memory: 0, offset: 0, length: 4 }, Memory { memory: 0, offset: 4, length: 4 }] }])";
  Told S = P.load(Text, {&Null, &Cpu});
  CHECK(S.Code == GOLDY_UNSUPPORTED);
  CHECK(S.Message ==
        "`cpu`: steps[0].slots[0]: memory 0 is of `null`; move its bytes; rule "
        "L4: a device reaches the memory that its steps name");
  CHECK(Null.Faults->alive() == 0);
  // The host's memory is every device's.
  CHECK(P.load(Text, {&Cpu, &Null}).Message == "");
}

TEST_CASE("L5 a device takes the parts of its submissions") {
  Case C;
  C.refuses(
      R"(devices: ["x86-64-v1"], memory: [Alloc { device: 0, kind: device, bytes: 8 }],
steps: [Submit { device: 0, parts: [Words { memory: 0, offset: 0, length: 8 }] }])",
      GOLDY_UNSUPPORTED,
      "`cpu`: steps[0]: device `cpu` takes no command words; rule L5: "
      "a device takes the parts of its submissions");
  C.replaces(
      "Launch { image: 0, name: \"saxpy\",",
      "Fill { fill: Entry { image: 0, name: \"saxpy\" }, params: hex\"\" }, "
      "Launch { image: 0, name: \"saxpy\",",
      GOLDY_UNSUPPORTED,
      Here + "a fill of `saxpy`, which is a kernel; launch it instead; rule "
             "L5: a device takes the parts of its submissions");
}

TEST_CASE("L5 tensors and images are not passed by programs") {
  Case C;
  auto Refuses = [&](const std::string &Kernel, const std::string &Block,
                     const std::string &Threads, const std::string &What) {
    C.refuses(R"(devices: ["x86-64-v1"], images: [{ device: 0, binary: ")" +
                  Kernel + R"(" }],
inputs: [{ device: 0, bytes: 64 }],
steps: [Submit { device: 0, parts: [Launch { image: 0, name: ")" +
                  Kernel + R"(", params: hex")" + Block +
                  R"(", refs: [{ slot: 0, at: 0, use: write }],
  groups: [1, 1, 1], threads: )" +
                  Threads + R"( }], slots: [Input 0] }])",
              GOLDY_UNSUPPORTED,
              Here + What +
                  ", which programs do not pass; rule L5: a device takes the "
                  "parts of its submissions");
  };
  Refuses("gather", std::string(96, '0'), "[64, 1, 1]",
          "parameter `x` of kernel `gather` is a tensor");
  Refuses("shade", std::string(48, '0'), "[8, 8, 1]",
          "parameter `img` of kernel `shade` is an image");
}

TEST_CASE("L6 a launch has the kernel's own threads") {
  Case C;
  const std::string Rule =
      "; rule L6: a launch has the kernel's own threads, no workgroup memory "
      "beside the image's, at most 2^32 work-items along an axis and 2^48 "
      "groups";
  C.replaces("threads: [256,", "threads: [128,", GOLDY_UNSUPPORTED,
             Here +
                 ("128 threads along x, the kernel's groups have 256" + Rule));
  C.replaces("threads: [256, 1, 1]", "threads: [256, 1, 1], shared: 16",
             GOLDY_UNSUPPORTED, Here + ("16 bytes of workgroup memory" + Rule));
  C.replaces(
      "groups: [1, 1, 1]", "groups: [16777217, 1, 1]", GOLDY_UNSUPPORTED,
      Here + ("4294967552 work-items along x, the limit is 4294967296" + Rule));
  C.replaces("groups: [1, 1, 1]", "groups: [65536, 4294967295, 2]",
             GOLDY_UNSUPPORTED, Here + ("more than 2^48 groups" + Rule));
}

TEST_CASE("L7 parameters have the size of the block") {
  Case C;
  C.replaces("10000000 00000000 00000000 00000000\"", "10000000 00000000\"",
             GOLDY_UNSUPPORTED,
             Here +
                 "32 bytes, kernel `saxpy` takes 40 to 72; rule L7: parameters "
                 "have the size of the kernel's block, or of its part before "
                 "the runtime's own words");
}

TEST_CASE("L8 a buffer is given by a ref or by an address") {
  Case C;
  const std::string Rule = "; rule L8: a kernel's buffer is given by a ref or "
                           "by an address, and nothing else is";
  // A number in place of an address.
  C.replaces("holes: [{ at: 16, width: W64, terms: [Address { memory: 1, on: 0 "
             "} * 1] }]",
             "holes: [{ at: 16, width: W64, terms: [int 0 * 1] }]",
             GOLDY_UNSUPPORTED, Here + ("parameter `y` has neither" + Rule));
  C.replaces("Address { memory: 1, on: 0 } * 1",
             "Address { memory: 1, on: 0 } * 2", GOLDY_UNSUPPORTED,
             Here + ("parameter `y` has neither" + Rule));
  // A ref where no buffer is, and one that a hole reaches into.
  C.replaces("refs: [{", "refs: [{ slot: 0, at: 32, use: read }, {",
             GOLDY_UNSUPPORTED,
             Here + ("an address at byte 32 of kernel `saxpy`'s block, where "
                     "no buffer is" +
                     Rule));
  C.replaces("holes: [{", "holes: [{ at: 4, width: W64, terms: [] }, {",
             GOLDY_UNSUPPORTED,
             "steps[0].parts[0].params.holes[0], device `cpu`: it reaches into "
             "or out of a ref's bytes" +
                 Rule);
}

TEST_CASE("L9 a length is a constant or one hole") {
  Case C;
  const std::string Rule = "; rule L9: a buffer's length is a constant or one "
                           "hole, and an unused word is zero";
  C.replaces("holes: [{",
             "holes: [{ at: 8, width: W64, terms: [int 0 * 1], add: 16 }, {",
             GOLDY_UNSUPPORTED,
             Here + ("parameter `x`: 8 bytes at its length" + Rule));
  C.replaces("10000000 00000000", "10000000 01000000", GOLDY_UNSUPPORTED,
             Here + ("parameter `x`: the word behind its length" + Rule));
  C.replaces("holes: [{",
             "holes: [{ at: 12, width: W32, terms: [int 0 * 1] }, {",
             GOLDY_UNSUPPORTED,
             Here + ("parameter `x`: the word behind its length" + Rule));
  C.replaces("holes: [{",
             "holes: [{ at: 36, width: W32, terms: [int 0 * 1] }, {",
             GOLDY_UNSUPPORTED,
             Here + ("a hole at byte 36 of kernel `saxpy`'s block, where no "
                     "scalar is" +
                     Rule));
}

TEST_CASE("L10 what a kernel writes is named as written") {
  Case C;
  const std::string Rule =
      "; rule L10: what a kernel writes is named as written";
  C.replaces("access: read_write", "access: read_only", GOLDY_UNSUPPORTED,
             Here +
                 ("parameter `y` is written, and is named to be read" + Rule));
}

TEST_CASE("L11 a buffer's elements lie within what is named for it") {
  Case C;
  const std::string Rule = "; rule L11: a buffer's elements lie within what is "
                           "named for it, aligned";
  C.replaces("00000000 10000000 00000000 00000000 00000000\"",
             "00000000 11000000 00000000 00000000 00000000\"",
             GOLDY_UNSUPPORTED,
             Here + ("parameter `y`: 17 elements of 4 bytes from byte 0 of 64, "
                     "aligned to 4" +
                     Rule));
  C.replaces("Address { memory: 1, on: 0 } * 1]",
             "Address { memory: 1, on: 0 } * 1], add: -4", GOLDY_UNSUPPORTED,
             Here + ("parameter `y`: 16 elements of 4 bytes from byte -4 of "
                     "64, aligned to 4" +
                     Rule));
  std::string Fewer =
      with(Good, "00000000 10000000 00000000 00000000 00000000\"",
           "00000000 08000000 00000000 00000000 00000000\"");
  C.refuses(with(Fewer, "Address { memory: 1, on: 0 } * 1]",
                 "Address { memory: 1, on: 0 } * 1], add: 2"),
            GOLDY_UNSUPPORTED,
            Here + ("parameter `y`: 8 elements of 4 bytes from byte 2 of 64, "
                    "aligned to 4" +
                    Rule));
  CHECK(C.P.load(with(Fewer, "Address { memory: 1, on: 0 } * 1]",
                      "Address { memory: 1, on: 0 } * 1], add: 32"),
                 {&C.Cpu})
            .Message == "");
}

TEST_CASE("L12 memory can be made") {
  TestDevice Null("null");
  TestProgram P;
  Null.Faults->failAt(2, GOLDY_OUT_OF_MEMORY, DriverCall::Allocate);
  Told S = P.load(Good, {&Null});
  CHECK(S.Code == GOLDY_OUT_OF_MEMORY);
  CHECK(S.Message == "`null`: memory[0]: allocate: made to fail; rule L12: "
                     "memory can be made");
  CHECK(Null.Faults->alive() == 0);
  Null.Faults->failAt(0, GOLDY_OK);
  S = P.load(with(Good, "bytes: 64, copies", "bytes: 2199023255552, copies"),
             {&Null});
  CHECK(S.Code == GOLDY_LIMIT);
  CHECK(S.Message == "`null`: memory[0]: memory of 2199023255552 bytes, the "
                     "device's limit is 1099511627776; rule L12: memory can be "
                     "made");
  S = P.load(with(Good, "ints: 2", "ints: 1000000000"), {&Null});
  CHECK(S.Code == GOLDY_LIMIT);
  CHECK(S.Message == "ints: 1000000000 words, the limit is 268435456; rule "
                     "L12: memory can be made");
  CHECK(Null.Faults->alive() == 0);
}

TEST_CASE("L13 no device is lost while a program is loaded") {
  TestDevice Null("null");
  TestProgram P;
  Null.Faults->failAt(1, GOLDY_LOST, DriverCall::LoadImage);
  Told S = P.load(Good, {&Null});
  CHECK(S.Code == GOLDY_LOST);
  CHECK(S.Message.starts_with("`null`: images[0]: load"));
  CHECK(S.Message.ends_with(
      "; rule L13: no device is lost while a program is loaded"));
  CHECK(Null.Faults->alive() == 0);
}

TEST_CASE("L14 buffers of a launch are one view or share no byte") {
  Case C;
  // Both are memory 1: x its elements 0 to 7, y as said.
  auto Sharing = [](const std::string &First, const std::string &Count) {
    return R"(devices: ["x86-64-v1"], memory: [Alloc { device: 0, kind: device, bytes: 64 }],
images: [{ device: 0, binary: "saxpy" }],
steps: [Submit { device: 0, parts: [Launch { image: 0, name: "saxpy",
  params: { bytes: hex"00000000 00000000 08000000 00000000 )" +
           First + " 00000000 " + Count + R"( 00000000 00000000 00000000" },
  refs: [{ slot: 0, at: 0, use: read }, { slot: 1, at: 16, use: write }],
  groups: [1, 1, 1], threads: [256, 1, 1] }],
  slots: [Memory { memory: 0, offset: 0, length: 64 }, Memory { memory: 0, offset: 0, length: 64 }] }])";
  };
  const std::string Message =
      Here + "parameters `x` and `y`: their views overlap and `y` is written; "
             "bind the same view or disjoint ones; rule L14: buffers of a "
             "launch are one view or share no byte that it writes";
  C.refuses(Sharing("04000000", "08000000"), GOLDY_UNSUPPORTED, Message);
  C.refuses(Sharing("00000000", "07000000"), GOLDY_UNSUPPORTED, Message);
  CHECK(C.P.load(Sharing("00000000", "08000000"), {&C.Cpu}).Message == "");
  CHECK(C.P.load(Sharing("20000000", "08000000"), {&C.Cpu}).Message == "");
  CHECK(C.P.load(Sharing("00000000", "00000000"), {&C.Cpu}).Message == "");
}

TEST_CASE("P11 a hole's value meets no set bit, leaves included") {
  Case C;
  Told S = C.P.load(
      with(Good, "Alloc { device: 0, kind: host, bytes: 64 }",
           "Alloc { device: 0, kind: host, bytes: 64, init: { bytes: "
           "hex\"ffffffff ffffffff\", holes: [{ at: 0, width: W64, terms: "
           "[Address { memory: 1, on: 0 } * 1] }] } }"),
      {&C.Cpu});
  CHECK(S.Code == GOLDY_INVALID_ARGUMENT);
  CHECK(S.Message.starts_with("memory[1].init.holes[0]: the value "));
  CHECK(S.Message.ends_with(" over set bits; rule P11: a hole's value meets no "
                            "set bit of the bytes under it"));
  CHECK(C.Cpu.Faults->alive() == 0);
}

// What was made before a call fails is returned, whichever call that is.
TEST_CASE("every call of load may fail, and nothing is left behind") {
  for (const char *Name : {"null", "cpu"}) {
    TestDevice D(Name);
    D.Faults->failAt(0, GOLDY_OK);
    {
      TestProgram P;
      REQUIRE(P.load(Good, {&D}).Message == "");
    }
    uint64_t Calls = D.Faults->calls();
    CHECK(Calls >= 6);
    for (goldy_code_t Code : {GOLDY_OUT_OF_MEMORY, GOLDY_LOST, GOLDY_INTERNAL})
      for (uint64_t N = 1; N <= Calls; ++N) {
        TestDevice Each(Name);
        TestProgram P;
        Each.Faults->failAt(N, Code);
        Told S = P.load(Good, {&Each});
        INFO("call " << N << ": " << S.Message);
        // A host borrow that fails is done without.
        CHECK((S.Code == Code || S.Code == GOLDY_OK));
        CHECK((S.Code == Code || Each.Faults->failed() == DriverCall::Borrow));
        goldy_program_destroy(P.P);
        P.P = nullptr;
        CHECK(Each.Faults->alive() == 0);
      }
  }
}
