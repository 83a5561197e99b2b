//===- Emit.h - Slang text ------------------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TARGET_SLANG_EMIT_H
#define GOLDYC_TARGET_SLANG_EMIT_H
#include "goldyc/Target/Target.h"
namespace goldy {
/// Canonical `[goldy_compute]` Slang of one kernel from its definition:
/// readable, golden, stable.
std::optional<std::string> emitSlang(const VerifiedModule &M, FuncId Kernel,
                                     DiagSink &Diags);
/// How the parameter block arrives: pushed, itself or its address; or as the
/// entry's by-value parameter.
enum class SlangEntryFor : uint8_t { Vulkan, Cuda };
struct SlangEntry {
  std::string Text;
  std::string Entry; ///< the function's name in the text
};
/// Self-contained bit-exact Slang (`slang-entry`) from the legal form; Slang's
/// own compiler takes it unchanged.
std::optional<SlangEntry>
emitSlangEntry(const VerifiedModule &M, FuncId Kernel, DiagSink &Diags,
               SlangEntryFor For = SlangEntryFor::Vulkan);
/// Text of lib/Prelude/goldy.slang and the published functions: put before
/// canonical text it makes a whole program for Slang's compiler.
std::string_view goldySlangText();
} // namespace goldy
#endif
