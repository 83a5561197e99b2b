//===- RawVulkan.cpp - A kernel by Vulkan's own calls ---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RawVulkan.h"

#include "../LaunchBench.h"

#include <cstring>

using namespace goldy::bench;
using namespace goldy::rt::vk;

static void check(VkResult R, const char *What) {
  if (R != VK_SUCCESS)
    stop(What, std::to_string(static_cast<int>(R)));
}

RawVulkan::RawVulkan(std::span<const uint8_t> Spirv, uint32_t Elements)
    : Elements(Elements) {
  std::vector<PhysicalDevice> All;
  need(getInstance({}, Owner), "instance");
  need(surveyDevices(*Owner, {}, All), "devices");
  if (All.empty() || !All.front().usable() || !All.front().hasAddresses())
    stop("devices", "none can be used");
  Physical = All.front();
  Vk = Owner->Vk;
  makeDevice();
  makeBuffer();
  makePipeline(Spirv);
}

RawVulkan::~RawVulkan() {
  Vk.DestroyPipeline(Device, Pipeline, nullptr);
  Vk.DestroyPipelineLayout(Device, Layout, nullptr);
  Vk.DestroyBuffer(Device, Buffer, nullptr);
  Vk.FreeMemory(Device, Memory, nullptr);
  Vk.DestroyBuffer(Device, Blocks, nullptr);
  Vk.FreeMemory(Device, BlockMemory, nullptr);
  Vk.DestroyCommandPool(Device, Pool, nullptr);
  Vk.DestroySemaphore(Device, Timeline, nullptr);
  Vk.DestroyDevice(Device, nullptr);
}

void RawVulkan::makeDevice() {
  VkPhysicalDeviceVulkan12Features V12{};
  V12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  V12.timelineSemaphore = V12.bufferDeviceAddress = V12.vulkanMemoryModel =
      VK_TRUE;
  VkPhysicalDeviceFeatures Core{};
  Core.shaderInt64 = VK_TRUE;
  float Priority = 1;
  VkDeviceQueueCreateInfo QueueInfo{};
  QueueInfo.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  QueueInfo.queueFamilyIndex = Physical.QueueFamily;
  QueueInfo.queueCount = 1;
  QueueInfo.pQueuePriorities = &Priority;
  VkDeviceCreateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  Info.pNext = &V12;
  Info.queueCreateInfoCount = 1;
  Info.pQueueCreateInfos = &QueueInfo;
  Info.pEnabledFeatures = &Core;
  check(Vk.CreateDevice(Physical.Handle, &Info, nullptr, &Device),
        "vkCreateDevice");
  need(Vk.loadDevice(Device, {true, true, true, false}), "functions");
  Vk.GetDeviceQueue(Device, Physical.QueueFamily, 0, &Queue);
  VkSemaphoreTypeCreateInfo Type{};
  Type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  Type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo Semaphore{};
  Semaphore.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  Semaphore.pNext = &Type;
  check(Vk.CreateSemaphore(Device, &Semaphore, nullptr, &Timeline),
        "vkCreateSemaphore");
  VkCommandPoolCreateInfo Commands{};
  Commands.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  Commands.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  Commands.queueFamilyIndex = Physical.QueueFamily;
  check(Vk.CreateCommandPool(Device, &Commands, nullptr, &Pool),
        "vkCreateCommandPool");
}

static VkBuffer makeBufferOf(const Api &Vk, VkDevice Device, uint64_t Bytes) {
  VkBufferCreateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  Info.size = Bytes;
  Info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
               VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  VkBuffer Out = VK_NULL_HANDLE;
  check(Vk.CreateBuffer(Device, &Info, nullptr, &Out), "vkCreateBuffer");
  return Out;
}

