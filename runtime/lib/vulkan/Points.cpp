//===- Points.cpp - What a Vulkan device has done -------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fence is signalled after everything that was submitted before it, so the
// first one at or past a point stands for the point. Fences that somebody waits
// for are not used again before that wait is over.
//
//===----------------------------------------------------------------------===//
#include "vulkan/Points.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

using namespace goldy::rt::vk;

namespace {

class SemaphorePoints final : public Points {
public:
  SemaphorePoints(const Api &Vk, VkDevice Device) : Vk(Vk), Device(Device) {}
  ~SemaphorePoints() override {
    if (Timeline)
      Vk.DestroySemaphore(Device, Timeline, nullptr);
  }
  CallResult start() {
    VkSemaphoreTypeCreateInfo Type{};
    Type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
    Type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    VkSemaphoreCreateInfo Info{};
    Info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
    Info.pNext = &Type;
    return {Vk.CreateSemaphore(Device, &Info, nullptr, &Timeline),
            "vkCreateSemaphore"};
  }

  CallResult submit(VkQueue Queue, VkCommandBuffer Buffer,
                    uint64_t Point) override {
    VkTimelineSemaphoreSubmitInfo Values{};
    Values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    Values.signalSemaphoreValueCount = 1;
    Values.pSignalSemaphoreValues = &Point;
    VkSubmitInfo Info{};
    Info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    Info.pNext = &Values;
    Info.commandBufferCount = Info.signalSemaphoreCount = 1;
    Info.pCommandBuffers = &Buffer;
    Info.pSignalSemaphores = &Timeline;
    return {Vk.QueueSubmit(Queue, 1, &Info, VK_NULL_HANDLE), "vkQueueSubmit"};
  }
  CallResult reached(uint64_t &Out) override {
    return {Vk.GetSemaphoreCounterValue(Device, Timeline, &Out),
            "vkGetSemaphoreCounterValue"};
  }
  CallResult wait(uint64_t Point, uint64_t TimeoutNs) override {
    VkSemaphoreWaitInfo Info{};
    Info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
    Info.semaphoreCount = 1;
    Info.pSemaphores = &Timeline;
    Info.pValues = &Point;
    return {Vk.WaitSemaphores(Device, &Info, TimeoutNs), "vkWaitSemaphores"};
  }

private:
  const Api &Vk;
  VkDevice Device;
  VkSemaphore Timeline = VK_NULL_HANDLE;
};

class FencePoints final : public Points {
public:
  FencePoints(const Api &Vk, VkDevice Device) : Vk(Vk), Device(Device) {}
  ~FencePoints() override {
    for (const Entry &E : Pending)
      Vk.DestroyFence(Device, E.Fence, nullptr);
    for (size_t I = 0; I < NumIdle; ++I)
      Vk.DestroyFence(Device, Idle[I], nullptr);
  }

  CallResult submit(VkQueue Queue, VkCommandBuffer Buffer,
                    uint64_t Point) override {
    std::lock_guard<std::mutex> Lock(Mutex);
    (void)advance();
    // What is done after the submit must not need memory.
    if (Pending.size() == Pending.capacity())
      Pending.reserve(2 * Pending.size() + 8);
    VkFence Fence = VK_NULL_HANDLE;
    if (CallResult R = takeFence(Fence); !R.ok())
      return R;
    VkSubmitInfo Info{};
    Info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    Info.commandBufferCount = 1;
    Info.pCommandBuffers = &Buffer;
    VkResult R = Vk.QueueSubmit(Queue, 1, &Info, Fence);
    if (R == VK_SUCCESS)
      Pending.push_back({Point, Fence, 0});
    else
      Vk.DestroyFence(Device, Fence, nullptr);
    return {R, "vkQueueSubmit"};
  }

  CallResult reached(uint64_t &Out) override {
    std::lock_guard<std::mutex> Lock(Mutex);
    CallResult R = advance();
    Out = Reached;
    return R;
  }

  CallResult wait(uint64_t Point, uint64_t TimeoutNs) override {
    VkFence Fence = VK_NULL_HANDLE;
    {
      std::lock_guard<std::mutex> Lock(Mutex);
      Entry *E = Point > Reached ? find(Point) : nullptr;
      if (!E)
        return {};
      Fence = E->Fence;
      ++E->Waiters;
    }
    VkResult R = Vk.WaitForFences(Device, 1, &Fence, VK_TRUE, TimeoutNs);
    std::lock_guard<std::mutex> Lock(Mutex);
    for (Entry &E : Pending)
      if (E.Fence == Fence)
        --E.Waiters;
    if (R == VK_SUCCESS)
      (void)advance();
    return {R, "vkWaitForFences"};
  }

private:
  struct Entry {
    uint64_t Point;
    VkFence Fence;
    unsigned Waiters;
  };

  Entry *find(uint64_t Point) {
    for (Entry &E : Pending)
      if (E.Point >= Point)
        return &E;
    return nullptr;
  }

  /// Looks what is done; its fences are idle then.
  CallResult advance() {
    VkResult R = VK_SUCCESS;
    size_t Done = 0;
    for (; Done < Pending.size(); ++Done) {
      const Entry &E = Pending[Done];
      R = E.Point <= Reached ? VK_SUCCESS : Vk.GetFenceStatus(Device, E.Fence);
      if (R != VK_SUCCESS)
        break;
      Reached = std::max(Reached, E.Point);
    }
    size_t Free = 0;
    while (Free < Done && Pending[Free].Waiters == 0)
      keep(Pending[Free++].Fence);
    Pending.erase(Pending.begin(), Pending.begin() + static_cast<long>(Free));
    return {R == VK_NOT_READY ? VK_SUCCESS : R, "vkGetFenceStatus"};
  }

  void keep(VkFence Fence) {
    if (NumIdle < Idle.size())
      Idle[NumIdle++] = Fence;
    else
      Vk.DestroyFence(Device, Fence, nullptr);
  }

  /// One that is not signalled.
  CallResult takeFence(VkFence &Out) {
    VkFenceCreateInfo Info{};
    Info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
    if (NumIdle == 0)
      return {Vk.CreateFence(Device, &Info, nullptr, &Out), "vkCreateFence"};
    VkResult R = Vk.ResetFences(Device, 1, &Idle[NumIdle - 1]);
    if (R == VK_SUCCESS)
      Out = Idle[--NumIdle];
    return {R, "vkResetFences"};
  }

  const Api &Vk;
  VkDevice Device;
  std::mutex Mutex;           ///< of all below
  std::vector<Entry> Pending; ///< in the order of points
  std::array<VkFence, 32> Idle{};
  size_t NumIdle = 0;
  uint64_t Reached = 0;
};

} // namespace

CallResult goldy::rt::vk::makeSemaphorePoints(const Api &Vk, VkDevice Device,
                                              std::unique_ptr<Points> &Out) {
  std::unique_ptr<SemaphorePoints> P =
      std::make_unique<SemaphorePoints>(Vk, Device);
  CallResult R = P->start();
  if (R.ok())
    Out = std::move(P);
  return R;
}

std::unique_ptr<Points> goldy::rt::vk::makeFencePoints(const Api &Vk,
                                                       VkDevice Device) {
  return std::make_unique<FencePoints>(Vk, Device);
}
