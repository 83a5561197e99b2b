//===- Inline.h - Expands calls of helpers
//----------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers exist by value only: every call is expanded before a target sees the
// kernel. A helper that returns from the middle becomes a Block with a slot for
// its value; resources and workgroup arrays given as arguments take the place
// of the parameters that named them.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TRANSFORMS_INLINE_H
#define GOLDYC_TRANSFORMS_INLINE_H

#include "goldyc/IR/Builder.h"

#include <span>

namespace goldy {

/// What is left in the code where a helper stood, for those that ask.
enum class CallMarks : uint8_t {
  None,
  Calls,    ///< CallMark at both ends
  Arguments ///< and ArgumentMarks behind the first
};

/// Emits the body of `Callee` (a verified function of `From`) where `B` stands
/// and returns the value of the call, or an invalid handle for none. `Args` are
/// values of the builder's function, Ref leaves for resources. Calls within
/// `Callee` are expanded too. `From` may be another module than the builder's
/// if the callee uses scalar types only and no tables. Afterwards the builder
/// stands in the same block.
ValueId expandCall(Builder &B, const Module &From, const Function &Callee,
                   std::span<const ValueId> Args,
                   CallMarks Marks = CallMarks::None);

/// Expands every call of every kernel and drops the helpers: function handles
/// change. True if there was anything to do.
bool inlineCalls(Module &M, CallMarks Marks = CallMarks::None);

} // namespace goldy

#endif
