//===- LegaliseFloat.cpp - Float arithmetic under the language's rules
//------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// *Subnormals.* Arithmetic and comparisons read them as zeros. On targets that
// flush nothing is added; elsewhere operands that may be subnormal and results
// of additions get ir::flush, and a product goes through the prelude, because
// "round, then flush" differs from the rule just below 2^-126.
//
// *Switches.* Where the device is known only when it is opened, both the plain
// operation and the sequence are there and a switch of the image chooses: it is
// a constant when the driver compiles, which leaves the other one out.
//
// *Identities.* `x * 1.0`, `x - 0.0` and their like change subnormals and NaNs
// only. Compilers and drivers fold them to `x`, so they never reach one: they
// become a flush by integer operations here, on every target.
//
// *Zeros.* Where a driver compiles further (the targets that may not flush), it
// may skip an addition of zero, a multiplication by zero or `x - x`, and lose
// signs and NaNs. Such constants become integer operations here, and the sign
// of a zero sum is always set, as a driver may find the zero after unrolling.
//
// *NaN.* A result of arithmetic is fresh (see FloatFacts); it is canonicalised
// where its bits can be seen: by a store, to_bits, the sign operations, and a
// join with a value whose NaN must be kept.
//
// *Signs* are integer operations on every target: devices flush in neg and abs.
//
//===----------------------------------------------------------------------===//
#include "Legaliser.h"

#include <algorithm>

using namespace goldy;

namespace {
constexpr uint32_t SignBit = 0x80000000u, MagnitudeBits = 0x7fffffffu;
constexpr uint32_t One = 0x3f800000u, MinusOne = 0xbf800000u;
constexpr uint32_t Half = 0x3f000000u, NegativeZero = 0x80000000u;
constexpr uint32_t TwoTo23 = 0x4b000000u, Infinity = 0x7f800000u;
constexpr uint32_t CanonicalNan = 0x7fc00000u;
} // namespace

// --- Building blocks

ValueId Legaliser::bits(ValueId New) {
  ValueId Operands[] = {New};
  return B.opTyped(Op::ToBits, types::U32, Operands);
}
ValueId Legaliser::fromBits(ValueId New) {
  ValueId Operands[] = {New};
  return B.opTyped(Op::FromBits, types::F32, Operands);
}
ValueId Legaliser::truncated(ValueId New) {
  ValueId Operands[] = {New};
  return B.opTyped(Op::RawFloatToInt, types::I32, Operands);
}
ValueId Legaliser::signOf(ValueId Bits) {
  return B.op(Op::And, {Bits, B.u32(SignBit)});
}
ValueId Legaliser::magnitude(ValueId Bits) {
  return B.op(Op::And, {Bits, B.u32(MagnitudeBits)});
}
ValueId Legaliser::flushed(ValueId New) { return B.op(Op::Flush, {New}); }
ValueId Legaliser::negated(ValueId New) {
  return fromBits(B.op(Op::Xor, {bits(New), B.u32(SignBit)}));
}

/// The constant's bits as arithmetic reads them.
std::optional<uint32_t> Legaliser::constantBits(ValueId Old) const {
  if (!Src.isConst(Old))
    return std::nullopt;
  uint32_t Bits = static_cast<uint32_t>(Src.Insts[Old].Imm);
  return (Bits & 0x7f800000u) == 0 ? Bits & SignBit : Bits;
}

ValueId Legaliser::operandOf(ValueId Old) {
  if (std::optional<uint32_t> Bits = constantBits(Old))
    return B.f32Bits(*Bits);
  bool Flush = Facts.maySubnormal(Old) &&
               (!Caps.FlushesSubnormals ||
                (Caps.FoldsUnflushed && mayBeKnownSubnormal(Old)));
  return Flush ? flushed(map(Old)) : map(Old);
}

