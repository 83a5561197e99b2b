//===- WordMemory.cpp - Buffers as elements of an array of word blocks ----===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For devices without buffer addresses: set 0, binding 0 is an array of
// `{ uint words[]; }` blocks, and where the parameter block has an address it
// has the number of an element and of the first word in it. Elements may be the
// same memory, so the array is Aliased. Narrow elements are parts of words: a
// store clears and sets its own bits atomically, and leaves its neighbours.
//
//===----------------------------------------------------------------------===//
#include "Emitter.h"

namespace goldy::spirv {

using enum spv::Op;

void Emitter::declareWords() {
  WordsVariable = B.variable(spv::StorageClass::StorageBuffer,
                             B.arrayType(B.wordsType(), WordBindings));
  B.name(WordsVariable, "bindings");
  B.decorate(WordsVariable, spv::Decoration::DescriptorSet, {0});
  B.decorate(WordsVariable, spv::Decoration::Binding, {0});
  B.decorate(WordsVariable, spv::Decoration::Aliased);
  if (HasBarrier && WritesBuffer)
    B.decorate(WordsVariable, spv::Decoration::Coherent);
}

Id Emitter::wordPointer(Id Element, Id Index, bool Early) {
  Id Type = B.pointerType(spv::StorageClass::StorageBuffer, B.u32Type());
  std::initializer_list<uint32_t> Chain = {WordsVariable, Element, B.u32(0),
                                           Index};
  return Early ? C.early(OpAccessChain, Type, Chain)
               : C.value(OpAccessChain, Type, Chain);
}

/// A member of the parameter block when that is behind an address.
Id Emitter::loadBlockWord(uint32_t Member) {
  Id U = B.u32Type();
  auto Pushed = [&](uint32_t Index) {
    Id Pointer = C.early(OpAccessChain,
                         B.pointerType(spv::StorageClass::PushConstant, U),
                         {BlockPointer, B.u32(Index)});
    return C.early(OpLoad, U, {Pointer});
  };
  auto Load = [&](uint32_t Offset) {
    Id Index = C.early(OpIAdd, U, {Pushed(1), B.u32(Offset / 4)});
    return C.early(OpLoad, U, {wordPointer(Pushed(0), Index, true)});
  };
  auto [Type, Offset, Name] = Members[Member];
  Id Word = Load(Offset);
  if (Type == U)
    return Word;
  if (B.isLong(Type))
    Word = C.early(OpCompositeConstruct, B.vectorType(U, 2),
                   {Word, Load(Offset + 4)});
  return C.early(OpBitcast, Type, {Word});
}

/// The word that holds the element, by the first word of the view and the
/// indices, modulo 2^32: an access in range is within the block's words.
Emitter::Address Emitter::wordAddress(InstId I, const Place &P) {
  Address A;
  A.Type = P.Type;
  A.Class = spv::StorageClass::StorageBuffer;
  A.Stored = B.u32Type();
  bool Narrow = M.Types.isStorageOnly(P.Type);
  A.As = P.Type == types::Bool        ? Form::BoolWord
         : P.Type == types::F32       ? Form::FloatWord
         : P.Type == types::I32       ? Form::IntWord
         : Narrow                     ? Form::PartOfWord
         : M.Types.bits(P.Type) == 64 ? Form::TwoWords
                                      : Form::Plain;
  FlatPlace Flat = flatten(M, F, P);
  Id U = B.u32Type(), At = B.u32(static_cast<uint32_t>(Flat.Constant));
  uint32_t Unit = Narrow ? 1 : 4;
  if (!Narrow)
    At = B.u32(static_cast<uint32_t>(Flat.Constant / 4));
  for (const FlatPlace::Term &T : Flat.Terms) {
    Id Index = value(T.Index);
    if (F.typeOf(T.Index) == types::I32)
      Index = C.value(OpBitcast, U, {Index});
    uint32_t Stride = static_cast<uint32_t>(T.Stride / Unit);
    if (Stride != 1)
      Index = binary(OpIMul, U, Index, B.u32(Stride));
    At = binary(OpIAdd, U, At, Index);
  }
  if (Narrow) {
    Id Byte = binary(OpBitwiseAnd, U, At, B.u32(3));
    A.Shift = binary(OpShiftLeftLogical, U, Byte, B.u32(3));
    A.Shared = F.Params[P.Base.Index].Acc != Access::Read;
    At = binary(OpShiftRightLogical, U, At, B.u32(2));
  }
  uint32_t First = FirstMember[P.Base.Index];
  At = binary(OpIAdd, U, At, blockWord(First + 1));
  A.Pointer = wordPointer(blockWord(First), At);
  if (A.As == Form::TwoWords)
    A.High = wordPointer(blockWord(First), binary(OpIAdd, U, At, B.u32(1)));
  return A;
}

Id Emitter::loadTwo(const Address &A) {
  Id U = B.u32Type();
  Id Low = C.value(OpLoad, U, {A.Pointer}), High = C.value(OpLoad, U, {A.High});
  Id Both = C.value(OpCompositeConstruct, B.vectorType(U, 2), {Low, High});
  return C.value(OpBitcast, B.longType(M.Types.isSigned(A.Type)), {Both});
}

void Emitter::storeTwo(const Address &A, Id V) {
  Id U = B.u32Type();
  Id Both = C.value(OpBitcast, B.vectorType(U, 2), {V});
  C.effect(OpStore, {A.Pointer, C.value(OpCompositeExtract, U, {Both, 0})});
  C.effect(OpStore, {A.High, C.value(OpCompositeExtract, U, {Both, 1})});
}

Id Emitter::loadPart(const Address &A) {
  Id Word = A.Shared
                ? C.value(OpAtomicLoad, B.u32Type(),
                          {A.Pointer,
                           B.u32(static_cast<uint32_t>(spv::Scope::Device)),
                           B.u32(0)})
                : C.value(OpLoad, B.u32Type(), {A.Pointer});
  bool Signed = M.Types.isSigned(A.Type);
  Id Type = B.intType(32, Signed);
  if (Signed)
    Word = C.value(OpBitcast, Type, {Word});
  return C.value(Signed ? OpBitFieldSExtract : OpBitFieldUExtract, Type,
                 {Word, A.Shift, B.u32(M.Types.bits(A.Type))});
}

void Emitter::storePart(const Address &A, Id V) {
  Id U = B.u32Type();
  Id Scope = B.u32(static_cast<uint32_t>(spv::Scope::Device));
  uint32_t Mask = (1u << M.Types.bits(A.Type)) - 1;
  Id Word = M.Types.isSigned(A.Type) ? C.value(OpBitcast, U, {V}) : V;
  Id Own = binary(OpBitwiseAnd, U, Word, B.u32(Mask));
  Id Clear = binary(OpShiftLeftLogical, U, B.u32(Mask), A.Shift);
  C.value(OpAtomicAnd, U,
          {A.Pointer, Scope, B.u32(0), C.value(OpNot, U, {Clear})});
  C.value(OpAtomicOr, U,
          {A.Pointer, Scope, B.u32(0),
           binary(OpShiftLeftLogical, U, Own, A.Shift)});
}

} // namespace goldy::spirv
