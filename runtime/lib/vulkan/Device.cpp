//===- Device.cpp - An open Vulkan device: queue, timeline, commands ------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every feature that images may ask for is switched on when the device has it;
// an image's own list is checked when it is loaded.
//
//===----------------------------------------------------------------------===//
#include "vulkan/Device.h"

#include "vulkan/Result.h"

#include <chrono>

using namespace goldy::rt;
using namespace goldy::rt::vk;

Status Device::open(std::shared_ptr<Instance> I, PhysicalDevice Physical,
                    std::unique_ptr<Device> &Out) {
  std::unique_ptr<Device> D(new Device(std::move(I), std::move(Physical)));
  GOLDY_TRY(D->create());
  GOLDY_TRY(D->makeTimeline());
  Out = std::move(D);
  return Status();
}

Device::~Device() {
  if (!Handle || !Timeline) {
    if (Handle && Vk.DestroyDevice)
      Vk.DestroyDevice(Handle, nullptr);
    return;
  }
  drain();
  for (const Commands &C : Idle)
    Vk.DestroyCommandPool(Handle, C.Pool, nullptr);
  Vk.DestroySemaphore(Handle, Timeline, nullptr);
  Vk.DestroyDevice(Handle, nullptr);
}

void Device::drain() {
  // A lost device has nothing left to wait for.
  (void)check(Vk.DeviceWaitIdle(Handle), "vkDeviceWaitIdle");
  std::function<void()> Action;
  while (takeDue(UINT64_MAX, Action))
    Action();
}

/// What images may use, of what the device has.
static void wantFeatures(const PhysicalDevice &Has,
                         VkPhysicalDeviceFeatures &Core,
                         VkPhysicalDeviceVulkan11Features &V11,
                         VkPhysicalDeviceVulkan12Features &V12,
                         VkPhysicalDeviceVulkan13Features &V13) {
  Core.shaderInt64 = Has.Features.shaderInt64;
  Core.shaderStorageBufferArrayDynamicIndexing =
      Has.Features.shaderStorageBufferArrayDynamicIndexing;
  Core.shaderFloat64 = Has.Features.shaderFloat64;
  Core.shaderInt16 = Has.Features.shaderInt16;
  Core.shaderStorageImageReadWithoutFormat =
      Has.Features.shaderStorageImageReadWithoutFormat;
  Core.shaderStorageImageWriteWithoutFormat =
      Has.Features.shaderStorageImageWriteWithoutFormat;
  V11.storageBuffer16BitAccess = Has.Features11.storageBuffer16BitAccess;
  V12.storageBuffer8BitAccess = Has.Features12.storageBuffer8BitAccess;
  V12.shaderBufferInt64Atomics = Has.Features12.shaderBufferInt64Atomics;
  V12.shaderInt8 = Has.Features12.shaderInt8;
  V12.shaderFloat16 = Has.Features12.shaderFloat16;
  V12.scalarBlockLayout = Has.Features12.scalarBlockLayout;
  V12.timelineSemaphore = VK_TRUE;
  V12.bufferDeviceAddress = VK_TRUE;
  V12.vulkanMemoryModel = VK_TRUE;
  V12.vulkanMemoryModelDeviceScope =
      Has.Features12.vulkanMemoryModelDeviceScope;
  V13.synchronization2 = VK_TRUE;
  V13.maintenance4 = Has.Features13.maintenance4;
  V13.subgroupSizeControl = Has.Features13.subgroupSizeControl;
  V13.computeFullSubgroups = Has.Features13.computeFullSubgroups;
}

