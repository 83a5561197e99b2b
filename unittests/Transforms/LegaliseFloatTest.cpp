//===- LegaliseFloatTest.cpp - Float operations on every target -*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every float operation, every target, over tuples of edge values and random
// ones; on devices with error bounds, with every error in the bound.
//
//===----------------------------------------------------------------------===//
#include "LegaliseTest.h"

using namespace goldy;
using namespace goldy::test;

namespace {

/// One operation on one target.
class FloatCase {
public:
  FloatCase(Op O, unsigned Operands, const Capabilities &Caps,
            std::vector<int> Noises = {0})
      : O(O), D(std::vector<TypeId>(Operands, types::F32), resultType(O)),
        Caps(Caps), Noises(std::move(Noises)), L(build()) {}
  void check(const std::vector<uint32_t> &A) {
    uint32_t Want = expected(O, types::F32, resultType(O), A);
    for (int Noise : Noises) {
      uint32_t Got = L.run(A, Noise);
      if (Got == Want)
        continue;
      std::string Text;
      for (uint32_t X : A)
        Text += hex(X) + " ";
      FAIL(Caps.Arch << ": " << opInfo(O).Name << ' ' << Text << "noise "
                     << Noise << " got " << hex(Got) << ", expected "
                     << hex(Want));
    }
  }

private:
  static TypeId resultType(Op O) {
    return O >= Op::Eq && O <= Op::Ge ? types::Bool : types::F32;
  }
  Legalised build() {
    std::vector<ValueId> Args;
    for (uint32_t N = 0; N + 1 < D.F.Params.size(); ++N)
      Args.push_back(D.scalar(N));
    D.result(D.B.opTyped(O, resultType(O), Args));
    return Legalised(D, Caps);
  }

  Op O;
  Definition D;
  const Capabilities &Caps;
  std::vector<int> Noises;
  Legalised L;
};

/// The error of a device's division (Vulkan: 2.5 units) and square root.
std::vector<int> noisesOf(Op O, const Capabilities &Caps) {
  if (O == Op::Div && !Caps.ExactDiv)
    return {-3, -1, 0, 2, 3};
  if (O == Op::Sqrt && !Caps.ExactSqrt)
    return {-7, -1, 0, 3, 7};
  return {0};
}

} // namespace

TEST_CASE("float operations of two operands") {
  const Op Ops[] = {Op::Add, Op::Sub, Op::Mul,      Op::Div, Op::Rem,
                    Op::Min, Op::Max, Op::Copysign, Op::Eq,  Op::Ne,
                    Op::Lt,  Op::Le,  Op::Gt,       Op::Ge};
  forEachTarget([&](const Capabilities &Caps) {
    for (Op O : Ops) {
      FloatCase C(O, 2, Caps, noisesOf(O, Caps));
      for (uint32_t X : floatEdges())
        for (uint32_t Y : floatEdges())
          C.check({X, Y});
    }
  });
}

TEST_CASE("float operations of two random operands") {
  forEachTarget([&](const Capabilities &Caps) {
    for (Op O : {Op::Add, Op::Mul, Op::Div, Op::Rem}) {
      FloatCase C(O, 2, Caps, noisesOf(O, Caps));
      Random R;
      for (unsigned N = 0; N < 3000; ++N)
        C.check({R.real(), R.real()});
    }
  });
}

TEST_CASE("float operations of one operand") {
  const Op Ops[] = {Op::Neg,  Op::Abs,   Op::Sqrt,  Op::Floor,
                    Op::Ceil, Op::Trunc, Op::Round, Op::RoundEven};
  forEachTarget([&](const Capabilities &Caps) {
    for (Op O : Ops) {
      FloatCase C(O, 1, Caps, noisesOf(O, Caps));
      for (uint32_t X : floatEdges())
        for (uint32_t Near : {0u, 1u, 0xffffffffu, 0x80000000u})
          C.check({X + Near});
      Random R;
      for (unsigned N = 0; N < 3000; ++N)
        C.check({R.real()});
    }
  });
}

