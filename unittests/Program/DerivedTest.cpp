//===- DerivedTest.cpp - Derived ints -------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each operation gives in each domain, expressions, and the rules of
// derived ints and lengths.
//
//===----------------------------------------------------------------------===//
#include "Sample.h"

#include "program/Derived.h"

#include <catch2/catch.hpp>

using namespace goldy::program;

namespace {

std::optional<uint64_t> on(Op What, Domain In, int64_t A, int64_t B = 0) {
  return applyOp({What, In}, static_cast<uint64_t>(A),
                 static_cast<uint64_t>(B));
}
std::optional<int64_t> exact(Op What, int64_t A, int64_t B = 0) {
  std::optional<uint64_t> R = on(What, Domain::Exact, A, B);
  return R ? std::optional<int64_t>(static_cast<int64_t>(*R)) : std::nullopt;
}
uint64_t u32(Op What, int64_t A, int64_t B = 0) {
  return on(What, Domain::U32, A, B).value();
}
int64_t i32(Op What, int64_t A, int64_t B = 0) {
  return static_cast<int64_t>(on(What, Domain::I32, A, B).value());
}
uint64_t u64(Op What, uint64_t A, uint64_t B = 0) {
  return applyOp({What, Domain::U64}, A, B).value();
}
int64_t i64(Op What, int64_t A, int64_t B = 0) {
  return static_cast<int64_t>(on(What, Domain::I64, A, B).value());
}
constexpr int64_t Min32 = INT32_MIN, Max32 = INT32_MAX, All32 = UINT32_MAX;

} // namespace

TEST_CASE("exact operations end at 63 bits") {
  CHECK(exact(Op::Add, NumberMax, 0) == NumberMax);
  CHECK_FALSE(exact(Op::Add, NumberMax, 1));
  CHECK_FALSE(exact(Op::Sub, 0, NumberMin));
  CHECK(exact(Op::Sub, -1, NumberMin) == NumberMax);
  CHECK(exact(Op::Mul, Number(1) << 31, -(Number(1) << 31)) == NumberMin);
  CHECK_FALSE(exact(Op::Mul, Number(1) << 31, Number(1) << 31));
  CHECK_FALSE(exact(Op::Div, NumberMin, -1));
  CHECK(exact(Op::Div, -7, 2) == -3);
  CHECK(exact(Op::Mod, -7, 2) == -1);
  CHECK(exact(Op::DivCeil, 7, 2) == 4);
  CHECK(exact(Op::DivCeil, -7, 2) == -3);
  CHECK(exact(Op::DivCeil, -7, -2) == 4);
  CHECK(exact(Op::DivCeil, 8, 2) == 4);
  for (Op What : {Op::Div, Op::DivCeil})
    CHECK(exact(What, 5, 0) == 5);
  CHECK(exact(Op::Mod, 5, 0) == 0);
  CHECK(exact(Op::Shl, 1, 61) == Number(1) << 61);
  CHECK_FALSE(exact(Op::Shl, 1, 62));
  CHECK(exact(Op::Shl, -1, 62) == NumberMin);
  CHECK(exact(Op::Shl, 0, 62) == 0);
  CHECK_FALSE(exact(Op::Shl, 0, 63));
  CHECK_FALSE(exact(Op::Shr, 8, -1));
  CHECK(exact(Op::Shr, -8, 1) == -4);
  CHECK(exact(Op::And, -1, 12) == 12);
  CHECK(exact(Op::Or, 8, 1) == 9);
  CHECK(exact(Op::Xor, 9, 1) == 8);
  CHECK(exact(Op::Min, -2, 3) == -2);
  CHECK(exact(Op::Max, -2, 3) == 3);
  CHECK(exact(Op::Eq, 3, 3) == 1);
  CHECK(exact(Op::Lt, 3, 3) == 0);
  CHECK(exact(Op::Lt, -3, 3) == 1);
  CHECK(exact(Op::Cast, NumberMax) == NumberMax);
  CHECK_FALSE(exact(Op::Cast, NumberMax + 1));
  CHECK_FALSE(exact(Op::Min, NumberMax + 1, 0));
}

