//===- ControlTest.cpp - Every shape of control flow
//-----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops with break, continue and a conditional back edge, labelled blocks,
// early returns, barriers in uniform loops, and exits that SPIR-V cannot
// express. `emit` validates.
//
//===----------------------------------------------------------------------===//
#include "SpirvTest.h"

using namespace goldy;
using namespace goldy::test;

static std::initializer_list<Param> params() {
  static const std::initializer_list<Param> P = {
      buffer("y", types::U32, Access::ReadWrite), scalar("n", types::U32)};
  return P;
}

namespace {
/// A counter slot and the steps of a loop over it.
struct Counter {
  Kernel &K;
  SlotId S;
  explicit Counter(Kernel &K) : K(K), S(K.B.slot("c", types::U32)) {
    K.B.store(K.B.slotPlace(S), K.B.u32(0));
  }
  ValueId value() { return K.B.load(K.B.slotPlace(S)); }
  void increment() {
    K.B.store(K.B.slotPlace(S), K.B.op(Op::Add, {value(), K.B.u32(1)}));
  }
  ValueId done() { return K.B.op(Op::Ge, {value(), K.B.param(1)}); }
};
} // namespace

TEST_CASE("a loop with break, continue and a continuing block") {
  Kernel K(params());
  Builder &B = K.B;
  Counter C(K);
  InstId L = B.createLoop(true);
  K.in(K.F.Insts[L].Blocks[0], [&] {
    K.ifThen(C.done(), [&] { B.breakTo(L); });
    ValueId Odd = B.op(Op::And, {C.value(), B.u32(1)});
    K.ifThen(B.op(Op::Ne, {Odd, B.u32(0)}), [&] { B.continueTo(L); });
    B.store(K.at(0, C.value()), C.value());
  });
  K.in(K.F.Insts[L].Blocks[1], [&] { C.increment(); });
  std::string Text = K.text();
  INFO(Text);
  CHECK(count(Text, "OpLoopMerge") == 1);
  CHECK(count(Text, "OpSelectionMerge") == 2);
  CHECK_FALSE(has(Text, "OpVariable %_ptr_Function"));
}

TEST_CASE("break_if is the conditional back edge") {
  Kernel K(params());
  Builder &B = K.B;
  Counter C(K);
  InstId L = B.createLoop(true);
  K.in(K.F.Insts[L].Blocks[0], [&] { B.store(K.at(0, C.value()), B.u32(1)); });
  K.in(K.F.Insts[L].Blocks[1], [&] {
    C.increment();
    B.breakIf(C.done());
  });
  B.store(K.at(0, C.value()), B.u32(2));
  std::string Text = K.text();
  INFO(Text);
  CHECK(count(Text, "OpLoopMerge") == 1);
  CHECK(count(Text, "OpBranchConditional") == 1);
}

TEST_CASE("nested loops, a selection in the continuing block") {
  Kernel K(params());
  Builder &B = K.B;
  Counter Outer(K);
  InstId L = B.createLoop(true);
  K.in(K.F.Insts[L].Blocks[0], [&] {
    K.ifThen(Outer.done(), [&] { B.breakTo(L); });
    Counter Inner(K);
    InstId N = B.createLoop(true);
    K.in(K.F.Insts[N].Blocks[0], [&] {
      K.ifThen(Inner.done(), [&] { B.breakTo(N); });
      B.store(K.at(0, Inner.value()), Outer.value());
    });
    K.in(K.F.Insts[N].Blocks[1], [&] { Inner.increment(); });
  });
  K.in(K.F.Insts[L].Blocks[1], [&] {
    Outer.increment();
    K.ifThen(B.op(Op::Eq, {Outer.value(), B.u32(7)}),
             [&] { Outer.increment(); });
  });
  for (unsigned Level = 0; Level <= 3; Level += 3) {
    Kernel Copy(params());
    Copy.F = K.F;
    std::string Text = Copy.text(Level);
    INFO(Text);
    CHECK(count(Text, "OpLoopMerge") == 2);
  }
}

TEST_CASE("a loop that nothing leaves ends in unreachable code") {
  Kernel K(params());
  InstId L = K.B.createLoop(false);
  K.in(K.F.Insts[L].Blocks[0],
       [&] { K.B.store(K.at(0, K.gid()), K.B.u32(1)); });
  CHECK(has(K.text(0), "OpUnreachable"));
}

TEST_CASE("both arms return, and what follows is left out") {
  Kernel K(params());
  Builder &B = K.B;
  InstId I = B.createIf(K.inside(0, K.gid()), true);
  K.in(K.F.Insts[I].Blocks[0], [&] {
    B.store(K.at(0, K.gid()), B.u32(1));
    B.ret();
  });
  K.in(K.F.Insts[I].Blocks[1], [&] { B.ret(); });
  std::string Text = K.text(0);
  INFO(Text);
  CHECK(count(Text, "OpReturn") == 2);
  CHECK(count(Text, "OpUnreachable") == 1);
}

