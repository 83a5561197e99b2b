//===- FoldTest.cpp - Constant folding at the borders
//----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/IR/Fold.h"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cfenv>
#include <initializer_list>

using namespace goldy;

namespace {

uint64_t fold(Op O, TypeId T, TypeId Result,
              std::initializer_list<uint64_t> Bits) {
  std::vector<uint64_t> Copy(Bits);
  std::optional<uint64_t> R = foldScalar(O, T, Result, Copy);
  INFO(opInfo(O).Name);
  REQUIRE(R);
  return *R;
}
uint32_t f(Op O, std::initializer_list<uint64_t> Bits) {
  return static_cast<uint32_t>(fold(O, types::F32, types::F32, Bits));
}
uint64_t i32(Op O, std::initializer_list<uint64_t> Bits) {
  return fold(O, types::I32, types::I32, Bits);
}
uint64_t u32(Op O, std::initializer_list<uint64_t> Bits) {
  return fold(O, types::U32, types::U32, Bits);
}
bool folds(Op O, TypeId T, TypeId R, std::initializer_list<uint64_t> Bits) {
  std::vector<uint64_t> Copy(Bits);
  return foldScalar(O, T, R, Copy).has_value();
}
FoldFacts facts(Op O, TypeId T, std::initializer_list<uint64_t> Bits) {
  std::vector<uint64_t> Copy(Bits);
  return foldFacts(O, T, Copy);
}
uint32_t bitsOf(float F) { return std::bit_cast<uint32_t>(F); }

constexpr uint32_t Nan = 0x7fc00000, Inf = 0x7f800000, Least = 0x00800000;

} // namespace

TEST_CASE("float arithmetic follows the subnormal rule") {
  CHECK(f(Op::Add, {0x007fffff, 0x007fffff}) == 0);
  CHECK(f(Op::Add, {0x80000001, 0x80000001}) == 0x80000000);
  CHECK(f(Op::Add, {0, 0x80000000}) == 0);
  CHECK(f(Op::Add, {Least, 0x80800000}) == 0);
  CHECK(f(Op::Sub, {0x00800001, Least}) == 0);
  CHECK(f(Op::Sub, {Least, 0x00800001}) == 0x80000000);
  CHECK(f(Op::Sub, {0, 0}) == 0);
  CHECK(f(Op::Mul, {Least, 0x3f7fffff}) == 0);
  CHECK(f(Op::Mul, {0x00800001, 0x3f7fffff}) == Least);
  CHECK(f(Op::Mul, {0x80000001, bitsOf(8)}) == 0x80000000);
  CHECK(f(Op::Fma, {Least, 0x3f7fffff, 0x80000000}) == 0);
  CHECK(f(Op::Div, {Least, bitsOf(2)}) == 0);
  CHECK(f(Op::Div, {0x00800001, 0x3f800001}) == Least);
  CHECK(f(Op::Div, {bitsOf(1), 0x00000001}) == Inf);
  CHECK(f(Op::Rem, {0x00c00000, Least}) == 0);
  CHECK(f(Op::Sqrt, {0x00000001}) == 0);
  CHECK(f(Op::Flush, {0x807fffff}) == 0x80000000);
}

TEST_CASE("float arithmetic rounds to nearest even") {
  CHECK(f(Op::Add, {bitsOf(16777216), bitsOf(1)}) == bitsOf(16777216));
  CHECK(f(Op::Add, {bitsOf(16777218), bitsOf(1)}) == bitsOf(16777220));
  // Just above and below half of the last place.
  CHECK(f(Op::Add, {bitsOf(16777216), 0x3f800001}) == bitsOf(16777218));
  CHECK(f(Op::Sub, {bitsOf(16777216), 0x3f000001}) == bitsOf(16777215));
  CHECK(f(Op::Sub, {bitsOf(1), 0x0d800000}) == bitsOf(1));
  CHECK(f(Op::Mul, {0x7f7fffff, 0x3f800001}) == Inf);
  CHECK(f(Op::Div, {bitsOf(1), bitsOf(3)}) == 0x3eaaaaab);
  CHECK(f(Op::Div, {bitsOf(2), bitsOf(3)}) == 0x3f2aaaab);
  CHECK(f(Op::Sqrt, {bitsOf(2)}) == 0x3fb504f3);
  CHECK(f(Op::Sqrt, {bitsOf(16777216)}) == bitsOf(4096));
  CHECK(f(Op::Sqrt, {Least}) == 0x20000000);
  CHECK(f(Op::Fma, {0x3f800800, 0x3f800800, 0xbf801000}) == 0x33800000);
  CHECK(f(Op::Fma, {0x33800001, bitsOf(1), bitsOf(1)}) == 0x3f800001);
  CHECK(f(Op::Fma, {0x33800000, bitsOf(1), bitsOf(1)}) == 0x3f800000);
  CHECK(f(Op::Rem, {bitsOf(-5.5f), bitsOf(2)}) == bitsOf(-1.5f));
  CHECK(f(Op::Rem, {0x7f7fffff, bitsOf(3)}) == bitsOf(0));
  CHECK(f(Op::Rem, {bitsOf(-4), bitsOf(2)}) == 0x80000000);
}

