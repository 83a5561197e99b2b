//===- DeviceModel.cpp - The worst device a table admits --------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "DeviceModel.h"

#include "goldyc/IR/Text.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

using namespace goldy;
using namespace goldy::test;

namespace {
/// A NaN that nobody expects; with the sign that the table promises.
uint32_t oddNan(const Capabilities &Caps) {
  return Caps.FreshNansPositive ? 0x7fe12345u : 0xffe12345u;
}
} // namespace

void DeviceModel::fault(InstId I, const char *Why) {
  if (Fault.empty())
    Fault = std::string(Why) + ": " + instText(M, F, I);
}

bool DeviceModel::run() {
  for (uint32_t S = 0; S < F.Slots.size(); ++S) {
    TypeId T = F.Slots[SlotId(S)].Type;
    SlotWords[S].assign(M.Types.layout(T).Size / 4, 0);
    SlotKnown[S].assign(SlotWords[S].size(), true);
  }
  block(F.Body);
  return Fault.empty();
}

// --- Control

DeviceModel::Flow DeviceModel::block(BlockId B) {
  for (InstId I : F.Blocks[B].Insts) {
    Flow Result = statement(I);
    if (Result != Flow::Next || !Fault.empty())
      return Result;
  }
  return Flow::Next;
}

DeviceModel::Flow DeviceModel::statement(InstId I) {
  const Inst &N = F.Insts[I];
  switch (N.Opcode) {
  case Op::If: {
    BlockId Arm = N.Blocks[arg(I, 0) ? 0 : 1];
    return Arm ? block(Arm) : Flow::Next;
  }
  case Op::Loop:
    return loop(I);
  case Op::Block: {
    Flow Result = block(N.Blocks[0]);
    bool Mine = Result == Flow::Break && Leaving == I;
    return Mine ? Flow::Next : Result;
  }
  case Op::Break:
    Leaving = N.Target;
    return Flow::Break;
  case Op::Continue:
    Leaving = N.Target;
    return Flow::Continue;
  case Op::BreakIf:
    return arg(I, 0) ? Flow::Break : Flow::Next;
  case Op::Return:
    return Flow::Return;
  case Op::Load:
  case Op::Store:
    memory(I);
    return Flow::Next;
  default:
    Values.set(I, value(I));
    Known.set(I, allKnown(I));
    return Flow::Next;
  }
}

bool DeviceModel::isKnown(ValueId V) const {
  Op O = F.Insts[V].Opcode;
  return O == Op::Const || O == Op::DeviceSwitch || Known[V];
}

bool DeviceModel::allKnown(InstId I) const {
  std::span<const ValueId> Operands = F.operands(I);
  if (F.Insts[I].Opcode == Op::Select && isKnown(Operands[0]))
    return isKnown(Operands[Values[Operands[0]] ? 1 : 2]);
  return !Operands.empty() &&
         std::all_of(Operands.begin(), Operands.end(),
                     [&](ValueId V) { return isKnown(V); });
}

DeviceModel::Flow DeviceModel::loop(InstId I) {
  const Inst &N = F.Insts[I];
  for (unsigned Trip = 0; Trip < 100000; ++Trip) {
    Flow Result = block(N.Blocks[0]);
    if (Result == Flow::Return || !Fault.empty())
      return Result;
    if (Result != Flow::Next && Leaving != I)
      return Result;
    if (Result == Flow::Break)
      return Flow::Next;
    if (N.Blocks[1] && block(N.Blocks[1]) == Flow::Break)
      return Flow::Next;
  }
  fault(I, "the loop does not end");
  return Flow::Return;
}

// --- Memory

void DeviceModel::memory(InstId I) {
  const Inst &N = F.Insts[I];
  bool Allowed = !F.guard(I) || get(F.guard(I));
  if (!Allowed) {
    Values.set(I, 0);
    Known.set(I, true);
    return;
  }
  const Place &P = F.Places[N.Where];
  FlatPlace Flat = flatten(M, F, P);
  uint64_t Word = Flat.Constant / 4;
  for (const FlatPlace::Term &T : Flat.Terms)
    Word += get(T.Index) * T.Stride / 4;
  bool Slot = P.Base.Kind == BaseKind::Slot;
  std::vector<uint32_t> &Words =
      Slot ? SlotWords[P.Base.Index] : Buffers[P.Base.Index];
  if (Word >= Words.size())
    return fault(I, "out of range");
  if (!Slot && P.Type == types::Bool)
    return fault(I, "a bool in memory");
  if (N.Opcode == Op::Store) {
    Words[Word] = arg(I, 0);
    if (Slot)
      SlotKnown[P.Base.Index][Word] = isKnown(F.operand(I, 0));
    return;
  }
  Values.set(I, Words[Word]);
  Known.set(I, Slot && SlotKnown[P.Base.Index][Word]);
}

