//===- Features.h - What a Vulkan device has, by version and extension ----===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vulkan 1.1 and 1.2 tell in other structures what 1.3 tells in its own. A
// device is asked by those that its version and its extensions have, and the
// answers are kept as Vulkan 1.3's; what nobody could ask is absent. Tests hide
// parts of a device: it is then used as if it were an older one.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_VULKAN_FEATURES_H
#define GOLDY_RUNTIME_VULKAN_FEATURES_H

#include "vulkan/Api.h"

#include <string>
#include <vector>

namespace goldy::rt::vk {

/// What is not to be used, though a device may have it.
struct Hidden {
  /// No version after this one: GOLDY_VULKAN_VERSION, "1.1" or "1.2".
  uint32_t Above = VK_API_VERSION_1_3;
  /// GOLDY_VULKAN_WITHOUT: extensions and features, by name, between commas;
  /// `mappedBuffers` is the host's sight of kernels' data.
  std::vector<std::string> Names;
};
/// From the environment. GOLDY_INVALID_ARGUMENT for what nobody knows.
Status getHidden(Hidden &Out);

struct PhysicalDevice {
  VkPhysicalDevice Handle = VK_NULL_HANDLE;
  VkPhysicalDeviceProperties Properties{};
  VkPhysicalDeviceVulkan11Properties Properties11{};
  VkPhysicalDeviceVulkan12Properties Properties12{};
  VkPhysicalDeviceVulkan13Properties Properties13{};
  VkPhysicalDeviceFeatures Features{};
  VkPhysicalDeviceVulkan11Features Features11{};
  VkPhysicalDeviceVulkan12Features Features12{};
  VkPhysicalDeviceVulkan13Features Features13{};
  /// 1.1, 1.2 or 1.3 without a patch: of the device, or less if that is hidden.
  uint32_t Version = 0;
  /// That must be named when the device is opened.
  std::vector<const char *> Extensions;
  /// Kernels' data may lie where the host sees it.
  bool MayMapBuffers = true;
  /// What addresses and lengths of the host's memory that the device borrows
  /// are multiples of; 0: it borrows none.
  uint64_t HostMemoryAlign = 0;
  uint32_t QueueFamily = 0;
  uint32_t TimestampBits = 0; ///< of that family; 0: it has no clock
  std::string Unusable;       ///< why; empty if it can be used

  bool usable() const { return Unusable.empty(); }
  /// Runs images of vulkan1.3: buffers have addresses. Without, those of
  /// vulkan1.1 are left.
  bool hasAddresses() const;
  /// "NVIDIA H200, discrete, Vulkan 1.4.312, driver NVIDIA 580.159".
  std::string description() const;
};

/// Fills all but the queue and `Unusable`; `Handle` is there.
Status queryDevice(const Api &Vk, const Hidden &Without, PhysicalDevice &P);

/// A feature as image files name it (docs/SPIRV.md).
bool isFeature(const std::string &Name);
bool hasFeature(const PhysicalDevice &P, const std::string &Name);

/// The structures of features that `P` has, linked; for asking, and for
/// opening with all that images may use.
class FeatureChain {
public:
  explicit FeatureChain(const PhysicalDevice &P);
  FeatureChain(const FeatureChain &) = delete;
  FeatureChain &operator=(const FeatureChain &) = delete;

  VkPhysicalDeviceFeatures2 Head{};
  /// What a query left here, as Vulkan 1.3's structures.
  void store(PhysicalDevice &P) const;
  /// Asks for what images use, as far as `P` has it.
  void want(const PhysicalDevice &P);

private:
  VkPhysicalDeviceVulkan11Features V11{};
  VkPhysicalDeviceVulkan12Features V12{};
  VkPhysicalDeviceVulkan13Features V13{};
  VkPhysicalDevice16BitStorageFeatures Shorts{};
  VkPhysicalDevice8BitStorageFeatures Bytes{};
  VkPhysicalDeviceTimelineSemaphoreFeatures Timeline{};
};

} // namespace goldy::rt::vk

#endif
