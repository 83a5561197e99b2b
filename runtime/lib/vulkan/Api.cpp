//===- Api.cpp - The functions of Vulkan ----------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library stays open until the process ends: drivers do not outlive being
// unloaded.
//
//===----------------------------------------------------------------------===//
#include "vulkan/Api.h"

#include <dlfcn.h>

using namespace goldy::rt;
using namespace goldy::rt::vk;

static constexpr const char *LibraryName = "libvulkan.so.1";

void (*vk::ApiHook)(Api &Table) = nullptr;

static Status missing(const char *Function) {
  return Status(GOLDY_UNAVAILABLE,
                std::string("the Vulkan driver has no function `vk") +
                    Function + "`; it is too old");
}

Status Api::loadGlobal() {
  static void *const Library = dlopen(LibraryName, RTLD_NOW | RTLD_LOCAL);
  if (!Library)
    return Status(GOLDY_UNAVAILABLE,
                  std::string("the Vulkan loader `") + LibraryName +
                      "` was not found; install libvulkan1 and a driver");
  GetInstanceProcAddr = reinterpret_cast<PFN_vkGetInstanceProcAddr>(
      dlsym(Library, "vkGetInstanceProcAddr"));
  if (!GetInstanceProcAddr)
    return missing("GetInstanceProcAddr");
#define GOLDY_VK_LOAD(Name)                                                    \
  Name = reinterpret_cast<PFN_vk##Name>(                                       \
      GetInstanceProcAddr(nullptr, "vk" #Name));                               \
  if (!Name)                                                                   \
    return missing(#Name);
  GOLDY_VK_GLOBAL(GOLDY_VK_LOAD)
#undef GOLDY_VK_LOAD
  return Status();
}

Status Api::loadInstance(VkInstance Instance) {
#define GOLDY_VK_LOAD(Name)                                                    \
  Name = reinterpret_cast<PFN_vk##Name>(                                       \
      GetInstanceProcAddr(Instance, "vk" #Name));                              \
  if (!Name)                                                                   \
    return missing(#Name);
  GOLDY_VK_INSTANCE(GOLDY_VK_LOAD)
#undef GOLDY_VK_LOAD
  if (ApiHook)
    ApiHook(*this);
  return Status();
}

Status Api::loadDevice(VkDevice Device, const DeviceParts &Parts) {
#define GOLDY_VK_FIND(Name, Suffix)                                            \
  Name = reinterpret_cast<PFN_vk##Name>(                                       \
      GetDeviceProcAddr(Device, "vk" #Name Suffix));                           \
  if (!Name)                                                                   \
    return missing(#Name Suffix);
#define GOLDY_VK_LOAD(Name) GOLDY_VK_FIND(Name, "")
#define GOLDY_VK_LOAD_KHR(Name) GOLDY_VK_FIND(Name, "KHR")
  GOLDY_VK_DEVICE(GOLDY_VK_LOAD)
  if (Parts.Addresses) {
    GOLDY_VK_ADDRESSES(GOLDY_VK_LOAD)
  }
  if (Parts.HostMemory) {
    GOLDY_VK_HOST_MEMORY(GOLDY_VK_LOAD)
  }
  if (Parts.Timeline && Parts.TimelineIsCore) {
    GOLDY_VK_TIMELINE(GOLDY_VK_LOAD)
  } else if (Parts.Timeline) {
    GOLDY_VK_TIMELINE(GOLDY_VK_LOAD_KHR)
  }
#undef GOLDY_VK_LOAD_KHR
#undef GOLDY_VK_LOAD
#undef GOLDY_VK_FIND
  if (ApiHook)
    ApiHook(*this);
  return Status();
}
