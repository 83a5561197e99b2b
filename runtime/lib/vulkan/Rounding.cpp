//===- Rounding.cpp - Modules without a declared rounding mode ------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "vulkan/Rounding.h"

using namespace goldy::rt::vk;

namespace {

// Numbers of the SPIR-V specification.
constexpr size_t HeaderWords = 5;
constexpr uint32_t OpExecutionMode = 16, OpCapability = 17;
constexpr uint32_t ModeRoundingRTE = 4462, CapabilityRoundingRTE = 4467;

using Instruction = std::span<const uint32_t>;

bool isRounding(Instruction I) {
  return I.size() == 4 && (I[0] & 0xffff) == OpExecutionMode &&
         I[2] == ModeRoundingRTE;
}
bool isRounding32(Instruction I) { return isRounding(I) && I[3] == 32; }
bool isCapability(Instruction I) {
  return I.size() == 2 && (I[0] & 0xffff) == OpCapability &&
         I[1] == CapabilityRoundingRTE;
}

/// Empty unless lengths add up.
std::vector<Instruction> instructions(std::span<const uint32_t> Module) {
  std::vector<Instruction> All;
  for (size_t At = HeaderWords; At < Module.size(); At += All.back().size()) {
    size_t Length = Module[At] >> 16;
    if (Length == 0 || Length > Module.size() - At)
      return {};
    All.push_back(Module.subspan(At, Length));
  }
  return All;
}

} // namespace

std::vector<uint32_t>
goldy::rt::vk::withoutRounding(std::span<const uint32_t> Module) {
  std::vector<Instruction> All = instructions(Module);
  if (All.empty())
    return {Module.begin(), Module.end()};
  bool OtherWidths = false;
  for (Instruction I : All)
    OtherWidths |= isRounding(I) && !isRounding32(I);
  std::vector<uint32_t> Out(Module.begin(), Module.begin() + HeaderWords);
  for (Instruction I : All)
    if (!isRounding32(I) && (OtherWidths || !isCapability(I)))
      Out.insert(Out.end(), I.begin(), I.end());
  return Out;
}