/// A compiler that makes one instruction of `a > 0 ? a : 0` may drop the flush
/// of the comparison with it, and one that joins a comparison with another
/// condition drops it too. That tells where both operands are tiny. The sum
/// with -0.0 is one instruction; with a constant zero it might be folded.
ValueId Legaliser::comparedWith(ValueId Old, ValueId Other) {
  if (!Caps.FoldsUnflushed || !Facts.maySubnormal(Old) || constantBits(Old) ||
      !Ranges.of(Other).mayBeTiny())
    return operandOf(Old);
  if (constantBits(Other) || mayBeKnownSubnormal(Old))
    return flushed(map(Old));
  return B.op(Op::Add, {map(Old), B.f32Bits(NegativeZero)});
}

ValueId Legaliser::canonical(ValueId Old) {
  ValueId New = map(Old);
  return Facts.isFresh(Old) ? B.op(Op::CanonNan, {New}) : New;
}

ValueId Legaliser::identity(ValueId Old) {
  if (std::optional<uint32_t> Bits = constantBits(Old))
    return B.f32Bits(*Bits);
  return Facts.maySubnormal(Old) ? flushed(map(Old)) : map(Old);
}

InstId Legaliser::rewriteFloat(InstId I) {
  switch (Src.Insts[I].Opcode) {
  case Op::Add:
    return add(I);
  case Op::Sub:
    return subtract(I);
  case Op::Mul:
    return multiply(I);
  case Op::Div:
    return divideFloat(I);
  case Op::NearQuotient:
    return nearQuotient(I);
  case Op::Rem:
    return fromBits(expand("rem_f32", {bits(map(Src.operand(I, 0))),
                                       bits(map(Src.operand(I, 1)))}));
  case Op::Sqrt:
    return squareRoot(I);
  case Op::Fma:
    return fma(I);
  case Op::Floor:
  case Op::Ceil:
  case Op::Trunc:
  case Op::Round:
  case Op::RoundEven:
    return rounding(I);
  case Op::Neg:
  case Op::Abs:
    return signOperation(I);
  case Op::Copysign:
    return copysign(I);
  case Op::Min:
  case Op::Max:
    return floatMinMax(I);
  default:
    return copy(I);
  }
}

InstId Legaliser::rewriteCompare(InstId I) {
  ValueId A = Src.operand(I, 0), C = Src.operand(I, 1);
  if (std::optional<bool> Always = Ranges.outcome(I))
    return B.constant(types::Bool, *Always);
  if (Src.typeOf(A) != types::F32)
    return copy(I);
  return B.op(Src.Insts[I].Opcode, {comparedWith(A, C), comparedWith(C, A)});
}

// --- Sums and products

/// What a slot was given, or a constant table has.
bool Legaliser::loadsKnownSubnormal(InstId I) const {
  const PlaceBase &Base = Src.Places[Src.Insts[I].Where].Base;
  if (Base.Kind == BaseKind::Slot)
    return HoldsSubnormal[Base.Index];
  return Base.Kind == BaseKind::Table;
}

/// A choice of which one value is; what private memory was given; what is made
/// of constants, or passes such a value on.
bool Legaliser::isKnownSubnormal(InstId I) {
  const Inst &N = Src.Insts[I];
  if (N.Type != types::F32 || !Facts.maySubnormal(I))
    return false;
  auto Known = [&](ValueId V) { return KnownSubnormal[V.index()]; };
  std::span<const ValueId> Operands = Src.operands(I);
  switch (N.Opcode) {
  case Op::Load:
    return loadsKnownSubnormal(I);
  case Op::Select:
    return Known(Operands[1]) || Known(Operands[2]);
  case Op::FromBits:
    return knownAs(Operands[0]) != 0;
  default:
    return (N.NumOperands == 0 && knownAs(I) != 0) ||
           (isPure(N.Opcode) &&
            std::any_of(Operands.begin(), Operands.end(), Known));
  }
}

/// From values to the slots that they are stored in; true if a slot is new.
bool Legaliser::spreadKnownSubnormals() {
  bool Changed = false;
  for (uint32_t N = 0; N < Src.Insts.size(); ++N) {
    InstId I(N);
    KnownSubnormal[N] = isKnownSubnormal(I);
    if (Src.Insts[I].Opcode != Op::Store)
      continue;
    const PlaceBase &Base = Src.Places[Src.Insts[I].Where].Base;
    ValueId Value = Src.operand(I, 0);
    if (Base.Kind != BaseKind::Slot || HoldsSubnormal[Base.Index] ||
        !KnownSubnormal[Value.index()])
      continue;
    HoldsSubnormal[Base.Index] = Changed = true;
  }
  return Changed;
}

