//===- EmitMemory.cpp - Loads and stores over lanes
//-------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// *Wrapping indices.* Indices are u32 and wrap; addresses are 64-bit. Lanes
// first, first + 1, … are neighbours in memory unless the index wraps inside
// the vector. A vector that starts at a multiple of W cannot. Where all lanes
// access, none can, since 2^32 - 1 is never in range. Else `x[i - 1]` at i = 0
// is the case to get right: a test that is never taken leads to two masked
// accesses, before and after the wrap. Workgroup and private arrays are far
// smaller than 2^31 elements: there the lanes before the wrap are out of
// range, and a signed index gives the right address of the others. Levels
// without masked moves take such lanes one by one, each at its own address.
//
// *Masks.* Accesses under a guard test for "all lanes" first: masked ones are
// slow on many machines even with a full mask, loads too (measured: a third of
// the bandwidth).
//
// *Narrow elements.* Loads and stores of 8 and 16 bits touch their own bytes
// only. Gathers: no machine has them for less than 32 bits. AVX-512 gathers the
// aligned word around each element, which is in the same page whatever lies
// behind the buffer's end; elsewhere the lanes are taken one by one.
//
//===----------------------------------------------------------------------===//
#include "Emitter.h"
#include "NearAddresses.h"
#include "SplitRegisters.h"

#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/MDBuilder.h"

using namespace goldy;
using namespace llvm;

// --- Types in memory

llvm::Type *HostEmitter::memoryType(TypeId T) {
  return T == types::F32 ? F32 : B.getIntNTy(M.Types.bits(T));
}
llvm::Type *HostEmitter::memoryVector(TypeId T) {
  return FixedVectorType::get(memoryType(T), W);
}
Align HostEmitter::memoryAlign(TypeId T) {
  return Align(M.Types.layout(T).Align);
}
int64_t HostEmitter::memorySize(TypeId T) {
  return static_cast<int64_t>(M.Types.layout(T).Size);
}

Value *HostEmitter::fromMemory(TypeId T, Value *V) {
  if (M.Types.isStorageOnly(T)) {
    llvm::Type *Wide = V->getType()->isVectorTy() ? I32Vec : I32;
    return M.Types.isSigned(T) ? B.CreateSExt(V, Wide) : B.CreateZExt(V, Wide);
  }
  if (!isBool(T))
    return V;
  Value *R = B.CreateICmpNE(V, llvm::Constant::getNullValue(V->getType()));
  return V->getType()->isVectorTy() ? asMask(R) : R;
}

Value *HostEmitter::toMemory(TypeId T, Value *V) {
  bool Vector = V->getType()->isVectorTy();
  if (M.Types.isStorageOnly(T))
    return B.CreateTrunc(V, Vector ? memoryVector(T) : memoryType(T));
  if (!isBool(T))
    return V;
  return B.CreateZExt(Vector ? asI1(V) : V, Vector ? I32Vec : I32);
}

GlobalVariable *HostEmitter::table(uint32_t Index) {
  GlobalVariable *&G = Tables[Index];
  if (G)
    return G;
  const ConstTable &T = M.Tables[TableId(Index)];
  bool Wide = M.Types.bits(M.Types[T.Type].Element) == 64;
  SmallVector<uint32_t, 64> Words(T.Bits.begin(), T.Bits.end());
  llvm::Constant *Data = Wide ? ConstantDataArray::get(C, ArrayRef(T.Bits))
                              : ConstantDataArray::get(C, ArrayRef(Words));
  G = new GlobalVariable(LM, Data->getType(), true, GlobalValue::PrivateLinkage,
                         Data, "table");
  G->setAlignment(Align(64));
  return G;
}

