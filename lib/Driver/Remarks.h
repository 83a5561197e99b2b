//===- Remarks.h - What was done, in the form of messages -----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_DRIVER_REMARKS_H
#define GOLDYC_LIB_DRIVER_REMARKS_H

#include "goldyc/Driver/Pipeline.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace goldy::driver {

/// A message without a code that ends in `[-Roption]`.
Diagnostic remark(Span Where, std::string Message, std::string_view Option);

/// -Rvectorise of one unit: by kernel in the order of the source, first a line
/// for each architecture, then what is the same on several of them once.
std::vector<Diagnostic> laneRemarks(const CompileUnit &Unit,
                                    const DriverOptions &O,
                                    std::span<const KernelJob> Jobs,
                                    std::span<const KernelResult> Results);

} // namespace goldy::driver

#endif
