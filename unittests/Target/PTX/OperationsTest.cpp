//===- OperationsTest.cpp - Every operation of the legal form ---*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each test stores the results of one group of operations and looks for the
// instruction that has the language's meaning.
//
//===----------------------------------------------------------------------===//
#include "PtxTest.h"

using namespace goldy;
using namespace goldy::test;

namespace {

/// o[n] = the value, o of the value's type.
struct Results {
  Kernel K;
  uint32_t Next = 0;
  explicit Results(TypeId T, TypeId Out)
      : K({buffer("o", Out, Access::ReadWrite), buffer("x", T, Access::Read)}) {
  }
  ValueId input(uint32_t N) { return K.B.load(K.at(1, K.B.u32(N))); }
  void keep(ValueId V) { K.B.store(K.at(0, K.B.u32(Next++)), V); }
};

} // namespace

TEST_CASE(
    "float arithmetic is rounded to nearest, flushed and not contracted") {
  Results R(types::F32, types::F32);
  ValueId X = R.input(0), Y = R.input(1), Z = R.input(2);
  Builder &B = R.K.B;
  R.keep(B.op(Op::Add, {B.op(Op::Mul, {X, Y}), Z}));
  R.keep(B.op(Op::Sub, {X, Y}));
  R.keep(B.op(Op::Div, {X, Y}));
  R.keep(B.op(Op::Sqrt, {X}));
  R.keep(B.op(Op::Fma, {X, Y, Z}));
  std::string Text = R.K.text();
  INFO(Text);
  CHECK(count(Text, "mul.rn.ftz.f32") == 1);
  CHECK(count(Text, "add.rn.ftz.f32") == 1);
  CHECK(count(Text, "sub.rn.ftz.f32") == 1);
  CHECK(count(Text, "div.rn.ftz.f32") == 1);
  CHECK(count(Text, "sqrt.rn.ftz.f32") == 1);
  CHECK(count(Text, "fma.rn.ftz.f32") == 1);
}

TEST_CASE("float constants are not folded through operations") {
  Results R(types::F32, types::F32);
  Builder &B = R.K.B;
  ValueId Tiny = B.f32Bits(0x00000001u), One = B.f32Bits(0x3f800000u);
  R.keep(B.op(Op::Mul, {Tiny, One}));
  R.keep(B.op(Op::Add, {Tiny, B.f32Bits(0x80000000u)}));
  R.keep(B.op(Op::Sub, {R.input(0), B.f32Bits(0)}));
  std::string Text = R.K.text();
  INFO(Text);
  CHECK(count(Text, "mul.rn.ftz.f32") == 1);
  CHECK(count(Text, "add.rn.ftz.f32") == 1);
  CHECK(count(Text, "sub.rn.ftz.f32") == 1);
}

TEST_CASE("rounding to integers") {
  Results R(types::F32, types::F32);
  for (Op O : {Op::Floor, Op::Ceil, Op::Trunc, Op::RoundEven})
    R.keep(R.K.B.op(O, {R.input(0)}));
  std::string Text = R.K.text();
  INFO(Text);
  CHECK(has(Text, "cvt.rmi.ftz.f32.f32"));
  CHECK(has(Text, "cvt.rpi.ftz.f32.f32"));
  CHECK(has(Text, "cvt.rzi.ftz.f32.f32"));
  CHECK(has(Text, "cvt.rni.ftz.f32.f32"));
}

TEST_CASE("a compare and a select are a minimum beside a normal number only") {
  Results R(types::F32, types::F32);
  Builder &B = R.K.B;
  ValueId X = R.input(0), Y = R.input(1), One = B.f32Bits(0x3f800000u);
  for (Op O : {Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne}) {
    R.keep(B.select(B.op(O, {X, Y}), X, Y));
    R.keep(B.select(B.op(O, {X, One}), X, One));
  }
  std::string Text = R.K.text();
  INFO(Text);
  for (const char *What : {"lt", "le", "gt", "ge"})
    CHECK(count(Text, std::string("setp.") + What + ".ftz.f32") == 1);
  for (const char *What : {"eq", "neu"})
    CHECK(count(Text, std::string("setp.") + What + ".ftz.f32") == 2);
  CHECK(count(Text, "selp.f32") + count(Text, "selp.b32") == 8);
  CHECK(count(Text, "min.f32") == 1); // the other one is the same
  CHECK(count(Text, "max.f32") == 1);
  CHECK_FALSE(has(Text, ".NaN"));
}

