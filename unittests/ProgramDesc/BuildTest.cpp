//===- BuildTest.cpp ------------------------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A template's ints are run here by hand, as a runtime would, and what reaches
// a kernel is held against the language: foldScalar for expressions, loops of
// C++ for loops.
//
//===----------------------------------------------------------------------===//
#include "Sample.h"
#include "goldyc/IR/Fold.h"
#include "program/Check.h"
#include "program/Derived.h"

#include <catch2/catch.hpp>

#include <random>

using namespace goldy;
using namespace goldy::prog;

namespace {

/// The words of a run.
struct Run {
  const program::ProgramTemplate &T;
  std::vector<uint64_t> Ints;
  bool Refused = false;
  std::vector<uint64_t> Seen; ///< bits of the last parameter of each launch

  Run(const program::ProgramTemplate &T, std::map<std::string, uint64_t> Given)
      : T(T), Ints(T.Ints.size()) {
    for (size_t I = 0; I < T.Ints.size(); ++I)
      if (const program::NamedInt *N =
              std::get_if<program::NamedInt>(&T.Ints[I]))
        Ints[I] = Given.at(N->Name);
    derive(T.Derived);
    if (!Refused)
      steps(T.Steps);
  }
  void derive(const std::vector<program::DerivedInt> &List) {
    for (const program::DerivedInt &D : List) {
      program::Evaluation E = program::evaluate(D, Ints);
      Refused |= !E.ok();
      Ints[static_cast<size_t>(D.Word)] = E.Value;
    }
  }
  uint64_t value(const program::Value &V) const {
    if (const program::Fixed *F = std::get_if<program::Fixed>(&V))
      return static_cast<uint64_t>(F->Value);
    return Ints[static_cast<size_t>(std::get<program::IntWord>(V).Word)];
  }
  /// The last eight bytes before the layout table's address, holes filled.
  uint64_t argument(const program::Launch &L) const {
    std::string Bytes = L.Params.Bytes;
    for (const program::Hole<program::Value> &H : L.Params.Holes) {
      uint64_t Word =
          value(H.Terms[0].What) * static_cast<uint64_t>(H.Terms[0].Factor);
      for (unsigned B = 0; B < (H.Bits == program::Width::W64 ? 8u : 4u); ++B)
        Bytes[static_cast<size_t>(H.At) + B] |=
            static_cast<char>(Word >> (8 * B));
    }
    uint64_t Bits = 0;
    for (unsigned B = 0; B < 8; ++B)
      Bits |= uint64_t(static_cast<uint8_t>(Bytes[B])) << (8 * B);
    return Bits;
  }
  void steps(const std::vector<program::Step> &List) {
    for (const program::Step &S : List) {
      if (const program::Submit *X = std::get_if<program::Submit>(&S.Kind))
        for (const program::Part &P : X->Parts)
          Seen.push_back(argument(std::get<program::Launch>(P)));
      const program::Loop *L = std::get_if<program::Loop>(&S.Kind);
      int64_t Trips = L ? static_cast<int64_t>(value(L->Trips)) : 0;
      for (int64_t I = 0; I < Trips && !Refused; ++I) {
        if (L->Trip)
          Ints[static_cast<size_t>(*L->Trip)] = static_cast<uint64_t>(I);
        derive(L->Derived);
        if (!Refused)
          steps(L->Body);
      }
    }
  }
};

program::ProgramTemplate built(const Sample &S) {
  program::ProgramTemplate T = buildTemplate(S.P, S.M);
  std::optional<program::Refusal> R = program::check(T);
  INFO((R ? R->Message : ""));
  CHECK(!R);
  return T;
}

uint64_t asWord(TypeId T, uint64_t Bits) {
  return T == types::I32 ? static_cast<uint64_t>(static_cast<int32_t>(Bits))
                         : Bits;
}

/// The language's value of an expression, as bits.
uint64_t meaning(const Program &P, ExprId E,
                 const std::vector<uint64_t> &Params) {
  const Expr &X = P.Exprs[E];
  if (X.Op == ExprOp::Const)
    return X.Bits;
  if (X.Op == ExprOp::Param)
    return Params[X.Index];
  static const std::map<ExprOp, Op> Ops = {
      {ExprOp::Add, Op::Add},  {ExprOp::Sub, Op::Sub}, {ExprOp::Mul, Op::Mul},
      {ExprOp::Div, Op::Div},  {ExprOp::Rem, Op::Rem}, {ExprOp::Shl, Op::Shl},
      {ExprOp::Shr, Op::Shr},  {ExprOp::And, Op::And}, {ExprOp::Or, Op::Or},
      {ExprOp::Xor, Op::Xor},  {ExprOp::Min, Op::Min}, {ExprOp::Max, Op::Max},
      {ExprOp::Cast, Op::Cast}};
  std::vector<uint64_t> Bits{meaning(P, X.L, Params)};
  if (X.R)
    Bits.push_back(meaning(P, X.R, Params));
  return *foldScalar(Ops.at(X.Op), P.Exprs[X.L].Type, X.Type, Bits);
}

class RandomExpr {
public:
  RandomExpr(Sample &S, std::vector<ExprId> Leaves, uint32_t Seed)
      : S(S), Leaves(std::move(Leaves)), Rng(Seed) {}
  ExprId make(TypeId T, unsigned Depth) {
    if (Depth == 0 || Rng() % 5 == 0)
      return leaf(T);
    ExprOp O =
        static_cast<ExprOp>(static_cast<unsigned>(ExprOp::Add) + Rng() % 12);
    return S.P.Exprs.binary(O, make(T, Depth - 1), make(T, Depth - 1));
  }

private:
  ExprId leaf(TypeId T) {
    static constexpr uint64_t Values[] = {
        0, 1, 2, 3, 31, 64, 0x7fffffff, 0x80000000, 0xffffffff, 0x12345678};
    if (Rng() % 3)
      return S.P.Exprs.cast(Leaves[Rng() % Leaves.size()], T);
    return S.P.Exprs.cast(
        S.P.Exprs.constant(types::U32, Values[Rng() % std::size(Values)]), T);
  }
  Sample &S;
  std::vector<ExprId> Leaves;
  std::mt19937 Rng;
};

} // namespace

