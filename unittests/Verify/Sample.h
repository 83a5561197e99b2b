//===- Sample.h - A sound kernel to break
//-----------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module with one helper and one kernel in which every kind of statement
// occurs, with the handles that the tests break.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_UNITTESTS_VERIFY_SAMPLE_H
#define GOLDYC_UNITTESTS_VERIFY_SAMPLE_H

#include "goldyc/IR/Builder.h"
#include "goldyc/Verify/Verify.h"

#include <catch2/catch.hpp>

namespace goldy::test {

inline Param parameter(std::string Name, ParamKind Kind, TypeId Type,
                       Access Acc = Access::Read) {
  return {std::move(Name), Kind, Type, Acc, false, {}};
}

// fn twice(v: f32) -> f32 { return v + v; }
// fn k(x: &[f32], y: &mut [f32], a: f32, n: u32) {
//   let s = workgroup_array::<f32, 64>(); let mut t: f32; let mut p: [f32; 4];
//   let i = global_id.x; let c = i < n;
//   if c { let v = x[i]; y[i] = twice(v); }
//   for j in 0..n { p[j] = a; }
//   barrier();
//   loop { break; } continuing { break_if true; }
// }
struct Sample {
  Module M;
  InstId Sum, Id, Cond, If, Load, Store, Call, For, PrivateStore, Loop, Break,
      BreakIf, Barrier;
  SlotId Scalar, Array;

  Sample() {
    FuncId Helper = M.Functions.push({});
    Function &H = M.Functions[Helper];
    H.Name = "twice";
    H.ReturnType = types::F32;
    H.Params.push_back(parameter("v", ParamKind::Scalar, types::F32));
    Builder HB(M, H);
    H.Body = HB.newBlock();
    HB.setBlock(H.Body);
    Sum = HB.op(Op::Add, {HB.param(0), HB.param(0)});
    HB.ret(Sum);

    M.Functions.push({});
    buildKernel(Helper);
  }

  Function &helper() { return M.Functions[FuncId(0)]; }
  Function &kernel() { return M.Functions[FuncId(1)]; }
  Inst &at(InstId I) { return kernel().Insts[I]; }

  /// The messages of all violations, by lines; empty if the module is sound.
  std::string problems() const {
    DiagSink Diags;
    verify(M, Diags);
    std::string Text;
    for (const Diagnostic &D : Diags.diagnostics())
      if (D.Level == Severity::Error)
        Text += D.Message + "\n";
    return Text;
  }
  bool violates(unsigned Rule) const {
    std::string Why;
    std::string Text = problems();
    INFO(Text);
    return !isWellFormed(M, Why) &&
           Text.find("V" + std::to_string(Rule) + ":") != Text.npos;
  }

private:
  void buildKernel(FuncId Helper);
};

inline void Sample::buildKernel(FuncId Helper) {
  Function &F = kernel();
  F.Name = "k";
  F.Kind = FuncKind::Kernel;
  F.WorkgroupSize = {64, 1, 1};
  F.Params.push_back(
      parameter("x", ParamKind::Buffer, types::F32, Access::Read));
  F.Params.push_back(
      parameter("y", ParamKind::Buffer, types::F32, Access::ReadWrite));
  F.Params.push_back(parameter("a", ParamKind::Scalar, types::F32));
  F.Params.push_back(parameter("n", ParamKind::Scalar, types::U32));
  Builder B(M, F);
  F.Body = B.newBlock();
  B.setBlock(F.Body);
  B.workgroupArray("s", M.Types.array(types::F32, 64));
  Scalar = B.slot("t", types::F32);
  Array = B.slot("p", M.Types.array(types::F32, 4));
  Id = B.id(Op::GlobalId, 0);
  Cond = B.op(Op::Lt, {Id, B.param(3)});

  If = B.createIf(Cond, false);
  B.setBlock(F.Insts[If].Blocks[0]);
  Load = B.load(B.place({BaseKind::Param, 0}, {{Id, 0}}));
  ValueId Args[] = {Load};
  Call = B.call(Helper, Args);
  Store = B.store(B.place({BaseKind::Param, 1}, {{Id, 0}}), Call);

  B.setBlock(F.Body);
  For = B.createFor(B.u32(0), B.param(3), 1, false);
  B.setBlock(F.Insts[For].Blocks[0]);
  PlaceId Element =
      B.place({BaseKind::Slot, Array.index()}, {{F.Insts[For].Var, 0}});
  PrivateStore = B.store(Element, B.param(2));

  B.setBlock(F.Body);
  Barrier = B.barrier();
  Loop = B.createLoop(true);
  B.setBlock(F.Insts[Loop].Blocks[0]);
  Break = B.breakTo(Loop);
  B.setBlock(F.Insts[Loop].Blocks[1]);
  BreakIf = B.breakIf(B.boolean(true));
}

} // namespace goldy::test

#endif
