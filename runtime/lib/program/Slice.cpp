//===- Slice.cpp - One kernel of an artifact for one architecture ---------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables are written twice: where blobs lie depends on the tables' size,
// which does not depend on where blobs lie.
//
//===----------------------------------------------------------------------===//
#include "program/Slice.h"

#include "artifact_generated.h"

#include <cassert>

using namespace goldy::rt;
namespace schema = goldy::schema;

namespace {

constexpr uint64_t BlobAlign = 64;

uint64_t aligned(uint64_t N) {
  return (N + BlobAlign - 1) / BlobAlign * BlobAlign;
}

/// The tables of the file, all blobs without a place.
schema::ArtifactT tablesOf(const schema::Artifact &Root, size_t Kernel,
                           size_t Image) {
  schema::ArtifactT T;
  T.format_version = Root.format_version();
  T.kernel_abi_version = Root.kernel_abi_version();
  T.file_size = 1; // a 0 would not be stored
  T.compiler_version = Root.compiler_version()->str();
  T.flags = Root.flags()->str();
  T.fp_mode = Root.fp_mode();
  T.bounds_mode = Root.bounds_mode();
  if (Root.sources())
    for (const schema::Source *S : *Root.sources())
      T.sources.emplace_back(S->UnPack());
  if (Root.types())
    for (const schema::Type *Type : *Root.types())
      T.types.emplace_back(Type->UnPack());
  T.kernels.emplace_back(
      Root.kernels()->Get(static_cast<uint32_t>(Kernel))->UnPack());
  std::vector<std::unique_ptr<schema::ImageT>> &Images = T.kernels[0]->images;
  std::unique_ptr<schema::ImageT> Chosen = std::move(Images[Image]);
  Images.clear();
  Images.push_back(std::move(Chosen));
  return T;
}

std::string encode(const schema::ArtifactT &T) {
  flatbuffers::FlatBufferBuilder B;
  schema::FinishSizePrefixedArtifactBuffer(B, schema::Artifact::Pack(B, &T));
  return std::string(reinterpret_cast<const char *>(B.GetBufferPointer()),
                     B.GetSize());
}

std::string_view view(std::span<const std::byte> Bytes) {
  return {reinterpret_cast<const char *>(Bytes.data()), Bytes.size()};
}

} // namespace

std::string goldy::rt::artifactSlice(const Artifact &A, size_t Kernel,
                                     size_t Image) {
  const rt::Kernel &K = A.Kernels[Kernel];
  schema::ArtifactT T =
      tablesOf(*static_cast<const schema::Artifact *>(A.Root), Kernel, Image);
  uint64_t End = encode(T).size();
  std::string Blobs;
  auto Place = [&](std::string_view Bytes) {
    if (Bytes.empty())
      return schema::Blob(0, 0);
    Blobs.resize(aligned(End + Blobs.size()) - End);
    schema::Blob Where(End + Blobs.size(), Bytes.size());
    Blobs += Bytes;
    return Where;
  };
  schema::KernelT &Out = *T.kernels[0];
  *Out.definition = Place(K.Definition);
  *Out.slang = Place(K.Slang);
  const rt::Image &I = K.Images[Image];
  schema::ImageT &OutImage = *Out.images[0];
  *OutImage.blob = Place(view(I.Code));
  if (OutImage.debug)
    *OutImage.debug->object = Place(view(I.Debug.Object));
  if (OutImage.item) {
    *OutImage.item->code = Place(view(I.Item.Code));
    *OutImage.item->debug->object = Place(view(I.Item.Debug.Object));
  }
  T.file_size = End + Blobs.size();
  std::string File = encode(T);
  assert(File.size() == End && "places of blobs changed the tables' size");
  return File + Blobs;
}
