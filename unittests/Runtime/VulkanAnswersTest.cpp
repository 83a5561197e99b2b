//===- VulkanAnswersTest.cpp - What a Vulkan driver may answer ------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers that a working driver does not give on demand: code that it cannot
// compile, and work that does not come to its end in time.
//
//===----------------------------------------------------------------------===//
#include "TestArtifact.h"
#include "goldy/goldy.hpp"
#include "vulkan/Api.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <cstdlib>

using namespace goldy;
namespace vk = goldy::rt::vk;

namespace {

VkResult CompilerSays = VK_SUCCESS;
bool NothingEnds = false;
vk::Api Real; ///< of the device that was opened last

VkResult VKAPI_PTR compile(VkDevice D, VkPipelineCache Cache, uint32_t Count,
                           const VkComputePipelineCreateInfo *Infos,
                           const VkAllocationCallbacks *Callbacks,
                           VkPipeline *Out) {
  return CompilerSays == VK_SUCCESS
             ? Real.CreateComputePipelines(D, Cache, Count, Infos, Callbacks,
                                           Out)
             : CompilerSays;
}
VkResult VKAPI_PTR count(VkDevice D, VkSemaphore S, uint64_t *Out) {
  VkResult R = Real.GetSemaphoreCounterValue(D, S, Out);
  if (NothingEnds)
    *Out = 0;
  return R;
}
VkResult VKAPI_PTR wait(VkDevice D, const VkSemaphoreWaitInfo *Info,
                        uint64_t TimeoutNs) {
  return NothingEnds ? VK_TIMEOUT : Real.WaitSemaphores(D, Info, TimeoutNs);
}
VkResult VKAPI_PTR fenceStatus(VkDevice D, VkFence F) {
  return NothingEnds ? VK_NOT_READY : Real.GetFenceStatus(D, F);
}
VkResult VKAPI_PTR waitForFences(VkDevice D, uint32_t Count, const VkFence *F,
                                 VkBool32 All, uint64_t TimeoutNs) {
  return NothingEnds ? VK_TIMEOUT
                     : Real.WaitForFences(D, Count, F, All, TimeoutNs);
}

void put(vk::Api &T) {
  if (!T.CreateComputePipelines || T.CreateComputePipelines == compile)
    return;
  Real = T;
  T.CreateComputePipelines = compile;
  T.GetFenceStatus = fenceStatus;
  T.WaitForFences = waitForFences;
  if (T.WaitSemaphores) {
    T.GetSemaphoreCounterValue = count;
    T.WaitSemaphores = wait;
  }
}

/// The answers are ours while it is there.
struct Answers {
  Answers() { vk::ApiHook = put; }
  ~Answers() {
    vk::ApiHook = nullptr;
    CompilerSays = VK_SUCCESS;
    NothingEnds = false;
    unsetenv("GOLDY_VULKAN_VERSION");
    unsetenv("GOLDY_VULKAN_WITHOUT");
  }
};

/// A device with a kernel's file; not there on machines without Vulkan.
struct Opened {
  std::vector<uint8_t> File = cts::deviceKernels().bytes();
  Result<Device> D = Device::open("vulkan");
  Result<Artifact> A = Artifact::load(File);

  bool isThere() const {
    if (!D.ok())
      WARN("no Vulkan device: not run");
    return D.ok();
  }
};

/// A run that does not end in time, and then does.
void endsLate(const char *Call) {
  Opened O;
  if (!O.isThere())
    return;
  Result<Kernel> K = Kernel::create(*O.D, *O.A, "saxpy");
  Result<Buffer> B = O.D->buffer(64);
  REQUIRE(K.ok());
  REQUIRE(B.ok());
  goldy_argument_t Args[3] = {{B->get(), 0, 4, 0, nullptr},
                              {B->get(), 32, 4, 0, nullptr},
                              {nullptr, 0, 0, 0, nullptr}};
  uint64_t Point = 0;
  NothingEnds = true;
  REQUIRE_FALSE(goldy_kernel_launch(K->get(), Args, 3, {{1, 1, 1}}, &Point));
  for (uint64_t TimeoutNs : {0, 1000000}) {
    Status S = O.D->wait(Point, TimeoutNs);
    CHECK(S.code() == GOLDY_TIMEOUT);
    CHECK(S.message() == std::string(Call) + ": point " +
                             std::to_string(Point) + " was not reached in " +
                             std::to_string(TimeoutNs) + " ns");
  }
  NothingEnds = false;
  CHECK(O.D->wait(Point).ok());
}

} // namespace

TEST_CASE("code that a Vulkan driver cannot compile is refused by name") {
  Answers Ours;
  Opened O;
  if (!O.isThere())
    return;
  for (VkResult R : {VK_ERROR_INITIALIZATION_FAILED, VK_ERROR_UNKNOWN,
                     VK_ERROR_INVALID_SHADER_NV}) {
    CompilerSays = R;
    Result<Kernel> K = Kernel::create(*O.D, *O.A, "saxpy");
    CHECK(K.status().code() == GOLDY_INVALID_ARTIFACT);
    CHECK(K.status().message() ==
          std::string("kernel `saxpy`: image ") + O.D->info().best_arch +
              ": vkCreateComputePipelines: the driver refuses the code "
              "(VkResult " +
              std::to_string(static_cast<int>(R)) + ")");
  }
  CompilerSays = VK_SUCCESS;
  CHECK(Kernel::create(*O.D, *O.A, "saxpy").ok());
}

TEST_CASE("a wait on Vulkan that takes too long names its call") {
  Answers Ours;
  endsLate("vkWaitSemaphores");
  setenv("GOLDY_VULKAN_VERSION", "1.1", 1);
  setenv("GOLDY_VULKAN_WITHOUT", "VK_KHR_timeline_semaphore", 1);
  endsLate("vkWaitForFences");
}
