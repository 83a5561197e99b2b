//===- HostileTest.cpp - Descriptions from anyone, loaded -----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever a description says, loading it is a program or a refusal, in bounded
// time and memory, and nothing is left behind. Machine code is trusted where
// its bytes are those of the test kernels.
//
//===----------------------------------------------------------------------===//
#include "LoadFixture.h"
#include "program/Bytes.h"
#include "program/Check.h"
#include "program/Fields.h"
#include "program/Text.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace goldy;
using namespace goldy::rt;
using program::Number;

namespace {

/// Every kind of step, part, slot and hole, on one device.
const std::string Whole = R"(devices: ["x86-64-v1"],
memory: [
  Alloc { device: 0, kind: device, bytes: 64, copies: Two },
  Alloc { device: 0, kind: host, bytes: 64,
          init: { bytes: hex"0100000000000000 0000000000000000",
                  holes: [{ at: 8, width: W64, terms: [Address { memory: 2, on: 0 } * 1] }] } },
  Alloc { device: 0, kind: device, bytes: 32 }],
images: [{ device: 0, binary: "saxpy" }],
inputs: [{ device: 0, bytes: 64, length: { word: 1, stride: 4 } }], ints: 4,
steps: [
  Submit { device: 0, parts: [
    Launch { image: 0, name: "saxpy",
      params: { bytes: hex"00000000 00000000 00000000 00000000 00000000 00000000 10000000 00000000 00000000 00000000",
        holes: [{ at: 8, width: W32, terms: [int 1 * 1] },
                { at: 16, width: W64, terms: [Address { memory: 1, on: 0 } * 1] },
                { at: 32, width: W32, terms: [int 0 * 3], add: 1, shift: 2 }] },
      refs: [{ slot: 0, at: 0, use: read }],
      groups: [int 2, 1, 1], threads: [256, 1, 1] },
    Copy { src: 0, dst: 1, dst_offset: [int 3 * 4], length: 16 }],
    slots: [Input 0, Memory { memory: 0, offset: 0, length: 64 }],
    fixed: [{ view: { memory: 1, offset: 0, length: 64 }, access: read_write },
            { view: { memory: 2, offset: 0, length: 32 }, access: read_only }] },
  Loop { trips: 2, trip: 3, flag: { slot: Input 0, at: 5 },
    derived: [{ word: 2, is: [int 3, 2, mul], origin: "2 * i" }],
    body: [Move { src: Memory { memory: 0, offset: 0, length: 64 }, dst: Input 0, dst_offset: [int 3 * 8], length: 8 },
           Move { src: Ints, dst: Memory { memory: 2, offset: 0, length: 32 }, length: 32 }] }])";

/// Loads on both drivers that need nothing; counts what loads.
class Loader {
public:
  void load(const program::ProgramDesc &D) {
    goldy_program_desc Desc;
    Desc.Desc = D;
    for (TestDevice *On : {&Cpu, &Null}) {
      std::vector<TestDevice *> Devices(std::max<size_t>(D.Devices.size(), 1),
                                        On);
      Devices.resize(D.Devices.size());
      Told S = P.load(Desc, Devices);
      ++(S.Code == GOLDY_OK ? Loaded : Refused);
      if (S.Code != GOLDY_OK && S.Message.empty())
        FAIL("a refusal without a message");
      goldy_program_destroy(P.P);
      P.P = nullptr;
      if (On->Faults->alive() != 0)
        FAIL("something is left behind");
    }
  }
  void decode(const std::string &Bytes, const program::ProgramDesc &Good) {
    program::ProgramDesc D;
    std::string Why;
    if (!program::fromBytes(Bytes, D, Why)) {
      ++Malformed;
      return;
    }
    P.Trusted = D.Images == Good.Images;
    load(D);
  }
  size_t Loaded = 0, Refused = 0, Malformed = 0;

private:
  TestDevice Cpu{"cpu"}, Null{"null"};
  TestProgram P;
};

