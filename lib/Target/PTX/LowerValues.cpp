//===- LowerValues.cpp - Pure operations ----------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The legal form has machine meaning already, so each operation is one
// instruction or intrinsic. Sign operations, canonical NaNs and flushes are
// integer code, which nothing can mistake for floating point.
//
//===----------------------------------------------------------------------===//
#include "Lower.h"
#include "goldyc/Target/TensorLayout.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace goldy::ptx {

llvm::Type *Lowering::type(TypeId T) {
  if (T == types::F32)
    return B.getFloatTy();
  if (T == types::Bool)
    return B.getInt1Ty();
  if (M.Types.kind(T) == TypeKind::Vector)
    return FixedVectorType::get(type(M.Types[T].Element),
                                M.Types.memberCount(T));
  return B.getIntNTy(M.Types.bits(T));
}

Value *Lowering::get(ValueId V) {
  if (Value *Known = Values[V])
    return Known;
  Value *Leaf = leaf(V);
  assert(Leaf && "a value is used before its definition");
  return Leaf;
}

/// Constants are not cached: they have no place. Parameters are read in the
/// entry block.
Value *Lowering::leaf(ValueId V) {
  const Inst &N = F.Insts[V];
  if (N.Opcode == Op::Const && N.Type == types::F32)
    return ConstantFP::get(B.getContext(), APFloat(APFloat::IEEEsingle(),
                                                   APInt(32, uint32_t(N.Imm))));
  if (N.Opcode == Op::Const)
    return ConstantInt::get(type(N.Type), N.Imm);
  if (N.Opcode != Op::ParamValue)
    return nullptr;
  IRBuilder<>::InsertPointGuard Guard(B);
  B.SetInsertPoint(Kernel->getEntryBlock().getTerminator());
  Value *Loaded = blockField(Abi.Params[N.Imm].Offset, type(N.Type));
  Values.set(V, Loaded);
  return Loaded;
}

Value *Lowering::value(InstId I) {
  Op O = F.Insts[I].Opcode;
  if (O >= Op::GlobalId && O <= Op::NumWorkgroups)
    return id(I);
  if (O == Op::Len)
    return length(I);
  if (readsLayout(O))
    return layoutFact(I);
  if (O == Op::Dim)
    return imageExtent(I);
  if (isComparison(O))
    return compare(I);
  if (O == Op::Select)
    return select(I);
  if (O == Op::Extract)
    return B.CreateExtractElement(operand(I, 0), F.Insts[I].Imm);
  if (O == Op::Construct)
    return construct(I);
  if (O == Op::ToBits)
    return B.CreateBitCast(operand(I, 0), B.getInt32Ty());
  if (O == Op::FromBits)
    return Float.fromBits(operand(I, 0));
  if (O == Op::Cast || O == Op::RawFloatToInt)
    return cast(I);
  if (O == Op::CanonNan)
    return canonNan(operand(I, 0));
  if (O == Op::Flush)
    return flush(operand(I, 0));
  if (O >= Op::RawDiv && O <= Op::RawShr)
    return shift(I);
  if (O == Op::Or && isNanTest(F.operand(I, 0)) && isNanTest(F.operand(I, 1)))
    return Float.isAnyNan(get(F.operand(F.operand(I, 0), 0)),
                          get(F.operand(F.operand(I, 1), 0)));
  if (F.Insts[I].Type == types::F32)
    return floatArithmetic(I);
  if (Value *V = arithmetic(I))
    return V;
  return bitOperation(I);
}

Value *Lowering::construct(InstId I) {
  Value *V = PoisonValue::get(type(F.Insts[I].Type));
  for (unsigned K = 0; K < F.operands(I).size(); ++K)
    V = B.CreateInsertElement(V, operand(I, K), K);
  return V;
}

/// x != x
bool Lowering::isNanTest(ValueId V) const {
  return F.Insts[V].Opcode == Op::Ne && isFloat(F.operand(V, 0)) &&
         F.operand(V, 0) == F.operand(V, 1);
}