bool Legaliser::mayBeKnownSubnormal(ValueId Old) {
  if (KnownSubnormal.empty()) {
    KnownSubnormal.resize(Src.Insts.size());
    HoldsSubnormal.resize(Src.Slots.size());
    while (spreadKnownSubnormals())
      ;
  }
  return KnownSubnormal[Old.index()];
}

uint8_t Legaliser::knownAs(ValueId Old) {
  if (!Known)
    Known.emplace(Src);
  return Known->of(Old);
}

bool Legaliser::takesKnown(InstId I) {
  for (ValueId V : Src.operands(I))
    if (knownAs(V))
      return true;
  return false;
}

ValueId Legaliser::summand(ValueId Old, uint8_t Other, uint8_t Folds) {
  if (!Caps.DeviceSwitches || constantBits(Old) || !Facts.maySubnormal(Old))
    return operandOf(Old);
  ValueId New = map(Old), Flushed = flushed(New);
  bool MayFold = (knownAs(Old) & KnownAny) || (Other & Folds);
  return MayFold ? Flushed : chosen(DeviceSwitch::Sums, New, Flushed);
}

/// A sum or product: what the device gives where it flushes by the rule, unless
/// the driver may know it (`Known`, as KnownAs) and make a subnormal.
ValueId Legaliser::bySum(uint8_t Known, ValueId Native, ValueId Sequence) {
  bool Settled = !Caps.DeviceSwitches || (Known & KnownAny);
  return Settled ? Sequence : chosen(DeviceSwitch::Sums, Native, Sequence);
}

ValueId Legaliser::chosen(DeviceSwitch S, ValueId Native, ValueId Sequence) {
  return B.select(B.deviceSwitch(static_cast<uint32_t>(S)), Native, Sequence);
}

/// The sum of two source values by the target's addition.
ValueId Legaliser::plainAdd(ValueId OldA, ValueId OldB) {
  if (constantBits(OldA) == NegativeZero)
    return identity(OldB);
  if (constantBits(OldB) == NegativeZero)
    return identity(OldA);
  if (Caps.FlushesSubnormals)
    return B.op(Op::Add, {operandOf(OldA), operandOf(OldB)});
  constexpr uint8_t Folds = KnownMinusZero | KnownAny;
  uint8_t KnownA = knownAs(OldA), KnownC = knownAs(OldB);
  ValueId A = summand(OldA, KnownC, Folds), C = summand(OldB, KnownA, Folds);
  if (constantBits(OldA) == 0u)
    return withoutNegativeZero(operandOf(OldB));
  if (constantBits(OldB) == 0u)
    return withoutNegativeZero(operandOf(OldA));
  return flushedSum(B.op(Op::Add, {A, C}), bits(A), bits(C),
                    Known->ofResult(Op::Add, OldA, OldB));
}

InstId Legaliser::add(InstId I) {
  return plainAdd(Src.operand(I, 0), Src.operand(I, 1));
}

InstId Legaliser::subtract(InstId I) {
  ValueId OldA = Src.operand(I, 0), OldB = Src.operand(I, 1);
  if (constantBits(OldB) == 0u)
    return identity(OldA);
  if (constantBits(OldA) == NegativeZero)
    return negated(identity(OldB));
  if (Caps.FlushesSubnormals)
    return B.op(Op::Sub, {operandOf(OldA), operandOf(OldB)});
  if (OldA == OldB)
    return zeroOrNan(operandOf(OldA), B.u32(0));
  if (constantBits(OldB) == NegativeZero)
    return withoutNegativeZero(operandOf(OldA));
  if (constantBits(OldA) == 0u)
    return withoutNegativeZero(negated(operandOf(OldB)));
  constexpr uint8_t Folds = KnownZero | KnownMinusZero | KnownAny;
  uint8_t KnownA = knownAs(OldA), KnownC = knownAs(OldB);
  ValueId A = summand(OldA, KnownC, Folds), C = summand(OldB, KnownA, Folds);
  ValueId Flipped = B.op(Op::Xor, {bits(C), B.u32(SignBit)});
  return flushedSum(B.op(Op::Sub, {A, C}), bits(A), Flipped,
                    Known->ofResult(Op::Sub, OldA, OldB));
}

