//===- LoaderTest.cpp - The loader refuses damaged and forged files -------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every rule of schemas/artifact.fbs is broken once; then every byte of a good
// file is flipped and every truncation tried: an error or a sound artifact, no
// crash.
//
//===----------------------------------------------------------------------===//
#include "TestArtifact.h"

#include "goldy/goldy.hpp"

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace goldy;
using namespace goldy::cts;

namespace {

Status load(const std::vector<uint8_t> &File) {
  return Artifact::load(File, 0).takeStatus();
}

/// The message of loading a file whose tables were spoiled.
std::string refusal(std::function<void(schema::ArtifactT &)> Spoil) {
  TestArtifact A = testKernels();
  A.Spoil = std::move(Spoil);
  return load(A.bytes()).message();
}

void refuses(const char *Words,
             std::function<void(schema::ArtifactT &)> Spoil) {
  std::string Message = refusal(std::move(Spoil));
  INFO("message: " << Message);
  CHECK(Message.find(Words) != Message.npos);
}

std::unique_ptr<schema::TypeT> type(schema::TypeKind Kind, uint32_t Element,
                                    uint32_t Count, uint64_t Size,
                                    uint32_t Align) {
  std::unique_ptr<schema::TypeT> T = std::make_unique<schema::TypeT>();
  T->kind = Kind;
  T->element = Element;
  T->count = Count;
  T->size = T->stride = Size;
  T->align = Align;
  return T;
}

std::unique_ptr<schema::FieldT> field(const char *Name, uint32_t Type,
                                      uint64_t Offset) {
  std::unique_ptr<schema::FieldT> F = std::make_unique<schema::FieldT>();
  F->name = Name;
  F->type = Type;
  F->offset = Offset;
  return F;
}

} // namespace

TEST_CASE("a good file loads, at any alignment") {
  std::vector<uint8_t> File = testKernels().bytes();
  CHECK(load(File).message() == "");
  std::vector<uint8_t> Shifted(File.size() + 8);
  for (size_t By = 0; By < 8; ++By) {
    std::memcpy(Shifted.data() + By, File.data(), File.size());
    Result<Artifact> A =
        Artifact::load(std::span(Shifted.data() + By, File.size()), 0);
    REQUIRE(A.status().message() == "");
    CHECK(A->kernelDefinition(0) == "definition of saxpy");
    CHECK(A->json().size() > 100);
  }
}

TEST_CASE("files that are no artifacts") {
  CHECK(load({}).message() ==
        "not a goldy artifact: the mark `GDYA` is missing");
  CHECK(load(std::vector<uint8_t>(1000, 0)).code() == GOLDY_INVALID_ARTIFACT);
  goldy_artifact_t *A = nullptr;
  Status S(goldy_artifact_load_file("/nonexistent/x.gdy", 0, &A));
  CHECK(S.code() == GOLDY_IO);
  CHECK(S.message() == "`/nonexistent/x.gdy`: No such file or directory");
  Status D(goldy_artifact_load_file("/", 0, &A));
  CHECK(D.message() == "`/`: is a directory");
  Status F(goldy_artifact_load_memory("", 0, 8, &A));
  CHECK(F.code() == GOLDY_INVALID_ARGUMENT);
}

TEST_CASE("provenance is checked") {
  refuses("format version is 2; this library reads 1 to 1",
          [](schema::ArtifactT &R) { R.format_version = 2; });
  refuses("format version is 0",
          [](schema::ArtifactT &R) { R.format_version = 0; });
  refuses("kernel ABI version is 7",
          [](schema::ArtifactT &R) { R.kernel_abi_version = 7; });
  refuses("truncated or damaged",
          [](schema::ArtifactT &R) { R.file_size += 64; });
  refuses("unknown float or bounds mode",
          [](schema::ArtifactT &R) { R.fp_mode = schema::FpMode(9); });
}

