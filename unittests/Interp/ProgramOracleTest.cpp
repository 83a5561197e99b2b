//===- ProgramOracleTest.cpp - The oracle of programs, values by hand -----===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs are made step by step, so that nothing of the frontend is between
// what a test says and what the oracle does.
//
//===----------------------------------------------------------------------===//
#include "goldyc/IR/Text.h"
#include "goldyc/Interp/Program.h"

#include <catch2/catch.hpp>
#include <numeric>

using namespace goldy;
using namespace goldy::prog;

namespace {

using Words = std::vector<uint32_t>;

/// `y[i] = x[i] + v` for `i` in both, groups of four; `y[0] = v`, one item.
Module kernels() {
  SourceManager SM;
  FileId File =
      SM.add("test.goldy", "#![goldy::ir]\n"
                           "#[goldy::compute(workgroup_size = [4, 1, 1])]\n"
                           "fn add(x: &[u32], y: &mut [u32], v: u32) {\n"
                           "    let i: u32 = gpu::global_id().x;\n"
                           "    let a: u32 = x[i];\n"
                           "    let b: u32 = a + v;\n"
                           "    y[i] = b;\n"
                           "}\n");
  DiagSink Diags;
  std::optional<Module> M = parseIRText(SM, File, Diags);
  for (const Diagnostic &D : Diags.diagnostics())
    UNSCOPED_INFO(D.Message);
  REQUIRE(M);
  return std::move(*M);
}

/// A program over `x` (read) and `y`, and the u32 `n`.
class Made {
public:
  Made() {
    P.Name = "p";
    X = input("x", Access::Read);
    Y = input("y", Access::ReadWrite);
    P.Params.push_back({"n", types::U32, {}, {}});
    N = P.Exprs.param(2, types::U32);
  }

  BufferId input(const std::string &Name, Access Acc) {
    Buffer B;
    B.Name = Name;
    B.Element = types::U32;
    B.Acc = Acc;
    B.Param = static_cast<uint32_t>(P.Params.size());
    B.Count = P.Exprs.length(B.Param);
    BufferId Id = P.Buffers.push(B);
    P.Params.push_back({Name, types::U32, Id, {}});
    return Id;
  }

  BufferId buffer(BufferKind Kind, ExprId Count, bool TwoCopies = false) {
    Buffer B;
    B.Name = "t";
    B.Kind = Kind;
    B.Element = types::U32;
    B.Count = Count;
    B.TwoCopies = TwoCopies;
    return P.Buffers.push(B);
  }

  Step add(BufferId From, BufferId To, ExprId V, ExprId Over) {
    Dispatch D;
    D.Kernel = M.kernels()[0];
    D.Args = {{From, {}, {}}, {To, {}, {}}, {{}, V, {}}};
    D.Over.Size = {Over, P.Exprs.u32(1), P.Exprs.u32(1)};
    return {D};
  }

  Step copy(BufferId From, ExprId At, BufferId To, ExprId Where, ExprId Count) {
    return {Copy{From, At, To, Where, Count, 0, {}}};
  }

  Loop loop(ExprId Lo, ExprId Hi, TypeId Type = types::U32) {
    Loop L;
    L.Var = static_cast<uint32_t>(P.Vars.size());
    P.Vars.push_back({"i", Type, {}});
    L.Lo = Lo;
    L.Hi = Hi;
    L.By = P.Exprs.u32(1);
    return L;
  }

  ExprId u32(uint32_t V) { return P.Exprs.u32(V); }

  Module M = kernels();
  Program P;
  BufferId X, Y;
  ExprId N;
};

std::string run(ProgramOracle &O, Words &X, Words &Y, uint32_t N,
                uint64_t Limit = 0) {
  std::vector<InterpArgument> Args(3);
  Args[0].Bytes = std::as_writable_bytes(std::span(X));
  Args[1].Bytes = std::as_writable_bytes(std::span(Y));
  Args[2].Bits = N;
  std::optional<InterpFault> Why = O.run(Args, {Limit});
  return Why ? Why->Message : "";
}

} // namespace

TEST_CASE("a temporary carries values, is whole, and is other in each run") {
  Made A;
  BufferId T = A.buffer(BufferKind::Temporary, A.N);
  A.P.Steps = {A.add(A.X, T, A.u32(1), A.N),
               A.copy(T, A.u32(0), A.Y, A.u32(1), A.u32(2))};
  ProgramOracle O(A.M, A.P);
  Words X{5, 6, 7}, Y(4, 9);
  CHECK(run(O, X, Y, 2) == "");
  CHECK(Y == Words{9, 6, 7, 9});
  CHECK(run(O, X, Y, 1) == "a copy of 2 elements at 0 is past the end of `t`, "
                           "which has 1");
  A.P.Steps = {A.copy(T, A.u32(0), A.Y, A.u32(0), A.u32(1))};
  CHECK(run(O, X, Y, 1) == "");
  uint32_t First = Y[0];
  CHECK(run(O, X, Y, 1) == "");
  CHECK(Y[0] != First);
}

