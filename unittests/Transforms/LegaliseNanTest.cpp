//===- LegaliseNanTest.cpp - Whose NaN is seen ------------------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A NaN made by arithmetic is 0x7fc00000 wherever its bits can be seen; a
// copied one keeps its payload. The device model makes odd ones.
//
//===----------------------------------------------------------------------===//
#include "LegaliseTest.h"

#include <bit>
#include <cmath>

using namespace goldy;
using namespace goldy::test;

namespace {
constexpr uint32_t Canonical = 0x7fc00000u, Payload = 0x7fc12345u;
constexpr uint32_t Infinity = 0x7f800000u;

/// inf - inf, a fresh NaN that no one can fold: the first scalar is infinite.
ValueId freshNan(Definition &D) {
  return D.B.op(Op::Sub, {D.scalar(0), D.scalar(0)});
}
ValueId bitsOf(Definition &D, ValueId V) {
  ValueId Args[] = {V};
  return D.B.opTyped(Op::ToBits, types::U32, Args);
}
unsigned canonicalisations(const Legalised &L) {
  std::string Text = L.text();
  unsigned N = 0;
  for (size_t At = Text.find("canon_nan"); At != Text.npos;
       At = Text.find("canon_nan", At + 1))
    ++N;
  return N;
}
} // namespace

TEST_CASE("stores and to_bits see canonical NaNs") {
  forEachTarget([](const Capabilities &Caps) {
    Definition Stored({types::F32}, types::F32);
    Stored.result(freshNan(Stored));
    CHECK(Legalised(Stored, Caps).run({Infinity}) == Canonical);
    Definition Bits({types::F32}, types::U32);
    Bits.result(bitsOf(Bits, freshNan(Bits)));
    CHECK(Legalised(Bits, Caps).run({Infinity}) == Canonical);
  });
}

TEST_CASE("sign operations apply to the canonical NaN") {
  forEachTarget([](const Capabilities &Caps) {
    Definition Neg({types::F32}, types::F32);
    Neg.result(Neg.B.op(Op::Neg, {freshNan(Neg)}));
    CHECK(Legalised(Neg, Caps).run({Infinity}) == 0xffc00000u);
    Definition Abs({types::F32}, types::F32);
    Abs.result(Abs.B.op(Op::Abs, {freshNan(Abs)}));
    CHECK(Legalised(Abs, Caps).run({Infinity}) == Canonical);
    // The sign of a fresh NaN is plus.
    Definition Sign({types::F32}, types::F32);
    Sign.result(
        Sign.B.op(Op::Copysign, {Sign.B.f32Bits(0xbf800000u), freshNan(Sign)}));
    CHECK(Legalised(Sign, Caps).run({Infinity}) == 0x3f800000u);
  });
}

TEST_CASE("a negated NaN that arithmetic reads again is canonical") {
  forEachTarget([](const Capabilities &Caps) {
    Definition D({types::F32}, types::F32);
    ValueId Negated = D.B.op(Op::Neg, {freshNan(D)});
    D.result(D.B.op(Op::Add, {Negated, D.scalar(0)}));
    CHECK(Legalised(D, Caps).run({Infinity}) == Canonical);
  });
}

TEST_CASE("a copied NaN keeps its payload through choices") {
  forEachTarget([](const Capabilities &Caps) {
    Definition D({types::F32, types::F32, types::Bool}, types::F32);
    D.result(D.B.select(D.scalar(2), freshNan(D), D.scalar(1)));
    Legalised L(D, Caps);
    CHECK(L.run({Infinity, Payload, 0}) == Payload);
    CHECK(L.run({Infinity, Payload, 1}) == Canonical);
    Definition Min({types::F32, types::F32}, types::F32);
    Min.result(Min.B.op(Op::Min, {freshNan(Min), Min.scalar(1)}));
    CHECK(Legalised(Min, Caps).run({Infinity, Payload}) == Payload);
    Definition Max({types::F32, types::F32}, types::F32);
    Max.result(Max.B.op(Op::Max, {Max.scalar(1), freshNan(Max)}));
    CHECK(Legalised(Max, Caps).run({Infinity, Payload}) == Canonical);
  });
}

