//===- KnownOperands.cpp - What a driver may know when it compiles --------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value of known operands alone is known. A variable is known as whatever was
// stored in it, beside what is not known: one round of a loop may be peeled
// off, and one arm of a choice computed with what follows it. Sets stay small:
// what takes more than a few values may be anything. Behind `x == 1.0` or `i <
// 1` a value may be known too.
//
//===----------------------------------------------------------------------===//
#include "KnownOperands.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

using namespace goldy;

bool KnownSet::addAny() {
  bool New = !Any;
  Any = true;
  Words.clear();
  return New;
}

bool KnownSet::add(uint32_t Word) {
  std::vector<uint32_t>::iterator At =
      std::lower_bound(Words.begin(), Words.end(), Word);
  if (Any || (At != Words.end() && *At == Word))
    return false;
  if (Words.size() == Most)
    return addAny();
  Words.insert(At, Word);
  return true;
}

bool KnownSet::add(const KnownSet &Other) {
  bool New = Other.Any && addAny();
  for (uint32_t Word : Other.Words)
    New |= add(Word);
  return New;
}

// --- What one operation makes of words

namespace {

bool isSubnormal(float X) { return X != 0 && std::fabs(X) < 0x1p-126f; }

/// As every device has it; none for what one may flush and another keep, for
/// the smallest normal number, which may come of rounding, and for NaN.
std::optional<uint32_t> settled(float Result, bool Inexact) {
  bool Tiny = std::fabs(Result) <= 0x1p-126f && (Result != 0 || Inexact);
  if (Tiny || std::isnan(Result))
    return std::nullopt;
  return std::bit_cast<uint32_t>(Result);
}

std::optional<uint32_t> floatResult(Op O, const std::array<uint32_t, 3> &W) {
  float A = std::bit_cast<float>(W[0]), B = std::bit_cast<float>(W[1]);
  float C = std::bit_cast<float>(W[2]);
  if (isSubnormal(A) || isSubnormal(B) || isSubnormal(C))
    return std::nullopt;
  switch (O) {
  case Op::Add:
    return settled(A + B, false);
  case Op::Sub:
    return settled(A - B, false);
  case Op::Mul:
    return settled(A * B, A != 0 && B != 0);
  case Op::Fma:
    return settled(std::fma(A, B, C), A != 0 && B != 0);
  case Op::ToBits:
  case Op::NumberBits:
  case Op::FromBits:
    return W[0];
  case Op::Neg:
    return W[0] ^ 0x80000000u;
  case Op::Abs:
    return W[0] & 0x7fffffffu;
  default:
    return std::nullopt;
  }
}

std::optional<uint32_t> wordResult(Op O, const std::array<uint32_t, 3> &W) {
  switch (O) {
  case Op::Add:
    return W[0] + W[1];
  case Op::Sub:
    return W[0] - W[1];
  case Op::Mul:
    return W[0] * W[1];
  case Op::And:
    return W[0] & W[1];
  case Op::Or:
    return W[0] | W[1];
  case Op::Xor:
    return W[0] ^ W[1];
  case Op::Shl:
  case Op::RawShl:
    return W[0] << (W[1] & 31);
  case Op::FromBits:
    return W[0];
  default:
    return std::nullopt;
  }
}

/// Every combination of up to three operands.
KnownSet
ofWords(std::span<const KnownSet *const> Operands,
        std::optional<uint32_t> (*Result)(Op, const std::array<uint32_t, 3> &),
        Op O) {
  KnownSet Out;
  std::array<uint32_t, 3> W{};
  std::array<size_t, 3> At{};
  for (;;) {
    for (size_t N = 0; N < Operands.size(); ++N)
      W[N] = Operands[N]->words()[At[N]];
    std::optional<uint32_t> Word = Result(O, W);
    if (!Word)
      return KnownSet::any();
    Out.add(*Word);
    size_t N = 0;
    while (N < Operands.size() && ++At[N] == Operands[N]->words().size())
      At[N++] = 0;
    if (N == Operands.size())
      return Out;
  }
}

uint8_t knownAsBits(uint32_t Bits) {
  uint32_t Size = Bits & 0x7fffffffu, Exponent = Bits >> 23 & 0xff;
  if (Size == 0)
    return Bits ? KnownMinusZero : KnownZero;
  if (Size == 0x3f800000u)
    return KnownOne;
  return Exponent == 0 || Exponent == 0xff ? KnownAny : KnownNormal;
}

uint8_t knownAs(const KnownSet &S) {
  uint8_t Known = S.isAny() ? KnownAny : 0;
  for (uint32_t Word : S.words())
    Known |= knownAsBits(Word);
  return Known;
}

bool isWord(TypeId T) { return T == types::U32 || T == types::I32; }

} // namespace

// --- The function

KnownOperands::KnownOperands(const Function &F)
    : F(F), Values(F.Insts.size()), AfterStore(F.Insts.size()) {
  walk(F.Body);
  bool Changed = true;
  while (Changed) {
    Changed = false;
    for (uint32_t N = 0; N < F.Insts.size(); ++N)
      Changed |= visit(InstId(N));
  }
}

static bool storesIntoBuffer(const Function &F, InstId I) {
  Op O = F.Insts[I].Opcode;
  return (O == Op::Store || isAtomic(O)) &&
         F.Places[F.Insts[I].Where].Base.Kind == BaseKind::Param;
}

bool KnownOperands::storesBuffer(BlockId B) const {
  if (!B)
    return false;
  return std::any_of(
      F.Blocks[B].Insts.begin(), F.Blocks[B].Insts.end(), [&](InstId I) {
        const Inst &N = F.Insts[I];
        return storesIntoBuffer(F, I) || storesBuffer(N.Blocks[0]) ||
               storesBuffer(N.Blocks[1]);
      });
}