TEST_CASE("operations of 32 bits wrap as the language does") {
  CHECK(u32(Op::Add, All32, 1) == 0);
  CHECK(u32(Op::Sub, 0, 1) == 0xffffffff);
  CHECK(u32(Op::Mul, All32, All32) == 1);
  CHECK(u32(Op::Div, 7, 0) == 7);
  CHECK(u32(Op::Mod, 7, 0) == 0);
  CHECK(u32(Op::DivCeil, All32, 2) == 0x80000000);
  CHECK(u32(Op::Shl, All32, 33) == 0xfffffffe);
  CHECK(u32(Op::Shr, All32, 36) == 0x0fffffff);
  CHECK(u32(Op::Lt, -1, 0) == 0);
  CHECK(u32(Op::Max, -1, 0) == 0xffffffff);
  CHECK(u32(Op::Cast, -1) == 0xffffffff);
  CHECK(u32(Op::Xor, 5, -1) == 0xfffffffa);
  CHECK(i32(Op::Add, Max32, 1) == Min32);
  CHECK(i32(Op::Mul, 65536, 65536) == 0);
  CHECK(i32(Op::Div, Min32, -1) == Min32);
  CHECK(i32(Op::Mod, Min32, -1) == 0);
  CHECK(i32(Op::Div, -7, 0) == -7);
  CHECK(i32(Op::Mod, -7, 2) == -1);
  CHECK(i32(Op::Shr, -8, 33) == -4);
  CHECK(i32(Op::Shl, 1, 31) == Min32);
  CHECK(i32(Op::Lt, All32, 0) == 1);
  CHECK(i32(Op::Cast, All32) == -1);
}

TEST_CASE("operations of 64 bits wrap as the language does") {
  CHECK(u64(Op::Sub, 0, 1) == UINT64_MAX);
  CHECK(u64(Op::Div, UINT64_MAX, 2) == UINT64_MAX / 2);
  CHECK(u64(Op::DivCeil, UINT64_MAX, 2) == uint64_t(1) << 63);
  CHECK(u64(Op::Lt, 0, UINT64_MAX) == 1);
  CHECK(u64(Op::Shr, UINT64_MAX, 127) == 1);
  CHECK(i64(Op::Div, INT64_MIN, -1) == INT64_MIN);
  CHECK(i64(Op::Mod, INT64_MIN, -1) == 0);
  CHECK(i64(Op::Mul, INT64_MIN, -1) == INT64_MIN);
  CHECK(i64(Op::Lt, -1, 0) == 1);
  CHECK(i64(Op::Shr, -1, 200) == -1);
}

TEST_CASE("expressions are evaluated over the ints") {
  std::vector<uint64_t> Ints{1000, 0, 7};
  DerivedInt Groups{
      1, {IntWord{0}, Fixed{256}, Apply{Op::DivCeil, Domain::U32}}, "n / 256"};
  CHECK(evaluate(Groups, Ints).Value == 4);
  CHECK(evaluate(Groups, Ints).ok());
  // (1000 - 7) * -(2)
  DerivedInt Deep{1,
                  {IntWord{0}, IntWord{2}, Apply{Op::Sub, Domain::Exact},
                   Fixed{0}, Fixed{2}, Apply{Op::Sub, Domain::Exact},
                   Apply{Op::Mul, Domain::Exact}},
                  ""};
  CHECK(static_cast<int64_t>(evaluate(Deep, Ints).Value) == -1986);
  Ints[0] = static_cast<uint64_t>(NumberMax);
  Evaluation E = evaluate(Deep, Ints);
  CHECK(E.Failed == 6);
  CHECK(evaluationError(Deep, E, Ints) ==
        "the expression of int 1: `mul` of 4611686018427387896 and -2 is not "
        "exact in 63 bits");
  DerivedInt Bytes{
      1, {IntWord{0}, Fixed{63}, Apply{Op::Shl, Domain::Exact}}, "n << 63"};
  CHECK(evaluationError(Bytes, evaluate(Bytes, Ints), Ints) ==
        "`n << 63`: `shl` of 4611686018427387903 and 63 is not exact in 63 "
        "bits, or shifts by no amount of 0 to 62");
  DerivedInt Cast{1, {IntWord{0}, Apply{Op::Cast, Domain::Exact}}, "n"};
  Ints[0] = UINT64_MAX / 2;
  CHECK(evaluationError(Cast, evaluate(Cast, Ints), Ints) ==
        "`n`: `cast` of 9223372036854775807 is not exact in 63 bits");
}

