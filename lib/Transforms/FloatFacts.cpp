//===- FloatFacts.cpp - Fresh NaNs and subnormals -------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts grow from nothing until a whole walk over the function changes none:
// values depend on memory and memory on values only, so the walk count is
// bounded by the number of slots and workgroup arrays. What atomics write may
// be anything. A canonical NaN is neither fresh nor copied:
// canonicalising it again and copying it are both harmless.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Transforms/Legalise.h"

using namespace goldy;

namespace {

constexpr uint8_t Unknown = MayCopiedNan | MaySubnormal;
constexpr uint32_t CanonicalNan = 0x7fc00000u;

uint8_t factsOfBits(uint32_t Bits) {
  uint32_t Magnitude = Bits & 0x7fffffffu;
  if (Magnitude > 0x7f800000u)
    return Bits == CanonicalNan ? MayCanonicalNan : MayCopiedNan;
  return Magnitude != 0 && Magnitude < 0x00800000u ? MaySubnormal : 0;
}

/// Fresh NaN bits are made canonical by sign operations' legal forms.
uint8_t afterSignOperation(uint8_t Facts) {
  return Facts & (MayFreshNan | MayCopiedNan)
             ? (Facts & ~MayFreshNan) | MayCopiedNan
             : Facts;
}

/// Bits that a word may have, and bits that it has.
struct WordBits {
  uint32_t May = ~0u, Has = 0;
};

WordBits bitsOf(const Function &F, ValueId V, unsigned Depth = 4) {
  const Inst &N = F.Insts[V];
  if (N.Opcode == Op::Const) {
    uint32_t Word = static_cast<uint32_t>(N.Imm);
    return {Word, Word};
  }
  if (Depth == 0 ||
      (N.Opcode != Op::And && N.Opcode != Op::Or && N.Opcode != Op::Shl))
    return {};
  WordBits A = bitsOf(F, F.operand(V, 0), Depth - 1);
  WordBits B = bitsOf(F, F.operand(V, 1), Depth - 1);
  if (N.Opcode == Op::And)
    return {A.May & B.May, A.Has & B.Has};
  if (N.Opcode == Op::Or)
    return {A.May | B.May, A.Has | B.Has};
  uint32_t Amount = B.May & 31;
  return B.May == B.Has ? WordBits{A.May << Amount, A.Has << Amount}
                        : WordBits{};
}

uint8_t factsOfWord(WordBits W) {
  constexpr uint32_t Exponent = 0x7f800000u, Fraction = 0x007fffffu;
  if (!(W.May & Fraction))
    return 0;
  return ((W.May & Exponent) == Exponent ? MayCopiedNan : 0) |
         (W.Has & Exponent ? 0 : MaySubnormal);
}

/// Quotients by one divisor from so many on share what depends on it.
constexpr unsigned ManyQuotients = 4;

class FactWalk {
public:
  FactWalk(const Function &F, const Capabilities *Caps,
           const FloatRanges *Ranges)
      : F(F), Ranges(Ranges),
        CanonicalQuotients(Caps && !Caps->DeviceSwitches) {
    if (Caps && Caps->SharesDivisors)
      findShared();
    // On the host a tree waits for each of its levels. Elsewhere arrays hold
    // canonical values, which leaves drivers less to fold.
    if (Caps && Caps->Target != TargetKind::Host)
      for (uint32_t I = 0; I < F.WorkgroupArrays.size(); ++I)
        Facts.OfArray.set(WorkgroupId(I), Unknown);
  }
  FloatFacts run() {
    do {
      Changed = false;
      for (uint32_t I = 0; I < F.Insts.size(); ++I)
        visit(InstId(I));
    } while (Changed);
    return std::move(Facts);
  }

private:
  void findShared();
  void visit(InstId I);
  void hold(const PlaceBase &Base, uint8_t New);
  template <typename T>
  void widen(SideMap<T, uint8_t> &Map, Handle<T> Of, uint8_t By) {
    Changed |= (Map[Of] | By) != Map[Of];
    Map.set(Of, Map[Of] | By);
  }
  uint8_t transfer(InstId I) const;
  uint8_t withinRange(InstId I, uint8_t Facts) const;
  uint8_t transferLoad(const Inst &N) const;
  uint8_t transferMinMax(InstId I) const;
  uint8_t of(InstId I, unsigned Operand) const {
    return Facts.Value[F.operand(I, Operand)];
  }