double secondsOf(const std::function<void()> &Work) {
  std::chrono::steady_clock::time_point Start =
      std::chrono::steady_clock::now();
  Work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - Start)
      .count();
}

/// Gives number `Target` of a description, in the order of the fields, another
/// value.
class NumberSetter {
public:
  NumberSetter(size_t Target, Number To) : Target(Target), To(To) {}
  size_t count() const { return Count; }
  template <class T> void field(const char *, T &X) { visit(X); }
  template <class T, class D> void field(const char *, T &X, const D &) {
    visit(X);
  }
  template <class T> void visit(T &X) {
    if constexpr (!std::is_enum_v<T>)
      program::Fields<T>::visit(*this, X);
  }

private:
  void visit(Number &N) {
    if (Count++ == Target)
      N = To;
  }
  void visit(std::string &) {}
  void visit(program::Step &S) { visit(S.Kind); }
  template <class T> void visit(std::vector<T> &List) {
    for (T &X : List)
      visit(X);
  }
  template <class T, size_t N> void visit(std::array<T, N> &List) {
    for (T &X : List)
      visit(X);
  }
  template <class T> void visit(std::optional<T> &X) {
    if (X)
      visit(*X);
  }
  template <class... A> void visit(std::variant<A...> &X) {
    std::visit([this](auto &Y) { this->visit(Y); }, X);
  }
  size_t Count = 0, Target;
  Number To;
};

} // namespace

TEST_CASE("the description that is damaged loads") {
  Loader L;
  L.load(described(Whole, {"x86-64-v1"}).Desc);
  CHECK(L.Loaded == 2);
}

TEST_CASE("truncations and flipped bits, through load") {
  program::ProgramDesc Good = described(Whole, {"x86-64-v1"}).Desc;
  // The image's bytes are the artifact reader's concern, and many.
  std::string Bytes = program::toBytes(Good);
  size_t Image = Bytes.find(Good.Images[0].Binary.Bytes);
  size_t Behind = Image + Good.Images[0].Binary.Bytes.size();
  Loader L;
  for (size_t N = 0; N < Bytes.size(); ++N)
    L.decode(Bytes.substr(0, N), Good);
  CHECK(L.Malformed == Bytes.size());
  for (size_t Bit = 0; Bit < 8 * Bytes.size(); ++Bit) {
    if (Bit / 8 >= Image + 64 && Bit / 8 < Behind && Bit % 509)
      continue;
    std::string Bad = Bytes;
    Bad[Bit / 8] ^= static_cast<char>(1 << (Bit % 8));
    L.decode(Bad, Good);
  }
  CHECK(L.Loaded > 100);
  CHECK(L.Refused > 1000);
}

TEST_CASE("every file of the corpus, damaged, through load") {
  Loader L;
  for (const std::filesystem::directory_entry &E :
       std::filesystem::directory_iterator(GOLDY_PROGRAM_CORPUS)) {
    std::ifstream In(E.path(), std::ios::binary);
    std::string Good((std::istreambuf_iterator<char>(In)), {});
    program::ProgramDesc None;
    if (!Good.starts_with(program::ProgramMark))
      continue;
    for (size_t N = 0; N <= Good.size(); ++N)
      L.decode(Good.substr(0, N), None);
    for (size_t Bit = 0; Bit < 8 * Good.size(); ++Bit) {
      std::string Bad = Good;
      Bad[Bit / 8] ^= static_cast<char>(1 << (Bit % 8));
      L.decode(Bad, None);
    }
  }
  CHECK(L.Refused > 100);
}

