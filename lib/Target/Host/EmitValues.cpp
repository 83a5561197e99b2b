//===- EmitValues.cpp - Values and pure operations
//--------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same code emits an operation on scalars and on vectors: operands come as
// the plan's shape of the result says. For a strided result the operation is
// done on lane 0's values, which gives lane 0's result.
//
//===----------------------------------------------------------------------===//
#include "Emitter.h"
#include "goldyc/Target/TensorLayout.h"

using namespace goldy;
using namespace llvm;

llvm::Type *HostEmitter::scalarType(TypeId T) {
  if (T == types::Bool)
    return I1;
  return T == types::F32 ? F32 : B.getIntNTy(M.Types.bits(T));
}

llvm::Type *HostEmitter::valueType(TypeId T, bool Scalar) {
  if (!Scalar && T == types::Bool)
    return MaskTy;
  llvm::Type *One = scalarType(T);
  return Scalar ? One : FixedVectorType::get(One, W);
}

Value *HostEmitter::splat(Value *Scalar) {
  if (Scalar->getType() == I1 && MaskTy == I32Vec)
    Scalar = B.CreateSExt(Scalar, I32);
  return B.CreateVectorSplat(W, Scalar);
}

Value *HostEmitter::asMask(Value *Lanes) {
  if (MaskTy == I1Vec)
    return Lanes;
  return B.CreateSExt(Lanes, Lanes->getType()->getWithNewType(I32));
}

Value *HostEmitter::asI1(Value *Lanes) {
  if (MaskTy == I1Vec)
    return Lanes;
  return B.CreateICmpSLT(Lanes, llvm::Constant::getNullValue(Lanes->getType()));
}

Value *HostEmitter::steps(int64_t Stride) {
  SmallVector<uint32_t, 64> Steps;
  for (unsigned L = 0; L < W; ++L)
    Steps.push_back(static_cast<uint32_t>(Stride * L));
  return ConstantDataVector::get(C, Steps);
}

Value *HostEmitter::leaf(const Inst &N) {
  if (N.Opcode == Op::ParamValue)
    return ParamValues[N.Imm];
  if (N.Type == types::Bool)
    return B.getInt1(N.Imm != 0);
  uint32_t Bits = static_cast<uint32_t>(N.Imm);
  if (N.Type == types::F32)
    return ConstantFP::get(C, APFloat(APFloat::IEEEsingle(), APInt(32, Bits)));
  return ConstantInt::get(scalarType(N.Type), N.Imm);
}

Value *HostEmitter::scalar(ValueId V) {
  const Inst &N = F.Insts[V];
  if (N.Opcode == Op::Const || N.Opcode == Op::ParamValue)
    return leaf(N);
  Value *Known = valueOf(V);
  return Known ? Known : notLegal(V);
}

Value *HostEmitter::vector(ValueId V) {
  Value *Known = scalar(V);
  if (Known->getType()->isVectorTy())
    return Known;
  Value *All = splat(Known);
  LaneValue Shape = Shapes->Value[V];
  if (Shape.Shape != LaneShape::Strided)
    return All;
  return B.CreateAdd(All, steps(Shape.Stride));
}

void HostEmitter::define(InstId I, Value *V) {
  valueOf(I) = V;
  if (InRegion && Plan.ContextOfValue[I].Bytes)
    keepValue(I);
}

/// Anything that is not an operation of the legal form.
Value *HostEmitter::notLegal(InstId I) {
  const Inst &N = F.Insts[I];
  if (!Failed)
    Diags.report(diag::G0673, N.Loc)
        << "`" << opInfo(N.Opcode).Mnemonic
        << "` has no host code in this form; expected a legalised operation";
  Failed = true;
  return UndefValue::get(valueType(N.Type, Shapes->Value[I].isScalar()));
}

void HostEmitter::instruction(InstId I) {
  at(I);
  ++Emitted;
  noteEffect(I);
  const Inst &N = F.Insts[I];
  switch (N.Opcode) {
  case Op::Load:
  case Op::WorkgroupUniformLoad: // regions end there: it is the load alone
    load(I);
    return;
  case Op::Store:
    store(I);
    return;
  case Op::Assume:
    return;
  case Op::Debug:
    debug(I);
    return;
  case Op::Watch:
    watch(I);
    return;
  case Op::Call:
  case Op::For:
  case Op::Barrier:
  case Op::BreakIf:
    notLegal(I);
    return;
  default:
    break;
  }
  if (isAtomic(N.Opcode))
    atomic(I);
  else if (isCollective(N.Opcode))
    collective(I);
  else
    define(I, pureValue(I));
}

