//===- KernelsTest.cpp - Whole kernels, memory and control ------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PtxTest.h"

using namespace goldy;
using namespace goldy::test;

/// if i < y.len() { y[i] = a * x[i] + y[i] }, the load of x guarded.
static void saxpy(Kernel &K) {
  Builder &B = K.B;
  ValueId I = K.gid();
  K.ifThen(K.inside(1, I), [&] {
    ValueId X = B.load(K.at(0, I), K.inside(0, I));
    ValueId Product = B.op(Op::Mul, {B.param(2), X});
    ValueId Sum = B.op(Op::Add, {Product, B.load(K.at(1, I))});
    B.store(K.at(1, I), B.op(Op::CanonNan, {Sum}));
  });
}
static std::initializer_list<Param> saxpyParams() {
  static const std::initializer_list<Param> P = {
      buffer("x", types::F32, Access::Read),
      buffer("y", types::F32, Access::ReadWrite), scalar("a", types::F32)};
  return P;
}

TEST_CASE("saxpy reads its parameters in place") {
  for (unsigned Level = 0; Level <= 3; ++Level) {
    Kernel K(saxpyParams(), {256, 1, 1});
    saxpy(K);
    std::string Text = K.text(Level);
    INFO(Text);
    CHECK(has(Text, ".visible .entry goldy_k("));
    CHECK(has(Text, ".reqntid 256, 1, 1"));
    CHECK(has(Text, ".align 8 .b8 goldy_k_param_0[72]"));
    CHECK(count(Text, "ld.global.f32") + count(Text, "ld.global.b32") +
              count(Text, "ld.global.u32") ==
          2);
    CHECK(count(Text, "st.global") == 1);
    CHECK_FALSE(has(Text, ".local"));
    CHECK_FALSE(has(Text, ".func"));
  }
}

TEST_CASE("the image says what it needs") {
  Kernel K({buffer("y", types::F32, Access::ReadWrite)}, {32, 2, 1});
  K.F.Name = "gr\xc3\xb6\xc3\x9f"
             "e";
  WorkgroupId A = K.B.workgroupArray("a", K.M.Types.array(types::F32, 33));
  WorkgroupId C = K.B.workgroupArray("c", K.M.Types.array(types::U32, 4));
  K.B.workgroupArray("unused", K.M.Types.array(types::U32, 1000));
  ValueId Lane = K.B.id(Op::LocalId, 1);
  K.B.store(K.inGroup(A, Lane), K.B.f32Bits(0));
  K.B.store(K.inGroup(C, Lane), Lane);
  VerifiedModule V = K.verified();
  Image I = K.image(V, "sm_80", 2);
  CHECK(I.Arch == "sm_80");
  CHECK(I.Format == "ptx");
  CHECK(I.Entry == "goldy_gr$c3$b6$c3$9fe");
  CHECK(I.WorkgroupBytes == 160);
  std::string Text(I.Bytes.begin(), I.Bytes.end());
  INFO(Text);
  CHECK(has(Text, I.Entry + "("));
  CHECK(assembles(Text, "sm_80"));
  CHECK(K.image(V, "sm_80", 2).Bytes == I.Bytes);
}

TEST_CASE("workgroup memory starts as zero and barriers order it") {
  Kernel K({buffer("y", types::U32, Access::ReadWrite)}, {8, 8, 2});
  Builder &B = K.B;
  WorkgroupId S = B.workgroupArray("s", K.M.Types.array(types::U32, 256));
  ValueId Lane = B.id(Op::LocalId, 0);
  B.store(K.inGroup(S, Lane), B.u32(1));
  B.barrier();
  ValueId Other = B.op(Op::Xor, {Lane, B.u32(1)});
  B.store(K.at(0, K.gid()), B.load(K.inGroup(S, Other)));
  std::string Text = K.text();
  INFO(Text);
  CHECK(has(Text, ".shared .align 16 .b8 workgroup[1024]"));
  CHECK(count(Text, "bar.sync") == 2);
  CHECK(count(Text, "st.shared") == 3);
  CHECK(count(Text, "ld.shared") == 1);
}

TEST_CASE("a guard is a branch around the access") {
  Kernel K(
      {buffer("y", types::F32, Access::ReadWrite), scalar("n", types::U32)});
  Builder &B = K.B;
  ValueId In = B.op(Op::Lt, {B.param(1), B.len({BaseKind::Param, 0})});
  ValueId X = B.load(K.at(0, B.param(1)), In);
  B.store(K.at(0, B.u32(0)), B.op(Op::Add, {X, X}), In);
  std::string Text = K.text();
  INFO(Text);
  size_t Load = Text.find("ld.global"), Branch = Text.find("bra");
  CHECK(Branch < Load);
}