/// In the order of the program; a loop comes round to its own stores.
void KnownOperands::walk(BlockId B) {
  for (InstId I : F.Blocks[B].Insts) {
    const Inst &N = F.Insts[I];
    AfterStore[I.index()] = Stored;
    bool Loop = isLoop(N.Opcode);
    for (BlockId Inner : N.Blocks)
      Stored |= Loop && storesBuffer(Inner);
    for (BlockId Inner : N.Blocks)
      if (Inner)
        walk(Inner);
    Stored |= storesIntoBuffer(F, I);
  }
}

uint8_t KnownOperands::of(ValueId V) const {
  const KnownSet &S = Values[V.index()];
  return F.typeOf(V) == types::F32 ? knownAs(S) : S.isEmpty() ? 0 : KnownAny;
}

uint8_t KnownOperands::ofResult(Op O, ValueId A, ValueId B) const {
  const KnownSet *Sets[] = {&Values[A.index()], &Values[B.index()]};
  if (Sets[0]->isEmpty() || Sets[1]->isEmpty())
    return 0;
  if (Sets[0]->isAny() || Sets[1]->isAny())
    return KnownAny;
  return knownAs(ofWords(Sets, floatResult, O));
}

/// Buffers are one memory: two parameters may name the same.
KnownOperands::Memory KnownOperands::memoryOf(InstId I) const {
  const PlaceBase &Base = F.Places[F.Insts[I].Where].Base;
  bool Param = Base.Kind == BaseKind::Param;
  return {static_cast<uint32_t>(Base.Kind), Param ? 0 : Base.Index};
}

KnownSet KnownOperands::load(InstId I) const {
  BaseKind Kind = F.Places[F.Insts[I].Where].Base.Kind;
  if (Kind == BaseKind::Table)
    return KnownSet::any();
  if (Kind == BaseKind::Param && !AfterStore[I.index()])
    return {};
  std::map<Memory, KnownSet>::const_iterator Found = Holds.find(memoryOf(I));
  KnownSet Stored = Found == Holds.end() ? KnownSet() : Found->second;
  // An index that the driver knows to be outside gives zero.
  if (Kind != BaseKind::Param && F.guard(I))
    Stored.add(0);
  return Stored;
}

bool KnownOperands::store(InstId I) {
  const KnownSet &Stored = Values[F.operand(I, 0).index()];
  return !Stored.isEmpty() && Holds[memoryOf(I)].add(Stored);
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
  Op O = F.Insts[I].Opcode;
  bool Equal = O == Op::Eq || O == Op::Ne, Changed = false;
  auto Mark = [&](ValueId Seen, ValueId Other) {
    const KnownSet &Known = Values[Other.index()];
    KnownSet &Mine = Values[Seen.index()];
    if (Known.isEmpty() || F.isConst(Seen))
      return;
    if (F.typeOf(Seen) != types::F32)
      Changed |= (Equal || isNearEnd(F, Other)) && Mine.addAny();
    else if (Equal)
      for (uint32_t Zero : {0u, 0x80000000u})
        Changed |= Mine.add(Known) || (!Mine.isAny() && Mine.add(Zero));
  };
  Mark(F.operand(I, 0), F.operand(I, 1));
  Mark(F.operand(I, 1), F.operand(I, 0));
  return Changed;
}

bool KnownOperands::visit(InstId I) {
  Op O = F.Insts[I].Opcode;
  if (O == Op::Store || O == Op::AtomicStore)
    return store(I);
  bool Changed = isComparison(O) && compare(I);
  return (F.Insts[I].Type && Values[I.index()].add(transfer(I))) || Changed;
}

/// Pure operations of known operands alone.
KnownSet KnownOperands::computed(InstId I) const {
  const Inst &N = F.Insts[I];
  std::vector<const KnownSet *> Sets;
  bool Any = !isPure(N.Opcode) || N.NumOperands == 0 || N.NumOperands > 3;
  if (Any)
    return {};
  for (ValueId V : F.operands(I)) {
    Sets.push_back(&Values[V.index()]);
    if (Sets.back()->isEmpty())
      return {};
    Any |= Sets.back()->isAny();
  }
  TypeId From = F.typeOf(F.operand(I, 0));
  if (!Any && From == types::F32)
    return ofWords(Sets, floatResult, N.Opcode);
  if (!Any && isWord(From) && (isWord(N.Type) || N.Opcode == Op::FromBits))
    return ofWords(Sets, wordResult, N.Opcode);
  return KnownSet::any();
}

KnownSet KnownOperands::transfer(InstId I) const {
  const Inst &N = F.Insts[I];
  auto Of = [&](unsigned Operand) {
    return Values[F.operand(I, Operand).index()];
  };
  auto Either = [&](unsigned A, unsigned B) {
    KnownSet S = Of(A);
    S.add(Of(B));
    return S;
  };
  KnownSet Out;
  switch (N.Opcode) {
  case Op::Const:
    if (N.Type == types::F32 || isWord(N.Type))
      Out.add(static_cast<uint32_t>(N.Imm));
    else
      Out.addAny();
    return Out;
  case Op::SpecConst:
  case Op::DeviceSwitch:
  case Op::WorkgroupSize:
  case Op::LoopVar:
    return KnownSet::any();
  case Op::LocalId:
    return F.WorkgroupSize[N.Imm] == 1 ? KnownSet::any() : Out;
  case Op::Load:
    return load(I);
  case Op::Select:
    return Either(1, 2);
  case Op::Min:
  case Op::Max:
    return Either(0, 1);
  case Op::LaneExchange:
  case Op::LaneFirst:
  case Op::CanonNan:
  case Op::Flush:
    return Of(0);
  default:
    return computed(I);
  }
}
