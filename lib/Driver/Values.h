//===- Values.h - Values given on the command line ------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_DRIVER_VALUES_H
#define GOLDYC_LIB_DRIVER_VALUES_H

#include "goldyc/Driver/Pipeline.h"

namespace goldy::driver {

/// --spec on IR text: new defaults. Unknown names and values that do not fit
/// are reported.
void setSpecs(Module &M, const DriverOptions &O, DiagSink &Diags);

/// --bake: fills `Baked` of the units whose kernels are named. What names no
/// scalar parameter of a kernel, or does not fit, is reported.
void resolveBakes(std::vector<CompileUnit> &Units, const DriverOptions &O,
                  DiagSink &Diags);

} // namespace goldy::driver

#endif