Status Device::create() {
  constexpr size_t MostIdle = 64;
  Idle.reserve(MostIdle); // giving back must not need memory
  VkPhysicalDeviceVulkan13Features V13{};
  V13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  VkPhysicalDeviceVulkan12Features V12{};
  V12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  V12.pNext = &V13;
  VkPhysicalDeviceVulkan11Features V11{};
  V11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  V11.pNext = &V12;
  VkPhysicalDeviceFeatures2 Want{};
  Want.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  Want.pNext = &V11;
  wantFeatures(Physical, Want.features, V11, V12, V13);

  float Priority = 1;
  VkDeviceQueueCreateInfo QueueInfo{};
  QueueInfo.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  QueueInfo.queueFamilyIndex = Physical.QueueFamily;
  QueueInfo.queueCount = 1;
  QueueInfo.pQueuePriorities = &Priority;
  VkDeviceCreateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  Info.pNext = &Want;
  Info.queueCreateInfoCount = 1;
  Info.pQueueCreateInfos = &QueueInfo;
  GOLDY_TRY(check(Vk.CreateDevice(Physical.Handle, &Info, nullptr, &Handle),
                  "vkCreateDevice"));
  GOLDY_TRY(Vk.loadDevice(Handle));
  Vk.GetDeviceQueue(Handle, Physical.QueueFamily, 0, &Queue);
  return Status();
}

Status Device::makeTimeline() {
  VkSemaphoreTypeCreateInfo Type{};
  Type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  Type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  Info.pNext = &Type;
  return check(Vk.CreateSemaphore(Handle, &Info, nullptr, &Timeline),
               "vkCreateSemaphore");
}