TEST_CASE("values reach kernels by the language's rules") {
  static constexpr TypeId Kinds[] = {types::U32, types::I32, types::U64,
                                     types::I64};
  std::mt19937 Rng(7);
  for (uint32_t Round = 0; Round < 400; ++Round) {
    Sample S;
    ExprId A = S.scalar("a", types::U32), B = S.scalar("b", types::I32);
    TypeId T = Kinds[Round % 4];
    FuncId K = S.kernel("k", {Sample::value(T)});
    ExprId E = RandomExpr(S, {A, B}, Round).make(T, 1 + Round % 7);
    S.P.Steps.push_back(S.dispatch(K, {{{}, E, {}}}, S.u32(1)));
    program::ProgramTemplate Made = built(S);
    for (unsigned I = 0; I < 8; ++I) {
      static constexpr uint32_t Edges[] = {0, 1, 0x7fffffff, 0x80000000,
                                           0xffffffff};
      uint32_t X = I < 5 ? Edges[I] : static_cast<uint32_t>(Rng());
      uint32_t Y = I < 5 ? Edges[Rng() % 5] : static_cast<uint32_t>(Rng());
      Run R(Made, {{"a", X}, {"b", asWord(types::I32, Y)}});
      uint64_t Want = meaning(S.P, E, {X, Y});
      uint64_t Mask = S.M.Types.bits(T) == 64 ? ~uint64_t(0) : 0xffffffffu;
      INFO(exprText(S.P, E) << ", a = " << X << ", b = " << Y);
      REQUIRE_FALSE(R.Refused);
      REQUIRE(R.Seen.size() == 1);
      CHECK((R.Seen[0] & Mask) == (Want & Mask));
    }
  }
}

TEST_CASE("long expressions are cut") {
  for (bool Right : {false, true}) {
    Sample S;
    ExprId A = S.scalar("a", types::U32), E = A;
    FuncId K = S.kernel("k", {Sample::value(types::U32)});
    for (uint32_t I = 0; I < 300; ++I) {
      ExprId Next = S.P.Exprs.binary(ExprOp::Mul, A, S.u32(2 * I + 3));
      E = Right ? S.P.Exprs.binary(ExprOp::Sub, Next, E)
                : S.P.Exprs.binary(ExprOp::Sub, E, Next);
    }
    S.P.Steps.push_back(S.dispatch(K, {{{}, E, {}}}, E));
    Run R(built(S), {{"a", 7}});
    REQUIRE_FALSE(R.Refused);
    CHECK((R.Seen[0] & 0xffffffffu) == meaning(S.P, E, {7}));
  }
}

TEST_CASE("shared operands are computed and told once") {
  Sample S;
  ExprId A = S.scalar("a", types::U32), E = A;
  FuncId K = S.kernel("k", {Sample::value(types::U32)});
  for (unsigned I = 0; I < 60; ++I)
    E = S.P.Exprs.binary(ExprOp::Add, E, S.P.Exprs.binary(ExprOp::Mul, E, E));
  S.P.Steps.push_back(S.dispatch(K, {{{}, E, {}}}, S.u32(1)));
  CHECK(exprText(S.P, E).size() < 10000);
  CHECK_FALSE(S.P.Exprs.uses(E, 0));
  program::ProgramTemplate T = built(S);
  CHECK(T.Derived.size() < 200);
  uint32_t Want = 3;
  for (unsigned I = 0; I < 60; ++I)
    Want += Want * Want;
  CHECK((Run(T, {{"a", 3}}).Seen[0] & 0xffffffffu) == Want);
}

