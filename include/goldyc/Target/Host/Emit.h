//===- Emit.h - Vectorised x86-64 code ------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TARGET_HOST_EMIT_H
#define GOLDYC_TARGET_HOST_EMIT_H
#include "goldyc/Analysis/Lanes.h"
#include "goldyc/Target/Target.h"
namespace goldy {
enum class HostOutput : uint8_t { Blob, Object, Assembly, LLVMIR };
/// Vectorised x86-64 code of one kernel for level `Arch` ("x86-64-v1" … "v4")
/// from the legal form. Blob: flat position-independent code, entry
/// `int32_t k(const void *block, const goldy_group_range *, void *scratch)`
/// (schemas/goldy_host_abi.h). The other outputs put their bytes into
/// Image::Bytes as they are.
std::optional<Image> emitHost(const VerifiedModule &M, FuncId Kernel,
                              std::string_view Arch, HostOutput Output,
                              const EmitOptions &Options, DiagSink &Diags);
/// Code of one work-item for debuggers (goldy_host_abi.h), from a legal form
/// that keeps its variables. `Options.Debug` is set.
std::optional<ItemCode> emitHostItem(const VerifiedModule &M, FuncId Kernel,
                                     std::string_view Arch,
                                     const EmitOptions &Options,
                                     DiagSink &Diags);
/// The vector registers of `Arch`.
LaneMachine hostLanes(std::string_view Arch);
/// "x86-64-vN" of this machine (--target=native).
std::string nativeHostArch();
} // namespace goldy
#endif