/// The flush of a sum. The sum of two zeros gets its sign here: it is negative
/// only if both are.
ValueId Legaliser::flushedSum(ValueId Sum, ValueId BitsA, ValueId BitsB,
                              uint8_t Known) {
  ValueId Sizes = magnitude(B.op(Op::Or, {BitsA, BitsB}));
  ValueId Zeros = B.op(Op::Eq, {Sizes, B.u32(0)});
  ValueId Both = B.op(Op::And, {BitsA, BitsB});
  ValueId Flushed = flushedTo(Sum, B.select(Zeros, Both, bits(Sum)));
  return bySum(Known, Sum, Flushed);
}

/// The value, or a zero with the sign bit of `Sign` if it is subnormal or zero.
ValueId Legaliser::flushedTo(ValueId New, ValueId Sign) {
  ValueId Bits = bits(New);
  ValueId Exponent = B.op(Op::And, {Bits, B.u32(Infinity)});
  ValueId Tiny = B.op(Op::Eq, {Exponent, B.u32(0)});
  return fromBits(B.select(Tiny, signOf(Sign), Bits));
}

/// x + 0.0 for a value that is not subnormal.
ValueId Legaliser::withoutNegativeZero(ValueId X) {
  ValueId Bits = bits(X);
  ValueId Negative = B.op(Op::Eq, {Bits, B.u32(SignBit)});
  return fromBits(B.select(Negative, B.u32(0), Bits));
}

/// The given zero, or a NaN if `X` is infinite or one: x - x, x * 0.0.
ValueId Legaliser::zeroOrNan(ValueId X, ValueId ZeroBits) {
  ValueId Finite = B.op(Op::Lt, {magnitude(bits(X)), B.u32(Infinity)});
  return fromBits(B.select(Finite, ZeroBits, B.u32(CanonicalNan)));
}

/// Whether the product needs mul_f32: it can lie just below 2^-126, where
/// rounding and then flushing is wrong, or be a NaN of zero and infinity. Not
/// so for a square, and a finite constant of at least 1.
bool Legaliser::mayMissTheBorder(ValueId OldA, ValueId OldB) const {
  if (OldA == OldB)
    return false;
  std::optional<uint32_t> Factor = constantBits(OldB);
  uint32_t Size = Factor.value_or(0) & MagnitudeBits;
  return Size < One || Size >= Infinity;
}

ValueId Legaliser::plainMultiply(ValueId OldA, ValueId OldB) {
  if (constantBits(OldA))
    std::swap(OldA, OldB);
  if (constantBits(OldB) == One)
    return identity(OldA);
  if (constantBits(OldB) == MinusOne)
    return negated(identity(OldA));
  if (Caps.FlushesSubnormals)
    return B.op(Op::Mul, {operandOf(OldA), operandOf(OldB)});
  if (std::optional<uint32_t> Factor = constantBits(OldB);
      Factor && (*Factor & MagnitudeBits) == 0) {
    ValueId A = operandOf(OldA);
    ValueId Sign = signOf(B.op(Op::Xor, {bits(A), B.u32(*Factor)}));
    return zeroOrNan(A, Sign);
  }
  constexpr uint8_t Folds = KnownOne | KnownAny;
  uint8_t KnownA = knownAs(OldA), KnownC = knownAs(OldB);
  ValueId A = summand(OldA, KnownC, Folds), C = summand(OldB, KnownA, Folds);
  return flushedProduct(A, C, mayMissTheBorder(OldA, OldB),
                        Known->ofResult(Op::Mul, OldA, OldB));
}

