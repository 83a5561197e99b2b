//===- Emit.h - SPIR-V modules for Vulkan ---------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TARGET_SPIRV_EMIT_H
#define GOLDYC_TARGET_SPIRV_EMIT_H
#include "goldyc/Target/Target.h"
namespace goldy {
/// Vulkan 1.3 module with buffer device addresses from the legal form,
/// optimised and validated with SPIRV-Tools.
std::optional<Image> emitSpirv(const VerifiedModule &M, FuncId Kernel,
                               const EmitOptions &Options, DiagSink &Diags);
/// Disassembly (--emit=spirv-asm).
std::string disassembleSpirv(const Image &I);
} // namespace goldy
#endif
