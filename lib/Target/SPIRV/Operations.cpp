//===- Operations.cpp - Pure operations
//------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function a kind of operation, reached from the switch in `pure`. Float
// arithmetic is decorated NoContraction. Sign operations on floats, canonical
// NaNs and flushes are integer code: devices flush and quieten in theirs.
//
//===----------------------------------------------------------------------===//
#include "Emitter.h"
#include "goldyc/Target/TensorLayout.h"

#include <spirv/unified1/GLSL.std.450.h>

namespace goldy::spirv {

using enum spv::Op;

Id Emitter::value(ValueId V) {
  const Inst &I = F.Insts[V];
  if (I.Opcode == Op::Const)
    return isSignallingNan(I.Type, I.Imm)
               ? fromBits(B.u32(static_cast<uint32_t>(I.Imm)))
               : constant(I.Type, I.Imm, I.Loc);
  if (I.Opcode == Op::ParamValue)
    return scalarParam(static_cast<uint32_t>(I.Imm));
  if (I.Opcode == Op::SpecConst)
    return specConstant(SpecId(static_cast<uint32_t>(I.Imm)), I.Loc);
  if (I.Opcode == Op::DeviceSwitch)
    return deviceSwitch(static_cast<uint32_t>(I.Imm));
  if (Id Known = Values[V])
    return Known;
  return unsupported(V);
}

/// Words go through the shuffle whatever the type: nothing may touch a float.
Id Emitter::lanes(InstId I) {
  const Inst &N = F.Insts[I];
  Id U = B.u32Type(), Type = typeId(N.Type, N.Loc);
  uint32_t Count = static_cast<uint32_t>(F.Insts[F.operand(I, 1)].Imm);
  bool First = N.Opcode == Op::LaneFirst;
  B.capability(spv::Capability::GroupNonUniform);
  B.capability(spv::Capability::GroupNonUniformShuffle);
  HasShuffle = true;
  Id V = operand(I, 0);
  if (Type != U)
    V = C.value(OpBitcast, U, {V});
  Id Lane = B.u32(Count);
  if (First)
    Lane = C.value(OpBitwiseAnd, U,
                   {builtinVariable(spv::BuiltIn::SubgroupLocalInvocationId, U),
                    B.u32(~(Count - 1))});
  Id Scope = B.u32(static_cast<uint32_t>(spv::Scope::Subgroup));
  V = C.value(First ? OpGroupNonUniformShuffle : OpGroupNonUniformShuffleXor, U,
              {Scope, V, Lane});
  return Type == U ? V : C.value(OpBitcast, Type, {V});
}

/// Declared where the kernel first uses it; its SpecId is its number.
Id Emitter::specConstant(SpecId S, Span Where) {
  if (Id Known = Specs[S])
    return Known;
  const SpecConstant &C = M.Specs[S];
  Id Type = typeId(C.Type, Where);
  if (!Type)
    return 0;
  Id Result = C.Type == types::Bool
                  ? B.specBoolean(C.Default != 0)
                  : B.specConstant(Type, static_cast<uint32_t>(C.Default));
  B.decorate(Result, spv::Decoration::SpecId, {S.index()});
  B.name(Result, C.Name);
  Specs.set(S, Result);
  return Result;
}

Id Emitter::constant(TypeId T, uint64_t Bits, Span Where) {
  if (T == types::Bool)
    return B.boolean(Bits != 0);
  Id Type = typeId(T, Where);
  if (!Type)
    return 0;
  return M.Types.bits(T) == 64 ? B.constant64(Type, Bits)
                               : B.constant(Type, static_cast<uint32_t>(Bits));
}

Id Emitter::construct(InstId I) {
  Words Parts;
  for (ValueId V : F.operands(I))
    Parts.push_back(value(V));
  return C.value(OpCompositeConstruct, typeId(F.Insts[I].Type, F.Insts[I].Loc),
                 Parts);
}

Id Emitter::pure(InstId I) {
  const Inst &N = F.Insts[I];
  if (!typeId(N.Type, N.Loc))
    return 0;
  if (readsLayout(N.Opcode))
    return layoutFact(I);
  if (N.Opcode == Op::Dim)
    return imageExtent(I);
  for (ValueId V : F.operands(I))
    if (!value(V))
      return 0;
  switch (N.Opcode) {
  case Op::GlobalId:
    return globalId(static_cast<uint32_t>(N.Imm));
  case Op::LocalId:
    return localId(static_cast<uint32_t>(N.Imm));
  case Op::WorkgroupId:
    return workgroupId(static_cast<uint32_t>(N.Imm));
  case Op::NumWorkgroups:
    return blockWord(BaseMember + 3 + static_cast<uint32_t>(N.Imm));
  case Op::Len:
    return length(N);
  case Op::Add:
    return arithmetic(I, OpIAdd, OpFAdd);
  case Op::Sub:
    return arithmetic(I, OpISub, OpFSub);
  case Op::Mul:
    return arithmetic(I, OpIMul, OpFMul);
  case Op::Div:
    return arithmetic(I, OpNop, OpFDiv);
  case Op::Neg:
    return negate(I);
  case Op::Abs:
    return absolute(I);
  case Op::Min:
    return signedChoice(I, GLSLstd450SMin, GLSLstd450UMin);
  case Op::Max:
    return signedChoice(I, GLSLstd450SMax, GLSLstd450UMax);
  case Op::And:
    return bitwise(I, OpBitwiseAnd, OpLogicalAnd);
  case Op::Or:
    return bitwise(I, OpBitwiseOr, OpLogicalOr);
  case Op::Xor:
    return bitwise(I, OpBitwiseXor, OpLogicalNotEqual);
  case Op::Not:
    return notOf(I);
  case Op::Eq:
  case Op::Ne:
  case Op::Lt:
  case Op::Le:
  case Op::Gt:
  case Op::Ge:
    return compare(I);
  case Op::Select:
    return select(I);
  case Op::Extract:
    return C.value(OpCompositeExtract, typeId(N.Type, N.Loc),
                   {operand(I, 0), static_cast<uint32_t>(N.Imm)});
  case Op::Construct:
    return construct(I);
  case Op::Sqrt:
    return extended(I, GLSLstd450Sqrt);
  case Op::Fma:
    return extended(I, GLSLstd450Fma);
  case Op::Floor:
    return extended(I, GLSLstd450Floor);
  case Op::Ceil:
    return extended(I, GLSLstd450Ceil);
  case Op::Trunc:
    return extended(I, GLSLstd450Trunc);
  case Op::RoundEven:
    return extended(I, GLSLstd450RoundEven);
  case Op::Copysign:
    return copysign(I);
  case Op::ToBits:
    return bits(operand(I, 0));
  case Op::FromBits:
    return fromBits(operand(I, 0));
  case Op::CountOnes:
    return intUnary(I, OpBitCount);
  case Op::ReverseBits:
    return intUnary(I, OpBitReverse);
  case Op::LeadingZeros:
    return leadingZeros(I);
  case Op::TrailingZeros:
    return trailingZeros(I);
  case Op::RotateLeft:
    return rotate(I, true);
  case Op::RotateRight:
    return rotate(I, false);
  case Op::MulHi:
    return mulHigh(I);
  case Op::Cast:
    return cast(I);
  case Op::RawDiv:
    return rawBinary(I, OpSDiv, OpUDiv);
  case Op::RawRem:
    return rawBinary(I, OpSRem, OpUMod);
  case Op::RawShl:
    return rawBinary(I, OpShiftLeftLogical, OpShiftLeftLogical);
  case Op::RawShr:
    return rawBinary(I, OpShiftRightArithmetic, OpShiftRightLogical);
  case Op::RawFloatToInt:
    return C.value(N.Type == types::U32 ? OpConvertFToU : OpConvertFToS,
                   typeId(N.Type, N.Loc), {operand(I, 0)});
  case Op::CanonNan:
    return canonNan(operand(I, 0));
  case Op::Flush:
    return flush(operand(I, 0));
  default:
    return unsupported(I);
  }
}

Id Emitter::arithmetic(InstId I, spv::Op OnInt, spv::Op OnFloat) {
  const Inst &N = F.Insts[I];
  Id Type = typeId(N.Type, N.Loc);
  if (N.Type != types::F32)
    return OnInt == OpNop ? unsupported(I)
                          : binary(OnInt, Type, operand(I, 0), operand(I, 1));
  Id Result = binary(OnFloat, Type, operand(I, 0), operand(I, 1));
  if (M.Floats == FloatMode::Strict)
    B.decorate(Result, spv::Decoration::NoContraction);
  return Result;
}

Id Emitter::bitwise(InstId I, spv::Op OnInt, spv::Op OnBool) {
  const Inst &N = F.Insts[I];
  if (N.Type == types::F32)
    return unsupported(I);
  return binary(N.Type == types::Bool ? OnBool : OnInt, typeId(N.Type, N.Loc),
                operand(I, 0), operand(I, 1));
}

Id Emitter::notOf(InstId I) {
  const Inst &N = F.Insts[I];
  if (N.Type == types::F32)
    return unsupported(I);
  return C.value(N.Type == types::Bool ? OpLogicalNot : OpNot,
                 typeId(N.Type, N.Loc), {operand(I, 0)});
}

namespace {
struct Comparison {
  spv::Op OnSigned, OnUnsigned, OnFloat;
};
} // namespace

static Comparison comparison(Op O) {
  switch (O) {
  case Op::Eq:
    return {OpIEqual, OpIEqual, OpFOrdEqual};
  case Op::Ne:
    return {OpINotEqual, OpINotEqual, OpFUnordNotEqual};
  case Op::Lt:
    return {OpSLessThan, OpULessThan, OpFOrdLessThan};
  case Op::Le:
    return {OpSLessThanEqual, OpULessThanEqual, OpFOrdLessThanEqual};
  case Op::Gt:
    return {OpSGreaterThan, OpUGreaterThan, OpFOrdGreaterThan};
  default:
    return {OpSGreaterThanEqual, OpUGreaterThanEqual, OpFOrdGreaterThanEqual};
  }
}

Id Emitter::compare(InstId I) {
  Comparison By = comparison(F.Insts[I].Opcode);
  TypeId T = operandType(I);
  Id L = operand(I, 0), R = operand(I, 1);
  if (T == types::Bool) { // false < true
    L = asWord(L);
    R = asWord(R);
  }
  spv::Op O = T == types::F32       ? By.OnFloat
              : M.Types.isSigned(T) ? By.OnSigned
                                    : By.OnUnsigned;
  return binary(O, B.boolType(), L, R);
}

Id Emitter::intUnary(InstId I, spv::Op Opcode) {
  if (operandType(I) != types::U32 && operandType(I) != types::I32)
    return unsupported(I);
  return C.value(Opcode, typeId(F.Insts[I].Type, F.Insts[I].Loc),
                 {operand(I, 0)});
}

Id Emitter::extended(InstId I, uint32_t Instruction) {
  const Inst &N = F.Insts[I];
  Words Operands{B.glsl(), Instruction};
  for (ValueId V : F.operands(I))
    Operands.push_back(value(V));
  return C.value(OpExtInst, typeId(N.Type, N.Loc), Operands);
}

Id Emitter::signedChoice(InstId I, uint32_t OnSigned, uint32_t OnUnsigned) {
  TypeId T = F.Insts[I].Type;
  if (T != types::U32 && T != types::I32)
    return unsupported(I);
  return extended(I, T == types::I32 ? OnSigned : OnUnsigned);
}

Id Emitter::negate(InstId I) {
  const Inst &N = F.Insts[I];
  Id V = operand(I, 0);
  if (N.Type == types::F32)
    return fromBits(
        binary(OpBitwiseXor, B.u32Type(), bits(V), B.u32(0x80000000u)));
  return C.value(OpSNegate, typeId(N.Type, N.Loc), {V});
}

Id Emitter::absolute(InstId I) {
  const Inst &N = F.Insts[I];
  Id V = operand(I, 0), Type = typeId(N.Type, N.Loc);
  if (N.Type == types::F32)
    return fromBits(
        binary(OpBitwiseAnd, B.u32Type(), bits(V), B.u32(0x7fffffffu)));
  if (!M.Types.isSigned(N.Type))
    return V;
  Id Negative = binary(OpSLessThan, B.boolType(), V, B.null(Type));
  return selectId(Type, Negative, C.value(OpSNegate, Type, {V}), V);
}

Id Emitter::bits(Id V) {
  auto Known = WordOf.find(V);
  return Known == WordOf.end() ? C.value(OpBitcast, B.u32Type(), {V})
                               : Known->second;
}

Id Emitter::fromBits(Id V) {
  Id Float = C.value(OpBitcast, B.f32Type(), {V});
  WordOf[Float] = V;
  return Float;
}

Id Emitter::copysign(InstId I) {
  Id U = B.u32Type();
  Id Magnitude =
      binary(OpBitwiseAnd, U, bits(operand(I, 0)), B.u32(0x7fffffffu));
  Id Sign = binary(OpBitwiseAnd, U, bits(operand(I, 1)), B.u32(0x80000000u));
  return fromBits(binary(OpBitwiseOr, U, Magnitude, Sign));
}

Id Emitter::select(InstId I) {
  const Inst &N = F.Insts[I];
  if (!M.Types.isScalar(N.Type))
    return unsupported(I);
  return selectId(typeId(N.Type, N.Loc), operand(I, 0), operand(I, 1),
                  operand(I, 2));
}

Id Emitter::rawBinary(InstId I, spv::Op OnSigned, spv::Op OnUnsigned) {
  const Inst &N = F.Insts[I];
  return binary(M.Types.isSigned(N.Type) ? OnSigned : OnUnsigned,
                typeId(N.Type, N.Loc), operand(I, 0), operand(I, 1));
}

/// (v << s) | (v >> (32 - s & 31)), in unsigned arithmetic.
Id Emitter::rotate(InstId I, bool Left) {
  const Inst &N = F.Insts[I];
  Id U = B.u32Type();
  Id V = C.value(OpBitcast, U, {operand(I, 0)});
  Id Amount = C.value(OpBitcast, U, {operand(I, 1)});
  Id Forward = binary(OpBitwiseAnd, U, Amount, B.u32(31));
  Id Back = binary(OpBitwiseAnd, U, C.value(OpSNegate, U, {Amount}), B.u32(31));
  Id High = binary(OpShiftLeftLogical, U, V, Left ? Forward : Back);
  Id Low = binary(OpShiftRightLogical, U, V, Left ? Back : Forward);
  return C.value(OpBitcast, typeId(N.Type, N.Loc),
                 {binary(OpBitwiseOr, U, High, Low)});
}

Id Emitter::mulHigh(InstId I) {
  const Inst &N = F.Insts[I];
  Id Type = typeId(N.Type, N.Loc);
  Id Both = binary(N.Type == types::I32 ? OpSMulExtended : OpUMulExtended,
                   B.pairType(Type), operand(I, 0), operand(I, 1));
  return C.value(OpCompositeExtract, Type, {Both, 1});
}

/// FindUMsb gives -1 for 0, so 31 - msb is 32 there.
Id Emitter::leadingZeros(InstId I) {
  Id U = B.u32Type();
  Id V = C.value(OpBitcast, U, {operand(I, 0)});
  Id Top = C.value(OpExtInst, U, {B.glsl(), GLSLstd450FindUMsb, V});
  return binary(OpISub, U, B.u32(31), Top);
}

/// FindILsb gives -1 for 0; as an unsigned number that is above 32.
Id Emitter::trailingZeros(InstId I) {
  Id U = B.u32Type();
  Id V = C.value(OpBitcast, U, {operand(I, 0)});
  Id Bit = C.value(OpExtInst, U, {B.glsl(), GLSLstd450FindILsb, V});
  return C.value(OpExtInst, U, {B.glsl(), GLSLstd450UMin, Bit, B.u32(32)});
}

Id Emitter::asBool(Id Word) {
  return binary(OpINotEqual, B.boolType(), Word, B.u32(0));
}

Id Emitter::asWord(Id Boolean) {
  return selectId(B.u32Type(), Boolean, B.u32(1), B.u32(0));
}

/// Extends by the source's sign; a conversion keeps the signedness that its
/// name says, a bitcast gives the target's.
Id Emitter::integerCast(TypeId From, TypeId To, Id V) {
  uint32_t Bits = M.Types.bits(To);
  Id Type = B.intType(Bits, M.Types.isSigned(To));
  if (Bits == M.Types.bits(From))
    return C.value(OpBitcast, Type, {V});
  bool Signed = M.Types.isSigned(From);
  Id Same = B.intType(Bits, Signed);
  Id Wide = C.value(Signed ? OpSConvert : OpUConvert, Same, {V});
  return Same == Type ? Wide : C.value(OpBitcast, Type, {Wide});
}

Id Emitter::cast(InstId I) {
  const Inst &N = F.Insts[I];
  TypeId From = operandType(I), To = N.Type;
  Id V = operand(I, 0), Type = typeId(To, N.Loc);
  if (From == To)
    return V;
  bool Integers = From != types::F32 && To != types::F32;
  if (From == types::Bool && Integers)
    return selectId(Type, V, constant(To, 1, N.Loc), B.null(Type));
  if (Integers && To != types::Bool)
    return integerCast(From, To, V);
  if (To == types::F32 && M.Types.bits(From) == 32 && From != types::Bool)
    return C.value(From == types::I32 ? OpConvertSToF : OpConvertUToF, Type,
                   {V});
  return unsupported(I); // saturating conversions are legalised
}

Id Emitter::canonNan(Id V) {
  Id U = B.u32Type(), Bits = bits(V);
  Id Magnitude = binary(OpBitwiseAnd, U, Bits, B.u32(0x7fffffffu));
  Id IsNan =
      binary(OpUGreaterThan, B.boolType(), Magnitude, B.u32(0x7f800000u));
  return fromBits(selectId(U, IsNan, B.u32(0x7fc00000u), Bits));
}

Id Emitter::flush(Id V) {
  Id U = B.u32Type(), Bits = bits(V);
  Id Exponent = binary(OpBitwiseAnd, U, Bits, B.u32(0x7f800000u));
  Id Small = binary(OpIEqual, B.boolType(), Exponent, B.u32(0));
  Id Sign = binary(OpBitwiseAnd, U, Bits, B.u32(0x80000000u));
  return fromBits(selectId(U, Small, Sign, Bits));
}

} // namespace goldy::spirv
