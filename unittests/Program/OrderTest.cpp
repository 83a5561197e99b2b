//===- OrderTest.cpp - Rules that keep work in order ----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where addresses and handles may stand, and descriptions that point to
// themselves.
//
//===----------------------------------------------------------------------===//
#include "Sample.h"

#include <catch2/catch.hpp>
#include <chrono>

using namespace goldy::program;

namespace {
Alloc &alloc(ProgramDesc &P, size_t I) {
  return std::get<Alloc>(P.Memories[I]);
}
Launch &launch(ProgramDesc &P) {
  return std::get<Launch>(submitAt(P, {0}).Parts[1]);
}
Data<Leaf> pointTo(std::vector<Leaf> Leaves) {
  Data<Leaf> D{std::string(8 * Leaves.size(), '\0'), {}};
  for (size_t I = 0; I < Leaves.size(); ++I)
    D.Holes.push_back({Number(8 * I), Width::W64, {{Leaves[I], 1}}, 0, 0});
  return D;
}
/// A submit on device 0 that fixes whole memories of 64 bytes.
Submit fixes(std::vector<Number> Memories) {
  Submit S;
  for (Number M : Memories)
    S.Fixed.push_back({{M, 0, 64}, Access::ReadWrite});
  return S;
}
/// One device, `Count` memories of 64 bytes.
ProgramDesc memories(size_t Count) {
  ProgramDesc P;
  P.Devices = {"cpu"};
  P.Memories.resize(Count, Alloc{0, MemoryKind::Host, 64, {}, Copies::One});
  return P;
}
constexpr const char *Params = "steps[0].parts[1].params.holes";
} // namespace

TEST_CASE("P12 memory in one copy holds no address or handle of two") {
  refuses(Rule::LeafCopies,
          "memory[1].init.holes[0].terms[0]: the address of memory 0, which "
          "has two copies",
          [](ProgramDesc &P) { alloc(P, 1).Init = pointTo({Address{0, 1}}); });
  refuses(Rule::LeafCopies, "memory[4].init.holes[1].terms[0]: the handle of",
          [](ProgramDesc &P) {
            alloc(P, 4).Init = pointTo({Handle{4}, Handle{2}});
          });
  refuses(Rule::LeafCopies, "memory[0].init", [](ProgramDesc &P) {
    alloc(P, 1).Count = Copies::Two;
    alloc(P, 0).Count = Copies::One;
  });
}

TEST_CASE("P13 an image's entry is of an earlier image") {
  refuses(Rule::EntryOrder,
          "images[1].binary.holes[0].terms[0]: an entry of image 1 in image 1",
          [](ProgramDesc &P) {
            P.Images[1].Binary.Holes[0].Terms[0].What = Entry{1, "f"};
          });
  refuses(Rule::EntryOrder,
          "images[0].binary.holes[0].terms[0]: ", [](ProgramDesc &P) {
            P.Images[0].Binary = pointTo({Entry{1, "f"}});
          });
  // Elsewhere any image will do: they are loaded first.
  ProgramDesc P = sample();
  alloc(P, 4).Init = pointTo({Entry{1, "f"}});
  CHECK_FALSE(check(P));
}

TEST_CASE("P30 an image holds no address and no handle") {
  refuses(Rule::ImageLeaf,
          "images[1].binary.holes[0].terms[0]: the address of memory 1",
          [](ProgramDesc &P) {
            P.Images[1].Binary.Holes[0].Terms[0].What = Address{1, 1};
          });
  refuses(Rule::ImageLeaf, "images[0].binary.holes[0].terms[0]: the handle",
          [](ProgramDesc &P) { P.Images[0].Binary = pointTo({Handle{1}}); });
  ProgramDesc P = sample();
  P.Images[0].Binary = pointTo({Ready{7}});
  CHECK_FALSE(check(P));
}