TEST_CASE("atomics are relaxed and of the element's type") {
  for (TypeId T : {types::U32, types::I32}) {
    Kernel K({buffer("y", T, Access::ReadWrite)});
    Builder &B = K.B;
    WorkgroupId S = B.workgroupArray("s", K.M.Types.array(T, 4));
    ValueId Seven = B.constant(T, 7), Guard = K.inside(0, B.u32(0));
    for (Op O : {Op::AtomicAdd, Op::AtomicMin, Op::AtomicMax, Op::AtomicAnd,
                 Op::AtomicOr, Op::AtomicXor, Op::AtomicExchange}) {
      ValueId Args[] = {Seven};
      ValueId Old = B.atomic(O, K.at(0, B.u32(0)), Args, Guard);
      ValueId Olds[] = {Old};
      B.atomic(O, K.inGroup(S, B.u32(1)), Olds);
    }
    ValueId Two[] = {Seven, B.constant(T, 9)};
    B.atomic(Op::AtomicCompareExchange, K.at(0, B.u32(1)), Two, Guard);
    ValueId Now[] = {B.atomic(Op::AtomicLoad, K.at(0, B.u32(2)), {})};
    B.atomic(Op::AtomicStore, K.at(0, B.u32(3)), Now);
    std::string Text = K.text();
    INFO(Text);
    const char *S32 = T == types::I32 ? "s32" : "u32";
    CHECK(has(Text, std::string("atom.global.min.") + S32));
    CHECK(has(Text, std::string("atom.shared.max.") + S32));
    CHECK(count(Text, "atom.global.cas.b32") == 1);
  }
}

TEST_CASE("loops, breaks, private arrays and tables") {
  Kernel K(
      {buffer("y", types::F32, Access::ReadWrite), scalar("n", types::U32)});
  Builder &B = K.B;
  K.M.Tables.push({"T",
                   K.M.Types.array(types::F32, 2),
                   {0x3f800000u, 0x40000000u},
                   Span()});
  SlotId Count = B.slot("c", types::U32), Flag = B.slot("f", types::Bool);
  SlotId Array = B.slot("a", K.M.Types.array(types::F32, 8));
  SlotId Flags = B.slot("b", K.M.Types.array(types::Bool, 4));
  auto InSlot = [&](SlotId S, ValueId Index) {
    PathElement E;
    E.Index = Index;
    return B.place({BaseKind::Slot, S.index()}, {E});
  };
  InstId Outer = B.createBlock();
  K.in(K.F.Insts[Outer].Blocks[0], [&] {
    InstId L = B.createLoop(true);
    K.in(K.F.Insts[L].Blocks[0], [&] {
      ValueId C = B.load(B.slotPlace(Count));
      K.ifThen(B.op(Op::Gt, {C, B.u32(1000)}), [&] { B.breakTo(Outer); });
      K.ifThen(B.load(B.slotPlace(Flag)), [&] { B.ret(); });
      ValueId Odd = B.op(Op::And, {C, B.u32(1)});
      K.ifThen(B.op(Op::Ne, {Odd, B.u32(0)}), [&] { B.continueTo(L); });
      ValueId At = B.op(Op::And, {C, B.u32(7)});
      PathElement E;
      E.Index = Odd;
      ValueId Entry = B.load(B.place({BaseKind::Table, 0}, {E}));
      B.store(InSlot(Array, At), Entry);
      ValueId Three = B.op(Op::And, {C, B.u32(3)});
      B.store(InSlot(Flags, Three), B.op(Op::Gt, {C, B.u32(5)}));
      B.store(B.slotPlace(Flag), B.load(InSlot(Flags, Three)));
      B.store(K.at(0, C), B.load(InSlot(Array, At)), K.inside(0, C));
    });
    K.in(K.F.Insts[L].Blocks[1], [&] {
      ValueId Next = B.op(Op::Add, {B.load(B.slotPlace(Count)), B.u32(1)});
      B.store(B.slotPlace(Count), Next);
      B.breakIf(B.op(Op::Ge, {Next, B.param(1)}));
    });
  });
  for (unsigned Level = 0; Level <= 3; ++Level)
    CHECK_FALSE(K.text(Level).empty());
}

TEST_CASE("an architecture without code is a diagnostic") {
  Kernel K(saxpyParams());
  saxpy(K);
  VerifiedModule V = K.verified();
  DiagSink Sink;
  CHECK_FALSE(emitPtx(V, FuncId(0), "sm_20", EmitOptions(), Sink));
  REQUIRE(Sink.errorCount() == 1);
  CHECK(Sink.diagnostics()[0].Code == diag::G0680);
}

TEST_CASE("an unlegalised definition is a diagnostic") {
  Kernel K({buffer("y", types::I32, Access::ReadWrite)});
  K.M.Level = IRLevel::Definition;
  ValueId A = K.B.load(K.at(0, K.gid()));
  K.B.store(K.at(0, K.gid()), K.B.op(Op::Div, {A, A}));
  VerifiedModule V = K.verified();
  DiagSink Sink;
  CHECK_FALSE(emitPtx(V, FuncId(0), "sm_80", EmitOptions(), Sink));
  REQUIRE(Sink.errorCount() == 1);
  CHECK(Sink.diagnostics()[0].Code == diag::G0680);
}

TEST_CASE("LLVM IR text is available") {
  Kernel K(saxpyParams());
  saxpy(K);
  VerifiedModule V = K.verified();
  DiagSink Sink;
  std::optional<std::string> Text =
      emitPtxLLVM(V, FuncId(0), "sm_80", EmitOptions(), Sink);
  REQUIRE(Text);
  CHECK(has(*Text, "@llvm.nvvm.mul.rn.ftz.f"));
}