TEST_CASE("a slot of both kinds keeps either") {
  forEachTarget([](const Capabilities &Caps) {
    Definition D({types::F32, types::F32, types::Bool}, types::F32);
    PlaceId S = D.B.slotPlace(D.B.slot("s", types::F32));
    D.B.store(S, D.scalar(1));
    InstId If = D.B.createIf(D.scalar(2), false);
    BlockId Outer = D.B.block();
    D.B.setBlock(D.F.Insts[If].Blocks[0]);
    D.B.store(S, freshNan(D));
    D.B.setBlock(Outer);
    D.result(D.B.load(S));
    Legalised L(D, Caps);
    CHECK(L.run({Infinity, Payload, 0}) == Payload);
    CHECK(L.run({Infinity, Payload, 1}) == Canonical);
    CHECK(canonicalisations(L) == 1);
  });
}

TEST_CASE("a slot of fresh values is canonicalised once, where it is seen") {
  Definition D({types::F32}, types::F32);
  PlaceId S = D.B.slotPlace(D.B.slot("sum", types::F32));
  D.B.store(S, D.B.f32Bits(0));
  for (unsigned N = 0; N < 3; ++N)
    D.B.store(S, D.B.op(Op::Add, {D.B.load(S), D.scalar(0)}));
  D.result(D.B.load(S));
  Legalised L(D, *capabilitiesFor("x86-64-v3"));
  INFO(L.text());
  CHECK(canonicalisations(L) == 1);
  CHECK(L.run({0xff800001u}) == Canonical);
}

TEST_CASE("a join with constants needs no canonicalisation of its own") {
  // if x < 0.0 { 0.0 } else { x * x }
  Definition D({types::F32}, types::F32);
  ValueId X = D.scalar(0), Zero = D.B.f32Bits(0);
  ValueId Square = D.B.op(Op::Mul, {X, X});
  ValueId Chosen = D.B.select(D.B.op(Op::Lt, {X, Zero}), Zero, Square);
  D.result(D.B.op(Op::Add, {Chosen, X}));
  Legalised L(D, *capabilitiesFor("x86-64-v3"));
  CHECK(canonicalisations(L) == 1);
}

TEST_CASE("copies and subnormals pass memory and choices unchanged") {
  forEachTarget([](const Capabilities &Caps) {
    Definition D({types::F32, types::F32}, types::F32);
    D.result(D.B.op(Op::Max, {D.scalar(0), D.scalar(1)}));
    Legalised L(D, Caps);
    // Equal as zeros: the first one's bits stay.
    CHECK(L.run({0x00000001u, 0x007fffffu}) == 0x00000001u);
    CHECK(L.run({0x80000000u, 0x00000001u}) == 0x80000000u);
    CHECK(L.run({0xff800001u, 0x00000003u}) == 0x00000003u);
  });
}

TEST_CASE("a sign operation that only arithmetic reads is not canonicalised") {
  forEachTarget([](const Capabilities &Caps) {
    Definition D({types::F32}, types::F32);
    ValueId Size = D.B.op(Op::Abs, {freshNan(D)});
    D.result(D.B.op(Op::Mul, {Size, D.B.op(Op::Neg, {Size})}));
    Legalised L(D, Caps);
    CHECK(L.run({Infinity}) == Canonical);
    CHECK(L.run({0x3f800000u}) == 0x80000000u);
  });
  Definition D({types::F32}, types::F32);
  ValueId Size = D.B.op(Op::Abs, {freshNan(D)});
  D.result(D.B.op(Op::Mul, {Size, D.scalar(0)}));
  CHECK(canonicalisations(Legalised(D, *capabilitiesFor("x86-64-v3"))) == 1);
}

