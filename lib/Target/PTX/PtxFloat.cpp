//===- PtxFloat.cpp - Float instructions that LLVM leaves alone -----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PtxFloat.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace goldy::ptx {

static Intrinsic::ID intrinsicOf(Op O) {
  switch (O) {
  case Op::Add:
    return Intrinsic::nvvm_add_rn_ftz_f;
  case Op::Mul:
    return Intrinsic::nvvm_mul_rn_ftz_f;
  case Op::Div:
    return Intrinsic::nvvm_div_rn_ftz_f;
  case Op::Sqrt:
    return Intrinsic::nvvm_sqrt_rn_ftz_f;
  case Op::RawInverse:
    return Intrinsic::nvvm_rcp_approx_ftz_f;
  case Op::Fma:
    return Intrinsic::nvvm_fma_rn_ftz_f;
  case Op::Floor:
    return Intrinsic::nvvm_floor_ftz_f;
  case Op::Ceil:
    return Intrinsic::nvvm_ceil_ftz_f;
  case Op::Trunc:
    return Intrinsic::nvvm_trunc_ftz_f;
  case Op::RoundEven:
    return Intrinsic::nvvm_round_ftz_f;
  default:
    return Intrinsic::not_intrinsic;
  }
}

Value *PtxFloat::operation(Op O, ArrayRef<Value *> Args) {
  if (O == Op::Sub)
    return assembly("sub.rn.ftz.f32 $0, $1, $2;", "=f,f,f", B.getFloatTy(),
                    Args);
  if (O == Op::Abs || O == Op::Neg) // no .ftz: they become part of their users
    return assembly(O == Op::Abs ? "abs.f32 $0, $1;" : "neg.f32 $0, $1;",
                    "=f,f", B.getFloatTy(), Args);
  Intrinsic::ID Id = intrinsicOf(O);
  if (Id == Intrinsic::not_intrinsic)
    return nullptr;
  return B.CreateIntrinsic(B.getFloatTy(), Id, Args);
}

static const char *comparison(Op O) {
  switch (O) {
  case Op::Eq:
    return "setp.eq.ftz.f32 $0, $1, $2;";
  case Op::Ne:
    return "setp.neu.ftz.f32 $0, $1, $2;";
  case Op::Lt:
    return "setp.lt.ftz.f32 $0, $1, $2;";
  case Op::Le:
    return "setp.le.ftz.f32 $0, $1, $2;";
  case Op::Gt:
    return "setp.gt.ftz.f32 $0, $1, $2;";
  default:
    return "setp.ge.ftz.f32 $0, $1, $2;";
  }
}

Value *PtxFloat::compare(Op O, Value *X, Value *Y) {
  return assembly(comparison(O), "=b,f,f", B.getInt1Ty(), {X, Y});
}

Value *PtxFloat::isAnyNan(Value *X, Value *Y) {
  return assembly("setp.nan.ftz.f32 $0, $1, $2;", "=b,f,f", B.getInt1Ty(),
                  {X, Y});
}

Value *PtxFloat::extreme(bool Greater, bool OfNan, Value *X, Value *Y) {
  static const char *const Texts[2][2] = {
      {"min.f32 $0, $1, $2;", "min.NaN.f32 $0, $1, $2;"},
      {"max.f32 $0, $1, $2;", "max.NaN.f32 $0, $1, $2;"}};
  return assembly(Texts[Greater][OfNan], "=f,f,f", B.getFloatTy(), {X, Y});
}

Value *PtxFloat::fromBits(Value *Bits) {
  return B.CreateIntrinsic(B.getFloatTy(), Intrinsic::nvvm_bitcast_i2f, {Bits});
}

Value *PtxFloat::toInteger(Value *X, bool Signed) {
  Intrinsic::ID Id =
      Signed ? Intrinsic::nvvm_f2i_rz_ftz : Intrinsic::nvvm_f2ui_rz_ftz;
  return B.CreateIntrinsic(B.getInt32Ty(), Id, {X});
}

Value *PtxFloat::assembly(const char *Text, const char *Constraints,
                          llvm::Type *Result, ArrayRef<Value *> Args) {
  SmallVector<llvm::Type *, 3> Types;
  for (Value *V : Args)
    Types.push_back(V->getType());
  FunctionType *T = FunctionType::get(Result, Types, /*isVarArg=*/false);
  InlineAsm *Asm =
      InlineAsm::get(T, Text, Constraints, /*hasSideEffects=*/false);
  CallInst *Call = B.CreateCall(Asm, Args);
  Call->setDoesNotThrow();
  Call->setDoesNotAccessMemory();
  return Call;
}

} // namespace goldy::ptx
