//===- LowerMemory.cpp - Places, loads, stores, atomics -------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A guard is a branch around the access: an address that is out of range is
// never formed into a load. Atomics are relaxed (monotonic): LLVM's NVPTX
// selects them as they are, and the barrier orders the rest.
//
//===----------------------------------------------------------------------===//
#include "Lower.h"
#include "goldyc/IR/VectorMemory.h"
#include "goldyc/Target/TensorLayout.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

#include <numeric>

using namespace llvm;

namespace goldy::ptx {

/// How a value lies in memory; bool is a 32-bit word there.
llvm::Type *Lowering::memoryType(TypeId T) {
  if (M.Types.kind(T) == TypeKind::Vector)
    return type(T);
  return T == types::F32 ? B.getFloatTy() : B.getIntNTy(M.Types.bits(T));
}

/// What every address of the place is a multiple of: of where its base starts,
/// and of the steps from there.
Align Lowering::alignOf(const Place &P, const FlatPlace &Flat) {
  uint64_t By = M.Types.layout(P.Type).Align;
  bool Buffer = P.Base.Kind == BaseKind::Param &&
                F.Params[P.Base.Index].Kind == ParamKind::Buffer;
  if (Buffer && movesWhole(M.Types, F.Params[P.Base.Index].Type))
    By = M.Types.layout(F.Params[P.Base.Index].Type).Size;
  else if (P.Base.Kind == BaseKind::Workgroup ||
           (P.Base.Kind == BaseKind::Param && !Buffer))
    By = WideAlign;
  uint64_t Constant = Flat.Constant;
  for (const FlatPlace::Term &T : Flat.Terms)
    if (F.isConst(T.Index))
      Constant += F.Insts[T.Index].Imm * T.Stride;
    else
      By = std::gcd(By, T.Stride);
  return Align(std::gcd(By, Constant));
}

Value *Lowering::fromMemory(TypeId T, Value *V) {
  if (T == types::Bool)
    return B.CreateICmpNE(V, B.getInt32(0));
  if (!M.Types.isStorageOnly(T))
    return V;
  return M.Types.isSigned(T) ? B.CreateSExt(V, B.getInt32Ty())
                             : B.CreateZExt(V, B.getInt32Ty());
}

Value *Lowering::toMemory(TypeId T, Value *V) {
  if (T == types::Bool)
    return B.CreateZExt(V, B.getInt32Ty());
  return M.Types.isStorageOnly(T) ? B.CreateTrunc(V, memoryType(T)) : V;
}

/// Read once, where the kernel begins: an address in the block that LLVM joins
/// from several places is no longer one that PTX 7.0 can name.
Value *Lowering::blockField(uint32_t Offset, llvm::Type *T) {
  Value *&Known = BlockFields[{Offset, T}];
  if (Known)
    return Known;
  IRBuilder<>::InsertPointGuard Restore(B);
  if (Instruction *End = Kernel->getEntryBlock().getTerminator())
    B.SetInsertPoint(End);
  Value *At = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Block, Offset);
  bool Wide = T->isPointerTy() || T->isIntegerTy(64);
  Known = B.CreateAlignedLoad(T, At, Align(Wide ? 8 : 4));
  return Known;
}

Value *Lowering::base(const Place &P) {
  switch (P.Base.Kind) {
  case BaseKind::Param:
    return blockField(Abi.Params[P.Base.Index].Offset,
                      PointerType::get(B.getContext(), Global));
  case BaseKind::Workgroup:
    return Arrays[WorkgroupId(P.Base.Index)];
  case BaseKind::Slot:
    return Slots[SlotId(P.Base.Index)];
  case BaseKind::Table:
    return table(TableId(P.Base.Index));
  }
  llvm_unreachable("all bases are covered");
}

Value *Lowering::table(TableId T) {
  if (Value *Known = Tables[T])
    return Known;
  const ConstTable &C = M.Tables[T];
  bool Wide = M.Types.bits(M.Types[C.Type].Element) == 64;
  SmallVector<uint32_t, 64> Words(C.Bits.begin(), C.Bits.end());
  Constant *Init =
      Wide ? ConstantDataArray::get(B.getContext(), ArrayRef(C.Bits))
           : ConstantDataArray::get(B.getContext(), ArrayRef(Words));
  // Names that LLVM makes unique hold a `.`, which PTX does not take.
  GlobalVariable *G = new GlobalVariable(
      Out, Init->getType(), /*isConstant=*/true, GlobalValue::InternalLinkage,
      Init, "table_" + Twine(T.index()), nullptr, GlobalValue::NotThreadLocal,
      Global);
  G->setAlignment(Align(Wide ? 8 : 4));
  Tables.set(T, G);
  return G;
}

