//===- Survey.h - Which Vulkan devices there are, and which can be used ---===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every device of the instance is judged once: what it offers, or why it cannot
// be used. Usable ones come first, discrete before integrated before virtual
// before software; equal kinds keep the loader's order.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_VULKAN_SURVEY_H
#define GOLDY_RUNTIME_VULKAN_SURVEY_H

#include "vulkan/Api.h"

#include <memory>
#include <string>
#include <vector>

namespace goldy::rt::vk {

/// The process's instance. It is made once and kept until the process ends:
/// some drivers fail after they were loaded some forty times.
struct Instance {
  Api Vk;
  VkInstance Handle = VK_NULL_HANDLE;
  ~Instance();
};
/// The one that was made, or a new one.
Status getInstance(std::shared_ptr<Instance> &Out);

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
  uint32_t QueueFamily = 0;
  uint32_t TimestampBits = 0; ///< of that family; 0: it has no clock
  std::string Unusable;       ///< why; empty if it can be used

  bool usable() const { return Unusable.empty(); }
  /// "NVIDIA H200, discrete, Vulkan 1.4.312, driver NVIDIA 580.159".
  std::string description() const;
};

/// All devices, usable ones first, best first.
Status surveyDevices(const Instance &I, std::vector<PhysicalDevice> &Out);

} // namespace goldy::rt::vk

#endif