Value *HostEmitter::slotStorage(SlotId S) {
  noteSlot(S);
  TypeId T = F.Slots[S].Type;
  TypeId Part = T;
  while (M.Types.memberCount(Part))
    Part = M.Types.memberType(Part, 0); // arrays of arrays lie flat
  uint64_t Count = Part == T ? 0 : M.Types.layout(T).Size / memorySize(Part);
  bool Scalar = Shapes->OfSlot[S].isScalar();
  if (Count && Plan.ContextOfSlot[S].Bytes)
    return ArrayContext[S];
  if (auto Big = Layout.BigSlots.find(S.index()); Big != Layout.BigSlots.end())
    return B.CreateConstInBoundsGEP1_64(I8, Scratch, Big->second);
  bool Own = InRegion && hasRows() && Plan.SlotOfRow[S];
  if (Plan.ContextOfSlot[S].InRegisters)
    return homeOfSlot(S, valueType(T, Scalar));
  SideMap<Slot, AllocaInst *> &Map = Plan.GroupSlot[S] && !InRegion ? GroupSlots
                                     : Own ? Pass[Selected].Slots
                                           : VectorSlots;
  if (!Map[S]) {
    llvm::Type *Element = Count == 0 ? valueType(T, Scalar)
                          : Scalar   ? memoryType(Part)
                                     : memoryVector(Part);
    llvm::Type *Whole = Count ? ArrayType::get(Element, Count) : Element;
    Map.set(S, entryAlloca(Whole, F.Slots[S].Name));
    if (Count)
      Map[S]->setAlignment(Align(64));
    Map[S]->setMetadata(VariableMark, MDNode::get(C, {}));
  }
  return Map[S];
}

// --- Addresses

HostEmitter::Access HostEmitter::describe(InstId I) {
  const Inst &N = F.Insts[I];
  const Place &P = F.Places[N.Where];
  Access A;
  A.Inst = I;
  A.Kind = W == 1 ? LaneAccess::Broadcast : Plan.Access[I];
  A.Flat = flatten(M, F, P);
  A.Type = P.Type;
  A.Mask = Mask;
  switch (P.Base.Kind) {
  case BaseKind::Param:
    A.Base = ParamValues[P.Base.Index];
    A.Buffer = true;
    break;
  case BaseKind::Workgroup:
    A.Base = B.CreateConstInBoundsGEP1_64(I8, Scratch,
                                          Layout.WorkgroupArrays[P.Base.Index]);
    break;
  case BaseKind::Table:
    A.Base = table(P.Base.Index);
    break;
  case BaseKind::Slot:
    A.Base = slotStorage(SlotId(P.Base.Index));
    A.LaneArray = !Shapes->OfSlot[SlotId(P.Base.Index)].isScalar();
    break;
  }
  if (ValueId Guard = F.guard(I)) {
    if (Shapes->Value[Guard].isScalar()) {
      A.Guard = scalar(Guard);
    } else {
      A.Mask = andMask(A.Mask, vector(Guard));
      A.MaskVaries = true;
    }
  }
  return A;
}

Value *HostEmitter::firstAddress(const Access &A, bool SignExtend) {
  unsigned Scale = A.LaneArray ? W : 1;
  Value *Offset = B.getInt64(A.Flat.Constant * Scale);
  for (const FlatPlace::Term &T : A.Flat.Terms) {
    Value *Index = scalar(T.Index);
    bool Signed = SignExtend || !A.Buffer;
    Index = Signed ? B.CreateSExt(Index, I64) : B.CreateZExt(Index, I64);
    Offset =
        B.CreateAdd(Offset, B.CreateMul(Index, B.getInt64(T.Stride * Scale)));
  }
  return B.CreateGEP(I8, A.Base, Offset);
}

/// Byte offsets of small memory as <W x i32>.
Value *HostEmitter::laneOffsets32(const Access &A) {
  unsigned Scale = A.LaneArray ? W : 1;
  Value *Offset = A.LaneArray ? steps(memorySize(A.Type))
                              : llvm::Constant::getNullValue(I32Vec);
  Offset = B.CreateAdd(
      Offset,
      splat(B.getInt32(static_cast<uint32_t>(A.Flat.Constant * Scale))));
  for (const FlatPlace::Term &T : A.Flat.Terms)
    Offset =
        B.CreateAdd(Offset, B.CreateMul(vector(T.Index),
                                        splat(B.getInt32(static_cast<uint32_t>(
                                            T.Stride * Scale)))));
  return Offset;
}