// --- Ids

Value *Lowering::sreg(Intrinsic::ID Id) {
  return B.CreateIntrinsic(B.getInt32Ty(), Id, {});
}

Value *Lowering::thread(uint64_t Axis) {
  static const Intrinsic::ID Ids[] = {Intrinsic::nvvm_read_ptx_sreg_tid_x,
                                      Intrinsic::nvvm_read_ptx_sreg_tid_y,
                                      Intrinsic::nvvm_read_ptx_sreg_tid_z};
  return sreg(Ids[Axis]);
}

/// The number of the block, in groups of the grid that is dispatched.
Value *Lowering::blockId(uint64_t Axis) {
  static const Intrinsic::ID Ids[] = {Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
                                      Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                                      Intrinsic::nvvm_read_ptx_sreg_ctaid_z};
  uint32_t BaseOffset = Abi.BaseWordsOffset + 4 * static_cast<uint32_t>(Axis);
  return B.CreateAdd(sreg(Ids[Axis]), blockField(BaseOffset, B.getInt32Ty()));
}

Value *Lowering::groupId(uint64_t Axis) {
  if (Axis != 0 || Beside == 1)
    return blockId(Axis);
  Value *First = B.CreateMul(blockId(0), B.getInt32(Beside));
  return B.CreateAdd(First,
                     B.CreateUDiv(thread(0), B.getInt32(F.WorkgroupSize[0])));
}

Value *Lowering::groupCount(uint64_t Axis) {
  return blockField(Abi.countWordsOffset() + 4 * static_cast<uint32_t>(Axis),
                    B.getInt32Ty());
}

Value *Lowering::id(InstId I) {
  const Inst &N = F.Insts[I];
  uint64_t Axis = N.Imm;
  bool Shares = Axis == 0 && Beside > 1;
  Value *Width = B.getInt32(F.WorkgroupSize[Axis]);
  if (N.Opcode == Op::LocalId)
    return Shares ? B.CreateURem(thread(0), Width) : thread(Axis);
  if (N.Opcode == Op::NumWorkgroups)
    return groupCount(Axis);
  if (N.Opcode == Op::WorkgroupId)
    return groupId(Axis);
  Value *Threads = Shares ? B.getInt32(F.WorkgroupSize[0] * Beside) : Width;
  return B.CreateAdd(B.CreateMul(blockId(Axis), Threads), thread(Axis));
}

/// A group of one row is whole warps, or one warp of which the first are there.
Value *Lowering::lanes(InstId I) {
  const Inst &N = F.Insts[I];
  uint32_t Count = static_cast<uint32_t>(F.Insts[F.operand(I, 1)].Imm);
  uint32_t Items = F.WorkgroupSize[0];
  bool First = N.Opcode == Op::LaneFirst;
  Value *V = operand(I, 0);
  llvm::Type *T = V->getType();
  Value *Members = B.getInt32(Items < 32 ? (1u << Items) - 1 : ~0u);
  // The last operand: lanes of a segment in its upper half, the last lane that
  // may be read in its lower one.
  Value *Clamp = B.getInt32(First ? (32 - Count) << 8 | 0x1f : 0x1f);
  V = B.CreateIntrinsic(B.getInt32Ty(),
                        First ? Intrinsic::nvvm_shfl_sync_idx_i32
                              : Intrinsic::nvvm_shfl_sync_bfly_i32,
                        {Members, B.CreateBitCast(V, B.getInt32Ty()),
                         B.getInt32(First ? 0 : Count), Clamp});
  return B.CreateBitCast(V, T);
}

// --- Integers

