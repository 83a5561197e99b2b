//===- Emit.cpp - SPIR-V from the legal form
//-------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of an emission: facts of the function, limits, interface, code,
// entry point, SPIRV-Tools, image.
//
//===----------------------------------------------------------------------===//
#include "Emitter.h"

#include <algorithm>
#include <cstring>

namespace goldy::spirv {

Id Emitter::unsupported(InstId I) {
  if (!Failed)
    Diags.report(diag::G0680, F.Insts[I].Loc)
            .help("this comes from the passes before the emitter, not from "
                  "the kernel")
        << "`" << opInfo(F.Insts[I].Opcode).Mnemonic
        << "` on this type has no form in " << archName()
        << " code without legalisation";
  Failed = true;
  return 0;
}

Id Emitter::unsupportedType(TypeId T, Span Where) {
  if (!Failed)
    Diags.report(diag::G0681, Where).help("use scalars")
        << "values of type `" << M.Types.name(T)
        << "` are not supported yet by " << archName();
  Failed = true;
  return 0;
}

Id Emitter::typeId(TypeId T, Span Where) {
  switch (M.Types.kind(T)) {
  case TypeKind::Bool:
    return B.boolType();
  case TypeKind::U32:
    return B.u32Type();
  case TypeKind::I32:
    return B.intType(32, true);
  case TypeKind::F32:
    return B.f32Type();
  case TypeKind::U64:
    return B.longType(false);
  case TypeKind::I64:
    return B.longType(true);
  case TypeKind::Array: {
    Id Element = typeId(M.Types[T].Element, Where);
    if (!Element || M.Types[T].Count == 0)
      return unsupportedType(T, Where);
    return B.arrayType(Element, M.Types[T].Count);
  }
  case TypeKind::Vector: {
    Id Element = typeId(M.Types[T].Element, Where);
    return Element ? B.vectorType(Element, M.Types.memberCount(T)) : 0;
  }
  default:
    return unsupportedType(T, Where);
  }
}

/// What the whole function contains, before any word is written.
void Emitter::scan() {
  for (const Inst &I : F.Insts) {
    HasFloat |= I.Type == types::F32;
    if (I.Opcode == Op::ToBits)
      LoadsForBits.set(F.operands(I)[0], true);
    HasBarrier |= opInfo(I.Opcode).Effects == Effect::Sync;
    if (!accessesPlace(I.Opcode))
      continue;
    const Place &P = F.Places[I.Where];
    if (P.Base.Kind == BaseKind::Workgroup && isAtomic(I.Opcode) &&
        P.Type == types::F32)
      FloatAsWords.set(WorkgroupId(P.Base.Index), true);
    if (P.Base.Kind != BaseKind::Param)
      continue;
    WritesBuffer |= I.Opcode != Op::Load;
    HasDeviceAtomic |= isAtomic(I.Opcode);
  }
  for (const Param &P : F.Params)
    HasFloat |= P.Type == types::F32;
}

bool Emitter::checkLimits() {
  if (F.Name.size() > 1024) {
    Diags.report(diag::G0684, F.Loc).help("give the kernel a shorter name")
        << "the kernel's name has " << F.Name.size() << " bytes, " << archName()
        << " code takes 1024";
    return false;
  }
  constexpr size_t MostParams = 8192; // an instruction has 65,535 words
  if (F.Params.size() > MostParams) {
    Diags.report(diag::G0681, F.Loc).help("put the values into a buffer")
        << "kernel `" << F.Name << "` has " << F.Params.size()
        << " parameters, " << archName() << " code takes " << MostParams;
    return false;
  }
  uint64_t Bytes = 0;
  for (const WorkgroupArray &A : F.WorkgroupArrays)
    Bytes += M.Types.layout(A.Type).Size;
  WorkgroupBytes = static_cast<uint32_t>(std::min<uint64_t>(Bytes, ~0u));
  if (Bytes <= MaxWorkgroupBytes)
    return true;
  Diags.report(diag::G0652, F.Loc).help("make the workgroup arrays smaller")
      << "kernel `" << F.Name << "` needs " << Bytes
      << " bytes of workgroup memory, " << archName() << " offers "
      << MaxWorkgroupBytes;
  return false;
}

std::optional<Image> Emitter::run() {
  scan();
  if (!checkLimits())
    return std::nullopt;
  B.capability(spv::Capability::Shader);
  if (InWords) {
    B.capability(spv::Capability::StorageBufferArrayDynamicIndexing);
    if (HasFloat)
      B.extension("SPV_KHR_float_controls");
  } else {
    B.capability(spv::Capability::PhysicalStorageBufferAddresses);
    B.capability(spv::Capability::VulkanMemoryModel);
    if (HasDeviceAtomic)
      B.capability(spv::Capability::VulkanMemoryModelDeviceScope);
  }
  Id Entry = B.newId(), Function = B.newId();
  if (!declareBlock() || !declareWorkgroupArrays())
    return std::nullopt;
  C.label(Entry);
  zeroWorkgroupArrays();
  block(F.Body);
  if (Failed)
    return std::nullopt;
  if (C.isOpen())
    C.ret();

  B.name(Function, F.Name);
  Id Void = B.voidType();
  Words Code = C.finish(Function, B.functionType(Void), Void, Entry);
  B.entryPoint(Function, F.Name);
  B.executionMode(Function, spv::ExecutionMode::LocalSize,
                  {F.WorkgroupSize[0], F.WorkgroupSize[1], F.WorkgroupSize[2]});
  if (HasFloat) {
    B.capability(spv::Capability::RoundingModeRTE);
    B.capability(spv::Capability::SignedZeroInfNanPreserve);
    B.executionMode(Function, spv::ExecutionMode::RoundingModeRTE, {32});
    B.executionMode(Function, spv::ExecutionMode::SignedZeroInfNanPreserve,
                    {32});
  }
  std::string Why;
  std::optional<Words> Binary =
      finishBinary(B.finish(Code), Options.OptLevel, InWords, Why);
  if (!Binary)
    return Diags.report(diag::G0689, F.Loc)
               .help("please report it with the kernel: this is a fault of "
                     "goldyc")
           << "the SPIR-V of kernel `" << F.Name << "` was refused: " << Why;
  return makeImage(std::move(*Binary));
}

Image Emitter::makeImage(Words Binary) const {
  Image I;
  I.Arch = archName();
  I.WordBindings = WordBindings;
  I.Format = "spirv";
  I.Bytes.resize(Binary.size() * 4);
  for (size_t W = 0; W < Binary.size(); ++W)
    for (unsigned Byte = 0; Byte < 4; ++Byte)
      I.Bytes[W * 4 + Byte] = static_cast<uint8_t>(Binary[W] >> (8 * Byte));
  I.Entry = F.Name;
  I.WorkgroupBytes = WorkgroupBytes;
  I.PushConstantBytes = BehindAddress ? 8 : Abi.Size;
  I.BlockBehindAddress = BehindAddress;
  I.Switches.assign(Switches.begin(), Switches.end());
  if (InWords)
    I.Features = {"shaderStorageBufferArrayDynamicIndexing"};
  else
    I.Features = {"bufferDeviceAddress", "vulkanMemoryModel"};
  if (B.declares(spv::Capability::Int64))
    I.Features.push_back("shaderInt64");
  if (HasDeviceAtomic && !InWords)
    I.Features.push_back("vulkanMemoryModelDeviceScope");
  if (HasShuffle) {
    I.Features.push_back("subgroupBasic");
    I.Features.push_back("subgroupShuffle");
  }
  if (HasBytes)
    I.Features.push_back("storageBuffer8BitAccess");
  if (HasShorts)
    I.Features.push_back("storageBuffer16BitAccess");
  if (HasFloat) {
    I.Features.push_back("shaderRoundingModeRTEFloat32");
    I.Features.push_back("shaderSignedZeroInfNanPreserveFloat32");
  }
  std::sort(I.Features.begin(), I.Features.end());
  return I;
}

} // namespace goldy::spirv

namespace goldy {

std::optional<Image> emitSpirv(const VerifiedModule &M, FuncId Kernel,
                               const EmitOptions &Options, DiagSink &Diags) {
  const Function &F = M->Functions[Kernel];
  return spirv::Emitter(*M, F, Options, Diags).run();
}

} // namespace goldy
