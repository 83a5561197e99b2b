//===- Contract.cpp - Products and sums as one operation
//-------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum of a product that nothing else uses becomes fma, on targets with the
// instruction, where the program gave up equal bits (--fp=fast) or the bits are
// equal: x * 2^k + c for constants. The product is exact then, unless it is
// infinite or is flushed; with c from 2^-100 to 2^100 in size it is so far from
// c there that the sum has the same bits as if it were not. It runs on the
// legal form, where every + and * is the target's own.
//
//===----------------------------------------------------------------------===//
#include "RewritePass.h"

#include "goldyc/Analysis/Structure.h"

#include <optional>

namespace goldy {
namespace {

class Contractor : public PassRewriter {
public:
  Contractor(Module &M, const Function &Src, PassContext &Context)
      : PassRewriter(M, Src, Context) {
    forEachInst(Src, [&](InstId I) {
      forEachUse(Src, I, [&](ValueId V) { ++Uses.at(V); });
    });
  }

protected:
  InstId visit(InstId I) override {
    const Inst &N = Src.Insts[I];
    bool Subtracts = N.Opcode == Op::Sub;
    if ((N.Opcode != Op::Add && !Subtracts) || N.Type != types::F32)
      return copy(I);
    ValueId A = Src.operand(I, 0), C = Src.operand(I, 1);
    bool Second = !isFactorOnly(A);
    if (Second)
      std::swap(A, C);
    if (!isFactorOnly(A) || !mayFuse(A, C, Subtracts) || !spend())
      return copy(I);
    ValueId X = map(Src.operand(A, 0)), Y = map(Src.operand(A, 1)), Z = map(C);
    if (Subtracts)
      (Second ? Y : Z) = negated(Second ? Src.operand(A, 1) : C);
    ValueId Fused = B.op(Op::Fma, {X, Y, Z});
    if (N.Name)
      B.setName(Fused, Src.nameOf(I));
    return Fused;
  }

private:
  bool isFactorOnly(ValueId V) const {
    return Src.Insts[V].Opcode == Op::Mul && Uses[V] == 1;
  }
  /// Differences only of constants, whose sign is there to be turned.
  bool mayFuse(ValueId Product, ValueId Other, bool Subtracts) const {
    if (M.Floats == FloatMode::Fast && !Subtracts)
      return true;
    constexpr uint32_t Fraction = 0x007fffffu;
    std::optional<uint32_t> Factor = constant(Src.operand(Product, 1));
    std::optional<uint32_t> Addend = constant(Other);
    return Factor && !(*Factor & Fraction) && isNear(*Factor, 60) && Addend &&
           isNear(*Addend, 99);
  }
  /// From 2^-Most to below 2^(Most + 1) in size.
  static bool isNear(uint32_t Bits, int Most) {
    int Exponent = static_cast<int>(Bits >> 23 & 0xff) - 127;
    return Exponent >= -Most && Exponent <= Most;
  }
  std::optional<uint32_t> constant(ValueId V) const {
    if (!Src.isConst(V))
      return std::nullopt;
    return static_cast<uint32_t>(Src.Insts[V].Imm);
  }
  ValueId negated(ValueId Constant) {
    return B.f32Bits(*constant(Constant) ^ 0x80000000u);
  }
  SideMap<Inst, uint32_t> Uses{0};
};

class ContractPass : public Pass {
public:
  std::string_view name() const override { return "contract"; }
  PassResult run(Module &M, PassContext &Context) override {
    bool Exact = Context.Caps.FlushesSubnormals;
    if (!Context.Caps.FusedFma || !(Exact || M.Floats == FloatMode::Fast))
      return PassResult::Unchanged;
    return rewriteFunctions<Contractor>(M, Context);
  }
};

} // namespace

std::unique_ptr<Pass> createContractPass() {
  return std::make_unique<ContractPass>();
}

} // namespace goldy
