//===- Neighbours.cpp - Which work-items exchange values ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "vulkan/Neighbours.h"

#include "NeighboursSpirv.h"
#include "vulkan/Question.h"
#include "vulkan/Result.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

using namespace goldy::rt;
using namespace goldy::rt::vk;

namespace {

constexpr uint32_t Groups = 4;

Status askNeighbours(Device &D, MemoryPool &Pool, uint32_t GroupSize,
                     const Subgroups &Asked, std::vector<NeighbourRow> &Rows) {
  constexpr uint32_t NoInput = 0;
  Question Q;
  Q.Name = "neighbours";
  Q.Code = NeighboursSpirv;
  Q.GroupSize = GroupSize;
  Q.Groups = Groups;
  Q.Features = {"subgroupBasic", "subgroupShuffle"};
  Q.Switches = 1u << Neighbours8 | 1u << Neighbours32;
  Q.Settings.Constants = {{0, GroupSize}};
  Q.Settings.Lanes = Asked;
  Rows.resize(Groups * GroupSize);
  return ask(D, Pool, Q, std::as_bytes(std::span(&NoInput, 1)),
             std::as_writable_bytes(std::span(Rows)));
}

/// A group that a kernel may have, small and large.
Status measure(Device &D, MemoryPool &Pool, Subgroups Asked, Subgroups &Out) {
  uint32_t Most = D.physical().Properties.limits.maxComputeWorkGroupInvocations;
  for (uint32_t GroupSize : {Asked.Width, 256u, 1024u}) {
    if (!Asked.Width || GroupSize > Most || GroupSize % Asked.Width != 0 ||
        GroupSize / Asked.Width > Asked.MostInGroup)
      continue;
    std::vector<NeighbourRow> Rows;
    GOLDY_TRY(askNeighbours(D, Pool, GroupSize, Asked, Rows));
    if (Asked.Width >= 32 && !neighboursMeet(Rows, GroupSize, 32))
      Asked.Width = 0;
    if (Asked.Width >= 8 && !neighboursMeet(Rows, GroupSize, 8))
      Asked.Width = 0;
  }
  Out = Asked;
  return Status();
}

} // namespace

Subgroups vk::chooseSubgroups(const PhysicalDevice &P) {
  const VkPhysicalDeviceVulkan13Properties &V13 = P.Properties13;
  bool Shuffles =
      (P.Properties11.subgroupSupportedOperations &
       VK_SUBGROUP_FEATURE_SHUFFLE_BIT) &&
      (P.Properties11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT);
  if (!Shuffles || !P.Features13.computeFullSubgroups)
    return {};
  Subgroups S;
  S.MostInGroup = V13.maxComputeWorkgroupSubgroups;
  if (V13.minSubgroupSize == V13.maxSubgroupSize) {
    S.Width = P.Properties11.subgroupSize;
  } else {
    if (!P.Features13.subgroupSizeControl ||
        !(V13.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT))
      return {};
    S.Width = std::clamp(32u, V13.minSubgroupSize, V13.maxSubgroupSize);
    S.Ask = true;
  }
  return S.Width < 8 ? Subgroups() : S;
}

bool vk::neighboursMeet(std::span<const NeighbourRow> Rows, uint32_t GroupSize,
                        uint32_t Block) {
  if (GroupSize < Block)
    return false;
  for (size_t R = 0; R < Rows.size(); ++R) {
    uint32_t Own = static_cast<uint32_t>(R % GroupSize);
    for (uint32_t Bit = 0; 1u << Bit < Block; ++Bit)
      if (Rows[R][Bit] != (Own ^ 1u << Bit))
        return false;
    if (Rows[R][Block == 8 ? 5 : 6] != (Own & ~(Block - 1)))
      return false;
  }
  return true;
}

Status vk::measureNeighbours(Device &D, MemoryPool &Pool, Subgroups &Out) {
  static std::mutex Mutex;
  static std::map<DeviceKey, Subgroups> Known;
  Out = {};
  const char *Asked = std::getenv("GOLDY_DEVICE_SWITCHES");
  if (Asked && std::strcmp(Asked, "none") == 0)
    return Status();
  Subgroups Chosen = chooseSubgroups(D.physical());
  if (!Chosen.Width)
    return Status();
  DeviceKey Name = keyOf(D.physical());
  std::lock_guard<std::mutex> Lock(Mutex);
  if (auto Found = Known.find(Name); Found != Known.end()) {
    Out = Found->second;
    return Status();
  }
  GOLDY_TRY(measure(D, Pool, Chosen, Out));
  Known.emplace(Name, Out);
  return Status();
}