TEST_CASE("types are checked") {
  using enum schema::TypeKind;
  auto Add = [](std::unique_ptr<schema::TypeT> (*Make)()) {
    return [Make](schema::ArtifactT &R) { R.types.push_back(Make()); };
  };
  refuses("unknown kind 0", Add([] { return type(Void, 0, 0, 0, 1); }));
  refuses("unknown kind 99",
          Add([] { return type(schema::TypeKind(99), 0, 0, 4, 4); }));
  refuses("a scalar with elements", Add([] { return type(U32, 0, 2, 4, 4); }));
  refuses("layout rule", Add([] { return type(U32, 0, 0, 8, 4); }));
  refuses("not an earlier type", Add([] { return type(Vector, 2, 3, 12, 4); }));
  refuses("2 to 4 components", Add([] { return type(Vector, 0, 5, 20, 4); }));
  refuses("one element or more", Add([] { return type(Array, 0, 0, 0, 4); }));
  refuses("layout rule", Add([] { return type(Array, 0, 3, 16, 4); }));
  refuses("without fields", Add([] {
            std::unique_ptr<schema::TypeT> T = type(Struct, 0, 0, 0, 1);
            T->name = "P";
            return T;
          }));
  refuses("field `b` is not where", Add([] {
            std::unique_ptr<schema::TypeT> T = type(Struct, 0, 0, 8, 4);
            T->name = "P";
            T->fields.push_back(field("a", 0, 0));
            T->fields.push_back(field("b", 0, 8));
            return T;
          }));
  refuses("two fields of one name", Add([] {
            std::unique_ptr<schema::TypeT> T = type(Struct, 0, 0, 8, 4);
            T->name = "P";
            T->fields.push_back(field("a", 0, 0));
            T->fields.push_back(field("a", 0, 4));
            return T;
          }));
  refuses("control character", Add([] {
            std::unique_ptr<schema::TypeT> T = type(Struct, 0, 0, 4, 4);
            T->name = "P\x1b";
            T->fields.push_back(field("a", 0, 0));
            return T;
          }));
  refuses("nesting: 17", [](schema::ArtifactT &R) {
    for (uint32_t I = 1; I < 19; ++I)
      R.types.push_back(type(Array, I, 1, 4, 4));
  });
  refuses("the array is larger", [](schema::ArtifactT &R) {
    uint64_t Bytes = 4 * uint64_t(UINT32_MAX);
    R.types.push_back(type(Array, 1, UINT32_MAX, Bytes, 4));
    R.types.push_back(type(Array, 2, UINT32_MAX, Bytes, 4));
  });
}

TEST_CASE("kernels and parameters are checked") {
  auto On = [](void (*Do)(schema::KernelT &)) {
    return [Do](schema::ArtifactT &R) { Do(*R.kernels[0]); };
  };
  refuses("two kernels of one name",
          [](schema::ArtifactT &R) { R.kernels[1]->name = "saxpy"; });
  refuses("workgroup size 2048 x 1 x 1", On([](schema::KernelT &K) {
            *K.workgroup_size = schema::Extent(2048, 1, 1);
          }));
  refuses("workgroup size 0 x 1 x 1", On([](schema::KernelT &K) {
            *K.workgroup_size = schema::Extent(0, 1, 1);
          }));
  refuses("workgroup memory in bytes",
          On([](schema::KernelT &K) { K.workgroup_bytes = 1 << 21; }));
  refuses("there is no type 77",
          On([](schema::KernelT &K) { K.params[0]->type = 77; }));
  refuses("unknown kind or access", On([](schema::KernelT &K) {
            K.params[0]->kind = schema::ParamKind(9);
          }));
  refuses("unknown dependence", On([](schema::KernelT &K) {
            K.params[0]->dependence = schema::IndexForm(9);
          }));
  refuses("unknown dependence", On([](schema::KernelT &K) {
            K.params[0]->dependence = schema::IndexForm::Other;
            K.params[0]->dependence_axes = 1;
          }));
  refuses("parameter `y` is not where",
          On([](schema::KernelT &K) { K.params[1]->offset = 24; }));
  refuses("parameter `a` is not where",
          On([](schema::KernelT &K) { K.params[2]->size = 8; }));
  refuses("a scalar is a readable value", On([](schema::KernelT &K) {
            K.params[2]->access = schema::Access::Write;
          }));
  refuses("only a buffer or tensor can be a uniform read",
          On([](schema::KernelT &K) { K.params[2]->uniform_read = true; }));
  refuses("the parameter block is not",
          On([](schema::KernelT &K) { K.block_size = 1 << 30; }));
  refuses("two parameters of one name",
          On([](schema::KernelT &K) { K.params[1]->name = "x"; }));
  refuses("definition: the blob of 8 bytes",
          On([](schema::KernelT &K) { *K.definition = schema::Blob(0, 8); }));
  refuses("slang: texts overlap", [](schema::ArtifactT &R) {
    // In the zeros between tables and blobs; more than the file together.
    *R.kernels[0]->definition = schema::Blob(4096, 4096);
    *R.kernels[1]->definition = schema::Blob(4160, 4000);
    *R.kernels[1]->slang = schema::Blob(4224, 3900);
  });
  refuses("a kernel's name is not UTF-8",
          On([](schema::KernelT &K) { K.name = "k\xc0\x80"; }));
  refuses("the doc comment is not UTF-8",
          On([](schema::KernelT &K) { K.doc = "\xed\xa0\x80"; }));
  refuses("slang: an empty blob with an offset",
          On([](schema::KernelT &K) { *K.slang = schema::Blob(64, 0); }));
}