Value *HostEmitter::pureValue(InstId I) {
  const Inst &N = F.Insts[I];
  if (N.Opcode >= Op::GlobalId && N.Opcode <= Op::NumWorkgroups)
    return idValue(N);
  if (N.Opcode == Op::Len)
    return lenValue(N);
  if (readsLayout(N.Opcode))
    return LayoutValues[I];
  if (N.Opcode == Op::Dim)
    return imageExtent(I);
  bool Scalar = Shapes->Value[I].isScalar();
  SmallVector<Value *, 4> Ops;
  for (ValueId V : F.operands(I)) {
    // A scalar condition chooses between vectors as it is.
    bool Condition = N.Opcode == Op::Select && Ops.empty();
    bool Stays = Scalar || (Condition && Shapes->Value[V].isScalar());
    Ops.push_back(Stays ? scalar(V) : vector(V));
  }
  Value *Result = operation(I, N, Ops);
  if (!Scalar && N.Type == types::Bool)
    noteTests(I, Result);
  return Result;
}

Value *HostEmitter::idValue(const Inst &N) {
  unsigned Axis = static_cast<unsigned>(N.Imm);
  if (N.Opcode == Op::WorkgroupId)
    return GroupId[Axis];
  if (N.Opcode == Op::NumWorkgroups)
    return GroupCount[Axis];
  uint32_t Size = F.WorkgroupSize[Axis];
  Value *Local = B.getInt32(0);
  if (Size != 1)
    Local = Axis == 0 ? LocalFirst : Axis == 1 ? RowY : RowZ;
  if (N.Opcode == Op::LocalId)
    return Local;
  // A turn of several groups does not wrap (MaxJoined), one of a single group
  // starts at a multiple of a power of two: LLVM sees that without joins.
  bool Wraps = !Turn.Joined || Axis != 0 || !isPowerOf2_32(Size);
  return B.CreateAdd(B.CreateMul(GroupId[Axis], B.getInt32(Size)), Local, "",
                     !Wraps);
}

/// An image's extents stand behind its address in the block.
Value *HostEmitter::imageExtent(InstId I) {
  const Inst &Ref = F.Insts[F.operand(I, 0)];
  uint32_t Param = F.Places[Ref.Where].Base.Index;
  uint32_t Axis = static_cast<uint32_t>(F.Insts[F.operand(I, 1)].Imm);
  uint32_t Offset = abiLayout(M, F).Params[Param].Offset + 8 + 4 * Axis;
  return B.CreateLoad(I32, B.CreateConstInBoundsGEP1_64(I8, Block, Offset));
}

Value *HostEmitter::lenValue(const Inst &N) {
  const PlaceBase &Base = F.Places[N.Where].Base;
  if (Base.Kind == BaseKind::Param)
    return ParamLengths[Base.Index];
  return B.getInt32(M.Types.memberCount(baseType(M, F, Base)));
}

Value *HostEmitter::operation(InstId I, const Inst &N, ArrayRef<Value *> Ops) {
  switch (N.Opcode) {
  case Op::Select:
    return selectOperation(Ops);
  case Op::Eq:
  case Op::Ne:
  case Op::Lt:
  case Op::Le:
  case Op::Gt:
  case Op::Ge:
    return compareOperation(I, N, Ops);
  case Op::Cast:
  case Op::RawFloatToInt:
  case Op::ToBits:
  case Op::FromBits:
    return castOperation(I, N, Ops);
  case Op::And:
    return B.CreateAnd(Ops[0], Ops[1]);
  case Op::Or:
    return B.CreateOr(Ops[0], Ops[1]);
  case Op::Xor:
    return B.CreateXor(Ops[0], Ops[1]);
  case Op::Not:
    return notOperation(N, Ops);
  default:
    break;
  }
  if (N.Type == types::F32)
    return floatOperation(I, N, Ops);
  if (M.Types.isInteger(N.Type))
    return integerOperation(I, N, Ops);
  return notLegal(I);
}

Value *HostEmitter::notOperation(const Inst &N, ArrayRef<Value *> Ops) {
  Value *Opposite = isBool(N.Type) ? Float.opposite(Ops[0]) : nullptr;
  return Opposite ? Opposite : B.CreateNot(Ops[0]);
}

/// Of two conditions that nothing else has asked for, a float comparison is
/// made for the lanes that the other leaves: that is fewer instructions. Where
/// they are a mask it would come later than both and their conjunction.
Value *HostEmitter::selectOperation(ArrayRef<Value *> Ops) {
  Value *Cond = Ops[0];
  if (Cond->getType()->isVectorTy())
    Cond = asI1(Cond);
  BinaryOperator *Both = dyn_cast<BinaryOperator>(Cond);
  if (Level < 4 || !Both || Both->getOpcode() != Instruction::And ||
      !Both->use_empty())
    return B.CreateSelect(Cond, Ops[1], Ops[2]);
  if (Value *One = Float.within(Both->getOperand(1), Both->getOperand(0)))
    Cond = One;
  return Float.choose(Cond, Ops[1], Ops[2]);
}

