//===- FuseConditions.h - Conditions that stages may share ----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `x < w && y < h`, `if x >= w || y >= h { return; }` and an `if` in an `if`
// say the same: two conditions, each with a name that is equal in all stages.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TRANSFORMS_FUSECONDITIONS_H
#define GOLDYC_LIB_TRANSFORMS_FUSECONDITIONS_H

#include "goldyc/IR/IR.h"

namespace goldy {

struct FuseCondition {
  ValueId Value;     ///< in the stage
  bool Holds = true; ///< what the value must be
  /// Set if this comparison of the value's operands is the condition.
  std::optional<Op> Comparison;
  std::string Name; ///< empty: it depends on memory
};

class FuseConditions {
public:
  /// `ParamOf`: by parameter of the stage, the one of the fused kernel.
  FuseConditions(const Module &M, const Function &F,
                 const std::vector<uint32_t> &ParamOf)
      : M(M), F(F), ParamOf(ParamOf) {}
  /// The conditions that hold together if `V` is `Holds`; each named one once,
  /// by name.
  void split(ValueId V, bool Holds, std::vector<FuseCondition> &Named,
             std::vector<FuseCondition> &Unnamed) const;

private:
  FuseCondition one(ValueId V, bool Holds) const;
  std::string nameOf(ValueId V) const;

  const Module &M;
  const Function &F;
  const std::vector<uint32_t> &ParamOf;
};

} // namespace goldy

#endif