TEST_CASE("P31 an address in parameters or geometry is of fixed memory") {
  auto Loose = [](const std::string &Start, auto Spoil) {
    refuses(Rule::AddressFixed, Start, Spoil);
  };
  Loose(std::string(Params) + "[0].terms[0], device 1 (`cuda:0`): the address "
                              "of memory 1, which the step does not fix whole",
        [](ProgramDesc &P) {
          submitAt(P, {0}).Fixed.erase(submitAt(P, {0}).Fixed.begin());
        });
  Loose(std::string(Params) + "[0].terms[0]",
        [](ProgramDesc &P) { submitAt(P, {0}).Fixed[0].Where.Length = 63; });
  Loose(std::string(Params) + "[0].terms[0]",
        [](ProgramDesc &P) { submitAt(P, {0}).Fixed[0].Where = {1, 1, 63}; });
  Loose(std::string(Params) +
            "[0].terms[0], device 1 (`cuda:0`): the address of memory 1 on "
            "device 0",
        [](ProgramDesc &P) {
          launch(P).Params.Holes[0].Terms[0].What = Leaf(Address{1, 0});
        });
  // Named whole by a slot is not enough.
  Loose(std::string(Params) + "[0].terms[0]", [](ProgramDesc &P) {
    launch(P).Params.Holes[0].Terms[0].What = Leaf(Address{0, 1});
  });
  // Another step's fixed memory does not count.
  Loose("steps[1].body[0].parts[0].params.holes[0].terms[0]", [](ProgramDesc
                                                                     &P) {
    std::get<Fill>(submitAt(P, {1, 0}).Parts[0]).Params.Holes[0].Terms[0].What =
        Leaf(Address{4, 0});
  });
  Loose("steps[0].parts[1].groups[1]",
        [](ProgramDesc &P) { launch(P).Groups[1] = Leaf(Address{0, 1}); });
  Loose("steps[0].parts[1].shared",
        [](ProgramDesc &P) { launch(P).Shared = Leaf(Address{2, 1}); });
}

TEST_CASE("P32 a handle in parameters or geometry is of named memory") {
  refuses(Rule::HandleNamed,
          std::string(Params) + "[1].terms[0], device 1 (`cuda:0`): the handle "
                                "of memory 2, which the step does not name "
                                "whole",
          [](ProgramDesc &P) {
            launch(P).Params.Holes[1].Terms[0].What = Leaf(Handle{2});
          });
  refuses(Rule::HandleNamed, "steps[0].parts[1].threads[1]",
          [](ProgramDesc &P) { launch(P).Threads[1] = Leaf(Handle{3}); });
  // A slot's view of all of it is enough, and so is the view of words.
  ProgramDesc P = sample();
  launch(P).Params.Holes[1].Terms[0].What = Leaf(Handle{0});
  CHECK_FALSE(check(P));
  submitAt(P, {0}).Fixed.pop_back();
  launch(P).Params.Holes[1].Terms[0].What = Leaf(Handle{4});
  CHECK(check(P)->Broken == Rule::HandleNamed);
  std::get<Words>(submitAt(P, {0}).Parts[0]).Where.Length = 32;
  CHECK_FALSE(check(P));
}

TEST_CASE("P33 a loop's trips hold no address") {
  refuses(Rule::TripsAddress, "steps[1].trips: the address of memory 2",
          [](ProgramDesc &P) { loopAt(P, {1}).Trips = Leaf(Address{2, 0}); });
}

TEST_CASE("P34 a handle in trips is of memory that the flag names whole") {
  auto Unnamed = [](const std::string &Start, auto Spoil) {
    refuses(Rule::TripsHandle, Start, Spoil);
  };
  Unnamed("steps[1].body[2].trips: the handle of memory 2, which the loop's "
          "flag does not name whole",
          [](ProgramDesc &P) { loopAt(P, {1, 2}).Stop.reset(); });
  Unnamed("steps[1].body[2].trips: ", [](ProgramDesc &P) {
    std::get<View>(loopAt(P, {1, 2}).Stop->Where).Length = 127;
  });
  Unnamed("steps[1].body[2].trips: ",
          [](ProgramDesc &P) { loopAt(P, {1, 2}).Trips = Leaf(Handle{1}); });
  // The flag of the loop around it does not count.
  Unnamed("steps[1].body[2].trips: ",
          [](ProgramDesc &P) { loopAt(P, {1, 2}).Stop = Flag{IntsSlot{}, 0}; });
}

TEST_CASE("P35 a submit names whole what the memory that it names points to") {
  refuses(
      Rule::InitNamed,
      "steps[0].slots[0], device 1 (`cuda:0`): memory 0 points to memory 4, "
      "which the step does not name whole",
      [](ProgramDesc &P) {
        alloc(P, 0).Init = pointTo({Handle{4}, Address{1, 1}});
        submitAt(P, {0}).Fixed[1].Where.Length = 31;
      });
  refuses(Rule::InitNamed, "steps[1].body[0].slots[0], device 0",
          [](ProgramDesc &P) { alloc(P, 2).Init = pointTo({Handle{1}}); });
  refuses(Rule::InitNamed, "steps[1].body[0].fixed[1], device 0",
          [](ProgramDesc &P) {
            submitAt(P, {1, 0}).Fixed.push_back({{4, 0, 8}, Access::ReadOnly});
            alloc(P, 4).Init = pointTo({Handle{1}});
          });
  refuses(Rule::InitNamed, "steps[0].parts[0], device 1", [](ProgramDesc &P) {
    submitAt(P, {0}).Fixed.pop_back();
    submitAt(P, {0}).Slots.pop_back();
    launch(P).Refs.pop_back();
    alloc(P, 4).Init = pointTo({Handle{3}});
  });
  // A move names it too, but follows no address.
  ProgramDesc P = memories(2);
  alloc(P, 0).Init = pointTo({Handle{1}});
  P.Ints = 8;
  P.Steps = {Step{Move{View{0, 0, 64}, {}, IntsSlot{}, {}, 64}}};
  CHECK_FALSE(check(P));
}

