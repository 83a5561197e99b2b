//===- Optimise.h - Fusion and variants in a unit's programs --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_DRIVER_OPTIMISE_H
#define GOLDYC_LIB_DRIVER_OPTIMISE_H

#include "goldyc/Driver/Pipeline.h"

namespace goldy::driver {

/// Once programs and their kernels are known to be right: fuses dispatches and
/// gives them variants, as the command line says. Adds kernels to the module
/// and remarks to the unit. Programs keep away from the images of kernels that
/// `--bake` fixes.
void optimisePrograms(CompileUnit &Unit, Module &M, const DriverOptions &O);

} // namespace goldy::driver

#endif