Status Device::check(VkResult R, const char *Call) {
  if (R == VK_ERROR_DEVICE_LOST)
    Lost = true;
  return fromResult(R, Call);
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

Status Device::submit(VkCommandBuffer Buffer, uint64_t &Point) {
  std::lock_guard<std::mutex> Lock(QueueMutex);
  if (Lost)
    return check(VK_ERROR_DEVICE_LOST, "vkQueueSubmit2");
  uint64_t Next = Last + 1;
  VkCommandBufferSubmitInfo Work{};
  Work.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO;
  Work.commandBuffer = Buffer;
  VkSemaphoreSubmitInfo Signal{};
  Signal.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO;
  Signal.semaphore = Timeline;
  Signal.value = Next;
  Signal.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  VkSubmitInfo2 Info{};
  Info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
  Info.commandBufferInfoCount = 1;
  Info.pCommandBufferInfos = &Work;
  Info.signalSemaphoreInfoCount = 1;
  Info.pSignalSemaphoreInfos = &Signal;
  GOLDY_TRY(check(Vk.QueueSubmit2(Queue, 1, &Info, VK_NULL_HANDLE),
                  "vkQueueSubmit2"));
  Last = Point = Next;
  return Status();
}

uint64_t Device::reached() {
  uint64_t Value = 0;
  VkResult R = Vk.GetSemaphoreCounterValue(Handle, Timeline, &Value);
  if (R == VK_ERROR_DEVICE_LOST)
    Lost = true;
  return R == VK_SUCCESS && !Lost ? Value : 0;
}

/// Real devices are polled first, for about as long as it can take to wake a
/// thread that sleeps on the driver.
bool Device::polled(uint64_t Point, uint64_t TimeoutNs) {
  using Clock = std::chrono::steady_clock;
  constexpr uint64_t PollNs = 250000;
  bool Software = Physical.Properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  Clock::time_point End =
      Clock::now() +
      std::chrono::nanoseconds(Software ? 0 : std::min(PollNs, TimeoutNs));
  do {
    if (reached() >= Point)
      return true;
  } while (Clock::now() < End);
  return false;
}

Status Device::blockedWait(uint64_t Point, uint64_t TimeoutNs) {
  VkSemaphoreWaitInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  Info.semaphoreCount = 1;
  Info.pSemaphores = &Timeline;
  Info.pValues = &Point;
  VkResult R = Vk.WaitSemaphores(Handle, &Info, TimeoutNs);
  if (R == VK_TIMEOUT)
    return Status(GOLDY_TIMEOUT, "point " + std::to_string(Point) +
                                     " was not reached in " +
                                     std::to_string(TimeoutNs) + " ns");
  return check(R, "vkWaitSemaphores");
}

Status Device::wait(uint64_t Point, uint64_t TimeoutNs) {
  if (Lost)
    return check(VK_ERROR_DEVICE_LOST, "vkWaitSemaphores");
  if (!polled(Point, TimeoutNs))
    GOLDY_TRY(blockedWait(Point, TimeoutNs));
  collect();
  return Lost ? check(VK_ERROR_DEVICE_LOST, "vkGetSemaphoreCounterValue")
              : Status();
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

static Status makeCommands(Device &D, Commands &Out) {
  VkCommandPoolCreateInfo PoolInfo{};
  PoolInfo.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  PoolInfo.queueFamilyIndex = D.physical().QueueFamily;
  Commands C;
  GOLDY_TRY(
      D.check(D.vk().CreateCommandPool(D.handle(), &PoolInfo, nullptr, &C.Pool),
              "vkCreateCommandPool"));
  VkCommandBufferAllocateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  Info.commandPool = C.Pool;
  Info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  Info.commandBufferCount = 1;
  Status S =
      D.check(D.vk().AllocateCommandBuffers(D.handle(), &Info, &C.Buffer),
              "vkAllocateCommandBuffers");
  if (!S.ok())
    D.vk().DestroyCommandPool(D.handle(), C.Pool, nullptr);
  else
    Out = C;
  return S;
}

Status Device::begin(Commands &Out, VkCommandBufferUsageFlags Usage) {
  Commands C;
  {
    std::lock_guard<std::mutex> Lock(CommandsMutex);
    if (!Idle.empty()) {
      C = Idle.back();
      Idle.pop_back();
    }
  }
  Status S;
  if (C.Pool)
    S = check(Vk.ResetCommandPool(Handle, C.Pool, 0), "vkResetCommandPool");
  else
    S = makeCommands(*this, C);
  VkCommandBufferBeginInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  Info.flags = Usage;
  if (S.ok())
    S = check(Vk.BeginCommandBuffer(C.Buffer, &Info), "vkBeginCommandBuffer");
  if (S.ok())
    Out = C;
  else if (C.Pool)
    Vk.DestroyCommandPool(Handle, C.Pool, nullptr);
  return S;
}

Status Device::end(const Commands &C) {
  return check(Vk.EndCommandBuffer(C.Buffer), "vkEndCommandBuffer");
}

void Device::giveBack(Commands C) {
  if (!C.Pool)
    return;
  {
    std::lock_guard<std::mutex> Lock(CommandsMutex);
    if (Idle.size() < Idle.capacity()) {
      Idle.push_back(C);
      return;
    }
  }
  Vk.DestroyCommandPool(Handle, C.Pool, nullptr);
}

//===----------------------------------------------------------------------===//
// Later
//===----------------------------------------------------------------------===//

void Device::later(std::function<void()> Action) {
  uint64_t Point = lastPoint();
  if (Point > reached() && postpone(Point, Action))
    return;
  Action();
}

/// False when there is no memory to keep the action; then all work is done.
bool Device::postpone(uint64_t Point, std::function<void()> &Action) {
  try {
    std::lock_guard<std::mutex> Lock(LaterMutex);
    Later.emplace_back();
    Later.back() = {Point, std::move(Action)};
    return true;
  } catch (const std::bad_alloc &) {
    Vk.DeviceWaitIdle(Handle);
    return false;
  }
}

bool Device::takeDue(uint64_t Reached, std::function<void()> &Out) {
  std::lock_guard<std::mutex> Lock(LaterMutex);
  if (Later.empty() || Later.front().Point > Reached)
    return false;
  Out = std::move(Later.front().Action);
  Later.pop_front();
  return true;
}

void Device::collect() {
  {
    std::lock_guard<std::mutex> Lock(LaterMutex);
    if (Later.empty())
      return;
  }
  uint64_t Reached = reached();
  std::function<void()> Action;
  while (takeDue(Reached, Action))
    Action();
}
