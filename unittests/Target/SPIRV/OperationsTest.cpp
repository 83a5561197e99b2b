//===- OperationsTest.cpp - Every legal operation
//--------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SpirvTest.h"

using namespace goldy;
using namespace goldy::test;

static std::initializer_list<Param> params() {
  static const std::initializer_list<Param> P = {
      buffer("u", types::U32, Access::ReadWrite),
      buffer("i", types::I32, Access::ReadWrite),
      buffer("f", types::F32, Access::ReadWrite),
      buffer("b", types::Bool, Access::ReadWrite)};
  return P;
}

namespace {
/// Feeds loaded values to operations and stores what they give.
struct Feeder {
  Kernel &K;
  uint32_t Next = 0;
  uint32_t paramOf(TypeId T) {
    return T == types::U32 ? 0 : T == types::I32 ? 1 : T == types::F32 ? 2 : 3;
  }
  ValueId any(TypeId T) { return K.B.load(K.at(paramOf(T), K.B.u32(Next++))); }
  void keep(ValueId V) {
    K.B.store(K.at(paramOf(K.F.typeOf(V)), K.B.u32(Next++)), V);
  }
  void typed(Op O, TypeId Result, std::initializer_list<TypeId> Operands) {
    std::vector<ValueId> Values;
    for (TypeId T : Operands)
      Values.push_back(any(T));
    keep(K.B.opTyped(O, Result, Values));
  }
};
} // namespace

TEST_CASE("integer operations") {
  Kernel K(params());
  Feeder V{K};
  for (TypeId T : {types::U32, types::I32}) {
    for (Op O : {Op::Add, Op::Sub, Op::Mul, Op::Min, Op::Max, Op::And, Op::Or,
                 Op::Xor, Op::MulHi, Op::RawDiv, Op::RawRem, Op::RawShl,
                 Op::RawShr, Op::RotateLeft, Op::RotateRight})
      V.typed(O, T, {T, T});
    for (Op O : {Op::Neg, Op::Abs, Op::Not, Op::ReverseBits})
      if (T == types::I32 || (O != Op::Neg && O != Op::Abs))
        V.typed(O, T, {T});
    for (Op O : {Op::CountOnes, Op::LeadingZeros, Op::TrailingZeros})
      V.typed(O, types::U32, {T});
    V.typed(Op::Select, T, {types::Bool, T, T});
  }
  std::string Text = K.text();
  INFO(Text);
  for (const char *Name :
       {"OpSDiv", "OpUDiv", "OpSRem", "OpUMod", "OpShiftRightArithmetic",
        "OpSMulExtended", "OpUMulExtended", "SMin", "UMax", "FindUMsb",
        "FindILsb", "OpBitReverse", "OpBitCount"})
    CHECK(has(Text, Name));
}

TEST_CASE("a kernel without floats asks for no float controls") {
  Kernel K({buffer("u", types::U32, Access::ReadWrite)});
  K.B.store(K.at(0, K.gid()), K.B.u32(1));
  Image I = K.emit();
  CHECK(I.Features == std::vector<std::string>{"bufferDeviceAddress",
                                               "shaderInt64",
                                               "vulkanMemoryModel"});
}

TEST_CASE("float operations are never contracted") {
  Kernel K(params());
  Feeder V{K};
  for (Op O : {Op::Add, Op::Sub, Op::Mul, Op::Div})
    V.typed(O, types::F32, {types::F32, types::F32});
  for (Op O : {Op::Neg, Op::Abs, Op::Sqrt, Op::Floor, Op::Ceil, Op::Trunc,
               Op::RoundEven, Op::CanonNan, Op::Flush})
    V.typed(O, types::F32, {types::F32});
  V.typed(Op::Copysign, types::F32, {types::F32, types::F32});
  V.typed(Op::Fma, types::F32, {types::F32, types::F32, types::F32});
  V.typed(Op::Select, types::F32, {types::Bool, types::F32, types::F32});
  V.typed(Op::ToBits, types::U32, {types::F32});
  V.typed(Op::FromBits, types::F32, {types::U32});
  V.typed(Op::RawFloatToInt, types::I32, {types::F32});
  std::string Text = K.text();
  INFO(Text);
  CHECK(count(Text, "NoContraction") == 4);
  CHECK_FALSE(has(Text, "OpFNegate"));
  CHECK_FALSE(has(Text, "FAbs"));
  CHECK(has(Text, "OpConvertFToS"));
}

TEST_CASE("comparisons and casts of every type") {
  Kernel K(params());
  Feeder V{K};
  for (TypeId T : {types::U32, types::I32, types::F32})
    for (Op O : {Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge})
      V.typed(O, types::Bool, {T, T});
  for (Op O : {Op::Eq, Op::Ne})
    V.typed(O, types::Bool, {types::Bool, types::Bool});
  for (Op O : {Op::And, Op::Or, Op::Xor})
    V.typed(O, types::Bool, {types::Bool, types::Bool});
  V.typed(Op::Not, types::Bool, {types::Bool});
  for (TypeId From : {types::U32, types::I32, types::Bool})
    for (TypeId To : {types::U32, types::I32})
      V.typed(Op::Cast, To, {From});
  V.typed(Op::Cast, types::F32, {types::I32});
  V.typed(Op::Cast, types::F32, {types::U32});
  std::string Text = K.text();
  INFO(Text);
  CHECK(has(Text, "OpFUnordNotEqual"));
  CHECK(count(Text, "OpFOrd") == 5);
  CHECK(has(Text, "OpConvertUToF"));
}

TEST_CASE("ids, with the launch's base words added") {
  Kernel K(params(), {8, 4, 1});
  Feeder V{K};
  for (uint32_t Axis = 0; Axis < 3; ++Axis)
    for (Op O : {Op::GlobalId, Op::LocalId, Op::WorkgroupId, Op::NumWorkgroups})
      V.keep(K.B.id(O, Axis));
  V.keep(K.B.len({BaseKind::Param, 2}));
  std::string Text = K.text();
  INFO(Text);
  for (const char *Name : {"BuiltIn LocalInvocationId", "BuiltIn WorkgroupId",
                           "\"base_z\"", "\"count_z\""})
    CHECK(has(Text, Name));
}

TEST_CASE("constants that float folding would change stay as they are") {
  // x * 1.0, x + -0.0 and x + 0.0 all survive every level.
  for (unsigned Level = 0; Level <= 3; ++Level) {
    Kernel K(params());
    Feeder V{K};
    Builder &B = K.B;
    V.keep(B.op(Op::Mul, {V.any(types::F32), B.f32Bits(0x3f800000)}));
    V.keep(B.op(Op::Add, {V.any(types::F32), B.f32Bits(0x80000000)}));
    V.keep(B.op(Op::Add, {V.any(types::F32), B.f32Bits(0)}));
    V.keep(B.f32Bits(0x7fc00001));
    V.keep(B.f32Bits(1));
    std::string Text = K.text(Level);
    INFO(Text);
    CHECK(count(Text, "OpFMul") == 1);
    CHECK(count(Text, "OpFAdd") == 2);
  }
}