TEST_CASE("owned memory starts as zeros and is kept, in one copy and in two") {
  for (bool Two : {false, true}) {
    Made A;
    BufferId S = A.buffer(BufferKind::Owned, A.u32(2), Two);
    A.P.Steps = {A.add(S, S, A.N, A.u32(2)),
                 A.copy(S, A.u32(0), A.Y, A.u32(0), A.u32(2))};
    ProgramOracle O(A.M, A.P);
    Words X, Y(2), Seen;
    for (uint32_t Run = 1; Run <= 5; ++Run) {
      REQUIRE(run(O, X, Y, Run) == "");
      Seen.push_back(Y[1]);
    }
    CHECK(Seen == (Two ? Words{1, 2, 4, 6, 9} : Words{1, 3, 6, 10, 15}));
  }
}

TEST_CASE("a run that fails at a step counts") {
  Made A;
  BufferId S = A.buffer(BufferKind::Owned, A.u32(1), true);
  A.P.Steps = {A.add(S, S, A.u32(1), A.u32(1)),
               A.copy(S, A.u32(0), A.Y, A.N, A.u32(1))};
  ProgramOracle O(A.M, A.P);
  Words X, Y(1);
  CHECK(run(O, X, Y, 0) == "");
  CHECK(run(O, X, Y, 1) != "");
  CHECK(run(O, X, Y, 0) == "");
  CHECK(Y[0] == 2);
  CHECK(run(O, X, Y, 0) == "");
  CHECK(Y[0] == 2);
}

TEST_CASE("a dispatch over nothing does nothing, on any axis") {
  Made A;
  Step S = A.add(A.X, A.Y, A.u32(1), A.u32(4));
  Dispatch &D = std::get<Dispatch>(S.Kind);
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    D.Over.Size = {A.u32(1), A.u32(1), A.u32(1)};
    D.Over.Size[Axis] = A.N;
    for (Grid::Kind Form : {Grid::Kind::Items, Grid::Kind::Groups}) {
      D.Over.Form = Form;
      A.P.Steps = {S};
      ProgramOracle O(A.M, A.P);
      Words X{1}, Y{7};
      CHECK(run(O, X, Y, 0) == "");
      CHECK(Y[0] == 7);
      CHECK(run(O, X, Y, 1) == "");
      CHECK(Y[0] == 2);
    }
  }
}

TEST_CASE("loops read their bounds once, nest, step and never wrap") {
  Made A;
  Loop Outer = A.loop(A.u32(1), A.N);
  ExprId I = A.P.Exprs.var(Outer.Var, types::U32);
  Loop Inner = A.loop(A.u32(0), I);
  ExprId J = A.P.Exprs.var(Inner.Var, types::U32);
  ExprId V = A.P.Exprs.binary(ExprOp::Add, I, J);
  Inner.Body = {A.add(A.Y, A.Y, V, A.u32(1))};
  Outer.Body = {{Inner}};
  A.P.Steps = {{Outer}};
  ProgramOracle O(A.M, A.P);
  Words X, Y{0};
  CHECK(run(O, X, Y, 4) == "");
  CHECK(Y[0] == 1 + (2 + 3) + (3 + 4 + 5));
  Y = {0};
  CHECK(run(O, X, Y, 0) == "");
  CHECK(Y[0] == 0);
}

TEST_CASE("the last value of the type ends a loop") {
  Made A;
  Loop L = A.loop(A.P.Exprs.constant(types::I32, 0x7ffffffd),
                  A.P.Exprs.constant(types::I32, 0x7fffffff), types::I32);
  L.Inclusive = true;
  L.By = A.u32(2);
  L.Body = {A.add(A.Y, A.Y, A.u32(1), A.u32(1))};
  Loop Down =
      A.loop(A.P.Exprs.constant(types::I32, 0xfffffffe), A.N, types::I32);
  Down.Hi = A.P.Exprs.constant(types::I32, 1);
  Down.Body = {A.add(A.Y, A.Y, A.u32(10), A.u32(1))};
  A.P.Steps = {{L}, {Down}};
  ProgramOracle O(A.M, A.P);
  Words X, Y{0};
  CHECK(run(O, X, Y, 0) == "");
  CHECK(Y[0] == 2 + 30);
}

TEST_CASE("a stop flag is the low byte of its element, read before each trip") {
  Made A;
  Loop L = A.loop(A.u32(0), A.N);
  L.Stop = StopFlag{A.Y, A.u32(1)};
  L.Body = {A.add(A.Y, A.Y, A.u32(0xffffffff), A.u32(2))};
  A.P.Steps = {{L}};
  ProgramOracle O(A.M, A.P);
  Words X, Y{9, 3};
  CHECK(run(O, X, Y, 8) == "");
  CHECK(Y == Words{6, 0});
  Y = {9, 0x100};
  CHECK(run(O, X, Y, 8) == "");
  CHECK(Y == Words{9, 0x100});
  Y = {9, 5};
  CHECK(run(O, X, Y, 2) == "");
  CHECK(Y == Words{7, 3});
  Y = {9};
  CHECK(run(O, X, Y, 1) == "element 1 of the stop flag is past the end of `y`");
}

