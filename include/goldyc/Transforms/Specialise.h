//===- Specialise.h - A kernel for given values of its scalars ------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A variant has the parameters of its original, so it is bound alike; those
// that are baked in must be given the same values. The original stays for
// others.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TRANSFORMS_SPECIALISE_H
#define GOLDYC_TRANSFORMS_SPECIALISE_H

#include "goldyc/IR/IR.h"

#include <optional>
#include <span>
#include <string>

namespace goldy {

/// The name of the variant: the kernel's, `_with_` and twelve hexadecimal
/// digits that stand for the values.
std::string variantName(std::string_view Kernel,
                        std::span<const std::optional<uint64_t>> Values);

/// The variant with these values, one entry a parameter (bits, zero-extended,
/// for scalars only): made at the end of the module, or found there if it was
/// made before. The kernel itself if no value is given.
FuncId specialise(Module &M, FuncId Kernel,
                  std::span<const std::optional<uint64_t>> Values);

} // namespace goldy

#endif