/// Indices that differ by a constant give addresses that do, which instructions
/// take as they are. Locals are left for LLVM to promote. Indices are in range,
/// and addresses of shared memory have 32 bits.
Lowering::Address Lowering::address(const Place &P, InstId At) {
  FlatPlace Flat = flatten(M, F, P);
  Align By = alignOf(P, Flat);
  Value *Pointer = base(P);
  llvm::Type *Byte = B.getInt8Ty();
  llvm::Type *Wide =
      P.Base.Kind == BaseKind::Workgroup ? B.getInt32Ty() : B.getInt64Ty();
  for (const FlatPlace::Term &T : Flat.Terms) {
    RelativeIndex R{T.Index};
    if (P.Base.Kind != BaseKind::Slot)
      R = Indices.of(T.Index, At);
    Flat.Constant += static_cast<uint64_t>(R.Distance) * T.Stride;
    Value *Index = B.CreateZExt(get(R.Base), Wide);
    Value *Bytes = B.CreateMul(Index, ConstantInt::get(Wide, T.Stride));
    Pointer = B.CreateGEP(Byte, Pointer, Bytes);
  }
  if (Flat.Constant != 0)
    Pointer = B.CreateGEP(Byte, Pointer, ConstantInt::get(Wide, Flat.Constant));
  return {Pointer, By};
}

template <class Fn> Value *Lowering::guarded(InstId I, llvm::Type *T, Fn Body) {
  ValueId Guard = F.guard(I);
  if (!Guard)
    return Body();
  BasicBlock *From = B.GetInsertBlock();
  BasicBlock *Inside = newBlock("access"), *After = newBlock("after");
  B.CreateCondBr(get(Guard), Inside, After);
  B.SetInsertPoint(Inside);
  Value *Result = Body();
  BasicBlock *Last = B.GetInsertBlock();
  B.CreateBr(After);
  B.SetInsertPoint(After);
  if (T->isVoidTy())
    return Result;
  PHINode *Phi = B.CreatePHI(T, 2);
  Phi->addIncoming(Result, Last);
  Phi->addIncoming(Constant::getNullValue(T), From);
  return Phi;
}

/// Locals hold the bits of floats: where LLVM makes a choice of two constants
/// out of them, it is one of integers (see Lowering::select).
bool Lowering::isPrivateFloat(const Place &P) const {
  return P.Base.Kind == BaseKind::Slot && P.Type == types::F32;
}

/// Nothing writes a uniform block during a launch, so what is at a constant
/// place is read once, where the kernel begins: all such words together, which
/// the backend joins. Null where the place is another, or for too many words.
Value *Lowering::uniformWord(const Place &P) {
  constexpr size_t MostWords = 32;
  if (P.Base.Kind != BaseKind::Param ||
      F.Params[P.Base.Index].Kind != ParamKind::Uniform)
    return nullptr;
  FlatPlace Flat = flatten(M, F, P);
  uint64_t Offset = Flat.Constant;
  for (const FlatPlace::Term &T : Flat.Terms) {
    if (!F.isConst(T.Index))
      return nullptr;
    Offset += F.Insts[T.Index].Imm * T.Stride;
  }
  std::map<std::pair<uint32_t, uint64_t>, Value *>::iterator Known =
      UniformWords.find({P.Base.Index, Offset});
  if (Known != UniformWords.end())
    return Known->second;
  if (UniformWords.size() >= MostWords)
    return nullptr;
  Value *Base = base(P);
  IRBuilder<>::InsertPointGuard Restore(B);
  B.SetInsertPoint(Kernel->getEntryBlock().getTerminator());
  Value *At = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Base, Offset);
  LoadInst *Word =
      B.CreateAlignedLoad(memoryType(P.Type), At, alignOf(P, Flat));
  Word->setMetadata(LLVMContext::MD_invariant_load,
                    MDNode::get(B.getContext(), {}));
  return UniformWords[{P.Base.Index, Offset}] = fromMemory(P.Type, Word);
}

Value *Lowering::load(InstId I) {
  const Place &P = F.Places[F.Insts[I].Where];
  if (!F.guard(I))
    if (Value *Word = uniformWord(P))
      return Word;
  return guarded(I, type(F.Insts[I].Type), [&]() -> Value * {
    Address A = address(P, I);
    if (isPrivateFloat(P))
      return Float.fromBits(
          B.CreateAlignedLoad(B.getInt32Ty(), A.Pointer, A.By));
    return fromMemory(P.Type,
                      B.CreateAlignedLoad(memoryType(P.Type), A.Pointer, A.By));
  });
}

void Lowering::store(InstId I) {
  const Place &P = F.Places[F.Insts[I].Where];
  Value *V = operand(I, 0);
  guarded(I, B.getVoidTy(), [&]() -> Value * {
    Address A = address(P, I);
    if (isPrivateFloat(P))
      return B.CreateAlignedStore(B.CreateBitCast(V, B.getInt32Ty()), A.Pointer,
                                  A.By);
    return B.CreateAlignedStore(toMemory(P.Type, V), A.Pointer, A.By);
  });
}