uint32_t DeviceModel::get(ValueId V) {
  const Inst &N = F.Insts[V];
  if (N.Opcode == Op::Const)
    return static_cast<uint32_t>(N.Imm);
  if (N.Opcode == Op::DeviceSwitch) {
    if (!Caps.DeviceSwitches)
      fault(V, "a switch that nothing sets");
    return Switches >> N.Imm & 1;
  }
  if (N.Opcode != Op::ParamValue)
    return Values[V];
  if (N.Type == types::Bool)
    fault(V, "a bool parameter");
  return Scalars[static_cast<uint32_t>(N.Imm)];
}

// --- Values

uint32_t DeviceModel::value(InstId I) {
  const Inst &N = F.Insts[I];
  switch (N.Opcode) {
  case Op::GlobalId:
  case Op::LocalId:
  case Op::WorkgroupId:
    return 0;
  case Op::NumWorkgroups:
    return 1;
  case Op::Len:
    return static_cast<uint32_t>(Buffers[F.Places[N.Where].Base.Index].size());
  case Op::Select:
    return arg(I, arg(I, 0) ? 1 : 2);
  case Op::ToBits:
  case Op::FromBits:
    return arg(I, 0);
  case Op::CanonNan:
    return canonBits(arg(I, 0));
  case Op::Flush:
    return flushBits(arg(I, 0));
  case Op::Cast:
    return cast(I);
  case Op::RawFloatToInt: {
    float X = ofBits(arg(I, 0));
    if (!(X >= -0x1p31f && X < 0x1p31f))
      fault(I, "conversion out of range");
    return static_cast<uint32_t>(static_cast<int32_t>(X));
  }
  default:
    break;
  }
  if (N.Opcode >= Op::Eq && N.Opcode <= Op::Ge)
    return compare(I);
  return N.Type == types::F32 ? floating(I) : integer(I);
}

uint32_t DeviceModel::compare(InstId I) {
  const Inst &N = F.Insts[I];
  if (F.typeOf(F.operand(I, 0)) != types::F32)
    return expected(N.Opcode, F.typeOf(F.operand(I, 0)), N.Type,
                    {arg(I, 0), arg(I, 1)});
  float A = operand(I, 0), B = operand(I, 1);
  switch (N.Opcode) {
  case Op::Eq:
    return A == B;
  case Op::Ne:
    return A != B;
  case Op::Lt:
    return A < B;
  case Op::Le:
    return A <= B;
  case Op::Gt:
    return A > B;
  default:
    return A >= B;
  }
}

uint32_t DeviceModel::cast(InstId I) {
  TypeId To = F.Insts[I].Type, From = F.typeOf(F.operand(I, 0));
  if (From == types::F32 && !Caps.SaturatingFloatToInt)
    fault(I, "a saturating conversion");
  if (From == types::U32 && To == types::F32 && !Caps.UnsignedToFloat)
    fault(I, "an unsigned conversion");
  if (From == types::Bool)
    fault(I, "a conversion of bool");
  return expected(Op::Cast, From, To, {arg(I, 0)});
}

uint32_t DeviceModel::integer(InstId I) {
  const Inst &N = F.Insts[I];
  TypeId T = F.typeOf(F.operand(I, 0));
  std::vector<uint32_t> A;
  for (ValueId V : F.operands(I))
    A.push_back(get(V));
  switch (N.Opcode) {
  case Op::RawDiv:
  case Op::RawRem:
    if (A[1] == 0 || (T == types::I32 && A[0] == 0x80000000u && A[1] == ~0u))
      fault(I, "division traps");
    if (N.Opcode == Op::RawRem && T == types::I32 && !Caps.SignedRem)
      fault(I, "a signed remainder");
    return expected(N.Opcode == Op::RawDiv ? Op::Div : Op::Rem, T, T, A);
  case Op::RawShl:
  case Op::RawShr:
    if (A[1] >= 32 || F.typeOf(F.operand(I, 1)) != T)
      fault(I, "a shift too wide");
    return expected(N.Opcode == Op::RawShl ? Op::Shl : Op::Shr, T, T, A);
  case Op::Div:
  case Op::Rem:
  case Op::Shl:
  case Op::Shr:
  case Op::Abs:
    fault(I, "not a legal form");
    return 0;
  default:
    break;
  }
  bool Count = N.Opcode >= Op::CountOnes && N.Opcode <= Op::ReverseBits;
  bool Rotate = N.Opcode == Op::RotateLeft || N.Opcode == Op::RotateRight;
  bool MinMax = N.Opcode == Op::Min || N.Opcode == Op::Max;
  if ((Count && !Caps.BitCounts) || (Rotate && !Caps.Rotates) ||
      (MinMax && !Caps.IntegerMinMax) || (N.Opcode == Op::MulHi && !Caps.MulHi))
    fault(I, "an operation that the table lacks");
  return expected(N.Opcode, T, N.Type, A);
}