/// Neighbours at a fixed distance: the index moves by one and cannot wrap.
bool HostEmitter::isRegular(const Access &A) {
  if (A.Kind != LaneAccess::Strided || A.LaneArray)
    return false;
  for (const FlatPlace::Term &T : A.Flat.Terms) {
    LaneValue V = Shapes->Value[T.Index];
    if (V.Shape == LaneShape::Strided &&
        (V.Stride != 1 || V.Align < W || T.Stride >= (1u << 24)))
      return false;
  }
  return true;
}

/// One pointer a lane; those of lanes that do not access may be anything.
Value *HostEmitter::laneAddresses(const Access &A) {
  if (isRegular(A)) {
    for (const FlatPlace::Term &T : A.Flat.Terms)
      if (Shapes->Value[T.Index].Shape == LaneShape::Strided)
        return B.CreateGEP(I8, firstAddress(A, false),
                           steps(static_cast<int64_t>(T.Stride)));
  }
  if (!A.Buffer)
    return B.CreateGEP(I8, A.Base, laneOffsets32(A));
  if (A.Flat.Terms.size() == 1 && A.Flat.Terms[0].Stride == 4) {
    // base + 4 * zext(i) = base + 2^33 + 4 * sext(i - 2^31): one instruction
    // gathers with 32-bit signed indices.
    Value *Index = B.CreateXor(vector(A.Flat.Terms[0].Index),
                               splat(B.getInt32(0x80000000u)));
    Value *Middle = B.CreateGEP(
        I8, A.Base, B.getInt64((uint64_t(1) << 33) + A.Flat.Constant));
    return B.CreateGEP(I32, Middle, B.CreateSExt(Index, I64Vec));
  }
  Value *Offset = B.CreateVectorSplat(W, B.getInt64(A.Flat.Constant));
  for (const FlatPlace::Term &T : A.Flat.Terms)
    Offset = B.CreateAdd(
        Offset, B.CreateMul(B.CreateZExt(vector(T.Index), I64Vec),
                            B.CreateVectorSplat(W, B.getInt64(T.Stride))));
  return B.CreateGEP(I8, A.Base, Offset);
}

/// A contiguous access whose index may wrap inside the vector.
bool HostEmitter::mayWrap(const Access &A) {
  if (!A.Buffer || !A.Mask)
    return false;
  for (const FlatPlace::Term &T : A.Flat.Terms) {
    LaneValue V = Shapes->Value[T.Index];
    if (V.Shape == LaneShape::Strided && V.Align < W)
      return true;
  }
  return false;
}

static ValueId movingIndex(const FlatPlace &Flat, const LanePlan &Plan) {
  for (const FlatPlace::Term &T : Flat.Terms)
    if (Plan.Vector.Value[T.Index].Shape == LaneShape::Strided)
      return T.Index;
  llvm_unreachable("a contiguous access has a moving index");
}

Value *HostEmitter::wraps(const Access &A) {
  Value *First = scalar(movingIndex(A.Flat, Plan));
  return B.CreateICmpUGT(First, B.getInt32(0u - W), "wraps");
}

/// Where lane 0 would be for the lanes whose index has wrapped: 2^32 elements
/// before its own place.
Value *HostEmitter::wrapped(const Access &A, Value *First) {
  ValueId Moving = movingIndex(A.Flat, Plan);
  uint64_t Stride = 0;
  for (const FlatPlace::Term &T : A.Flat.Terms)
    Stride += T.Index == Moving ? T.Stride : 0;
  return B.CreateGEP(I8, First, B.getInt64(uint64_t(0) - (Stride << 32)));
}

/// Lanes whose index has not wrapped yet.
Value *HostEmitter::lanesBeforeWrap(const Access &A) {
  Value *First = scalar(movingIndex(A.Flat, Plan));
  Value *Before = splat(B.CreateNeg(First)); // 2^32 - first
  return asMask(B.CreateICmpULT(steps(1), Before));
}

