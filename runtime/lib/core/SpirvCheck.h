//===- SpirvCheck.h - SPIR-V from files that nobody vouches for --===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Drivers compile what they are given; a module that is not valid may crash
// them.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CORE_SPIRVCHECK_H
#define GOLDY_RUNTIME_CORE_SPIRVCHECK_H

#include "artifact/Artifact.h"

namespace goldy::rt {

/// Whether `I`, SPIR-V of kernel `K`, may be given to a driver: it is valid for
/// Vulkan 1.3, and its interface is the one that the artifact states: one entry
/// of the image's name, the kernel's workgroup size, push constants within the
/// bytes that are pushed, no descriptors. GOLDY_INVALID_ARTIFACT;
/// GOLDY_UNTRUSTED in a build without the validator.
Status checkSpirv(const Kernel &K, const Image &I);

} // namespace goldy::rt

#endif
