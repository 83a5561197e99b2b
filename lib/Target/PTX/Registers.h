//===- Registers.h - How many registers a kernel wants ----------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas schedules loads early and may spend a few registers more than let two
// groups share a multiprocessor, where it is told nothing. Told so it finds
// another schedule, but where the values do not fit it keeps some in memory,
// which is worse. So the kernel's own values are counted first.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TARGET_PTX_REGISTERS_H
#define GOLDYC_LIB_TARGET_PTX_REGISTERS_H

#include "llvm/IR/Function.h"

namespace goldy::ptx {

/// 32-bit registers that values live in at once, at most, in the order in which
/// the instructions stand. Conditions are free.
unsigned liveRegisters(const llvm::Function &F);

/// Groups that a multiprocessor should have registers for, or 0 to say nothing.
/// As many as make 512 threads, where the kernel fits into their 128 registers
/// but not easily: one that needs fewer would be given more than it needs.
unsigned wantedGroups(const llvm::Function &F, unsigned Threads,
                      unsigned WorkgroupBytes);

/// As many as make all 2,048 threads of a multiprocessor, for a kernel that
/// waits for its rows: where their 32 registers are enough, or 0.
unsigned groupsForAllWarps(const llvm::Function &F, unsigned Threads);

} // namespace goldy::ptx

#endif