TEST_CASE("fused multiply-add") {
  forEachTarget([&](const Capabilities &Caps) {
    FloatCase C(Op::Fma, 3, Caps);
    const std::vector<uint32_t> &E = floatEdges();
    for (size_t X = 0; X < E.size(); X += 2)
      for (size_t Y = 1; Y < E.size(); Y += 2)
        for (size_t Z = X % 3; Z < E.size(); Z += 3)
          C.check({E[X], E[Y], E[Z]});
    Random R;
    for (unsigned N = 0; N < 3000; ++N) {
      uint32_t X = R.real(), Y = R.real();
      C.check({X, Y, R.real()});
      // Close to cancelling the product.
      C.check(
          {X, Y,
           expected(Op::Mul, types::F32, types::F32, {X, Y}) ^ 0x80000000u});
    }
  });
}

TEST_CASE("products just below the smallest normal number") {
  // d = 1 - product / 2^-126 lies within 2^-26 and 2^-23 of zero: the rule
  // rounds up below 2^-25 and gives zero above.
  forEachTarget([&](const Capabilities &Caps) {
    FloatCase Mul(Op::Mul, 2, Caps), Fma(Op::Fma, 3, Caps);
    Random R;
    for (unsigned N = 0; N < 4000; ++N) {
      uint64_t A = 0x800000u | (R.word() & 0x7fffffu);
      uint64_t B = ((uint64_t(1) << 47) - R.word() % 20000000) / A;
      if (B < 0x800000u || B > 0xffffffu)
        continue;
      uint32_t Field = 40 + R.word() % 40, Sign = R.word() & 0x80000000u;
      uint32_t X = Sign | (Field << 23) | (A & 0x7fffffu);
      uint32_t Y = ((127 - Field) << 23) | (B & 0x7fffffu);
      Mul.check({X, Y});
      Fma.check({X, Y, 0x80000000u});
      Fma.check({X, Y, 0x80000001u});
    }
  });
}

// --- Identities, by constants

static void checkIdentity(Op O, std::vector<uint32_t> Constants,
                          unsigned Hole) {
  forEachTarget([&](const Capabilities &Caps) {
    Definition D({types::F32}, types::F32);
    std::vector<ValueId> Args;
    for (uint32_t C : Constants)
      Args.push_back(D.B.f32Bits(C));
    Args[Hole] = D.scalar(0);
    D.result(D.B.opTyped(O, types::F32, Args));
    Legalised L(D, Caps);
    for (uint32_t X : floatEdges()) {
      Constants[Hole] = X;
      uint32_t Want = expected(O, types::F32, types::F32, Constants);
      INFO(Caps.Arch << ": " << opInfo(O).Name << ' ' << hex(X));
      CHECK(hex(L.run({X})) == hex(Want));
    }
  });
}

TEST_CASE("operations that drivers fold to their operand") {
  constexpr uint32_t One = 0x3f800000, MinusOne = 0xbf800000;
  constexpr uint32_t MinusZero = 0x80000000, Tiny = 0x80000001;
  for (uint32_t C : {One, MinusOne, 0x40000000u, 0x3f000000u, 0u, MinusZero}) {
    checkIdentity(Op::Mul, {0, C}, 0);
    checkIdentity(Op::Mul, {C, 0}, 1);
    checkIdentity(Op::Div, {0, C}, 0);
  }
  for (uint32_t C : {0u, MinusZero, Tiny, 1u}) {
    checkIdentity(Op::Add, {0, C}, 0);
    checkIdentity(Op::Add, {C, 0}, 1);
    checkIdentity(Op::Sub, {0, C}, 0);
    checkIdentity(Op::Sub, {C, 0}, 1);
    checkIdentity(Op::Fma, {0, One, C}, 0);
    checkIdentity(Op::Fma, {One, 0, C}, 1);
    checkIdentity(Op::Fma, {0, 0x3f900000, C}, 0);
  }
}

TEST_CASE("a difference of a value and itself") {
  forEachTarget([](const Capabilities &Caps) {
    Definition D({types::F32}, types::F32);
    D.result(D.B.op(Op::Sub, {D.scalar(0), D.scalar(0)}));
    Legalised L(D, Caps);
    for (uint32_t X : floatEdges())
      CHECK(hex(L.run({X})) ==
            hex(expected(Op::Sub, types::F32, types::F32, {X, X})));
  });
}