TEST_CASE("arithmetic NaN is canonical, copied NaN keeps its bits") {
  for (Op O : {Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Rem}) {
    CHECK(f(O, {0xff800001, bitsOf(1)}) == Nan);
    CHECK(f(O, {bitsOf(1), 0x7fffffff}) == Nan);
  }
  CHECK(f(Op::Add, {Inf, 0xff800000}) == Nan);
  CHECK(f(Op::Mul, {Inf, 0x00000001}) == Nan);
  CHECK(f(Op::Div, {0, 0x80000000}) == Nan);
  CHECK(f(Op::Div, {Inf, Inf}) == Nan);
  CHECK(f(Op::Rem, {Inf, bitsOf(1)}) == Nan);
  CHECK(f(Op::Rem, {bitsOf(1), 0}) == Nan);
  CHECK(f(Op::Rem, {bitsOf(1), Inf}) == bitsOf(1));
  CHECK(f(Op::Fma, {0, Inf, bitsOf(1)}) == Nan);
  CHECK(f(Op::Fma, {bitsOf(1), Inf, 0xff800000}) == Nan);
  CHECK(f(Op::Sqrt, {bitsOf(-1)}) == Nan);
  CHECK(f(Op::Floor, {0xff800001}) == Nan);
  CHECK(f(Op::Neg, {Nan}) == 0xffc00000);
  CHECK(f(Op::Abs, {0xff800001}) == 0x7f800001);
  CHECK(f(Op::CanonNan, {0xff800001}) == Nan);
  CHECK(f(Op::Min, {0x7f800001, bitsOf(1)}) == bitsOf(1));
  CHECK(f(Op::Min, {bitsOf(1), 0x7f800001}) == bitsOf(1));
  CHECK(f(Op::Max, {0x7f800001, 0x7f800002}) == 0x7f800002);
  CHECK(f(Op::Max, {1, 0x80000000}) == 1);
  CHECK(f(Op::Min, {1, 0x80000000}) == 1);
  CHECK(f(Op::Copysign, {3, 0xff800001}) == 0x80000003);
}

TEST_CASE("rounding to whole numbers") {
  CHECK(f(Op::Floor, {bitsOf(-0.25f)}) == bitsOf(-1));
  CHECK(f(Op::Floor, {0x80000001}) == 0x80000000);
  CHECK(f(Op::Ceil, {bitsOf(-0.25f)}) == 0x80000000);
  CHECK(f(Op::Ceil, {0x00000001}) == 0);
  CHECK(f(Op::Trunc, {bitsOf(-1.75f)}) == bitsOf(-1));
  CHECK(f(Op::Round, {bitsOf(0.5f)}) == bitsOf(1));
  CHECK(f(Op::Round, {0x3effffff}) == 0);
  CHECK(f(Op::Round, {bitsOf(-2.5f)}) == bitsOf(-3));
  CHECK(f(Op::RoundEven, {bitsOf(0.5f)}) == 0);
  CHECK(f(Op::RoundEven, {bitsOf(1.5f)}) == bitsOf(2));
  CHECK(f(Op::RoundEven, {bitsOf(-2.5f)}) == bitsOf(-2));
  CHECK(f(Op::RoundEven, {bitsOf(8388607.5f)}) == bitsOf(8388608));
  CHECK(f(Op::Floor, {0xff800000}) == 0xff800000);
}

