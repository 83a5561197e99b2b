//===- SaxpyTest.cpp - One whole module
//------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// if i < y.len() { y[i] = a * x[i] + y[i] }, the load of x guarded.
//
//===----------------------------------------------------------------------===//
#include "SpirvTest.h"

using namespace goldy;
using namespace goldy::test;

static void saxpy(Kernel &K) {
  Builder &B = K.B;
  ValueId I = K.gid();
  K.ifThen(K.inside(1, I), [&] {
    ValueId X = B.load(K.at(0, I), K.inside(0, I));
    ValueId Y = B.load(K.at(1, I));
    ValueId Product = B.op(Op::Mul, {B.param(2), X});
    B.store(K.at(1, I), B.op(Op::Add, {Product, Y}));
  });
}
static std::initializer_list<Param> saxpyParams() {
  static const std::initializer_list<Param> P = {
      buffer("x", types::F32, Access::Read),
      buffer("y", types::F32, Access::ReadWrite), scalar("a", types::F32)};
  return P;
}

TEST_CASE("saxpy has the interface of the kernel ABI") {
  Kernel K(saxpyParams(), {256, 1, 1});
  saxpy(K);
  Image I = K.emit();
  CHECK(I.Arch == "vulkan1.3");
  CHECK(I.Format == "spirv");
  CHECK(I.Entry == "k");
  CHECK(I.WorkgroupBytes == 0);
  CHECK_FALSE(I.BlockBehindAddress);
  CHECK(I.PushConstantBytes == 72);
  CHECK(I.Features ==
        std::vector<std::string>{"bufferDeviceAddress", "shaderInt64",
                                 "shaderRoundingModeRTEFloat32",
                                 "shaderSignedZeroInfNanPreserveFloat32",
                                 "vulkanMemoryModel"});
  std::string Text = disassembleSpirv(I);
  INFO(Text);
  CHECK(has(Text, "OpMemoryModel PhysicalStorageBuffer64 Vulkan"));
  CHECK(has(Text, "OpEntryPoint GLCompute %k \"k\""));
  CHECK(has(Text, "OpExecutionMode %k LocalSize 256 1 1"));
  CHECK(has(Text, "OpExecutionMode %k RoundingModeRTE 32"));
  CHECK(has(Text, "OpExecutionMode %k SignedZeroInfNanPreserve 32"));
  CHECK(has(Text, "OpMemberDecorate %params 4 Offset 32"));
  CHECK(count(Text, "NoContraction") == 2);
  CHECK(count(Text, "OpPhi %float") == 1);
  CHECK(count(Text, "Aligned 4") == 3);
}

TEST_CASE("equal input gives equal words at every level") {
  for (unsigned Level = 0; Level <= 3; ++Level) {
    Kernel A(saxpyParams()), B(saxpyParams());
    saxpy(A);
    saxpy(B);
    CHECK(A.emit(Level).Bytes == B.emit(Level).Bytes);
  }
}
