//===- VulkanMemoryTest.cpp - Which memory a piece comes from -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device seems to have one more type of memory, which fits uploads best and
// is always full; or its memory seems not to be cached by the host, or not to
// be seen by it at all. Copies between buffers are counted: they are staging.
//
//===----------------------------------------------------------------------===//
#include "TestArtifact.h"
#include "VulkanOlder.h"
#include "goldy/goldy.hpp"
#include "vulkan/Memory.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <vector>

using namespace goldy::rt;

namespace {

uint32_t Added = 0; ///< the number of that type
int Refused = 0;
PFN_vkGetPhysicalDeviceMemoryProperties RealProperties = nullptr;
PFN_vkGetBufferMemoryRequirements RealNeeds = nullptr;
PFN_vkAllocateMemory RealAllocate = nullptr;

void VKAPI_PTR properties(VkPhysicalDevice D,
                          VkPhysicalDeviceMemoryProperties *Out) {
  RealProperties(D, Out);
  Added = Out->memoryTypeCount++;
  Out->memoryTypes[Added] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
                                 VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                 VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                             0};
}
void VKAPI_PTR needs(VkDevice D, VkBuffer B, VkMemoryRequirements *Out) {
  RealNeeds(D, B, Out);
  Out->memoryTypeBits |= uint32_t(1) << Added;
}
VkResult VKAPI_PTR allocate(VkDevice D, const VkMemoryAllocateInfo *Info,
                            const VkAllocationCallbacks *Callbacks,
                            VkDeviceMemory *Out) {
  if (Info->memoryTypeIndex != Added)
    return RealAllocate(D, Info, Callbacks, Out);
  ++Refused;
  return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

template <class F> void put(F &Slot, F Ours, F &Real) {
  if (!Slot || Slot == Ours)
    return;
  Real = Slot;
  Slot = Ours;
}
void hook(vk::Api &T) {
  put(T.GetPhysicalDeviceMemoryProperties,
      static_cast<PFN_vkGetPhysicalDeviceMemoryProperties>(properties),
      RealProperties);
  put(T.GetBufferMemoryRequirements,
      static_cast<PFN_vkGetBufferMemoryRequirements>(needs), RealNeeds);
  put(T.AllocateMemory, static_cast<PFN_vkAllocateMemory>(allocate),
      RealAllocate);
}

PFN_vkCmdCopyBuffer RealCopy = nullptr;
int Copies = 0;

void VKAPI_PTR countCopy(VkCommandBuffer C, VkBuffer From, VkBuffer To,
                         uint32_t Regions, const VkBufferCopy *Region) {
  ++Copies;
  RealCopy(C, From, To, Regions, Region);
}
void VKAPI_PTR uncached(VkPhysicalDevice D,
                        VkPhysicalDeviceMemoryProperties *Out) {
  RealProperties(D, Out);
  // The first type is for staging, the second one is the device's.
  Out->memoryTypeCount = 2;
  Out->memoryTypes[1] = Out->memoryTypes[0];
  Out->memoryTypes[0].propertyFlags &=
      ~VkMemoryPropertyFlags(VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  Out->memoryTypes[1].propertyFlags &=
      ~VkMemoryPropertyFlags(VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
}
void VKAPI_PTR needsOfTwo(VkDevice D, VkBuffer B, VkMemoryRequirements *Out) {
  RealNeeds(D, B, Out);
  Out->memoryTypeBits |= 2;
}
VkResult VKAPI_PTR allocateAsFirst(VkDevice D, const VkMemoryAllocateInfo *Info,
                                   const VkAllocationCallbacks *Callbacks,
                                   VkDeviceMemory *Out) {
  VkMemoryAllocateInfo First = *Info;
  First.memoryTypeIndex = 0;
  return RealAllocate(D, &First, Callbacks, Out);
}
void countCopies(vk::Api &T) {
  put(T.CmdCopyBuffer, static_cast<PFN_vkCmdCopyBuffer>(countCopy), RealCopy);
}
void withoutCache(vk::Api &T) {
  countCopies(T);
  put(T.GetPhysicalDeviceMemoryProperties,
      static_cast<PFN_vkGetPhysicalDeviceMemoryProperties>(uncached),
      RealProperties);
  put(T.GetBufferMemoryRequirements,
      static_cast<PFN_vkGetBufferMemoryRequirements>(needsOfTwo), RealNeeds);
  put(T.AllocateMemory, static_cast<PFN_vkAllocateMemory>(allocateAsFirst),
      RealAllocate);
}

struct Staging {
  int Writing = 0, Reading = 0, Mapping = 0, ReadingFew = 0;
};

/// Copies of a device that `Hook` changes: to write 5 MB, to read them, to map
/// and unmap them, to read one word. The bytes are right.
Staging stagingOf(void (*Hook)(vk::Api &)) {
  vk::ApiHook = Hook;
  Staging S;
  {
    goldy::Result<goldy::Device> D = goldy::Device::open("vulkan");
    REQUIRE(D.ok());
    std::vector<uint32_t> Data(1250000), Got(Data.size());
    for (size_t I = 0; I < Data.size(); ++I)
      Data[I] = static_cast<uint32_t>(I * 2654435761u);
    goldy::Result<goldy::Buffer> B = D->buffer(4 * Data.size());
    REQUIRE(B.ok());
    REQUIRE(B->read(Got).ok());
    CHECK(Got == std::vector<uint32_t>(Got.size()));
    Copies = 0;
    REQUIRE(B->write(Data).ok());
    S.Writing = Copies;
    Copies = 0;
    REQUIRE(B->read(Got).ok());
    S.Reading = Copies;
    CHECK(Got == Data);
    Copies = 0;
    {
      goldy::Result<void *> M = B->map();
      REQUIRE(M.ok());
      CHECK(std::memcmp(*M, Data.data(), 4 * Data.size()) == 0);
      static_cast<uint32_t *>(*M)[7] = 8;
      REQUIRE(B->unmap().ok());
    }
    S.Mapping = Copies;
    REQUIRE(B->read(Got).ok());
    CHECK(Got[7] == 8);
    Copies = 0;
    std::vector<uint32_t> Word(1);
    REQUIRE(B->read(Word, 4 * 7).ok());
    S.ReadingFew = Copies;
    CHECK(Word[0] == 8);
  }
  vk::ApiHook = nullptr;
  return S;
}

} // namespace

TEST_CASE("parameter blocks take another heap when the best one is full") {
  if (!goldy::Device::open("vulkan")) // makes the instance, without the hook
    return;
  vk::ApiHook = hook;
  {
    std::vector<uint8_t> File = goldy::cts::shapeKernels().bytes();
    goldy::Result<goldy::Device> D = goldy::Device::open("vulkan");
    REQUIRE(D.ok());
    goldy::Result<goldy::Artifact> A = goldy::Artifact::load(File);
    REQUIRE(A.ok());
    goldy::Result<goldy::Kernel> K = goldy::Kernel::create(*D, *A, "far");
    REQUIRE(K.ok());
    std::vector<float> Data(16, 2);
    goldy::Result<goldy::Buffer> X = D->bufferOf(Data), Y = D->bufferOf(Data);
    REQUIRE((X.ok() && Y.ok()));
    CHECK(Refused == 0); // kernels' data lies elsewhere
    goldy::Result<uint64_t> Point = K->launch(
        {1, 1, 1}, {X->view<float>(), Y->view<float>(), goldy::Argument(3.0f)});
    REQUIRE(Point.ok());
    REQUIRE(D->wait(*Point).ok());
    CHECK(Refused > 0);
    REQUIRE(Y->read(Data).ok());
    CHECK(Data == std::vector<float>(16, 8));
  }
  vk::ApiHook = nullptr;
}

TEST_CASE("what the host sees is not staged") {
  if (!goldy::Device::open("vulkan"))
    return;
  // A software device: all its memory is the host's.
  Staging Seen = stagingOf(countCopies);
  CHECK(Seen.Writing + Seen.Reading + Seen.Mapping + Seen.ReadingFew == 0);
  // Through the bus: 5 MB are read in pieces of 2 MiB.
  Staging Bus = stagingOf(withoutCache);
  CHECK(Bus.Writing == 0);
  CHECK(Bus.Reading == 3);
  CHECK(Bus.Mapping == 3);
  CHECK(Bus.ReadingFew == 0);
  VulkanOlder As("", "mappedBuffers");
  Staging Unseen = stagingOf(countCopies);
  CHECK(Unseen.Writing == 3);
  CHECK(Unseen.Reading == 3);
  CHECK(Unseen.Mapping == 6);
  CHECK(Unseen.ReadingFew == 1);
}

TEST_CASE("the host sees all of a device's memory, or a window of it") {
  constexpr VkMemoryPropertyFlags Local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                  Seen = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                         VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkPhysicalDeviceMemoryProperties P{};
  P.memoryHeapCount = 3;
  P.memoryHeaps[0] = {uint64_t(8) << 30, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  P.memoryHeaps[1] = {uint64_t(64) << 30, 0};
  P.memoryHeaps[2] = {uint64_t(256) << 20, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  P.memoryTypeCount = 3;
  P.memoryTypes[0] = {Local, 0};
  P.memoryTypes[1] = {Seen, 1};
  P.memoryTypes[2] = {Local | Seen, 2};
  CHECK_FALSE(vk::hostSeesDevice(P));
  P.memoryTypes[2].heapIndex = 0;
  CHECK(vk::hostSeesDevice(P));
  std::swap(P.memoryTypes[0], P.memoryTypes[2]);
  CHECK(vk::hostSeesDevice(P));
}
