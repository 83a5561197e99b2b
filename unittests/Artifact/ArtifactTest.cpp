//===- ArtifactTest.cpp - Written files are what the loader reads ---------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module with one kernel of every parameter form and a nested struct is
// written, loaded by the runtime, and compared.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Artifact/Writer.h"
#include "goldyc/Support/Sha256.h"

#include "goldy/program.hpp"
#include "program/Bytes.h"

#include <catch2/catch.hpp>

using namespace goldy;

namespace {

Param parameter(std::string Name, ParamKind Kind, TypeId Type, Access Acc) {
  Param P;
  P.Name = std::move(Name);
  P.Kind = Kind;
  P.Type = Type;
  P.Acc = Acc;
  return P;
}

/// `struct Inner { a: f32, v: gpu::Float3 }`, `struct P { b: u32, i: [Inner;
/// 2], w: u64 }`, `kernel(p: &[P], out: &mut [u32], class: f32, on: bool)`.
Module exampleModule() {
  Module M;
  StructType Inner{"Inner", {}, {}};
  Inner.Fields.push_back({"a", types::F32, {}});
  Inner.Fields.push_back({"v", M.Types.vector(types::F32, 3), {}});
  TypeId InnerType = M.Types.structType(M.Types.addStruct(Inner));
  StructType P{"P", {}, {}};
  P.Fields.push_back({"b", types::U32, {}});
  P.Fields.push_back({"i", M.Types.array(InnerType, 2), {}});
  P.Fields.push_back({"w", types::U64, {}});
  TypeId PType = M.Types.structType(M.Types.addStruct(P));
  Function F;
  F.Name = "kernel";
  F.Kind = FuncKind::Kernel;
  F.Doc = "Does this\nand \"that\".";
  F.WorkgroupSize = {64, 2, 1};
  F.Params = {
      parameter("p", ParamKind::Buffer, PType, Access::Read),
      parameter("out", ParamKind::Buffer, types::U32, Access::ReadWrite),
      parameter("class", ParamKind::Scalar, types::F32, Access::Read),
      parameter("on", ParamKind::Scalar, types::Bool, Access::Read)};
  F.WorkgroupArrays.push({"s", M.Types.array(types::F32, 3), {}});
  F.WorkgroupArrays.push({"t", M.Types.array(types::U32, 8), {}});
  M.Functions.push(std::move(F));
  return M;
}

Image image(std::string Arch, std::string Format, size_t Bytes) {
  Image I;
  I.Arch = std::move(Arch);
  I.Format = std::move(Format);
  I.Bytes.assign(Bytes, 0xcc);
  return I;
}

ArtifactInput exampleInput(const Module &M) {
  ArtifactInput In;
  In.Definition = &M;
  KernelRecord K;
  K.Kernel = FuncId(0);
  K.DefinitionText = "the definition";
  K.CanonicalSlang = "the slang";
  K.Images = {image("x86-64-v2", "x86-blob", 100),
              image("vulkan1.3", "spirv", 64), image("sm_80", "ptx", 33)};
  K.Images[0].EntryOffset = 16;
  K.Images[0].ScratchBytes = 4096;
  K.Images[1].Entry = K.Images[2].Entry = "kernel";
  K.Images[1].PushConstantBytes = 72;
  K.Images[1].Features = {"float-controls", "int64"};
  K.UniformRead = {true};
  In.Kernels = {K};
  In.Sources = {{"b.goldy", Sha256::of("b")},
                {"a.goldy", Sha256::of("a")},
                {"b.goldy", Sha256::of("b")}};
  In.CompilerVersion = "goldyc 0.1.0";
  In.Flags = "-O2";
  return In;
}

bool contains(std::string_view Text, std::string_view Part) {
  return Text.find(Part) != Text.npos;
}

} // namespace

TEST_CASE("a written file loads and says what was written") {
  Module M = exampleModule();
  std::vector<uint8_t> File = writeArtifact(exampleInput(M));
  Result<Artifact> A = Artifact::load(File, 0);
  REQUIRE(A.status().message() == "");
  REQUIRE(A->kernelCount() == 1);
  CHECK(A->kernelName(0) == "kernel");
  CHECK(A->kernelDefinition(0) == "the definition");
  goldy_text_t Slang = goldy_artifact_kernel_slang(A->get(), 0);
  CHECK(std::string(Slang.data, Slang.size) == "the slang");
  CHECK(A->json() == metaJson(exampleInput(M)));
}

