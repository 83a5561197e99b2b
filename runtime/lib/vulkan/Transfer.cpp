//===- Transfer.cpp - Bytes between the host and device memory ------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Callers wait for launches before they read or overwrite what those use, so a
// copy needs no order but that of the queue.
//
//===----------------------------------------------------------------------===//
#include "vulkan/Transfer.h"

#include "vulkan/Result.h"

#include <algorithm>
#include <cstring>

using namespace goldy::rt;
using namespace goldy::rt::vk;

// Beyond these, through a bus, the host is slower than a submit and the wait
// for it (measured on an H200, docs/devices.md).
static constexpr uint64_t MostZeroedThroughBus = uint64_t(256) << 10;
static constexpr uint64_t MostReadThroughBus = 256;

static void barrier(const Api &Vk, VkCommandBuffer C,
                    VkPipelineStageFlags Before, VkAccessFlags Written,
                    VkPipelineStageFlags After, VkAccessFlags Accessed) {
  VkMemoryBarrier Barrier{};
  Barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  Barrier.srcAccessMask = Written;
  Barrier.dstAccessMask = Accessed;
  Vk.CmdPipelineBarrier(C, Before, After, 0, 1, &Barrier, 0, nullptr, 0,
                        nullptr);
}

static void anyBarrier(const Api &Vk, VkCommandBuffer C,
                       VkPipelineStageFlags AlsoAfter) {
  constexpr VkPipelineStageFlags Device =
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  barrier(Vk, C, Device, VK_ACCESS_MEMORY_WRITE_BIT, Device | AlsoAfter,
          VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
}

void vk::kernelBarrier(const Api &Vk, VkCommandBuffer C) {
  barrier(Vk, C, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
          VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
          VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

void vk::deviceBarrier(const Api &Vk, VkCommandBuffer C) {
  anyBarrier(Vk, C, 0);
}

void vk::fullBarrier(const Api &Vk, VkCommandBuffer C) {
  anyBarrier(Vk, C, VK_PIPELINE_STAGE_HOST_BIT);
}

Transfer::~Transfer() {
  empty(Up);
  empty(Down);
}

void Transfer::empty(Ring &R) {
  for (Stage &S : R) {
    D.giveBack(S.Work);
    Pool.free(S.Memory);
  }
}

Status Transfer::write(const Allocation &To, uint64_t Offset,
                       std::span<const std::byte> Data) {
  if (Data.empty())
    return Status();
  if (!To.mapped())
    return writeStaged(To, Offset, Data);
  std::memcpy(To.mapped() + Offset, Data.data(), Data.size());
  return Status();
}

Status Transfer::read(const Allocation &From, uint64_t Offset,
                      std::span<std::byte> Out) {
  if (Out.empty())
    return Status();
  bool Direct =
      From.mapped() && (From.Block->Cached || Out.size() <= MostReadThroughBus);
  if (!Direct)
    return readStaged(From, Offset, Out);
  std::memcpy(Out.data(), From.mapped() + Offset, Out.size());
  return Status();
}

Status Transfer::zero(const Allocation &A, uint64_t Bytes) {
  if (A.mapped() && (A.Block->Cached || Bytes <= MostZeroedThroughBus)) {
    std::memset(A.mapped(), 0, Bytes);
    return Status();
  }
  if (Bytes == 0)
    return Status();
  OwnedCommands C(D);
  uint64_t Point = 0;
  GOLDY_TRY(C.begin(VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT));
  D.vk().CmdFillBuffer(C.buffer(), A.buffer(), A.Offset, A.Bytes, 0);
  fullBarrier(D.vk(), C.buffer());
  GOLDY_TRY(C.end());
  GOLDY_TRY(D.submit(C.buffer(), Point));
  return D.wait(Point, UINT64_MAX);
}

Status Transfer::ready(Stage &S, MemoryKind Kind) {
  if (!S.Memory)
    GOLDY_TRY(Pool.allocate(Kind, StageBytes, S.Memory));
  if (S.Point)
    GOLDY_TRY(D.wait(S.Point, UINT64_MAX));
  S.Point = 0;
  D.giveBack(S.Work);
  S.Work = Commands();
  return D.begin(S.Work, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
}

Status Transfer::copy(Stage &S, VkBuffer From, VkBuffer To,
                      VkBufferCopy Region) {
  D.vk().CmdCopyBuffer(S.Work.Buffer, From, To, 1, &Region);
  fullBarrier(D.vk(), S.Work.Buffer);
  GOLDY_TRY(D.end(S.Work));
  return D.submit(S.Work.Buffer, S.Point);
}

Status Transfer::writeStaged(const Allocation &To, uint64_t Offset,
                             std::span<const std::byte> Data) {
  std::lock_guard<std::mutex> Lock(Mutex);
  uint64_t Point = 0;
  for (uint64_t Done = 0, Turn = 0; Done < Data.size(); ++Turn) {
    Stage &S = Up[Turn % 2];
    GOLDY_TRY(ready(S, MemoryKind::Upload));
    uint64_t Bytes = std::min<uint64_t>(StageBytes, Data.size() - Done);
    std::memcpy(S.Memory.mapped(), Data.data() + Done, Bytes);
    GOLDY_TRY(copy(S, S.Memory.buffer(), To.buffer(),
                   {S.Memory.Offset, To.Offset + Offset + Done, Bytes}));
    Point = S.Point;
    Done += Bytes;
  }
  return D.wait(Point, UINT64_MAX);
}

/// Asks for a piece ahead of the one that is being emptied.
Status Transfer::readStaged(const Allocation &From, uint64_t Offset,
                            std::span<std::byte> Out) {
  std::lock_guard<std::mutex> Lock(Mutex);
  uint64_t Asked = 0;
  auto Ask = [&](Stage &S) -> Status {
    GOLDY_TRY(ready(S, MemoryKind::Readback));
    uint64_t Bytes = std::min<uint64_t>(StageBytes, Out.size() - Asked);
    GOLDY_TRY(copy(S, From.buffer(), S.Memory.buffer(),
                   {From.Offset + Offset + Asked, S.Memory.Offset, Bytes}));
    Asked += Bytes;
    return Status();
  };
  GOLDY_TRY(Ask(Down[0]));
  for (uint64_t Done = 0, Turn = 0; Done < Out.size(); ++Turn) {
    if (Asked < Out.size())
      GOLDY_TRY(Ask(Down[(Turn + 1) % 2]));
    Stage &S = Down[Turn % 2];
    GOLDY_TRY(D.wait(S.Point, UINT64_MAX));
    uint64_t Bytes = std::min<uint64_t>(StageBytes, Out.size() - Done);
    std::memcpy(Out.data() + Done, S.Memory.mapped(), Bytes);
    Done += Bytes;
  }
  return Status();
}