TEST_CASE("loops make the trips that the language says") {
  static constexpr int64_t Ends[] = {
      INT32_MIN, INT32_MIN + 1, -3, -1, 0, 1, 2, 5, INT32_MAX - 1, INT32_MAX};
  for (bool Inclusive : {false, true})
    for (uint32_t By : {1u, 2u, 3u, 0x80000000u, 0xffffffffu})
      for (bool Constant : {false, true})
        for (int64_t Lo : Ends)
          for (int64_t Hi : Ends) {
            if (Hi - Lo > 10 && By < 0x80000000u)
              continue;
            Sample S;
            FuncId K = S.kernel("k", {Sample::value(types::I32)});
            ExprId LoId = S.scalar("lo", types::I32),
                   HiId = S.scalar("hi", types::I32);
            if (Constant)
              LoId = S.P.Exprs.constant(types::I32, static_cast<uint32_t>(Lo));
            Loop L = S.loop(LoId, HiId, Inclusive, S.u32(By), types::I32);
            ExprId I = S.P.Exprs.var(L.Var, types::I32);
            L.Body.push_back(S.dispatch(K, {{{}, I, {}}}, S.u32(1)));
            S.P.Steps.push_back({L});
            Run R(built(S), {{"lo", static_cast<uint64_t>(Lo)},
                             {"hi", static_cast<uint64_t>(Hi)}});
            std::vector<uint64_t> Want;
            for (int64_t N = Lo; Inclusive ? N <= Hi : N < Hi; N += By)
              Want.push_back(static_cast<uint32_t>(N));
            for (uint64_t &Bits : R.Seen)
              Bits &= 0xffffffffu;
            INFO(Lo << (Inclusive ? "..=" : "..") << Hi << " by " << By);
            CHECK(R.Seen == Want);
          }
}

TEST_CASE("a step that is computed is read without sign, and 0 as 1") {
  for (TypeId T : {types::U32, types::I32}) {
    Sample S;
    FuncId K = S.kernel("k", {Sample::value(types::I32)});
    ExprId By = S.scalar("by", T);
    Loop L = S.loop(S.P.Exprs.constant(types::I32, static_cast<uint32_t>(-3)),
                    S.P.Exprs.constant(types::I32, 4), false, By, types::I32);
    ExprId I = S.P.Exprs.var(L.Var, types::I32);
    L.Body.push_back(S.dispatch(K, {{{}, I, {}}}, S.u32(1)));
    S.P.Steps.push_back({L});
    program::ProgramTemplate Made = built(S);
    auto Trips = [&](uint32_t Step) {
      return Run(Made, {{"by", asWord(T, Step)}}).Seen.size();
    };
    CHECK(Trips(3) == 3);
    CHECK(Trips(7) == 1);
    CHECK(Trips(static_cast<uint32_t>(-2)) == 1);
    CHECK(Trips(1) == 7);
    CHECK(Trips(0) == 7);
  }
}

TEST_CASE("a loop inside a loop reads both variables") {
  Sample S;
  FuncId K = S.kernel("k", {Sample::value(types::U32)});
  ExprId N = S.scalar("n", types::U32);
  Loop Outer = S.loop(S.u32(0), N, false, S.u32(1), types::U32);
  ExprId I = S.P.Exprs.var(Outer.Var, types::U32);
  Loop Inner = S.loop(I, S.P.Exprs.binary(ExprOp::Mul, I, S.u32(2)), true,
                      S.P.Exprs.binary(ExprOp::Add, I, S.u32(1)), types::U32);
  ExprId J = S.P.Exprs.var(Inner.Var, types::U32);
  ExprId Sum = S.P.Exprs.binary(
      ExprOp::Add, S.P.Exprs.binary(ExprOp::Mul, I, S.u32(100)), J);
  Inner.Body.push_back(S.dispatch(K, {{{}, Sum, {}}}, S.u32(1)));
  Outer.Body.push_back({Inner});
  Outer.Body.push_back(S.dispatch(K, {{{}, Sum, {}}}, S.u32(0)));
  Outer.Body.push_back(S.dispatch(K, {{{}, I, {}}}, N));
  S.P.Steps.push_back({Outer});
  Run R(built(S), {{"n", 4}});
  std::vector<uint64_t> Want;
  for (uint64_t A = 0; A < 4; ++A) {
    for (uint64_t B = A; B <= 2 * A; B += A + 1)
      Want.push_back(100 * A + B);
    Want.push_back(A);
  }
  CHECK(R.Seen == Want);
}

