//===- Lives.h - Which temporaries share storage --------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_PROGRAMDESC_LIVES_H
#define GOLDYC_LIB_PROGRAMDESC_LIVES_H

#include "goldyc/ProgramDesc/Program.h"

namespace goldy::prog {

/// A piece of storage and the temporaries that lie in it, one after another.
struct Storage {
  uint32_t Device = 0;
  ExprId Count;    ///< elements, the same of all
  uint64_t Stride; ///< bytes an element, the same of all
  std::vector<BufferId> Buffers;
};

/// Storage of all temporaries that some step names, in the order of first use.
/// Two share if they have one device, count and stride, and no step lies
/// between the first and last use of both, in either branch of a choice that
/// holds all uses of one. A use inside a loop lasts for all of
/// the outermost loop, as the next trip may read what this one left.
std::vector<Storage> shareStorage(const Program &P, const Module &M);

} // namespace goldy::prog

#endif