  const Function &F;
  const FloatRanges *Ranges;
  bool CanonicalQuotients; ///< of shared divisors
  FloatFacts Facts;
  bool Changed = false;
};

void FactWalk::findShared() {
  SideMap<Inst, std::vector<InstId>> By;
  for (uint32_t N = 0; N < F.Insts.size(); ++N)
    if (InstId I(N); F.Insts[I].Opcode == Op::Div &&
                     F.Insts[I].Type == types::F32 &&
                     !F.isConst(F.operand(I, 1)))
      By.at(F.operand(I, 1)).push_back(I);
  for (uint32_t N = 0; N < F.Insts.size(); ++N)
    if (By[InstId(N)].size() >= ManyQuotients)
      for (InstId I : By[InstId(N)])
        Facts.SharedDivision.set(I, true);
}

void FactWalk::visit(InstId I) {
  const Inst &N = F.Insts[I];
  bool Plain = N.Opcode == Op::Load || N.Opcode == Op::Store ||
               N.Opcode == Op::WorkgroupUniformLoad || N.Opcode == Op::Len;
  if (N.Where && !Plain)
    hold(F.Places[N.Where].Base, Unknown);
  if (N.Type == types::F32)
    widen(Facts.Value, I, withinRange(I, transfer(I)));
  if (N.Opcode == Op::Store && F.typeOf(F.operand(I, 0)) == types::F32)
    hold(F.Places[N.Where].Base, of(I, 0));
}

void FactWalk::hold(const PlaceBase &Base, uint8_t New) {
  if (Base.Kind == BaseKind::Slot)
    widen(Facts.OfSlot, SlotId(Base.Index), New);
  else if (Base.Kind == BaseKind::Workgroup)
    widen(Facts.OfArray, WorkgroupId(Base.Index), New);
}

uint8_t FactWalk::withinRange(InstId I, uint8_t Facts) const {
  if (!Ranges)
    return Facts;
  const FloatRange &R = Ranges->of(I);
  return Facts &
         ~((R.MayNan ? 0 : MayNan) | (R.MaySubnormal ? 0 : MaySubnormal));
}

uint8_t FactWalk::transferLoad(const Inst &N) const {
  const Place &P = F.Places[N.Where];
  if (P.Type == types::F16)
    return MayCopiedNan;
  return P.Type == types::F32 ? Facts.ofMemory(P.Base).value_or(Unknown)
                              : Unknown;
}

/// One operand that is a number makes the result one.
uint8_t FactWalk::transferMinMax(InstId I) const {
  uint8_t A = of(I, 0), B = of(I, 1);
  return (A & MayNan) && (B & MayNan) ? A | B : (A | B) & ~MayNan;
}

uint8_t FactWalk::transfer(InstId I) const {
  const Inst &N = F.Insts[I];
  if (roundsFloats(N.Opcode))
    return Facts.SharedDivision[I] && CanonicalQuotients ? 0 : MayFreshNan;
  switch (N.Opcode) {
  case Op::Const:
    return factsOfBits(static_cast<uint32_t>(N.Imm));
  case Op::Neg:
  case Op::Abs:
  case Op::Copysign:
    return afterSignOperation(of(I, 0));
  case Op::Min:
  case Op::Max:
    return transferMinMax(I);
  case Op::FromBits:
    return factsOfWord(bitsOf(F, F.operand(I, 0)));
  case Op::Select:
    return of(I, 1) | of(I, 2);
  case Op::CanonNan:
    return (of(I, 0) & MaySubnormal) |
           (of(I, 0) & MayNan ? MayCanonicalNan : 0);
  case Op::Flush:
    return of(I, 0) & ~MaySubnormal;
  case Op::Cast:
    return 0;
  case Op::WorkgroupSum: // of one item: that item
    return F.WorkgroupSize[0] > 1 ? MayFreshNan : Unknown;
  case Op::LaneExchange:
  case Op::LaneFirst:
    return of(I, 0);
  case Op::Load:
  case Op::WorkgroupUniformLoad:
    return transferLoad(N);
  default:
    return Unknown;
  }
}

} // namespace

FloatFacts goldy::analyseFloats(const Function &F, const Capabilities *Caps,
                                const FloatRanges *Ranges) {
  return FactWalk(F, Caps, Ranges).run();
}
