//===- Slangc.h - Slang's own compiler, if it is there ----------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_UNITTESTS_TARGET_SLANG_SLANGC_H
#define GOLDYC_UNITTESTS_TARGET_SLANG_SLANGC_H

#include <cstdint>
#include <string>
#include <vector>

namespace goldy::test {

/// The path in GOLDY_SLANGC; null when there is none.
const char *slangCompiler();

/// SPIR-V of one entry, without its OpSource instructions, whose language
/// number the validator does not know. Empty when the compiler refused; `Log`
/// holds what it said.
std::vector<uint32_t> slangToSpirv(const char *Slangc, const std::string &Text,
                                   const std::string &Entry, std::string &Log);

} // namespace goldy::test

#endif
