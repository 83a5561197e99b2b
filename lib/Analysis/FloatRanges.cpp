//===- FloatRanges.cpp - What a number may be anywhere --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands have smaller handles than what takes them, so a walk in the order of
// handles has them all; what is loaded grows from walk to walk until nothing
// does. With --fp=fast a device may compute otherwise than the language says:
// then floats are anything.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Analysis/FloatRanges.h"

#include "goldyc/Analysis/Structure.h"

using namespace goldy;

namespace {
/// Memory grows by what is stored so often, then without an end; and walks are
/// at most so many.
constexpr unsigned MaxGrowth = 2, MaxWalks = 12;
} // namespace

FloatRanges::FloatRanges(const Module &M, const Function &F)
    : M(M), F(F), Floats(F.Insts.size()), Integers(F.Insts.size(), NoInteger) {
  for (uint32_t N = 0; N < F.Insts.size(); ++N)
    openMemory(InstId(N));
  for (unsigned Walk = 0;; ++Walk) {
    Changed = false;
    for (uint32_t N = 0; N < F.Insts.size(); ++N)
      visit(InstId(N));
    if (!Changed)
      return;
    if (Walk == MaxWalks)
      for (auto &[Key, Mem] : Memories)
        grow(Mem, FloatRange::any(), {INT32_MIN, UINT32_MAX});
  }
}

void FloatRanges::visit(InstId I) {
  const Inst &N = F.Insts[I];
  if (N.Type == types::F32)
    Floats[I.index()] = floatOf(I);
  else if (N.Type == types::U32 || N.Type == types::I32)
    Integers[I.index()] = integerOf(I);
  else if (N.Opcode == Op::Store)
    store(I);
}

std::optional<bool> FloatRanges::outcome(InstId Compare) const {
  Op O = F.Insts[Compare].Opcode;
  ValueId A = F.operand(Compare, 0), B = F.operand(Compare, 1);
  if (F.typeOf(A) == types::F32)
    return decided(O, of(A), of(B));
  return followed(A) ? decided(O, integer(A), integer(B)) : std::nullopt;
}

// --- Memory

FloatRanges::Memory *FloatRanges::memoryOf(InstId I) {
  const Place &P = F.Places[F.Insts[I].Where];
  bool Own =
      P.Base.Kind == BaseKind::Slot || P.Base.Kind == BaseKind::Workgroup;
  return Own && !M.Types.isStorageOnly(P.Type)
             ? &Memories[{P.Base.Kind, P.Base.Index}]
             : nullptr;
}

/// What is not loaded and stored by single scalars may hold anything.
void FloatRanges::openMemory(InstId I) {
  const Inst &N = F.Insts[I];
  Memory *Mem = N.Where ? memoryOf(I) : nullptr;
  if (!Mem || N.Opcode == Op::Load || N.Opcode == Op::WorkgroupUniformLoad ||
      N.Opcode == Op::Len)
    return;
  if (N.Opcode == Op::Store && M.Types.isScalar(F.typeOf(F.operand(I, 0))))
    return;
  grow(*Mem, FloatRange::any(), {INT32_MIN, UINT32_MAX});
}

void FloatRanges::store(InstId I) {
  Memory *Mem = memoryOf(I);
  ValueId V = F.operand(I, 0);
  if (!Mem)
    return;
  if (F.typeOf(V) == types::F32)
    grow(*Mem, of(V), NoInteger);
  else if (followed(V))
    grow(*Mem, {}, integer(V));
}

void FloatRanges::grow(Memory &Mem, const FloatRange &Float, Interval Integer) {
  FloatRange NewFloat = hullOf(Mem.Float, Float);
  Interval NewInteger = hullOf(Mem.Integer, Integer);
  if (NewFloat == Mem.Float && NewInteger == Mem.Integer)
    return;
  Changed = true;
  if (++Mem.Grown > MaxGrowth) {
    FloatRange All = FloatRange::any();
    NewFloat.Lo = NewFloat.Lo < Mem.Float.Lo ? All.Lo : NewFloat.Lo;
    NewFloat.Hi = NewFloat.Hi > Mem.Float.Hi ? All.Hi : NewFloat.Hi;
    NewInteger.Lo = NewInteger.Lo < Mem.Integer.Lo ? INT32_MIN : NewInteger.Lo;
    NewInteger.Hi = NewInteger.Hi > Mem.Integer.Hi ? UINT32_MAX : NewInteger.Hi;
  }
  Mem.Float = NewFloat;
  Mem.Integer = NewInteger;
}

// --- Floats

FloatRange FloatRanges::floatOf(InstId I) {
  const Inst &N = F.Insts[I];
  if (N.Opcode == Op::Const)
    return FloatRange::ofBits(static_cast<uint32_t>(N.Imm));
  if (M.Floats == FloatMode::Fast)
    return FloatRange::any();
  switch (N.Opcode) {
  case Op::Load:
  case Op::WorkgroupUniformLoad:
    return loadedFloat(I);
  case Op::Cast:
    return castFloat(I);
  case Op::Select:
    return chosenFloat(I);
  case Op::FromBits: {
    Interval Bits = integer(F.operand(I, 0));
    return Bits.isEmpty() ? FloatRange() : fromBitsRange(Bits);
  }
  default:
    return isPure(N.Opcode) ? computed(I) : FloatRange::any();
  }
}

FloatRange FloatRanges::loadedFloat(InstId I) {
  if (Memory *Mem = memoryOf(I))
    return Mem->Float;
  FloatRange R = FloatRange::any();
  R.MaySubnormal = F.Places[F.Insts[I].Where].Type != types::F16;
  return R;
}

