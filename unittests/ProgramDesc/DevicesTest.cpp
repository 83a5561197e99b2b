//===- DevicesTest.cpp ----------------------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random programs are run twice on versions of contents: as they are, and
// placed. Every read must see the version that it saw before, and inputs must
// end with the versions that they had.
//
//===----------------------------------------------------------------------===//
#include "Sample.h"
#include "program/Check.h"

#include <catch2/catch.hpp>

#include <random>

using namespace goldy;
using namespace goldy::prog;

namespace {

/// Runs steps on versions: a write makes a new one out of what is read.
struct Versions {
  const Program &P;
  const Module &M;
  uint32_t Trips; ///< of every loop
  std::vector<uint64_t> Content;
  std::vector<uint64_t> Reads;
  bool Away = false; ///< a step named a buffer of another device

  Versions(const Program &P, const Module &M, uint32_t Trips)
      : P(P), M(M), Trips(Trips), Content(P.Buffers.size()) {
    for (uint32_t I = 0; I < Content.size(); ++I)
      Content[I] =
          P.Buffers[BufferId(I)].Kind == BufferKind::Temporary ? 0 : 1000 + I;
  }
  void dispatch(const Dispatch &D) {
    uint64_t Hash = 17;
    for (const Argument &A : D.Args) {
      Away |= P.Buffers[A.Buffer].Device != D.Device;
      Hash = Hash * 1000003 + Content[A.Buffer.index()];
      Reads.push_back(Content[A.Buffer.index()]);
    }
    for (size_t I = 0; I < D.Args.size(); ++I)
      if (M.Functions[D.Kernel].Params[I].Acc != Access::Read)
        Content[D.Args[I].Buffer.index()] = Hash + I;
  }
  void steps(const std::vector<Step> &List) {
    for (const Step &S : List) {
      if (const Dispatch *D = std::get_if<Dispatch>(&S.Kind))
        dispatch(*D);
      if (const Copy *C = std::get_if<Copy>(&S.Kind))
        Content[C->Dst.index()] = Content[C->Src.index()];
      if (const Loop *L = std::get_if<Loop>(&S.Kind))
        for (uint32_t I = 0; I < Trips; ++I) {
          if (L->Stop)
            Reads.push_back(Content[L->Stop->Flag.index()]);
          steps(L->Body);
        }
      if (const Choice *C = std::get_if<Choice>(&S.Kind))
        steps(Trips % 2 ? C->Then : C->Else);
    }
  }
};

class RandomProgram {
public:
  explicit RandomProgram(uint32_t Seed) : Rng(Seed) {
    S.P.Devices = {"a", "b", "c"};
    S.scalar("n", types::U32);
    for (unsigned I = 0; I < 6; ++I)
      Buffers.push_back(
          S.buffer("b" + std::to_string(I),
                   I < 3    ? BufferKind::Input
                   : I == 3 ? BufferKind::Owned
                            : BufferKind::Temporary,
                   I == 3 ? S.u32(8) : S.P.Exprs.param(0, types::U32),
                   static_cast<uint32_t>(Rng() % 3)));
    Kernels = {
        S.kernel("one", {Sample::read(), Sample::write()}),
        S.kernel("two", {Sample::read(), Sample::read(), Sample::write()}),
        S.kernel("both", {Sample::write(), Sample::write()})};
    S.P.Steps = steps(6, 2);
  }
  Sample S;

private:
  BufferId any() { return Buffers[Rng() % Buffers.size()]; }
  std::vector<Step> steps(unsigned Count, unsigned Depth) {
    std::vector<Step> Out;
    for (unsigned I = 0; I < Count; ++I) {
      unsigned Kind = Depth ? Rng() % 4 : 0;
      if (Kind == 2) {
        Loop L = S.loop(S.u32(0), S.P.Exprs.param(0, types::U32), false,
                        S.u32(1), types::U32);
        if (Rng() % 2)
          L.Stop = StopFlag{any(), S.u32(0)};
        L.Body = steps(3, Depth - 1);
        Out.push_back({std::move(L)});
      } else if (Kind == 3) {
        Choice C;
        C.Apart = {{Buffers[0], Buffers[1]}};
        C.Then = steps(2, Depth - 1);
        C.Else = steps(2, Depth - 1);
        Out.push_back({std::move(C)});
      } else {
        FuncId K = Kernels[Rng() % Kernels.size()];
        std::vector<Argument> Args(S.M.Functions[K].Params.size());
        for (Argument &A : Args)
          A.Buffer = any();
        Out.push_back(S.dispatch(K, Args, S.P.Exprs.param(0, types::U32),
                                 static_cast<uint32_t>(Rng() % 3)));
      }
    }
    return Out;
  }
  std::mt19937 Rng;
  std::vector<BufferId> Buffers;
  std::vector<FuncId> Kernels;
};

} // namespace

