//===- SplitMasks.h - One mask per register --------------------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Masks of vectors of several registers. Numbers of such vectors are split by
// the backend as soon as it sees them; masks of 32 and 64 lanes are words to
// it, which it puts together after each comparison and takes apart before each
// use, in every block anew.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TARGET_HOST_SPLITMASKS_H
#define GOLDYC_LIB_TARGET_HOST_SPLITMASKS_H

namespace llvm {
class Function;
}

namespace goldy {

/// Makes vectors of more than `Lanes` bits several of `Lanes` bits, with the
/// comparisons that make them and the choices that they make. A function whose
/// masks all stay within their blocks is left as it is. Lanes: those of a
/// register; wider masks have a multiple of it.
void splitMasks(llvm::Function &Fn, unsigned Lanes);

} // namespace goldy

#endif
