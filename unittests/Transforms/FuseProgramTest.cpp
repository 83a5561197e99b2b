//===- FuseProgramTest.cpp - Programs, fused and not ----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program runs step by step in the interpreter, before and after fusion and
// specialisation. Inputs are views of one memory, which may overlap between
// launches as they may when a program is run; launches that would be refused
// are left out of the comparison.
//
//===----------------------------------------------------------------------===//
#include "FuseCase.h"

#include "goldyc/Interp/Interp.h"
#include "goldyc/Transforms/FuseProgram.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace goldy;
using namespace goldy::fusetest;
using namespace goldy::prog;

namespace {

/// Where a buffer lies: bytes of one memory.
struct View {
  size_t First = 0, Count = 0;
  bool meets(const View &O) const {
    return First < O.First + O.Count && O.First < First + Count;
  }
  friend bool operator==(const View &, const View &) = default;
};

class Machine {
public:
  Machine(const Program &P, const Module &M, std::vector<uint64_t> Params,
          std::vector<std::byte> Memory, std::vector<View> Views)
      : P(P), M(M), Params(std::move(Params)), Vars(P.Vars.size()),
        Memory(std::move(Memory)), Views(std::move(Views)) {}
  void run(const std::vector<prog::Step> &List);
  /// A launch bound views that overlap but are not one.
  bool Refused = false;
  bool TookThen = false;

  const Program &P;
  const Module &M;
  std::vector<uint64_t> Params, Vars;
  std::vector<std::byte> Memory;
  std::vector<View> Views; ///< by buffer

private:
  uint64_t value(ExprId E) const;
  void step(const Dispatch &D);
  void step(const prog::Loop &L);
  void step(const Choice &C);
  void step(const prog::Copy &) { FAIL("no copies here"); }
  void step(const HostCall &) { FAIL("no host calls here"); }
  void checkOverlap(const Dispatch &D);
};

uint64_t Machine::value(ExprId E) const {
  const Expr &X = P.Exprs[E];
  switch (X.Op) {
  case ExprOp::Const:
    return X.Bits;
  case ExprOp::Param:
    return Params[X.Index];
  case ExprOp::Var:
    return Vars[X.Index];
  case ExprOp::Add:
    return static_cast<uint32_t>(value(X.L) + value(X.R));
  default:
    FAIL("no such expressions here");
    return 0;
  }
}

void Machine::checkOverlap(const Dispatch &D) {
  const Function &K = M.Functions[D.Kernel];
  for (size_t A = 0; A < D.Args.size(); ++A)
    for (size_t B = 0; B < A; ++B) {
      if (!D.Args[A].Buffer || !D.Args[B].Buffer)
        continue;
      const View &X = Views[D.Args[A].Buffer.index()];
      const View &Y = Views[D.Args[B].Buffer.index()];
      bool Written =
          K.Params[A].Acc != Access::Read || K.Params[B].Acc != Access::Read;
      Refused |= Written && X.meets(Y) && X != Y;
    }
}

void Machine::step(const Dispatch &D) {
  checkOverlap(D);
  std::vector<InterpArgument> Args;
  for (const Argument &A : D.Args) {
    InterpArgument New;
    if (A.Buffer) {
      const View &V = Views[A.Buffer.index()];
      New.Bytes = std::span(Memory).subspan(V.First, V.Count);
    } else {
      New.Bits = value(A.Value);
    }
    Args.push_back(New);
  }
  std::array<uint32_t, 3> Groups;
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    uint64_t Width = D.Over.Form == Grid::Kind::Groups
                         ? 1
                         : M.Functions[D.Kernel].WorkgroupSize[Axis];
    Groups[Axis] =
        static_cast<uint32_t>((value(D.Over.Size[Axis]) + Width - 1) / Width);
  }
  if (Groups[0])
    REQUIRE(!interpret(M, D.Kernel, Groups, Args));
}

void Machine::step(const prog::Loop &L) {
  for (uint64_t K = value(L.Lo); K < value(L.Hi); ++K) {
    Vars[L.Var] = K;
    run(L.Body);
  }
}

