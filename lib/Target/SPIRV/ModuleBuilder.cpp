//===- ModuleBuilder.cpp - SPIR-V words, section by section
//----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ModuleBuilder.h. The logical layout is that of the SPIR-V
// specification, section 2.4.
//
//===----------------------------------------------------------------------===//
#include "ModuleBuilder.h"

#include <cassert>

namespace goldy::spirv {

void append(Words &To, spv::Op Opcode, std::span<const uint32_t> Operands) {
  uint32_t Count = static_cast<uint32_t>(Operands.size()) + 1;
  assert(Count <= 0xffff && "instruction too long");
  To.push_back(Count << 16 | static_cast<uint32_t>(Opcode));
  To.insert(To.end(), Operands.begin(), Operands.end());
}

Words literal(std::string_view Text) {
  Words Result(Text.size() / 4 + 1, 0);
  for (size_t I = 0; I < Text.size(); ++I)
    Result[I / 4] |= uint32_t(static_cast<unsigned char>(Text[I]))
                     << (I % 4 * 8);
  return Result;
}

static void appendText(Words &To, spv::Op Opcode, Words Operands,
                       std::string_view Text) {
  // An instruction holds 65,535 words; names are cut far below.
  Words Tail = literal(Text.substr(0, 1024));
  Operands.insert(Operands.end(), Tail.begin(), Tail.end());
  append(To, Opcode, Operands);
}

void ModuleBuilder::capability(spv::Capability C) { Declared.insert(C); }

Id ModuleBuilder::glsl() {
  if (!Glsl) {
    Glsl = newId();
    appendText(Imports, spv::Op::OpExtInstImport, {Glsl}, "GLSL.std.450");
  }
  return Glsl;
}

void ModuleBuilder::name(Id Of, std::string_view Text) {
  if (!Text.empty())
    appendText(Names, spv::Op::OpName, {Of}, Text);
}

void ModuleBuilder::memberName(Id Of, uint32_t Member, std::string_view Text) {
  appendText(Names, spv::Op::OpMemberName, {Of, Member}, Text);
}

void ModuleBuilder::decorate(Id Of, spv::Decoration D,
                             std::initializer_list<uint32_t> Extra) {
  Words Operands{Of, static_cast<uint32_t>(D)};
  Operands.insert(Operands.end(), Extra);
  append(Decorations, spv::Op::OpDecorate, Operands);
}

void ModuleBuilder::decorateMember(Id Of, uint32_t Member, spv::Decoration D,
                                   std::initializer_list<uint32_t> Extra) {
  Words Operands{Of, Member, static_cast<uint32_t>(D)};
  Operands.insert(Operands.end(), Extra);
  append(Decorations, spv::Op::OpMemberDecorate, Operands);
}

Id ModuleBuilder::longType(bool Signed) {
  capability(spv::Capability::Int64);
  return LongTypes[Signed] = intType(64, Signed);
}

Id ModuleBuilder::blockType(std::span<const Member> Members,
                            std::string_view Name) {
  Words Operands{newId()};
  for (const Member &M : Members)
    Operands.push_back(M.Type);
  Id Result = Operands[0];
  append(Globals, spv::Op::OpTypeStruct, Operands);
  decorate(Result, spv::Decoration::Block);
  name(Result, Name);
  for (uint32_t I = 0; I < Members.size(); ++I) {
    decorateMember(Result, I, spv::Decoration::Offset, {Members[I].Offset});
    memberName(Result, I, Members[I].Name);
  }
  return Result;
}

Id ModuleBuilder::specConstant(Id Type, uint32_t Default) {
  Id Result = newId();
  append(Globals, spv::Op::OpSpecConstant, {Type, Result, Default});
  return Result;
}

Id ModuleBuilder::specBoolean(bool Default) {
  Id Type = boolType(), Result = newId();
  append(Globals,
         Default ? spv::Op::OpSpecConstantTrue : spv::Op::OpSpecConstantFalse,
         {Type, Result});
  return Result;
}

Id ModuleBuilder::constant64(Id Type, uint64_t Value) {
  return type(
      spv::Op::OpConstant,
      {Type, static_cast<uint32_t>(Value), static_cast<uint32_t>(Value >> 32)},
      true);
}

Id ModuleBuilder::wordsType() {
  Id Array = newId();
  append(Globals, spv::Op::OpTypeRuntimeArray, {Array, u32Type()});
  decorate(Array, spv::Decoration::ArrayStride, {4});
  Member Only{Array, 0, "words"};
  return blockType({&Only, 1}, "words");
}

void ModuleBuilder::extension(std::string_view Name) {
  append(Extensions, spv::Op::OpExtension, literal(Name));
}

Id ModuleBuilder::boolean(bool Value) {
  return type(Value ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse,
              {boolType()}, true);
}

Id ModuleBuilder::specFalse(uint32_t SpecId, std::string_view Name) {
  auto [Place, New] = SpecConstants.try_emplace(SpecId, 0);
  if (!New)
    return Place->second;
  Id Type = boolType(), Result = Place->second = newId();
  append(Globals, spv::Op::OpSpecConstantFalse, {Type, Result});
  decorate(Result, spv::Decoration::SpecId, {SpecId});
  name(Result, Name);
  return Result;
}

Id ModuleBuilder::composite(Id Type, std::span<const Id> Members) {
  Words Operands{Type};
  Operands.insert(Operands.end(), Members.begin(), Members.end());
  return declare(spv::Op::OpConstantComposite, Operands, true);
}

Id ModuleBuilder::declare(spv::Op Opcode, const Words &Operands, bool Typed) {
  auto [Place, New] = Known.try_emplace({Opcode, Operands}, 0);
  if (!New)
    return Place->second;
  Id Result = Place->second = newId();
  Words All = Operands;
  All.insert(All.begin() + (Typed ? 1 : 0), Result);
  append(Globals, Opcode, All);
  return Result;
}

Id ModuleBuilder::variable(spv::StorageClass Class, Id To, Id Initializer) {
  Words Operands{pointerType(Class, To), newId(), static_cast<uint32_t>(Class)};
  if (Initializer)
    Operands.push_back(Initializer);
  append(Globals, spv::Op::OpVariable, Operands);
  // Before SPIR-V 1.4 an entry point names its inputs and outputs alone.
  if (Form == ModuleForm::Addressed || Class == spv::StorageClass::Input)
    Interface.push_back(Operands[1]);
  return Operands[1];
}

void ModuleBuilder::entryPoint(Id Function, std::string_view Name) {
  Words Operands{static_cast<uint32_t>(spv::ExecutionModel::GLCompute),
                 Function};
  Words Text = literal(Name);
  Operands.insert(Operands.end(), Text.begin(), Text.end());
  Operands.insert(Operands.end(), Interface.begin(), Interface.end());
  append(EntryPoints, spv::Op::OpEntryPoint, Operands);
}

void ModuleBuilder::executionMode(Id Function, spv::ExecutionMode Mode,
                                  std::initializer_list<uint32_t> Extra) {
  Words Operands{Function, static_cast<uint32_t>(Mode)};
  Operands.insert(Operands.end(), Extra);
  append(Modes, spv::Op::OpExecutionMode, Operands);
}

Words ModuleBuilder::finish(const Words &Function) {
  bool Logical = Form == ModuleForm::Logical;
  Words All{spv::MagicNumber, Logical ? 0x00010300u : 0x00010600u, 0, Bound, 0};
  for (spv::Capability C : Declared)
    append(All, spv::Op::OpCapability, {static_cast<uint32_t>(C)});
  All.insert(All.end(), Extensions.begin(), Extensions.end());
  All.insert(All.end(), Imports.begin(), Imports.end());
  spv::AddressingModel Addresses =
      Logical ? spv::AddressingModel::Logical
              : spv::AddressingModel::PhysicalStorageBuffer64;
  spv::MemoryModel Memory =
      Logical ? spv::MemoryModel::GLSL450 : spv::MemoryModel::Vulkan;
  append(All, spv::Op::OpMemoryModel,
         {static_cast<uint32_t>(Addresses), static_cast<uint32_t>(Memory)});
  for (const Words *Section : std::initializer_list<const Words *>{
           &EntryPoints, &Modes, &Names, &Decorations, &Globals, &Function})
    All.insert(All.end(), Section->begin(), Section->end());
  return All;
}

void Body::label(Id Block) {
  assert(!Open && "the open block has no terminator");
  if (!First)
    append(Code, spv::Op::OpLabel, {Block});
  First = false;
  Open = Block;
}

Id Body::valueInto(Words &To, spv::Op Opcode, Id Type,
                   std::span<const uint32_t> Operands) {
  assert(Open && "no open block");
  Words All{Type, M.newId()};
  All.insert(All.end(), Operands.begin(), Operands.end());
  append(To, Opcode, All);
  return All[1];
}

void Body::effect(spv::Op Opcode, std::span<const uint32_t> Operands) {
  assert(Open && "no open block");
  append(Code, Opcode, Operands);
}

Id Body::variable(Id To) {
  Id Result = M.newId();
  append(Variables, spv::Op::OpVariable,
         {M.pointerType(spv::StorageClass::Function, To), Result,
          static_cast<uint32_t>(spv::StorageClass::Function)});
  return Result;
}

void Body::selectionMerge(Id Merge) {
  effect(spv::Op::OpSelectionMerge, {Merge, 0});
}

void Body::loopMerge(Id Merge, Id Continue) {
  effect(spv::Op::OpLoopMerge, {Merge, Continue, 0});
}

void Body::close(spv::Op Opcode, std::initializer_list<uint32_t> Operands) {
  effect(Opcode, Operands);
  Open = 0;
}

Words Body::finish(Id Function, Id FunctionType, Id Result, Id Entry) const {
  assert(!Open && "the last block has no terminator");
  Words All;
  append(All, spv::Op::OpFunction, {Result, Function, 0, FunctionType});
  append(All, spv::Op::OpLabel, {Entry});
  for (const Words *Part : {&Variables, &Prologue, &Code})
    All.insert(All.end(), Part->begin(), Part->end());
  append(All, spv::Op::OpFunctionEnd, {});
  return All;
}

} // namespace goldy::spirv
