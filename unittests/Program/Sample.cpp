//===- Sample.cpp - A description that uses everything --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the text form, which is the shortest.
//
//===----------------------------------------------------------------------===//
#include "Sample.h"

#include "program/Text.h"

#include <catch2/catch.hpp>

#include <cstdio>
#include <cstdlib>

using namespace goldy::program;

static constexpr const char *Text = R"(#![goldy::program(3)]
devices: ["x86-64-v2", "sm_80"],
memory: [
  // memory[0] points to memory[1].
  Alloc { device: 1, kind: device, bytes: 256,
          init: { bytes: hex"01000000 00000000 00000000 00000000",
                  holes: [{ at: 8, width: W64, terms: [Address { memory: 1, on: 1 } * 1] }] },
          copies: Two },
  Alloc { device: 1, kind: device, bytes: 64 },
  Alloc { device: 0, kind: host, bytes: 128, copies: Two },
  Rail { rail: 7, area: counts },
  Alloc { device: 1, kind: host_visible, bytes: 32 },
],
images: [
  { device: 0, binary: "host code" },
  { device: 1, binary: { bytes: hex"00000000 00000000 ff000000",
      holes: [{ at: 0, width: W64, terms: [Entry { image: 0, name: "f" } * 1] }] } },
],
inputs: [{ device: 1, bytes: 64, length: { word: 3, stride: 4 } }, { device: 0, bytes: 32 }],
ints: 4,
steps: [
  Submit {
    device: 1,
    parts: [
      Words { memory: 4, offset: 0, length: 16 },
      Launch {
        image: 1, name: "k",
        params: { bytes: hex"00000000 00000000 00000000 03000000 00000000 00000000 08000000 00000000",
                  holes: [{ at: 0, width: W64, terms: [Address { memory: 1, on: 1 } * 1, int 1 * 4], add: -8 },
                          { at: 8, width: W32, terms: [Handle 1 * 1], shift: 32 },
                          { at: 12, width: W32, terms: [2 * 2] }] },
        refs: [{ slot: 0, at: 16, use: write }, { slot: 3, at: 24, use: unordered }],
        groups: [int 2, 1, 1], threads: [64, 1, 1],
      },
      Copy { src: 1, src_offset: [int 1 * 8, 4 * 2], dst: 0, dst_offset: [8 * 2], length: 16 },
      Copy { src: 2, dst: 0, length: 8 },
    ],
    slots: [Memory { memory: 0, offset: 0, length: 256 }, Input 0, Ints, Memory { memory: 4, offset: 16, length: 8 }],
    fixed: [{ view: { memory: 1, offset: 0, length: 64 }, access: read_write },
            { view: { memory: 4, offset: 0, length: 32 }, access: read_only }],
  },
  Loop {
    trips: int 0, trip: 1,
    flag: { slot: Memory { memory: 2, offset: 0, length: 128 }, at: 127 },
    derived: [{ word: 2, is: [int 1, 16, mul, int 3, min_u32], origin: "step * 16 up to n" },
              { word: 0, is: [-1, cast_i32] }],
    body: [
      Submit {
        device: 0,
        parts: [
          Fill { fill: Ready 7, params: { bytes: hex"00000000 00000000 00000000 00000000",
                   holes: [{ at: 8, width: W64, terms: [Address { memory: 3, on: 0 } * 1] }] },
                 refs: [{ slot: 0, at: 0, use: read }] },
          Fill { fill: Entry { image: 0, name: "g" }, params: hex"" },
        ],
        slots: [Memory { memory: 2, offset: 64, length: 64 }],
        fixed: [{ view: { memory: 3, offset: 0, length: 16 }, access: read_write }],
      },
      Move { src: Memory { memory: 2, offset: 0, length: 128 }, src_offset: [int 1 * 8],
             dst: Memory { memory: 2, offset: 64, length: 64 }, dst_offset: [1 * 32], length: 32 },
      Loop { trips: Handle 2, flag: { slot: Memory { memory: 2, offset: 0, length: 128 }, at: 0 }, body: [] },
    ],
  },
  Move { src: Input 1, dst: Ints, dst_offset: [8 * 1], length: 24 },
],
)";

