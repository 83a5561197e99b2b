//===- KnownOperands.cpp - What a driver may know when it compiles --------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value of known operands alone is known. A variable is known as whatever was
// stored in it, beside what is not known: one round of a loop may be peeled
// off. Zeros and ones are followed through products and sums, so that an
// accumulator that starts at zero does not make all that is computed with it
// known. Behind `x == 1.0` or `i < 1` a value may be known too.
//
//===----------------------------------------------------------------------===//
#include "KnownOperands.h"

#include <algorithm>

using namespace goldy;

static uint8_t knownAsBits(uint32_t Bits) {
  uint32_t Size = Bits & 0x7fffffffu, Exponent = Bits >> 23 & 0xff;
  if (Size == 0)
    return Bits ? KnownMinusZero : KnownZero;
  if (Size == 0x3f800000u)
    return KnownOne;
  return Exponent == 0 || Exponent == 0xff ? KnownAny : KnownNormal;
}

/// A zero of either sign, where one may be known.
static uint8_t eitherZero(uint8_t Known) {
  constexpr uint8_t Zeros = KnownZero | KnownMinusZero;
  return Known & Zeros ? Known | Zeros : Known;
}

KnownOperands::KnownOperands(const Function &F) : F(F) {
  bool Changed = true;
  while (Changed) {
    Changed = false;
    for (uint32_t N = 0; N < F.Insts.size(); ++N)
      Changed |= visit(InstId(N));
  }
}

bool KnownOperands::widen(ValueId V, uint8_t More) {
  uint8_t New = Value[V] | More;
  bool Changed = New != Value[V];
  Value.set(V, New);
  return Changed;
}

/// Buffers are one memory: two parameters may name the same.
KnownOperands::Memory KnownOperands::memoryOf(InstId I) const {
  const PlaceBase &Base = F.Places[F.Insts[I].Where].Base;
  bool Param = Base.Kind == BaseKind::Param;
  return {static_cast<uint32_t>(Base.Kind), Param ? 0 : Base.Index};
}

uint8_t KnownOperands::load(InstId I) const {
  BaseKind Kind = F.Places[F.Insts[I].Where].Base.Kind;
  if (Kind == BaseKind::Table)
    return KnownAny;
  std::map<Memory, uint8_t>::const_iterator Found = Holds.find(memoryOf(I));
  uint8_t Stored = Found == Holds.end() ? 0 : Found->second;
  // An index that the driver knows to be outside gives zero.
  bool MayMiss = Kind != BaseKind::Param && F.guard(I);
  return MayMiss ? Stored | KnownZero : Stored;
}

bool KnownOperands::store(InstId I) {
  if (Value[F.operand(I, 0)] == 0)
    return false;
  uint8_t &Held = Holds[memoryOf(I)];
  uint8_t Before = Held;
  Held |= Value[F.operand(I, 0)];
  return Held != Before;
}

static bool isNearEnd(const Function &F, ValueId V) {
  if (!F.isConst(V))
    return true;
  int64_t Imm = static_cast<int64_t>(F.Insts[V].Imm);
  int64_t Signed = static_cast<int32_t>(Imm);
  return (Signed >= -2 && Signed <= 1) || Signed >= INT32_MAX - 1 ||
         Signed <= INT32_MIN + 1;
}

/// A branch may know a value that was compared: equal to a known one, or an
/// integer that a bound leaves no choice.
bool KnownOperands::compare(InstId I) {
  ValueId A = F.operand(I, 0), C = F.operand(I, 1);
  Op O = F.Insts[I].Opcode;
  bool Equal = O == Op::Eq || O == Op::Ne;
  bool Changed = false;
  auto Mark = [&](ValueId Seen, ValueId Other) {
    uint8_t Known = Value[Other];
    if (!Known || F.isConst(Seen))
      return;
    if (F.typeOf(Seen) != types::F32)
      Known = Equal || isNearEnd(F, Other) ? KnownAny : 0;
    else
      Known = Equal ? eitherZero(Known) : 0;
    Changed |= widen(Seen, Known);
  };
  Mark(A, C);
  Mark(C, A);
  return Changed;
}

bool KnownOperands::visit(InstId I) {
  switch (F.Insts[I].Opcode) {
  case Op::Store:
  case Op::AtomicStore:
    return store(I);
  case Op::Eq:
  case Op::Ne:
  case Op::Lt:
  case Op::Le:
  case Op::Gt:
  case Op::Ge:
    return compare(I);
  default:
    return F.Insts[I].Type && widen(I, transfer(I));
  }
}

uint8_t KnownOperands::ofAll(InstId I) const {
  std::span<const ValueId> Operands = F.operands(I);
  bool All = isPure(F.Insts[I].Opcode) && !Operands.empty() &&
             std::all_of(Operands.begin(), Operands.end(),
                         [&](ValueId V) { return Value[V] != 0; });
  return All ? KnownAny : 0;
}

uint8_t KnownOperands::product(uint8_t A, uint8_t B) {
  constexpr uint8_t Zeros = KnownZero | KnownMinusZero;
  if (!A || !B)
    return 0;
  if ((A | B) & KnownAny)
    return KnownAny;
  uint8_t Out = (A | B) & Zeros ? Zeros : 0;
  if (A & KnownOne)
    Out |= B & (KnownOne | KnownNormal);
  if (B & KnownOne)
    Out |= A & (KnownOne | KnownNormal);
  return A & B & KnownNormal ? KnownAny : Out;
}

uint8_t KnownOperands::sum(uint8_t A, uint8_t B) {
  constexpr uint8_t Zeros = KnownZero | KnownMinusZero;
  if (!A || !B)
    return 0;
  uint8_t Both = A | B;
  if (Both & KnownAny || (A & ~Zeros && B & ~Zeros))
    return KnownAny;
  return eitherZero(Both);
}

uint8_t KnownOperands::transfer(InstId I) const {
  const Inst &N = F.Insts[I];
  auto Of = [&](unsigned Operand) { return Value[F.operand(I, Operand)]; };
  bool Float = N.Type == types::F32;
  switch (N.Opcode) {
  case Op::Const:
    return Float ? knownAsBits(static_cast<uint32_t>(N.Imm)) : KnownAny;
  case Op::SpecConst:
  case Op::DeviceSwitch:
    return KnownAny;
  case Op::Load:
    return load(I);
  case Op::Select:
    return Of(1) | Of(2);
  case Op::Min:
  case Op::Max:
    return eitherZero(Of(0) | Of(1));
  case Op::LaneExchange:
  case Op::LaneFirst:
    return Of(0);
  case Op::LocalId:
    return F.WorkgroupSize[N.Imm] == 1 ? KnownAny : 0;
  case Op::WorkgroupSize:
  case Op::LoopVar:
    return KnownAny;
  default:
    return Float ? transferFloat(I) : ofAll(I);
  }
}

uint8_t KnownOperands::transferFloat(InstId I) const {
  auto Of = [&](unsigned Operand) { return Value[F.operand(I, Operand)]; };
  switch (F.Insts[I].Opcode) {
  case Op::Add:
  case Op::Sub:
    return sum(eitherZero(Of(0)), eitherZero(Of(1)));
  case Op::Mul:
    return product(Of(0), Of(1));
  case Op::Fma:
    return sum(eitherZero(product(Of(0), Of(1))), eitherZero(Of(2)));
  case Op::Neg:
  case Op::Abs:
  case Op::Copysign:
    return eitherZero(Of(0));
  case Op::CanonNan:
  case Op::Flush:
    return Of(0);
  default:
    return ofAll(I);
  }
}
