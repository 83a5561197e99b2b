//===- VulkanFaultsTest.cpp - Every call of Vulkan may fail ---------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run of a kernel from opening to closing the device is repeated with the
// n-th call that can fail failing, for every n: the status says so, what was
// made is destroyed, and the device can be opened again. Objects are counted by
// the pairs of functions that make and destroy them.
//
//===----------------------------------------------------------------------===//
#include "TestArtifact.h"
#include "VulkanOlder.h"
#include "core/Objects.h"
#include "vulkan/Api.h"

#include <catch2/catch.hpp>

using namespace goldy::rt;
using namespace goldy::rt::vk;

namespace {

struct Faults {
  int Calls = 0;
  int FailAt = 0; ///< 0: none
  VkResult With = VK_SUCCESS;
  int Alive = 0; ///< objects
  std::string Failed;
} Now;

/// Whether this call is the one that fails.
bool fails(const char *Name) {
  if (++Now.Calls != Now.FailAt)
    return false;
  Now.Failed = Name;
  return true;
}

/// Stands before one function of the table.
template <auto Member> struct Before;
template <class... A, VkResult (VKAPI_PTR *Api::*Member)(A...)>
struct Before<Member> {
  static inline VkResult(VKAPI_PTR *Real)(A...) = nullptr;
  static inline const char *Name = nullptr;
  static inline int Makes = 0;
  static VkResult VKAPI_PTR call(A... Args) {
    if (fails(Name))
      return Now.With;
    VkResult R = Real(Args...);
    if (R == VK_SUCCESS)
      Now.Alive += Makes;
    return R;
  }
};
template <class D, class T,
          void (VKAPI_PTR *Api::*Member)(D, T, const VkAllocationCallbacks *)>
struct Before<Member> {
  static inline void(VKAPI_PTR *Real)(D, T,
                                      const VkAllocationCallbacks *) = nullptr;
  static void VKAPI_PTR call(D Device, T Object,
                             const VkAllocationCallbacks *Callbacks) {
    --Now.Alive;
    Real(Device, Object, Callbacks);
  }
};

template <auto Member>
void failing(Api &Table, const char *Name, int Makes = 0) {
  if (!(Table.*Member) || Table.*Member == Before<Member>::call)
    return;
  Before<Member>::Real = Table.*Member;
  Before<Member>::Name = Name;
  Before<Member>::Makes = Makes;
  Table.*Member = Before<Member>::call;
}
template <auto Member> void counting(Api &Table) {
  if (!(Table.*Member) || Table.*Member == Before<Member>::call)
    return;
  Before<Member>::Real = Table.*Member;
  Table.*Member = Before<Member>::call;
}

void putFaults(Api &T) {
  failing<&Api::CreateBuffer>(T, "vkCreateBuffer", 1);
  failing<&Api::AllocateMemory>(T, "vkAllocateMemory", 1);
  failing<&Api::BindBufferMemory>(T, "vkBindBufferMemory");
  failing<&Api::MapMemory>(T, "vkMapMemory");
  failing<&Api::CreateShaderModule>(T, "vkCreateShaderModule", 1);
  failing<&Api::CreatePipelineLayout>(T, "vkCreatePipelineLayout", 1);
  failing<&Api::CreatePipelineCache>(T, "vkCreatePipelineCache", 1);
  failing<&Api::CreateComputePipelines>(T, "vkCreateComputePipelines", 1);
  failing<&Api::CreateCommandPool>(T, "vkCreateCommandPool", 1);
  failing<&Api::ResetCommandPool>(T, "vkResetCommandPool");
  failing<&Api::AllocateCommandBuffers>(T, "vkAllocateCommandBuffers");
  failing<&Api::BeginCommandBuffer>(T, "vkBeginCommandBuffer");
  failing<&Api::EndCommandBuffer>(T, "vkEndCommandBuffer");
  failing<&Api::CreateSemaphore>(T, "vkCreateSemaphore", 1);
  failing<&Api::CreateQueryPool>(T, "vkCreateQueryPool", 1);
  failing<&Api::GetQueryPoolResults>(T, "vkGetQueryPoolResults");
  failing<&Api::QueueSubmit>(T, "vkQueueSubmit");
  failing<&Api::WaitSemaphores>(T, "vkWaitSemaphores");
  failing<&Api::CreateFence>(T, "vkCreateFence", 1);
  failing<&Api::ResetFences>(T, "vkResetFences");
  failing<&Api::WaitForFences>(T, "vkWaitForFences");
  failing<&Api::CreateDescriptorSetLayout>(T, "vkCreateDescriptorSetLayout", 1);
  failing<&Api::CreateDescriptorPool>(T, "vkCreateDescriptorPool", 1);
  failing<&Api::AllocateDescriptorSets>(T, "vkAllocateDescriptorSets");
  failing<&Api::CreateImage>(T, "vkCreateImage", 1);
  failing<&Api::BindImageMemory>(T, "vkBindImageMemory");
  failing<&Api::CreateImageView>(T, "vkCreateImageView", 1);
  failing<&Api::GetMemoryHostPointerPropertiesEXT>(
      T, "vkGetMemoryHostPointerPropertiesEXT");
  counting<&Api::DestroyBuffer>(T);
  counting<&Api::DestroyDescriptorSetLayout>(T);
  counting<&Api::DestroyDescriptorPool>(T);
  counting<&Api::DestroyImage>(T);
  counting<&Api::DestroyImageView>(T);
  counting<&Api::FreeMemory>(T);
  counting<&Api::DestroyShaderModule>(T);
  counting<&Api::DestroyPipelineLayout>(T);
  counting<&Api::DestroyPipelineCache>(T);
  counting<&Api::DestroyPipeline>(T);
  counting<&Api::DestroyCommandPool>(T);
  counting<&Api::DestroySemaphore>(T);
  counting<&Api::DestroyQueryPool>(T);
  counting<&Api::DestroyFence>(T);
}

struct Objects {
  goldy_device_t *Device = nullptr;
  goldy_artifact_t *File = nullptr;
  goldy_kernel_t *Kernel = nullptr;
  goldy_buffer_t *Buffer = nullptr;
  goldy_launch_t *Timed = nullptr;
  goldy_artifact_t *Shapes = nullptr;
  goldy_kernel_t *Shade = nullptr;
  goldy_kernel_t *Far = nullptr;
  SubmissionId Changing{};
  std::vector<char> Host = std::vector<char>(4096);
  MemoryId Borrowed{};
  ~Objects() {
    if (Changing != SubmissionId{})
      Device->Driver->releaseSubmission(Changing);
    if (Borrowed != MemoryId{})
      Device->Driver->release(Borrowed);
    goldy_kernel_destroy(Far);
    goldy_kernel_destroy(Shade);
    goldy_artifact_destroy(Shapes);
    goldy_launch_destroy(Timed);
    goldy_buffer_destroy(Buffer);
    goldy_kernel_destroy(Kernel);
    goldy_artifact_destroy(File);
    goldy_device_destroy(Device);
  }
};

Status take(goldy_status_t S) {
  Status Copy =
      S ? Status(goldy_status_code(S), goldy_status_message(S)) : Status();
  goldy_status_destroy(S);
  return Copy;
}

/// Shades a picture of 8 x 8 elements.
Status workOnImage(Objects &O) {
  static const std::vector<uint8_t> Bytes = goldy::cts::shapeKernels().bytes();
  uint64_t Point = 0;
  GOLDY_TRY(take(goldy_artifact_load_memory(Bytes.data(), Bytes.size(),
                                            GOLDY_LOAD_TRUSTED, &O.Shapes)));
  GOLDY_TRY(take(goldy_kernel_create(O.Device, O.Shapes, "shade", &O.Shade)));
  goldy_argument_t Args[2] = {{O.Buffer, 0, 64, 8 | uint64_t(8) << 32, nullptr},
                              {O.Buffer, 4096, 1, 0, nullptr}};
  GOLDY_TRY(take(goldy_kernel_launch(O.Shade, Args, 2, {{1, 1, 1}}, &Point)));
  GOLDY_TRY(take(goldy_device_wait(O.Device, Point, GOLDY_FOREVER)));
  float Data[4] = {};
  GOLDY_TRY(take(goldy_buffer_read(O.Buffer, 16 * 63, Data, sizeof Data)));
  CHECK(Data[1] == 7);
  return Status();
}

/// What runs bring: a grid, a memory, ends of copies; host memory.
Status workChanging(Objects &O) {
  Driver &D = *O.Device->Driver;
  GOLDY_TRY(take(goldy_kernel_create(O.Device, O.Shapes, "far", &O.Far)));
  goldy_argument_t Args[3] = {{O.Buffer, 0, 16, 0, nullptr},
                              {O.Buffer, 64, 16, 0, nullptr},
                              {nullptr, 0, 0, 0, nullptr}};
  goldy_launch Bound;
  SubmissionDesc Desc;
  GOLDY_TRY(bindLaunch(*O.Far->Loaded, Args, {{1, 1, 1}}, Bound, Desc));
  Desc.Parts[0].Pieces.clear();
  Desc.Parts[0].GroupWords[1] = 0;
  Part Copy;
  Copy.Kind = PartKind::Copy;
  Copy.SrcWord = 0;
  Copy.Uses = {{O.Buffer->Memory->Id, 0, 16, false},
               {MemoryId{}, 512, 16, true, 0}};
  Desc.Parts.push_back(Copy);
  Desc.Words = Desc.Memories = 1;
  GOLDY_TRY(D.borrow(O.Host.data(), O.Host.size(), O.Borrowed));
  GOLDY_TRY(D.prepare(std::move(Desc), O.Changing));
  uint64_t Point = 0;
  for (MemoryId M : {O.Buffer->Memory->Id, O.Borrowed})
    for (uint64_t Word : {1, 2, 0, 70000})
      GOLDY_TRY(D.run(O.Changing, {{&Word, 1}, {&M, 1}}, Point));
  return D.wait(Point, GOLDY_FOREVER);
}

/// Opens, computes, reads; the first status that is a failure.
Status work(Objects &O, const std::vector<uint8_t> &Bytes) {
  float Data[16] = {1, 2, 3, 4};
  uint64_t Point = 0;
  GOLDY_TRY(take(goldy_device_create("vulkan", nullptr, &O.Device)));
  GOLDY_TRY(take(goldy_artifact_load_memory(Bytes.data(), Bytes.size(),
                                            GOLDY_LOAD_TRUSTED, &O.File)));
  GOLDY_TRY(take(goldy_kernel_create(O.Device, O.File, "saxpy", &O.Kernel)));
  // Large enough for a block of its own.
  GOLDY_TRY(take(goldy_buffer_create(O.Device, 17 << 20, &O.Buffer)));
  GOLDY_TRY(take(goldy_buffer_write(O.Buffer, 0, Data, sizeof Data)));
  goldy_argument_t Args[3] = {{O.Buffer, 0, 16, 0, nullptr},
                              {O.Buffer, 64, 16, 0, nullptr},
                              {nullptr, 0, 0, 0x3f800000, nullptr}};
  GOLDY_TRY(take(goldy_kernel_launch(O.Kernel, Args, 3, {{1, 1, 1}}, &Point)));
  GOLDY_TRY(take(goldy_device_wait(O.Device, Point, GOLDY_FOREVER)));
  GOLDY_TRY(take(goldy_buffer_read(O.Buffer, 64, Data, sizeof Data)));
  CHECK(Data[1] == 2);
  goldy_time_span_t Span{};
  GOLDY_TRY(take(
      goldy_launch_create_timed(O.Kernel, Args, 3, {{1, 1, 1}}, &O.Timed)));
  GOLDY_TRY(take(goldy_launch_submit(O.Timed, &Point)));
  GOLDY_TRY(take(goldy_device_wait(O.Device, Point, GOLDY_FOREVER)));
  GOLDY_TRY(take(goldy_launch_time(O.Timed, Point, &Span)));
  GOLDY_TRY(workOnImage(O));
  return workChanging(O);
}

goldy_code_t workFailing(int N, VkResult With, std::string &Message) {
  static const std::vector<uint8_t> Bytes = goldy::cts::deviceKernels().bytes();
  Now = Faults();
  Now.FailAt = N;
  Now.With = With;
  goldy_code_t Code;
  {
    Objects O;
    Status S = work(O, Bytes);
    Code = S.code();
    Message = S.message();
    if (With == VK_ERROR_DEVICE_LOST && O.Device && Code == GOLDY_LOST) {
      uint64_t Point = 0;
      goldy_argument_t Args[3] = {{O.Buffer, 0, 1, 0, nullptr},
                                  {O.Buffer, 4, 1, 0, nullptr},
                                  {nullptr, 0, 0, 0, nullptr}};
      if (O.Buffer) { // the device stays lost
        goldy_status_t Again =
            goldy_kernel_launch(O.Kernel, Args, 3, {{1, 1, 1}}, &Point);
        CHECK(goldy_status_code(Again) == GOLDY_LOST);
        goldy_status_destroy(Again);
      }
    }
  }
  CHECK(Now.Alive == 0);
  return Code;
}

class FaultRun {
public:
  FaultRun() { ApiHook = putFaults; }
  ~FaultRun() { ApiHook = nullptr; }
};

/// Of a run whose `N`-th call fails for want of memory.
bool saysNoMemory(int N, VkResult With) {
  std::string Message;
  goldy_code_t Code = workFailing(N, With, Message);
  INFO(Now.Failed << ": " << Message);
  // A smaller block is tried when a large one does not fit.
  CHECK((Code == GOLDY_OUT_OF_MEMORY || Code == GOLDY_OK));
  if (Code != GOLDY_OK)
    CHECK(Message.find(Now.Failed) != std::string::npos);
  return Code != GOLDY_OK;
}

void saysLost(int N) {
  std::string Message;
  goldy_code_t Code = workFailing(N, VK_ERROR_DEVICE_LOST, Message);
  INFO(Now.Failed << ": " << Message);
  // Work that is done already needs no wait, so a run may make fewer calls.
  if (Now.Calls < N) {
    CHECK(Code == GOLDY_OK);
    return;
  }
  CHECK(Code == GOLDY_LOST);
  CHECK(Message.find(Now.Failed) != std::string::npos);
}

void failEachCall() {
  FaultRun Hooked;
  std::string Message;
  goldy_code_t Code = workFailing(0, VK_SUCCESS, Message);
  if (Code == GOLDY_UNAVAILABLE) {
    WARN("no Vulkan device: not run");
    return;
  }
  INFO(Message);
  REQUIRE(Code == GOLDY_OK);
  // The first run also measured the device, once a process.
  REQUIRE(workFailing(0, VK_SUCCESS, Message) == GOLDY_OK);
  int Calls = Now.Calls, Failed = 0;
  REQUIRE(Calls > 15);
  for (int N = 1; N <= Calls; ++N) {
    INFO("call " << N);
    Failed += saysNoMemory(N, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    saysNoMemory(N, VK_ERROR_OUT_OF_HOST_MEMORY);
    saysLost(N);
  }
  CHECK(Failed > Calls / 2);
  CHECK(workFailing(0, VK_SUCCESS, Message) == GOLDY_OK);
}

} // namespace

TEST_CASE("every call of Vulkan may run out of memory, or lose the device") {
  failEachCall();
}

TEST_CASE("every call of Vulkan 1.1 may run out of memory, or lose the "
          "device") {
  VulkanOlder Device("1.1", "");
  failEachCall();
}

TEST_CASE("every call of a Vulkan without timelines may run out of memory, or "
          "lose the device") {
  VulkanOlder Device("1.1", "VK_KHR_timeline_semaphore");
  failEachCall();
}