Value *Lowering::arithmetic(InstId I) {
  ValueId First = F.operand(I, 0);
  Value *X = get(First);
  Value *Y = F.Insts[I].NumOperands > 1 ? operand(I, 1) : nullptr;
  bool Signed = isSigned(First);
  switch (F.Insts[I].Opcode) {
  case Op::Add:
    return B.CreateAdd(X, Y);
  case Op::Sub:
    return B.CreateSub(X, Y);
  case Op::Mul:
    return B.CreateMul(X, Y);
  case Op::Neg:
    return B.CreateNeg(X);
  case Op::And:
    return B.CreateAnd(X, Y);
  case Op::Or:
    return B.CreateOr(X, Y);
  case Op::Xor:
    return B.CreateXor(X, Y);
  case Op::Not:
    return B.CreateNot(X);
  case Op::Min:
    return B.CreateBinaryIntrinsic(Signed ? Intrinsic::smin : Intrinsic::umin,
                                   X, Y);
  case Op::Max:
    return B.CreateBinaryIntrinsic(Signed ? Intrinsic::smax : Intrinsic::umax,
                                   X, Y);
  default:
    return nullptr;
  }
}

static Intrinsic::ID mulHi(TypeId T) {
  return T == types::I32   ? Intrinsic::nvvm_mulhi_i
         : T == types::U32 ? Intrinsic::nvvm_mulhi_ui
         : T == types::I64 ? Intrinsic::nvvm_mulhi_ll
                           : Intrinsic::nvvm_mulhi_ull;
}

Value *Lowering::bitOperation(InstId I) {
  Value *X = operand(I, 0);
  llvm::Type *T = X->getType(), *Count = B.getInt32Ty();
  switch (F.Insts[I].Opcode) {
  case Op::CountOnes:
    return B.CreateTrunc(B.CreateUnaryIntrinsic(Intrinsic::ctpop, X), Count);
  case Op::LeadingZeros:
    return B.CreateTrunc(
        B.CreateBinaryIntrinsic(Intrinsic::ctlz, X, B.getFalse()), Count);
  case Op::TrailingZeros:
    return B.CreateTrunc(
        B.CreateBinaryIntrinsic(Intrinsic::cttz, X, B.getFalse()), Count);
  case Op::ReverseBits:
    return B.CreateUnaryIntrinsic(Intrinsic::bitreverse, X);
  case Op::RotateLeft:
    return B.CreateIntrinsic(T, Intrinsic::fshl, {X, X, operand(I, 1)});
  case Op::RotateRight:
    return B.CreateIntrinsic(T, Intrinsic::fshr, {X, X, operand(I, 1)});
  case Op::MulHi:
    return B.CreateIntrinsic(T, mulHi(F.typeOf(F.operand(I, 0))),
                             {X, operand(I, 1)});
  default:
    return nullptr;
  }
}

Value *Lowering::shift(InstId I) {
  Value *X = operand(I, 0), *Y = operand(I, 1);
  bool Signed = isSigned(F.operand(I, 0));
  switch (F.Insts[I].Opcode) {
  case Op::RawDiv:
    return Signed ? B.CreateSDiv(X, Y) : B.CreateUDiv(X, Y);
  case Op::RawRem:
    return Signed ? B.CreateSRem(X, Y) : B.CreateURem(X, Y);
  case Op::RawShl:
    return B.CreateShl(X, Y);
  default:
    return Signed ? B.CreateAShr(X, Y) : B.CreateLShr(X, Y);
  }
}