/// The product of operands that the device reads as zeros if they are
/// subnormal.
ValueId Legaliser::flushedProduct(ValueId A, ValueId C, bool MayMissBorder,
                                  uint8_t Known) {
  ValueId Product = B.op(Op::Mul, {A, C}), Flushed;
  if (MayMissBorder)
    Flushed = expand("mul_f32", {Product, A, C});
  else
    Flushed = flushedTo(Product, B.op(Op::Xor, {bits(A), bits(C)}));
  return bySum(Known, Product, Flushed);
}

InstId Legaliser::multiply(InstId I) {
  return plainMultiply(Src.operand(I, 0), Src.operand(I, 1));
}

InstId Legaliser::divideFloat(InstId I) {
  ValueId A = Src.operand(I, 0), C = Src.operand(I, 1);
  if (constantBits(C) == One)
    return identity(A);
  if (constantBits(C) == MinusOne)
    return negated(identity(A));
  if (Caps.ExactDiv && Caps.FlushesSubnormals)
    return Facts.SharedDivision[I] ? sharedQuotient(I)
                                   : B.op(Op::Div, {map(A), map(C)});
  ValueId Exact = fromBits(expand("div_f32", {bits(map(A)), bits(map(C))}));
  if (!Caps.DeviceSwitches || takesKnown(I))
    return Exact;
  ValueId X = operandOf(A), Y = operandOf(C);
  ValueId Native = fromBits(expand(
      "flushed_quotient", {bits(B.op(Op::Div, {X, Y})), bits(X), bits(Y)}));
  Exact = chosen(DeviceSwitch::Sums,
                 chosen(DeviceSwitch::Fma, sharedQuotient(I), Exact), Exact);
  return chosen(DeviceSwitch::Div, Native, Exact);
}

InstId Legaliser::squareRoot(InstId I) {
  ValueId X = Src.operand(I, 0);
  if (Caps.ExactSqrt)
    return B.op(Op::Sqrt, {operandOf(X)});
  ValueId Exact = fromBits(expand("sqrt_f32", {bits(map(X))}));
  if (!Caps.DeviceSwitches || takesKnown(I))
    return Exact;
  return chosen(DeviceSwitch::Sqrt, B.op(Op::Sqrt, {operandOf(X)}), Exact);
}

InstId Legaliser::fma(InstId I) {
  ValueId A = Src.operand(I, 0), C = Src.operand(I, 1), D = Src.operand(I, 2);
  if (constantBits(A) == One)
    return plainAdd(C, D);
  if (constantBits(C) == One)
    return plainAdd(A, D);
  if (constantBits(D) == NegativeZero)
    return plainMultiply(A, C);
  if ((Caps.FusedFma || Caps.FmaByDoubles) && Caps.FlushesSubnormals)
    return B.op(Op::Fma, {operandOf(A), operandOf(C), operandOf(D)});
  if (Fused[I] && !(knownAs(I) & KnownAny))
    return nativeFma(A, C, D);
  ValueId Exact =
      fromBits(expand("fma_f32", {bits(map(A)), bits(map(C)), bits(map(D))}));
  if (!Caps.DeviceSwitches || (knownAs(I) & KnownAny))
    return Exact;
  ValueId Native = chosen(DeviceSwitch::Fma, nativeFma(A, C, D), Exact);
  // With a known operand the driver may make a product or a sum of it.
  return takesKnown(I) ? chosen(DeviceSwitch::Sums, Native, Exact) : Native;
}

ValueId Legaliser::nativeFma(ValueId A, ValueId C, ValueId D) {
  constexpr uint8_t One = KnownOne | KnownAny;
  uint8_t KnownA = knownAs(A), KnownC = knownAs(C);
  bool MayVanish = knownAs(D) & (KnownZero | KnownMinusZero | KnownAny);
  uint8_t Factor = MayVanish ? One : 0;
  uint8_t Product = KnownA && KnownC ? KnownAny : 0;
  return B.op(Op::Fma, {summand(A, KnownC, Factor), summand(C, KnownA, Factor),
                        summand(D, Product, KnownAny)});
}

