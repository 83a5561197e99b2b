//===- Images.cpp - Storage images of a launch ----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "vulkan/Images.h"

#include "vulkan/Submission.h"
#include "vulkan/Transfer.h"

#include <algorithm>

using namespace goldy::rt;
using namespace goldy::rt::vk;

namespace {

constexpr VkFormat Format = VK_FORMAT_R32G32B32A32_SFLOAT;

const Allocation &bufferOf(const ImageUse &Use) {
  return reinterpret_cast<const BufferMemory *>(
             static_cast<uintptr_t>(Use.Memory))
      ->Piece;
}

} // namespace

LaunchImages::~LaunchImages() {
  const Api &Vk = D.vk();
  for (const One &I : All) {
    if (I.View)
      Vk.DestroyImageView(D.handle(), I.View, nullptr);
    if (I.Image)
      Vk.DestroyImage(D.handle(), I.Image, nullptr);
    if (I.Memory)
      Vk.FreeMemory(D.handle(), I.Memory, nullptr);
  }
  if (Pool)
    Vk.DestroyDescriptorPool(D.handle(), Pool, nullptr);
}

/// An image without elements is never written; it gets one element, since
/// Vulkan has no empty images.
Status LaunchImages::makeImage(One &To) {
  uint32_t Most = D.physical().Properties.limits.maxImageDimension2D;
  if (To.Use.Width > Most || To.Use.Height > Most)
    return Status(GOLDY_LIMIT, "an image of " + std::to_string(To.Use.Width) +
                                   " x " + std::to_string(To.Use.Height) +
                                   " elements, the device's limit is " +
                                   std::to_string(Most) + " on each axis");
  VkImageCreateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  Info.imageType = VK_IMAGE_TYPE_2D;
  Info.format = Format;
  Info.extent = {std::max(To.Use.Width, 1u), std::max(To.Use.Height, 1u), 1};
  Info.mipLevels = Info.arrayLayers = 1;
  Info.samples = VK_SAMPLE_COUNT_1_BIT;
  Info.usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
               VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  GOLDY_TRY(D.check(D.vk().CreateImage(D.handle(), &Info, nullptr, &To.Image),
                    "vkCreateImage"));
  GOLDY_TRY(makeMemory(To));
  return makeView(To);
}

Status LaunchImages::makeMemory(One &To) {
  VkMemoryRequirements Needs;
  D.vk().GetImageMemoryRequirements(D.handle(), To.Image, &Needs);
  VkPhysicalDeviceMemoryProperties Types;
  D.vk().GetPhysicalDeviceMemoryProperties(D.physical().Handle, &Types);
  uint32_t Type = 0;
  auto Fits = [&](VkMemoryPropertyFlags Wanted) {
    for (Type = 0; Type < Types.memoryTypeCount; ++Type)
      if ((Needs.memoryTypeBits >> Type & 1) &&
          (Types.memoryTypes[Type].propertyFlags & Wanted) == Wanted &&
          !(Types.memoryTypes[Type].propertyFlags & StrangeMemory))
        return true;
    return false;
  };
  if (!Fits(VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) && !Fits(0))
    return Status(GOLDY_UNSUPPORTED, "the device has no memory for images");
  VkMemoryAllocateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  Info.allocationSize = Needs.size;
  Info.memoryTypeIndex = Type;
  GOLDY_TRY(
      D.check(D.vk().AllocateMemory(D.handle(), &Info, nullptr, &To.Memory),
              "vkAllocateMemory"));
  return D.check(D.vk().BindImageMemory(D.handle(), To.Image, To.Memory, 0),
                 "vkBindImageMemory");
}

Status LaunchImages::makeView(One &To) {
  VkImageViewCreateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  Info.image = To.Image;
  Info.viewType = VK_IMAGE_VIEW_TYPE_2D;
  Info.format = Format;
  Info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  return D.check(D.vk().CreateImageView(D.handle(), &Info, nullptr, &To.View),
                 "vkCreateImageView");
}

