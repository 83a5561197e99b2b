//===- BoundsEach.cpp - Guards alone, where the accesses stand
//--------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What -O0 runs in place of `bounds`: the same guards and no copies.
//
//===----------------------------------------------------------------------===//
#include "BoundsRewriter.h"

namespace goldy {
namespace {

class WithoutRegions : public BoundsRewriter {
public:
  WithoutRegions(Module &M, const Function &Src, PassContext &Context)
      : BoundsRewriter(M, Src, Context, false) {}
};

class BoundsEachPass : public Pass {
public:
  std::string_view name() const override { return "bounds-each"; }
  PassResult run(Module &M, PassContext &Context) override {
    return rewriteFunctions<WithoutRegions>(M, Context);
  }
};

} // namespace

std::unique_ptr<Pass> createBoundsEachPass() {
  return std::make_unique<BoundsEachPass>();
}

} // namespace goldy
