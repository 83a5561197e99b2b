//===- RewritePass.h - A pass that rewrites function by function
//------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most passes are a Rewriter run over every function. A rewriter that changed
// nothing has its result dropped, so that an unchanged module keeps its text.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TRANSFORMS_REWRITEPASS_H
#define GOLDYC_LIB_TRANSFORMS_REWRITEPASS_H

#include "goldyc/IR/Rewriter.h"
#include "goldyc/Transforms/Pass.h"

namespace goldy {

/// A rewriter that asks for fuel and remembers whether it changed anything.
class PassRewriter : public Rewriter {
public:
  PassRewriter(Module &M, const Function &Src, PassContext &Context)
      : Rewriter(M, Src), Context(Context) {}
  bool changed() const { return Changed; }

protected:
  /// True if one more rewrite may be done; counts it.
  bool spend() {
    if (!Context.RewriteFuel.use())
      return false;
    return Changed = true;
  }
  std::vector<ValueId> mapAll(std::span<const ValueId> Values) {
    std::vector<ValueId> Result;
    for (ValueId V : Values)
      Result.push_back(map(V));
    return Result;
  }
  std::vector<PathElement> mapPath(const std::vector<PathElement> &Path) {
    std::vector<PathElement> Result = Path;
    for (PathElement &E : Result)
      if (E.isDynamic())
        E.Index = map(E.Index);
    return Result;
  }
  /// A copy of a memory access of the source with another guard.
  InstId copyAccess(InstId I, PlaceId Where, ValueId Guard) {
    Inst New = Src.Insts[I];
    New.Where = Where;
    New.Flags = static_cast<uint8_t>(New.Flags & ~FlagGuarded);
    std::vector<ValueId> Operands = mapAll(Src.arguments(I));
    if (Guard) {
      New.Flags |= FlagGuarded;
      Operands.push_back(Guard);
    }
    return B.append(New, Operands);
  }

  PassContext &Context;
  bool Changed = false;
};

/// Runs `R` over every function of the module.
template <class R>
PassResult rewriteFunctions(Module &M, PassContext &Context) {
  bool Changed = false;
  for (Function &F : M.Functions) {
    R Rewriter(M, F, Context);
    Function New = Rewriter.run();
    if (!Rewriter.changed())
      continue;
    F = std::move(New);
    Changed = true;
  }
  return Changed ? PassResult::Changed : PassResult::Unchanged;
}

/// Drops slots that no place names and renumbers the rest.
void removeUnusedSlots(Function &F);

} // namespace goldy

#endif
