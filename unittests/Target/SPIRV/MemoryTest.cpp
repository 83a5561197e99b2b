//===- MemoryTest.cpp - Loads, stores, atomics, the parameter block
//--------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SpirvTest.h"

using namespace goldy;
using namespace goldy::test;

TEST_CASE("a block beyond the push constants lies behind its address") {
  Kernel K({buffer("a", types::F32, Access::Read),
            buffer("b", types::F32, Access::Read),
            buffer("c", types::F32, Access::Read),
            buffer("d", types::F32, Access::Read),
            buffer("e", types::F32, Access::Read),
            buffer("f", types::F32, Access::Read),
            buffer("y", types::F32, Access::ReadWrite),
            scalar("on", types::Bool)});
  ValueId I = K.gid();
  K.ifThen(K.B.param(7), [&] {
    K.B.store(K.at(6, I), K.B.load(K.at(5, I), K.inside(5, I)), K.inside(6, I));
  });
  Image Result = K.emit();
  CHECK(Result.BlockBehindAddress);
  CHECK(Result.PushConstantBytes == 8);
  std::string Text = disassembleSpirv(Result);
  INFO(Text);
  CHECK(has(Text, "OpMemberDecorate %params 12 Offset 96"));
  CHECK(has(Text, "OpMemberDecorate %push 0 Offset 0"));
  CHECK(count(Text, "OpConvertUToPtr %_ptr_PhysicalStorageBuffer_params") == 1);
}

TEST_CASE("a bool is a word in buffers and in workgroup memory") {
  Kernel K({buffer("y", types::Bool, Access::ReadWrite)});
  Builder &B = K.B;
  WorkgroupId S = B.workgroupArray("s", K.M.Types.array(types::Bool, 64));
  ValueId Lane = B.id(Op::LocalId, 0);
  B.store(K.inGroup(S, Lane),
          B.op(Op::Ne, {B.boolean(false), B.boolean(true)}));
  B.barrier();
  ValueId V = B.load(K.inGroup(S, B.u32(3)));
  B.store(K.at(0, K.gid()), B.op(Op::Xor, {V, B.load(K.at(0, Lane))}));
  std::string Text = K.text();
  INFO(Text);
  CHECK(count(Text, "OpINotEqual %bool") == 3);
  CHECK(count(Text, "OpSelect %uint") >= 2);
  CHECK(has(Text, "%_arr_uint_uint_64"));
}

TEST_CASE("atomics: device scope in buffers, workgroup scope in the group") {
  Kernel K({buffer("u", types::U32, Access::ReadWrite),
            buffer("i", types::I32, Access::ReadWrite)});
  Builder &B = K.B;
  WorkgroupId S = B.workgroupArray("s", K.M.Types.array(types::I32, 8));
  ValueId Zero = B.u32(0);
  for (Op O : {Op::AtomicAdd, Op::AtomicMin, Op::AtomicMax, Op::AtomicAnd,
               Op::AtomicOr, Op::AtomicXor, Op::AtomicExchange}) {
    ValueId U[] = {B.u32(5)}, I[] = {B.i32(-5)};
    B.atomic(O, K.at(0, Zero), U);
    B.atomic(O, K.at(1, Zero), I, K.inside(1, Zero));
    B.atomic(O, K.inGroup(S, Zero), I);
  }
  ValueId Pair[] = {B.u32(1), B.u32(2)};
  ValueId Old = B.atomic(Op::AtomicCompareExchange, K.at(0, Zero), Pair);
  ValueId One[] = {Old};
  B.atomic(Op::AtomicStore, K.at(0, B.u32(1)), One);
  B.store(K.at(0, K.gid()), B.atomic(Op::AtomicLoad, K.at(0, Zero), {}));
  Image Result = K.emit();
  CHECK(std::count(Result.Features.begin(), Result.Features.end(),
                   "vulkanMemoryModelDeviceScope") == 1);
  std::string Text = disassembleSpirv(Result);
  INFO(Text);
  CHECK(count(Text, "OpAtomicUMin %uint") == 1);
  CHECK(count(Text, "OpAtomicSMin %int") == 2);
  CHECK(count(Text, "OpAtomicIAdd") == 3);
  CHECK(has(Text, "OpAtomicCompareExchange"));
  CHECK(has(Text, "%uint_1 %uint_0 "));
}

