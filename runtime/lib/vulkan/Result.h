//===- Result.h - VkResult to Status --------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that knows what Vulkan's codes mean to callers.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_VULKAN_RESULT_H
#define GOLDY_RUNTIME_VULKAN_RESULT_H

#include "vulkan/Api.h"

namespace goldy::rt::vk {

/// Success for VK_SUCCESS; else `Call` ("vkAllocateMemory") and the code's
/// meaning.
Status fromResult(VkResult R, const char *Call);

} // namespace goldy::rt::vk

#endif