Value *HostEmitter::integerOperation(InstId I, const Inst &N,
                                     ArrayRef<Value *> Ops) {
  bool Signed = M.Types.isSigned(N.Type);
  switch (N.Opcode) {
  case Op::Add:
    return B.CreateAdd(Ops[0], Ops[1]);
  case Op::Sub:
    return B.CreateSub(Ops[0], Ops[1]);
  case Op::Mul:
    return B.CreateMul(Ops[0], Ops[1]);
  case Op::Neg:
    return B.CreateNeg(Ops[0]);
  case Op::Abs:
    return B.CreateBinaryIntrinsic(Intrinsic::abs, Ops[0], B.getFalse());
  case Op::Min:
    return B.CreateBinaryIntrinsic(Signed ? Intrinsic::smin : Intrinsic::umin,
                                   Ops[0], Ops[1]);
  case Op::Max:
    return B.CreateBinaryIntrinsic(Signed ? Intrinsic::smax : Intrinsic::umax,
                                   Ops[0], Ops[1]);
  case Op::RawShl:
    return B.CreateShl(Ops[0], Ops[1]);
  case Op::RawShr:
    return Signed ? B.CreateAShr(Ops[0], Ops[1]) : B.CreateLShr(Ops[0], Ops[1]);
  case Op::RawDiv:
  case Op::RawRem:
    return divideOperation(I, N, Ops);
  default:
    return bitOperation(I, N, Ops);
  }
}

Value *HostEmitter::bitOperation(InstId I, const Inst &N,
                                 ArrayRef<Value *> Ops) {
  switch (N.Opcode) {
  case Op::CountOnes:
    return count(B.CreateUnaryIntrinsic(Intrinsic::ctpop, Ops[0]));
  case Op::LeadingZeros:
    return count(
        B.CreateBinaryIntrinsic(Intrinsic::ctlz, Ops[0], B.getFalse()));
  case Op::TrailingZeros:
    return count(
        B.CreateBinaryIntrinsic(Intrinsic::cttz, Ops[0], B.getFalse()));
  case Op::ReverseBits:
    return B.CreateUnaryIntrinsic(Intrinsic::bitreverse, Ops[0]);
  case Op::RotateLeft:
    return B.CreateIntrinsic(Intrinsic::fshl, Ops[0]->getType(),
                             {Ops[0], Ops[0], Ops[1]});
  case Op::RotateRight:
    return B.CreateIntrinsic(Intrinsic::fshr, Ops[0]->getType(),
                             {Ops[0], Ops[0], Ops[1]});
  case Op::MulHi:
    return M.Types.bits(N.Type) == 64
               ? notLegal(I)
               : mulHi(Ops[0], Ops[1], N.Type == types::I32);
  default:
    return notLegal(I);
  }
}

/// Counts are u32 whatever was counted.
Value *HostEmitter::count(Value *N) {
  return B.CreateTrunc(N, N->getType()->isVectorTy() ? I32Vec : I32);
}

Value *HostEmitter::mulHi(Value *A, Value *D, bool Signed) {
  llvm::Type *Wide = A->getType()->isVectorTy() ? I64Vec : I64;
  Value *X = Signed ? B.CreateSExt(A, Wide) : B.CreateZExt(A, Wide);
  Value *Y = Signed ? B.CreateSExt(D, Wide) : B.CreateZExt(D, Wide);
  Value *High = B.CreateLShr(B.CreateMul(X, Y), 32);
  return B.CreateTrunc(High, A->getType());
}

static CmpInst::Predicate integerPredicate(Op O, bool Signed) {
  switch (O) {
  case Op::Eq:
    return CmpInst::ICMP_EQ;
  case Op::Ne:
    return CmpInst::ICMP_NE;
  case Op::Lt:
    return Signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT;
  case Op::Le:
    return Signed ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE;
  case Op::Gt:
    return Signed ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT;
  default:
    return Signed ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE;
  }
}

static OpaqueFloat::Compare floatPredicate(Op O) {
  using Compare = OpaqueFloat::Compare;
  switch (O) {
  case Op::Eq:
    return Compare::Eq;
  case Op::Ne:
    return Compare::Ne;
  case Op::Lt:
    return Compare::Lt;
  case Op::Le:
    return Compare::Le;
  case Op::Gt:
    return Compare::Gt;
  default:
    return Compare::Ge;
  }
}

