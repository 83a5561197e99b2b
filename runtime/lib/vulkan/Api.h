//===- Api.h - The functions of Vulkan ------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of our own, filled from `libvulkan.so.1` when a device is asked for.
// The usual meta-loaders define global pointers with the loader's names, and a
// static library that does so breaks programs that use Vulkan themselves
// (docs/decisions). Each device has a table of its own, past the loader's
// dispatch.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_VULKAN_API_H
#define GOLDY_RUNTIME_VULKAN_API_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include "core/Status.h"

namespace goldy::rt::vk {

/// Found without an instance.
#define GOLDY_VK_GLOBAL(X)                                                     \
  X(CreateInstance)                                                            \
  X(EnumerateInstanceVersion)
/// Found with an instance.
#define GOLDY_VK_INSTANCE(X)                                                   \
  X(DestroyInstance)                                                           \
  X(EnumeratePhysicalDevices)                                                  \
  X(GetPhysicalDeviceProperties)                                               \
  X(GetPhysicalDeviceProperties2)                                              \
  X(GetPhysicalDeviceFeatures2)                                                \
  X(GetPhysicalDeviceQueueFamilyProperties)                                    \
  X(GetPhysicalDeviceMemoryProperties)                                         \
  X(EnumerateDeviceExtensionProperties)                                        \
  X(CreateDevice)                                                              \
  X(GetDeviceProcAddr)
/// Found with a device, all of Vulkan 1.0.
#define GOLDY_VK_DEVICE(X)                                                     \
  X(DestroyDevice)                                                             \
  X(GetDeviceQueue)                                                            \
  X(DeviceWaitIdle)                                                            \
  X(QueueSubmit)                                                               \
  X(AllocateMemory)                                                            \
  X(FreeMemory)                                                                \
  X(MapMemory)                                                                 \
  X(CreateBuffer)                                                              \
  X(DestroyBuffer)                                                             \
  X(GetBufferMemoryRequirements)                                               \
  X(BindBufferMemory)                                                          \
  X(CreateShaderModule)                                                        \
  X(DestroyShaderModule)                                                       \
  X(CreatePipelineLayout)                                                      \
  X(DestroyPipelineLayout)                                                     \
  X(CreatePipelineCache)                                                       \
  X(DestroyPipelineCache)                                                      \
  X(GetPipelineCacheData)                                                      \
  X(CreateDescriptorSetLayout)                                                 \
  X(DestroyDescriptorSetLayout)                                                \
  X(CreateDescriptorPool)                                                      \
  X(DestroyDescriptorPool)                                                     \
  X(AllocateDescriptorSets)                                                    \
  X(UpdateDescriptorSets)                                                      \
  X(CmdBindDescriptorSets)                                                     \
  X(CreateComputePipelines)                                                    \
  X(DestroyPipeline)                                                           \
  X(CreateCommandPool)                                                         \
  X(DestroyCommandPool)                                                        \
  X(ResetCommandPool)                                                          \
  X(AllocateCommandBuffers)                                                    \
  X(BeginCommandBuffer)                                                        \
  X(EndCommandBuffer)                                                          \
  X(CmdBindPipeline)                                                           \
  X(CmdPushConstants)                                                          \
  X(CmdDispatch)                                                               \
  X(CmdDispatchIndirect)                                                       \
  X(CreateQueryPool)                                                           \
  X(DestroyQueryPool)                                                          \
  X(CmdResetQueryPool)                                                         \
  X(CmdWriteTimestamp)                                                         \
  X(GetQueryPoolResults)                                                       \
  X(CmdPipelineBarrier)                                                        \
  X(CmdFillBuffer)                                                             \
  X(CmdCopyBuffer)                                                             \
  X(CmdCopyBufferToImage)                                                      \
  X(CmdCopyImageToBuffer)                                                      \
  X(CreateImage)                                                               \
  X(DestroyImage)                                                              \
  X(GetImageMemoryRequirements)                                                \
  X(BindImageMemory)                                                           \
  X(CreateImageView)                                                           \
  X(DestroyImageView)                                                          \
  X(CreateSemaphore)                                                           \
  X(DestroySemaphore)                                                          \
  X(CreateFence)                                                               \
  X(DestroyFence)                                                              \
  X(ResetFences)                                                               \
  X(GetFenceStatus)                                                            \
  X(WaitForFences)
/// Functions of timeline semaphores: of Vulkan 1.2, or of an extension.
#define GOLDY_VK_TIMELINE(X)                                                   \
  X(WaitSemaphores)                                                            \
  X(GetSemaphoreCounterValue)
/// Of buffers with addresses.
#define GOLDY_VK_ADDRESSES(X) X(GetBufferDeviceAddress)
/// Of devices that borrow memory of the host.
#define GOLDY_VK_HOST_MEMORY(X) X(GetMemoryHostPointerPropertiesEXT)

/// Which functions a device is asked for beside those of Vulkan 1.0.
struct DeviceParts {
  bool Timeline = false;
  bool TimelineIsCore = false; ///< else the extension's names
  bool Addresses = false;
  bool HostMemory = false;
};

struct Api;
/// Tests put faults into tables as they are filled. Null otherwise.
extern void (*ApiHook)(Api &Table);

struct Api {
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
#define GOLDY_VK_MEMBER(Name) PFN_vk##Name Name = nullptr;
  GOLDY_VK_GLOBAL(GOLDY_VK_MEMBER)
  GOLDY_VK_INSTANCE(GOLDY_VK_MEMBER)
  GOLDY_VK_DEVICE(GOLDY_VK_MEMBER)
  GOLDY_VK_TIMELINE(GOLDY_VK_MEMBER)
  GOLDY_VK_ADDRESSES(GOLDY_VK_MEMBER)
  GOLDY_VK_HOST_MEMORY(GOLDY_VK_MEMBER)
#undef GOLDY_VK_MEMBER

  /// Opens the library and fills the global part. GOLDY_UNAVAILABLE without it.
  Status loadGlobal();
  /// The parts below. GOLDY_UNAVAILABLE names a function that is missing.
  Status loadInstance(VkInstance Instance);
  Status loadDevice(VkDevice Device, const DeviceParts &Parts);
};

} // namespace goldy::rt::vk

#endif