// --- Rounding to integers

InstId Legaliser::rounding(InstId I) {
  Op O = Src.Insts[I].Opcode;
  ValueId X = Src.operand(I, 0);
  if (O == Op::Round)
    return roundAway(X);
  if (Caps.RoundInstruction)
    return B.op(O, {roundingOperand(X)});
  return O == Op::RoundEven ? roundToEven(X) : roundByTrunc(O, X);
}

ValueId Legaliser::roundingOperand(ValueId Old) {
  bool Flush = !Caps.RoundKeepsRule && Facts.maySubnormal(Old);
  return Flush ? flushed(map(Old)) : operandOf(Old);
}

/// Trunc, Floor or Ceil from the integer truncation of the prelude: the one
/// below or above differs from the truncation by one.
ValueId Legaliser::roundByTrunc(Op O, ValueId OldX) {
  ValueId X = roundingOperand(OldX);
  ValueId Whole = Caps.RoundInstruction
                      ? B.op(Op::Trunc, {X})
                      : fromBits(expand("trunc_f32", {bits(X)}));
  if (O == Op::Trunc)
    return Whole;
  bool Down = O == Op::Floor;
  ValueId Past = B.op(Down ? Op::Lt : Op::Gt, {X, Whole});
  ValueId Next = B.op(Down ? Op::Sub : Op::Add, {Whole, B.f32Bits(One)});
  return B.select(Past, Next, Whole);
}

/// Adding and subtracting 2^23 rounds a smaller magnitude to even.
ValueId Legaliser::roundToEven(ValueId OldX) {
  ValueId Bits = bits(map(OldX)), Size = magnitude(Bits);
  ValueId Big = B.f32Bits(TwoTo23);
  ValueId Sum = B.op(Op::Add, {fromBits(Size), Big});
  ValueId Near = bits(B.op(Op::Sub, {Sum, Big}));
  ValueId Signed = B.op(Op::Or, {Near, signOf(Bits)});
  ValueId Small = B.op(Op::Lt, {Size, B.u32(TwoTo23)});
  return fromBits(B.select(Small, Signed, Bits));
}

/// Half away from zero: truncate, and step away where the exact rest is at
/// least one half.
ValueId Legaliser::roundAway(ValueId OldX) {
  ValueId X = operandOf(OldX);
  ValueId Whole = roundByTrunc(Op::Trunc, OldX);
  ValueId Rest = fromBits(magnitude(bits(B.op(Op::Sub, {X, Whole}))));
  ValueId Away = fromBits(B.op(Op::Or, {signOf(bits(X)), B.u32(One)}));
  ValueId Next = B.op(Op::Add, {Whole, Away});
  return B.select(B.op(Op::Ge, {Rest, B.f32Bits(Half)}), Next, Whole);
}

// --- Signs, minimum, maximum

/// Marks what an instruction sees the bits of; true if that is news.
bool Legaliser::spreadBitsSeen(InstId I) {
  Op O = Src.Insts[I].Opcode;
  if (takesAnyNan(O) || (passesFloatsOn(O) && !BitsSeen[I.index()]))
    return false;
  bool Changed = false;
  for (ValueId V : Src.operands(I)) {
    Changed |= !BitsSeen[V.index()];
    BitsSeen[V.index()] = true;
  }
  return Changed;
}

/// Whether only arithmetic and comparisons take the value, at the end of any
/// choices: they do not tell one NaN from another.
bool Legaliser::hidesNan(InstId I) {
  if (BitsSeen.empty()) {
    BitsSeen.resize(Src.Insts.size());
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (uint32_t N = Src.Insts.size(); N-- > 0;)
        Changed |= spreadBitsSeen(InstId(N));
    }
  }
  return !BitsSeen[I.index()];
}

InstId Legaliser::signOperation(InstId I) {
  ValueId Operand = Src.operand(I, 0);
  if (Caps.FreeSigns && hidesNan(I))
    return B.op(Src.Insts[I].Opcode, {map(Operand)});
  ValueId Bits = bits(hidesNan(I) ? map(Operand) : canonical(Operand));
  if (Src.Insts[I].Opcode == Op::Abs)
    return fromBits(magnitude(Bits));
  return fromBits(B.op(Op::Xor, {Bits, B.u32(SignBit)}));
}

