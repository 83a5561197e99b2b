//===- Recorder.h - Parts of submissions as commands ----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_VULKAN_RECORDER_H
#define GOLDY_RUNTIME_VULKAN_RECORDER_H

#include "core/Parts.h"
#include "vulkan/Images.h"
#include "vulkan/Memory.h"
#include "vulkan/Pipeline.h"

#include <map>

namespace goldy::rt::vk {

/// Finds the parts that need a barrier before them, if the memories of a run
/// are different ones.
class Hazards {
public:
  /// Whether `P` shares memory, of which it or the other writes, with a part
  /// since the last that waited.
  bool next(const Part &P) {
    bool Waits = false;
    for (size_t I = 0; I < P.Uses.size(); ++I)
      Waits |= meets(reachOf(P, I));
    if (Waits)
      Open.clear();
    for (size_t I = 0; I < P.Uses.size(); ++I)
      Open[nameOf(P.Uses[I])].push_back(reachOf(P, I));
    return Waits;
  }

private:
  bool meets(const MemoryUse &A) const {
    auto Of = Open.find(nameOf(A));
    return Of != Open.end() &&
           std::any_of(Of->second.begin(), Of->second.end(),
                       [&](const MemoryUse &B) { return conflict(A, B); });
  }
  std::map<std::pair<uint32_t, MemoryId>, std::vector<MemoryUse>> Open;
};

/// Of one dispatch, along each axis.
std::array<uint64_t, 3> maxGroups(const Device &D);

/// Bytes from one block behind an address to the next.
inline uint64_t farStep(uint64_t BlockBytes) {
  constexpr uint64_t Align = 64;
  return (BlockBytes + Align - 1) / Align * Align;
}
/// From the groups of one indirect dispatch to those of the next.
inline constexpr uint64_t IndirectStep = 16;

/// What a launch's commands name beside its part.
struct LaunchPlace {
  std::span<std::byte> Block{}; ///< whose base words are changed
  /// Memory of the recording for blocks behind addresses, and the first of the
  /// launch's.
  const Allocation *Far = nullptr;
  uint64_t FarOffset = 0;
  /// Dispatches that take their groups from `Far`, from `GroupsOffset` on; 0:
  /// groups are part of the commands.
  uint32_t Indirect = 0;
  uint64_t GroupsOffset = 0;
  VkDescriptorSet Set = VK_NULL_HANDLE; ///< its buffers, as words
  const LaunchImages *Images = nullptr;
};

class Recorder {
public:
  /// `Queries`, if there are any, get begin and end of each part.
  /// `KernelsOnly`: no part copies anything. `Input` is the run's that the
  /// commands are for.
  Recorder(Device &D, VkCommandBuffer C, const Allocation &Pattern,
           VkQueryPool Queries, uint32_t Parts, bool KernelsOnly,
           const RunInput &Input);

  /// `Waits`: for an earlier part.
  void part(const Part &P, bool Waits, const LaunchPlace &Place);
  void finish();

private:
  void stamp(VkPipelineStageFlagBits Stage);
  void launch(const Part &P, const LaunchPlace &Place);
  void push(const Pipeline &Image, const LaunchPlace &Place, uint32_t Piece);
  void copyBytes(VkBuffer From, uint64_t FromOffset, VkBuffer To,
                 uint64_t ToOffset, uint64_t Bytes);
  void copy(const Part &P);
  void fill(const Part &P);

  Device &D;
  const Api &Vk;
  VkCommandBuffer C;
  const Allocation &Pattern;
  VkQueryPool Queries;
  bool KernelsOnly;
  const RunInput &Input;
  uint32_t NextQuery = 0;
  VkPipeline Bound = VK_NULL_HANDLE;
};

} // namespace goldy::rt::vk

#endif
