//===- ViaSlang.h - Slang's compiler as a second implementation -----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_FOREIGN_VIASLANG_H
#define GOLDYC_FOREIGN_VIASLANG_H

#include "goldyc/Target/Target.h"

namespace goldy {

/// The image that Slang's compiler makes of a kernel's `slang-entry` text, for
/// "vulkan1.3" or, through NVRTC, for "sm_80" and "sm_90a". It takes the same
/// parameter block as our own code. `Entry` is the function's name in the text,
/// which was written from `Kernel` of `M`.
std::optional<Image>
compileSlangEntry(const std::string &Text, const std::string &Entry,
                  const Module &M, FuncId Kernel, const std::string &Arch,
                  const EmitOptions &Options, DiagSink &Diags);

} // namespace goldy

#endif
