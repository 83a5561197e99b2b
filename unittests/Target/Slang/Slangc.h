//===- Slangc.h - Slang's own compiler, if it is there ----------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_UNITTESTS_TARGET_SLANG_SLANGC_H
#define GOLDYC_UNITTESTS_TARGET_SLANG_SLANGC_H

#include "goldyc/Foreign/SlangLibrary.h"

namespace goldy::test {

/// Slang's library, from where goldyc looks for it or from the project's
/// `.venv`. Without one null with a warning, or a failure if
/// GOLDY_REQUIRE_SLANG is set.
SlangLibrary *slangForTests();

/// SPIR-V of one entry as the library gives it. Empty when the compiler
/// refused; `Log` holds what it said.
std::vector<uint32_t> slangToSpirv(SlangLibrary &Slang, const std::string &Text,
                                   const std::string &Entry, std::string &Log);

} // namespace goldy::test

#endif