TEST_CASE("P36 an address in first bytes is of memory that a submit fixes") {
  refuses(Rule::InitFixed,
          "memory[4].init.holes[0]: the address of memory 4 on device 0, where "
          "no submit fixes it whole",
          [](ProgramDesc &P) { alloc(P, 4).Init = pointTo({Address{4, 0}}); });
  refuses(Rule::InitFixed, "memory[4].init.holes[1]: ", [](ProgramDesc &P) {
    alloc(P, 4).Init = pointTo({Address{4, 1}, Address{4, 0}});
  });
  ProgramDesc P = sample();
  alloc(P, 4).Init = pointTo({Address{4, 1}});
  CHECK_FALSE(check(P));
}

TEST_CASE("P43 an address is of memory that its device addresses") {
  refusesOn(Rule::HandleOnly,
            "memory[0].init.holes[0].terms[0]: the address of memory 1 on "
            "`cuda:0`, which names memory by handle only",
            [](Machine &M) { M.Devices[1].HandleOnly = true; });
  refusesOn(Rule::HandleOnly,
            "steps[1].body[0].parts[0].params.holes[0].terms[0], device 0 "
            "(`cpu`): the address of memory 3",
            [](Machine &M) { M.Devices[0].HandleOnly = true; });
}

TEST_CASE("memory that points to itself and in rings") {
  ProgramDesc P = memories(3);
  alloc(P, 0).Init = pointTo({Address{0, 0}, Handle{0}});
  P.Steps = {Step{fixes({0})}};
  CHECK_FALSE(check(P));
  for (Number I = 0; I < 3; ++I)
    alloc(P, static_cast<size_t>(I)).Init = pointTo({Address{(I + 1) % 3, 0}});
  P.Steps = {Step{fixes({0, 1, 2})}};
  CHECK_FALSE(check(P));
  P.Steps = {Step{fixes({0, 1})}};
  CHECK(check(P)->Message.starts_with(
      "steps[0].fixed[1], device 0 (`cpu`): memory 1 points to memory 2"));
}

TEST_CASE("P53 pointing memory is named a bounded number of times") {
  // 2,000 memories point to the same 2,000, and every step names all: 4 million
  // pointers a step.
  constexpr Number Half = 2000;
  ProgramDesc P = memories(2 * Half);
  std::vector<Leaf> All;
  std::vector<Number> Every;
  for (Number I = 0; I < Half; ++I)
    All.push_back(Handle{Half + I});
  for (Number I = 0; I < 2 * Half; ++I)
    Every.push_back(I);
  Data<Leaf> Init = pointTo(All);
  for (Number I = 0; I < Half; ++I) {
    alloc(P, static_cast<size_t>(I)).Bytes = 8 * Half;
    alloc(P, static_cast<size_t>(I)).Init = Init;
  }
  P.Steps.resize(30, Step{fixes(Every)});
  CHECK_FALSE(check(P));
  P.Steps.resize(100, Step{fixes(Every)});
  std::optional<Refusal> R = check(P);
  REQUIRE(R);
  CHECK(R->Broken == Rule::WorkLimit);
  CHECK(R->Place == "steps[67].fixed[217]");
}

TEST_CASE("a check takes time in proportion to the description") {
  // One submit with a million slots, refs and holes; found in seconds at most
  // even in an unoptimised build, where anything quadratic takes hours.
  constexpr Number N = 1000000;
  ProgramDesc P = memories(1);
  P.Images.push_back({0, {}});
  Submit S;
  S.Slots.resize(N, View{0, 0, 64});
  Launch L;
  L.Params.Bytes.resize(16 * N);
  L.Threads = {Fixed{1}, Fixed{1}, Fixed{1}};
  for (Number I = 0; I < N; ++I) {
    L.Refs.push_back({I, 16 * I, Use::Read});
    L.Params.Holes.push_back(
        {16 * (N - 1 - I) + 8, Width::W64, {{Fixed{I}, 1}}, 0, 0});
  }
  S.Parts.push_back(std::move(L));
  P.Steps.push_back(Step{std::move(S)});
  std::chrono::steady_clock::time_point Start =
      std::chrono::steady_clock::now();
  CHECK_FALSE(check(P));
  CHECK_FALSE(checkConstantHoles(P));
  CHECK(std::chrono::steady_clock::now() - Start < std::chrono::seconds(20));
}
