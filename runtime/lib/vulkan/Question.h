//===- Question.h - A small kernel that a device is asked with ------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Vulkan leaves open is asked by running a kernel. Its code is SPIR-V 1.3
// without addresses, so that every device can be asked with the same one.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_VULKAN_QUESTION_H
#define GOLDY_RUNTIME_VULKAN_QUESTION_H

#include "vulkan/Memory.h"
#include "vulkan/Pipeline.h"

#include <span>

namespace goldy::rt::vk {

/// The kernel finds its input at the word that bytes 4 to 7 of the push
/// constants tell, of element 0 of the word blocks, and leaves its answers from
/// the word of bytes 20 to 23 on, of element 1.
struct Question {
  const char *Name; ///< of the entry point
  std::span<const unsigned char> Code;
  uint32_t GroupSize = 64, Groups = 1;
  std::vector<std::string> Features;
  uint32_t Switches = 0;
  PipelineSettings Settings;
};

/// Names a device and its driver.
using DeviceKey = std::array<uint8_t, 2 * VK_UUID_SIZE>;
DeviceKey keyOf(const PhysicalDevice &P);

/// Neither `Input` nor `Answers` is empty.
Status ask(Device &D, MemoryPool &Pool, const Question &Q,
           std::span<const std::byte> Input, std::span<std::byte> Answers);

} // namespace goldy::rt::vk

#endif
