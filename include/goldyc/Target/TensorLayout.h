//===- TensorLayout.h - Where a launch's tensor layouts are ---------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layout table of a launch holds one `GoldyTensorLayout` of 48 bytes for
// each tensor parameter, in declaration order (docs/ABI.md). Element offsets
// are in the parameter block, 16 bytes behind the parent's entry.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TARGET_TENSORLAYOUT_H
#define GOLDYC_TARGET_TENSORLAYOUT_H

#include "goldyc/IR/IR.h"

namespace goldy {

inline constexpr uint32_t TensorLayoutBytes = 48;
/// Of the element offset, from the start of the tensor's entry in the block.
inline constexpr uint32_t TensorOffsetInEntry = 16;

inline bool readsLayout(Op O) {
  return O == Op::LayoutWord || O == Op::TensorOffset;
}

/// The parameter that a LayoutWord or TensorOffset names.
inline uint32_t tensorParam(const Function &F, InstId I) {
  return F.Places[F.Insts[F.operand(I, 0)].Where].Base.Index;
}

/// Number of a tensor parameter among the tensors.
inline uint32_t tensorNumber(const Function &F, uint32_t Param) {
  uint32_t Number = 0;
  for (uint32_t I = 0; I < Param; ++I)
    Number += F.Params[I].bound() == ParamKind::Tensor;
  return Number;
}

/// Byte of the layout table that a LayoutWord reads.
inline uint32_t layoutByte(const Function &F, InstId I) {
  uint32_t Word = static_cast<uint32_t>(F.Insts[F.operand(I, 1)].Imm);
  return tensorNumber(F, tensorParam(F, I)) * TensorLayoutBytes + 4 * Word;
}

} // namespace goldy

#endif
