//===- VulkanAround.cpp - Around every call of Vulkan ---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "VulkanAround.h"

#include "vulkan/Api.h"

#include <string_view>

using namespace goldy::rt;
using namespace goldy::rt::vk;

namespace {

void (*Enter)() = nullptr;
void (*Leave)() = nullptr;
int Alive = 0;

/// What a successful call adds to the objects.
int made(std::string_view Name) {
  if (Name.starts_with("Create") || Name == "AllocateMemory")
    return 1;
  return Name.starts_with("Destroy") || Name == "FreeMemory" ? -1 : 0;
}

template <auto Member> struct Around;
template <class R, class... A, R (VKAPI_PTR *Api::*Member)(A...)>
struct Around<Member> {
  static inline R(VKAPI_PTR *Real)(A...) = nullptr;
  static inline int Made = 0;
  static R VKAPI_PTR call(A... Args) {
    struct Outside {
      Outside() { Enter(); }
      ~Outside() { Leave(); }
    } Now;
    if constexpr (std::is_same_v<R, VkResult>) {
      VkResult Result = Real(Args...);
      Alive += Result == VK_SUCCESS ? Made : 0;
      return Result;
    } else {
      Alive += Made;
      return Real(Args...);
    }
  }
};

template <auto Member> void put(Api &Table, const char *Name) {
  if (!(Table.*Member) || Table.*Member == Around<Member>::call)
    return;
  Around<Member>::Real = Table.*Member;
  Around<Member>::Made = made(Name);
  Table.*Member = Around<Member>::call;
}

void putAll(Api &T) {
#define GOLDY_VK_PUT(Name) put<&Api::Name>(T, #Name);
  GOLDY_VK_INSTANCE(GOLDY_VK_PUT)
  GOLDY_VK_DEVICE(GOLDY_VK_PUT)
  GOLDY_VK_TIMELINE(GOLDY_VK_PUT)
  GOLDY_VK_ADDRESSES(GOLDY_VK_PUT)
  GOLDY_VK_HOST_MEMORY(GOLDY_VK_PUT)
#undef GOLDY_VK_PUT
}

} // namespace

VulkanAround::VulkanAround(void (*OnEnter)(), void (*OnLeave)()) {
  Enter = OnEnter;
  Leave = OnLeave;
  Alive = 0;
  ApiHook = putAll;
}
VulkanAround::~VulkanAround() { ApiHook = nullptr; }
int VulkanAround::alive() const { return Alive; }
