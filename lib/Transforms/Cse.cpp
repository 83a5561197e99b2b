//===- Cse.cpp - Computes each pure value once
//------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two pure operations with the same operands have the same bits. The later one
// is replaced where the earlier one is visible. Operations that commute are
// not reordered: that is the folder's business.
//
//===----------------------------------------------------------------------===//
#include "RewritePass.h"

#include "goldyc/Analysis/Structure.h"

#include <map>

namespace goldy {
namespace {

class CseRewriter : public PassRewriter {
public:
  CseRewriter(Module &M, const Function &Src, PassContext &Context)
      : PassRewriter(M, Src, Context), Where(Src) {}

protected:
  InstId visit(InstId I) override {
    const Inst &N = Src.Insts[I];
    if (!isPure(N.Opcode))
      return copy(I);
    std::vector<InstId> &Known = Values[keyOf(I)];
    for (InstId Earlier : Known)
      if (Where.dominates(Earlier, I) && spend())
        return map(Earlier);
    Known.push_back(I);
    return copy(I);
  }

private:
  /// Operation, type, number, base and the operands of the result.
  using Key = std::vector<uint64_t>;
  Key keyOf(InstId I) {
    const Inst &N = Src.Insts[I];
    Key K{uint64_t(N.Opcode), N.Type.index(), N.Imm};
    if (N.Where) {
      const PlaceBase &Base = Src.Places[N.Where].Base;
      K.push_back(uint64_t(Base.Kind));
      K.push_back(Base.Index);
    }
    for (ValueId V : Src.operands(I))
      K.push_back(map(V).index());
    return K;
  }

  Structure Where;
  std::map<Key, std::vector<InstId>> Values;
};

class CsePass : public Pass {
public:
  std::string_view name() const override { return "cse"; }
  PassResult run(Module &M, PassContext &Context) override {
    return rewriteFunctions<CseRewriter>(M, Context);
  }
};

} // namespace

std::unique_ptr<Pass> createCsePass() { return std::make_unique<CsePass>(); }

} // namespace goldy
