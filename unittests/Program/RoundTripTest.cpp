//===- RoundTripTest.cpp - Bytes and text of descriptions -----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decoding undoes encoding and parsing undoes printing; equal descriptions are
// equal bytes; errors say where.
//
//===----------------------------------------------------------------------===//
#include "Sample.h"

#include "program/Bytes.h"
#include "program/Text.h"

#include <catch2/catch.hpp>

using namespace goldy::program;

namespace {

std::string decodeError(std::string Bytes) {
  ProgramDesc P;
  std::string Why;
  return fromBytes(Bytes, P, Why) ? "" : Why;
}
std::string parseError(const std::string &Fields) {
  ProgramDesc P;
  std::string Why;
  return fromText("#![goldy::program(3)]\n" + Fields, P, Why) ? "" : Why;
}
void roundTrip(const ProgramDesc &P) {
  ProgramDesc Q, R;
  std::string Why, Bytes = toBytes(P), Text = toText(P);
  INFO(Text);
  CHECK(fromBytes(Bytes, Q, Why));
  CHECK(Q == P);
  CHECK(toBytes(Q) == Bytes);
  CHECK(fromText(Text, R, Why));
  CHECK(Why == "");
  CHECK(R == P);
  CHECK(toText(R) == Text);
}

} // namespace

TEST_CASE("descriptions round-trip as bytes and as text") {
  roundTrip(sample());
  roundTrip({});
  ProgramDesc P;
  P.Devices = {"", "quote\" slash\\ line\n \x01\x7f \xc3\xa9", "sm_80"};
  P.Ints = NumberMax;
  P.Inputs = {{NumberMin, NumberMax, {}}, {-1, 0, Length{-1, 0}}};
  P.Images = {{3, {std::string(1000, '\xa5') + std::string(3, '\0'), {}}}};
  P.Steps.resize(40, Step{Loop{Fixed{-5}, {}, {}, {}, {}}});
  std::get<Loop>(P.Steps[1].Kind).Derived = {
      {-1, {}, "\""}, {NumberMax, {Apply{}, IntWord{-3}, Fixed{-3}}, ""}};
  roundTrip(P);
}

TEST_CASE("numbers of every length round-trip") {
  ProgramDesc P;
  for (int Bit = 0; Bit < 62; ++Bit)
    for (Number N : {Number(1) << Bit, (Number(1) << Bit) - 1,
                     -(Number(1) << Bit), (Number(1) << Bit) + 1})
      P.Inputs.push_back({N, -N, {}});
  P.Inputs.push_back({NumberMin, NumberMax, {}});
  roundTrip(P);
}

TEST_CASE("templates round-trip and become descriptions") {
  ProgramTemplate T = sampleTemplate(), U, V;
  std::string Why;
  CHECK(fromBytes(toBytes(T), U, Why));
  CHECK(U == T);
  CHECK(fromText(toText(T), V, Why));
  CHECK(Why == "");
  CHECK(V == T);
  std::vector<std::string> Archs{"x86-64-v2", "sm_80"};
  std::vector<std::string_view> Binaries{"host code", "\0\0"};
  ProgramDesc P = instantiate(T, Archs, Binaries), Q = sample();
  CHECK(P.Devices == Archs);
  CHECK(P.Images[0] == Q.Images[0]);
  CHECK(P.Ints == 6);
  REQUIRE(P.Inputs.size() == 3);
  CHECK(P.Inputs[0] == Q.Inputs[0]);
  CHECK(P.Inputs[1] == Input{0, 52, {}});
  CHECK(P.Inputs[2] == Input{1, 0, Length{4, 1}});
  Q.Images = P.Images;
  Q.Inputs = P.Inputs;
  Q.Ints = P.Ints;
  CHECK(P == Q);
  CHECK(decodeError(toBytes(T)) ==
        "byte 0: not a program description: the mark `GDYP` is missing");
}