static void becomePtx(schema::ImageT &I) {
  I.format = schema::ImageFormat::Ptx;
  I.entry = "kernel";
  I.entry_offset = I.scratch_bytes = 0;
}

static std::unique_ptr<schema::HostDebugT> debugOf(const schema::ImageT &I) {
  std::unique_ptr<schema::HostDebugT> D =
      std::make_unique<schema::HostDebugT>();
  D->object = std::make_unique<schema::Blob>(*I.blob);
  D->addresses = {0};
  return D;
}

TEST_CASE("debug information is checked where a loader writes") {
  auto On = [](void (*Do)(schema::ImageT &)) {
    return [Do](schema::ArtifactT &R) {
      schema::ImageT &I = *R.kernels[0]->images[0];
      I.debug = debugOf(I);
      I.item = std::make_unique<schema::ItemCodeT>();
      I.item->code = std::make_unique<schema::Blob>(*I.blob);
      I.item->debug = debugOf(I);
      Do(I);
    };
  };
  CHECK(refusal(On([](schema::ImageT &) {})) == "");
  refuses("are not ascending words",
          On([](schema::ImageT &I) { I.debug->addresses = {4}; }));
  refuses("are not ascending words", On([](schema::ImageT &I) {
            uint32_t End = static_cast<uint32_t>(I.blob->size()) / 8 * 8;
            I.debug->addresses = {0, End};
          }));
  refuses("are not ascending words",
          On([](schema::ImageT &I) { I.debug->addresses = {0, 0}; }));
  refuses("without an object or its addresses",
          On([](schema::ImageT &I) { I.debug->addresses.clear(); }));
  refuses("without an object or its addresses",
          On([](schema::ImageT &I) { *I.debug->object = schema::Blob(0, 0); }));
  refuses("outside the file's blob area", On([](schema::ImageT &I) {
            *I.debug->object = schema::Blob(I.blob->offset(), UINT64_MAX);
          }));
  refuses("addresses of debug information", On([](schema::ImageT &I) {
            I.item->debug->addresses.assign(257, 0);
          }));
  refuses("lies outside the work-item's code",
          On([](schema::ImageT &I) { I.item->entry_offset = 1 << 20; }));
  refuses("lies outside the work-item's code",
          On([](schema::ImageT &I) { *I.item->code = schema::Blob(0, 0); }));
  refuses("scratch of a work-item's code", On([](schema::ImageT &I) {
            I.item->scratch_bytes = uint64_t(1) << 40;
          }));
  refuses("facts of host code on another format",
          On([](schema::ImageT &I) { becomePtx(I); }));
}

