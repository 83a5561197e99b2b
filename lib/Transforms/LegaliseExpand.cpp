//===- LegaliseExpand.cpp - Sequences from the prelude
//----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In exact.goldy operators are the machine's own: divisors and shift amounts
// are in range by construction. Its machine form says so in the IR (raw
// operations) and is made once a process; a helper's body is then copied to
// where it is needed.
//
//===----------------------------------------------------------------------===//
#include "Legaliser.h"

#include "goldyc/Prelude/Prelude.h"
#include "goldyc/Transforms/Inline.h"

using namespace goldy;

namespace {

class MachineForm : public Rewriter {
public:
  using Rewriter::Rewriter;

protected:
  InstId visit(InstId I) override {
    const Inst &N = Src.Insts[I];
    if (!M.Types.isInteger(N.Type))
      return copy(I);
    switch (N.Opcode) {
    case Op::Div:
      return raw(Op::RawDiv, I);
    case Op::Rem:
      return raw(Op::RawRem, I);
    case Op::Shl:
      return raw(Op::RawShl, I);
    case Op::Shr:
      return raw(Op::RawShr, I);
    default:
      return copy(I);
    }
  }

private:
  InstId raw(Op O, InstId I) {
    ValueId A = map(Src.operand(I, 0)), C = map(Src.operand(I, 1));
    if (Dst.typeOf(C) != Dst.typeOf(A))
      C = B.cast(C, Dst.typeOf(A));
    return B.op(O, {A, C});
  }
};

Module makeMachineForm(Module M) {
  for (Function &F : M.Functions)
    F = MachineForm(M, F).run();
  return M;
}

const Module &machineForm() {
  static const Module M = makeMachineForm(exactPrelude());
  return M;
}

} // namespace

ValueId goldy::expandExact(Builder &B, std::string_view Helper,
                           std::span<const ValueId> Args) {
  const Module &From = machineForm();
  FuncId F = From.find(Helper);
  assert(F && "the prelude has no such helper");
  Function &Dst = B.function();
  Span Loc = B.loc();
  uint32_t First = Dst.Insts.size();
  ValueId Result = expandCall(B, From, From.Functions[F], Args);
  for (uint32_t I = First; I < Dst.Insts.size(); ++I)
    Dst.Insts[InstId(I)].Loc = Loc;
  B.setLoc(Loc);
  return Result;
}
