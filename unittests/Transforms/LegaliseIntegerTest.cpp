//===- LegaliseIntegerTest.cpp - Integers, conversions, bools ---*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every integer operation and conversion, every target, over pairs of edge
// values: the legal form gives what the language says.
//
//===----------------------------------------------------------------------===//
#include "LegaliseTest.h"

using namespace goldy;
using namespace goldy::test;

static void checkBinary(Op O, TypeId T, const Capabilities &Caps) {
  Definition D({T, T}, T);
  D.result(D.B.op(O, {D.scalar(0), D.scalar(1)}));
  Legalised L(D, Caps);
  for (uint32_t X : integerEdges())
    for (uint32_t Y : integerEdges()) {
      uint32_t Want = expected(O, T, T, {X, Y}), Got = L.run({X, Y});
      INFO(Caps.Arch << ": " << opInfo(O).Name << ' ' << hex(X) << ' '
                     << hex(Y));
      if (Got != Want)
        FAIL("got " << hex(Got) << ", expected " << hex(Want));
    }
}

/// The same with the second operand a constant.
static void checkConstant(Op O, TypeId T, const Capabilities &Caps) {
  for (uint32_t Y : integerEdges()) {
    Definition D({T}, T);
    D.result(D.B.op(O, {D.scalar(0), D.B.constant(T, Y)}));
    Legalised L(D, Caps);
    for (uint32_t X : integerEdges()) {
      uint32_t Want = expected(O, T, T, {X, Y}), Got = L.run({X});
      INFO(Caps.Arch << ": " << opInfo(O).Name << ' ' << hex(X) << ' '
                     << hex(Y));
      if (Got != Want)
        FAIL("got " << hex(Got) << ", expected " << hex(Want));
    }
  }
}

static void checkUnary(Op O, TypeId T, TypeId Result,
                       const std::vector<uint32_t> &Values,
                       const Capabilities &Caps) {
  Definition D({T}, Result);
  ValueId Args[] = {D.scalar(0)};
  D.result(D.B.opTyped(O, Result, Args));
  Legalised L(D, Caps);
  for (uint32_t X : Values) {
    uint32_t Want = expected(O, T, Result, {X}), Got = L.run({X});
    INFO(Caps.Arch << ": " << opInfo(O).Name << ' ' << hex(X));
    if (Got != Want)
      FAIL("got " << hex(Got) << ", expected " << hex(Want));
  }
}

TEST_CASE("integer operations of two operands") {
  const Op Ops[] = {Op::Add, Op::Sub, Op::Mul,        Op::Div,        Op::Rem,
                    Op::Min, Op::Max, Op::And,        Op::Or,         Op::Xor,
                    Op::Shl, Op::Shr, Op::RotateLeft, Op::RotateRight};
  forEachTarget([&](const Capabilities &Caps) {
    for (TypeId T : {types::U32, types::I32})
      for (Op O : Ops)
        checkBinary(O, T, Caps);
  });
}

TEST_CASE("upper products") {
  forEachTarget([&](const Capabilities &Caps) {
    checkBinary(Op::MulHi, types::U32, Caps);
    checkBinary(Op::MulHi, types::I32, Caps);
  });
}

TEST_CASE("constant divisors and shift amounts") {
  forEachTarget([&](const Capabilities &Caps) {
    for (TypeId T : {types::U32, types::I32})
      for (Op O : {Op::Div, Op::Rem, Op::Shl, Op::Shr, Op::RotateLeft})
        checkConstant(O, T, Caps);
  });
}

TEST_CASE("a constant divisor other than 0 and -1 needs no select") {
  Definition D({types::I32}, types::I32);
  D.result(D.B.op(Op::Div, {D.scalar(0), D.B.i32(10)}));
  Legalised L(D, *capabilitiesFor("x86-64-v3"));
  CHECK(L.text().find("select") == std::string::npos);
}

