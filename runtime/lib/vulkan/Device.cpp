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

#include "core/Driver.h"
#include "core/RunTimes.h"
#include "vulkan/Result.h"

#include <algorithm>
#include <utility>

using namespace goldy::rt;
using namespace goldy::rt::vk;

Status Device::open(std::shared_ptr<Instance> I, PhysicalDevice Physical,
                    std::unique_ptr<Device> &Out) {
  std::unique_ptr<Device> D(new Device(std::move(I), std::move(Physical)));
  GOLDY_TRY(D->create());
  GOLDY_TRY(D->makePoints());
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
  Timeline.reset();
  Vk.DestroyDevice(Handle, nullptr);
}

void Device::drain() {
  // A lost device has nothing left to wait for.
  note({Vk.DeviceWaitIdle(Handle), "vkDeviceWaitIdle"});
  Later.run(UINT64_MAX);
}

void Device::idle() {
  std::lock_guard<std::mutex> Lock(QueueMutex);
  note({Vk.DeviceWaitIdle(Handle), "vkDeviceWaitIdle"});
}

Status Device::create() {
  constexpr size_t MostIdle = 64;
  Idle.reserve(MostIdle); // giving back must not need memory
  FeatureChain Features(Physical);
  Features.want(Physical);
  float Priority = 1;
  VkDeviceQueueCreateInfo QueueInfo{};
  QueueInfo.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  QueueInfo.queueFamilyIndex = Physical.QueueFamily;
  QueueInfo.queueCount = 1;
  QueueInfo.pQueuePriorities = &Priority;
  VkDeviceCreateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  Info.pNext = &Features.Head;
  Info.queueCreateInfoCount = 1;
  Info.pQueueCreateInfos = &QueueInfo;
  Info.enabledExtensionCount =
      static_cast<uint32_t>(Physical.Extensions.size());
  Info.ppEnabledExtensionNames = Physical.Extensions.data();
  GOLDY_TRY(check(Vk.CreateDevice(Physical.Handle, &Info, nullptr, &Handle),
                  "vkCreateDevice"));
  DeviceParts Parts;
  Parts.Timeline = Physical.Features12.timelineSemaphore;
  Parts.TimelineIsCore = Physical.Version >= VK_API_VERSION_1_2;
  Parts.Addresses = Physical.hasAddresses();
  Parts.HostMemory = Physical.HostMemoryAlign != 0;
  GOLDY_TRY(Vk.loadDevice(Handle, Parts));
  Vk.GetDeviceQueue(Handle, Physical.QueueFamily, 0, &Queue);
  return Status();
}

/// Some devices list timeline semaphores and cannot make one.
Status Device::makePoints() {
  CallResult R{VK_ERROR_FEATURE_NOT_PRESENT, "vkCreateSemaphore"};
  if (Physical.Features12.timelineSemaphore)
    R = makeSemaphorePoints(Vk, Handle, Timeline);
  if (R.Result == VK_ERROR_FEATURE_NOT_PRESENT ||
      R.Result == VK_ERROR_INITIALIZATION_FAILED) {
    Timeline = makeFencePoints(Vk, Handle);
    return Status();
  }
  return check(R);
}

Status Device::check(VkResult R, const char *Call) {
  note({R, Call});
  return fromResult(R, Call);
}

void Device::note(CallResult R) {
  if (R.Result == VK_ERROR_DEVICE_LOST && !isLost())
    LostAt = R.Call;
}

