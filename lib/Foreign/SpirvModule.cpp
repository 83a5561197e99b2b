//===- SpirvModule.cpp - SPIR-V taken apart and put together --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#define SPV_ENABLE_UTILITY_CODE
#include "SpirvModule.h"

#include <algorithm>

namespace goldy::foreign {

Id Instruction::resultType() const {
  bool HasResult = false, HasType = false;
  spv::HasResultAndType(Opcode, &HasResult, &HasType);
  return HasType && !Operands.empty() ? Operands[0] : 0;
}

Id Instruction::result() const {
  bool HasResult = false, HasType = false;
  spv::HasResultAndType(Opcode, &HasResult, &HasType);
  return HasResult && Operands.size() > HasType ? Operands[HasType] : 0;
}

static Section sectionOf(spv::Op O) {
  switch (O) {
  case spv::Op::OpCapability:
    return Section::Capabilities;
  case spv::Op::OpExtension:
    return Section::Extensions;
  case spv::Op::OpExtInstImport:
    return Section::Imports;
  case spv::Op::OpMemoryModel:
    return Section::MemoryModel;
  case spv::Op::OpEntryPoint:
    return Section::EntryPoints;
  case spv::Op::OpExecutionMode:
  case spv::Op::OpExecutionModeId:
    return Section::ExecutionModes;
  case spv::Op::OpString:
  case spv::Op::OpSource:
  case spv::Op::OpSourceContinued:
  case spv::Op::OpSourceExtension:
  case spv::Op::OpName:
  case spv::Op::OpMemberName:
  case spv::Op::OpModuleProcessed:
    return Section::Debug;
  case spv::Op::OpDecorate:
  case spv::Op::OpMemberDecorate:
  case spv::Op::OpDecorationGroup:
  case spv::Op::OpGroupDecorate:
  case spv::Op::OpGroupMemberDecorate:
  case spv::Op::OpDecorateId:
  case spv::Op::OpDecorateString:
  case spv::Op::OpMemberDecorateString:
    return Section::Annotations;
  default:
    return Section::Globals;
  }
}

std::optional<SpirvModule> SpirvModule::read(std::span<const uint32_t> From) {
  if (From.size() < 5 || From[0] != spv::MagicNumber)
    return std::nullopt;
  SpirvModule M;
  M.Version = From[1];
  M.Generator = From[2];
  M.Bound = From[3];
  bool InFunctions = false;
  for (size_t At = 5; At < From.size();) {
    uint32_t Count = From[At] >> 16;
    if (Count == 0 || Count > From.size() - At)
      return std::nullopt;
    Instruction I;
    I.Opcode = static_cast<spv::Op>(From[At] & 0xffff);
    I.Operands.assign(From.begin() + At + 1, From.begin() + At + Count);
    InFunctions |= I.is(spv::Op::OpFunction);
    Section S = InFunctions ? Section::Functions : sectionOf(I.Opcode);
    M[S].push_back(std::move(I));
    At += Count;
  }
  return M;
}

Words SpirvModule::write() const {
  Words Out = {spv::MagicNumber, Version, Generator, Bound, 0};
  for (const std::vector<Instruction> &Part : Sections)
    for (const Instruction &I : Part) {
      Out.push_back(static_cast<uint32_t>(I.Operands.size() + 1) << 16 |
                    static_cast<uint32_t>(I.Opcode));
      Out.insert(Out.end(), I.Operands.begin(), I.Operands.end());
    }
  return Out;
}

const Instruction *SpirvModule::global(Id I) const {
  for (const Instruction &G : (*this)[Section::Globals])
    if (G.result() == I)
      return &G;
  return nullptr;
}

bool SpirvModule::hasCapability(spv::Capability C) const {
  for (const Instruction &I : (*this)[Section::Capabilities])
    if (I.Operands[0] == static_cast<uint32_t>(C))
      return true;
  return false;
}

void SpirvModule::addCapability(spv::Capability C) {
  if (!hasCapability(C))
    (*this)[Section::Capabilities].push_back(
        {spv::Op::OpCapability, {static_cast<uint32_t>(C)}});
}

std::optional<uint32_t> SpirvModule::decoration(Id Target,
                                                spv::Decoration D) const {
  for (const Instruction &I : (*this)[Section::Annotations])
    if (I.is(spv::Op::OpDecorate) && I.Operands[0] == Target &&
        I.Operands[1] == static_cast<uint32_t>(D))
      return I.Operands.size() > 2 ? I.Operands[2] : 0;
  return std::nullopt;
}

std::optional<uint32_t> SpirvModule::memberDecoration(Id Struct,
                                                      uint32_t Member,
                                                      spv::Decoration D) const {
  for (const Instruction &I : (*this)[Section::Annotations])
    if (I.is(spv::Op::OpMemberDecorate) && I.Operands[0] == Struct &&
        I.Operands[1] == Member && I.Operands[2] == static_cast<uint32_t>(D))
      return I.Operands.size() > 3 ? I.Operands[3] : 0;
  return std::nullopt;
}

std::string SpirvModule::name(Id Target) const {
  for (const Instruction &I : (*this)[Section::Debug])
    if (I.is(spv::Op::OpName) && I.Operands[0] == Target)
      return literalText(std::span(I.Operands).subspan(1));
  return "";
}

std::string SpirvModule::memberName(Id Struct, uint32_t Member) const {
  for (const Instruction &I : (*this)[Section::Debug])
    if (I.is(spv::Op::OpMemberName) && I.Operands[0] == Struct &&
        I.Operands[1] == Member)
      return literalText(std::span(I.Operands).subspan(2));
  return "";
}

std::string literalText(std::span<const uint32_t> Operands) {
  std::string Text;
  for (uint32_t W : Operands)
    for (unsigned Byte = 0; Byte < 4; ++Byte) {
      char C = static_cast<char>(W >> (8 * Byte));
      if (!C)
        return Text;
      Text += C;
    }
  return Text;
}

Words literalWords(std::string_view Text) {
  Words Out(Text.size() / 4 + 1);
  for (size_t I = 0; I < Text.size(); ++I)
    Out[I / 4] |= static_cast<uint32_t>(static_cast<uint8_t>(Text[I]))
                  << (8 * (I % 4));
  return Out;
}

} // namespace goldy::foreign