TEST_CASE("a shift amount of another type") {
  forEachTarget([&](const Capabilities &Caps) {
    Definition D({types::I32, types::U32}, types::I32);
    D.result(D.B.op(Op::Shr, {D.scalar(0), D.scalar(1)}));
    Legalised L(D, Caps);
    CHECK(L.run({0x80000000u, 33}) == 0xc0000000u);
  });
}

TEST_CASE("integer operations of one operand") {
  forEachTarget([&](const Capabilities &Caps) {
    for (TypeId T : {types::U32, types::I32}) {
      for (Op O : {Op::Not, Op::Neg, Op::ReverseBits})
        checkUnary(O, T, T, integerEdges(), Caps);
      for (Op O : {Op::CountOnes, Op::LeadingZeros, Op::TrailingZeros})
        checkUnary(O, T, types::U32, integerEdges(), Caps);
    }
    checkUnary(Op::Abs, types::I32, types::I32, integerEdges(), Caps);
  });
}

TEST_CASE("conversions") {
  forEachTarget([&](const Capabilities &Caps) {
    for (TypeId T : {types::U32, types::I32}) {
      checkUnary(Op::Cast, types::F32, T, floatEdges(), Caps);
      checkUnary(Op::Cast, T, types::F32, integerEdges(), Caps);
    }
    checkUnary(Op::Cast, types::U32, types::I32, integerEdges(), Caps);
  });
}

TEST_CASE("conversions of random values") {
  Random R;
  std::vector<uint32_t> Words;
  for (unsigned N = 0; N < 2000; ++N)
    Words.push_back(R.word());
  forEachTarget([&](const Capabilities &Caps) {
    checkUnary(Op::Cast, types::F32, types::I32, Words, Caps);
    checkUnary(Op::Cast, types::F32, types::U32, Words, Caps);
    checkUnary(Op::Cast, types::U32, types::F32, Words, Caps);
  });
}

// --- Bool

TEST_CASE("bool parameters and buffers are words") {
  forEachTarget([&](const Capabilities &Caps) {
    Definition D({types::Bool}, types::Bool);
    ValueId Old = D.B.load(D.output(1));
    D.result(D.B.op(Op::Xor, {D.scalar(0), Old}));
    Legalised L(D, Caps);
    // The buffer starts as 0xdddddddd, which reads as true.
    CHECK(L.run({0}) == 1);
    CHECK(L.run({1}) == 0);
    CHECK(L.run({0x100}) == 0);
    CHECK(L.function().Params[0].Type == types::U32);
    CHECK(L.function().Params[1].Type == types::U32);
  });
}

TEST_CASE("bool fields of structs are words") {
  Module M;
  StructType S;
  S.Name = "P";
  S.Fields = {{"a", types::F32, Span()}, {"b", types::Bool, Span()}};
  TypeId P = M.Types.structType(M.Types.addStruct(S));
  Function F;
  F.Name = "k";
  F.Kind = FuncKind::Kernel;
  Param In, Out;
  In.Kind = Out.Kind = ParamKind::Buffer;
  In.Type = P;
  Out.Type = types::U32;
  Out.Acc = Access::ReadWrite;
  F.Params = {In, Out};
  Builder B(M, F);
  F.Body = B.newBlock();
  B.setBlock(F.Body);
  PathElement Zero, Field;
  Zero.Index = B.u32(0);
  Field.Member = 1;
  ValueId Flag = B.load(B.place({BaseKind::Param, 0}, {Zero, Field}));
  B.store(B.place({BaseKind::Param, 1}, {Zero}),
          B.select(Flag, B.u32(7), B.u32(9)));
  const Capabilities &Caps = *capabilitiesFor("x86-64-v3");
  Function Legal = legaliseFunction(M, F, Caps);
  DeviceModel Device(M, Legal, Caps);
  Device.Buffers[0] = {0x3f800000u, 0x00010000u};
  Device.Buffers[1] = {0};
  CHECK(Device.run());
  CHECK(Device.Fault == "");
  CHECK(Device.Buffers[1][0] == 7);
}
