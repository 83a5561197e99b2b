//===- Emit.h - PTX text --------------------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TARGET_PTX_EMIT_H
#define GOLDYC_TARGET_PTX_EMIT_H
#include "goldyc/Target/Target.h"
namespace goldy {
/// PTX text for `Arch` ("sm_80", "sm_90a") through LLVM's NVPTX.
std::optional<Image> emitPtx(const VerifiedModule &M, FuncId Kernel,
                             std::string_view Arch, const EmitOptions &Options,
                             DiagSink &Diags);
/// LLVM IR text of the same (--emit=llvm-ir).
std::optional<std::string> emitPtxLLVM(const VerifiedModule &M, FuncId Kernel,
                                       std::string_view Arch,
                                       const EmitOptions &Options,
                                       DiagSink &Diags);
} // namespace goldy
#endif