void Machine::step(const Choice &C) {
  TookThen = true;
  for (const std::pair<BufferId, BufferId> &A : C.Apart)
    TookThen &= !Views[A.first.index()].meets(Views[A.second.index()]);
  for (const std::pair<ExprId, ExprId> &F : C.Fits)
    TookThen &= value(F.first) * value(F.second) <= uint64_t(1) << 32;
  run(TookThen ? C.Then : C.Else);
}

void Machine::run(const std::vector<prog::Step> &List) {
  for (const prog::Step &S : List)
    std::visit([&](const auto &Each) { step(Each); }, S.Kind);
}

/// Builds programs of three inputs, two temporaries and two numbers.
class Maker {
public:
  explicit Maker(const std::string &Text) : M(compile(Text)) {
    P.Name = "p";
    P.Devices = {"d"};
    for (const char *Name : {"x", "y", "z"}) {
      BufferId B = P.Buffers.push({});
      P.Buffers[B].Name = Name;
      P.Buffers[B].Element = types::F32;
      P.Buffers[B].Param = static_cast<uint32_t>(P.Params.size());
      P.Buffers[B].Count = P.Exprs.length(P.Buffers[B].Param);
      P.Params.push_back({Name, types::F32, B, Span()});
    }
    for (const char *Name : {"n", "m"}) {
      Numbers.push_back(
          P.Exprs.param(static_cast<uint32_t>(P.Params.size()), types::U32));
      P.Params.push_back({Name, types::U32, BufferId(), Span()});
    }
    for (const char *Name : {"t", "u"}) {
      BufferId B = P.Buffers.push({});
      P.Buffers[B].Name = Name;
      P.Buffers[B].Kind = BufferKind::Temporary;
      P.Buffers[B].Element = types::F32;
      P.Buffers[B].Count = Numbers[0];
    }
  }
  /// Arguments are indices of buffers, then the number.
  Dispatch dispatch(const std::string &Kernel, std::vector<uint32_t> Buffers,
                    ExprId Number) {
    Dispatch D;
    D.Kernel = M.find(Kernel);
    REQUIRE(D.Kernel);
    for (uint32_t B : Buffers)
      D.Args.push_back({BufferId(B), ExprId(), Span()});
    D.Args.push_back({BufferId(), Number, Span()});
    D.Over.Size = {Numbers[1], P.Exprs.u32(1), P.Exprs.u32(1)};
    return D;
  }
  Module M;
  Program P;
  std::vector<ExprId> Numbers;
};

size_t dispatches(const std::vector<prog::Step> &List) {
  size_t Count = 0;
  forEachStep(List, [&](const prog::Step &S) {
    Count += std::holds_alternative<Dispatch>(S.Kind);
  });
  return Count;
}

const char *Kernels =
    "#[goldy::compute(workgroup_size = [8, 1, 1])]\n"
    "fn affine(x: &[f32], y: &mut [f32], n: u32) {\n"
    "let i = gpu::global_id().x; if i < n { y[i] = x[i] * 0.5 + 1.0; } }\n"
    "#[goldy::compute(workgroup_size = [8, 1, 1])]\n"
    "fn turned(x: &[f32], y: &mut [f32], n: u32) {\n"
    "let i = gpu::global_id().x; if i < n { y[i] = x[n - 1 - i]; } }\n";

constexpr uint32_t X = 0, Y = 1, Z = 2, T = 3, U = 4;

} // namespace

TEST_CASE("a chain over temporaries is one dispatch, chosen when it runs") {
  Maker Make(Kernels);
  ExprId N = Make.Numbers[0];
  Make.P.Steps = {{Make.dispatch("affine", {X, T}, N)},
                  {Make.dispatch("affine", {T, U}, N)},
                  {Make.dispatch("affine", {U, Y}, N)}};
  ProgramReport Report;
  fuseProgram(Make.P, Make.M, Report);
  REQUIRE(Make.P.Steps.size() == 1);
  const Choice &C = std::get<Choice>(Make.P.Steps[0].Kind);
  CHECK(C.Apart ==
        std::vector<std::pair<BufferId, BufferId>>{{BufferId(X), BufferId(Y)}});
  CHECK(dispatches(C.Then) == 1);
  // The first two write temporaries only.
  CHECK(dispatches(C.Else) == 2);
  REQUIRE(Report.Regions.size() == 2);
  CHECK(Report.Regions[1].Vanished ==
        std::vector<BufferId>{BufferId(T), BufferId(U)});
  CHECK(Report.Regions[1].Origins ==
        std::vector<std::string>{
            "0:affine.x", "0:affine.n 1:affine.n 2:affine.n", "2:affine.y"});
}

