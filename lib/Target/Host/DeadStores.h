//===- DeadStores.h - Stores that no work-item reads ----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scratch memory is a group's own: what it holds when the group ends, nobody
// reads. Where levels of a tree come from registers, their stores are for none.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TARGET_HOST_DEADSTORES_H
#define GOLDYC_LIB_TARGET_HOST_DEADSTORES_H

namespace llvm {
class Function;
class Value;
} // namespace llvm

namespace goldy {

/// Metadata of the branch behind which the next group begins.
inline constexpr char GroupEndMark[] = "goldy.group.end";

/// Drops stores at known places of `Scratch` that are not read before their
/// group ends.
void dropDeadStores(llvm::Function &Fn, const llvm::Value *Scratch);

} // namespace goldy

#endif