TEST_CASE("a copy moves with the loop; refused, it writes nothing") {
  Made A;
  Loop L = A.loop(A.u32(0), A.N);
  ExprId I = A.P.Exprs.var(L.Var, types::U32);
  ExprId Twice = A.P.Exprs.binary(ExprOp::Mul, I, A.u32(2));
  L.Body = {A.copy(A.X, I, A.Y, Twice, A.u32(2))};
  A.P.Steps = {{L}};
  ProgramOracle O(A.M, A.P);
  Words X{1, 2, 3}, Y(4, 9);
  CHECK(run(O, X, Y, 2) == "");
  CHECK(Y == Words{1, 2, 2, 3});
  Y = Words(4, 9);
  CHECK(run(O, X, Y, 3) == "a copy of 2 elements at 2 is past the end of `x`, "
                           "which has 3");
  CHECK(Y == Words{1, 2, 2, 3});
}

TEST_CASE("a copy onto itself is refused, beside itself it is made") {
  Made A;
  A.P.Steps = {A.copy(A.Y, A.u32(0), A.Y, A.N, A.u32(2))};
  ProgramOracle O(A.M, A.P);
  Words X, Y{1, 2, 3, 4};
  CHECK(run(O, X, Y, 1) == "the ends of a copy share bytes");
  CHECK(Y == Words{1, 2, 3, 4});
  CHECK(run(O, X, Y, 2) == "");
  CHECK(Y == Words{1, 2, 1, 2});
}

TEST_CASE("numbers follow the language: wrapping, division by zero, shifts") {
  Made A;
  ExprTable &E = A.P.Exprs;
  ExprId Zero = E.binary(ExprOp::Sub, A.N, A.N);
  struct {
    ExprId Value;
    uint32_t Want;
  } const Rows[] = {
      {E.binary(ExprOp::Sub, A.u32(3), A.N), 0xfffffffc},
      {E.binary(ExprOp::Mul, A.N, A.u32(0x80000001)), 0x80000007},
      {E.binary(ExprOp::Div, A.N, Zero), 7},
      {E.binary(ExprOp::Rem, A.N, Zero), 0},
      {E.binary(ExprOp::Shl, A.u32(1), E.binary(ExprOp::Add, A.N, A.u32(26))),
       2},
      {E.binary(ExprOp::Max, A.N, A.u32(9)), 9},
      {E.cast(E.binary(ExprOp::Div,
                       E.cast(E.binary(ExprOp::Sub, Zero, A.N), types::I32),
                       E.constant(types::I32, 2)),
              types::U32),
       0xfffffffd}};
  for (const auto &Row : Rows) {
    A.P.Steps = {A.add(A.X, A.Y, Row.Value, A.u32(1))};
    ProgramOracle O(A.M, A.P);
    Words X{0}, Y{0};
    REQUIRE(run(O, X, Y, 7) == "");
    CHECK(Y[0] == Row.Want);
  }
}

TEST_CASE("host functions get buffers and values, and may end the run") {
  Made A;
  HostCall H;
  H.Name = "f";
  H.Args = {{A.Y, {}, {}}, {{}, A.N, {}}};
  A.P.Steps = {{H}, A.add(A.Y, A.Y, A.u32(1), A.u32(1))};
  ProgramOracle O(A.M, A.P);
  Words X, Y{3};
  CHECK(run(O, X, Y, 5) == "there is no host function `f`");
  O.setHostFunction("f", [](std::span<const InterpArgument> Args) {
    Args[0].Bytes[0] = static_cast<std::byte>(Args[1].Bits);
    return Args[1].Bits == 6 ? 4 : 0;
  });
  CHECK(run(O, X, Y, 5) == "");
  CHECK(Y[0] == 6);
  CHECK(run(O, X, Y, 6) == "the host function `f` gave 4");
}

TEST_CASE("endless trips meet the limit, too much memory is refused") {
  Made A;
  Loop L = A.loop(A.u32(0), A.u32(0xffffffff));
  A.P.Steps = {{L}};
  ProgramOracle O(A.M, A.P);
  Words X, Y;
  CHECK(run(O, X, Y, 1, 100) == "the limit of loop repetitions is reached");
  A.buffer(BufferKind::Temporary, A.u32(0xffffffff));
  ProgramOracle Large(A.M, A.P);
  CHECK(run(Large, X, Y, 1) == "`t` takes more memory than the interpreter "
                               "gives temporaries");
}
