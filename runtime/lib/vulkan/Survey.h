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

#include "vulkan/Features.h"

#include <memory>

namespace goldy::rt::vk {

/// The process's instance, one for each version that is asked for. It is made
/// once and kept until the process ends: some drivers fail after they were
/// loaded some forty times.
struct Instance {
  Api Vk;
  VkInstance Handle = VK_NULL_HANDLE;
  ~Instance();
};
/// The one that was made, or a new one, which offers nothing above
/// `Without.Above`.
Status getInstance(const Hidden &Without, std::shared_ptr<Instance> &Out);

/// All devices, usable ones first, best first.
Status surveyDevices(const Instance &I, const Hidden &Without,
                     std::vector<PhysicalDevice> &Out);

} // namespace goldy::rt::vk

#endif
