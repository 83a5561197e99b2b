//===- Interface.cpp - Parameter block, ids, workgroup memory
//--------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parameter block of abiLayout() is the push constants when it fits them;
// else the push constant is the block's address. Everything read from it is
// read once, at the head of the entry block. Group ids get the launch's base
// words added, so that one logical grid may be launched in pieces.
//
//===----------------------------------------------------------------------===//
#include "Emitter.h"
#include "goldyc/Target/TensorLayout.h"

namespace goldy::spirv {

bool Emitter::declareBlock() {
  auto Add = [&](Id Type, uint32_t Offset, std::string Name) {
    Members.push_back({Type, Offset, {}});
    MemberNames.push_back(std::move(Name));
  };
  // An address word, or an element of the array of word blocks and the first
  // word in it.
  auto AddAddress = [&](uint32_t Offset, const std::string &Name) {
    if (!InWords)
      return Add(B.u64Type(), Offset, Name);
    Add(B.u32Type(), Offset, Name + "_element");
    Add(B.u32Type(), Offset + 4, Name + "_word");
    ++WordBindings;
  };
  for (uint32_t I = 0; I < F.Params.size(); ++I) {
    const Param &P = F.Params[I];
    uint32_t Offset = Abi.Params[I].Offset;
    FirstMember.push_back(static_cast<uint32_t>(Members.size()));
    if (P.bound() == ParamKind::Image) {
      AddAddress(Offset, P.Name);
      Add(B.u32Type(), Offset + 8, P.Name + "_width");
      Add(B.u32Type(), Offset + 12, P.Name + "_height");
      if (P.Kind == ParamKind::Image)
        declareImage(I);
    } else if (P.Kind == ParamKind::Buffer) {
      AddAddress(Offset, P.Name);
      Add(B.u32Type(), Offset + 8, P.Name + "_len");
      if (P.bound() == ParamKind::Tensor)
        Add(B.u32Type(), Offset + TensorOffsetInEntry, P.Name + "_offset");
    } else if (P.Kind == ParamKind::Scalar) {
      Id Type = storedTypeId(P.Type, P.Loc);
      if (!Type)
        return false;
      Add(Type, Offset, P.Name);
    } else if (P.Kind == ParamKind::Uniform) {
      AddAddress(Offset, P.Name);
    } else {
      Diags.report(diag::G0681, P.Loc).help("use slices and scalars")
          << "parameter `" << P.Name << "`: tensors are not supported yet by "
          << archName();
      return false;
    }
  }
  TableMember = static_cast<uint32_t>(Members.size());
  AddAddress(Abi.LayoutTableOffset, "layout_table");
  BaseMember = static_cast<uint32_t>(Members.size());
  for (uint32_t Axis = 0; Axis < 3; ++Axis)
    Add(B.u32Type(), Abi.BaseWordsOffset + 4 * Axis,
        std::string("base_") + "xyz"[Axis]);
  for (uint32_t Axis = 0; Axis < 3; ++Axis)
    Add(B.u32Type(), Abi.countWordsOffset() + 4 * Axis,
        std::string("count_") + "xyz"[Axis]);
  for (size_t I = 0; I < Members.size(); ++I)
    Members[I].Name = MemberNames[I];
  MemberValues.assign(Members.size(), 0);
  BehindAddress = Abi.Size > MaxPushConstants;
  BlockType = B.blockType(Members, "params");
  Id Pushed = BlockType;
  if (BehindAddress && InWords) {
    ++WordBindings;
    ModuleBuilder::Member Where[] = {{B.u32Type(), 0, "params_element"},
                                     {B.u32Type(), 4, "params_word"}};
    Pushed = B.blockType(Where, "push");
  } else if (BehindAddress) {
    ModuleBuilder::Member Only{B.u64Type(), 0, "params"};
    Pushed = B.blockType({&Only, 1}, "push");
  }
  BlockPointer = B.variable(spv::StorageClass::PushConstant, Pushed);
  if (InWords)
    declareWords();
  return true;
}

/// A storage image in set 0, at the parameter's number.
void Emitter::declareImage(uint32_t Param) {
  Id Variable = B.variable(spv::StorageClass::UniformConstant, B.imageType());
  B.decorate(Variable, spv::Decoration::DescriptorSet, {0});
  B.decorate(Variable, spv::Decoration::Binding, {Param});
  B.decorate(Variable, spv::Decoration::NonReadable);
  B.name(Variable, F.Params[Param].Name);
  Images[Param] = Variable;
}

Id Emitter::blockWord(uint32_t Member) {
  if (!MemberValues[Member])
    MemberValues[Member] = loadBlockMember(Member);
  return MemberValues[Member];
}

Id Emitter::loadBlockMember(uint32_t Member) {
  Id Type = Members[Member].Type;
  auto Chain = [&](spv::StorageClass Class, Id Base, Id To, uint32_t Index) {
    return C.early(spv::Op::OpAccessChain, B.pointerType(Class, To),
                   {Base, B.u32(Index)});
  };
  constexpr spv::StorageClass Push = spv::StorageClass::PushConstant;
  constexpr spv::StorageClass Far = spv::StorageClass::PhysicalStorageBuffer;
  if (!BehindAddress)
    return C.early(spv::Op::OpLoad, Type,
                   {Chain(Push, BlockPointer, Type, Member)});
  if (InWords)
    return loadBlockWord(Member);
  if (!FarBlock) {
    Id Address = C.early(spv::Op::OpLoad, B.u64Type(),
                         {Chain(Push, BlockPointer, B.u64Type(), 0)});
    FarBlock = C.early(spv::Op::OpConvertUToPtr, B.pointerType(Far, BlockType),
                       {Address});
  }
  constexpr uint32_t Aligned =
      static_cast<uint32_t>(spv::MemoryAccessMask::Aligned);
  uint32_t Align = B.isLong(Type) ? 8 : 4;
  return C.early(spv::Op::OpLoad, Type,
                 {Chain(Far, FarBlock, Type, Member), Aligned, Align});
}

Id Emitter::scalarParam(uint32_t Param) {
  uint32_t Member = FirstMember[Param];
  if (F.Params[Param].Type != types::Bool)
    return blockWord(Member);
  Id &Known = BoolParams[Param];
  if (!Known)
    Known = C.early(spv::Op::OpINotEqual, B.boolType(),
                    {blockWord(Member), B.u32(0)});
  return Known;
}

Id Emitter::builtinVariable(spv::BuiltIn Which, Id Type) {
  auto [Known, New] = BuiltinVectors.try_emplace(Which, 0);
  if (New) {
    Id Variable = B.variable(spv::StorageClass::Input, Type);
    B.decorate(Variable, spv::Decoration::BuiltIn,
               {static_cast<uint32_t>(Which)});
    Known->second = C.early(spv::Op::OpLoad, Type, {Variable});
  }
  return Known->second;
}

Id Emitter::builtin(spv::BuiltIn Which, uint32_t Axis) {
  auto [Known, New] = Builtins.try_emplace({Which, Axis}, 0);
  if (New)
    Known->second =
        C.early(spv::Op::OpCompositeExtract, B.u32Type(),
                {builtinVariable(Which, B.vectorType(B.u32Type(), 3)), Axis});
  return Known->second;
}

Id Emitter::localIndex() {
  return builtinVariable(spv::BuiltIn::LocalInvocationIndex, B.u32Type());
}

Id Emitter::localId(uint32_t Axis) {
  return F.WorkgroupSize[Axis] == 1
             ? B.u32(0)
             : builtin(spv::BuiltIn::LocalInvocationId, Axis);
}

Id Emitter::workgroupId(uint32_t Axis) {
  return C.value(
      spv::Op::OpIAdd, B.u32Type(),
      {builtin(spv::BuiltIn::WorkgroupId, Axis), blockWord(BaseMember + Axis)});
}

Id Emitter::globalId(uint32_t Axis) {
  Id Group = workgroupId(Axis);
  if (F.WorkgroupSize[Axis] == 1)
    return Group;
  Id First = C.value(spv::Op::OpIMul, B.u32Type(),
                     {Group, B.u32(F.WorkgroupSize[Axis])});
  return C.value(spv::Op::OpIAdd, B.u32Type(), {First, localId(Axis)});
}

/// Set when the device opens; its number is part of the image's facts.
Id Emitter::deviceSwitch(uint32_t Number) {
  constexpr uint32_t FirstSpecId = 2000;
  Switches.insert(Number);
  return B.specFalse(FirstSpecId + Number,
                     "device_switch_" + std::to_string(Number));
}

Id Emitter::imageExtent(InstId I) {
  const Inst &Ref = F.Insts[F.operand(I, 0)];
  uint32_t Param = F.Places[Ref.Where].Base.Index;
  uint32_t Axis = static_cast<uint32_t>(F.Insts[F.operand(I, 1)].Imm);
  return blockWord(FirstMember[Param] + (InWords ? 2 : 1) + Axis);
}

Id Emitter::length(const Inst &I) {
  const PlaceBase &Base = F.Places[I.Where].Base;
  if (Base.Kind == BaseKind::Param)
    return bufferLength(Base.Index);
  return B.u32(M.Types[baseType(M, F, Base)].Count);
}

/// A word of a layout is read once, on top.
Id Emitter::layoutFact(InstId I) {
  uint32_t Param = tensorParam(F, I);
  if (F.Insts[I].Opcode == Op::TensorOffset)
    return blockWord(FirstMember[Param] + (InWords ? 3 : 2));
  auto [Known, New] = LayoutWords.try_emplace(layoutByte(F, I), 0);
  if (New)
    Known->second = loadLayoutWord(Known->first);
  return Known->second;
}

Id Emitter::loadLayoutWord(uint32_t Byte) {
  if (InWords) {
    Id At = C.early(spv::Op::OpIAdd, B.u32Type(),
                    {blockWord(TableMember + 1), B.u32(Byte / 4)});
    return C.early(spv::Op::OpLoad, B.u32Type(),
                   {wordPointer(blockWord(TableMember), At, true)});
  }
  Id Long = B.u64Type(), At = blockWord(TableMember);
  if (Byte)
    At = C.early(spv::Op::OpIAdd, Long, {At, B.u64(Byte)});
  Id Pointer = C.early(
      spv::Op::OpConvertUToPtr,
      B.pointerType(spv::StorageClass::PhysicalStorageBuffer, B.u32Type()),
      {At});
  constexpr uint32_t Aligned =
      static_cast<uint32_t>(spv::MemoryAccessMask::Aligned);
  return C.early(spv::Op::OpLoad, B.u32Type(), {Pointer, Aligned, 4});
}

bool Emitter::declareWorkgroupArrays() {
  for (uint32_t I = 0; I < F.WorkgroupArrays.size(); ++I) {
    const WorkgroupArray &A = F.WorkgroupArrays[WorkgroupId(I)];
    TypeId Element = M.Types[A.Type].Element;
    if (!M.Types.isScalar(Element) && !isVector(Element)) {
      unsupportedType(A.Type, A.Loc);
      return false;
    }
    Id Stored = workgroupForm(I, Element) == Form::Plain
                    ? typeId(Element, A.Loc)
                    : B.u32Type();
    if (!Stored || M.Types[A.Type].Count == 0)
      return false;
    WorkgroupElements.push_back(Stored);
    Id Variable = B.variable(spv::StorageClass::Workgroup,
                             B.arrayType(Stored, M.Types[A.Type].Count));
    B.name(Variable, A.Name);
    WorkgroupVariables.set(WorkgroupId(I), Variable);
  }
  return true;
}

/// Every thread clears its share, then the group meets.
void Emitter::zeroWorkgroupArrays() {
  if (F.WorkgroupArrays.empty())
    return;
  Id Index = localIndex();
  for (uint32_t I = 0; I < F.WorkgroupArrays.size(); ++I) {
    const WorkgroupArray &A = F.WorkgroupArrays[WorkgroupId(I)];
    zeroOne(WorkgroupVariables[WorkgroupId(I)], WorkgroupElements[I],
            M.Types[A.Type].Count, Index);
  }
  barrier();
}

void Emitter::zeroOne(Id Variable, Id Element, uint32_t Count, Id Index) {
  constexpr uint32_t MostUnrolled = 8;
  uint32_t Whole = Count / groupSize(), Rest = Count % groupSize();
  if (Whole > MostUnrolled)
    return zeroLoop(Variable, Element, Count, Index);
  for (uint32_t K = 0; K < Whole; ++K)
    storeZero(Variable, Element,
              K == 0 ? Index
                     : binary(spv::Op::OpIAdd, B.u32Type(), Index,
                              B.u32(K * groupSize())));
  if (Rest == 0)
    return;
  Id Then = B.newId(), Merge = B.newId();
  Id Mine = binary(spv::Op::OpULessThan, B.boolType(), Index, B.u32(Rest));
  C.selectionMerge(Merge);
  C.branchIf(Mine, Then, Merge);
  C.label(Then);
  storeZero(
      Variable, Element,
      binary(spv::Op::OpIAdd, B.u32Type(), Index, B.u32(Whole * groupSize())));
  C.branch(Merge);
  C.label(Merge);
}

void Emitter::zeroLoop(Id Variable, Id Element, uint32_t Count, Id Index) {
  Id Counter = C.variable(B.u32Type());
  Id Header = B.newId(), Test = B.newId(), Store = B.newId();
  Id Continue = B.newId(), Merge = B.newId();
  C.effect(spv::Op::OpStore, {Counter, Index});
  C.branch(Header);
  C.label(Header);
  C.loopMerge(Merge, Continue);
  C.branch(Test);
  C.label(Test);
  Id K = C.value(spv::Op::OpLoad, B.u32Type(), {Counter});
  C.branchIf(binary(spv::Op::OpULessThan, B.boolType(), K, B.u32(Count)), Store,
             Merge);
  C.label(Store);
  storeZero(Variable, Element, K);
  C.branch(Continue);
  C.label(Continue);
  C.effect(spv::Op::OpStore, {Counter, binary(spv::Op::OpIAdd, B.u32Type(), K,
                                              B.u32(groupSize()))});
  C.branch(Header);
  C.label(Merge);
}

void Emitter::storeZero(Id Variable, Id Element, Id Index) {
  Address A;
  A.Class = spv::StorageClass::Workgroup;
  A.Stored = Element;
  A.Pointer = C.value(spv::Op::OpAccessChain, B.pointerType(A.Class, Element),
                      {Variable, Index});
  storeTo(A, B.null(Element));
}

} // namespace goldy::spirv
