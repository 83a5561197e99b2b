//===- StoredVectors.h - Loads of what was just stored ----------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each level of a tree over a workgroup array reads both halves of what the
// level before stored as one vector. LLVM hands a stored vector on to a load of
// the same size and place only, so the chain of levels would wait for memory
// at each of them.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TARGET_HOST_STOREDVECTORS_H
#define GOLDYC_LIB_TARGET_HOST_STOREDVECTORS_H

namespace llvm {
class Function;
}

namespace goldy {

/// Makes loads of elements that one store of the same block has put there
/// elements of what it stored. Stores stay.
void takeStoredVectors(llvm::Function &Fn);

} // namespace goldy

#endif
