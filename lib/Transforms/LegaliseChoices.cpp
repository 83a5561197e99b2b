//===- LegaliseChoices.cpp - Zeros that a driver must not choose by value -===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mesa's drivers turn a choice between a constant zero and a constant 1.0 into
// a conversion of the condition, and one between a zero and -1.0 into the
// negation of that. Their patterns compare constants as floats, whatever the
// type says, so -0.0 passes for 0.0 in the first and 0.0 for -0.0 in the
// second: the sign of the zero is lost, in integers with these bits too.
// NVIDIA's make 0.0 of the -0.0 beside -1.0.
//
// For each value this finds which of the four constants a driver may know it
// to be; a choice or a variable where the wrong two meet gets the zero from a
// condition that no driver knows: that the launch has no group.
//
//===----------------------------------------------------------------------===//
#include "Legaliser.h"

using namespace goldy;

namespace {

/// Constants that a driver may find a value to be, on some path through code
/// that it unrolls; none for a value that is known at run time only.
enum : uint8_t {
  PlusZero = 1,
  MinusZero = 2,
  PlusOne = 4,
  MinusOne = 8,
  Another = 16,
  Anything = 31, ///< computed from constants alone
};

/// An integer choice must not become a float at all: llvmpipe stops where an
/// atomic takes it.
bool meetBadly(uint8_t Zeros, uint8_t Ones, bool Integer) {
  if (Integer)
    return (Zeros & (PlusZero | MinusZero)) && (Ones & (PlusOne | MinusOne));
  return ((Zeros & PlusZero) && (Ones & MinusOne)) ||
         ((Zeros & MinusZero) && (Ones & (PlusOne | MinusOne)));
}

class ChoiceFacts {
public:
  ChoiceFacts(const Module &M, const Function &F) : M(M), F(F) {
    do {
      Changed = false;
      for (uint32_t I = 0; I < F.Insts.size(); ++I)
        visit(InstId(I));
    } while (Changed);
  }
  uint8_t of(ValueId V) const { return Value[V]; }
  uint8_t ofSlot(SlotId S) const { return OfSlot[S]; }
  bool isWord(TypeId T) const {
    return (M.Types.isInteger(T) || T == types::F32) && M.Types.bits(T) >= 32;
  }

private:
  void visit(InstId I);
  template <typename T>
  void widen(SideMap<T, uint8_t> &Map, Handle<T> Of, uint8_t By) {
    Changed |= (Map[Of] | By) != Map[Of];
    Map.set(Of, Map[Of] | By);
  }
  uint8_t transfer(InstId I) const;
  uint8_t constant(const Inst &N) const;
  uint8_t computed(InstId I) const;
  uint8_t chosen(InstId I) const;

