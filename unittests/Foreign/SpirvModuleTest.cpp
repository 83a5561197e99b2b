//===- SpirvModuleTest.cpp - Cleaning another compiler's SPIR-V -----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SpirvImage.h"

#include <catch2/catch.hpp>
#include <spirv-tools/libspirv.hpp>

using namespace goldy;
using namespace goldy::foreign;

static constexpr const char *Text = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 4 2 1
OpExecutionMode %other LocalSize 4 1 1
OpSource GLSL 450
OpName %main "main"
%void = OpTypeVoid
%fn = OpTypeFunction %void
%f = OpTypeFloat 32
%u = OpTypeInt 32 0
%n = OpConstant %u 12
%array = OpTypeArray %f %n
%shared = OpTypePointer Workgroup %array
%w = OpVariable %shared Workgroup
%one = OpConstant %f 1
%main = OpFunction %void None %fn
%l = OpLabel
%p = OpFMul %f %one %one
%q = OpFAdd %f %p %one
%z = OpUndef %u
OpReturn
OpFunctionEnd
%other = OpFunction %void None %fn
%m = OpLabel
OpReturn
OpFunctionEnd
)";

static SpirvModule assemble(const std::string &Source) {
  spvtools::SpirvTools Tools(SPV_ENV_VULKAN_1_3);
  Words Binary;
  REQUIRE(Tools.Assemble(Source, &Binary));
  std::optional<SpirvModule> M = SpirvModule::read(Binary);
  REQUIRE(M);
  CHECK(M->write() == Binary);
  return std::move(*M);
}

TEST_CASE("a foreign module is cleaned and described") {
  SpirvModule M = assemble(Text);
  cleanModule(M, "a_longer_name");
  CHECK(workgroupSize(M) == std::array<uint32_t, 3>{4, 2, 1});
  AbiLayout Abi;
  Abi.Size = 64;
  std::string Why;
  std::optional<Image> I = makeSpirvImage(M, Abi, 0, Why);
  INFO(Why);
  REQUIRE(I);
  CHECK(I->Entry == "a_longer_name");
  CHECK(I->WorkgroupBytes == 48);
  CHECK(I->PushConstantBytes == 64);
  CHECK(I->Features ==
        std::vector<std::string>{"shaderRoundingModeRTEFloat32",
                                 "shaderSignedZeroInfNanPreserveFloat32"});
  unsigned Kept = 0;
  for (const Instruction &A : M[Section::Annotations])
    Kept +=
        A.Operands[1] == static_cast<uint32_t>(spv::Decoration::NoContraction);
  CHECK(Kept == 2);
  CHECK(M[Section::ExecutionModes].size() == 3);
  CHECK(M[Section::Debug].size() == 1);
}

TEST_CASE("a capability that no device feature is known for is refused") {
  SpirvModule M = assemble(Text);
  M.addCapability(spv::Capability::Geometry);
  cleanModule(M, "k");
  std::string Why;
  CHECK_FALSE(makeSpirvImage(M, AbiLayout(), 0, Why));
  CHECK(Why.find("capability 2") != Why.npos);
}

TEST_CASE("what is no SPIR-V is not read") {
  CHECK_FALSE(SpirvModule::read(Words{1, 2, 3}));
  Words Binary = assemble(Text).write();
  Binary.back() = 0x00090000;
  CHECK_FALSE(SpirvModule::read(Binary));
  Binary.back() = 0;
  CHECK_FALSE(SpirvModule::read(Binary));
}