TEST_CASE("a minimum or maximum with a number is a number") {
  const uint32_t Numbers[] = {0x40000000u, 0xc0000000u, 0,
                              0x80000000u, Infinity,    0x00000001u};
  const uint32_t Others[] = {0x3f800000u, 0x40000000u, 0xc0a00000u, 0,
                             0x80000000u, Infinity,    0xff800000u, Payload,
                             0xffc00001u, 0x00000002u, 0x807fffffu};
  auto Flushed = [](uint32_t X) {
    return std::bit_cast<float>((X & Infinity) == 0 ? X & 0x80000000u : X);
  };
  auto Chosen = [&](Op O, uint32_t A, uint32_t C) {
    float X = Flushed(A), Y = Flushed(C);
    bool Second = std::isnan(X) || (O == Op::Min ? Y < X : Y > X);
    return Second ? C : A;
  };
  forEachTarget([&](const Capabilities &Caps) {
    for (Op O : {Op::Min, Op::Max})
      for (uint32_t N : Numbers) {
        Definition Left({types::F32}, types::F32),
            Right({types::F32}, types::F32);
        Left.result(Left.B.op(O, {Left.B.f32Bits(N), Left.scalar(0)}));
        Right.result(Right.B.op(O, {Right.scalar(0), Right.B.f32Bits(N)}));
        Legalised L(Left, Caps), R(Right, Caps);
        for (uint32_t X : Others) {
          CHECK(L.run({X}) == Chosen(O, N, X));
          CHECK(R.run({X}) == Chosen(O, X, N));
        }
      }
    Definition Fresh({types::F32}, types::F32);
    Fresh.result(Fresh.B.op(Op::Max, {freshNan(Fresh), Fresh.B.f32Bits(0)}));
    Legalised F(Fresh, Caps);
    CHECK(F.run({Infinity}) == 0);
    CHECK(canonicalisations(F) == 0);
  });
}

TEST_CASE("a power of two made of bits is no subnormal and no NaN") {
  Definition D({types::U32}, types::F32);
  ValueId Power = D.B.op(Op::Shl, {D.scalar(0), D.B.u32(23)});
  ValueId Args[] = {Power};
  ValueId Made = D.B.opTyped(Op::FromBits, types::F32, Args);
  ValueId Sign = D.B.op(Op::And, {D.scalar(0), D.B.u32(0x80000000u)});
  ValueId UnitArgs[] = {D.B.op(Op::Or, {Sign, D.B.u32(0x3f800000u)})};
  ValueId Unit = D.B.opTyped(Op::FromBits, types::F32, UnitArgs);
  ValueId ShortArgs[] = {D.B.op(Op::Shl, {D.scalar(0), D.B.u32(22)})};
  ValueId Short = D.B.opTyped(Op::FromBits, types::F32, ShortArgs);
  FloatFacts Facts = analyseFloats(D.F);
  CHECK_FALSE(Facts.mayNan(Made));
  CHECK_FALSE(Facts.maySubnormal(Made));
  CHECK_FALSE(Facts.mayNan(Unit));
  CHECK_FALSE(Facts.maySubnormal(Unit));
  CHECK(Facts.mayNan(Short));
  CHECK(Facts.maySubnormal(Short));
}

TEST_CASE("a sign is that of the canonical NaN") {
  auto SignOf = [](Definition &D) {
    D.result(D.B.op(Op::And, {bitsOf(D, freshNan(D)), D.B.u32(0x80000000u)}));
  };
  forEachTarget([&](const Capabilities &Caps) {
    Definition D({types::F32}, types::U32);
    SignOf(D);
    Legalised L(D, Caps);
    CHECK(L.run({Infinity}) == 0);
    CHECK(canonicalisations(L) == (Caps.FreshNansPositive ? 0 : 1));
    Definition More({types::F32}, types::U32);
    ValueId Bits = bitsOf(More, freshNan(More));
    ValueId Sign = More.B.op(Op::And, {Bits, More.B.u32(0x80000000u)});
    More.result(More.B.op(Op::Or, {Sign, Bits}));
    CHECK(Legalised(More, Caps).run({Infinity}) == Canonical);
  });
}
