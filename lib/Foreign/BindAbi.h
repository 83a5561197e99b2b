//===- BindAbi.h - From descriptors to the kernel ABI -----------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shader binds storage buffers by set and binding, and its scalars are
// pushed. The kernel ABI pushes one block that holds addresses and scalars. The
// module is rewritten from one to the other: a buffer variable becomes a
// pointer that is loaded from the block where it is used, the length of its
// array the length in the block; ids count from the block's base words. The
// parameters are the buffers by set and binding, then the scalars by offset.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_FOREIGN_BINDABI_H
#define GOLDYC_LIB_FOREIGN_BINDABI_H

#include "SpirvModule.h"
#include "goldyc/IR/IR.h"
#include "goldyc/Support/Diag.h"

#include <functional>

namespace goldy::foreign {

/// Rewrites `M` and completes the parameters and the workgroup size of `F`,
/// whose types go into `Types`. `PlaceOf` gives the place of a name in the
/// source. False with a diagnostic if something has no place in the ABI.
bool bindToAbi(SpirvModule &M, Module &Types, Function &F,
               const std::function<Span(std::string_view)> &PlaceOf,
               DiagSink &Diags);

} // namespace goldy::foreign

#endif