  const Module &M;
  const Function &F;
  SideMap<Inst, uint8_t> Value{0};
  SideMap<Slot, uint8_t> OfSlot{0};
  bool Changed = false;
};

uint8_t ChoiceFacts::constant(const Inst &N) const {
  bool Long = M.Types.bits(N.Type) == 64;
  uint64_t Sign = Long ? 1ull << 63 : 1ull << 31;
  uint64_t One = Long ? 0x3ff0000000000000ull : 0x3f800000ull;
  if ((N.Imm & ~Sign) == 0)
    return N.Imm ? MinusZero : PlusZero;
  return N.Imm == One ? PlusOne : N.Imm == (One | Sign) ? MinusOne : Another;
}

/// Integers are counters and masks unless the bits of a float's zero or one are
/// in them.
uint8_t ChoiceFacts::computed(InstId I) const {
  const Inst &N = F.Insts[I];
  uint8_t All = 0;
  for (ValueId V : F.operands(I)) {
    if (!of(V))
      return 0;
    All |= of(V);
  }
  if (N.Type == types::F32)
    return Anything;
  bool Bits = isWord(N.Type) && F.typeOf(F.operand(I, 0)) != types::F32;
  return Bits && (All & ~(PlusZero | Another)) ? Anything : Another;
}

/// A choice that is made at run time is a constant of neither arm; where both
/// are constants it stays a choice between them.
uint8_t ChoiceFacts::chosen(InstId I) const {
  uint8_t A = of(F.operand(I, 1)), C = of(F.operand(I, 2));
  return of(F.operand(I, 0)) || (A && C) ? A | C : 0;
}

uint8_t ChoiceFacts::transfer(InstId I) const {
  const Inst &N = F.Insts[I];
  switch (N.Opcode) {
  case Op::Const:
    return isWord(N.Type) ? constant(N) : Another;
  case Op::SpecConst:
    return isWord(N.Type) ? Anything : Another;
  case Op::ToBits:
  case Op::FromBits:
    return of(F.operand(I, 0));
  case Op::Select:
    return chosen(I);
  case Op::Load:
    return F.slotOf(I) ? ofSlot(F.slotOf(I)) : 0;
  default:
    return isPure(N.Opcode) && N.NumOperands ? computed(I) : 0;
  }
}

void ChoiceFacts::visit(InstId I) {
  const Inst &N = F.Insts[I];
  widen(Value, I, transfer(I));
  if (N.Opcode == Op::Store && F.slotOf(I))
    widen(OfSlot, F.slotOf(I), of(F.operand(I, 0)));
}

class HideZeros : public Rewriter {
public:
  HideZeros(Module &M, const Function &Src) : Rewriter(M, Src), Facts(M, Src) {}

protected:
  InstId visit(InstId I) override;

private:
  InstId select(InstId I);
  InstId store(InstId I);
  ValueId hidden(ValueId New);

  ChoiceFacts Facts;
};

InstId HideZeros::visit(InstId I) {
  const Inst &N = Src.Insts[I];
  if (N.Opcode == Op::Select && Facts.isWord(N.Type))
    return select(I);
  if (N.Opcode == Op::Store && Src.slotOf(I) &&
      Facts.isWord(Src.typeOf(Src.operand(I, 0))))
    return store(I);
  return copy(I);
}

InstId HideZeros::select(InstId I) {
  ValueId OldA = Src.operand(I, 1), OldB = Src.operand(I, 2);
  uint8_t InA = Facts.of(OldA), InB = Facts.of(OldB);
  ValueId Cond = map(Src.operand(I, 0)), A = map(OldA), C = map(OldB);
  bool Integer = Src.Insts[I].Type != types::F32;
  if (meetBadly(InA, InB, Integer))
    A = hidden(A);
  else if (meetBadly(InB, InA, Integer))
    C = hidden(C);
  else
    return copy(I);
  return B.select(Cond, A, C);
}

InstId HideZeros::store(InstId I) {
  const Inst &Old = Src.Insts[I];
  ValueId V = Src.operand(I, 0);
  SlotId S(Src.Places[Old.Where].Base.Index);
  bool Integer = Src.typeOf(V) != types::F32;
  if (!meetBadly(Facts.of(V), Facts.ofSlot(S), Integer))
    return copy(I);
  std::vector<ValueId> Operands = {hidden(map(V))};
  if (ValueId Guard = Src.guard(I))
    Operands.push_back(map(Guard));
  Inst New = Old;
  New.Where = mapPlace(Old.Where);
  return B.append(New, Operands);
}

/// The value, behind a choice that is always made for it; the other arm is no
/// zero and no one.
ValueId HideZeros::hidden(ValueId New) {
  TypeId T = Dst.typeOf(New);
  ValueId NoGroup = B.op(Op::Eq, {B.id(Op::NumWorkgroups, 0), B.u32(0)});
  return B.select(NoGroup, B.constant(T, 2), New);
}

} // namespace

Function goldy::hideZeros(Module &M, Function F, const Capabilities &Caps) {
  return Caps.ChoosesByValue ? HideZeros(M, F).run() : std::move(F);
}