TEST_CASE("a placed program reads what it read before") {
  for (uint32_t Seed = 0; Seed < 600; ++Seed) {
    RandomProgram R(Seed);
    Program Placed = R.S.P;
    placeBuffers(Placed, R.S.M);
    uint32_t Original = R.S.P.Buffers.size();
    for (uint32_t Trips : {0, 1, 2, 3}) {
      Versions Before(R.S.P, R.S.M, Trips), After(Placed, R.S.M, Trips);
      Before.steps(R.S.P.Steps);
      After.steps(Placed.Steps);
      INFO("seed " << Seed << ", " << Trips << " trips\n"
                   << programText(Placed, R.S.M));
      CHECK(Before.Reads == After.Reads);
      CHECK_FALSE(After.Away);
      for (uint32_t I = 0; I < Original; ++I)
        if (R.S.P.Buffers[BufferId(I)].Kind != BufferKind::Temporary)
          CHECK(Before.Content[I] == After.Content[I]);
    }
    std::optional<program::Refusal> Fault =
        program::check(buildTemplate(Placed, R.S.M));
    INFO((Fault ? Fault->Message : ""));
    CHECK(!Fault);
  }
}

TEST_CASE("steps go to devices in turn") {
  Sample S;
  FuncId K = S.kernel("k", {Sample::write()});
  BufferId X = S.buffer("x", BufferKind::Input);
  for (unsigned I = 0; I < 3; ++I)
    S.P.Steps.push_back(S.dispatch(K, {{X, {}, {}}}, S.u32(1)));
  spreadOverDevices(S.P, {"a", "b"});
  CHECK(S.P.Devices == std::vector<std::string>{"a", "b"});
  CHECK(std::get<Dispatch>(S.P.Steps[1].Kind).Device == 1);
  CHECK(std::get<Dispatch>(S.P.Steps[2].Kind).Device == 0);
  placeBuffers(S.P, S.M);
  CHECK(S.P.Steps.size() == 5); // there, and back
  Program Named = S.P;
  spreadOverDevices(Named, {"c"});
  CHECK(Named.Devices == S.P.Devices);
}

TEST_CASE("a move of n elements is one of each power of two") {
  Sample S;
  S.P.Devices = {"a", "b"};
  FuncId K = S.kernel("k", {Sample::write()});
  BufferId X = S.buffer("x", BufferKind::Input);
  S.P.Steps.push_back(S.dispatch(K, {{X, {}, {}}}, S.u32(1), 1));
  placeBuffers(S.P, S.M);
  program::ProgramTemplate T = buildTemplate(S.P, S.M);
  REQUIRE(T.Steps.size() == 65);
  const program::Loop &First = std::get<program::Loop>(T.Steps[0].Kind);
  const program::Move &M = std::get<program::Move>(First.Body[0].Kind);
  CHECK(M.Length == int64_t(4) << 31);
  CHECK(T.Inputs.size() == 2);
}
