//===- Prelude.h - Sequences written in the kernel language
//-----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The prelude's sources are part of the library. They are parsed and lowered
// once a process, when the first kernel needs one of their helpers; kernels
// that need none pay nothing.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_PRELUDE_PRELUDE_H
#define GOLDYC_PRELUDE_PRELUDE_H

#include "goldyc/IR/IR.h"

#include <string_view>

namespace goldy {

/// Text of `exact.goldy`: exact sequences for operations that a target lacks.
std::string_view exactPreludeText();

/// Its helpers, lowered (level Definition, calls not expanded). Thread-safe;
/// lives as long as the process.
const Module &exactPrelude();

/// Text of `math.goldy`: the published functions, each named as its operation.
std::string_view mathPreludeText();

/// All of it, as `exactPrelude`: scalars only, no tables.
const Module &mathPrelude();

/// The function `Name` of it alone, behind what it calls: a kernel pays for the
/// functions that it uses. `Name` must be in `math.goldy`.
const Module &mathFunction(std::string_view Name);

/// Text of `collectives.goldy`: `softmax`, in terms of reductions.
std::string_view collectivesPreludeText();

/// Lowered as `exactPrelude`. Its helpers hold barriers and reductions; their
/// scratch array is a buffer parameter.
const Module &collectivesPrelude();

} // namespace goldy

#endif