TEST_CASE("comparisons read subnormals as zero") {
  auto Is = [](Op O, uint64_t A, uint64_t B) {
    return fold(O, types::F32, types::Bool, {A, B}) != 0;
  };
  CHECK(Is(Op::Eq, 0x00000001, 0x80000001));
  CHECK_FALSE(Is(Op::Lt, 0, 0x007fffff));
  CHECK(Is(Op::Lt, 0x007fffff, Least));
  CHECK(Is(Op::Ne, Nan, Nan));
  CHECK_FALSE(Is(Op::Eq, Nan, Nan));
  CHECK_FALSE(Is(Op::Ge, Nan, 0));
  CHECK_FALSE(Is(Op::Le, 0, Nan));
  CHECK(Is(Op::Ge, 0x80000000, 0));
  CHECK(Is(Op::Lt, bitsOf(-2), bitsOf(-1)));
  CHECK(Is(Op::Gt, Inf, 0x7f7fffff));
}

TEST_CASE("integers wrap and never trap") {
  const uint64_t Min = 0x80000000, MinusOne = 0xffffffff;
  CHECK(u32(Op::Add, {MinusOne, 1}) == 0);
  CHECK(i32(Op::Div, {Min, MinusOne}) == Min);
  CHECK(i32(Op::Rem, {Min, MinusOne}) == 0);
  CHECK(i32(Op::Div, {7, 0}) == 7);
  CHECK(i32(Op::Rem, {7, 0}) == 0);
  CHECK(i32(Op::Div, {0xfffffff9, 2}) == 0xfffffffd);
  CHECK(i32(Op::Rem, {0xfffffff9, 2}) == MinusOne);
  CHECK(i32(Op::Rem, {7, 0xfffffffe}) == 1);
  CHECK(i32(Op::Neg, {Min}) == Min);
  CHECK(i32(Op::Abs, {Min}) == Min);
  CHECK(i32(Op::Min, {MinusOne, 1}) == MinusOne);
  CHECK(u32(Op::Min, {MinusOne, 1}) == 1);
  CHECK(u32(Op::Shl, {1, 35}) == 8);
  CHECK(i32(Op::Shr, {Min, 63}) == MinusOne);
  CHECK(u32(Op::Shr, {Min, MinusOne}) == 1);
  CHECK(u32(Op::RotateRight, {1, 33}) == Min);
  CHECK(u32(Op::RotateLeft, {5, 32}) == 5);
  CHECK(u32(Op::MulHi, {MinusOne, MinusOne}) == 0xfffffffe);
  CHECK(i32(Op::MulHi, {MinusOne, MinusOne}) == 0);
  CHECK(i32(Op::MulHi, {Min, 2}) == MinusOne);
  CHECK(u32(Op::ReverseBits, {1}) == Min);
  CHECK(u32(Op::LeadingZeros, {0}) == 32);
  CHECK(u32(Op::TrailingZeros, {0}) == 32);
  CHECK(u32(Op::CountOnes, {MinusOne}) == 32);
  CHECK(u32(Op::Not, {0}) == MinusOne);
}

TEST_CASE("64-bit integers") {
  const uint64_t Min = uint64_t(1) << 63, MinusOne = ~uint64_t(0);
  auto I = [](Op O, std::initializer_list<uint64_t> B) {
    return fold(O, types::I64, types::I64, B);
  };
  CHECK(I(Op::Div, {Min, MinusOne}) == Min);
  CHECK(I(Op::Rem, {Min, MinusOne}) == 0);
  CHECK(I(Op::Shr, {Min, 65}) == 0xc000000000000000);
  CHECK(fold(Op::MulHi, types::U64, types::U64, {MinusOne, MinusOne}) ==
        MinusOne - 1);
  CHECK(I(Op::MulHi, {Min, Min}) == uint64_t(1) << 62);
  CHECK(fold(Op::LeadingZeros, types::U64, types::U32, {1}) == 63);
  CHECK(fold(Op::Lt, types::I64, types::Bool, {MinusOne, 0}) == 1);
  CHECK(fold(Op::Lt, types::U64, types::Bool, {MinusOne, 0}) == 0);
}

