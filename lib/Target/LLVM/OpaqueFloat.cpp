//===- OpaqueFloat.cpp - Floating point that LLVM leaves alone
//--------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/Target/LLVM/OpaqueFloat.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Metadata.h"

#include <numeric>

using namespace llvm;

namespace goldy {

void OpaqueFloat::markFunction(Function &F) {
  F.addFnAttr(Attribute::StrictFP);
  F.addFnAttr("denormal-fp-math", "preserve-sign,preserve-sign");
}

static Value *text(LLVMContext &C, StringRef S) {
  return MetadataAsValue::get(C, MDString::get(C, S));
}

Value *OpaqueFloat::call(Intrinsic::ID Id, ArrayRef<Type *> Overloads,
                         ArrayRef<Value *> Args, bool Rounds) {
  SmallVector<Value *, 6> All(Args);
  LLVMContext &C = B.getContext();
  if (Rounds)
    All.push_back(text(C, "round.tonearest"));
  All.push_back(text(C, "fpexcept.maytrap"));
  CallInst *I = B.CreateIntrinsic(Id, Overloads, All);
  I->addFnAttr(Attribute::StrictFP);
  I->addFnAttr(Attribute::NoBuiltin);
  return I;
}

#define GOLDY_BINARY(NAME, INTRINSIC)                                          \
  Value *OpaqueFloat::NAME(Value *X, Value *Y) {                               \
    return call(Intrinsic::experimental_constrained_##INTRINSIC, X->getType(), \
                {X, Y}, true);                                                 \
  }
GOLDY_BINARY(add, fadd)
GOLDY_BINARY(sub, fsub)
GOLDY_BINARY(mul, fmul)
GOLDY_BINARY(div, fdiv)
#undef GOLDY_BINARY

Value *OpaqueFloat::fma(Value *X, Value *Y, Value *Z) {
  return call(Intrinsic::experimental_constrained_fma, X->getType(), {X, Y, Z},
              true);
}

Value *OpaqueFloat::sqrt(Value *X) {
  return call(Intrinsic::experimental_constrained_sqrt, X->getType(), X, true);
}

// The directed ones round their own way and take no rounding operand.
#define GOLDY_ROUND(NAME, INTRINSIC)                                           \
  Value *OpaqueFloat::NAME(Value *X) {                                         \
    return call(Intrinsic::experimental_constrained_##INTRINSIC, X->getType(), \
                X, false);                                                     \
  }
GOLDY_ROUND(floor, floor)
GOLDY_ROUND(ceil, ceil)
GOLDY_ROUND(trunc, trunc)
GOLDY_ROUND(roundEven, roundeven)
#undef GOLDY_ROUND

static StringRef predicateName(OpaqueFloat::Compare P) {
  using C = OpaqueFloat::Compare;
  switch (P) {
  case C::Eq:
    return "oeq";
  case C::Ne:
    return "une";
  case C::Lt:
    return "olt";
  case C::Le:
    return "ole";
  case C::Gt:
    return "ogt";
  case C::Ge:
    return "oge";
  case C::Unordered:
    return "uno";
  }
  llvm_unreachable("all predicates are named");
}

/// Lanes `First` to `First` + 3.
static Value *part(IRBuilder<> &B, Value *V, unsigned First) {
  if (cast<FixedVectorType>(V->getType())->getNumElements() == 4)
    return V;
  int At = static_cast<int>(First);
  return B.CreateShuffleVector(V, {At, At + 1, At + 2, At + 3});
}

/// The lanes of `Low` and behind them the four of `High`.
static Value *joined(IRBuilder<> &B, Value *Low, Value *High) {
  unsigned Lanes = cast<FixedVectorType>(Low->getType())->getNumElements();
  SmallVector<int, 32> Wide(Lanes, PoisonMaskElem), All(Lanes + 4);
  std::iota(Wide.begin(), Wide.begin() + 4, 0);
  std::iota(All.begin(), All.end(), 0);
  return B.CreateShuffleVector(Low, B.CreateShuffleVector(High, Wide), All);
}

/// cmpps: operands are swapped for the two that it lacks.
static Value *sseCompare(IRBuilder<> &B, OpaqueFloat::Compare P, Value *X,
                         Value *Y) {
  using C = OpaqueFloat::Compare;
  if (P == C::Gt || P == C::Ge) {
    std::swap(X, Y);
    P = P == C::Gt ? C::Lt : C::Le;
  }
  unsigned Imm = P == C::Eq   ? 0
                 : P == C::Lt ? 1
                 : P == C::Le ? 2
                 : P == C::Ne ? 4
                              : 3;
  unsigned Lanes = cast<FixedVectorType>(X->getType())->getNumElements();
  Value *All = nullptr;
  for (unsigned First = 0; First < Lanes; First += 4) {
    CallInst *I = B.CreateIntrinsic(
        Intrinsic::x86_sse_cmp_ps, {},
        {part(B, X, First), part(B, Y, First), B.getInt8(Imm)});
    I->addFnAttr(Attribute::StrictFP);
    All = All ? joined(B, All, I) : I;
  }
  return B.CreateBitCast(All, All->getType()->getWithNewType(B.getInt32Ty()));
}

Value *OpaqueFloat::compare(StringRef Predicate, Value *X, Value *Y) {
  LLVMContext &C = B.getContext();
  CallInst *I = B.CreateIntrinsic(
      Intrinsic::experimental_constrained_fcmp, X->getType(),
      {X, Y, text(C, Predicate), text(C, "fpexcept.maytrap")});
  I->addFnAttr(Attribute::StrictFP);
  I->addFnAttr(Attribute::NoBuiltin);
  return I;
}

Value *OpaqueFloat::compare(Compare P, Value *X, Value *Y) {
  if (comparesGiveMasks(X->getType()))
    return sseCompare(B, P, X, Y);
  return compare(predicateName(P), X, Y);
}

Value *OpaqueFloat::opposite(Value *Compared) {
  ConstrainedFPCmpIntrinsic *I = dyn_cast<ConstrainedFPCmpIntrinsic>(Compared);
  if (!I)
    return nullptr;
  return compare(CmpInst::getPredicateName(
                     CmpInst::getInversePredicate(I->getPredicate())),
                 I->getArgOperand(0), I->getArgOperand(1));
}

/// Of vcmpps, the quiet forms.
static unsigned vcmpImmediate(CmpInst::Predicate P) {
  switch (P) {
  case CmpInst::FCMP_OEQ:
    return 0x00;
  case CmpInst::FCMP_OLT:
    return 0x11;
  case CmpInst::FCMP_OLE:
    return 0x12;
  case CmpInst::FCMP_UNO:
    return 0x03;
  case CmpInst::FCMP_UNE:
    return 0x04;
  case CmpInst::FCMP_UGE:
    return 0x15;
  case CmpInst::FCMP_UGT:
    return 0x16;
  case CmpInst::FCMP_ORD:
    return 0x07;
  case CmpInst::FCMP_ULT:
    return 0x19;
  case CmpInst::FCMP_ULE:
    return 0x1a;
  case CmpInst::FCMP_OGE:
    return 0x1d;
  case CmpInst::FCMP_OGT:
    return 0x1e;
  default:
    llvm_unreachable("no comparison of the language, nor its opposite");
  }
}

static unsigned laneCount(const Value *V) {
  return cast<FixedVectorType>(V->getType())->getNumElements();
}

/// Of `V`, `Count` lanes from `First` on: what V was joined from, if it was.
static Value *lanes(IRBuilder<> &B, Value *V, unsigned First, unsigned Count) {
  if (laneCount(V) == Count)
    return V;
  ShuffleVectorInst *Join = dyn_cast<ShuffleVectorInst>(V);
  if (Join && Join->isConcat()) {
    unsigned Half = laneCount(V) / 2;
    return lanes(B, Join->getOperand(First / Half), First % Half, Count);
  }
  SmallVector<int, 16> Taken(Count);
  std::iota(Taken.begin(), Taken.end(), static_cast<int>(First));
  return B.CreateShuffleVector(V, Taken);
}

/// Of one register.
static Value *maskedCompare(IRBuilder<> &B, unsigned Immediate, Value *X,
                            Value *Y, Value *Mask) {
  unsigned Lanes = laneCount(X);
  SmallVector<Value *, 5> Args = {X, Y, B.getInt32(Immediate), Mask};
  if (Lanes == 16) // the rounding mode is that of MXCSR
    Args.push_back(B.getInt32(4));
  Intrinsic::ID Id = Lanes == 16  ? Intrinsic::x86_avx512_mask_cmp_ps_512
                     : Lanes == 8 ? Intrinsic::x86_avx512_mask_cmp_ps_256
                                  : Intrinsic::x86_avx512_mask_cmp_ps_128;
  CallInst *I = B.CreateIntrinsic(Id, {}, Args);
  I->addFnAttr(Attribute::StrictFP);
  return I;
}

/// `Part` of each register's first lane and lanes, joined.
template <class Fn>
static Value *byRegisters(IRBuilder<> &B, unsigned Lanes, const Fn &Part,
                          unsigned Register = 16) {
  Register = std::min(Lanes, Register);
  SmallVector<Value *, 4> Parts;
  for (unsigned First = 0; First < Lanes; First += Register)
    Parts.push_back(Part(First, Register));
  return concatenateVectors(B, Parts);
}

Value *OpaqueFloat::within(Value *Compared, Value *Within) {
  ConstrainedFPCmpIntrinsic *I = dyn_cast<ConstrainedFPCmpIntrinsic>(Compared);
  if (!I || !I->getType()->isVectorTy() || laneCount(I) < 4)
    return nullptr;
  unsigned Immediate = vcmpImmediate(I->getPredicate());
  return byRegisters(B, laneCount(I), [&](unsigned First, unsigned Count) {
    return maskedCompare(B, Immediate,
                         lanes(B, I->getArgOperand(0), First, Count),
                         lanes(B, I->getArgOperand(1), First, Count),
                         lanes(B, Within, First, Count));
  });
}

/// minps or maxps, whose second operand is the one that is kept.
static Value *minMaxRegister(IRBuilder<> &B, bool Min, Value *X, Value *Y) {
  unsigned Lanes = laneCount(X);
  SmallVector<Value *, 3> Args = {Y, X};
  Intrinsic::ID Id =
      Min ? Intrinsic::x86_sse_min_ps : Intrinsic::x86_sse_max_ps;
  if (Lanes == 8)
    Id = Min ? Intrinsic::x86_avx_min_ps_256 : Intrinsic::x86_avx_max_ps_256;
  if (Lanes == 16) {
    Id = Min ? Intrinsic::x86_avx512_min_ps_512
             : Intrinsic::x86_avx512_max_ps_512;
    Args.push_back(B.getInt32(4)); // the rounding mode is that of MXCSR
  }
  CallInst *I = B.CreateIntrinsic(Id, {}, Args);
  I->addFnAttr(Attribute::StrictFP);
  return I;
}

Value *OpaqueFloat::minMax(bool Min, Value *X, Value *Y, unsigned Register) {
  if (!X->getType()->isVectorTy() || laneCount(X) < 4)
    return B.CreateSelect(compare(Min ? Compare::Lt : Compare::Gt, Y, X), Y, X);
  return byRegisters(
      B, laneCount(X),
      [&](unsigned First, unsigned Count) {
        return minMaxRegister(B, Min, lanes(B, X, First, Count),
                              lanes(B, Y, First, Count));
      },
      Register);
}

Value *OpaqueFloat::choose(Value *Condition, Value *X, Value *Y) {
  ShuffleVectorInst *Join = dyn_cast<ShuffleVectorInst>(Condition);
  if (!Join || !Join->isConcat() || laneCount(X) <= 16)
    return B.CreateSelect(Condition, X, Y);
  return byRegisters(B, laneCount(X), [&](unsigned First, unsigned Count) {
    return B.CreateSelect(lanes(B, Condition, First, Count),
                          lanes(B, X, First, Count), lanes(B, Y, First, Count));
  });
}

Value *OpaqueFloat::fromSigned(Value *I, Type *To) {
  return call(Intrinsic::experimental_constrained_sitofp, {To, I->getType()}, I,
              true);
}

Value *OpaqueFloat::fromUnsigned(Value *I, Type *To) {
  return call(Intrinsic::experimental_constrained_uitofp, {To, I->getType()}, I,
              true);
}

Value *OpaqueFloat::toSigned(Value *X, Type *To) {
  return call(Intrinsic::experimental_constrained_fptosi, {To, X->getType()}, X,
              false);
}

Value *OpaqueFloat::extend(Value *X, Type *To) {
  bool Widens = To->getScalarSizeInBits() > X->getType()->getScalarSizeInBits();
  return call(Widens ? Intrinsic::experimental_constrained_fpext
                     : Intrinsic::experimental_constrained_fptrunc,
              {To, X->getType()}, X, !Widens);
}

} // namespace goldy