FloatRange FloatRanges::castFloat(InstId I) const {
  ValueId From = F.operand(I, 0);
  if (F.typeOf(From) == types::F32)
    return of(From);
  if (!followed(From))
    return FloatRange::numbers(-0x1p64f, 0x1p64f);
  Interval R = integer(From);
  return R.isEmpty() ? FloatRange() : fromInteger(R);
}

FloatRange FloatRanges::chosenFloat(InstId I) const {
  ValueId Condition = F.operand(I, 0), A = F.operand(I, 1), B = F.operand(I, 2);
  return hullOf(where(of(A), A, Condition, true),
                where(of(B), B, Condition, false));
}

/// What is left of V's range where the condition is or is not true.
FloatRange FloatRanges::where(const FloatRange &Range, ValueId V,
                              ValueId Condition, bool Holds,
                              unsigned Depth) const {
  const Inst &N = F.Insts[Condition];
  if (Depth == 0 || N.NumOperands == 0)
    return Range;
  ValueId A = F.operand(Condition, 0);
  if (N.Opcode == Op::Not)
    return where(Range, V, A, !Holds, Depth - 1);
  if (N.NumOperands != 2)
    return Range;
  ValueId B = F.operand(Condition, 1);
  if (N.Opcode == (Holds ? Op::And : Op::Or))
    return where(where(Range, V, A, Holds, Depth - 1), V, B, Holds, Depth - 1);
  if (!isComparison(N.Opcode) || F.typeOf(A) != types::F32 ||
      of(A).isNothing() || of(B).isNothing())
    return Range;
  if (V == A)
    return whereCompared(N.Opcode, Range, of(B), Holds);
  static constexpr Op Turned[] = {Op::Eq, Op::Ne, Op::Gt,
                                  Op::Ge, Op::Lt, Op::Le};
  return V == B ? whereCompared(Turned[unsigned(N.Opcode) - unsigned(Op::Eq)],
                                Range, of(A), Holds)
                : Range;
}

/// Arithmetic of floats; none of an operand that has not been found yet.
FloatRange FloatRanges::computed(InstId I) const {
  const Inst &N = F.Insts[I];
  std::span<const ValueId> V = F.operands(I);
  if (V.empty() || V.size() > 3)
    return FloatRange::any();
  for (ValueId Operand : V)
    if (F.typeOf(Operand) != types::F32)
      return FloatRange::any();
  for (ValueId Operand : V)
    if (of(Operand).isNothing())
      return {};
  if (N.Opcode == Op::Mul && V[0] == V[1])
    return squareRange(of(V[0]));
  if (N.Opcode == Op::Fma)
    return fmaRange(of(V[0]), of(V[1]), of(V[2]));
  return V.size() == 1   ? unaryRange(N.Opcode, of(V[0]))
         : V.size() == 2 ? binaryRange(N.Opcode, of(V[0]), of(V[1]))
                         : FloatRange::any();
}

// --- Integers

Interval FloatRanges::integerOf(InstId I) {
  const Inst &N = F.Insts[I];
  switch (N.Opcode) {
  case Op::Const: {
    int64_t C = N.Type == types::U32 ? static_cast<int64_t>(N.Imm)
                                     : static_cast<int32_t>(N.Imm);
    return {C, C};
  }
  case Op::LocalId:
    return F.Kind == FuncKind::Kernel
               ? Interval{0, int64_t(F.WorkgroupSize[N.Imm]) - 1}
               : AllU32;
  case Op::CountOnes:
  case Op::LeadingZeros:
  case Op::TrailingZeros:
    return {0, M.Types.bits(F.typeOf(F.operand(I, 0)))};
  case Op::Load:
  case Op::WorkgroupUniformLoad:
    return loadedInteger(I);
  case Op::Cast:
    return castInteger(I);
  case Op::Select:
    return hullOf(integer(F.operand(I, 1)), integer(F.operand(I, 2)));
  case Op::ToBits: {
    const FloatRange &X = of(F.operand(I, 0));
    return X.isNothing() ? NoInteger : toBitsRange(X);
  }
  default:
    return isPure(N.Opcode) ? computedInteger(I) : fullOf(I);
  }
}

Interval FloatRanges::loadedInteger(InstId I) {
  Interval All = fullOf(I);
  if (Memory *Mem = memoryOf(I))
    return Mem->Integer.within(All.Lo, All.Hi) ? Mem->Integer : All;
  TypeId T = F.Places[F.Insts[I].Where].Type;
  if (!M.Types.isStorageOnly(T))
    return All;
  int64_t Count = int64_t(1) << M.Types.bits(T);
  return M.Types.isSigned(T) ? Interval{-Count / 2, Count / 2 - 1}
                             : Interval{0, Count - 1};
}

Interval FloatRanges::castInteger(InstId I) const {
  ValueId From = F.operand(I, 0);
  Interval All = fullOf(I);
  if (F.typeOf(From) == types::Bool)
    return {0, 1};
  if (F.typeOf(From) == types::F32)
    return of(From).isNothing() ? NoInteger : toInteger(of(From), All);
  if (!followed(From))
    return All;
  Interval R = integer(From);
  return R.within(All.Lo, All.Hi) || R.isEmpty() ? R : All;
}

Interval FloatRanges::computedInteger(InstId I) const {
  std::span<const ValueId> V = F.operands(I);
  if (V.size() != 2 || !followed(V[0]) || !followed(V[1]))
    return fullOf(I);
  Interval X = integer(V[0]), Y = integer(V[1]);
  return X.isEmpty() || Y.isEmpty()
             ? NoInteger
             : binaryInterval(F.Insts[I].Opcode, X, Y, fullOf(I));
}
