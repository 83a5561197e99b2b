//===- VulkanHost.cpp - Runs one SPIR-V image on a Vulkan device
//-----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "VulkanHost.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

namespace goldy::test {

static void must(VkResult R) { REQUIRE(R == VK_SUCCESS); }

std::unique_ptr<VulkanHost> VulkanHost::open() {
  std::unique_ptr<VulkanHost> Host(new VulkanHost());
  VkApplicationInfo App{};
  App.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  App.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  Info.pApplicationInfo = &App;
  if (vkCreateInstance(&Info, nullptr, &Host->Instance) != VK_SUCCESS ||
      !Host->pick())
    return nullptr;
  return Host;
}

VulkanHost::~VulkanHost() {
  if (Device)
    vkDestroyDevice(Device, nullptr);
  if (Instance)
    vkDestroyInstance(Instance, nullptr);
}

bool VulkanHost::pick() {
  uint32_t Count = 0;
  if (vkEnumeratePhysicalDevices(Instance, &Count, nullptr) != VK_SUCCESS)
    return false;
  std::vector<VkPhysicalDevice> All(Count);
  vkEnumeratePhysicalDevices(Instance, &Count, All.data());
  return std::any_of(All.begin(), All.end(),
                     [&](VkPhysicalDevice P) { return makeDevice(P); });
}

bool VulkanHost::makeDevice(VkPhysicalDevice Candidate) {
  VkPhysicalDeviceProperties Properties;
  vkGetPhysicalDeviceProperties(Candidate, &Properties);
  if (Properties.apiVersion < VK_API_VERSION_1_3)
    return false;
  VkPhysicalDeviceVulkan12Features Has12{};
  Has12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  VkPhysicalDeviceVulkan11Features Has11{};
  Has11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  Has12.pNext = &Has11;
  VkPhysicalDeviceFeatures2 Has{};
  Has.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  Has.pNext = &Has12;
  vkGetPhysicalDeviceFeatures2(Candidate, &Has);
  if (!Has.features.shaderInt64 || !Has12.bufferDeviceAddress ||
      !Has12.vulkanMemoryModel || !Has12.vulkanMemoryModelDeviceScope ||
      !Has12.storageBuffer8BitAccess || !Has11.storageBuffer16BitAccess)
    return false;
  uint32_t Count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(Candidate, &Count, nullptr);
  std::vector<VkQueueFamilyProperties> Families(Count);
  vkGetPhysicalDeviceQueueFamilyProperties(Candidate, &Count, Families.data());
  for (Family = 0; Family < Count; ++Family)
    if (Families[Family].queueFlags & VK_QUEUE_COMPUTE_BIT)
      break;
  if (Family == Count)
    return false;

  VkPhysicalDeviceVulkan12Features Want12{};
  Want12.sType = Has12.sType;
  Want12.bufferDeviceAddress = VK_TRUE;
  Want12.vulkanMemoryModel = VK_TRUE;
  Want12.vulkanMemoryModelDeviceScope = VK_TRUE;
  Want12.scalarBlockLayout = Has12.scalarBlockLayout;
  Want12.storageBuffer8BitAccess = VK_TRUE;
  Want12.shaderInt8 = Has12.shaderInt8; // Slang's code asks for both
  VkPhysicalDeviceVulkan11Features Want11{};
  Want11.sType = Has11.sType;
  Want11.storageBuffer16BitAccess = VK_TRUE;
  Want12.pNext = &Want11;
  VkPhysicalDeviceFeatures2 Want{};
  Want.sType = Has.sType;
  Want.pNext = &Want12;
  Want.features.shaderInt64 = VK_TRUE;
  Want.features.shaderInt16 = Has.features.shaderInt16;
  float Priority = 1;
  VkDeviceQueueCreateInfo QueueInfo{};
  QueueInfo.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  QueueInfo.queueFamilyIndex = Family;
  QueueInfo.queueCount = 1;
  QueueInfo.pQueuePriorities = &Priority;
  VkDeviceCreateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  Info.pNext = &Want;
  Info.queueCreateInfoCount = 1;
  Info.pQueueCreateInfos = &QueueInfo;
  if (vkCreateDevice(Candidate, &Info, nullptr, &Device) != VK_SUCCESS)
    return false;
  Physical = Candidate;
  Name = Properties.deviceName;
  vkGetDeviceQueue(Device, Family, 0, &Queue);
  VkPhysicalDeviceMemoryProperties Kinds;
  vkGetPhysicalDeviceMemoryProperties(Physical, &Kinds);
  constexpr VkMemoryPropertyFlags Wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                           VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  for (MemoryType = 0; MemoryType < Kinds.memoryTypeCount; ++MemoryType)
    if ((Kinds.memoryTypes[MemoryType].propertyFlags & Wanted) == Wanted)
      return true;
  return false;
}

VulkanHost::Memory VulkanHost::allocate(size_t Bytes) {
  Memory M;
  VkBufferCreateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  Info.size = std::max<size_t>(Bytes, 16);
  Info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
               VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  must(vkCreateBuffer(Device, &Info, nullptr, &M.Buffer));
  VkMemoryRequirements Needs;
  vkGetBufferMemoryRequirements(Device, M.Buffer, &Needs);
  VkMemoryAllocateFlagsInfo Flags{};
  Flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  Flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo Allocate{};
  Allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  Allocate.pNext = &Flags;
  Allocate.allocationSize = Needs.size;
  Allocate.memoryTypeIndex = MemoryType;
  must(vkAllocateMemory(Device, &Allocate, nullptr, &M.Storage));
  must(vkBindBufferMemory(Device, M.Buffer, M.Storage, 0));
  must(vkMapMemory(Device, M.Storage, 0, VK_WHOLE_SIZE, 0, &M.Mapped));
  VkBufferDeviceAddressInfo Where{};
  Where.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  Where.buffer = M.Buffer;
  M.Address = vkGetBufferDeviceAddress(Device, &Where);
  return M;
}

void VulkanHost::release(Memory &M) {
  vkDestroyBuffer(Device, M.Buffer, nullptr);
  vkFreeMemory(Device, M.Storage, nullptr);
}

VkPipeline VulkanHost::makePipeline(const Image &I, VkPipelineLayout Layout) {
  VkShaderModuleCreateInfo Code{};
  Code.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  Code.codeSize = I.Bytes.size();
  std::vector<uint32_t> Words(I.Bytes.size() / 4);
  std::memcpy(Words.data(), I.Bytes.data(), I.Bytes.size());
  Code.pCode = Words.data();
  VkShaderModule Module;
  must(vkCreateShaderModule(Device, &Code, nullptr, &Module));
  VkComputePipelineCreateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  Info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  Info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  Info.stage.module = Module;
  Info.stage.pName = I.Entry.c_str();
  Info.layout = Layout;
  VkPipeline Pipeline;
  must(vkCreateComputePipelines(Device, VK_NULL_HANDLE, 1, &Info, nullptr,
                                &Pipeline));
  vkDestroyShaderModule(Device, Module, nullptr);
  return Pipeline;
}

void VulkanHost::submit(VkPipeline Pipeline, VkPipelineLayout Layout,
                        const std::vector<std::byte> &Push,
                        std::array<uint32_t, 3> Groups) {
  VkCommandPoolCreateInfo PoolInfo{};
  PoolInfo.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  PoolInfo.queueFamilyIndex = Family;
  VkCommandPool Pool;
  must(vkCreateCommandPool(Device, &PoolInfo, nullptr, &Pool));
  VkCommandBufferAllocateInfo Allocate{};
  Allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  Allocate.commandPool = Pool;
  Allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  Allocate.commandBufferCount = 1;
  VkCommandBuffer Commands;
  must(vkAllocateCommandBuffers(Device, &Allocate, &Commands));
  VkCommandBufferBeginInfo Begin{};
  Begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  must(vkBeginCommandBuffer(Commands, &Begin));
  vkCmdBindPipeline(Commands, VK_PIPELINE_BIND_POINT_COMPUTE, Pipeline);
  vkCmdPushConstants(Commands, Layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                     static_cast<uint32_t>(Push.size()), Push.data());
  vkCmdDispatch(Commands, Groups[0], Groups[1], Groups[2]);
  must(vkEndCommandBuffer(Commands));
  VkSubmitInfo Submit{};
  Submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  Submit.commandBufferCount = 1;
  Submit.pCommandBuffers = &Commands;
  must(vkQueueSubmit(Queue, 1, &Submit, VK_NULL_HANDLE));
  must(vkQueueWaitIdle(Queue));
  vkDestroyCommandPool(Device, Pool, nullptr);
}

void VulkanHost::run(const Image &I, const AbiLayout &Abi,
                     std::vector<Argument> &Arguments,
                     std::array<uint32_t, 3> Groups) {
  std::vector<std::byte> Block(Abi.Size);
  std::memcpy(&Block[Abi.countWordsOffset()], Groups.data(), 12);
  std::vector<Memory> Buffers(Arguments.size());
  for (size_t N = 0; N < Arguments.size(); ++N) {
    Argument &A = Arguments[N];
    std::byte *At = Block.data() + Abi.Params[N].Offset;
    if (!A.IsBuffer) {
      std::memcpy(At, &A.Word, Abi.Params[N].Size);
      continue;
    }
    Buffers[N] = allocate(A.Bytes.size());
    std::memcpy(Buffers[N].Mapped, A.Bytes.data(), A.Bytes.size());
    std::memcpy(At, &Buffers[N].Address, 8);
    std::memcpy(At + 8, &A.Length, 4);
  }
  Memory Far;
  if (I.BlockBehindAddress) {
    Far = allocate(Block.size());
    std::memcpy(Far.Mapped, Block.data(), Block.size());
    Block.resize(8);
    std::memcpy(Block.data(), &Far.Address, 8);
  }
  REQUIRE(I.PushConstantBytes == Block.size());
  VkPushConstantRange Range{VK_SHADER_STAGE_COMPUTE_BIT, 0,
                            static_cast<uint32_t>(Block.size())};
  VkPipelineLayoutCreateInfo LayoutInfo{};
  LayoutInfo.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  LayoutInfo.pushConstantRangeCount = 1;
  LayoutInfo.pPushConstantRanges = &Range;
  VkPipelineLayout Layout;
  must(vkCreatePipelineLayout(Device, &LayoutInfo, nullptr, &Layout));
  VkPipeline Pipeline = makePipeline(I, Layout);
  submit(Pipeline, Layout, Block, Groups);
  for (size_t N = 0; N < Arguments.size(); ++N)
    if (Arguments[N].IsBuffer) {
      std::memcpy(Arguments[N].Bytes.data(), Buffers[N].Mapped,
                  Arguments[N].Bytes.size());
      release(Buffers[N]);
    }
  if (I.BlockBehindAddress)
    release(Far);
  vkDestroyPipeline(Device, Pipeline, nullptr);
  vkDestroyPipelineLayout(Device, Layout, nullptr);
}

} // namespace goldy::test