Value *HostEmitter::lastLane(Value *Lanes) {
  Value *Zeros =
      B.CreateBinaryIntrinsic(Intrinsic::ctlz, laneBits(Lanes), B.getTrue());
  unsigned Bits = Zeros->getType()->getIntegerBitWidth();
  Value *Lane =
      B.CreateSub(ConstantInt::get(Zeros->getType(), Bits - 1), Zeros);
  return B.CreateTrunc(Lane, I32);
}

// --- Slots

void HostEmitter::loadSlot(InstId I, SlotId S) {
  auto *Storage = cast<AllocaInst>(slotStorage(S));
  define(I, B.CreateLoad(Storage->getAllocatedType(), Storage));
}

void HostEmitter::storeSlot(InstId I, SlotId S) {
  if (OneItem && callMark(I, S))
    return;
  Value *Storage = slotStorage(S);
  ValueId V = F.operand(I, 0);
  if (Shapes->OfSlot[S].isScalar()) {
    B.CreateStore(scalar(V), Storage);
    return;
  }
  Value *New = vector(V);
  if (Mask && Shapes->Partial[I]) {
    Value *Old = B.CreateLoad(New->getType(), Storage);
    New = B.CreateSelect(asI1(Mask), New, Old);
  }
  B.CreateStore(New, Storage);
}

// --- Loads

void HostEmitter::load(InstId I) {
  if (SlotId S = F.wholeSlotOf(I)) {
    loadSlot(I, S);
    return;
  }
  Access A = describe(I);
  bool Scalar = Shapes->Value[I].isScalar();
  if (!A.Guard) {
    define(I, fromMemory(A.Type, Scalar ? loadBroadcast(A) : loadLanes(A)));
    return;
  }
  // A uniform guard is a branch around the access.
  BasicBlock *Before = B.GetInsertBlock();
  BasicBlock *Access = newBlock("load"), *Join = newBlock("loaded");
  B.CreateCondBr(A.Guard, Access, Join);
  B.SetInsertPoint(Access);
  Value *V = Scalar ? loadBroadcast(A) : loadLanes(A);
  BasicBlock *From = B.GetInsertBlock();
  B.CreateBr(Join);
  B.SetInsertPoint(Join);
  PHINode *Phi = B.CreatePHI(V->getType(), 2);
  Phi->addIncoming(V, From);
  Phi->addIncoming(llvm::Constant::getNullValue(V->getType()), Before);
  define(I, fromMemory(A.Type, Phi));
}

Value *HostEmitter::loadBroadcast(const Access &A) {
  return B.CreateAlignedLoad(memoryType(A.Type), firstAddress(A, false),
                             memoryAlign(A.Type));
}

Value *HostEmitter::loadLanes(const Access &A) {
  if (distanceOf(A.Inst))
    return loadStrided(A);
  if (A.Kind == LaneAccess::Gather || A.Kind == LaneAccess::Strided)
    return gather(A, A.Mask);
  if (A.Kind == LaneAccess::Contiguous && !A.LaneArray)
    return loadContiguous(A);
  if (A.Kind == LaneAccess::Contiguous)
    return gather(A, A.Mask);
  // Broadcast: a vector of a private array, or one scalar for lanes that have
  // a guard of their own.
  if (A.LaneArray && !A.MaskVaries)
    return B.CreateAlignedLoad(memoryVector(A.Type), firstAddress(A, false),
                               memoryAlign(A.Type));
  BasicBlock *Before = B.GetInsertBlock();
  BasicBlock *Some = newBlock("load"), *Join = newBlock("loaded");
  B.CreateCondBr(anyLane(A.Mask), Some, Join);
  B.SetInsertPoint(Some);
  Value *All = A.LaneArray ? B.CreateAlignedLoad(memoryVector(A.Type),
                                                 firstAddress(A, false),
                                                 memoryAlign(A.Type))
                           : splat(loadBroadcast(A));
  Value *V = B.CreateSelect(asI1(A.Mask), All,
                            llvm::Constant::getNullValue(All->getType()));
  B.CreateBr(Join);
  B.SetInsertPoint(Join);
  PHINode *Phi = B.CreatePHI(V->getType(), 2);
  Phi->addIncoming(V, Some);
  Phi->addIncoming(llvm::Constant::getNullValue(V->getType()), Before);
  return Phi;
}

