//===- TestArtifact.cpp - Artifacts made by hand --------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The schema's object structs are packed twice, as blob offsets depend on the
// size of what holds them.
//
//===----------------------------------------------------------------------===//
#include "TestArtifact.h"

#include "TestKernels.h"

using namespace goldy;
using namespace goldy::cts;

static uint64_t aligned(uint64_t N) { return (N + 63) / 64 * 64; }

static std::vector<uint8_t> pack(const schema::ArtifactT &Root) {
  flatbuffers::FlatBufferBuilder B;
  B.FinishSizePrefixed(schema::Artifact::Pack(B, &Root),
                       schema::ArtifactIdentifier());
  return {B.GetBufferPointer(), B.GetBufferPointer() + B.GetSize()};
}

std::vector<uint8_t> TestArtifact::bytes() {
  Root.file_size = 1; // present in the table, so that the size is final
  constexpr size_t RoomForSpoil = 8192;
  uint64_t At = aligned(pack(Root).size() + (Spoil ? RoomForSpoil : 0));
  std::vector<uint64_t> Offsets;
  for (size_t I = 0; I < Blobs.size(); ++I) {
    Placers[I](Root, schema::Blob(At, Blobs[I].size()));
    Offsets.push_back(At);
    At = aligned(At + Blobs[I].size());
  }
  Root.file_size = At;
  if (Spoil)
    Spoil(Root);
  std::vector<uint8_t> File = pack(Root);
  File.resize(At);
  for (size_t I = 0; I < Blobs.size(); ++I)
    std::copy(Blobs[I].begin(), Blobs[I].end(), File.begin() + Offsets[I]);
  return File;
}

void TestArtifact::addProgram(std::string Name, std::string_view Template) {
  std::unique_ptr<schema::ProgramT> P = std::make_unique<schema::ProgramT>();
  P->name = std::move(Name);
  P->template_ = std::make_unique<schema::Blob>(0, 0);
  size_t Number = Root.programs.size();
  Root.programs.push_back(std::move(P));
  Blobs.emplace_back(Template.begin(), Template.end());
  Placers.push_back([Number](schema::ArtifactT &R, schema::Blob B) {
    *R.programs[Number]->template_ = B;
  });
}

static std::unique_ptr<schema::TypeT> scalar(schema::TypeKind Kind) {
  std::unique_ptr<schema::TypeT> T = std::make_unique<schema::TypeT>();
  T->kind = Kind;
  T->size = T->align = T->stride = 4;
  return T;
}

static void addParam(schema::KernelT &K, const char *Name,
                     schema::ParamKind Kind, uint32_t Type,
                     schema::Access Access, uint32_t Offset) {
  std::unique_ptr<schema::ParamT> P = std::make_unique<schema::ParamT>();
  P->name = Name;
  P->kind = Kind;
  P->type = Type;
  P->access = Access;
  P->offset = Offset;
  P->size = Kind == schema::ParamKind::Scalar    ? 4
            : Kind == schema::ParamKind::Uniform ? 8
            : Kind == schema::ParamKind::Tensor  ? 24
                                                 : 16;
  K.params.push_back(std::move(P));
}

static void finishKernel(TestArtifact &A, std::unique_ptr<schema::KernelT> K,
                         schema::Extent Items, uint32_t ParamsEnd,
                         std::span<const unsigned char> Code,
                         uint64_t Scratch) {
  K->workgroup_size = std::make_unique<schema::Extent>(Items);
  K->layout_table_offset = ParamsEnd;
  K->base_words_offset = ParamsEnd + 8;
  K->block_size = ParamsEnd + 32;
  K->definition = std::make_unique<schema::Blob>(0, 0);
  K->slang = std::make_unique<schema::Blob>(0, 0);
  std::unique_ptr<schema::ImageT> I = std::make_unique<schema::ImageT>();
  I->arch = "x86-64-v1";
  I->scratch_bytes = Scratch;
  I->blob = std::make_unique<schema::Blob>(0, 0);
  K->images.push_back(std::move(I));
  size_t Number = A.Root.kernels.size();
  A.Blobs.emplace_back(Code.begin(), Code.end());
  A.Placers.push_back([Number](schema::ArtifactT &R, schema::Blob B) {
    *R.kernels[Number]->images[0]->blob = B;
  });
  A.Root.kernels.push_back(std::move(K));
}

static void addText(TestArtifact &A, size_t Kernel, std::string Text) {
  A.Blobs.emplace_back(Text.begin(), Text.end());
  A.Placers.push_back([Kernel](schema::ArtifactT &R, schema::Blob B) {
    *R.kernels[Kernel]->definition = B;
  });
}

static schema::ImageT &addImage(TestArtifact &A, size_t Kernel,
                                std::span<const unsigned char> Code) {
  schema::KernelT &K = *A.Root.kernels[Kernel];
  size_t Number = K.images.size();
  K.images.push_back(std::make_unique<schema::ImageT>());
  K.images.back()->blob = std::make_unique<schema::Blob>(0, 0);
  A.Blobs.emplace_back(Code.begin(), Code.end());
  A.Placers.push_back([Kernel, Number](schema::ArtifactT &R, schema::Blob B) {
    *R.kernels[Kernel]->images[Number]->blob = B;
  });
  return *K.images.back();
}

static void addSpirv(TestArtifact &A, size_t Kernel,
                     std::span<const unsigned char> Code) {
  schema::ImageT &I = addImage(A, Kernel, Code);
  I.arch = "vulkan1.3";
  I.format = schema::ImageFormat::Spirv;
  I.entry = "kernel";
  I.push_constant_bytes = A.Root.kernels[Kernel]->block_size;
}

