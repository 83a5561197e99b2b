//===- BarrierTest.cpp - Barriers are reached uniformly
//---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// V60. The IR-text tests in test/Verify cover more control flow; here the
// places that the error and its notes point at.
//
//===----------------------------------------------------------------------===//
#include "Sample.h"

using namespace goldy;
using namespace goldy::test;

namespace {

/// A kernel of 64 work-items with a location for every line.
struct Kernel {
  Module M;
  Function *F;
  std::optional<Builder> B;

  Kernel() {
    M.Functions.push({});
    F = &M.Functions[FuncId(0)];
    F->Name = "k";
    F->Kind = FuncKind::Kernel;
    F->WorkgroupSize = {64, 1, 1};
    B.emplace(M, *F);
    F->Body = B->newBlock();
    B->setBlock(F->Body);
  }
  void line(uint32_t N) { B->setLoc({FileId(0), N, N + 1}); }
  Diagnostic error() {
    DiagSink Diags;
    CHECK_FALSE(verify(M, Diags));
    REQUIRE(Diags.diagnostics().size() == 1);
    return Diags.diagnostics().front();
  }
};

} // namespace

TEST_CASE("V60: a barrier under a divergent condition") {
  Kernel K;
  Builder &B = *K.B;
  K.line(1);
  ValueId Id = B.id(Op::LocalId, 0);
  K.line(2);
  ValueId C = B.op(Op::Lt, {Id, B.u32(3)});
  K.line(3);
  InstId If = B.createIf(C, false);
  B.setBlock(K.F->Insts[If].Blocks[0]);
  K.line(4);
  B.barrier();
  Diagnostic D = K.error();
  CHECK(D.Code == diag::G0560);
  CHECK(D.Message == "barrier is not reached uniformly by the whole workgroup");
  CHECK(D.Where.Begin == 4);
  REQUIRE(D.Notes.size() == 3);
  CHECK(D.Notes[0].Where.Begin == 2);
  CHECK(D.Notes[0].Text == "work-items go different ways here");
  CHECK(D.Notes[1].Where.Begin == 1);
  CHECK(D.Notes[1].Text ==
        "`gpu::local_id()` differs between the work-items of a group");
}

TEST_CASE("V60: a variable that a divergent branch assigns") {
  Kernel K;
  Builder &B = *K.B;
  SlotId Slot = B.slot("m", types::U32);
  B.store(B.slotPlace(Slot), B.u32(0));
  K.line(1);
  ValueId Id = B.id(Op::LocalId, 0);
  K.line(2);
  InstId First = B.createIf(B.op(Op::Gt, {Id, B.u32(3)}), false);
  B.setBlock(K.F->Insts[First].Blocks[0]);
  B.store(B.slotPlace(Slot), B.u32(1));
  B.setBlock(K.F->Body);
  K.line(3);
  ValueId Zero = B.op(Op::Eq, {B.load(B.slotPlace(Slot)), B.u32(0)});
  InstId Second = B.createIf(Zero, false);
  B.setBlock(K.F->Insts[Second].Blocks[0]);
  K.line(4);
  B.barrier();
  Diagnostic D = K.error();
  CHECK(D.Where.Begin == 4);
  REQUIRE(D.Notes.size() == 4);
  CHECK(D.Notes[0].Where.Begin == 3);
  CHECK(D.Notes[1].Where.Begin == 2);
  CHECK(D.Notes[2].Where.Begin == 1);
}
