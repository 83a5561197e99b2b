//===- ParamIndices.h - At which ids a kernel touches its buffers ---------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_ANALYSIS_PARAMINDICES_H
#define GOLDYC_ANALYSIS_PARAMINDICES_H

#include "goldyc/IR/IR.h"
#include "goldyc/IR/ParamIndices.h"

#include <vector>

namespace goldy {

/// By parameter, of a kernel without calls.
std::vector<ParamIndices> paramIndices(const Function &Kernel);

} // namespace goldy

#endif
