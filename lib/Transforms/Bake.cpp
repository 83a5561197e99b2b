//===- Bake.cpp - Values known when an image is made
//-----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A leaf is rewritten where it stands: handles stay, and so do its users.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Transforms/Bake.h"

#include "goldyc/Transforms/Pass.h"

namespace goldy {
namespace {

void becomeConstant(Inst &Leaf, uint64_t Bits) {
  Leaf.Opcode = Op::Const;
  Leaf.Imm = Bits;
}

class BakePass : public Pass {
public:
  std::string_view name() const override { return "bake"; }
  PassResult run(Module &M, PassContext &Context) override {
    if (Context.Caps.SpecConstants || !bakeSpecs(M))
      return PassResult::Unchanged;
    return PassResult::Changed;
  }
};

} // namespace

void bakeParameters(Function &Kernel,
                    std::span<const std::optional<uint64_t>> Values) {
  for (Inst &I : Kernel.Insts)
    if (I.Opcode == Op::ParamValue && I.Imm < Values.size() && Values[I.Imm])
      becomeConstant(I, *Values[I.Imm]);
}

bool bakeSpecs(Module &M) {
  bool Changed = false;
  for (Function &F : M.Functions)
    for (Inst &I : F.Insts)
      if (I.Opcode == Op::SpecConst) {
        becomeConstant(I,
                       M.Specs[SpecId(static_cast<uint32_t>(I.Imm))].Default);
        Changed = true;
      }
  return Changed;
}

std::unique_ptr<Pass> createBakePass() { return std::make_unique<BakePass>(); }

} // namespace goldy
