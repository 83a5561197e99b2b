//===- LanesWords.h - Words for what a lane plan decides ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_ANALYSIS_LANESWORDS_H
#define GOLDYC_LIB_ANALYSIS_LANESWORDS_H

#include "goldyc/Analysis/Lanes.h"

#include <string>

namespace goldy {

/// Why a region does so many rows a pass.
const char *laneRowsText(RowsReason Why);
/// "n - 1 - i >= 0", in the user's names.
std::string laneTestText(const Function &F, const LaneTest &T);

} // namespace goldy

#endif
