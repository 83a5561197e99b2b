//===- EmitDivision.cpp - Integer division over lanes
//------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The machine divides no vectors of integers, and a division a lane costs more
// than all else in most kernels. Doubles have 53 bits and divide 32-bit
// integers exactly, by a product with the reciprocal: let n, d < 2^32, r the
// double nearest to 1 / d, and t the rounded product of n + 1/2 (exact) and r.
// Both roundings together are off by less than t * 2^-51, and (n + 1/2) / d
// lies at least 1 / (2 d) from the next integer on either side. As
// (n + 1/2) / d * 2^-51 < 1 / (2 d), t - 1/2 rounds to the quotient. The
// rounding is an addition of 1.5 * 2^52, behind which the quotient is the low
// half of the bits; integers become doubles by the inverse of that trick. One
// reciprocal serves a divisor that is the same for all lanes, and leaves the
// loops in which it is.
//
// These are the emitter's own doubles, none of the program's floats: they are
// exact whatever the state of flushing, in the rounding mode that the entry
// has.
//
//===----------------------------------------------------------------------===//
#include "Emitter.h"

using namespace goldy;
using namespace llvm;

/// 2^52: adding an integer below 2^32 puts it into the low bits.
static constexpr double Exponent52 = 0x1p52;
static constexpr uint64_t Exponent52Bits = 0x4330000000000000;

/// |x| as an unsigned number, the minimum included.
Value *HostEmitter::magnitude(Value *X) {
  Value *Zero = llvm::Constant::getNullValue(X->getType());
  return B.CreateSelect(B.CreateICmpSLT(X, Zero), B.CreateSub(Zero, X), X);
}

/// The unsigned 32-bit value plus a constant, exactly.
Value *HostEmitter::doubleOf(Value *X, double Plus) {
  llvm::Type *Double = B.getDoubleTy(), *Wide = I64;
  if (X->getType()->isVectorTy()) {
    Double = FixedVectorType::get(Double, W);
    Wide = I64Vec;
  }
  Value *Bits =
      B.CreateOr(B.CreateZExt(X, Wide), ConstantInt::get(Wide, Exponent52Bits));
  return B.CreateFSub(B.CreateBitCast(Bits, Double),
                      ConstantFP::get(Double, Exponent52 - Plus));
}

Value *HostEmitter::reciprocal(Value *Divisor) {
  Value *D = doubleOf(Divisor, 0);
  return B.CreateFDiv(ConstantFP::get(D->getType(), 1), D);
}

/// Lanes that do not run may hold any divisor.
Value *HostEmitter::quotient(Value *X, ValueId Divisor, bool Signed) {
  bool Scalar = Shapes->Value[Divisor].Shape == LaneShape::Uniform;
  Value *D = Scalar ? scalar(Divisor) : vector(Divisor);
  Value *Negative = nullptr;
  if (Signed) {
    Value *Signs = B.CreateXor(X, Scalar ? splat(D) : D);
    Negative = B.CreateICmpSLT(Signs, llvm::Constant::getNullValue(I32Vec));
    X = magnitude(X);
    D = magnitude(D);
  }
  Value *R = reciprocal(D);
  if (Scalar)
    R = B.CreateVectorSplat(W, R);
  llvm::Type *Double = R->getType();
  Value *T = B.CreateFMul(doubleOf(X, 0.5), R);
  T = B.CreateFAdd(B.CreateFSub(T, ConstantFP::get(Double, 0.5)),
                   ConstantFP::get(Double, 1.5 * Exponent52));
  Value *Q = B.CreateTrunc(B.CreateBitCast(T, I64Vec), I32Vec);
  return Negative ? B.CreateSelect(Negative, B.CreateNeg(Q), Q) : Q;
}

Value *HostEmitter::divideLanes(const Inst &N, Value *X, ValueId Divisor) {
  Value *Q = quotient(X, Divisor, M.Types.isSigned(N.Type));
  if (N.Opcode == Op::RawDiv)
    return Q;
  return B.CreateSub(X, B.CreateMul(Q, vector(Divisor)));
}

/// i / n and i % n for neighbours i: one scalar division, and at most one carry
/// within the vector if n has at least its width.
Value *HostEmitter::divideNeighbours(const Inst &N, Value *First,
                                     ValueId Divisor) {
  Value *D = scalar(Divisor);
  BasicBlock *Near = newBlock("divide"), *Far = newBlock("divide.lanes");
  BasicBlock *Join = newBlock("divided");
  B.CreateCondBr(B.CreateICmpUGE(D, B.getInt32(W)), Near, Far);
  B.SetInsertPoint(Near);
  Value *Q = B.CreateUDiv(First, D);
  Value *R = B.CreateSub(First, B.CreateMul(Q, D));
  Value *Lanes = B.CreateAdd(splat(R), steps(1));
  Value *Over = B.CreateICmpUGE(Lanes, splat(D));
  Value *Fast =
      N.Opcode == Op::RawDiv
          ? B.CreateAdd(splat(Q), B.CreateZExt(Over, I32Vec))
          : B.CreateSub(Lanes,
                        B.CreateSelect(Over, splat(D),
                                       llvm::Constant::getNullValue(I32Vec)));
  B.CreateBr(Join);
  B.SetInsertPoint(Far);
  Value *Slow = divideLanes(N, B.CreateAdd(splat(First), steps(1)), Divisor);
  B.CreateBr(Join);
  B.SetInsertPoint(Join);
  PHINode *Phi = B.CreatePHI(I32Vec, 2);
  Phi->addIncoming(Fast, Near);
  Phi->addIncoming(Slow, Far);
  return Phi;
}

Value *HostEmitter::divideOperation(InstId I, const Inst &N,
                                    ArrayRef<Value *> Ops) {
  ValueId Divisor = F.operand(I, 1);
  bool Signed = M.Types.isSigned(N.Type), Quotient = N.Opcode == Op::RawDiv;
  bool Vector = Ops[1]->getType()->isVectorTy() && !F.isConst(Divisor);
  LaneValue X = Shapes->Value[F.operand(I, 0)];
  bool Uniform = Shapes->Value[Divisor].Shape == LaneShape::Uniform;
  bool Neighbours = !Signed && Uniform && X.Shape == LaneShape::Strided &&
                    X.Stride == 1 && X.Align >= W;
  if (Vector && M.Types.bits(N.Type) == 32)
    return Neighbours ? divideNeighbours(N, scalar(F.operand(I, 0)), Divisor)
                      : divideLanes(N, Ops[0], Divisor);
  // 64 bits: the machine divides lane by lane; those that do not run may hold
  // any divisor.
  Value *D = Ops[1];
  if (Vector && Mask)
    D = B.CreateSelect(asI1(Mask), D, ConstantInt::get(D->getType(), 1));
  if (Quotient)
    return Signed ? B.CreateSDiv(Ops[0], D) : B.CreateUDiv(Ops[0], D);
  return Signed ? B.CreateSRem(Ops[0], D) : B.CreateURem(Ops[0], D);
}