Value *HostEmitter::loadPlain(const Access &A, Value *Address, Value *Lanes) {
  llvm::Type *T = memoryVector(A.Type);
  if (!Lanes)
    return B.CreateAlignedLoad(T, Address, memoryAlign(A.Type));
  return B.CreateMaskedLoad(T, Address, memoryAlign(A.Type), asI1(Lanes),
                            llvm::Constant::getNullValue(T));
}

/// Certainly in range, in a buffer that the chosen version has tested.
bool HostEmitter::isNear(const Access &A) const {
  return Chosen && A.Buffer && !A.Guard && !F.guard(A.Inst) &&
         llvm::is_contained(Chosen->Near,
                            F.Places[F.Insts[A.Inst].Where].Base.Index);
}

Value *HostEmitter::loadContiguous(const Access &A) {
  if (!A.Mask) {
    Value *V = loadPlain(A, firstAddress(A, false), nullptr);
    if (isNear(A))
      markNear(*cast<LoadInst>(V));
    return V;
  }
  BasicBlock *Join = newBlock("loaded");
  std::vector<std::pair<Value *, BasicBlock *>> Paths;
  auto Path = [&](Value *V) {
    Paths.push_back({V, B.GetInsertBlock()});
    B.CreateBr(Join);
  };
  bool Masked = hasMaskedMoves(memoryVector(A.Type));
  if (Masked && mayWrap(A)) {
    BasicBlock *Cold = newBlock("wrapped"), *Hot = newBlock("load");
    B.CreateCondBr(wraps(A), Cold, Hot,
                   MDBuilder(C).createUnlikelyBranchWeights());
    B.SetInsertPoint(Cold);
    Value *Before = lanesBeforeWrap(A);
    Value *First = firstAddress(A, false);
    Value *V = loadPlain(A, First, andMask(A.Mask, Before));
    Value *U = loadPlain(A, wrapped(A, First), andNotMask(A.Mask, Before));
    Path(B.CreateSelect(asI1(Before), V, U));
    B.SetInsertPoint(Hot);
  }
  if (!Partial) {
    BasicBlock *All = newBlock("load.all"), *Some = newBlock("load.some");
    B.CreateCondBr(allLanes(A.Mask), All, Some);
    B.SetInsertPoint(All);
    Path(loadPlain(A, firstAddress(A, false), nullptr));
    B.SetInsertPoint(Some);
  }
  Value *V =
      Masked ? loadPlain(A, firstAddress(A, false), A.Mask) : gather(A, A.Mask);
  Path(V);
  B.SetInsertPoint(Join);
  PHINode *Phi = B.CreatePHI(V->getType(), static_cast<unsigned>(Paths.size()));
  for (const auto &[In, From] : Paths)
    Phi->addIncoming(In, From);
  return Phi;
}

/// AVX2's own gather: LLVM would make a branch a lane of a masked one.
/// Null if the address does not fit it.
Value *HostEmitter::maskedGather(const Access &A, Value *Lanes) {
  Value *Base = A.Base, *Index = nullptr;
  uint8_t Scale = 1;
  if (isRegular(A)) {
    for (const FlatPlace::Term &T : A.Flat.Terms)
      if (Shapes->Value[T.Index].Shape == LaneShape::Strided)
        Index = steps(static_cast<int64_t>(T.Stride));
    Base = firstAddress(A, false);
  } else if (!A.Buffer) {
    Index = laneOffsets32(A);
  } else if (A.Flat.Terms.size() == 1 && A.Flat.Terms[0].Stride == 4) {
    Index = B.CreateXor(vector(A.Flat.Terms[0].Index),
                        splat(B.getInt32(0x80000000u)));
    Base = B.CreateGEP(I8, A.Base,
                       B.getInt64((uint64_t(1) << 33) + A.Flat.Constant));
    Scale = 4;
  }
  if (!Index)
    return nullptr;
  return gatherRegisters(Base, Index,
                         B.CreateBitCast(Lanes, memoryVector(A.Type)), Scale);
}