TEST_CASE("every number at the ends of 31, 32 and 63 bits") {
  const program::ProgramDesc Good = described(Whole, {"x86-64-v1"}).Desc;
  program::ProgramDesc Copy = Good;
  NumberSetter Counter(~size_t(0), 0);
  Counter.visit(Copy);
  REQUIRE(Counter.count() > 70);
  const Number Powers[] = {Number(1) << 31, Number(1) << 32, Number(1) << 61,
                           program::NumberMax};
  Loader L;
  for (size_t I = 0; I < Counter.count(); ++I)
    for (Number Power : Powers)
      for (Number To : {Power - 1, Power, -Power, -Power + 1, Number(-1)}) {
        program::ProgramDesc D = Good;
        NumberSetter(I, To).visit(D);
        L.load(D);
      }
  CHECK(L.Refused > L.Loaded);
}

TEST_CASE("two numbers whose sums and products leave 32 and 63 bits") {
  const program::ProgramDesc Good = described(Whole, {"x86-64-v1"}).Desc;
  program::ProgramDesc Copy = Good;
  NumberSetter Counter(~size_t(0), 0);
  Counter.visit(Copy);
  Loader L;
  for (size_t I = 0; I + 1 < Counter.count(); ++I)
    for (Number To : {Number(1) << 31, Number(1) << 61, program::NumberMax}) {
      program::ProgramDesc D = Good;
      NumberSetter(I, To).visit(D);
      NumberSetter(I + 1, To).visit(D);
      L.load(D);
    }
  CHECK(L.Refused > L.Loaded);
}

TEST_CASE("as many steps as there may be, and one more") {
  std::string Text = R"(devices: ["x86-64-v1"],
memory: [Alloc { device: 0, kind: host, bytes: 64 }],
inputs: [{ device: 0, bytes: 64 }],
steps: [Move { src: Input 0, dst: Memory { memory: 0, offset: 0, length: 64 }, length: 4 }])";
  program::ProgramDesc D = described(Text).Desc;
  D.Steps.resize(program::limits::Steps, D.Steps[0]);
  Loader L;
  double Seconds = secondsOf([&] { L.load(D); });
  CHECK(L.Loaded == 2);
  CHECK(Seconds < 60); // some 3 here; a square would be days
  D.Steps.push_back(D.Steps[0]);
  L.load(D);
  CHECK(L.Refused == 2);
}

TEST_CASE("loops nest sixteen deep, and no deeper") {
  program::ProgramDesc D = described(R"(devices: ["x86-64-v1"], steps: [
  Loop { trips: 1, body: [] }])")
                               .Desc;
  for (unsigned Depth = 2; Depth <= 17; ++Depth) {
    program::Loop Around{program::Fixed{1}, {}, {}, {}, D.Steps};
    D.Steps = {{Around}};
    Loader L;
    L.load(D);
    CHECK(L.Loaded == (Depth <= 16 ? 2 : 0));
  }
}

TEST_CASE("memory that points to itself, and in rings") {
  for (size_t Length : {1, 2, 1000}) {
    program::ProgramDesc D;
    D.Devices = {"x86-64-v1"};
    program::Submit S;
    for (size_t I = 0; I < Length; ++I) {
      program::Alloc A;
      A.Bytes = 64;
      A.Init.Bytes.assign(8, '\0');
      program::Address Next{static_cast<Number>((I + 1) % Length), 0};
      A.Init.Holes.push_back({0, program::Width::W64, {{Next, 1}}, 0, 0});
      D.Memories.push_back(A);
      S.Fixed.push_back({{static_cast<Number>(I), 0, 64}, {}});
    }
    D.Steps = {{S}};
    Loader L;
    L.load(D);
    CHECK(L.Loaded == 2);
  }
}

TEST_CASE("more memory than there is") {
  for (Number Bytes : {Number(1) << 50, Number(1) << 61, program::NumberMax}) {
    program::ProgramDesc D = described(R"(devices: ["x86-64-v1"],
memory: [Alloc { device: 0, kind: device, bytes: 64 }],
steps: [])")
                                 .Desc;
    std::get<program::Alloc>(D.Memories[0]).Bytes = Bytes;
    Loader L;
    L.load(D);
    CHECK(L.Refused == 2);
  }
}
