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

#include <string>

namespace goldy::rt {

/// 1 to 4.
unsigned cpuLevel();
/// "x86-64-v3".
std::string levelName(unsigned Level);

} // namespace goldy::rt

#endif
