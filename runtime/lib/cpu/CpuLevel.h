//===- CpuLevel.h - x86-64 levels of this machine -------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The levels of the x86-64 psABI, from what the processor and the operating
// system report.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CPU_CPULEVEL_H
#define GOLDY_RUNTIME_CPU_CPULEVEL_H

#include "core/Status.h"

#include <string>

namespace goldy::rt {

/// What the machine can run, 1 to 4.
unsigned cpuLevel();
/// The level that devices are opened with: the machine's, or what
/// `GOLDY_CPU_LEVEL` says if that is less, for tests of lower ones.
Status levelToUse(unsigned &Out);
/// "x86-64-v3".
std::string levelName(unsigned Level);

} // namespace goldy::rt

#endif
