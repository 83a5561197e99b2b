//===- Neighbours.cpp - Which work-items exchange values ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "vulkan/Neighbours.h"

#include "NeighboursSpirv.h"
#include "vulkan/Result.h"
#include "vulkan/Transfer.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

using namespace goldy::rt;
using namespace goldy::rt::vk;

namespace {

constexpr uint32_t Groups = 4;

/// What a run needs on the device; released in the end.
struct Run {
  Device &D;
  MemoryPool &Pool;
  Pipeline Code;
  Allocation Rows;
  Commands Work;
  ~Run() {
    D.drain();
    D.giveBack(Work);
    destroyPipeline(D, Code);
    Pool.free(Rows);
  }
};

Status makeCode(Run &R, uint32_t GroupSize, const Subgroups &Asked) {
  Kernel K;
  K.Name = "neighbours";
  K.WorkgroupSize = {GroupSize, 1, 1};
  Image I;
  I.Arch = "vulkan1.3";
  I.Format = ImageFormat::Spirv;
  I.Code = std::as_bytes(std::span(NeighboursSpirv));
  I.Entry = "neighbours";
  I.PushConstantBytes = 8;
  I.Switches = 1u << Neighbours8 | 1u << Neighbours32;
  I.Features = {"bufferDeviceAddress", "subgroupBasic", "subgroupShuffle"};
  PipelineSettings Settings;
  Settings.Constants = {{0, GroupSize}};
  Settings.Lanes = Asked;
  return makePipeline(R.D, VK_NULL_HANDLE, K, I, Settings, R.Code);
}

Status ask(Device &D, MemoryPool &Pool, uint32_t GroupSize,
           const Subgroups &Asked, std::vector<NeighbourRow> &Rows) {
  Transfer Bytes(D, Pool);
  Run R{D, Pool, {}, {}, {}};
  Rows.resize(Groups * GroupSize);
  GOLDY_TRY(makeCode(R, GroupSize, Asked));
  GOLDY_TRY(Pool.allocate(MemoryKind::Buffer,
                          Rows.size() * sizeof(NeighbourRow), R.Rows));
  const Api &Vk = D.vk();
  GOLDY_TRY(D.begin(R.Work, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT));
  uint64_t Address = R.Rows.address();
  VkCommandBuffer C = R.Work.Buffer;
  Vk.CmdBindPipeline(C, VK_PIPELINE_BIND_POINT_COMPUTE, R.Code.Handle);
  Vk.CmdPushConstants(C, R.Code.Layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                      sizeof Address, &Address);
  Vk.CmdDispatch(C, Groups, 1, 1);
  fullBarrier(Vk, C);
  GOLDY_TRY(D.end(R.Work));
  uint64_t Point = 0;
  GOLDY_TRY(D.submit(C, Point));
  GOLDY_TRY(D.wait(Point, UINT64_MAX));
  return Bytes.read(R.Rows, 0, std::as_writable_bytes(std::span(Rows)));
}

/// A group that a kernel may have, small and large.
Status measure(Device &D, MemoryPool &Pool, Subgroups &Out) {
  Subgroups Asked = chooseSubgroups(D.physical());
  uint32_t Most = D.physical().Properties.limits.maxComputeWorkGroupInvocations;
  for (uint32_t GroupSize : {Asked.Width, 256u, 1024u}) {
    if (!Asked.Width || GroupSize > Most || GroupSize % Asked.Width != 0 ||
        GroupSize / Asked.Width > Asked.MostInGroup)
      continue;
    std::vector<NeighbourRow> Rows;
    GOLDY_TRY(ask(D, Pool, GroupSize, Asked, Rows));
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
  using Key = std::array<uint8_t, 2 * VK_UUID_SIZE>;
  static std::mutex Mutex;
  static std::map<Key, Subgroups> Known;
  Out = {};
  const char *Asked = std::getenv("GOLDY_DEVICE_SWITCHES");
  if (Asked && std::strcmp(Asked, "none") == 0)
    return Status();
  Key Name;
  std::memcpy(Name.data(), D.physical().Properties11.deviceUUID, VK_UUID_SIZE);
  std::memcpy(Name.data() + VK_UUID_SIZE, D.physical().Properties11.driverUUID,
              VK_UUID_SIZE);
  std::lock_guard<std::mutex> Lock(Mutex);
  if (auto Found = Known.find(Name); Found != Known.end()) {
    Out = Found->second;
    return Status();
  }
  GOLDY_TRY(measure(D, Pool, Out));
  Known.emplace(Name, Out);
  return Status();
}
