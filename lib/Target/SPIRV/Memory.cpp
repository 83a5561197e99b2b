//===- Memory.cpp - Loads, stores, atomics, barriers
//-----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers: byte addresses in 64 bits, turned into a pointer to the scalar.
// Everything else: access chains. A guarded access is a selection around it;
// what a load gives without its guard is zero, by a phi.
//
// Accesses that a barrier must order are NonPrivatePointer; the barrier makes
// them available and visible in the group. Atomics are relaxed, at device
// scope in buffers and at workgroup scope in workgroup memory.
//
//===----------------------------------------------------------------------===//
#include "Emitter.h"

namespace goldy::spirv {

using enum spv::Op;

/// The legal form stores an element's four floats one after another; an image
/// takes them together, with the last.
Id Emitter::imageStore(InstId I) {
  const Inst &N = F.Insts[I];
  const Place &P = F.Places[N.Where];
  Id Variable = Images[P.Base.Index], Part = operand(I, 0);
  uint32_t Number = P.Path.size() == 3 ? P.Path[2].Member : 4;
  if (!Part || Number != Texel.size())
    return unsupported(I);
  Texel.push_back(Part);
  if (Texel.size() < 4)
    return Variable;
  Id Image = C.value(OpLoad, B.imageType(), {Variable});
  Id At = C.value(OpCompositeConstruct, B.vectorType(B.u32Type(), 2),
                  {imageIndex(P, 0), imageIndex(P, 1)});
  Id All = C.value(OpCompositeConstruct, B.vectorType(B.f32Type(), 4), Texel);
  Texel.clear();
  C.effect(OpImageWrite, {Image, At, All});
  return Variable;
}

Id Emitter::imageIndex(const Place &P, unsigned Axis) {
  ValueId Index = P.Path[Axis].Index;
  if (!Index)
    return B.u32(P.Path[Axis].Member);
  Id V = value(Index);
  return F.typeOf(Index) == types::I32 ? C.value(OpBitcast, B.u32Type(), {V})
                                       : V;
}

Id Emitter::memory(InstId I) {
  if (isImageStore(I) && Texel.size() < 3)
    return imageStore(I);
  ValueId Guard = F.guard(I);
  if (!Guard)
    return unguarded(I);
  const Inst &N = F.Insts[I];
  Id Condition = value(Guard);
  if (!Condition)
    return 0;
  Id Before = C.block(), Then = B.newId(), Merge = B.newId();
  C.selectionMerge(Merge);
  C.branchIf(Condition, Then, Merge);
  C.label(Then);
  Id Result = unguarded(I);
  Id Last = C.block();
  C.branch(Merge);
  C.label(Merge);
  if (!Result || N.Type == types::Void)
    return Result;
  Id Type = typeId(N.Type, N.Loc);
  return C.value(OpPhi, Type, {Result, Last, B.null(Type), Before});
}

/// The access itself. Gives its value, or any non-zero id when it has none.
Id Emitter::unguarded(InstId I) {
  const Inst &N = F.Insts[I];
  if (isImageStore(I))
    return imageStore(I);
  Address A = address(I);
  if (!A.Pointer)
    return 0;
  for (ValueId V : F.arguments(I))
    if (!value(V))
      return 0;
  if (N.Opcode == Op::Load || N.Opcode == Op::WorkgroupUniformLoad)
    return loadFrom(A);
  if (N.Opcode == Op::Store) {
    storeTo(A, operand(I, 0));
    return A.Pointer;
  }
  return atomic(I, A);
}

Emitter::Address Emitter::address(InstId I) {
  const Place &P = F.Places[F.Insts[I].Where];
  if (!M.Types.isScalar(P.Type) && !M.Types.isStorageOnly(P.Type) &&
      !isVector(P.Type)) {
    unsupportedType(P.Type, F.Insts[I].Loc);
    return {};
  }
  for (const PathElement &E : P.Path)
    if (E.isDynamic() && !value(E.Index))
      return {};
  if (P.Base.Kind != BaseKind::Param)
    return chainAddress(I, P);
  return InWords ? wordAddress(I, P) : byteAddress(I, P);
}

/// NVIDIA's compiler (580.159) makes quiet ones of those that are literals of a
/// float type.
bool Emitter::isSignallingNan(TypeId T, uint64_t Bits) {
  return T == types::F32 && (Bits & 0x7fc00000u) == 0x7f800000u &&
         (Bits & 0x003fffffu) != 0;
}

/// Whether an f32 in a buffer is accessed as an integer: atomics, and bits that
/// never are a float on their way. NVIDIA's compiler (580.159) makes a float
/// negation of an integer one between two casts, and that flushes subnormals.
bool Emitter::wantsWord(InstId I) const {
  Op O = F.Insts[I].Opcode;
  if (O == Op::Load)
    return LoadsForBits[I];
  if (O == Op::Store) {
    const Inst &Stored = F.Insts[F.operand(I, 0)];
    return Stored.Opcode == Op::FromBits ||
           (Stored.Opcode == Op::Const &&
            isSignallingNan(Stored.Type, Stored.Imm));
  }
  return isAtomic(O);
}

/// base + constant + Σ index * stride, modulo 2^64.
Emitter::Address Emitter::byteAddress(InstId I, const Place &P) {
  Address A;
  A.Type = P.Type;
  if (P.Type == types::Bool)
    A.As = Form::BoolWord;
  else if (P.Type == types::F32 && wantsWord(I))
    A.As = Form::FloatWord;
  else if (M.Types.isStorageOnly(P.Type))
    A.As = Form::Narrow;
  A.Class = spv::StorageClass::PhysicalStorageBuffer;
  A.Stored = A.As == Form::Plain    ? typeId(P.Type, F.Insts[I].Loc)
             : A.As == Form::Narrow ? narrowType(P.Type)
                                    : B.u32Type();
  if (!A.Stored)
    return {};
  FlatPlace Flat = flatten(M, F, P);
  Id Long = B.u64Type(), At = bufferStart(P.Base.Index);
  for (const FlatPlace::Term &T : Flat.Terms) {
    Id Index = value(T.Index);
    if (F.typeOf(T.Index) == types::I32)
      Index = C.value(OpBitcast, B.u32Type(), {Index});
    Id Offset = binary(OpIMul, Long, C.value(OpUConvert, Long, {Index}),
                       B.u64(T.Stride));
    At = binary(OpIAdd, Long, At, Offset);
  }
  if (Flat.Constant)
    At = binary(OpIAdd, Long, At, B.u64(Flat.Constant));
  A.Pointer = C.value(OpConvertUToPtr, B.pointerType(A.Class, A.Stored), {At});
  return A;
}

Emitter::Address Emitter::chainAddress(InstId I, const Place &P) {
  Span Where = F.Insts[I].Loc;
  Address A;
  A.Type = P.Type;
  Words Chain;
  switch (P.Base.Kind) {
  case BaseKind::Workgroup:
    A.Class = spv::StorageClass::Workgroup;
    A.As = workgroupForm(P.Base.Index, P.Type);
    Chain = {WorkgroupVariables[WorkgroupId(P.Base.Index)]};
    break;
  case BaseKind::Table:
    A.Class = spv::StorageClass::Private;
    Chain = {tableVariable(TableId(P.Base.Index), Where)};
    break;
  default:
    Chain = {slotVariable(SlotId(P.Base.Index), Where)};
    break;
  }
  A.Stored = A.As == Form::Plain ? typeId(P.Type, Where) : B.u32Type();
  if (!Chain[0] || !A.Stored)
    return {};
  A.Pointer = Chain[0];
  if (P.Path.empty())
    return A;
  for (const PathElement &E : P.Path)
    Chain.push_back(E.isDynamic() ? value(E.Index) : B.u32(E.Member));
  A.Pointer = C.value(OpAccessChain, B.pointerType(A.Class, A.Stored), Chain);
  return A;
}

Id Emitter::slotVariable(SlotId S, Span Where) {
  if (Id Known = SlotVariables[S])
    return Known;
  Id Type = typeId(F.Slots[S].Type, Where);
  if (!Type)
    return 0;
  Id Variable = C.variable(Type);
  B.name(Variable, F.Slots[S].Name);
  SlotVariables.set(S, Variable);
  return Variable;
}

/// A constant table is a private variable that starts as the table.
Id Emitter::tableVariable(TableId T, Span Where) {
  if (Id Known = TableVariables[T])
    return Known;
  const ConstTable &Table = M.Tables[T];
  TypeId Element = M.Types[Table.Type].Element;
  Id Type = typeId(Table.Type, Where);
  if (!Type)
    return 0;
  constexpr size_t MostMembers = 0xffff - 3; // words of one instruction
  if (Table.Bits.size() > MostMembers || !M.Types.isScalar(Element))
    return unsupportedType(Table.Type, Where);
  Words Members;
  for (uint64_t Bits : Table.Bits)
    Members.push_back(constant(Element, Bits, Where));
  Id Variable =
      B.variable(spv::StorageClass::Private, Type, B.composite(Type, Members));
  B.name(Variable, Table.Name);
  TableVariables.set(T, Variable);
  return Variable;
}

Emitter::Form Emitter::workgroupForm(uint32_t Array, TypeId Element) const {
  if (Element == types::Bool)
    return Form::BoolWord;
  return FloatAsWords[WorkgroupId(Array)] ? Form::FloatWord : Form::Plain;
}

Id Emitter::narrowType(TypeId T) {
  bool Byte = M.Types.bits(T) == 8;
  (Byte ? HasBytes : HasShorts) = true;
  B.capability(Byte ? spv::Capability::StorageBuffer8BitAccess
                    : spv::Capability::StorageBuffer16BitAccess);
  return B.intType(M.Types.bits(T), false);
}

Id Emitter::toStored(const Address &A, Id V) {
  switch (A.As) {
  case Form::BoolWord:
    return asWord(V);
  case Form::FloatWord:
  case Form::IntWord:
    return bits(V);
  case Form::Narrow:
    return C.value(OpUConvert, A.Stored, {V});
  case Form::PartOfWord:
  case Form::TwoWords:
  case Form::Plain:
    break;
  }
  return V;
}

Id Emitter::fromStored(const Address &A, Id V) {
  switch (A.As) {
  case Form::BoolWord:
    return asBool(V);
  case Form::FloatWord:
    return fromBits(V);
  case Form::IntWord:
    return C.value(OpBitcast, B.intType(32, true), {V});
  case Form::PartOfWord:
  case Form::TwoWords:
    break;
  case Form::Narrow:
    return M.Types.isSigned(A.Type)
               ? C.value(OpSConvert, B.intType(32, true), {V})
               : C.value(OpUConvert, B.u32Type(), {V});
  case Form::Plain:
    break;
  }
  return V;
}

Words Emitter::accessOperands(const Address &A) const {
  constexpr uint32_t Aligned = 0x2, NonPrivate = 0x20;
  if (A.Class == spv::StorageClass::Workgroup)
    return InWords ? Words{} : Words{NonPrivate};
  if (A.Class != spv::StorageClass::PhysicalStorageBuffer)
    return {};
  Layout L = M.Types.layout(A.Type); // vectors that move whole are aligned so
  uint64_t Align = isVector(A.Type) ? L.Size : L.Align;
  return {Aligned | (HasBarrier && WritesBuffer ? NonPrivate : 0),
          static_cast<uint32_t>(Align)};
}

Id Emitter::loadFrom(const Address &A) {
  if (A.As == Form::PartOfWord)
    return loadPart(A);
  if (A.As == Form::TwoWords)
    return loadTwo(A);
  Words Operands{A.Pointer};
  Words Extra = accessOperands(A);
  Operands.insert(Operands.end(), Extra.begin(), Extra.end());
  Id V = C.value(OpLoad, A.Stored, Operands);
  return fromStored(A, V);
}

void Emitter::storeTo(const Address &A, Id V) {
  if (A.As == Form::PartOfWord)
    return storePart(A, V);
  if (A.As == Form::TwoWords)
    return storeTwo(A, V);
  Words Operands{A.Pointer, toStored(A, V)};
  Words Extra = accessOperands(A);
  Operands.insert(Operands.end(), Extra.begin(), Extra.end());
  C.effect(OpStore, Operands);
}

static spv::Op atomicOp(Op O, bool Signed) {
  switch (O) {
  case Op::AtomicAdd:
    return OpAtomicIAdd;
  case Op::AtomicMin:
    return Signed ? OpAtomicSMin : OpAtomicUMin;
  case Op::AtomicMax:
    return Signed ? OpAtomicSMax : OpAtomicUMax;
  case Op::AtomicAnd:
    return OpAtomicAnd;
  case Op::AtomicOr:
    return OpAtomicOr;
  case Op::AtomicXor:
    return OpAtomicXor;
  default:
    return OpAtomicExchange;
  }
}

static Id scopeOf(spv::StorageClass Class) {
  return static_cast<uint32_t>(Class == spv::StorageClass::Workgroup
                                   ? spv::Scope::Workgroup
                                   : spv::Scope::Device);
}

/// An atomic's operand. llvmpipe (Mesa 22.3) gives an integer atomic in a
/// buffer whose operand is the bits of a float expression to its code generator
/// with a float operand, which stops the process there. A selection that the
/// driver cannot see through keeps the bits an integer: a launch has groups,
/// and no conversion of a condition gives 2 (see LegaliseChoices.cpp).
Id Emitter::atomicOperand(InstId I, unsigned N) {
  ValueId V = F.operand(I, N);
  while (F.Insts[V].Opcode == Op::Cast && M.Types.isInteger(F.typeOf(V)) &&
         M.Types.isInteger(F.typeOf(F.operand(V, 0))))
    V = F.operand(V, 0);
  Id Value = operand(I, N);
  if (F.Insts[V].Opcode != Op::ToBits)
    return Value;
  Id None =
      C.value(OpIEqual, B.boolType(), {blockWord(BaseMember + 3), B.u32(0)});
  Id Type = typeId(F.typeOf(F.operand(I, N)), F.Insts[I].Loc);
  return C.value(OpSelect, Type, {None, B.constant(Type, 2), Value});
}

Id Emitter::atomic(InstId I, const Address &A) {
  const Inst &N = F.Insts[I];
  bool Shared = A.Class == spv::StorageClass::Workgroup ||
                A.Class == spv::StorageClass::StorageBuffer ||
                A.Class == spv::StorageClass::PhysicalStorageBuffer;
  bool Float = A.Type == types::F32;
  bool Moves = N.Opcode == Op::AtomicLoad || N.Opcode == Op::AtomicStore ||
               N.Opcode == Op::AtomicAdd || N.Opcode == Op::AtomicExchange;
  if (A.As == Form::BoolWord || !Shared || (Float && !Moves))
    return unsupported(I);
  if (Float && N.Opcode == Op::AtomicAdd)
    return atomicFloatAdd(A, operand(I, 0));
  Id Scope = B.u32(scopeOf(A.Class)), Relaxed = B.u32(0);
  if (N.Opcode == Op::AtomicLoad)
    return fromStored(
        A, C.value(OpAtomicLoad, A.Stored, {A.Pointer, Scope, Relaxed}));
  Id First = toStored(A, atomicOperand(I, 0));
  if (N.Opcode == Op::AtomicStore) {
    C.effect(OpAtomicStore, {A.Pointer, Scope, Relaxed, First});
    return A.Pointer;
  }
  if (N.Opcode == Op::AtomicCompareExchange)
    return fromStored(A, C.value(OpAtomicCompareExchange, A.Stored,
                                 {A.Pointer, Scope, Relaxed, Relaxed,
                                  toStored(A, atomicOperand(I, 1)), First}));
  return fromStored(A, C.value(atomicOp(N.Opcode, A.Type == types::I32),
                               A.Stored, {A.Pointer, Scope, Relaxed, First}));
}

/// The language's sum of two words: subnormals are zero on both sides, a NaN is
/// canonical, and the sign of a sum of zeros is set, as drivers skip an
/// addition of zero.
Id Emitter::sumOfWords(Id Left, Id Right) {
  Id U = B.u32Type();
  Id Sum = binary(OpFAdd, B.f32Type(), fromBits(Left), fromBits(Right));
  B.decorate(Sum, spv::Decoration::NoContraction);
  Id Sizes = binary(OpBitwiseAnd, U, binary(OpBitwiseOr, U, Left, Right),
                    B.u32(0x7fffffffu));
  Id Zeros = binary(OpIEqual, B.boolType(), Sizes, B.u32(0));
  return selectId(U, Zeros, binary(OpBitwiseAnd, U, Left, Right),
                  bits(canonNan(flush(Sum))));
}

/// Compare-exchange on the word until nobody came between.
Id Emitter::atomicFloatAdd(const Address &A, Id Addend) {
  Id U = B.u32Type(), Scope = B.u32(scopeOf(A.Class)), Relaxed = B.u32(0);
  Id Seen = C.variable(U), Right = bits(flush(Addend));
  Id Start = C.value(OpAtomicLoad, U, {A.Pointer, Scope, Relaxed});
  C.effect(OpStore, {Seen, Start});
  Id Header = B.newId(), Try = B.newId();
  Id Continue = B.newId(), Merge = B.newId();
  C.branch(Header);
  C.label(Header);
  C.loopMerge(Merge, Continue);
  C.branch(Try);
  C.label(Try);
  Id Old = C.value(OpLoad, U, {Seen});
  Id New = sumOfWords(bits(flush(fromBits(Old))), Right);
  Id Got = C.value(OpAtomicCompareExchange, U,
                   {A.Pointer, Scope, Relaxed, Relaxed, New, Old});
  C.effect(OpStore, {Seen, Got});
  C.branchIf(binary(OpIEqual, B.boolType(), Got, Old), Merge, Continue);
  C.label(Continue);
  C.branch(Header);
  C.label(Merge);
  return fromBits(Old);
}

void Emitter::barrier() {
  constexpr uint32_t AcquireRelease = 0x8, Uniform = 0x40, Workgroup = 0x100;
  constexpr uint32_t Available = 0x2000, Visible = 0x4000;
  uint32_t Memory = Workgroup | (WritesBuffer ? Uniform : 0);
  // The GLSL450 model has no such bits; its variables are coherent instead.
  uint32_t Visibility = InWords ? 0 : Available | Visible;
  Id Group = B.u32(static_cast<uint32_t>(spv::Scope::Workgroup));
  C.effect(OpControlBarrier,
           {Group, Group, B.u32(AcquireRelease | Memory | Visibility)});
}

} // namespace goldy::spirv