TEST_CASE("a number that does not fit refuses the run") {
  Sample S;
  FuncId K = S.kernel("k", {Sample::value(types::U64)});
  ExprId N = S.scalar("n", types::U64);
  ExprId Square = S.P.Exprs.binary(ExprOp::Mul, N, N);
  Loop L = S.loop(S.P.Exprs.constant(types::U64, 1), Square, false, S.u32(1),
                  types::U64);
  L.Body.push_back(S.dispatch(K, {{{}, N, {}}}, S.u32(1)));
  S.P.Steps.push_back({L});
  CHECK_FALSE(Run(built(S), {{"n", 3}}).Refused);
  CHECK(Run(built(S), {{"n", uint64_t(1) << 31}}).Refused);
}

TEST_CASE("temporaries share storage when their uses do not meet") {
  Sample S;
  FuncId K = S.kernel("k", {Sample::read(), Sample::write()});
  ExprId N = S.scalar("n", types::U32);
  BufferId X = S.buffer("x", BufferKind::Input);
  std::vector<BufferId> T;
  for (unsigned I = 0; I < 6; ++I)
    T.push_back(S.buffer("t" + std::to_string(I), BufferKind::Temporary,
                         I == 5 ? S.u32(8) : N));
  auto Add = [&](std::vector<Step> &To, BufferId From, BufferId Into) {
    To.push_back(S.dispatch(K, {{From, {}, {}}, {Into, {}, {}}}, N));
  };
  SECTION("a chain needs two") {
    Add(S.P.Steps, X, T[0]);
    for (unsigned I = 1; I < 5; ++I)
      Add(S.P.Steps, T[I - 1], T[I]);
    Add(S.P.Steps, T[4], X);
    CHECK(built(S).Inputs.size() == 3);
  }
  SECTION("one that is still live keeps its own") {
    Add(S.P.Steps, X, T[0]);
    for (unsigned I = 1; I < 5; ++I)
      Add(S.P.Steps, T[I - 1], T[I]);
    Add(S.P.Steps, T[0], X);
    CHECK(built(S).Inputs.size() == 4);
  }
  SECTION("a loop carries what it uses") {
    Add(S.P.Steps, X, T[0]);
    Loop L = S.loop(S.u32(0), N, false, S.u32(1), types::U32);
    Add(L.Body, T[0], T[1]);
    Add(L.Body, T[1], T[2]);
    S.P.Steps.push_back({L});
    Add(S.P.Steps, T[2], T[3]);
    Add(S.P.Steps, T[3], X);
    CHECK(built(S).Inputs.size() == 4);
  }
  SECTION("a constant size is memory, and no use is none") {
    Add(S.P.Steps, X, T[5]);
    program::ProgramTemplate Made = built(S);
    CHECK(Made.Inputs.size() == 1);
    REQUIRE(Made.Memories.size() == 1);
    CHECK(std::get<program::Alloc>(Made.Memories[0]).Bytes == 32);
  }
}

TEST_CASE("steps of one device are one submission") {
  Sample S;
  S.P.Devices = {"a", "b"};
  FuncId K = S.kernel("k", {Sample::value(types::U32)});
  std::vector<uint32_t> On = {0, 0, 1, 1, 1, 0};
  for (uint32_t Device : On)
    S.P.Steps.push_back(S.dispatch(K, {{{}, S.u32(1), {}}}, S.u32(1), Device));
  program::ProgramTemplate T = built(S);
  REQUIRE(T.Steps.size() == 3);
  CHECK(std::get<program::Submit>(T.Steps[1].Kind).Parts.size() == 3);
  CHECK(T.Images.size() == 2);
}

TEST_CASE("a choice runs one of its two sides") {
  Sample S;
  FuncId K = S.kernel("k", {Sample::value(types::U32)});
  BufferId X = S.buffer("x", BufferKind::Input);
  BufferId Y = S.buffer("y", BufferKind::Input);
  Choice C;
  C.Apart = {{X, Y}};
  C.Then.push_back(S.dispatch(K, {{{}, S.u32(1), {}}}, S.u32(1)));
  C.Else.push_back(S.dispatch(K, {{{}, S.u32(2), {}}}, S.u32(1)));
  S.P.Steps.push_back({C});
  program::ProgramTemplate T = built(S);
  for (uint64_t Overlap : {0, 1}) {
    Run R(T, {});
    for (size_t I = 0; I < T.Ints.size(); ++I)
      if (std::holds_alternative<program::OverlapInt>(T.Ints[I]))
        R.Ints[I] = Overlap;
    R.Seen.clear();
    R.derive(T.Derived);
    R.steps(T.Steps);
    CHECK(R.Seen == std::vector<uint64_t>{Overlap ? 2u : 1u});
  }
}