// --- Floats

float DeviceModel::operand(InstId I, unsigned N) {
  uint32_t Bits = arg(I, N);
  return ofBits(Flushes ? flushBits(Bits) : Bits);
}

/// Rounded as IEEE on a device that keeps subnormals, else by the rule; NaNs
/// get odd bits.
uint32_t DeviceModel::finish(double Exact, float Rounded) const {
  if (std::isnan(Rounded))
    return oddNan(Caps);
  bool Finite = std::isfinite(Rounded) && Exact != 0 && std::isfinite(Exact);
  if (Flushes && Finite)
    return std::fabs(Rounded) <= 0x1p-126f ? roundByRule(Exact)
                                           : bitsOf(Rounded);
  return bitsOf(Rounded);
}

/// Operations that compilers and drivers fold to their operand. ptxas does not
/// fold a flushing sum with -0.0: a flush in one instruction (docs/PTX.md).
void DeviceModel::checkIdentity(InstId I) {
  Op O = F.Insts[I].Opcode;
  for (unsigned N = 0; N != 2; ++N) {
    if (!F.isConst(F.operand(I, N)))
      continue;
    uint32_t C = arg(I, N);
    bool One = C == 0x3f800000u || C == 0xbf800000u;
    if ((O == Op::Mul && One) || (O == Op::Div && N == 1 && One) ||
        (O == Op::Add && C == 0x80000000u && !Caps.FoldsUnflushed) ||
        (O == Op::Sub && C == (N == 1 ? 0u : 0x80000000u)))
      fault(I, "an identity that drivers fold");
  }
}

/// What a driver that finds an operand's value skips, as if it had unrolled or
/// specialised: sums with zero, products with zero and one, x - x. One whose
/// sums and products follow the rule also with such operands changes subnormals
/// alone, where it really knows.
std::optional<uint32_t> DeviceModel::foldedByDriver(InstId I) {
  Op O = F.Insts[I].Opcode;
  if (O != Op::Add && O != Op::Sub && O != Op::Mul)
    return std::nullopt;
  uint32_t X = arg(I, 0), Y = arg(I, 1);
  bool Exact = has(DeviceSwitch::Sums);
  bool KnowsX = !Exact || isKnown(F.operand(I, 0));
  bool KnowsY = !Exact || isKnown(F.operand(I, 1));
  bool OneX = KnowsX && X == 0x3f800000u, OneY = KnowsY && Y == 0x3f800000u;
  if (O == Op::Mul && (OneX || OneY))
    return OneX ? Y : X;
  if (!Exact && O == Op::Sub && F.operand(I, 0) == F.operand(I, 1))
    return 0;
  if (!Exact && O == Op::Mul && (X == 0 || Y == 0))
    return 0;
  uint32_t NoChange = Exact && O == Op::Add ? 0x80000000u : 0;
  if (O != Op::Mul && KnowsY && Y == NoChange)
    return X;
  if (O == Op::Add && KnowsX && X == NoChange)
    return Y;
  return std::nullopt;
}

/// An operation of known operands alone is computed as IEEE has it.
std::optional<uint32_t> DeviceModel::computedByDriver(InstId I) {
  if (!has(DeviceSwitch::Sums) || !allKnown(I))
    return std::nullopt;
  float A = ofBits(arg(I, 0)), B = ofBits(arg(I, F.Insts[I].NumOperands > 1));
  float Result = 0;
  switch (F.Insts[I].Opcode) {
  case Op::Add:
    Result = A + B;
    break;
  case Op::Sub:
    Result = A - B;
    break;
  case Op::Mul:
    Result = A * B;
    break;
  case Op::Fma:
    Result = std::fma(A, B, ofBits(arg(I, 2)));
    break;
  default:
    return std::nullopt;
  }
  return std::isnan(Result) ? oddNan(Caps) : bitsOf(Result);
}

