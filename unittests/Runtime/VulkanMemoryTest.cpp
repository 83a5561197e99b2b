//===- VulkanMemoryTest.cpp - Which memory a piece comes from -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device seems to have one more type of memory, which fits uploads best and
// is always full.
//
//===----------------------------------------------------------------------===//
#include "TestArtifact.h"
#include "goldy/goldy.hpp"
#include "vulkan/Api.h"

#include <catch2/catch.hpp>

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
