//===- Contract.cpp - Products and sums as one operation
//-------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only where the program gave up equal bits (--fp=fast): a sum of a product
// that nothing else uses becomes fma, on targets with the instruction. It runs
// on the legal form, where every + and * is the target's own.
//
//===----------------------------------------------------------------------===//
#include "RewritePass.h"

#include "goldyc/Analysis/Structure.h"

namespace goldy {
namespace {

class Contractor : public PassRewriter {
public:
  Contractor(Module &M, const Function &Src, PassContext &Context)
      : PassRewriter(M, Src, Context) {
    forEachInst(Src, [&](InstId I) {
      for (ValueId V : Src.operands(I))
        ++Uses.at(V);
      if (PlaceId P = Src.Insts[I].Where)
        for (const PathElement &E : Src.Places[P].Path)
          if (E.isDynamic())
            ++Uses.at(E.Index);
    });
  }

protected:
  InstId visit(InstId I) override {
    const Inst &N = Src.Insts[I];
    if (N.Opcode != Op::Add || N.Type != types::F32)
      return copy(I);
    ValueId A = Src.operand(I, 0), C = Src.operand(I, 1);
    if (!isFactorOnly(A))
      std::swap(A, C);
    if (!isFactorOnly(A) || !spend())
      return copy(I);
    ValueId Fused =
        B.op(Op::Fma, {map(Src.operand(A, 0)), map(Src.operand(A, 1)), map(C)});
    if (N.Name)
      B.setName(Fused, Src.nameOf(I));
    return Fused;
  }

private:
  bool isFactorOnly(ValueId V) const {
    return Src.Insts[V].Opcode == Op::Mul && Uses[V] == 1;
  }
  SideMap<Inst, uint32_t> Uses{0};
};

class ContractPass : public Pass {
public:
  std::string_view name() const override { return "contract"; }
  PassResult run(Module &M, PassContext &Context) override {
    if (M.Floats != FloatMode::Fast || !Context.Caps.FusedFma)
      return PassResult::Unchanged;
    return rewriteFunctions<Contractor>(M, Context);
  }
};

} // namespace

std::unique_ptr<Pass> createContractPass() {
  return std::make_unique<ContractPass>();
}

} // namespace goldy
