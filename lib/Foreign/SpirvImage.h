//===- SpirvImage.h - Another compiler's module as an image -----*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_FOREIGN_SPIRVIMAGE_H
#define GOLDYC_LIB_FOREIGN_SPIRVIMAGE_H

#include "SpirvModule.h"
#include "goldyc/IR/IR.h"
#include "goldyc/Target/Target.h"

namespace goldy::foreign {

/// Takes out what names the source, forbids contraction of every float
/// operation, asks for rounding to nearest even and for signed zeros, NaNs and
/// infinities where floats occur, and names the entry `Entry`.
void cleanModule(SpirvModule &M, std::string_view Entry);

/// The vulkan1.3 image: optimised, validated, its needs listed. The module
/// takes the block of `Abi`: pushed if it fits 128 bytes. `Why`: what the
/// validator says, or which capability is not known.
std::optional<Image> makeSpirvImage(const SpirvModule &M, const AbiLayout &Abi,
                                    unsigned OptLevel, std::string &Why);

/// LocalSize of the only entry; nothing if it is not given in numbers.
std::optional<std::array<uint32_t, 3>> workgroupSize(const SpirvModule &M);

/// Inlines all calls and promotes locals.
bool flattenModule(SpirvModule &M, std::string &Why);

} // namespace goldy::foreign

#endif