static AtomicRMWInst::BinOp atomicOperation(Op O, TypeId T) {
  switch (O) {
  case Op::AtomicAdd:
    return AtomicRMWInst::Add;
  case Op::AtomicMin:
    return T == types::I32 ? AtomicRMWInst::Min : AtomicRMWInst::UMin;
  case Op::AtomicMax:
    return T == types::I32 ? AtomicRMWInst::Max : AtomicRMWInst::UMax;
  case Op::AtomicAnd:
    return AtomicRMWInst::And;
  case Op::AtomicOr:
    return AtomicRMWInst::Or;
  case Op::AtomicXor:
    return AtomicRMWInst::Xor;
  default:
    return AtomicRMWInst::Xchg;
  }
}

/// Compare-exchange on the word until nobody came between: the instruction
/// makes other NaNs than the language, and keeps subnormals in shared memory.
Value *Lowering::atomicFloatAdd(Value *Pointer, Value *Addend) {
  AtomicOrdering Relaxed = AtomicOrdering::Monotonic;
  LoadInst *First = B.CreateAlignedLoad(B.getInt32Ty(), Pointer, Align(4));
  First->setAtomic(Relaxed);
  BasicBlock *From = B.GetInsertBlock();
  BasicBlock *Try = newBlock("add"), *Done = newBlock("added");
  B.CreateBr(Try);
  B.SetInsertPoint(Try);
  PHINode *Old = B.CreatePHI(B.getInt32Ty(), 2);
  Value *Sum = Float.operation(Op::Add, {Float.fromBits(Old), Addend});
  Value *New = B.CreateBitCast(canonNan(Sum), B.getInt32Ty());
  Value *Pair =
      B.CreateAtomicCmpXchg(Pointer, Old, New, Align(4), Relaxed, Relaxed);
  Old->addIncoming(First, From);
  Old->addIncoming(B.CreateExtractValue(Pair, 0), Try);
  B.CreateCondBr(B.CreateExtractValue(Pair, 1), Done, Try);
  B.SetInsertPoint(Done);
  return Float.fromBits(Old);
}

Value *Lowering::atomicUpdate(InstId I, Value *Pointer) {
  const Inst &N = F.Insts[I];
  TypeId T = F.Places[N.Where].Type;
  AtomicOrdering Relaxed = AtomicOrdering::Monotonic;
  if (N.Opcode == Op::AtomicLoad) {
    LoadInst *L = B.CreateAlignedLoad(memoryType(T), Pointer, Align(4));
    L->setAtomic(Relaxed);
    return L;
  }
  if (N.Opcode == Op::AtomicStore) {
    StoreInst *S = B.CreateAlignedStore(operand(I, 0), Pointer, Align(4));
    S->setAtomic(Relaxed);
    return S;
  }
  if (N.Opcode == Op::AtomicCompareExchange)
    return B.CreateExtractValue(B.CreateAtomicCmpXchg(Pointer, operand(I, 0),
                                                      operand(I, 1), Align(4),
                                                      Relaxed, Relaxed),
                                0);
  if (T == types::F32)
    return atomicFloatAdd(Pointer, operand(I, 0));
  return B.CreateAtomicRMW(atomicOperation(N.Opcode, T), Pointer, operand(I, 0),
                           Align(4), Relaxed);
}

Value *Lowering::atomic(InstId I) {
  const Inst &N = F.Insts[I];
  llvm::Type *T = N.Opcode == Op::AtomicStore ? B.getVoidTy() : type(N.Type);
  return guarded(I, T, [&]() -> Value * {
    return atomicUpdate(I, address(F.Places[N.Where], I).Pointer);
  });
}

/// An image's extents stand behind its address in the block.
Value *Lowering::imageExtent(InstId I) {
  const Inst &Ref = F.Insts[F.operand(I, 0)];
  const PlaceBase &Base = F.Places[Ref.Where].Base;
  uint32_t Axis = static_cast<uint32_t>(F.Insts[F.operand(I, 1)].Imm);
  return blockField(Abi.Params[Base.Index].Offset + 8 + 4 * Axis,
                    B.getInt32Ty());
}

/// A buffer's length stands behind its address in the block.
Value *Lowering::length(InstId I) {
  const PlaceBase &Base = F.Places[F.Insts[I].Where].Base;
  if (Base.Kind != BaseKind::Param)
    return B.getInt32(M.Types.memberCount(baseType(M, F, Base)));
  return blockField(Abi.Params[Base.Index].Offset + 8, B.getInt32Ty());
}

/// Layouts do not change during a launch: their words may come from any cache
/// and be read anywhere.
Value *Lowering::layoutFact(InstId I) {
  if (F.Insts[I].Opcode == Op::TensorOffset)
    return blockField(Abi.Params[tensorParam(F, I)].Offset +
                          TensorOffsetInEntry,
                      B.getInt32Ty());
  Value *Table = blockField(Abi.LayoutTableOffset,
                            PointerType::get(B.getContext(), Global));
  LoadInst *Word = B.CreateAlignedLoad(
      B.getInt32Ty(),
      B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Table, layoutByte(F, I)),
      Align(4));
  Word->setMetadata(LLVMContext::MD_invariant_load,
                    MDNode::get(B.getContext(), {}));
  return Word;
}

} // namespace goldy::ptx