InstId Legaliser::copysign(InstId I) {
  ValueId Size = magnitude(bits(canonical(Src.operand(I, 0))));
  ValueId Sign = signOf(bits(canonical(Src.operand(I, 1))));
  return fromBits(B.op(Op::Or, {Size, Sign}));
}

ValueId Legaliser::isNan(ValueId New) {
  return Caps.ComparesNan
             ? B.op(Op::Ne, {New, New})
             : B.op(Op::Gt, {magnitude(bits(New)), B.u32(Infinity)});
}

/// The operand that a minimum or maximum always is, if that is known.
ValueId Legaliser::settledMinMax(InstId I) {
  ValueId A = Src.operand(I, 0), C = Src.operand(I, 1);
  bool Min = Src.Insts[I].Opcode == Op::Min;
  std::optional<bool> Better =
      decided(Min ? Op::Lt : Op::Gt, Ranges.of(C), Ranges.of(A));
  if (Better == true)
    return C;
  return Better == false && !Ranges.of(A).MayNan ? A : ValueId();
}

/// Whether a subnormal operand may be one that is told from a zero.
bool Legaliser::seesSubnormals(InstId MinMax) {
  if (!Facts.maySubnormal(Src.operand(MinMax, 0)) &&
      !Facts.maySubnormal(Src.operand(MinMax, 1)))
    return false;
  if (!Subnormals)
    Subnormals.emplace(Src);
  return Subnormals->isSeen(MinMax);
}

/// The machine's, which gives the other operand for a NaN and for zeros, and
/// may lose a subnormal: none where any of that can be seen. The first operand
/// of the result is a number.
InstId Legaliser::machineMinMax(InstId I) {
  ValueId A = Src.operand(I, 0), C = Src.operand(I, 1);
  const FloatRange &X = Ranges.of(A), &Y = Ranges.of(C);
  if (!Caps.FloatMinMax || (Facts.mayNan(A) && Facts.mayNan(C)) ||
      seesSubnormals(I))
    return {};
  if (!Facts.mayNan(A))
    return B.op(Src.Insts[I].Opcode, {map(A), map(C)});
  bool Turns = !(X.mayBeZero() && Y.mayBeZero());
  return Turns ? B.op(Src.Insts[I].Opcode, {map(C), map(A)}) : InstId();
}

/// `b` if `b < a` or `a` is NaN, else `a`; `>` for the maximum. Where only one
/// of them may be a NaN, one comparison tells.
InstId Legaliser::floatMinMax(InstId I) {
  if (ValueId One = settledMinMax(I))
    return map(One);
  if (InstId Machine = machineMinMax(I))
    return Machine;
  ValueId OldA = Src.operand(I, 0), OldB = Src.operand(I, 1);
  bool Joins = (Facts.Value[I] & MayCopiedNan) && !hidesNan(I);
  bool Min = Src.Insts[I].Opcode == Op::Min;
  ValueId A = Joins ? canonical(OldA) : map(OldA);
  ValueId C = Joins ? canonical(OldB) : map(OldB);
  ValueId X = comparedWith(OldA, OldB), Y = comparedWith(OldB, OldA);
  if (Facts.mayNan(OldA) && !Facts.mayNan(OldB))
    return B.select(B.op(Min ? Op::Le : Op::Ge, {X, Y}), A, C);
  ValueId Better = B.op(Min ? Op::Lt : Op::Gt, {Y, X});
  if (!Facts.mayNan(OldA))
    return B.select(Better, C, A);
  if (!Caps.MasksCompares)
    return B.select(B.op(Op::Or, {Better, isNan(A)}), C, A);
  ValueId Number = B.op(Op::Eq, {A, A}), Worse = B.op(Op::Not, {Better});
  return B.select(B.op(Op::And, {Number, Worse}), A, C);
}
