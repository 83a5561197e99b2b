//===- ScalarNames.h - Scalars in languages of C's kin
//---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What C, C++ and Slang call alike.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_IR_SCALARNAMES_H
#define GOLDYC_IR_SCALARNAMES_H

#include "goldyc/IR/Type.h"

#include <string_view>

namespace goldy {

/// `float`, and the integers by their widths (`uint16_t`): what memory holds,
/// so f16 and bf16 are their bits and bool is a word. Empty for other kinds.
std::string_view scalarInC(TypeKind K);

} // namespace goldy

#endif