Value *HostEmitter::compareOperation(InstId I, const Inst &N,
                                     ArrayRef<Value *> Ops) {
  TypeId T = F.typeOf(F.operand(I, 0));
  bool Vector = Ops[0]->getType()->isVectorTy();
  if (T == types::F32) {
    Value *R = Float.compare(floatPredicate(N.Opcode), Ops[0], Ops[1]);
    return Vector && !Float.comparesGiveMasks(Ops[0]->getType()) ? asMask(R)
                                                                 : R;
  }
  Value *X = Ops[0], *Y = Ops[1];
  if (T == types::Bool && Vector) {
    X = asI1(X);
    Y = asI1(Y);
  }
  Value *R =
      B.CreateICmp(integerPredicate(N.Opcode, M.Types.isSigned(T)), X, Y);
  return Vector ? asMask(R) : R;
}

Value *HostEmitter::castOperation(InstId I, const Inst &N,
                                  ArrayRef<Value *> Ops) {
  Value *X = Ops[0];
  TypeId From = F.typeOf(F.operand(I, 0));
  llvm::Type *To = valueType(N.Type, !X->getType()->isVectorTy());
  if (N.Opcode == Op::RawFloatToInt)
    return Float.toSigned(X, To);
  if (N.Opcode == Op::ToBits || N.Opcode == Op::FromBits)
    return B.CreateBitCast(X, To);
  if (From == types::Bool)
    return B.CreateZExt(X->getType()->isVectorTy() ? asI1(X) : X, To);
  if (From == types::F32 || (N.Type == types::F32 && M.Types.bits(From) == 64))
    return notLegal(I);
  if (N.Type != types::F32)
    return M.Types.isSigned(From) ? B.CreateSExtOrTrunc(X, To)
                                  : B.CreateZExtOrTrunc(X, To);
  return From == types::I32 ? Float.fromSigned(X, To)
                            : Float.fromUnsigned(X, To);
}

// --- Floats

Value *HostEmitter::floatOperation(InstId I, const Inst &N,
                                   ArrayRef<Value *> Ops) {
  switch (N.Opcode) {
  case Op::Add:
    return Float.add(Ops[0], Ops[1]);
  case Op::Sub:
    return Float.sub(Ops[0], Ops[1]);
  case Op::Mul:
    return Float.mul(Ops[0], Ops[1]);
  case Op::Div:
    return Float.div(Ops[0], Ops[1]);
  case Op::Sqrt:
    return Float.sqrt(Ops[0]);
  case Op::Min:
  case Op::Max:
    return Float.minMax(N.Opcode == Op::Min, Ops[0], Ops[1],
                        Level >= 4   ? 16
                        : Level == 3 ? 8
                                     : 4);
  case Op::Fma:
    return Level >= 3 ? Float.fma(Ops[0], Ops[1], Ops[2])
                      : fmaByDoubles(Ops[0], Ops[1], Ops[2]);
  case Op::CanonNan:
    return canonicalNan(Ops[0]);
  case Op::Flush:
    return flush(Ops[0]);
  default:
    break;
  }
  if (Level < 2)
    return notLegal(I);
  switch (N.Opcode) {
  case Op::Floor:
    return Float.floor(Ops[0]);
  case Op::Ceil:
    return Float.ceil(Ops[0]);
  case Op::Trunc:
    return Float.trunc(Ops[0]);
  case Op::RoundEven:
    return Float.roundEven(Ops[0]);
  default:
    return notLegal(I);
  }
}

Value *HostEmitter::canonicalNan(Value *X) {
  Value *IsNan = Float.compare(OpaqueFloat::Compare::Unordered, X, X);
  if (Float.comparesGiveMasks(X->getType()))
    IsNan = asI1(IsNan);
  Value *Nan = ConstantFP::get(
      X->getType(), APFloat(APFloat::IEEEsingle(), APInt(32, 0x7fc00000u)));
  return B.CreateSelect(IsNan, Nan, X);
}

Value *HostEmitter::flush(Value *X) {
  llvm::Type *Bits = X->getType()->isVectorTy() ? I32Vec : I32;
  Value *All = B.CreateBitCast(X, Bits);
  Value *Exponent = B.CreateAnd(All, ConstantInt::get(Bits, 0x7f800000u));
  Value *Sign = B.CreateAnd(All, ConstantInt::get(Bits, 0x80000000u));
  Value *Small = B.CreateICmpEQ(Exponent, llvm::Constant::getNullValue(Bits));
  return B.CreateBitCast(B.CreateSelect(Small, Sign, All), X->getType());
}