Status LaunchImages::makeSet(VkDescriptorSetLayout Layout) {
  VkDescriptorPoolSize Size{VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
                            static_cast<uint32_t>(All.size())};
  VkDescriptorPoolCreateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  Info.maxSets = Info.poolSizeCount = 1;
  Info.pPoolSizes = &Size;
  GOLDY_TRY(
      D.check(D.vk().CreateDescriptorPool(D.handle(), &Info, nullptr, &Pool),
              "vkCreateDescriptorPool"));
  VkDescriptorSetAllocateInfo Of{};
  Of.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  Of.descriptorPool = Pool;
  Of.descriptorSetCount = 1;
  Of.pSetLayouts = &Layout;
  GOLDY_TRY(D.check(D.vk().AllocateDescriptorSets(D.handle(), &Of, &Set),
                    "vkAllocateDescriptorSets"));
  for (const One &I : All) {
    VkDescriptorImageInfo Image{VK_NULL_HANDLE, I.View,
                                VK_IMAGE_LAYOUT_GENERAL};
    VkWriteDescriptorSet Write{};
    Write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    Write.dstSet = Set;
    Write.dstBinding = I.Use.Param;
    Write.descriptorCount = 1;
    Write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    Write.pImageInfo = &Image;
    D.vk().UpdateDescriptorSets(D.handle(), 1, &Write, 0, nullptr);
  }
  return Status();
}

Status LaunchImages::make(std::span<const ImageUse> Uses,
                          VkDescriptorSetLayout Layout) {
  for (const ImageUse &Use : Uses) {
    All.push_back({Use});
    GOLDY_TRY(makeImage(All.back()));
  }
  return makeSet(Layout);
}

/// What the images held is lost. Everything before is done and seen, everything
/// after waits.
void LaunchImages::toGeneral(VkCommandBuffer C) const {
  for (const One &I : All) {
    VkImageMemoryBarrier Barrier{};
    Barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    Barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    Barrier.dstAccessMask =
        VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    Barrier.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
    Barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
    Barrier.srcQueueFamilyIndex = Barrier.dstQueueFamilyIndex =
        VK_QUEUE_FAMILY_IGNORED;
    Barrier.image = I.Image;
    Barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    D.vk().CmdPipelineBarrier(C, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                              VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr,
                              0, nullptr, 1, &Barrier);
  }
}

VkBufferImageCopy LaunchImages::region(const One &Of) const {
  VkBufferImageCopy R{};
  R.bufferOffset = bufferOf(Of.Use).Offset + Of.Use.Offset;
  R.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  R.imageExtent = {Of.Use.Width, Of.Use.Height, 1};
  return R;
}

static bool isEmpty(const ImageUse &Use) {
  return Use.Width == 0 || Use.Height == 0;
}

void LaunchImages::copyIn(VkCommandBuffer C, VkPipelineLayout Layout) const {
  toGeneral(C);
  for (const One &I : All) {
    VkBufferImageCopy R = region(I);
    if (!isEmpty(I.Use))
      D.vk().CmdCopyBufferToImage(C, bufferOf(I.Use).buffer(), I.Image,
                                  VK_IMAGE_LAYOUT_GENERAL, 1, &R);
  }
  deviceBarrier(D.vk(), C);
  D.vk().CmdBindDescriptorSets(C, VK_PIPELINE_BIND_POINT_COMPUTE, Layout, 0, 1,
                               &Set, 0, nullptr);
}

void LaunchImages::copyOut(VkCommandBuffer C) const {
  deviceBarrier(D.vk(), C);
  for (const One &I : All) {
    VkBufferImageCopy R = region(I);
    if (!isEmpty(I.Use))
      D.vk().CmdCopyImageToBuffer(C, I.Image, VK_IMAGE_LAYOUT_GENERAL,
                                  bufferOf(I.Use).buffer(), 1, &R);
  }
}