TEST_CASE("zeros, subnormals and infinities are compared by the rule") {
  Results R(types::F32, types::F32);
  Builder &B = R.K.B;
  for (uint32_t Bits : {0u, 0x80000000u, 0x007fffffu, 0x7f800000u}) {
    ValueId Other = B.f32Bits(Bits);
    R.keep(B.select(B.op(Op::Lt, {R.input(0), Other}), R.input(0), Other));
  }
  std::string Text = R.K.text();
  INFO(Text);
  CHECK_FALSE(has(Text, "min."));
}

TEST_CASE("sign operations on the bits stay integer operations") {
  // A float abs or neg would flush and change NaNs.
  Results R(types::F32, types::F32);
  Builder &B = R.K.B;
  for (Op O : {Op::And, Op::Xor, Op::Or}) {
    ValueId Float[] = {R.input(0)};
    ValueId Bits = B.opTyped(Op::ToBits, types::U32, Float);
    uint32_t Mask = O == Op::And ? 0x7fffffffu : 0x80000000u;
    ValueId Changed[] = {B.op(O, {Bits, B.u32(Mask)})};
    R.keep(B.opTyped(Op::FromBits, types::F32, Changed));
  }
  std::string Text = R.K.text();
  INFO(Text);
  CHECK_FALSE(has(Text, "abs"));
  CHECK_FALSE(has(Text, "neg"));
  CHECK(count(Text, ".b32 ") > 3);
}

TEST_CASE("canonical NaNs and flushes are integer code") {
  Results R(types::F32, types::F32);
  R.keep(R.K.B.op(Op::CanonNan, {R.input(0)}));
  R.keep(R.K.B.op(Op::Flush, {R.input(1)}));
  std::string Text = R.K.text();
  INFO(Text);
  CHECK(has(Text, "2143289344")); // 0x7fc00000
  CHECK_FALSE(has(Text, "mul."));
  CHECK_FALSE(has(Text, "testp"));
}

TEST_CASE("integer arithmetic") {
  for (TypeId T : {types::U32, types::I32}) {
    Results R(T, T);
    Builder &B = R.K.B;
    ValueId X = R.input(0), Y = R.input(1);
    for (Op O : {Op::Add, Op::Sub, Op::Mul, Op::RawDiv, Op::Min, Op::Max,
                 Op::And, Op::Or, Op::Xor, Op::RawShl, Op::RawShr,
                 Op::RotateLeft, Op::RotateRight, Op::MulHi})
      R.keep(B.op(O, {X, Y}));
    for (Op O : {Op::Neg, Op::Not, Op::ReverseBits})
      R.keep(B.op(O, {X}));
    R.keep(B.op(Op::RawRem, {Y, X}));
    std::string Text = R.K.text();
    INFO(Text);
    const char *S = T == types::I32 ? "s32" : "u32";
    for (const char *What : {"div.", "rem.", "min.", "max.", "mul.hi."})
      CHECK(has(Text, What + std::string(S)));
    CHECK(has(Text, "brev.b32"));
    CHECK(has(Text, "shf."));
  }
}

TEST_CASE("bit counts") {
  Results R(types::I32, types::U32);
  for (Op O : {Op::CountOnes, Op::LeadingZeros, Op::TrailingZeros}) {
    ValueId Args[] = {R.input(0)};
    R.keep(R.K.B.opTyped(O, types::U32, Args));
  }
  std::string Text = R.K.text();
  CHECK(has(Text, "popc.b32"));
  CHECK(has(Text, "clz.b32"));
}

TEST_CASE("conversions") {
  Results R(types::F32, types::F32);
  Builder &B = R.K.B;
  ValueId I = B.cast(R.input(0), types::I32);
  ValueId U = B.cast(R.input(1), types::U32);
  ValueId Raw[] = {R.input(2)};
  ValueId T = B.opTyped(Op::RawFloatToInt, types::I32, Raw);
  R.keep(B.cast(B.op(Op::Add, {I, T}), types::F32));
  R.keep(B.cast(U, types::F32));
  std::string Text = R.K.text();
  INFO(Text);
  CHECK(count(Text, "cvt.rzi.ftz.s32.f32") == 2);
  CHECK(count(Text, "cvt.rzi.ftz.u32.f32") == 1);
  CHECK(has(Text, "cvt.rn.f32.s32"));
  CHECK(has(Text, "cvt.rn.f32.u32"));
}
