//===- Names.cpp - Kinds and targets by name ------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/Driver/Options.h"
#include "goldyc/Target/Host/Emit.h"

using namespace goldy;

const std::vector<EmitKindInfo> &goldy::emitKinds() {
  static const std::vector<EmitKindInfo> Kinds = {
      {EmitKind::Artifact, "artifact", "gdy", EmitUnit::Input, false},
      {EmitKind::Lanes, "lanes", "lanes", EmitUnit::Image, true},
      {EmitKind::Slang, "slang", "slang", EmitUnit::Kernel, false},
      {EmitKind::SlangEntry, "slang-entry", "entry.slang", EmitUnit::Kernel,
       false},
      {EmitKind::Spirv, "spirv", "spv", EmitUnit::Image, false},
      {EmitKind::SpirvAsm, "spirv-asm", "spvasm", EmitUnit::Image, true},
      {EmitKind::Ptx, "ptx", "ptx", EmitUnit::Image, false},
      {EmitKind::LlvmIr, "llvm-ir", "ll", EmitUnit::Image, false},
      {EmitKind::Asm, "asm", "s", EmitUnit::Image, false},
      {EmitKind::Obj, "obj", "o", EmitUnit::Image, false},
      {EmitKind::Header, "header", "hpp", EmitUnit::Input, false},
      {EmitKind::CHeader, "cheader", "h", EmitUnit::Input, false},
      {EmitKind::Embed, "embed", "c", EmitUnit::Input, false},
      {EmitKind::Meta, "meta", "json", EmitUnit::Input, true},
      {EmitKind::Ast, "ast", "ast", EmitUnit::Input, true},
      {EmitKind::Ir, "ir", "ir.goldy", EmitUnit::Input, true},
      {EmitKind::Report, "report", "html", EmitUnit::Input, true},
      {EmitKind::ReportJson, "report-json", "report.json", EmitUnit::Input,
       true},
      {EmitKind::Deps, "deps", "d", EmitUnit::Input, true},
      {EmitKind::ProgramText, "program-text", "gdyt", EmitUnit::Program, true},
  };
  return Kinds;
}

const EmitKindInfo &goldy::emitKindInfo(EmitKind K) {
  return emitKinds()[static_cast<size_t>(K)];
}

const std::vector<TargetName> &goldy::targetNames() {
  static const std::vector<TargetName> Names = {
      {"host", "x86-64-v2, x86-64-v3 and x86-64-v4 in one image set"},
      {"x86-64-v1", "SSE2, 4 lanes"},
      {"x86-64-v2", "SSE4.2, 4 lanes"},
      {"x86-64-v3", "AVX2 and FMA, 8 lanes"},
      {"x86-64-v4", "AVX-512, 16 lanes"},
      {"native", "the level of this machine"},
      {"spirv", "vulkan1.3"},
      {"vulkan1.3", "SPIR-V 1.6 with buffer device addresses"},
      {"vulkan1.1", "SPIR-V 1.3, buffers in a descriptor array"},
      {"ptx", "ptx-sm_80"},
      {"ptx-sm_80", "PTX for compute capability 8.0 and later"},
      {"ptx-sm_90a", "PTX for compute capability 9.0a"},
      {"all", "host, spirv and ptx"},
  };
  return Names;
}

std::vector<std::string> goldy::archsOfTarget(std::string_view T) {
  std::vector<std::string> Host = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
  if (T == "host")
    return Host;
  if (T == "all")
    return {Host[0], Host[1], Host[2], "vulkan1.3", "sm_80"};
  if (T == "native")
    return {nativeHostArch()};
  if (T == "spirv" || T == "vulkan1.3")
    return {"vulkan1.3"};
  if (T == "vulkan1.1")
    return {"vulkan1.1"};
  if (T == "ptx" || T == "ptx-sm_80")
    return {"sm_80"};
  if (T == "ptx-sm_90a")
    return {"sm_90a"};
  if (T == "x86-64-v1" || T == "x86-64-v2" || T == "x86-64-v3" ||
      T == "x86-64-v4")
    return {std::string(T)};
  return {};
}

bool goldy::isHostArch(std::string_view Arch) {
  return Arch.starts_with("x86-64-");
}
bool goldy::isSpirvArch(std::string_view Arch) {
  return Arch.starts_with("vulkan");
}
bool goldy::isPtxArch(std::string_view Arch) { return Arch.starts_with("sm_"); }