TEST_CASE("multiplication by constants around the border") {
  for (uint32_t C : {0x3f7fffffu, 0x3f000001u, 0x3e99999au, 0x3f800001u,
                     0x00800000u, 0x1f800000u, 0x7f800000u, 0x7fc12345u,
                     0xc0000000u, 0xbf7fffffu, 0xff800000u})
    checkIdentity(Op::Mul, {0, C}, 0);
}

namespace {

/// Operations of `a` and of `b`, which the driver knows: it stands in a private
/// variable. With a first trip of a loop in mind the variable gets `a` too,
/// behind a test that fails.
ValueId knownOperand(Definition &D, uint32_t Bits) {
  SlotId S = D.B.slot("known", types::F32);
  PlaceId P = D.B.place({BaseKind::Slot, S.index()}, {});
  D.B.store(P, D.B.f32Bits(Bits));
  return D.B.load(P);
}

ValueId operation(Definition &D, Op O, ValueId X, ValueId Y, ValueId Z) {
  if (O == Op::Fma)
    return D.B.op(O, {X, Y, Z});
  return D.B.op(O, {X, Y});
}

} // namespace

TEST_CASE("operations of a value and one that the driver knows") {
  for (const std::string &Arch : knownArches())
    for (Op O : {Op::Add, Op::Sub, Op::Mul, Op::Fma})
      for (uint32_t C : floatEdges())
        for (unsigned Where = 0; Where < (O == Op::Fma ? 3u : 2u); ++Where) {
          Definition D({types::F32, types::F32}, types::F32);
          ValueId A[3] = {D.scalar(0), D.scalar(1), D.scalar(1)};
          A[Where] = knownOperand(D, C);
          D.result(operation(D, O, A[0], A[1], A[2]));
          Legalised L(D, *capabilitiesFor(Arch));
          for (uint32_t X : floatEdges()) {
            std::vector<uint32_t> Args = {X, 0x3f800001u, 0x3f800001u};
            Args[Where] = C;
            if (Where == 0)
              Args[1] = Args[2] = X;
            if (O != Op::Fma)
              Args.pop_back();
            uint32_t Want = expected(O, types::F32, types::F32, Args);
            INFO(Arch << " " << hex(C) << " at " << Where << ", " << hex(X));
            REQUIRE(hex(canonBits(L.run({X, Where == 0 ? X : 0x3f800001u}))) ==
                    hex(canonBits(Want)));
          }
        }
}

TEST_CASE("operations that the driver computes as a whole") {
  const uint32_t Values[] = {0x00000000, 0x80000000, 0x3f800000, 0x00000001,
                             0x007fffff, 0x00800000, 0x00800001, 0x3f000000,
                             0x3f7fffff, 0x1fffffff, 0x20000000, 0x80c00000};
  for (Op O : {Op::Add, Op::Sub, Op::Mul, Op::Fma})
    for (uint32_t X : Values)
      for (uint32_t Y : Values) {
        Definition D({}, types::F32);
        ValueId A = knownOperand(D, X), C = knownOperand(D, Y);
        D.result(operation(D, O, A, C, A));
        std::vector<uint32_t> Args = {X, Y};
        if (O == Op::Fma)
          Args.push_back(X);
        uint32_t Want = expected(O, types::F32, types::F32, Args);
        Legalised L(D, *capabilitiesFor("vulkan1.3"));
        INFO(hex(X) << " " << hex(Y));
        REQUIRE(hex(canonBits(L.run({}))) == hex(canonBits(Want)));
      }
}

