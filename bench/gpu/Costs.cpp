//===- Costs.cpp - What single operations cost ---------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Harness.h"

using namespace goldy;
using namespace goldy::bench;

namespace {
struct CostKernel {
  const char *Name, *Kernel;
  uint32_t Rounds;
};
} // namespace

static const CostKernel CostKernels[] = {
    {"f32 mul", "cost_mul", 4000},  {"f32 mul, add", "cost_mul_add", 4000},
    {"f32 fma", "cost_fma", 4000},  {"f32 div", "cost_div", 400},
    {"f32 sqrt", "cost_sqrt", 400},
};

/// Operations of the kind that the name says, a multiplication with its
/// addition counted as one.
static void costCase(Bench &B, const CostKernel &Of) {
  constexpr uint32_t Items = 256, Values = 8;
  uint32_t Groups = B.Size.CostGroups;
  uint64_t N = uint64_t(Groups) * Items;
  Case C{.Group = "cost", .Name = Of.Name, .Kernel = Of.Kernel};
  C.Ops = double(N) * Values * Of.Rounds;
  C.Samples = 15;
  C.Step = [&B, Of, N](Steps &S, goldy_kernel_t *K, uint32_t) {
    S.launch(
        K, {view(B.Z, 0, N), word(0.999999f), word(0.000001f), word(Of.Rounds)},
        over(N, Items));
  };
  B.run(C);
}

void bench::costCases(Bench &B) {
  for (const CostKernel &K : CostKernels)
    costCase(B, K);
}
