//===- SlotLiveness.h - Which slots are read before they are written ------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_ANALYSIS_SLOTLIVENESS_H
#define GOLDYC_ANALYSIS_SLOTLIVENESS_H

#include "goldyc/IR/IR.h"

#include <set>
#include <vector>

namespace goldy {

/// By the slot's number: some way from just before one of the statements reads
/// the slot before it writes it.
std::vector<bool> slotsLiveAt(const Function &F,
                              const std::set<InstId> &Points);

} // namespace goldy

#endif
