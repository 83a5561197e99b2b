//===- Rounding.h - Modules without a declared rounding mode --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Images declare rounding to nearest even for f32. There are devices that round
// so anyway, and that keep subnormals once a module declares it; without the
// declaration they flush by the language's rule and need none of its sequences.
// The probe asks in both ways (Probe.h,
// docs/decisions/0018-rounding-undeclared.md).
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_VULKAN_ROUNDING_H
#define GOLDY_RUNTIME_VULKAN_ROUNDING_H

#include <cstdint>
#include <span>
#include <vector>

namespace goldy::rt::vk {

/// The words of a SPIR-V module without its execution mode RoundingModeRTE of
/// 32 bits, and without the capability unless another width needs it. Words
/// that are no well-formed module come back as they are.
std::vector<uint32_t> withoutRounding(std::span<const uint32_t> Module);

} // namespace goldy::rt::vk

#endif