/// `Bindings` elements of the array of word blocks.
static schema::ImageT &addWords(TestArtifact &A, size_t Kernel,
                                std::span<const unsigned char> Code,
                                uint32_t Bindings) {
  addSpirv(A, Kernel, Code);
  schema::ImageT &I = *A.Root.kernels[Kernel]->images.back();
  I.arch = "vulkan1.1";
  I.word_bindings = Bindings;
  I.features.push_back(std::make_unique<schema::FeatureT>());
  I.features.back()->name = "shaderStorageBufferArrayDynamicIndexing";
  return I;
}

static void addPtx(TestArtifact &A, size_t Kernel,
                   std::span<const unsigned char> Code) {
  schema::ImageT &I = addImage(A, Kernel, Code);
  I.arch = "sm_80";
  I.format = schema::ImageFormat::Ptx;
  I.entry = "goldy_" + A.Root.kernels[Kernel]->name;
}

TestArtifact goldy::cts::deviceKernels() {
  TestArtifact A = testKernels();
  addSpirv(A, 0, saxpySpirv);
  addSpirv(A, 1, probeSpirv);
  addWords(A, 0, saxpy_wordsSpirv, 3);
  addWords(A, 1, probe_wordsSpirv, 2);
  addPtx(A, 0, saxpyPtx);
  addPtx(A, 1, probePtx);
  return A;
}

/// Types 0 f32, 1 u32.
static TestArtifact emptyArtifact() {
  TestArtifact A;
  A.Root.format_version = A.Root.kernel_abi_version = 1;
  A.Root.compiler_version = "made by hand";
  A.Root.types.push_back(scalar(schema::TypeKind::F32));
  A.Root.types.push_back(scalar(schema::TypeKind::U32));
  return A;
}

TestArtifact goldy::cts::shapeKernels() {
  using schema::Access;
  using schema::ParamKind;
  TestArtifact A = emptyArtifact();
  std::unique_ptr<schema::TypeT> Four = std::make_unique<schema::TypeT>();
  Four->kind = schema::TypeKind::Vector;
  Four->count = 4;
  Four->size = Four->stride = 16;
  Four->align = 4;
  A.Root.types.push_back(std::move(Four));

  std::unique_ptr<schema::KernelT> K = std::make_unique<schema::KernelT>();
  K->name = "ids";
  addParam(*K, "out", ParamKind::Buffer, 1, Access::ReadWrite, 0);
  finishKernel(A, std::move(K), {2, 1, 1}, 16, idsCode, 0);
  addSpirv(A, 0, idsSpirv);
  addPtx(A, 0, idsPtx);
  addWords(A, 0, ids_wordsSpirv, 2);

  K = std::make_unique<schema::KernelT>();
  K->name = "gather";
  addParam(*K, "x", ParamKind::Tensor, 1, Access::Read, 0);
  addParam(*K, "y", ParamKind::Tensor, 1, Access::ReadWrite, 24);
  finishKernel(A, std::move(K), {64, 1, 1}, 48, gatherCode, 0);
  addSpirv(A, 1, gatherSpirv);
  addPtx(A, 1, gatherPtx);
  addWords(A, 1, gather_wordsSpirv, 3);

  K = std::make_unique<schema::KernelT>();
  K->name = "shade";
  addParam(*K, "img", ParamKind::Image, 2, Access::Write, 0);
  addParam(*K, "u", ParamKind::Uniform, 2, Access::Read, 16);
  finishKernel(A, std::move(K), {8, 8, 1}, 24, shadeCode, 0);
  addSpirv(A, 2, shadeSpirv);
  addPtx(A, 2, shadePtx);
  addWords(A, 2, shade_wordsSpirv, 3);

  K = std::make_unique<schema::KernelT>();
  K->name = "far";
  addParam(*K, "x", ParamKind::Buffer, 0, Access::Read, 0);
  addParam(*K, "y", ParamKind::Buffer, 0, Access::ReadWrite, 16);
  addParam(*K, "a", ParamKind::Scalar, 0, Access::Read, 32);
  finishKernel(A, std::move(K), {256, 1, 1}, 40, saxpyCode, 0);
  addSpirv(A, 3, saxpy_farSpirv);
  A.Root.kernels[3]->images.back()->push_constant_bytes = 8;
  A.Root.kernels[3]->images.back()->block_behind_address = true;
  addPtx(A, 3, saxpyPtx);
  A.Root.kernels[3]->images.back()->entry = "goldy_saxpy";
  schema::ImageT &Far = addWords(A, 3, saxpy_far_wordsSpirv, 4);
  Far.push_constant_bytes = 8;
  Far.block_behind_address = true;
  return A;
}

TestArtifact goldy::cts::testKernels() {
  using schema::Access;
  using schema::ParamKind;
  TestArtifact A = emptyArtifact();
  std::unique_ptr<schema::KernelT> K = std::make_unique<schema::KernelT>();
  K->name = "saxpy";
  addParam(*K, "x", ParamKind::Buffer, 0, Access::Read, 0);
  addParam(*K, "y", ParamKind::Buffer, 0, Access::ReadWrite, 16);
  addParam(*K, "a", ParamKind::Scalar, 0, Access::Read, 32);
  finishKernel(A, std::move(K), {256, 1, 1}, 40, saxpyCode, 0);
  addText(A, 0, "definition of saxpy");

  K = std::make_unique<schema::KernelT>();
  K->name = "probe";
  addParam(*K, "out", ParamKind::Buffer, 1, Access::ReadWrite, 0);
  addParam(*K, "spin", ParamKind::Scalar, 1, Access::Read, 16);
  finishKernel(A, std::move(K), {1, 1, 1}, 24, probeCode, 4096);
  return A;
}