TEST_CASE("an f32 atomic add is a compare-exchange loop") {
  Kernel K({buffer("x", types::F32, Access::ReadWrite)});
  Builder &B = K.B;
  WorkgroupId S = B.workgroupArray("s", K.M.Types.array(types::F32, 64));
  K.F.Nondeterministic = true;
  ValueId V[] = {B.f32Bits(0x3f800000)};
  ValueId Old =
      B.atomic(Op::AtomicAdd, K.at(0, B.u32(0)), V, K.inside(0, B.u32(0)));
  B.store(K.inGroup(S, B.id(Op::LocalId, 0)), Old);
  B.atomic(Op::AtomicAdd, K.inGroup(S, B.u32(0)), V);
  B.barrier();
  B.store(K.at(0, K.gid()), B.load(K.inGroup(S, B.u32(0))),
          K.inside(0, K.gid()));
  std::string Text = K.text();
  INFO(Text);
  CHECK(count(Text, "OpAtomicCompareExchange") == 2);
  CHECK(count(Text, "OpLoopMerge") == 2);
  CHECK(count(Text, "NoContraction") == 2);
}

TEST_CASE("workgroup arrays larger than the group are cleared whole") {
  for (uint32_t Size : {1u, 63u, 64u, 65u, 511u, 512u, 8000u}) {
    Kernel K({buffer("y", types::U32, Access::ReadWrite)});
    WorkgroupId S = K.B.workgroupArray("s", K.M.Types.array(types::U32, Size));
    K.B.store(K.at(0, K.gid()), K.B.load(K.inGroup(S, K.B.u32(0))));
    Image I = K.emit();
    CHECK(I.WorkgroupBytes == 4 * Size);
    std::string Text = disassembleSpirv(I);
    INFO(Text);
    CHECK(count(Text, "OpControlBarrier") == 1);
    CHECK(count(Text, "OpLoopMerge") == (Size > 8 * 64 + 63 ? 1 : 0));
  }
}

TEST_CASE("strided struct elements and private arrays are addressed") {
  Kernel K({});
  StructType S;
  S.Name = "P";
  S.Fields = {{"a", types::F32, {}},
              {"v", K.M.Types.vector(types::F32, 3), {}},
              {"p", K.M.Types.array(types::F32, 3), {}},
              {"b", types::U32, {}}};
  TypeId P = K.M.Types.structType(K.M.Types.addStruct(S));
  K.F.Params = {buffer("x", P, Access::Read),
                buffer("y", types::F32, Access::ReadWrite)};
  Builder &B = K.B;
  ValueId I = K.gid();
  SlotId Local = B.slot("t", K.M.Types.array(types::F32, 4));
  PathElement Index, Second, Inner, Constant;
  Index.Index = I;
  Second.Member = 2;
  Inner.Index = B.op(Op::And, {I, B.u32(1)});
  Constant.Member = 3;
  ValueId V = B.load(B.place({BaseKind::Param, 0}, {Index, Second, Inner}));
  B.store(B.place({BaseKind::Slot, Local.index()}, {Constant}), V);
  B.store(B.place({BaseKind::Slot, Local.index()}, {Inner}), V);
  B.store(K.at(1, I),
          B.load(B.place({BaseKind::Slot, Local.index()}, {Constant})));
  std::string Text = K.text();
  INFO(Text);
  CHECK(has(Text, "%ulong_32")); // the struct's size
  CHECK(has(Text, "%ulong_16")); // p's offset
  CHECK(has(Text, "OpVariable %_ptr_Function__arr_float_uint_4 Function"));
}

TEST_CASE("more parameters than an instruction holds are a diagnostic") {
  Kernel K({});
  K.F.Params.assign(9000, scalar("p", types::U32));
  for (size_t N = 0; N < K.F.Params.size(); ++N)
    K.F.Params[N].Name += std::to_string(N);
  std::optional<VerifiedModule> V = K.verified();
  REQUIRE(V);
  DiagSink Sink;
  CHECK_FALSE(emitSpirv(*V, FuncId(0), EmitOptions(), Sink));
  REQUIRE(Sink.errorCount() == 1);
  CHECK(Sink.diagnostics()[0].Message ==
        "kernel `k` has 9000 parameters, vulkan1.3 code takes 8192");
}