TEST_CASE("what needs no choice stands outside it") {
  Maker Make(Kernels);
  ExprId N = Make.Numbers[0];
  prog::Loop L;
  L.Var = 0;
  Make.P.Vars.push_back({"k", types::U32, Span()});
  L.Lo = Make.P.Exprs.u32(0);
  L.Hi = Make.Numbers[1];
  L.By = Make.P.Exprs.u32(1);
  L.Body = {{Make.dispatch("affine", {T, U}, N)},
            {Make.dispatch("turned", {U, T}, N)}};
  Make.P.Steps = {{L},
                  {Make.dispatch("affine", {T, Y}, N)},
                  {Make.dispatch("affine", {Y, Z}, N)},
                  {L}};
  ProgramReport Report;
  fuseProgram(Make.P, Make.M, Report);
  REQUIRE(Make.P.Steps.size() == 3);
  CHECK(std::holds_alternative<prog::Loop>(Make.P.Steps[0].Kind));
  CHECK(std::holds_alternative<Choice>(Make.P.Steps[1].Kind));
  CHECK(std::holds_alternative<prog::Loop>(Make.P.Steps[2].Kind));
  REQUIRE(!Report.Stops.empty());
  CHECK(Report.Stops[0].Why.Reason == FusionReason::Dependence);
}

TEST_CASE("kernels that differ by constants only are not many") {
  Maker Make(Kernels);
  for (uint32_t K = 0; K < 60; ++K)
    for (const std::vector<uint32_t> &Of :
         {std::vector<uint32_t>{T, U}, std::vector<uint32_t>{U, T}}) {
      Make.P.Steps.push_back(
          {Make.dispatch("affine", Of, Make.P.Exprs.u32(K))});
      if (Of[0] == U)
        Make.P.Steps.push_back(
            {Make.dispatch("turned", {T, X}, Make.Numbers[0])});
    }
  size_t Before = Make.M.Functions.size();
  ProgramReport Report;
  fuseProgram(Make.P, Make.M, Report);
  // Two of `affine` once, then `turned` and `affine` with one constant after
  // another, of which the last ones are arguments.
  CHECK(Report.Regions.size() == 59);
  CHECK(Make.M.Functions.size() == Before + 1 + 16 + 1);
}

TEST_CASE("a width that changes in a loop is no choice for a run") {
  Maker Make("#[goldy::compute(workgroup_size = [4, 4, 1])]\n"
             "fn rows(x: &[f32], y: &mut [f32], w: u32) {\n"
             "let id = gpu::global_id();\n"
             "if id.x < w && id.y < 9 { y[id.y * w + id.x] = x[id.y * w + "
             "id.x]; } }\n");
  Make.P.Vars.push_back({"k", types::U32, Span()});
  auto Plane = [&](std::vector<uint32_t> Buffers, ExprId Width) {
    Dispatch D = Make.dispatch("rows", std::move(Buffers), Width);
    D.Over.Size[1] = D.Over.Size[0];
    D.Over.Rank = 2;
    return prog::Step{std::move(D)};
  };
  prog::Loop L;
  L.Lo = Make.P.Exprs.u32(0);
  L.Hi = Make.Numbers[1];
  L.By = Make.P.Exprs.u32(1);
  ExprId K = Make.P.Exprs.var(0, types::U32);
  L.Body = {Plane({X, T}, K), Plane({T, U}, K)};
  Make.P.Steps = {{L}};
  ProgramReport Report;
  fuseProgram(Make.P, Make.M, Report);
  CHECK(Report.Regions.empty());
  L.Body = {Plane({X, T}, Make.Numbers[0]), Plane({T, U}, Make.Numbers[0])};
  Make.P.Steps = {{L}};
  fuseProgram(Make.P, Make.M, Report);
  REQUIRE(Report.Regions.size() == 1);
  REQUIRE(Make.P.Steps.size() == 1);
  CHECK(std::get<Choice>(Make.P.Steps[0].Kind).Fits ==
        std::vector<std::pair<ExprId, ExprId>>{
            {Make.Numbers[0], Make.P.Exprs.u32(9)}});
}