TEST_CASE("every operation round-trips") {
  ProgramDesc P;
  P.Ints = 1;
  std::vector<DerivedInt> &List =
      std::get<Loop>(
          P.Steps.emplace_back(Step{Loop{Fixed{1}, {}, {}, {}, {}}}).Kind)
          .Derived;
  for (int In = 0; In <= static_cast<int>(Domain::I64); ++In)
    for (int What = 0; What <= static_cast<int>(Op::Cast); ++What)
      List.push_back({0,
                      {Fixed{7}, IntWord{0},
                       Apply{static_cast<Op>(What), static_cast<Domain>(In)}},
                      ""});
  roundTrip(P);
  CHECK(toText(P).find("[7, int 0, div_ceil_u64]") != std::string::npos);
}

TEST_CASE("an image without a kernel is the table of host functions") {
  ProgramTemplate T = sampleTemplate();
  T.Images[0].Kernel = "";
  std::vector<std::string_view> Binaries{"not read", "code"};
  ProgramDesc P = instantiate(T, T.Devices, Binaries);
  CHECK(P.Images[0].Binary.Bytes == CallbacksMark);
  CHECK(P.Images[1].Binary.Bytes == "code");
}

TEST_CASE("every part counts in equality and in the bytes") {
  ProgramDesc P = sample();
  CHECK(P == sample());
  std::vector<ProgramDesc> Others(12, P);
  Others[0].Devices[0] += "x";
  std::get<Alloc>(Others[1].Memories[0]).Init.Holes[0].Add = 1;
  Others[2].Images[1].Binary.Holes[0].Terms[0].Factor = 2;
  Others[3].Inputs[0].Bytes++;
  Others[4].Ints++;
  submitAt(Others[5], {0}).Fixed[0].How = Access::ReadOnly;
  loopAt(Others[6], {1}).Trip.reset();
  moveAt(Others[7], {1, 1}).Length++;
  std::get<Launch>(submitAt(Others[8], {0}).Parts[1]).Shared = IntWord{0};
  Others[9].Inputs[0].Length->Stride = 8;
  loopAt(Others[10], {1}).Derived[0].Origin += "x";
  loopAt(Others[11], {1}).Derived[1].Is[1] = Apply{Op::Cast, Domain::U32};
  for (const ProgramDesc &Other : Others) {
    CHECK_FALSE(Other == P);
    CHECK(toBytes(Other) != toBytes(P));
    CHECK(toText(Other) != toText(P));
  }
}

TEST_CASE("every truncation is refused with a place") {
  std::string Bytes = toBytes(sample());
  for (size_t N = 0; N < Bytes.size(); ++N) {
    std::string Why = decodeError(Bytes.substr(0, N));
    INFO(N << ": " << Why);
    CHECK(Why.starts_with("byte "));
  }
  CHECK(
      decodeError(Bytes + '\0').ends_with(": 1 bytes follow the description"));
}

TEST_CASE("every flipped bit is refused or another description") {
  std::string Bytes = toBytes(sample());
  ProgramDesc Good = sample();
  Machine M = sampleMachine();
  size_t Refused = 0;
  for (size_t Bit = 0; Bit < 8 * Bytes.size(); ++Bit) {
    std::string Bad = Bytes, Why;
    Bad[Bit / 8] ^= static_cast<char>(1 << (Bit % 8));
    ProgramDesc P;
    if (!fromBytes(Bad, P, Why)) {
      CHECK(Why.starts_with("byte "));
      ++Refused;
      continue;
    }
    CHECK_FALSE(P == Good);
    CHECK(toBytes(P) == Bad);
    check(P, &M);
    check(P);
  }
  CHECK(Refused > 0);
}

TEST_CASE("errors in bytes say what and where") {
  std::string Bytes = toBytes(sample());
  std::string Other = Bytes;
  Other[4] = 2;
  CHECK(decodeError(Other) ==
        "byte 4: the format's version is 2; this library reads version 3");
  CHECK(decodeError("GDYP\1") == "byte 4: the version is cut off");
  CHECK(decodeError("") ==
        "byte 0: not a program description: the mark `GDYP` is missing");
  std::string Start("GDYP\3\0\0\0", 8);
  CHECK(decodeError(Start + "\xff\x7f") ==
        "byte 8, devices: 16383 elements where 0 bytes are left");
  CHECK(decodeError(Start + std::string("\1\x80\0", 3)) ==
        "byte 9, devices[0]: a number that is not in its shortest form");
  CHECK(decodeError(Start + std::string(10, '\xff')) ==
        "byte 8, devices: a number of more than 63 bits");
  CHECK(decodeError(Start + std::string("\0\1\2", 3)) ==
        "byte 10, memory[0]: unknown alternative 2");
  CHECK(decodeError(Start + std::string("\0\1\1\0\3", 5)) ==
        "byte 12, memory[0].area: unknown value 3");
  // devices, memory, images, inputs, ints: nothing; one Loop, trips Fixed 0,
  // trip "2".
  CHECK(decodeError(Start + std::string("\0\0\0\0\0\1\2\0\0\2", 10)) ==
        "byte 17, steps[0].trip: expected 0 or 1, got 2");
}