/// One gather for each register of lanes.
Value *HostEmitter::gatherRegisters(Value *Base, Value *Index, Value *Lanes,
                                    uint8_t Scale) {
  auto *T = cast<FixedVectorType>(Lanes->getType());
  if (T->getNumElements() > 8) {
    auto [LowIndex, HighIndex] = halves(Index);
    auto [LowLanes, HighLanes] = halves(Lanes);
    Value *Low = gatherRegisters(Base, LowIndex, LowLanes, Scale);
    return together(Low, gatherRegisters(Base, HighIndex, HighLanes, Scale));
  }
  bool Float = T->getElementType()->isFloatTy();
  bool Whole = T->getNumElements() == 8;
  Intrinsic::ID Id = Whole   ? (Float ? Intrinsic::x86_avx2_gather_d_ps_256
                                      : Intrinsic::x86_avx2_gather_d_d_256)
                     : Float ? Intrinsic::x86_avx2_gather_d_ps
                             : Intrinsic::x86_avx2_gather_d_d;
  return B.CreateIntrinsic(
      Id, {},
      {llvm::Constant::getNullValue(T), Base, Index, Lanes, B.getInt8(Scale)});
}

Value *HostEmitter::gather(const Access &A, Value *Lanes) {
  llvm::Type *T = memoryVector(A.Type);
  if (Lanes && Level == 3 && T->getScalarSizeInBits() == 32)
    if (Value *V = maskedGather(A, Lanes))
      return V;
  if (Level >= 4 && M.Types.isStorageOnly(A.Type))
    return gatherWords(A, Lanes ? asI1(Lanes)
                                : llvm::Constant::getAllOnesValue(I1Vec));
  return gatherEach(T, laneAddresses(A), memoryAlign(A.Type), Lanes);
}

/// Narrow elements out of the aligned words that hold them.
Value *HostEmitter::gatherWords(const Access &A, Value *Which) {
  Value *At = B.CreatePtrToInt(laneAddresses(A), I64Vec);
  Value *Low = B.CreateAnd(At, ConstantInt::get(I64Vec, 3));
  Value *Words =
      B.CreateIntToPtr(B.CreateSub(At, Low), FixedVectorType::get(Ptr, W));
  Value *All = B.CreateMaskedGather(I32Vec, Words, Align(4), Which,
                                    llvm::Constant::getNullValue(I32Vec));
  Value *By =
      B.CreateTrunc(B.CreateShl(Low, ConstantInt::get(I64Vec, 3)), I32Vec);
  return B.CreateTrunc(B.CreateLShr(All, By), memoryVector(A.Type));
}

// --- Stores

void HostEmitter::store(InstId I) {
  if (SlotId S = F.wholeSlotOf(I)) {
    storeSlot(I, S);
    return;
  }
  Access A = describe(I);
  ValueId V = F.operand(I, 0);
  BasicBlock *Join = nullptr;
  if (A.Guard) {
    BasicBlock *Access = newBlock("store");
    Join = newBlock("stored");
    B.CreateCondBr(A.Guard, Access, Join);
    B.SetInsertPoint(Access);
  }
  if (A.Kind == LaneAccess::Broadcast && !A.LaneArray)
    storeBroadcast(A, V);
  else
    storeLanes(A, toMemory(A.Type, vector(V)));
  if (Join) {
    B.CreateBr(Join);
    B.SetInsertPoint(Join);
  }
}