Status Device::lost() const {
  return fromResult(VK_ERROR_DEVICE_LOST, LostAt.load());
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

Status Device::submit(VkCommandBuffer Buffer, uint64_t &Point) {
  std::lock_guard<std::mutex> Lock(QueueMutex);
  if (isLost())
    return lost();
  uint64_t Next = Last + 1;
  GOLDY_TRY(check(Timeline->submit(Queue, Buffer, Next)));
  Last = Point = Next;
  return Status();
}

uint64_t Device::reached() {
  uint64_t Value = 0;
  CallResult R = Timeline->reached(Value);
  note(R);
  return R.ok() && !isLost() ? Value : 0;
}

bool Device::polled(uint64_t Point, uint64_t Ns) {
  uint64_t Start = steadyNs();
  do {
    if (reached() >= Point)
      return true;
  } while (steadyNs() - Start < Ns);
  return false;
}

/// A software device computes where a poll would.
WaitPhases Device::phases() const {
  return Physical.Properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU
             ? WaitPhases()
             : phasesAfter(LastLongNs);
}

Status Device::waitUnreached(uint64_t Point, uint64_t TimeoutNs) {
  uint64_t Start = steadyNs();
  auto Passed = [&] { return steadyNs() - Start; };
  auto Left = [&](uint64_t Most) {
    return std::min(Most, TimeoutNs - std::min(TimeoutNs, Passed()));
  };
  WaitPhases P = phases();
  CallResult R{VK_TIMEOUT, "vkWaitSemaphores"};
  if (polled(Point, Left(P.Poll)))
    R.Result = VK_SUCCESS;
  else if (P.Sleep)
    R = Timeline->wait(Point, Left(P.Sleep));
  if (R.Result == VK_TIMEOUT && P.PollAgain && polled(Point, Left(P.PollAgain)))
    R.Result = VK_SUCCESS;
  if (R.Result == VK_TIMEOUT)
    R = Timeline->wait(Point, Left(UINT64_MAX));
  if (R.Result == VK_TIMEOUT)
    return notReached(R.Call, Point, TimeoutNs);
  if (uint64_t Ns = Passed(); Ns > WaitPhases::WakingNs)
    LastLongNs = Ns;
  return check(R);
}

Status Device::wait(uint64_t Point, uint64_t TimeoutNs) {
  if (!isLost() && reached() < Point)
    GOLDY_TRY(waitUnreached(Point, TimeoutNs));
  collect();
  return isLost() ? lost() : Status();
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

namespace {
/// A pool in the making: destroyed unless it is released.
struct NewCommands {
  Device &D;
  Commands C{};
  ~NewCommands() {
    if (C.Pool)
      D.vk().DestroyCommandPool(D.handle(), C.Pool, nullptr);
  }
  Status make();
  Commands release() { return std::exchange(C, Commands()); }
};
} // namespace

Status NewCommands::make() {
  VkCommandPoolCreateInfo PoolInfo{};
  PoolInfo.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  PoolInfo.queueFamilyIndex = D.physical().QueueFamily;
  GOLDY_TRY(
      D.check(D.vk().CreateCommandPool(D.handle(), &PoolInfo, nullptr, &C.Pool),
              "vkCreateCommandPool"));
  VkCommandBufferAllocateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  Info.commandPool = C.Pool;
  Info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  Info.commandBufferCount = 1;
  return D.check(D.vk().AllocateCommandBuffers(D.handle(), &Info, &C.Buffer),
                 "vkAllocateCommandBuffers");
}

Commands Device::takeIdle() {
  std::lock_guard<std::mutex> Lock(CommandsMutex);
  if (Idle.empty())
    return {};
  Commands C = Idle.back();
  Idle.pop_back();
  return C;
}

Status Device::begin(Commands &Out, VkCommandBufferUsageFlags Usage) {
  NewCommands New{*this, takeIdle()};
  if (New.C.Pool)
    GOLDY_TRY(check(Vk.ResetCommandPool(Handle, New.C.Pool, 0),
                    "vkResetCommandPool"));
  else
    GOLDY_TRY(New.make());
  VkCommandBufferBeginInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  Info.flags = Usage;
  GOLDY_TRY(check(Vk.BeginCommandBuffer(New.C.Buffer, &Info),
                  "vkBeginCommandBuffer"));
  Out = New.release();
  return Status();
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

/// Without memory to keep the action all work is waited for.
void Device::defer(Action Body) {
  uint64_t Point = lastPoint();
  if (Point > reached()) {
    if (Later.add(Point, Body))
      return;
    note({Vk.DeviceWaitIdle(Handle), "vkDeviceWaitIdle"});
  }
  Body();
}

void Device::collect() {
  if (!Later.empty())
    Later.run(reached());
}
