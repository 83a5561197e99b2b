//===- Pipeline.h - A SPIR-V image ready to run ---------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compute pipeline and its layout. The interface of an image is its push
// constants, which are the parameter block or its address, and a storage image
// for each image parameter; for images without addresses, push constants and
// one array of word blocks.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_VULKAN_PIPELINE_H
#define GOLDY_RUNTIME_VULKAN_PIPELINE_H

#include "artifact/Artifact.h"
#include "vulkan/Device.h"

#include <span>

namespace goldy::rt::vk {

struct Pipeline {
  VkPipeline Handle = VK_NULL_HANDLE;
  VkPipelineLayout Layout = VK_NULL_HANDLE;
  uint32_t PushBytes = 0;
  bool BlockBehindAddress = false;
  /// Elements of the array of word blocks (WordBindings.h); 0: by address.
  uint32_t WordBindings = 0;
  /// Set 0 is a storage image at the number of each image parameter.
  bool Images = false;
  /// Of that array or these images; null without.
  VkDescriptorSetLayout SetLayout = VK_NULL_HANDLE;
  std::vector<uint32_t> AddressOffsets; ///< in the block, of the resources
  uint32_t LayoutTableOffset = 0;
};

/// A specialisation constant of 32 bits (a bool is 0 or 1).
struct SpecWord {
  uint32_t Id = 0, Word = 0;
};

/// Compiles `I` with constants; ones that the code does not have are ignored.
/// GOLDY_UNSUPPORTED for a feature, GOLDY_LIMIT for a size that
/// the device lacks, each naming the kernel. On failure `Out` is empty.
Status makePipeline(Device &D, VkPipelineCache Cache, const Kernel &K,
                    const Image &I, std::span<const SpecWord> Constants,
                    Pipeline &Out);
void destroyPipeline(Device &D, Pipeline &P);

} // namespace goldy::rt::vk

#endif