TEST_CASE("P29 the word of a derived int is one of the ints") {
  refuses(Rule::DerivedWord, "steps[1].derived[0].word: int 4 of 4",
          [](ProgramDesc &P) { loopAt(P, {1}).Derived[0].Word = 4; });
  refuses(Rule::DerivedWord, "steps[1].derived[1].word: int -1 of 4",
          [](ProgramDesc &P) { loopAt(P, {1}).Derived[1].Word = -1; });
  refuses(Rule::IntRange, "steps[1].derived[0].is[0]: int 4 of 4",
          [](ProgramDesc &P) { loopAt(P, {1}).Derived[0].Is[0] = IntWord{4}; });
}

TEST_CASE("P37 an expression leaves one value") {
  refuses(Rule::ExpressionForm, "steps[1].derived[0].is: 0 values at its end",
          [](ProgramDesc &P) { loopAt(P, {1}).Derived[0].Is.clear(); });
  refuses(Rule::ExpressionForm, "steps[1].derived[0].is: 2 values at its end",
          [](ProgramDesc &P) { loopAt(P, {1}).Derived[0].Is.pop_back(); });
  refuses(Rule::ExpressionForm,
          "steps[1].derived[0].is[0]: an operation on 1 values where there are "
          "0",
          [](ProgramDesc &P) {
            loopAt(P, {1}).Derived[0].Is = {Apply{Op::Cast, Domain::U32}};
          });
  refuses(Rule::ExpressionForm,
          "steps[1].derived[1].is[1]: an operation on 2 values where there are "
          "1",
          [](ProgramDesc &P) {
            loopAt(P, {1}).Derived[1].Is[1] = Apply{Op::Add, Domain::U32};
          });
}

TEST_CASE("P38 an input's length is one of the ints") {
  refuses(Rule::LengthWord, "inputs[0].length.word: int 4 of 4",
          [](ProgramDesc &P) { P.Inputs[0].Length->Word = 4; });
  refuses(Rule::LengthWord, "inputs[0].length.word: int -1 of 4",
          [](ProgramDesc &P) { P.Inputs[0].Length->Word = -1; });
  refuses(Rule::LengthWord, "inputs[0].length.stride: 0 bytes",
          [](ProgramDesc &P) { P.Inputs[0].Length->Stride = 0; });
}

TEST_CASE("P54 expressions are bounded") {
  refuses(Rule::ExpressionLimit, "steps[1].derived[0].is: 4097 nodes",
          [](ProgramDesc &P) {
            loopAt(P, {1}).Derived[0].Is.resize(4097, Fixed{1});
          });
  refuses(Rule::ExpressionLimit, "steps[1].derived[0].is[16]: 17 values",
          [](ProgramDesc &P) {
            loopAt(P, {1}).Derived[0].Is.assign(17, Fixed{1});
          });
  ProgramDesc P = sample();
  Expression &Is = loopAt(P, {1}).Derived[0].Is;
  Is.assign(16, Fixed{1});
  Is.resize(31, Apply{Op::Add, Domain::Exact});
  CHECK_FALSE(check(P));
  CHECK(evaluate(loopAt(P, {1}).Derived[0], {}).Value == 16);
}