/// Bound to the buffer. Of a type with all that is wanted, or with what the
/// host needs of it.
VkDeviceMemory RawVulkan::makeMemory(VkBuffer Of,
                                     VkMemoryPropertyFlags Wanted) {
  VkMemoryRequirements Needs{};
  Vk.GetBufferMemoryRequirements(Device, Of, &Needs);
  VkPhysicalDeviceMemoryProperties Types{};
  Vk.GetPhysicalDeviceMemoryProperties(Physical.Handle, &Types);
  auto Find = [&](VkMemoryPropertyFlags Flags) {
    uint32_t Type = 0;
    while (Type < Types.memoryTypeCount &&
           (!(Needs.memoryTypeBits >> Type & 1) ||
            (Types.memoryTypes[Type].propertyFlags & Flags) != Flags))
      ++Type;
    return Type;
  };
  uint32_t Type = Find(Wanted);
  if (Type == Types.memoryTypeCount)
    Type = Find(Wanted & ~VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  VkMemoryAllocateFlagsInfo Flags{};
  Flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  Flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo Allocation{};
  Allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  Allocation.pNext = &Flags;
  Allocation.allocationSize = Needs.size;
  Allocation.memoryTypeIndex = Type;
  VkDeviceMemory Out = VK_NULL_HANDLE;
  check(Vk.AllocateMemory(Device, &Allocation, nullptr, &Out),
        "vkAllocateMemory");
  check(Vk.BindBufferMemory(Device, Of, Out, 0), "vkBindBufferMemory");
  return Out;
}

uint64_t RawVulkan::addressOf(VkBuffer Of) {
  VkBufferDeviceAddressInfo Where{};
  Where.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  Where.buffer = Of;
  return Vk.GetBufferDeviceAddress(Device, &Where);
}

/// Both buffers of the kernel are one.
void RawVulkan::makeBuffer() {
  Buffer = makeBufferOf(Vk, Device, 8 * uint64_t(Elements));
  Memory = makeMemory(Buffer, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  Address = addressOf(Buffer);
}

static constexpr uint32_t BlockBytes = 64;

void RawVulkan::makePipeline(std::span<const uint8_t> Spirv) {
  std::vector<uint32_t> Words(Spirv.size() / 4);
  std::memcpy(Words.data(), Spirv.data(), Spirv.size());
  VkShaderModuleCreateInfo Module{};
  Module.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  Module.codeSize = Spirv.size();
  Module.pCode = Words.data();
  VkComputePipelineCreateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  Info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  Info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  Info.stage.pName = "kernel";
  check(Vk.CreateShaderModule(Device, &Module, nullptr, &Info.stage.module),
        "vkCreateShaderModule");
  VkPushConstantRange Range{VK_SHADER_STAGE_COMPUTE_BIT, 0, BlockBytes};
  VkPipelineLayoutCreateInfo Of{};
  Of.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  Of.pushConstantRangeCount = 1;
  Of.pPushConstantRanges = &Range;
  check(Vk.CreatePipelineLayout(Device, &Of, nullptr, &Layout),
        "vkCreatePipelineLayout");
  Info.layout = Layout;
  check(Vk.CreateComputePipelines(Device, VK_NULL_HANDLE, 1, &Info, nullptr,
                                  &Pipeline),
        "vkCreateComputePipelines");
  Vk.DestroyShaderModule(Device, Info.stage.module, nullptr);
}

void RawVulkan::begin(VkCommandBuffer C) {
  VkCommandBufferBeginInfo Begin{};
  Begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  check(Vk.BeginCommandBuffer(C, &Begin), "vkBeginCommandBuffer");
  Vk.CmdBindPipeline(C, VK_PIPELINE_BIND_POINT_COMPUTE, Pipeline);
}

VkCommandBuffer RawVulkan::begin() {
  VkCommandBufferAllocateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  Info.commandPool = Pool;
  Info.commandBufferCount = 1;
  VkCommandBuffer C = VK_NULL_HANDLE;
  check(Vk.AllocateCommandBuffers(Device, &Info, &C),
        "vkAllocateCommandBuffers");
  begin(C);
  return C;
}

void RawVulkan::barrier(VkCommandBuffer C, VkPipelineStageFlags For,
                        VkAccessFlags Access) {
  VkMemoryBarrier Barrier{};
  Barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  Barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  Barrier.dstAccessMask = Access;
  Vk.CmdPipelineBarrier(C, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, For, 0, 1,
                        &Barrier, 0, nullptr, 0, nullptr);
}

void RawVulkan::dispatch(VkCommandBuffer C, const void *Pushed, uint32_t Bytes,
                         bool Waits) {
  if (Waits)
    barrier(C, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
            VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
  Vk.CmdPushConstants(C, Layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, Bytes, Pushed);
  Vk.CmdDispatch(C, 1, 1, 1);
}

/// The host reads what the kernels wrote.
void RawVulkan::end(VkCommandBuffer C) {
  barrier(C, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
  check(Vk.EndCommandBuffer(C), "vkEndCommandBuffer");
}

std::array<std::byte, BlockBytes> RawVulkan::block() const {
  std::array<std::byte, BlockBytes> Block{};
  uint64_t Y = Address + 4 * uint64_t(Elements);
  std::memcpy(&Block[0], &Address, 8);
  std::memcpy(&Block[8], &Elements, 4);
  std::memcpy(&Block[16], &Y, 8);
  std::memcpy(&Block[24], &Elements, 4);
  return Block;
}

VkCommandBuffer RawVulkan::record(uint32_t Launches) {
  VkCommandBuffer C = begin();
  std::array<std::byte, BlockBytes> Block = block();
  for (uint32_t N = 0; N < Launches; ++N)
    dispatch(C, Block.data(), BlockBytes, N > 0);
  end(C);
  return C;
}

void RawVulkan::recordAgain(VkCommandBuffer Work, uint32_t Offset,
                            const std::vector<uint32_t> &Words) {
  begin(Work);
  std::array<std::byte, BlockBytes> Block = block();
  for (size_t N = 0; N < Words.size(); ++N) {
    std::memcpy(&Block[Offset], &Words[N], 4);
    dispatch(Work, Block.data(), BlockBytes, N > 0);
  }
  end(Work);
}

void RawVulkan::makeBlocks(uint64_t Bytes) {
  Vk.DestroyBuffer(Device, Blocks, nullptr);
  Vk.FreeMemory(Device, BlockMemory, nullptr);
  Blocks = makeBufferOf(Vk, Device, Bytes);
  BlockMemory = makeMemory(Blocks, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
                                       VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                       VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  void *At = nullptr;
  check(Vk.MapMemory(Device, BlockMemory, 0, VK_WHOLE_SIZE, 0, &At),
        "vkMapMemory");
  Mapped = static_cast<std::byte *>(At);
}

VkCommandBuffer RawVulkan::recordFar(uint32_t Launches, uint32_t Step) {
  FarStep = Step;
  makeBlocks(Step * uint64_t(Launches));
  std::array<std::byte, BlockBytes> Block = block();
  uint64_t First = addressOf(Blocks);
  VkCommandBuffer C = begin();
  for (uint32_t N = 0; N < Launches; ++N) {
    uint64_t At = First + Step * uint64_t(N);
    std::memcpy(Mapped + Step * size_t(N), Block.data(), BlockBytes);
    dispatch(C, &At, sizeof At, N > 0);
  }
  end(C);
  return C;
}

void RawVulkan::setFar(uint32_t Launch, uint32_t Offset, uint32_t Word) {
  std::memcpy(Mapped + FarStep * size_t(Launch) + Offset, &Word, 4);
}

void RawVulkan::submit(VkCommandBuffer Work) {
  ++Point;
  VkTimelineSemaphoreSubmitInfo Values{};
  Values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  Values.signalSemaphoreValueCount = 1;
  Values.pSignalSemaphoreValues = &Point;
  VkSubmitInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  Info.pNext = &Values;
  Info.commandBufferCount = Info.signalSemaphoreCount = 1;
  Info.pCommandBuffers = &Work;
  Info.pSignalSemaphores = &Timeline;
  check(Vk.QueueSubmit(Queue, 1, &Info, VK_NULL_HANDLE), "vkQueueSubmit");
  started();
}

void RawVulkan::run(VkCommandBuffer Work) {
  submit(Work);
  VkSemaphoreWaitInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  Info.semaphoreCount = 1;
  Info.pSemaphores = &Timeline;
  Info.pValues = &Point;
  check(Vk.WaitSemaphores(Device, &Info, UINT64_MAX), "vkWaitSemaphores");
}

void RawVulkan::runPolling(VkCommandBuffer Work) {
  submit(Work);
  for (uint64_t Reached = 0; Reached < Point;)
    check(Vk.GetSemaphoreCounterValue(Device, Timeline, &Reached),
          "vkGetSemaphoreCounterValue");
}