TEST_CASE("errors in text say what and where") {
  CHECK(parseError("") == "line 2, column 1: expected the field `devices`, "
                          "got the end");
  CHECK(parseError("devices: [\"a\" 1], steps: []") ==
        "line 2, column 15, devices[0]: expected `]`, got `1`");
  CHECK(parseError("devices: [], ints: 4611686018427387904, steps: []") ==
        "line 2, column 20, ints: a number past 63 bits");
  CHECK(parseError("devices: [], ints: 4611686018427387903, steps: []") == "");
  CHECK(parseError("devices: [], ints: -4611686018427387905, steps: []") ==
        "line 2, column 20, ints: a number past 63 bits");
  CHECK(parseError("devices: [], ints: 99999999999999999999999, steps: []") ==
        "line 2, column 20, ints: a number past 63 bits");
  CHECK(parseError("devices: [], steps: [], more: 1") ==
        "line 2, column 25: expected the end, got `more`");
  CHECK(parseError("devices: []\nsteps: []") ==
        "line 3, column 1: expected `,`, got `steps`");
  CHECK(parseError("devices: [],\nsteps: [\n  Jump 3,\n]") ==
        "line 4, column 3, steps[0]: expected `Submit` `Move` `Loop` here, "
        "got `Jump`");
  CHECK(parseError("devices: [],\nmemory: [Rail { rail: 1, area: sideways }],"
                   "steps: []") ==
        "line 3, column 32, memory[0].area: expected `outbound` `inbound` "
        "`counts` here, got `sideways`");
  CHECK(parseError("devices: [\"a\\q\"], steps: []") ==
        "line 2, column 13, devices[0]: unknown escape");
  CHECK(parseError("devices: [\"a") ==
        "line 2, column 13, devices[0]: the text does not end");
  CHECK(parseError("devices: [], images: [{ device: 0, binary: hex\"0\" }], "
                   "steps: []") ==
        "line 2, column 48, images[0].binary: expected two hexadecimal digits "
        "or `\"`");
  for (const char *Node : {"addd", "add_u16", "_u32", "u32", "div_cei"})
    CHECK(parseError(std::string("devices: [], steps: [Loop { trips: 1, "
                                 "derived: [{ word: 0, is: [1, ") +
                     Node + "] }], body: [] }]") ==
          std::string("line 2, column 68, steps[0].derived[0].is[1]: expected "
                      "a number, `int` or an operation here, got `") +
              Node + "`");
  ProgramDesc P;
  std::string Why;
  CHECK_FALSE(fromText("#![goldy::program(1)]", P, Why));
  CHECK(Why == "line 1, column 19: the form's version is 1; this library reads "
               "version 3");
  CHECK_FALSE(fromText("\n kernel", P, Why));
  CHECK(Why == "line 2, column 2: expected `#![goldy::program(3)]`");
}

TEST_CASE("readers refuse nesting and lists without end") {
  std::string Text = "devices: [], steps: ", End;
  for (int I = 0; I < 18; ++I) {
    Text += "[Loop { trips: 1, body: ";
    End += " }]";
  }
  CHECK(parseError(Text + "[]" + End).ends_with("loops nest deeper than 16"));
  ProgramDesc P;
  for (int I = 0; I < 18; ++I)
    P.Steps = {Step{Loop{Fixed{1}, {}, {}, {}, std::move(P.Steps)}}};
  CHECK(decodeError(toBytes(P)).ends_with("loops nest deeper than 16"));
  P.Steps.clear();
  P.Inputs.resize(MaxElements + 1);
  CHECK(decodeError(toBytes(P))
            .ends_with("more than 16777216 elements in all lists, the limit"));
}
