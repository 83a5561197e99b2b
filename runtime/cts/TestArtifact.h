//===- TestArtifact.h - Artifacts made by hand ----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of the runtime make their own files, without the compiler: from the
// schema's plain structs, which a test may first make wrong.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CTS_TESTARTIFACT_H
#define GOLDY_RUNTIME_CTS_TESTARTIFACT_H

#include "artifact_generated.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace goldy::cts {

/// A file in the making: `Root`, and the bytes of blobs in file order.
struct TestArtifact {
  schema::ArtifactT Root;
  std::vector<std::vector<uint8_t>> Blobs;
  /// Puts offset and size of blob i into place; run by `bytes`.
  std::vector<std::function<void(schema::ArtifactT &, schema::Blob)>> Placers;
  /// Called on the finished tables, before they are written.
  std::function<void(schema::ArtifactT &)> Spoil;

  std::vector<uint8_t> bytes();
  /// A program of that name, whose template's bytes are `Template`.
  void addProgram(std::string Name, std::string_view Template);
};

/// `saxpy(x: &[f32], y: &mut [f32], a: f32)` and `probe(out: &mut [u32], spin:
/// u32)` as x86-64-v1 code, with `definition of saxpy` as its text.
TestArtifact testKernels();
/// The blobs of saxpy's SPIR-V in deviceKernels(): vulkan1.3, vulkan1.1.
inline constexpr size_t SaxpySpirvBlobs[] = {3, 5};
/// The same with images for vulkan1.3, vulkan1.1 and sm_80.
TestArtifact deviceKernels();
/// `ids(out: &mut [u32])`, `gather(x: Tensor<u32>, y: TensorMut<u32>)` and
/// `shade(img: image, u: &Float4)` for the same arches; `far` is saxpy whose
/// block is behind an address in SPIR-V.
TestArtifact shapeKernels();
/// The blob of far's SPIR-V for vulkan1.3 there.
inline constexpr size_t FarSpirvBlob = 13;

} // namespace goldy::cts

#endif
