//===- WordBindings.h - Buffers as elements of a descriptor array ---------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For images that reach their buffers by set 0, binding 0, an array of word
// blocks (docs/SPIRV.md): element k is the kernel's k-th resource, then come
// the layout table and, if it does not fit the push constants, the parameter
// block. An address in the block becomes the element and the first word in it.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_VULKAN_WORDBINDINGS_H
#define GOLDY_RUNTIME_VULKAN_WORDBINDINGS_H

#include "core/Driver.h"
#include "vulkan/Memory.h"
#include "vulkan/Pipeline.h"

#include <utility>

namespace goldy::rt::vk {

/// In the element that holds parameter blocks: the first word of the one at
/// byte `Offset` of `Blocks`.
uint32_t firstBlockWord(const Allocation &Blocks, uint64_t Offset);

/// The descriptor sets of one recording. Not thread-safe.
class WordSets {
public:
  explicit WordSets(Device &D) : D(D) {}
  WordSets(WordSets &&Other) noexcept
      : D(Other.D), Pool(std::exchange(Other.Pool, VK_NULL_HANDLE)) {}
  WordSets &operator=(WordSets &&) = delete;
  ~WordSets() { clear(); }

  /// Makes room for the launches of `Parts` that need sets; what was made
  /// before goes.
  Status reset(std::span<const Part> Parts);
  /// A set for a launch that uses `Uses`, memories of the run among them.
  /// Address words of `Block` are replaced. `Blocks` holds the parameter block
  /// if that is behind an address; `Spare` is bound where the kernel has
  /// nothing. GOLDY_UNSUPPORTED for a view that starts within a word,
  /// GOLDY_LIMIT for one that is larger than the device binds,
  /// GOLDY_INVALID_ARGUMENT for an address of memory that the part does not
  /// use.
  Status make(std::span<const MemoryUse> Uses, const Pipeline &Image,
              std::span<std::byte> Block, const Allocation &Blocks,
              const Allocation &Spare, VkDescriptorSet &Out);

private:
  void clear();

  Device &D;
  VkDescriptorPool Pool = VK_NULL_HANDLE;
};

} // namespace goldy::rt::vk

#endif