TEST_CASE("a return inside a loop inside a block") {
  Kernel K(params());
  Builder &B = K.B;
  Counter C(K);
  InstId Outer = B.createBlock();
  K.in(K.F.Insts[Outer].Blocks[0], [&] {
    InstId L = B.createLoop(true);
    K.in(K.F.Insts[L].Blocks[0], [&] {
      K.ifThen(C.done(), [&] { B.breakTo(L); });
      K.ifThen(B.op(Op::Eq, {C.value(), B.u32(3)}), [&] { B.ret(); });
    });
    K.in(K.F.Insts[L].Blocks[1], [&] { C.increment(); });
    K.ifThen(B.op(Op::Eq, {C.value(), B.u32(5)}), [&] { B.breakTo(Outer); });
    B.store(K.at(0, C.value()), B.u32(1));
  });
  std::string Text = K.text();
  INFO(Text);
  CHECK(count(Text, "OpSwitch") == 1);
}

TEST_CASE("a labelled block inside a loop, left and continued through") {
  Kernel K(params());
  Builder &B = K.B;
  Counter C(K);
  InstId L = B.createLoop(true);
  K.in(K.F.Insts[L].Blocks[0], [&] {
    InstId Inner = B.createBlock();
    K.in(K.F.Insts[Inner].Blocks[0], [&] {
      K.ifThen(C.done(), [&] { B.breakTo(L); });
      K.ifThen(B.op(Op::Eq, {C.value(), B.u32(1)}), [&] { B.continueTo(L); });
      K.ifThen(B.op(Op::Eq, {C.value(), B.u32(2)}), [&] { B.breakTo(Inner); });
      B.store(K.at(0, C.value()), B.u32(1));
    });
    B.store(K.at(0, C.value()), B.u32(2));
  });
  K.in(K.F.Insts[L].Blocks[1], [&] { C.increment(); });
  std::string Text = K.text();
  INFO(Text);
  CHECK(count(Text, "OpSwitch") == 1);
  CHECK(count(Text, "OpLoopMerge") == 1);
}

TEST_CASE("a barrier in a uniform loop orders both kinds of memory") {
  Kernel K(params());
  Builder &B = K.B;
  WorkgroupId S = B.workgroupArray("s", K.M.Types.array(types::U32, 64));
  Counter C(K);
  InstId L = B.createLoop(true);
  K.in(K.F.Insts[L].Blocks[0], [&] {
    K.ifThen(C.done(), [&] { B.breakTo(L); });
    ValueId Lane = B.id(Op::LocalId, 0);
    B.store(K.inGroup(S, Lane), C.value());
    B.barrier();
    ValueId Other = B.op(Op::Xor, {Lane, B.u32(1)});
    B.store(K.at(0, K.gid()), B.load(K.inGroup(S, Other)));
    B.barrier();
  });
  K.in(K.F.Insts[L].Blocks[1], [&] { C.increment(); });
  Image I = K.emit();
  CHECK(I.WorkgroupBytes == 256);
  std::string Text = disassembleSpirv(I);
  INFO(Text);
  // One after zeroing, two in the loop: AcquireRelease, uniform and workgroup
  // memory, available and visible.
  CHECK(count(Text, "OpControlBarrier") == 3);
  CHECK(has(Text, "%uint_24904 = OpConstant %uint 24904"));
  CHECK(count(Text, "NonPrivatePointer") == 4);
}

TEST_CASE("an exit over two loops is a diagnostic") {
  Kernel K(params());
  Builder &B = K.B;
  InstId Outer = B.createLoop(false);
  K.in(K.F.Insts[Outer].Blocks[0], [&] {
    InstId Inner = B.createLoop(false);
    K.in(K.F.Insts[Inner].Blocks[0], [&] { B.breakTo(Outer); });
  });
  std::optional<VerifiedModule> V = K.verified();
  REQUIRE(V);
  DiagSink Sink;
  CHECK_FALSE(emitSpirv(*V, FuncId(0), EmitOptions(), Sink));
  REQUIRE(Sink.errorCount() == 1);
  CHECK(Sink.diagnostics()[0].Code == diag::G0682);
  CHECK(Sink.diagnostics()[0].Message ==
        "`break` leaves more than the innermost construct, vulkan1.3 code "
        "needs structured exits");
}

TEST_CASE("an unlegalised definition is a diagnostic") {
  Kernel K({buffer("y", types::I32, Access::ReadWrite)});
  K.M.Level = IRLevel::Definition;
  ValueId I = K.gid();
  ValueId A = K.B.load(K.at(0, I));
  K.B.store(K.at(0, I), K.B.op(Op::Div, {A, A}));
  std::optional<VerifiedModule> V = K.verified();
  REQUIRE(V);
  DiagSink Sink;
  CHECK_FALSE(emitSpirv(*V, FuncId(0), EmitOptions(), Sink));
  REQUIRE(Sink.errorCount() == 1);
  CHECK(Sink.diagnostics()[0].Code == diag::G0680);
}