TEST_CASE("casts saturate, extend and round once") {
  auto C = [](TypeId From, TypeId To, uint64_t Bits) {
    return fold(Op::Cast, From, To, {Bits});
  };
  using namespace types;
  CHECK(C(F32, U32, bitsOf(-1.5f)) == 0);
  CHECK(C(F32, U32, bitsOf(4294967296.0f)) == 0xffffffff);
  CHECK(C(F32, I32, bitsOf(-2147483648.0f)) == 0x80000000);
  CHECK(C(F32, I32, bitsOf(2147483648.0f)) == 0x7fffffff);
  CHECK(C(F32, I32, Nan) == 0);
  CHECK(C(F32, I32, bitsOf(-1.75f)) == 0xffffffff);
  CHECK(C(F32, I64, 0xff800000) == uint64_t(1) << 63);
  CHECK(C(F32, U64, Inf) == ~uint64_t(0));
  CHECK(C(F32, U64, 0x5f7fffff) == 0xffffff0000000000);
  CHECK(C(U32, F32, 16777217) == bitsOf(16777216));
  CHECK(C(U32, F32, 0xffffffff) == bitsOf(4294967296.0f));
  CHECK(C(I32, F32, 0x80000000) == bitsOf(-2147483648.0f));
  // 2^24 + 1 + 2^-39 of 2^40: above the tie that double rounding would see.
  CHECK(C(U64, F32, 0x8000008000000001) == 0x5f000001);
  CHECK(C(U64, F32, 0x8000008000000000) == 0x5f000000);
  CHECK(C(I32, U64, 0xffffffff) == ~uint64_t(0));
  CHECK(C(U32, I64, 0xffffffff) == 0xffffffff);
  CHECK(C(I64, I32, 0x180000000) == 0x80000000);
  CHECK(C(Bool, U32, 1) == 1);
}

TEST_CASE("bools and choices") {
  CHECK(fold(Op::Not, types::Bool, types::Bool, {1}) == 0);
  CHECK(fold(Op::Xor, types::Bool, types::Bool, {1, 1}) == 0);
  CHECK(fold(Op::Select, types::F32, types::F32, {1, 0x7f800001, 2}) ==
        0x7f800001);
  CHECK(fold(Op::Select, types::F32, types::F32, {0, 1, 2}) == 2);
}

TEST_CASE("what cannot be folded is left") {
  using namespace types;
  CHECK_FALSE(folds(Op::GlobalId, U32, U32, {}));
  CHECK_FALSE(folds(Op::RawDiv, U32, U32, {1, 0}));
  CHECK_FALSE(folds(Op::RawRem, I32, I32, {0x80000000, 0xffffffff}));
  CHECK_FALSE(folds(Op::RawShl, U32, U32, {1, 32}));
  CHECK_FALSE(folds(Op::RawFloatToInt, F32, I32, {bitsOf(2147483648.0f)}));
  CHECK(folds(Op::RawFloatToInt, F32, I32, {bitsOf(-2147483648.0f)}));
  CHECK_FALSE(folds(Op::Sqrt, U32, U32, {4}));
  CHECK_FALSE(folds(Op::Add, U8, U8, {1, 1}));
}

TEST_CASE("facts of constant expressions") {
  using namespace types;
  CHECK(facts(Op::Add, U32, {0xffffffff, 1}).Wrapped);
  CHECK_FALSE(facts(Op::Add, I32, {0xffffffff, 1}).Wrapped);
  CHECK(facts(Op::Add, I32, {0x7fffffff, 1}).Wrapped);
  CHECK(facts(Op::Sub, U32, {0, 1}).Wrapped);
  CHECK_FALSE(facts(Op::Sub, I32, {0, 1}).Wrapped);
  CHECK(facts(Op::Sub, I32, {0x80000000, 1}).Wrapped);
  CHECK(facts(Op::Mul, U32, {65536, 65536}).Wrapped);
  CHECK_FALSE(facts(Op::Mul, I32, {0xffff0000, 32768}).Wrapped);
  CHECK(facts(Op::Mul, I32, {0x00010000, 32768}).Wrapped);
  CHECK(facts(Op::Mul, U64, {uint64_t(1) << 32, uint64_t(1) << 32}).Wrapped);
  CHECK(facts(Op::Neg, I32, {0x80000000}).Wrapped);
  CHECK(facts(Op::Div, I32, {0x80000000, 0xffffffff}).Wrapped);
  CHECK(facts(Op::Div, U32, {1, 0}).DivisorZero);
  CHECK(facts(Op::Rem, I64, {1, 0}).DivisorZero);
  CHECK_FALSE(facts(Op::Div, F32, {1, 0}).DivisorZero);
  CHECK(facts(Op::Shl, U32, {1, 32}).ShiftTooWide);
  CHECK_FALSE(facts(Op::Shr, U64, {1, 63}).ShiftTooWide);
}

