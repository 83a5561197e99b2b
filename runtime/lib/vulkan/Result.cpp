//===- Result.cpp - VkResult to Status ------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Codes that this runtime's calls cannot give are faults of the driver.
//
//===----------------------------------------------------------------------===//
#include "vulkan/Result.h"

using namespace goldy::rt;

namespace {
struct Meaning {
  VkResult Result;
  goldy_code_t Code;
  const char *Words;
};
constexpr Meaning Meanings[] = {
    {VK_ERROR_OUT_OF_HOST_MEMORY, GOLDY_OUT_OF_MEMORY, "out of host memory"},
    {VK_ERROR_OUT_OF_DEVICE_MEMORY, GOLDY_OUT_OF_MEMORY,
     "out of device memory"},
    {VK_ERROR_OUT_OF_POOL_MEMORY, GOLDY_OUT_OF_MEMORY, "out of pool memory"},
    {VK_ERROR_TOO_MANY_OBJECTS, GOLDY_OUT_OF_MEMORY, "too many objects"},
    {VK_ERROR_MEMORY_MAP_FAILED, GOLDY_OUT_OF_MEMORY,
     "the memory cannot be mapped"},
    {VK_ERROR_DEVICE_LOST, GOLDY_LOST, "the device is lost"},
    {VK_TIMEOUT, GOLDY_TIMEOUT, "the time is over"},
    {VK_ERROR_INITIALIZATION_FAILED, GOLDY_UNAVAILABLE,
     "the driver could not start"},
    {VK_ERROR_INCOMPATIBLE_DRIVER, GOLDY_UNAVAILABLE,
     "no driver of a Vulkan device was found"},
    {VK_ERROR_LAYER_NOT_PRESENT, GOLDY_UNAVAILABLE, "a layer is missing"},
    {VK_ERROR_EXTENSION_NOT_PRESENT, GOLDY_UNAVAILABLE,
     "an extension is missing"},
    {VK_ERROR_INVALID_EXTERNAL_HANDLE, GOLDY_UNSUPPORTED,
     "the device does not reach this memory"},
    {VK_ERROR_FEATURE_NOT_PRESENT, GOLDY_UNSUPPORTED, "a feature is missing"},
};
} // namespace

Status vk::fromResult(VkResult R, const char *Call) {
  if (R == VK_SUCCESS)
    return Status();
  for (const Meaning &M : Meanings)
    if (M.Result == R)
      return Status(M.Code, std::string(Call) + ": " + M.Words);
  return Status(GOLDY_INTERNAL, std::string(Call) + ": unexpected VkResult " +
                                    std::to_string(static_cast<int>(R)));
}
