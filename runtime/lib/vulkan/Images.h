//===- Images.h - Storage images of a launch ------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements of an image argument lie in a buffer, as on every device. A
// launch has images of its own: the elements are copied there before it and
// back after it, so that elements that no work-item writes stay what they were.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_VULKAN_IMAGES_H
#define GOLDY_RUNTIME_VULKAN_IMAGES_H

#include "core/Driver.h"
#include "vulkan/Memory.h"

namespace goldy::rt::vk {

/// The images of one launch and the descriptor set that names them.
class LaunchImages {
public:
  explicit LaunchImages(Device &D) : D(D) {}
  /// No pending work uses them.
  ~LaunchImages();
  LaunchImages(const LaunchImages &) = delete;
  LaunchImages &operator=(const LaunchImages &) = delete;

  /// GOLDY_LIMIT, GOLDY_OUT_OF_MEMORY.
  Status make(std::span<const ImageUse> Uses, VkDescriptorSetLayout Layout);
  /// Commands before and after the launch, which runs between them.
  void copyIn(VkCommandBuffer C, VkPipelineLayout Layout) const;
  void copyOut(VkCommandBuffer C) const;

private:
  struct One {
    ImageUse Use;
    VkImage Image = VK_NULL_HANDLE;
    VkDeviceMemory Memory = VK_NULL_HANDLE;
    VkImageView View = VK_NULL_HANDLE;
  };
  Status makeImage(One &To);
  Status makeMemory(One &To);
  Status makeView(One &To);
  Status makeSet(VkDescriptorSetLayout Layout);
  void toGeneral(VkCommandBuffer C) const;
  VkBufferImageCopy region(const One &Of) const;

  Device &D;
  std::vector<One> All; ///< those that hold an element
  VkDescriptorPool Pool = VK_NULL_HANDLE;
  VkDescriptorSet Set = VK_NULL_HANDLE;
};

} // namespace goldy::rt::vk

#endif
