//===- Print.h - --print, --explain, --version ----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_DRIVER_PRINT_H
#define GOLDYC_LIB_DRIVER_PRINT_H

#include "goldyc/Driver/Options.h"

#include <ostream>

namespace goldy::driver {

/// Answers every question of the options; true if there was one, so that
/// nothing is to be compiled.
bool answerQuestions(const DriverOptions &O, std::ostream &Out,
                     DiagSink &Diags);

} // namespace goldy::driver

#endif