TEST_CASE("the description holds layouts, provenance and images") {
  Module M = exampleModule();
  std::string Json = metaJson(exampleInput(M));
  // b at 0, i (2 x 16 bytes) at 4, w at 40 after alignment to 8.
  CHECK(contains(
      Json, R"({"name": "i", "type": "[Inner; 2]", "offset": 4, "size": 32})"));
  CHECK(contains(Json,
                 R"({"name": "w", "type": "u64", "offset": 40, "size": 8})"));
  CHECK(contains(Json, R"("size": 48)"));
  CHECK(contains(
      Json,
      R"({"name": "p", "kind": "buffer", "type": "P", "access": "read", "offset": 0, "size": 16, "stride": 48, "dependence": "other", "uniform_read": true})"));
  CHECK(contains(
      Json,
      R"({"name": "on", "kind": "scalar", "type": "bool", "access": "read", "offset": 36, "size": 4})"));
  CHECK(contains(
      Json, R"("block": {"size": 72, "layout_table": 40, "base_words": 48})"));
  CHECK(contains(Json, R"("doc": "Does this\nand \"that\".")"));
  CHECK(contains(Json, R"("workgroup_bytes": 48)"));
  CHECK(contains(
      Json,
      R"({"arch": "x86-64-v2", "format": "x86-blob", "bytes": 100, "entry_offset": 16, "scratch_bytes": 4096, "workgroup_bytes": 0, "features": []})"));
  CHECK(contains(Json, R"("features": ["float-controls", "int64"])"));
  // Sorted, once each.
  CHECK(Json.find("a.goldy") < Json.find("b.goldy"));
  CHECK(Json.find("b.goldy") == Json.rfind("b.goldy"));
}

TEST_CASE("equal input gives equal bytes, and blobs are aligned and shared") {
  Module M = exampleModule();
  ArtifactInput In = exampleInput(M);
  std::vector<uint8_t> First = writeArtifact(In);
  CHECK(First == writeArtifact(In));
  CHECK(First.size() % 64 == 0);
  Image Big = image("x86-64-v3", "x86-blob", 1 << 20);
  In.Kernels[0].Images.push_back(Big);
  size_t One = writeArtifact(In).size();
  Big.Arch = "x86-64-v4";
  In.Kernels[0].Images.push_back(Big);
  CHECK(writeArtifact(In).size() < One + 4096);
  CHECK(Artifact::load(writeArtifact(In), 0).status().message() == "");
}

TEST_CASE("an artifact without kernels is a file too") {
  Module M;
  ArtifactInput In;
  In.Definition = &M;
  std::vector<uint8_t> File = writeArtifact(In);
  Result<Artifact> A = Artifact::load(File, 0);
  REQUIRE(A.status().message() == "");
  CHECK(A->kernelCount() == 0);
}

TEST_CASE("programs are written with the kernels") {
  Module M = exampleModule();
  ArtifactInput In = exampleInput(M);
  program::ProgramTemplate P;
  P.Name = "step";
  P.Devices = {"device"};
  P.Types = {program::Scalar::F32};
  P.Images = {{0, "kernel"}};
  P.Inputs = {
      {"x", 0, program::InputForm::Slice, 0, program::Access::ReadOnly, 0, {}}};
  P.Ints = {program::LengthInt{0}};
  In.Programs.push_back(P);
  P.Name = "second";
  In.Programs.push_back(P);
  std::vector<uint8_t> File = writeArtifact(In);
  CHECK(writeArtifact(In) == File);
  Result<Artifact> A = Artifact::load(File);
  REQUIRE(A.status().message() == "");
  REQUIRE(goldy_artifact_program_count(A->get()) == 2);
  Result<ProgramTemplate> T = ProgramTemplate::open(*A, "second");
  REQUIRE(T);
  CHECK(*T->bytes() == program::toBytes(P));
  CHECK(metaJson(In) == A->json());
  std::string Header = cppHeader(In, "my-file");
  CHECK(contains(Header, "#include <goldy/frame.hpp>"));
  CHECK(contains(Header, "struct step {"));
  CHECK(contains(Header, "*program_name = \"second\";"));
  CHECK(contains(Header, "run(goldy::ViewOf<const float> x)"));
  CHECK(contains(Header, "const goldy::Device &device)"));
  CHECK(A->json().find("\"programs\"") != std::string::npos);
}

TEST_CASE("sha-256 of the published examples") {
  CHECK(Sha256::hex(Sha256::of("abc")) ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(Sha256::hex(Sha256::of("")) ==
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(Sha256::hex(Sha256::of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmn"
                               "omnopnopq")) ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  Sha256 InPieces;
  for (int I = 0; I < 1000; ++I)
    InPieces.update(std::string(1000, 'a'));
  CHECK(Sha256::hex(InPieces.finish()) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("embedded bytes and identifiers") {
  const uint8_t Bytes[] = {1, 2, 255};
  std::string C = embedC(Bytes, "data");
  CHECK(contains(C,
                 "_Alignas(64) const unsigned char data[3] = {\n1,2,255,\n};"));
  CHECK(contains(C, "const size_t data_size = sizeof data;"));
  CHECK(identifierFrom("8-bit.x") == "_8_bit_x");
  CHECK(identifierFrom("") == "_");
}

TEST_CASE("headers state layouts and typed launches") {
  Module M = exampleModule();
  std::string Cpp = cppHeader(exampleInput(M), "my-file");
  CHECK(contains(Cpp, "namespace my_file {"));
  CHECK(contains(Cpp, "  std::array<Inner, 2> i;"));
  CHECK(contains(Cpp, "static_assert(sizeof(P) == 48 && alignof(P) == 8);"));
  CHECK(contains(Cpp, "static_assert(offsetof(P, w) == 40);"));
  CHECK(contains(Cpp, "goldy::ViewOf<const P> p,"));
  CHECK(contains(Cpp, "goldy::ViewOf<uint32_t> out,"));
  CHECK(contains(Cpp, "float class_,"));
  CHECK(contains(Cpp, "/// Does this\n/// and \"that\".\nstruct kernel_ {"));
  std::string C = cHeader(exampleInput(M), "my-file");
  CHECK(contains(C, "  my_file_Inner i[2];"));
  CHECK(contains(
      C, "static_assert(offsetof(my_file_P, w) == 40, \"my_file_P.w\");"));
  CHECK(contains(C, "uint64_t out_offset, uint64_t out_length"));
}

TEST_CASE("specialisation constants and baked values are kept") {
  Module M = exampleModule();
  M.Specs.push({"TILE", types::U32, 8, {}});
  M.Specs.push({"SCALE", types::F32, 0x3f000000, {}});
  Function &F = M.Functions[FuncId(0)];
  F.Insts.push({});
  F.Insts[InstId(F.Insts.size() - 1)].Opcode = Op::SpecConst;
  F.Insts[InstId(F.Insts.size() - 1)].Type = types::F32;
  F.Insts[InstId(F.Insts.size() - 1)].Imm = 1; // SCALE is used, TILE is not
  ArtifactInput In = exampleInput(M);
  In.Kernels[0].Baked = {std::nullopt, std::nullopt, 0x40200000, 1};
  Result<Artifact> A = Artifact::load(writeArtifact(In), 0);
  REQUIRE(A.status().message() == "");
  REQUIRE(goldy_artifact_kernel_spec_count(A->get(), 0) == 2);
  goldy_spec_info_t Tile = goldy_artifact_kernel_spec(A->get(), 0, 0);
  CHECK(std::string(Tile.name) == "TILE");
  CHECK(Tile.id == 0);
  CHECK(Tile.type == GOLDY_TYPE_U32);
  CHECK(Tile.value == 8);
  CHECK_FALSE(Tile.settable);
  goldy_spec_info_t Scale = goldy_artifact_kernel_spec(A->get(), 0, 1);
  CHECK(Scale.id == 1);
  CHECK(Scale.value == 0x3f000000);
  CHECK(Scale.settable);
  CHECK(goldy_artifact_kernel_spec(A->get(), 0, 2).name == nullptr);
  std::string Json = metaJson(In);
  CHECK(contains(
      Json,
      R"({"name": "class", "kind": "scalar", "type": "f32", "access": "read", "offset": 32, "size": 4, "baked_bits": 1075838976})"));
  CHECK(contains(
      Json,
      R"({"name": "SCALE", "id": 1, "type": "f32", "bits": 1056964608, "settable": true})"));

  // A value wider than its type, and a baked buffer, are refused.
  In.Kernels[0].Baked = {std::nullopt, std::nullopt, std::nullopt, 2};
  CHECK(contains(Artifact::load(writeArtifact(In), 0).status().message(),
                 "a baked value wider than its type"));
  In.Kernels[0].Baked = {1};
  CHECK(contains(Artifact::load(writeArtifact(In), 0).status().message(),
                 "only a scalar is baked"));
  In.Kernels[0].Baked = {};
  M.Specs[SpecId(0)].Default = uint64_t(1) << 32;
  CHECK(contains(Artifact::load(writeArtifact(In), 0).status().message(),
                 "type, number or value is not allowed"));
}