static uint32_t moved(float X, int Units) {
  uint32_t Bits = bitsOf(X), Size = Bits & 0x7fffffffu;
  bool Ordinary = Size > 0x01000000u && Size < 0x7f000000u;
  return Ordinary ? Bits + static_cast<uint32_t>(Units) : Bits;
}

/// Off by one where that is 2^-23 at most, but where a quotient would hang on
/// it.
uint32_t DeviceModel::rawInverse(float X) const {
  uint32_t Off = moved(1 / X, std::clamp(Noise, -1, 1));
  bool Last = (bitsOf(X) & 0x7fffffu) == 0x7fffffu;
  bool Near = std::fabs(double(ofBits(Off)) * X - 1) <= 0x1p-23;
  return finish(0, Near && !Last ? ofBits(Off) : 1 / X);
}

/// Subnormals stay, a NaN may become another.
uint32_t DeviceModel::freeSign(Op O, uint32_t Bits) const {
  if (std::isnan(ofBits(Bits)))
    return oddNan(Caps);
  return O == Op::Abs ? Bits & 0x7fffffffu : Bits ^ 0x80000000u;
}

/// The first operand is kept, and flushed.
uint32_t DeviceModel::minMax(InstId I) {
  uint32_t X = arg(I, 0), Y = arg(I, 1);
  if (!Caps.FloatMinMax)
    fault(I, "no float minimum");
  if (std::isnan(ofBits(X)))
    fault(I, "a minimum or maximum of a NaN");
  X = flushBits(X);
  Y = flushBits(Y);
  bool Less = F.Insts[I].Opcode == Op::Min;
  return (Less ? ofBits(Y) < ofBits(X) : ofBits(Y) > ofBits(X)) ? Y : X;
}

uint32_t DeviceModel::floating(InstId I) {
  const Inst &N = F.Insts[I];
  Op O = N.Opcode;
  float A = operand(I, 0);
  float B = N.NumOperands > 1 ? operand(I, 1) : 0;
  if (O == Op::Add || O == Op::Sub || O == Op::Mul || O == Op::Div)
    checkIdentity(I);
  if (!Caps.FlushesSubnormals) {
    if (std::optional<uint32_t> Folded = foldedByDriver(I))
      return *Folded;
    if (std::optional<uint32_t> Computed = computedByDriver(I))
      return *Computed;
  }
  switch (O) {
  case Op::Add:
    return finish(double(A) + B, A + B);
  case Op::Sub:
    return finish(double(A) - B, A - B);
  case Op::Mul:
    return finish(double(A) * B, A * B);
  case Op::Div:
    if (!Caps.ExactDiv && !has(DeviceSwitch::Div))
      return finish(0, ofBits(moved(A / B, Noise)));
    if (Flushes)
      return expected(O, N.Type, N.Type, {bitsOf(A), bitsOf(B)});
    return finish(0, A / B);
  case Op::Sqrt:
    if (!Caps.ExactSqrt && !has(DeviceSwitch::Sqrt))
      return finish(0, ofBits(moved(std::sqrt(A), Noise)));
    return finish(0, std::sqrt(A));
  case Op::Fma:
    if (((!Caps.FusedFma && !Caps.FmaByDoubles) || !Caps.FlushesSubnormals) &&
        !Caps.DeviceSwitches)
      fault(I, "not a fused operation");
    if (Caps.DeviceSwitches && !has(DeviceSwitch::Fma))
      return bitsOf(A * B + operand(I, 2));
    return expected(O, N.Type, N.Type,
                    {bitsOf(A), bitsOf(B), bitsOf(operand(I, 2))});
  case Op::Min:
  case Op::Max:
    return minMax(I);
  case Op::RawInverse:
    if (!Caps.RawInverse)
      fault(I, "no instruction for inverses");
    return rawInverse(A);
  case Op::Abs:
  case Op::Neg:
    if (!Caps.FreeSigns)
      fault(I, "no sign operation");
    return freeSign(O, arg(I, 0));
  case Op::Floor:
  case Op::Ceil:
  case Op::Trunc:
  case Op::RoundEven: {
    if (!Caps.RoundInstruction)
      fault(I, "no rounding instruction");
    float R = O == Op::Floor   ? std::floor(A)
              : O == Op::Ceil  ? std::ceil(A)
              : O == Op::Trunc ? std::trunc(A)
                               : std::nearbyint(A);
    return std::isnan(R) ? oddNan(Caps) : bitsOf(R);
  }
  default:
    fault(I, "not a legal float operation");
    return 0;
  }
}