TEST_CASE("the host's rounding mode does not matter") {
  int Saved = std::fegetround();
  for (int Mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(Mode);
    uint32_t Third = f(Op::Div, {0x3f800000, 0x40400000});
    uint32_t Root = f(Op::Sqrt, {0x40000000});
    std::fesetround(Saved);
    CHECK(Third == 0x3eaaaaab);
    CHECK(Root == 0x3fb504f3);
  }
}

namespace {

/// Folds `O` over all choices of the words, as many as it has operands.
template <typename Check>
void forOperands(Op O, std::vector<uint64_t> Operands, const Check &Look) {
  constexpr uint32_t Words[] = {
      0,   0x80000000, 1,     0x807fffff, Nan,        0x7f800001, 0xffc12345,
      Inf, 0xff800000, Least, 0x80800000, 0x3f800000, 0xc0490fdb, 0x7f7fffff};
  if (Operands.size() == opInfo(O).MinOperands)
    return Look(Operands);
  Operands.push_back(0);
  for (uint32_t W : Words) {
    Operands.back() = W;
    forOperands(O, Operands, Look);
  }
}

bool isNan(uint64_t Word) { return (Word & 0x7fffffff) > Inf; }
bool isSubnormal(uint64_t Word) {
  return (Word & Inf) == 0 && (Word & 0x7fffffff) != 0;
}

/// The operands as an operation of that use tells them from others.
std::vector<uint64_t> asRead(Op O, std::vector<uint64_t> Operands) {
  for (uint64_t &W : Operands) {
    if (takesAnyNan(O) && isNan(W))
      W = 0xff812345;
    if (readsSubnormalsAsZero(O) && isSubnormal(W))
      W &= 0x80000000;
  }
  return Operands;
}

} // namespace

TEST_CASE("operations make of subnormals and NaNs what Ops.def says") {
  for (Op O :
       {Op::Add,    Op::Sub,       Op::Mul,  Op::Div,   Op::Rem,   Op::Sqrt,
        Op::Fma,    Op::Floor,     Op::Ceil, Op::Trunc, Op::Round, Op::Eq,
        Op::Ne,     Op::RoundEven, Op::Lt,   Op::Le,    Op::Gt,    Op::Ge,
        Op::Cast,   Op::Neg,       Op::Abs,  Op::Min,   Op::Max,   Op::Copysign,
        Op::ToBits, Op::CanonNan,  Op::Flush}) {
    bool Compares = isComparison(O);
    TypeId Result = Compares          ? types::Bool
                    : O == Op::Cast   ? types::I32
                    : O == Op::ToBits ? types::U32
                                      : types::F32;
    INFO(opInfo(O).Name);
    uint64_t Wrong = 0;
    forOperands(O, {}, [&](const std::vector<uint64_t> &Operands) {
      std::optional<uint64_t> Is = foldScalar(O, types::F32, Result, Operands);
      if (!Is)
        return void(++Wrong);
      Wrong += Is != foldScalar(O, types::F32, Result, asRead(O, Operands));
      if (roundsFloats(O))
        Wrong += isSubnormal(*Is) || (isNan(*Is) && *Is != Nan);
      if (passesFloatsOn(O))
        Wrong +=
            std::none_of(Operands.begin(), Operands.end(), [&](uint64_t W) {
              return ((W ^ *Is) & 0x7fffffff) == 0;
            });
    });
    CHECK(Wrong == 0);
  }
}