namespace {

/// What becomes of `a + b` between bounds, on one target.
class BoundedSum {
public:
  BoundedSum(const Capabilities &Caps, std::vector<uint32_t> Bounds,
             bool BoundFirst, TypeId Out)
      : Bounds(std::move(Bounds)), BoundFirst(BoundFirst), Out(Out),
        D({types::F32, types::F32}, Out), L(build(Caps)) {}
  void check(uint32_t X, uint32_t Y) {
    uint32_t Want = expected(Op::Add, types::F32, types::F32, {X, Y});
    for (size_t N = 0; N < Bounds.size(); ++N)
      Want = expected(operation(N), types::F32, types::F32,
                      BoundFirst ? std::vector{Bounds[N], Want}
                                 : std::vector{Want, Bounds[N]});
    if (Out != types::F32)
      Want = expected(Op::Cast, types::F32, Out, {Want});
    uint32_t Got = L.run({X, Y});
    if (Got != Want)
      FAIL("bounds from " << hex(Bounds[0]) << ", " << hex(X) << " + " << hex(Y)
                          << ": got " << hex(Got) << ", expected " << hex(Want)
                          << "\n"
                          << L.text());
  }

private:
  static Op operation(size_t N) { return N % 2 ? Op::Min : Op::Max; }
  Legalised build(const Capabilities &Caps) {
    ValueId V = D.B.op(Op::Add, {D.scalar(0), D.scalar(1)});
    for (size_t N = 0; N < Bounds.size(); ++N) {
      ValueId Bound = D.B.f32Bits(Bounds[N]);
      V = BoundFirst ? D.B.op(operation(N), {Bound, V})
                     : D.B.op(operation(N), {V, Bound});
    }
    D.result(Out == types::F32 ? V : D.B.cast(V, Out));
    return Legalised(D, Caps);
  }

  std::vector<uint32_t> Bounds;
  bool BoundFirst;
  TypeId Out;
  Definition D;
  Legalised L;
};

} // namespace

TEST_CASE("what is needless between bounds") {
  const std::vector<uint32_t> Pairs[] = {
      {0xc2ae0000, 0x42b00000}, {0x00000000, 0x3f800000},
      {0x80000000, 0x4effffff}, {0xbf7fffff, 0x4f000000},
      {0xcf000000, 0x00000000}, {0x7fc12345, 0x3f800000},
      {0x00000001, 0x007fffff}, {0xff800000, 0x7f800000}};
  forEachTarget([&](const Capabilities &Caps) {
    for (const std::vector<uint32_t> &Bounds : Pairs)
      for (TypeId Out : {types::F32, types::I32, types::U32})
        for (bool First : {false, true}) {
          BoundedSum Sum(Caps, Bounds, First, Out);
          for (size_t X = 0; X < floatEdges().size(); ++X)
            for (size_t Y = X % 3; Y < floatEdges().size(); Y += 3)
              Sum.check(floatEdges()[X], floatEdges()[Y]);
        }
  });
}

TEST_CASE("a maximum that only arithmetic reads may lose a subnormal") {
  const uint32_t Bounds[] = {0x00000000, 0x80000000, 0x80000001, 0xc2ae0000};
  forEachTarget([&](const Capabilities &Caps) {
    for (uint32_t Bound : Bounds)
      for (bool Seen : {false, true}) {
        Definition D({types::F32, types::F32}, types::F32);
        Slot S;
        S.Type = types::F32;
        PlaceId Local =
            D.B.place({BaseKind::Slot, D.F.Slots.push(S).index()}, {});
        ValueId Most = D.B.op(Op::Max, {D.B.f32Bits(Bound), D.scalar(0)});
        D.B.store(Local, D.B.op(Op::Neg, {Most}));
        ValueId Loaded = D.B.load(Local);
        ValueId Sum = D.B.op(Op::Add, {Loaded, D.scalar(1)});
        D.result(Seen ? D.B.select(D.B.op(Op::Eq, {Sum, Sum}), Loaded, Sum)
                      : Sum);
        Legalised L(D, Caps);
        for (uint32_t X : floatEdges())
          for (uint32_t Y : {0x00000000u, 0x80000000u, 0x3f800000u, 0xff800000u,
                             0x00000001u}) {
            TypeId T = types::F32;
            uint32_t Kept = expected(Op::Max, T, T, {Bound, X}) ^ 0x80000000u;
            uint32_t Want = expected(Op::Add, T, T, {Kept, Y});
            if (Seen && (Want & 0x7fffffffu) <= 0x7f800000u)
              Want = Kept;
            if (uint32_t Got = L.run({X, Y}); Got != Want)
              FAIL(Caps.Arch << ": bound " << hex(Bound) << ", " << hex(X)
                             << " and " << hex(Y) << " gave " << hex(Got)
                             << ", expected " << hex(Want));
          }
      }
  });
}