static CmpInst::Predicate predicate(Op O, bool Signed) {
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

Value *Lowering::compare(InstId I) {
  Op O = F.Insts[I].Opcode;
  ValueId X = F.operand(I, 0), Y = F.operand(I, 1);
  if (isFloat(X))
    return Float.compare(O, get(X), get(Y));
  return B.CreateICmp(predicate(O, isSigned(X)), get(X), get(Y));
}

// --- Floats and conversions

Value *Lowering::floatArithmetic(InstId I) {
  SmallVector<Value *, 3> Args;
  for (ValueId V : F.operands(I))
    Args.push_back(get(V));
  return Float.operation(F.Insts[I].Opcode, Args);
}

Value *Lowering::cast(InstId I) {
  TypeId To = F.Insts[I].Type, From = F.typeOf(F.operand(I, 0));
  Value *X = operand(I, 0);
  if (From == types::F32)
    return Float.toInteger(X, M.Types.isSigned(To));
  bool Signed = M.Types.isSigned(From);
  if (To == types::F32)
    return Signed ? B.CreateSIToFP(X, B.getFloatTy())
                  : B.CreateUIToFP(X, B.getFloatTy());
  return Signed ? B.CreateSExtOrTrunc(X, type(To))
                : B.CreateZExtOrTrunc(X, type(To));
}

/// A choice of what it compares, one a normal number: equal ones then have
/// equal bits, and a subnormal is on the side of zero. Where a NaN's bits
/// matter legalise asks for it in the condition.
Value *Lowering::extreme(InstId I) {
  InstId Condition = F.operand(I, 0);
  Op O = F.Insts[Condition].Opcode;
  if (!isOrder(O) || !isFloat(F.operand(I, 1)))
    return nullptr;
  ValueId X = F.operand(Condition, 0), Y = F.operand(Condition, 1);
  bool Greater = O == Op::Gt || O == Op::Ge;
  if (isNormal(X)) {
    std::swap(X, Y);
    Greater = !Greater;
  }
  // Of X and Y, now a number, the choice is X if `Greater` and so on, or else
  // Y.
  if (!isNormal(Y))
    return nullptr;
  auto Is = [&](ValueId V, unsigned Arm) {
    ValueId Chosen = F.operand(I, Arm);
    return V == Chosen || (isNormal(V) && F.isConst(Chosen) &&
                           F.Insts[V].Imm == F.Insts[Chosen].Imm);
  };
  if (Is(X, 1) && Is(Y, 2))
    return Float.extreme(Greater, /*OfNan=*/false, get(X), get(Y));
  if (Is(Y, 1) && Is(X, 2))
    return Float.extreme(!Greater, /*OfNan=*/true, get(X), get(Y));
  return nullptr;
}

/// A constant that is neither zero nor subnormal, infinite or a NaN.
bool Lowering::isNormal(ValueId V) const {
  uint32_t Exponent = static_cast<uint32_t>(F.Insts[V].Imm) >> 23 & 0xff;
  return F.isConst(V) && isFloat(V) && Exponent != 0 && Exponent != 255;
}

/// A float by its bits if an arm is a constant: ptxas makes a conversion of the
/// condition out of `selp.f32` of -0.0 and -1.0, whose zero has lost its sign,
/// and folds comparisons of the result without their flush.
Value *Lowering::select(InstId I) {
  if (Value *Extreme = extreme(I))
    return Extreme;
  Value *Condition = operand(I, 0), *A = operand(I, 1), *C = operand(I, 2);
  bool Known = F.isConst(F.operand(I, 1)) || F.isConst(F.operand(I, 2));
  if (!Known || !isFloat(F.operand(I, 1)))
    return B.CreateSelect(Condition, A, C);
  llvm::Type *Word = B.getInt32Ty();
  return Float.fromBits(B.CreateSelect(Condition, B.CreateBitCast(A, Word),
                                       B.CreateBitCast(C, Word)));
}

Value *Lowering::canonNan(Value *X) {
  Value *Bits = B.CreateBitCast(X, B.getInt32Ty());
  Value *Nan = Float.compare(Op::Ne, X, X);
  Value *Canonical = B.CreateSelect(Nan, B.getInt32(0x7fc00000u), Bits);
  return Float.fromBits(Canonical);
}

Value *Lowering::flush(Value *X) {
  Value *Bits = B.CreateBitCast(X, B.getInt32Ty());
  Value *Exponent = B.CreateAnd(Bits, B.getInt32(0x7f800000u));
  Value *Sign = B.CreateAnd(Bits, B.getInt32(0x80000000u));
  Value *Tiny = B.CreateICmpEQ(Exponent, B.getInt32(0));
  return Float.fromBits(B.CreateSelect(Tiny, Sign, Bits));
}

} // namespace goldy::ptx
