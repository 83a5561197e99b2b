//===- FusePlan.h - A fused kernel in the making --------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of Fuse.cpp and what they hand on: the stages are put behind one
// another (FuseCompose), what they touch is checked (FuseRules), and values
// take the way of registers (FuseForward).
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TRANSFORMS_FUSEPLAN_H
#define GOLDYC_LIB_TRANSFORMS_FUSEPLAN_H

#include "goldyc/Analysis/OwnIndex.h"
#include "goldyc/Transforms/Fuse.h"

#include <map>
#include <set>

namespace goldy {

struct FusePlan {
  static constexpr uint32_t NoParam = UINT32_MAX;

  FusePlan(Module &M, const FusionRequest &R) : M(M), R(R) {}

  Module &M;
  const FusionRequest &R;
  /// The stages' definitions: constants baked in, calls expanded, and indices
  /// in variables made values again.
  std::vector<Function> Stages;
  Function Fused;
  std::vector<FusedParam> Params;             ///< of Fused
  std::vector<std::vector<uint32_t>> ParamOf; ///< by stage and parameter
  std::vector<uint32_t> Ends; ///< by stage: number of its last statement + 1
  /// Temporaries that may become registers: their parameter, and the value of
  /// their length in Fused.
  std::map<uint32_t, ValueId> Lengths;
  /// Parameters whose accesses have one form in each statement and, if any of
  /// them writes, are the work-item's own; touched by several stages.
  std::set<uint32_t> Shared;

  LaunchShape shape() const {
    return {R.ManyGroups, Stages.front().WorkgroupSize};
  }
  uint32_t stageOf(InstId I) const;
  const FusionTemporary *temporary(uint32_t Param) const;
  const Function &kernel(uint32_t Stage) const {
    return M.Functions[R.Stages[Stage].Kernel];
  }
  /// The parameter's name in its own stage, or in the first that has it.
  std::string nameIn(uint32_t Stage, uint32_t Param) const;
};

/// Fills Stages.
void prepareStages(FusePlan &P);
/// Fills Fused, Params, ParamOf, Ends and Lengths.
void composeStages(FusePlan &P);
using MaybeRejection = std::optional<FusionRejection>;
/// What can be seen before the stages are composed.
MaybeRejection checkStages(const FusePlan &P);
/// What the stages touch, and the pairs that must be apart. Fills Shared.
MaybeRejection checkAccesses(FusePlan &P, FusedKernel &Out);
/// What the fused kernel needs, and that its barriers stand where they may.
MaybeRejection checkFused(const FusePlan &P);
/// Rewrites Fused; removes the parameters that have vanished.
void forwardValues(FusePlan &P, FusedKernel &Out);

} // namespace goldy

#endif
