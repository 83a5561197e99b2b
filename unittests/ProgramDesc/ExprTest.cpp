//===- ExprTest.cpp -------------------------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/ProgramDesc/Program.h"

#include <catch2/catch.hpp>

using namespace goldy;
using namespace goldy::prog;

namespace {

/// A program of two scalars, a buffer and a loop variable.
struct Sample {
  Program P;
  ExprId N, K, Len, I;
  Sample() {
    P.Devices = {"device"};
    P.Params = {{"n", types::U32, {}, {}}, {"k", types::I32, {}, {}}};
    Buffer X;
    X.Name = "x";
    X.Element = types::F32;
    X.Param = 2;
    X.Count = Len = P.Exprs.length(2);
    P.Params.push_back({"x", types::F32, P.Buffers.push(X), {}});
    P.Vars.push_back({"i", types::U32, {}});
    N = P.Exprs.param(0, types::U32);
    K = P.Exprs.param(1, types::I32);
    I = P.Exprs.var(0, types::U32);
  }
  ExprId op(ExprOp O, ExprId L, ExprId R) { return P.Exprs.binary(O, L, R); }
  ExprId u32(uint32_t V) { return P.Exprs.u32(V); }
  std::string text(ExprId E) { return exprText(P, E); }
};

} // namespace

TEST_CASE("equal expressions have one handle") {
  Sample S;
  ExprId A = S.op(ExprOp::Add, S.op(ExprOp::Mul, S.N, S.u32(2)), S.I);
  uint32_t Size = S.P.Exprs.size();
  ExprId B = S.op(ExprOp::Add, S.op(ExprOp::Mul, S.u32(2), S.N), S.I);
  CHECK(A == B);
  CHECK(S.P.Exprs.size() == Size);
  CHECK(S.op(ExprOp::Sub, S.N, S.I) != S.op(ExprOp::Sub, S.I, S.N));
  CHECK(S.P.Exprs.cast(S.K, types::U32) != S.K);
  CHECK(S.P.Exprs.constant(types::I32, 1) != S.u32(1));
}

TEST_CASE("constants fold by the language's rules") {
  Sample S;
  CHECK(S.op(ExprOp::Mul, S.u32(1u << 31), S.u32(2)) == S.u32(0));
  CHECK(S.op(ExprOp::Sub, S.u32(0), S.u32(1)) == S.u32(0xffffffffu));
  CHECK(S.op(ExprOp::Div, S.u32(7), S.u32(0)) == S.u32(7));
  CHECK(S.op(ExprOp::Rem, S.u32(7), S.u32(0)) == S.u32(0));
  CHECK(S.op(ExprOp::Shl, S.u32(3), S.u32(33)) == S.u32(6));
  ExprId Min = S.P.Exprs.constant(types::I32, 0x80000000u);
  ExprId MinusOne = S.P.Exprs.constant(types::I32, 0xffffffffu);
  CHECK(S.op(ExprOp::Div, Min, MinusOne) == Min);
  CHECK(S.op(ExprOp::Max, Min, MinusOne) == MinusOne);
  CHECK(S.P.Exprs.cast(MinusOne, types::U64) ==
        S.P.Exprs.constant(types::U64, ~uint64_t(0)));
}

TEST_CASE("what needs no operation makes none") {
  Sample S;
  for (ExprOp O : {ExprOp::Add, ExprOp::Sub, ExprOp::Or, ExprOp::Xor,
                   ExprOp::Shl, ExprOp::Shr, ExprOp::Div})
    CHECK(S.op(O, S.N, S.u32(0)) == S.N);
  CHECK(S.op(ExprOp::Mul, S.N, S.u32(1)) == S.N);
  CHECK(S.op(ExprOp::Mul, S.N, S.u32(0)) == S.u32(0));
  CHECK(S.op(ExprOp::Rem, S.N, S.u32(1)) == S.u32(0));
  CHECK(S.op(ExprOp::Min, S.N, S.N) == S.N);
}

TEST_CASE("expressions print with the fewest brackets") {
  Sample S;
  ExprId Sum = S.op(ExprOp::Add, S.N, S.I);
  CHECK(S.text(S.op(ExprOp::Mul, Sum, S.u32(2))) == "(n + i) * 2");
  CHECK(S.text(S.op(ExprOp::Sub, S.N, Sum)) == "n - (n + i)");
  CHECK(S.text(S.op(ExprOp::Sub, Sum, S.N)) == "n + i - n");
  CHECK(S.text(S.op(ExprOp::Min, S.Len, Sum)) == "gpu::min(x.len(), n + i)");
  CHECK(S.text(S.P.Exprs.cast(Sum, types::I32)) == "(n + i) as i32");
  CHECK(S.text(S.P.Exprs.constant(types::I32, 0xffffffffu)) == "-1");
  CHECK(S.P.Exprs.uses(Sum, 0));
  CHECK_FALSE(S.P.Exprs.uses(S.N, 0));
}

TEST_CASE("a program prints its buffers and steps") {
  Sample S;
  Module M;
  Function F;
  F.Name = "scale";
  F.Kind = FuncKind::Kernel;
  FuncId Scale = M.Functions.push(F);
  S.P.Name = "p";
  Buffer T;
  T.Name = "t";
  T.Kind = BufferKind::Temporary;
  T.Element = types::F32;
  T.Count = S.N;
  BufferId Temp = S.P.Buffers.push(T), X = S.P.Params[2].Buffer;
  Dispatch D;
  D.Kernel = Scale;
  D.Args = {{X, {}, {}}, {Temp, {}, {}}, {{}, S.I, {}}};
  D.Over.Size = {S.N, S.u32(1), S.u32(1)};
  Loop L;
  L.Lo = S.u32(0);
  L.Hi = S.N;
  L.By = S.u32(2);
  L.Stop = StopFlag{X, S.u32(1)};
  L.Body.push_back({D});
  Copy C{Temp, S.u32(0), X, S.N, S.u32(4), 0, {}};
  S.P.Steps.push_back({L});
  S.P.Steps.push_back({C});
  CHECK(programText(S.P, M) ==
        "program p(n: u32, k: i32, x: &mut [f32]) {\n"
        "    let t = gpu::temporary::<f32>(n);\n"
        "    for i in (0..n).step_by(2).while_flag(x, 1) {\n"
        "        scale(x, t, i).over_1d(n);\n"
        "    }\n"
        "    gpu::copy(t, 0, x, n, 4);\n"
        "}\n");
  unsigned Steps = 0;
  forEachStep(S.P.Steps, [&](Step &) { ++Steps; });
  CHECK(Steps == 3);
}
