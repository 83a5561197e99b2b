//===- VectorMemory.h - Elements that one access moves ----------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors of 8 or 16 bytes lie at multiples of their size in workgroup arrays
// and in buffers of them, and uniform blocks at multiples of 16 (docs/ABI.md),
// so that GPUs move as much by one instruction.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_IR_VECTORMEMORY_H
#define GOLDYC_IR_VECTORMEMORY_H

#include "goldyc/IR/Type.h"

namespace goldy {

/// Vectors of two or four 32-bit scalars.
inline bool movesWhole(const TypeTable &Types, TypeId T) {
  return Types.kind(T) == TypeKind::Vector &&
         (Types.memberCount(T) == 2 || Types.memberCount(T) == 4) &&
         Types.bits(Types[T].Element) == 32;
}

/// Workgroup arrays and uniform blocks start at multiples of it.
inline constexpr uint32_t WideAlign = 16;

} // namespace goldy

#endif
