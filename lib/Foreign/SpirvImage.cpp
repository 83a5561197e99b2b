//===- SpirvImage.cpp - Another compiler's module as an image -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SPIRV-Tools runs no pass that evaluates an operation: its folding rules
// rewrite float arithmetic without regard to signed zeros and NaNs.
//
//===----------------------------------------------------------------------===//
#include "SpirvImage.h"

#include <algorithm>
#include <set>
#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/optimizer.hpp>

namespace goldy::foreign {

namespace {

constexpr spv_target_env Environment = SPV_ENV_VULKAN_1_3;

struct Need {
  spv::Capability Capability;
  std::string_view Feature; ///< empty: every device has it
};
constexpr Need Needs[] = {
    {spv::Capability::Shader, ""},
    {spv::Capability::Matrix, ""},
    {spv::Capability::Int8, "shaderInt8"},
    {spv::Capability::Int16, "shaderInt16"},
    {spv::Capability::Int64, "shaderInt64"},
    {spv::Capability::Float16, "shaderFloat16"},
    {spv::Capability::Float64, "shaderFloat64"},
    {spv::Capability::Int64Atomics, "shaderBufferInt64Atomics"},
    {spv::Capability::StorageBuffer8BitAccess, "storageBuffer8BitAccess"},
    {spv::Capability::StorageBuffer16BitAccess, "storageBuffer16BitAccess"},
    {spv::Capability::PhysicalStorageBufferAddresses, "bufferDeviceAddress"},
    {spv::Capability::VulkanMemoryModel, "vulkanMemoryModel"},
    {spv::Capability::VulkanMemoryModelDeviceScope,
     "vulkanMemoryModelDeviceScope"},
    {spv::Capability::RoundingModeRTE, "shaderRoundingModeRTEFloat32"},
    {spv::Capability::SignedZeroInfNanPreserve,
     "shaderSignedZeroInfNanPreserveFloat32"},
    {spv::Capability::GroupNonUniform, "subgroupBasic"},
    {spv::Capability::GroupNonUniformVote, "subgroupVote"},
    {spv::Capability::GroupNonUniformArithmetic, "subgroupArithmetic"},
    {spv::Capability::GroupNonUniformBallot, "subgroupBallot"},
    {spv::Capability::GroupNonUniformShuffle, "subgroupShuffle"},
    {spv::Capability::GroupNonUniformShuffleRelative,
     "subgroupShuffleRelative"},
    {spv::Capability::GroupNonUniformClustered, "subgroupClustered"},
    {spv::Capability::GroupNonUniformQuad, "subgroupQuad"},
};

bool contracts(spv::Op O) {
  switch (O) {
  case spv::Op::OpFNegate:
  case spv::Op::OpFAdd:
  case spv::Op::OpFSub:
  case spv::Op::OpFMul:
  case spv::Op::OpFDiv:
  case spv::Op::OpFRem:
  case spv::Op::OpFMod:
  case spv::Op::OpVectorTimesScalar:
  case spv::Op::OpMatrixTimesScalar:
  case spv::Op::OpVectorTimesMatrix:
  case spv::Op::OpMatrixTimesVector:
  case spv::Op::OpMatrixTimesMatrix:
  case spv::Op::OpOuterProduct:
  case spv::Op::OpDot:
    return true;
  default:
    return false;
  }
}

void dropSource(SpirvModule &M) {
  std::erase_if(M[Section::Debug], [](const Instruction &I) {
    return !I.is(spv::Op::OpName) && !I.is(spv::Op::OpMemberName);
  });
  std::erase_if(M[Section::Functions], [](const Instruction &I) {
    return I.is(spv::Op::OpLine) || I.is(spv::Op::OpNoLine);
  });
  std::erase_if(M[Section::Globals], [](const Instruction &I) {
    return I.is(spv::Op::OpLine) || I.is(spv::Op::OpNoLine);
  });
}

/// Modes of functions that are no entry: a kernel called by its wrapper.
void dropStrayModes(SpirvModule &M) {
  Id Entry = M[Section::EntryPoints].front().Operands[1];
  std::erase_if(M[Section::ExecutionModes], [Entry](const Instruction &I) {
    return I.Operands[0] != Entry;
  });
}

void renameEntry(SpirvModule &M, std::string_view Name) {
  Words &E = M[Section::EntryPoints].front().Operands;
  size_t Old = literalText(std::span(E).subspan(2)).size() / 4 + 1;
  Words New(E.begin(), E.begin() + 2), Text = literalWords(Name);
  New.insert(New.end(), Text.begin(), Text.end());
  New.insert(New.end(), E.begin() + 2 + Old, E.end());
  E = std::move(New);
}

void forbidContraction(SpirvModule &M) {
  constexpr uint32_t NoContraction =
      static_cast<uint32_t>(spv::Decoration::NoContraction);
  std::set<Id> Done;
  for (const Instruction &I : M[Section::Annotations])
    if (I.is(spv::Op::OpDecorate) && I.Operands[1] == NoContraction)
      Done.insert(I.Operands[0]);
  for (const Instruction &I : M[Section::Functions])
    if (contracts(I.Opcode) && Done.insert(I.result()).second)
      M[Section::Annotations].push_back(
          {spv::Op::OpDecorate, {I.result(), NoContraction}});
}

void addMode(SpirvModule &M, spv::ExecutionMode Mode, spv::Capability C) {
  Id Entry = M[Section::EntryPoints].front().Operands[1];
  M.addCapability(C);
  for (const Instruction &I : M[Section::ExecutionModes])
    if (I.Operands[1] == static_cast<uint32_t>(Mode) && I.Operands[2] == 32)
      return;
  M[Section::ExecutionModes].push_back(
      {spv::Op::OpExecutionMode, {Entry, static_cast<uint32_t>(Mode), 32}});
}

void fixFloatModes(SpirvModule &M) {
  bool HasFloat = false;
  for (const Instruction &I : M[Section::Globals])
    HasFloat |= I.is(spv::Op::OpTypeFloat) && I.Operands[1] == 32;
  if (!HasFloat)
    return;
  addMode(M, spv::ExecutionMode::RoundingModeRTE,
          spv::Capability::RoundingModeRTE);
  addMode(M, spv::ExecutionMode::SignedZeroInfNanPreserve,
          spv::Capability::SignedZeroInfNanPreserve);
  constexpr std::string_view Extension = "SPV_KHR_float_controls";
  for (const Instruction &I : M[Section::Extensions])
    if (literalText(I.Operands) == Extension)
      return;
  M[Section::Extensions].push_back(
      {spv::Op::OpExtension, literalWords(Extension)});
}

spvtools::MessageConsumer collectInto(std::string &Why) {
  return [&Why](spv_message_level_t Level, const char *, const spv_position_t &,
                const char *Message) {
    if (Level > SPV_MSG_ERROR)
      return;
    Why += (Why.empty() ? "" : "; ") + std::string(Message);
  };
}

bool runPasses(Words &Binary, bool Inline, bool Shorten, std::string &Why) {
  spvtools::Optimizer Optimiser(Environment);
  Optimiser.SetMessageConsumer(collectInto(Why));
  if (Inline)
    Optimiser.RegisterPass(spvtools::CreateInlineExhaustivePass())
        .RegisterPass(spvtools::CreateEliminateDeadFunctionsPass());
  if (Shorten)
    Optimiser.RegisterPass(spvtools::CreateSSARewritePass())
        .RegisterPass(spvtools::CreateAggressiveDCEPass())
        .RegisterPass(spvtools::CreateCompactIdsPass());
  spvtools::OptimizerOptions Settings;
  Settings.set_run_validator(false);
  Words Result;
  if (!Optimiser.Run(Binary.data(), Binary.size(), &Result, Settings))
    return false;
  Binary = std::move(Result);
  return true;
}

bool validate(const Words &Binary, bool ScalarLayout, std::string &Why) {
  Why.clear();
  spvtools::SpirvTools Validator(Environment);
  Validator.SetMessageConsumer(collectInto(Why));
  spvtools::ValidatorOptions Options;
  Options.SetScalarBlockLayout(ScalarLayout);
  return Validator.Validate(Binary.data(), Binary.size(), Options);
}

class Facts {
public:
  explicit Facts(const SpirvModule &M) : M(M) {}
  uint32_t workgroupBytes() const;
  bool features(std::vector<std::string> &Out, std::string &Why) const;
  bool needsScalarLayout() const;

private:
  uint64_t blockAlignment(Id Type) const;
  uint64_t sizeOf(Id Type) const;
  uint64_t constant(Id C) const {
    const Instruction *I = M.global(C);
    return I && I->Operands.size() > 2 ? I->Operands[2] : 0;
  }
  const SpirvModule &M;
};

/// Bytes of a value, packed: workgroup memory has no prescribed layout.
uint64_t Facts::sizeOf(Id Type) const {
  const Instruction *I = M.global(Type);
  if (!I)
    return 0;
  switch (I->Opcode) {
  case spv::Op::OpTypeBool:
    return 4;
  case spv::Op::OpTypeInt:
  case spv::Op::OpTypeFloat:
    return I->Operands[1] / 8;
  case spv::Op::OpTypePointer:
    return 8;
  case spv::Op::OpTypeVector:
  case spv::Op::OpTypeMatrix:
    return sizeOf(I->Operands[1]) * I->Operands[2];
  case spv::Op::OpTypeArray:
    return sizeOf(I->Operands[1]) * constant(I->Operands[2]);
  case spv::Op::OpTypeStruct: {
    uint64_t Size = 0;
    for (size_t N = 1; N < I->Operands.size(); ++N)
      Size += sizeOf(I->Operands[N]);
    return Size;
  }
  default:
    return 0;
  }
}

/// In blocks without the scalar layout: vectors of three count as four.
uint64_t Facts::blockAlignment(Id Type) const {
  const Instruction *I = M.global(Type);
  if (!I)
    return 1;
  switch (I->Opcode) {
  case spv::Op::OpTypeVector:
    return sizeOf(I->Operands[1]) * (I->Operands[2] == 2 ? 2 : 4);
  case spv::Op::OpTypeMatrix:
  case spv::Op::OpTypeArray:
  case spv::Op::OpTypeRuntimeArray:
    return blockAlignment(I->Operands[1]);
  case spv::Op::OpTypeStruct: {
    uint64_t Most = 1;
    for (size_t N = 1; N < I->Operands.size(); ++N)
      Most = std::max(Most, blockAlignment(I->Operands[N]));
    return Most;
  }
  default:
    return std::max<uint64_t>(sizeOf(Type), 1);
  }
}

/// The validator does not look at blocks behind addresses.
bool Facts::needsScalarLayout() const {
  for (const Instruction &A : M[Section::Annotations]) {
    const Instruction *Target = M.global(A.Operands[0]);
    if (!Target)
      continue;
    if (A.is(spv::Op::OpMemberDecorate) &&
        A.Operands[2] == static_cast<uint32_t>(spv::Decoration::Offset) &&
        A.Operands[3] % blockAlignment(Target->Operands[A.Operands[1] + 1]))
      return true;
    bool Array = Target->is(spv::Op::OpTypeArray) ||
                 Target->is(spv::Op::OpTypeRuntimeArray);
    if (Array && A.is(spv::Op::OpDecorate) &&
        A.Operands[1] == static_cast<uint32_t>(spv::Decoration::ArrayStride) &&
        A.Operands[2] % blockAlignment(Target->Operands[1]))
      return true;
  }
  return false;
}

uint32_t Facts::workgroupBytes() const {
  uint64_t Bytes = 0;
  for (const Instruction &I : M[Section::Globals])
    if (I.is(spv::Op::OpVariable) &&
        I.Operands[2] == static_cast<uint32_t>(spv::StorageClass::Workgroup))
      if (const Instruction *Pointer = M.global(I.Operands[0]))
        Bytes += sizeOf(Pointer->Operands[2]);
  return static_cast<uint32_t>(std::min<uint64_t>(Bytes, ~0u));
}

bool Facts::features(std::vector<std::string> &Out, std::string &Why) const {
  for (const Instruction &I : M[Section::Capabilities]) {
    const Need *Known =
        std::find_if(std::begin(Needs), std::end(Needs), [&I](const Need &N) {
          return static_cast<uint32_t>(N.Capability) == I.Operands[0];
        });
    if (Known == std::end(Needs)) {
      Why = "it needs the SPIR-V capability " + std::to_string(I.Operands[0]) +
            ", which goldyc does not know";
      return false;
    }
    if (!Known->Feature.empty())
      Out.emplace_back(Known->Feature);
  }
  return true;
}

} // namespace

void cleanModule(SpirvModule &M, std::string_view Entry) {
  dropSource(M);
  dropStrayModes(M);
  renameEntry(M, Entry);
  forbidContraction(M);
  fixFloatModes(M);
}

bool flattenModule(SpirvModule &M, std::string &Why) {
  Words Binary = M.write();
  if (!runPasses(Binary, true, true, Why))
    return false;
  std::optional<SpirvModule> Flat = SpirvModule::read(Binary);
  if (!Flat)
    return false;
  M = std::move(*Flat);
  return true;
}

std::optional<std::array<uint32_t, 3>> workgroupSize(const SpirvModule &M) {
  for (const Instruction &I : M[Section::ExecutionModes])
    if (I.is(spv::Op::OpExecutionMode) &&
        I.Operands[1] == static_cast<uint32_t>(spv::ExecutionMode::LocalSize))
      return std::array{I.Operands[2], I.Operands[3], I.Operands[4]};
  return std::nullopt;
}

std::optional<Image> makeSpirvImage(const SpirvModule &M, const AbiLayout &Abi,
                                    unsigned OptLevel, std::string &Why) {
  Words Binary = M.write();
  Image I;
  I.Arch = "vulkan1.3";
  I.Format = "spirv";
  bool Scalar = !validate(Binary, false, Why);
  if (Scalar && !validate(Binary, true, Why))
    return std::nullopt;
  if (OptLevel > 0 &&
      (!runPasses(Binary, false, true, Why) || !validate(Binary, Scalar, Why)))
    return std::nullopt;
  std::optional<SpirvModule> Final = SpirvModule::read(Binary);
  if (!Final || !Facts(*Final).features(I.Features, Why))
    return std::nullopt;
  if (Scalar || Facts(*Final).needsScalarLayout())
    I.Features.emplace_back("scalarBlockLayout");
  std::sort(I.Features.begin(), I.Features.end());
  I.WorkgroupBytes = Facts(*Final).workgroupBytes();
  const Words &E = (*Final)[Section::EntryPoints].front().Operands;
  I.Entry = literalText(std::span(E).subspan(2));
  I.BlockBehindAddress = Abi.Size > 128;
  I.PushConstantBytes = I.BlockBehindAddress ? 8 : Abi.Size;
  I.Bytes.reserve(Binary.size() * 4);
  for (uint32_t W : Binary)
    for (unsigned Byte = 0; Byte < 4; ++Byte)
      I.Bytes.push_back(static_cast<uint8_t>(W >> (8 * Byte)));
  return I;
}

} // namespace goldy::foreign