/// All lanes write one place: the last one's value stays.
void HostEmitter::storeBroadcast(const Access &A, ValueId V) {
  BasicBlock *Join = nullptr;
  if (A.MaskVaries) {
    BasicBlock *Some = newBlock("store");
    Join = newBlock("stored");
    B.CreateCondBr(anyLane(A.Mask), Some, Join);
    B.SetInsertPoint(Some);
  }
  Value *One;
  if (Shapes->Value[V].Shape == LaneShape::Uniform) {
    One = toMemory(A.Type, scalar(V));
  } else {
    Value *Lane = A.Mask ? lastLane(A.Mask) : B.getInt32(W - 1);
    One = B.CreateExtractElement(toMemory(A.Type, vector(V)), Lane);
  }
  B.CreateAlignedStore(One, firstAddress(A, false), memoryAlign(A.Type));
  if (Join) {
    B.CreateBr(Join);
    B.SetInsertPoint(Join);
  }
}

void HostEmitter::storeLanes(const Access &A, Value *V) {
  if (A.Kind == LaneAccess::Broadcast)
    storeVector(A, V);
  else if (A.Kind == LaneAccess::Contiguous && !A.LaneArray)
    storeContiguous(A, V);
  else if (distanceOf(A.Inst))
    storeReversed(A, V);
  else
    scatter(A, V, A.Mask);
}

/// One element of a private array, for all lanes.
void HostEmitter::storeVector(const Access &A, Value *V) {
  Value *Address = firstAddress(A, false);
  if (A.Mask && (A.MaskVaries || Shapes->Partial[A.Inst])) {
    // Out of range for every lane: the address may be anything.
    BasicBlock *Some = newBlock("store"), *Join = newBlock("stored");
    B.CreateCondBr(anyLane(A.Mask), Some, Join);
    B.SetInsertPoint(Some);
    Value *Old =
        B.CreateAlignedLoad(V->getType(), Address, memoryAlign(A.Type));
    B.CreateAlignedStore(B.CreateSelect(asI1(A.Mask), V, Old), Address,
                         memoryAlign(A.Type));
    B.CreateBr(Join);
    B.SetInsertPoint(Join);
    return;
  }
  B.CreateAlignedStore(V, Address, memoryAlign(A.Type));
}

void HostEmitter::storeContiguous(const Access &A, Value *V) {
  if (!A.Mask) {
    B.CreateAlignedStore(V, firstAddress(A, false), memoryAlign(A.Type));
    return;
  }
  BasicBlock *Join = newBlock("stored");
  bool HasMasked = hasMaskedMoves(V->getType());
  auto Masked = [&](Value *Address, Value *Lanes) {
    B.CreateMaskedStore(V, Address, memoryAlign(A.Type), asI1(Lanes));
  };
  if (HasMasked && mayWrap(A)) {
    BasicBlock *Cold = newBlock("wrapped"), *Hot = newBlock("store");
    B.CreateCondBr(wraps(A), Cold, Hot,
                   MDBuilder(C).createUnlikelyBranchWeights());
    B.SetInsertPoint(Cold);
    Value *Before = lanesBeforeWrap(A);
    Value *First = firstAddress(A, false);
    Masked(First, andMask(A.Mask, Before));
    Masked(wrapped(A, First), andNotMask(A.Mask, Before));
    B.CreateBr(Join);
    B.SetInsertPoint(Hot);
  }
  if (!Partial) {
    BasicBlock *All = newBlock("store.all"), *Some = newBlock("store.some");
    B.CreateCondBr(allLanes(A.Mask), All, Some);
    B.SetInsertPoint(All);
    B.CreateAlignedStore(V, firstAddress(A, false), memoryAlign(A.Type));
    B.CreateBr(Join);
    B.SetInsertPoint(Some);
  }
  if (HasMasked)
    Masked(firstAddress(A, false), A.Mask);
  else
    scatter(A, V, A.Mask);
  B.CreateBr(Join);
  B.SetInsertPoint(Join);
}

void HostEmitter::scatter(const Access &A, Value *V, Value *Lanes) {
  scatterEach(V, laneAddresses(A), memoryAlign(A.Type), Lanes);
}