TEST_CASE("images are checked") {
  auto On = [](void (*Do)(schema::ImageT &)) {
    return [Do](schema::ArtifactT &R) { Do(*R.kernels[0]->images[0]); };
  };
  refuses("not a multiple of 64", On([](schema::ImageT &I) {
            *I.blob = schema::Blob(I.blob->offset() + 4, 8);
          }));
  refuses("outside the file's blob area", On([](schema::ImageT &I) {
            *I.blob = schema::Blob(I.blob->offset(), UINT64_MAX);
          }));
  refuses("outside the file's blob area", On([](schema::ImageT &I) {
            *I.blob = schema::Blob(UINT64_MAX - 63, 128);
          }));
  refuses("no code",
          On([](schema::ImageT &I) { *I.blob = schema::Blob(0, 0); }));
  refuses("lies outside the code",
          On([](schema::ImageT &I) { I.entry_offset = 1 << 20; }));
  refuses("scratch in bytes",
          On([](schema::ImageT &I) { I.scratch_bytes = uint64_t(1) << 40; }));
  refuses("facts of another format",
          On([](schema::ImageT &I) { I.push_constant_bytes = 4; }));
  refuses("facts of another format", On([](schema::ImageT &I) {
            I.threads = std::make_unique<schema::Extent>(1, 1, 1);
          }));
  refuses("threads along x, the workgroup has", [](schema::ArtifactT &R) {
    schema::ImageT &I = *R.kernels[0]->images[0];
    becomePtx(I);
    I.threads = std::make_unique<schema::Extent>(2000, 1, 1);
    I.groups_at_once = 4;
  });
  refuses("0 threads along z", [](schema::ArtifactT &R) {
    schema::ImageT &I = *R.kernels[0]->images[0];
    becomePtx(I);
    I.threads = std::make_unique<schema::Extent>(256, 1, 0);
    I.groups_at_once = 4;
  });
  refuses("threads without groups at once", [](schema::ArtifactT &R) {
    schema::ImageT &I = *R.kernels[0]->images[0];
    becomePtx(I);
    I.groups_at_once = 4;
  });
  refuses("3 groups at once, 2 side by side", [](schema::ArtifactT &R) {
    schema::ImageT &I = *R.kernels[0]->images[0];
    becomePtx(I);
    I.threads = std::make_unique<schema::Extent>(
        2 * R.kernels[0]->workgroup_size->x(), 1, 1);
    I.groups_at_once = 3;
  });
  auto Watched = [](void (*Spoil)(schema::SiteT &)) {
    return [Spoil](schema::ArtifactT &R) {
      schema::ImageT &I = *R.kernels[0]->images[0];
      std::unique_ptr<schema::SiteT> S = std::make_unique<schema::SiteT>();
      S->file = "k.goldy";
      S->kind = schema::SiteKind::Read;
      S->memory = schema::SiteMemory::Workgroup;
      S->indices.emplace_back(4, 64, 0);
      Spoil(*S);
      I.sanitize = 7;
      I.sites.push_back(std::move(S));
    };
  };
  CHECK(refusal(Watched([](schema::SiteT &) {})) == "");
  refuses("sites of code that is not watched", On([](schema::ImageT &I) {
            I.sites.push_back(std::make_unique<schema::SiteT>());
            I.sites[0]->file = "k.goldy";
          }));
  refuses("only host code is watched",
          On([](schema::ImageT &I) { I.sanitize = 8; }));
  refuses("a site of unknown kind",
          Watched([](schema::SiteT &S) { S.kind = schema::SiteKind(9); }));
  refuses("memory is none of its kind", Watched([](schema::SiteT &S) {
            S.memory = schema::SiteMemory::None;
          }));
  refuses("memory is none of its kind", Watched([](schema::SiteT &S) {
            S.kind = schema::SiteKind::Barrier;
          }));
  refuses("which is no resource", Watched([](schema::SiteT &S) {
            S.memory = schema::SiteMemory::Param;
            S.base = 77;
          }));
  refuses("the place of a site",
          Watched([](schema::SiteT &S) { S.base = 2 << 20; }));
  refuses("the bytes of a site",
          Watched([](schema::SiteT &S) { S.bytes = 2 << 20; }));
  refuses("the file of a site has no name",
          Watched([](schema::SiteT &S) { S.file = ""; }));
  refuses("indices of a site",
          Watched([](schema::SiteT &S) { S.indices.resize(65, {4, 64, 0}); }));
  refuses("has not the extent that it needs", Watched([](schema::SiteT &S) {
            S.indices[0] = schema::SiteIndex(4, 0, 0);
          }));
  refuses("a site with too few indices", Watched([](schema::SiteT &S) {
            S.memory = schema::SiteMemory::Param;
            S.indices.clear();
          }));
  refuses("calls of a site", Watched([](schema::SiteT &S) {
            for (unsigned N = 0; N < 65; ++N) {
              S.calls.push_back(std::make_unique<schema::SitePlaceT>());
              S.calls.back()->file = "k.goldy";
            }
          }));
  refuses("the file of a site has no name", Watched([](schema::SiteT &S) {
            S.calls.push_back(std::make_unique<schema::SitePlaceT>());
          }));
  refuses("memory is none of its kind", Watched([](schema::SiteT &S) {
            S.kind = schema::SiteKind::Copy;
            S.memory = schema::SiteMemory::Param;
          }));
  refuses("unknown format",
          On([](schema::ImageT &I) { I.format = schema::ImageFormat(5); }));
  refuses("the entry has no name",
          On([](schema::ImageT &I) { I.format = schema::ImageFormat::Spirv; }));
  refuses("4 bytes of push constants, the parameter block takes 72",
          On([](schema::ImageT &I) {
            I.format = schema::ImageFormat::Spirv;
            I.entry = "kernel";
            I.push_constant_bytes = 4;
            *I.blob = schema::Blob(I.blob->offset(), 64);
          }));
  refuses("features are not sorted", On([](schema::ImageT &I) {
            for (int N = 0; N < 2; ++N) {
              I.features.push_back(std::make_unique<schema::FeatureT>());
              I.features.back()->name = "same";
            }
          }));
}