ProgramDesc goldy::program::sample() {
  ProgramDesc P;
  std::string Why;
  if (!fromText(Text, P, Why)) {
    std::fprintf(stderr, "the sample: %s\n", Why.c_str());
    std::abort();
  }
  return P;
}

ProgramTemplate goldy::program::sampleTemplate() {
  ProgramDesc P = sample();
  ProgramTemplate T;
  T.Name = "mlp";
  T.Devices = {"host", "gpu"};
  T.Types = {Scalar::F32, VectorType{0, 4}, ArrayType{1, 3},
             StructType{"P", {{"a", 0}, {"rows", 2}}}};
  T.Memories = P.Memories;
  T.Images = {{0, "stage"}, {1, "k"}};
  T.Inputs = {{"x", 1, InputForm::Slice, 0, Access::ReadOnly, 64, {}},
              {"p", 0, InputForm::Uniform, 3, Access::ReadWrite, 52, {}},
              {"", 1, InputForm::Sized, {}, Access::ReadWrite, 0, 4}};
  T.Ints = {NamedInt{"n", Scalar::U32},
            HiddenInt{},
            NamedInt{"m", Scalar::F32},
            LengthInt{0},
            HiddenInt{},
            OverlapInt{0, 1}};
  T.Derived = {{4, {IntWord{0}, Fixed{4}, Apply{Op::Mul, Domain::Exact}}, "n"}};
  T.Steps = P.Steps;
  T.Origins = {{"steps[0].parts[1]", "mlp.goldy:12:5"},
               {"steps[1]", "mlp.goldy:14:5"},
               {"steps[1].body[0]", "mlp.goldy:15:9"}};
  return T;
}

Machine goldy::program::sampleMachine() {
  return {
      {{"cpu", {"x86-64-v4"}, false}, {"cuda:0", {"sm_90a", "sm_80"}, false}},
      {{7, {4096, 4096, 16}}}};
}

Step &goldy::program::stepAt(ProgramDesc &P,
                             std::initializer_list<size_t> Path) {
  std::vector<Step> *List = &P.Steps;
  Step *S = nullptr;
  for (size_t I : Path) {
    S = &List->at(I);
    if (Loop *L = std::get_if<Loop>(&S->Kind))
      List = &L->Body;
  }
  return *S;
}
Submit &goldy::program::submitAt(ProgramDesc &P,
                                 std::initializer_list<size_t> Path) {
  return std::get<Submit>(stepAt(P, Path).Kind);
}
Move &goldy::program::moveAt(ProgramDesc &P,
                             std::initializer_list<size_t> Path) {
  return std::get<Move>(stepAt(P, Path).Kind);
}
Loop &goldy::program::loopAt(ProgramDesc &P,
                             std::initializer_list<size_t> Path) {
  return std::get<Loop>(stepAt(P, Path).Kind);
}

static void expect(const std::optional<Refusal> &R, Rule Broken,
                   const std::string &Start) {
  INFO("expected " << ruleInfo(Broken).Number << ", " << Start);
  REQUIRE(R);
  INFO("message: " << R->Message);
  CHECK(std::string(ruleInfo(R->Broken).Number) == ruleInfo(Broken).Number);
  CHECK(R->Message.starts_with(Start));
  CHECK(R->Message.ends_with(std::string("; rule ") + ruleInfo(Broken).Number +
                             ": " + ruleInfo(Broken).Sentence));
  CHECK(R->Message.starts_with(R->Place));
}

void goldy::program::refuses(Rule Broken, const std::string &Start,
                             const std::function<void(ProgramDesc &)> &Spoil) {
  ProgramDesc P = sample();
  Spoil(P);
  Machine M = sampleMachine();
  expect(check(P, &M), Broken, Start);
  if (Broken == Rule::RailGiven)
    return;
  std::optional<Refusal> Alone = check(P);
  REQUIRE(Alone);
  CHECK(Alone->Broken == Broken);
}

void goldy::program::refusesOn(Rule Broken, const std::string &Start,
                               const std::function<void(Machine &)> &Spoil) {
  Machine M = sampleMachine();
  Spoil(M);
  expect(check(sample(), &M), Broken, Start);
  CHECK_FALSE(check(sample()));
}
