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
  bool HasTensors = false; ///< and so a layout table
};

/// A specialisation constant of 32 bits (a bool is 0 or 1).
struct SpecWord {
  uint32_t Id = 0, Word = 0;
};

/// Runtime switches of an image are the constants from here on; the first four
/// are Probe.h's.
inline constexpr uint32_t FirstSwitchSpecId = 2000;
inline constexpr uint32_t Neighbours8 = 4, Neighbours32 = 5;

/// A size of subgroups that pipelines can count on (Neighbours.h).
struct Subgroups {
  uint32_t Width = 0;       ///< lanes; 0: none
  bool Ask = false;         ///< the device has several sizes: ask for this one
  uint32_t MostInGroup = 0; ///< subgroups of one group
};

/// What a device's pipelines have in common.
struct PipelineSettings {
  std::vector<SpecWord> Constants;
  /// For images that read the switches of neighbours: they are set by it, where
  /// the group is whole subgroups.
  Subgroups Lanes;
  /// Modules go to the device without their rounding mode (Rounding.h).
  bool RoundingUndeclared = false;
};

/// Compiles `I` with constants; ones that the code does not have are ignored.
/// GOLDY_UNSUPPORTED for a feature, GOLDY_LIMIT for a size that
/// the device lacks, each naming the kernel. On failure `Out` is empty.
Status makePipeline(Device &D, VkPipelineCache Cache, const Kernel &K,
                    const Image &I, const PipelineSettings &Settings,
                    Pipeline &Out);
void destroyPipeline(Device &D, Pipeline &P);

} // namespace goldy::rt::vk

#endif