TEST_CASE("constants become variants, equal ones the same") {
  Maker Make(Kernels);
  ExprId Ten = Make.P.Exprs.u32(10);
  Make.P.Steps = {{Make.dispatch("turned", {X, Y}, Ten)},
                  {Make.dispatch("turned", {Y, Z}, Ten)},
                  {Make.dispatch("turned", {Z, X}, Make.Numbers[0])}};
  ProgramReport Report;
  specialiseProgram(Make.P, Make.M, Report);
  auto KernelAt = [&](size_t K) {
    return std::get<Dispatch>(Make.P.Steps[K].Kind).Kernel;
  };
  CHECK(KernelAt(0) == KernelAt(1));
  CHECK(KernelAt(0) != KernelAt(2));
  CHECK(KernelAt(2) == Make.M.find("turned"));
  REQUIRE(Report.Variants.size() == 2);
  CHECK(Report.Variants[0].Values == "n = 10");
}

TEST_CASE("random programs") {
  uint32_t Compared = 0, Chosen = 0, Shorter = 0;
  for (uint32_t Seed = 0; Seed < 400; ++Seed) {
    std::mt19937 Random(Seed);
    std::string Text;
    for (const char *Name : {"k0", "k1", "k2"})
      Text += randomKernel(Random, Name);
    Maker Make(Text);
    auto Below = [&](uint32_t N) { return uint32_t(Random() % N); };
    auto Any = [&] {
      ExprId Numbers[] = {Make.Numbers[0], Make.Numbers[0], Make.Numbers[1],
                          Make.P.Exprs.u32(9)};
      std::vector<uint32_t> Pool = {X, Y, Z, T, U};
      std::shuffle(Pool.begin(), Pool.end(), Random);
      Pool.resize(3);
      return prog::Step{Make.dispatch("k" + std::to_string(Below(3)), Pool,
                                      Numbers[Below(4)])};
    };
    prog::Loop L;
    Make.P.Vars.push_back({"k", types::U32, Span()});
    L.Lo = Make.P.Exprs.u32(0);
    L.Hi = Make.P.Exprs.u32(2);
    L.By = Make.P.Exprs.u32(1);
    for (uint32_t K = 2 + Below(3); K; --K)
      L.Body.push_back(Any());
    for (uint32_t K = 1 + Below(4); K; --K)
      Make.P.Steps.push_back(Any());
    Make.P.Steps.push_back({L});
    for (uint32_t K = Below(3); K; --K)
      Make.P.Steps.push_back(Any());

    uint32_t N = Below(30), Items = Below(30);
    std::vector<View> Views = {
        {0, 100}, {120, 96}, {240, 80}, {400, N * 4}, {600, N * 4}};
    if (Below(3) == 0)
      Views[Y] = {Below(2) ? 0u : 40u, 100};
    std::vector<std::byte> Memory = randomBytes(200, Seed);
    // Undefined, and so zeros are as good: what a vanished one reads.
    std::fill(Memory.begin() + 400, Memory.end(), std::byte(0));
    INFO("seed " << Seed << "\n" << programText(Make.P, Make.M) << Text);
    Machine Plain(Make.P, Make.M, {0, 0, 0, N, Items}, Memory, Views);
    Plain.run(Make.P.Steps);
    Program Fused = Make.P;
    ProgramReport Report;
    fuseProgram(Fused, Make.M, Report);
    specialiseProgram(Fused, Make.M, Report);
    INFO(programText(Fused, Make.M));
    Machine Other(Fused, Make.M, {0, 0, 0, N, Items}, Memory, Views);
    Other.run(Fused.Steps);
    if (Plain.Refused)
      continue;
    CHECK(!Other.Refused);
    ++Compared;
    Chosen += Other.TookThen;
    Shorter += !Report.Regions.empty();
    // Temporaries may be gone.
    CHECK(std::equal(Plain.Memory.begin(), Plain.Memory.begin() + 400,
                     Other.Memory.begin()));
  }
  INFO(Compared << " compared, " << Shorter << " with regions, " << Chosen
                << " chose them");
  CHECK(Compared > 200);
  CHECK(Shorter > 80);
  CHECK(Chosen > 20);
}