TEST_CASE("no truncation and no flipped byte does harm") {
  std::vector<uint8_t> File = testKernels().bytes();
  for (size_t N = 0; N < File.size(); ++N)
    CHECK(!load({File.begin(), File.begin() + N}).ok());
  for (size_t I = 0; I < File.size(); ++I)
    for (uint8_t Flip : {0x01, 0x80, 0xff}) {
      std::vector<uint8_t> Bad = File;
      Bad[I] ^= Flip;
      Result<Artifact> A = Artifact::load(Bad, 0);
      if (A) // texts and code may differ, facts are still sound
        (void)A->json();
    }
}

TEST_CASE("shared tables cannot make the loader run long") {
  // Many kernels that are one table: the verifier visits each use.
  flatbuffers::FlatBufferBuilder B;
  TestArtifact A = testKernels();
  A.bytes();
  std::vector<flatbuffers::Offset<schema::Param>> Params(
      1000, schema::CreateParam(B, B.CreateString("x")));
  flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<schema::Param>>>
      List = B.CreateVector(Params);
  flatbuffers::Offset<flatbuffers::String> Name = B.CreateString("k");
  schema::Extent One(1, 1, 1);
  schema::Blob None(0, 0);
  flatbuffers::Offset<schema::Kernel> K = schema::CreateKernel(
      B, Name, List, &One, 0, 0, 0, 0, false, 0, &None, &None);
  std::vector<flatbuffers::Offset<schema::Kernel>> Kernels(60000, K);
  flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<schema::Kernel>>>
      KernelList = B.CreateVector(Kernels);
  flatbuffers::Offset<flatbuffers::String> Text = B.CreateString("t");
  B.FinishSizePrefixed(
      schema::CreateArtifact(B, 1, 1, 1, Text, Text, schema::FpMode::Strict,
                             schema::BoundsMode::Checked, 0, 0, KernelList),
      schema::ArtifactIdentifier());
  Status S = load({B.GetBufferPointer(), B.GetBufferPointer() + B.GetSize()});
  CHECK(S.message().find("more than 2000000 parts") != std::string::npos);
}

TEST_CASE("blobs beyond 4 GiB are found") {
  // A sparse file: tables at the start, saxpy's code and its text at 5 GiB.
  constexpr uint64_t Far = uint64_t(5) << 30;
  TestArtifact A = testKernels();
  A.Spoil = [&](schema::ArtifactT &R) {
    uint64_t Code = R.kernels[0]->images[0]->blob->size();
    R.kernels.resize(1);
    *R.kernels[0]->images[0]->blob = schema::Blob(Far, Code);
    *R.kernels[0]->definition = schema::Blob(Far + 4096, 4);
    R.file_size = Far + 8192;
  };
  std::vector<uint8_t> Tables = A.bytes();
  std::filesystem::path Path =
      std::filesystem::temp_directory_path() /
      ("goldy-large-" + std::to_string(getpid()) + ".gdy");
  {
    std::ofstream Out(Path, std::ios::binary);
    Out.write(reinterpret_cast<const char *>(Tables.data()),
              static_cast<std::streamsize>(Tables.size()));
    Out.seekp(Far);
    Out.write(reinterpret_cast<const char *>(A.Blobs[0].data()),
              static_cast<std::streamsize>(A.Blobs[0].size()));
    Out.seekp(Far + 4096);
    Out.write("text", 4);
  }
  std::filesystem::resize_file(Path, Far + 8192);
  Result<Artifact> File = Artifact::load(Path.c_str());
  std::filesystem::remove(Path);
  REQUIRE(File.status().message() == "");
  CHECK(File->kernelDefinition(0) == "text");
  Result<Device> D = Device::open("cpu");
  Result<Kernel> K = Kernel::create(*D, *File);
  REQUIRE(K);
  const float Ones[4] = {1, 1, 1, 1};
  Result<Buffer> X = D->bufferOf(Ones), Y = D->bufferOf(Ones);
  REQUIRE(K->launch({1, 1, 1}, {X->view<float>(), Y->view<float>(), 2.0f}));
  float Got[4] = {};
  REQUIRE(Y->read(Got).ok());
  CHECK(Got[3] == 3);
}
