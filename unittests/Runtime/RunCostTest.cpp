//===- RunCostTest.cpp - What a run of a prepared submission costs --------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocations of the calling thread are counted by the program's own operator
// new, recorded command buffers and barriers by the driver's table.
//
//===----------------------------------------------------------------------===//
#include "FakeCudaDriver.h"
#include "core/Objects.h"
#ifdef GOLDY_HAS_VULKAN
#include "VulkanOlder.h"
#include "vulkan/Api.h"
#endif

#include <catch2/catch.hpp>

#include <cstdlib>
#include <cstring>
#include <new>

using namespace goldy::rt;

static thread_local int *Allocations = nullptr;

void *operator new(size_t Bytes, const std::nothrow_t &) noexcept {
  if (Allocations)
    ++*Allocations;
  return std::malloc(Bytes ? Bytes : 1);
}
void *operator new(size_t Bytes) {
  if (void *P = ::operator new(Bytes, std::nothrow))
    return P;
  throw std::bad_alloc();
}
void operator delete(void *P) noexcept { std::free(P); }
void operator delete(void *P, size_t) noexcept { std::free(P); }

namespace {

/// A kernel of shapeKernels() or deviceKernels() with three buffers.
struct Prepared {
  std::vector<uint8_t> File;
  goldy_device_t *Device = nullptr;
  goldy_artifact_t *Artifact = nullptr;
  goldy_kernel_t *Kernel = nullptr;
  goldy_buffer_t *Buffers[3] = {};
  goldy_launch Bound[4];
  SubmissionDesc Desc;
  SubmissionId Id{};

  Prepared(goldy_device_t *Device, const char *Name) : Device(Device) {
    goldy::cts::TestArtifact A = std::strcmp(Name, "saxpy") == 0
                                     ? goldy::cts::deviceKernels()
                                     : goldy::cts::shapeKernels();
    File = A.bytes();
    ok(goldy_artifact_load_memory(File.data(), File.size(), GOLDY_LOAD_TRUSTED,
                                  &Artifact));
    ok(goldy_kernel_create(Device, Artifact, Name, &Kernel));
    for (goldy_buffer_t *&B : Buffers)
      ok(goldy_buffer_create(Device, 4 * Elements, &B));
  }
  ~Prepared() {
    if (Id != SubmissionId{})
      driver().releaseSubmission(Id);
    for (goldy_buffer_t *B : Buffers)
      goldy_buffer_destroy(B);
    goldy_kernel_destroy(Kernel);
    goldy_artifact_destroy(Artifact);
  }
  static void ok(goldy_status_t S) {
    INFO(goldy_status_message(S));
    REQUIRE(!S);
  }
  Driver &driver() const { return *Device->Driver; }

  /// buffer[Y] += a * buffer[X]; `a` is word `Number` of the run.
  void launch(int X, int Y) {
    goldy_argument_t Args[3] = {{Buffers[X], 0, Elements, 0, nullptr},
                                {Buffers[Y], 0, Elements, 0, nullptr},
                                {nullptr, 0, 0, 0, nullptr}};
    uint32_t Number = static_cast<uint32_t>(Desc.Parts.size());
    ok(bindLaunch(*Kernel->Loaded, Args, {{1, 1, 1}}, Bound[Number], Desc)
           .release());
    constexpr uint32_t OffsetOfA = 32;
    Desc.Slots.push_back({Number, OffsetOfA, 4, Number});
    Desc.Words = Number + 1;
  }
  void prepare() {
    SubmissionDesc Copy = Desc;
    ok(driver().prepare(std::move(Copy), Id).release());
  }
  void run(std::vector<float> Words) {
    std::array<uint64_t, 4> Bits{};
    for (size_t I = 0; I < Words.size(); ++I)
      std::memcpy(&Bits[I], &Words[I], 4);
    uint64_t Point = 0;
    int Count = 0;
    Allocations = &Count;
    Status Ran = driver().run(Id, {{Bits.data(), Words.size()}, {}}, Point);
    Status Done = driver().wait(Point, GOLDY_FOREVER);
    Allocations = nullptr;
    Last = Count;
    REQUIRE(Ran.ok());
    REQUIRE(Done.ok());
  }
  float element(int Buffer) {
    float V = 0;
    ok(goldy_buffer_read(Buffers[Buffer], 4, &V, 4));
    return V;
  }
  void fill(int Buffer, float V) {
    std::vector<float> All(Elements, V);
    ok(goldy_buffer_write(Buffers[Buffer], 0, All.data(), 4 * Elements));
  }

  static constexpr uint64_t Elements = 16;
  int Last = 0; ///< allocations of the last run
};

/// Runs again and again with other words.
void checkNoAllocations(const char *DeviceName, const char *Kernel) {
  INFO(DeviceName << ", " << Kernel);
  goldy_device_t *Device = nullptr;
  goldy_status_t S = goldy_device_create(DeviceName, nullptr, &Device);
  goldy_status_destroy(S);
  if (!Device) {
    WARN(DeviceName << " is missing");
    REQUIRE(!std::getenv("GOLDY_REQUIRE_VULKAN"));
    return;
  }
  {
    Prepared P(Device, Kernel);
    P.fill(0, 1);
    P.launch(0, 1);
    P.prepare();
    float Sum = 0;
    for (int I = 1; I <= 8; ++I) {
      P.run({static_cast<float>(I)});
      Sum += static_cast<float>(I);
      if (I > 2)
        CHECK(P.Last == 0);
    }
    CHECK(P.element(1) == Sum);
  }
  goldy_device_destroy(Device);
}

} // namespace

/// Runs again and again with other memories, ends of a copy and grids of
/// `Least` groups or more; at 0, every other run brings a memory that a part
/// names.
void checkNoAllocationsChanging(const char *DeviceName, const char *Kernel,
                                uint64_t Least = 0) {
  INFO(DeviceName << ", " << Kernel << ", memories and grids");
  goldy_device_t *Device = nullptr;
  goldy_status_destroy(goldy_device_create(DeviceName, nullptr, &Device));
  if (!Device)
    return;
  {
    Prepared P(Device, Kernel);
    P.fill(0, 1);
    P.launch(0, 1);
    SubmissionDesc &Desc = P.Desc;
    Desc.Parts[0].Pieces.clear();
    Desc.Parts[0].GroupWords[0] = 1;
    Part Copy;
    Copy.Kind = PartKind::Copy;
    Copy.Uses = {{P.Buffers[1]->Memory->Id, 0, 4, false},
                 {MemoryId{}, 0, 4, true, 0}};
    Copy.SrcWord = Copy.DstWord = 2;
    Desc.Parts.push_back(Copy);
    Desc.Words = 3;
    Desc.Memories = 1;
    P.prepare();
    MemoryId Own{}, Other = P.Buffers[0]->Memory->Id;
    REQUIRE(P.driver().allocate(64, Own).ok());
    if (Least)
      Other = Own;
    for (uint64_t I = 1; I <= 12; ++I) {
      uint64_t Words[3] = {0x3f800000, Least + I % 3, I % 4 * 4}, Point = 0;
      MemoryId Memory = I % 2 ? P.Buffers[2]->Memory->Id : Other;
      int Count = 0;
      Allocations = &Count;
      Status Ran = P.driver().run(P.Id, {Words, {&Memory, 1}}, Point);
      Status Done = P.driver().wait(Point, GOLDY_FOREVER);
      Allocations = nullptr;
      REQUIRE(Ran.ok());
      REQUIRE(Done.ok());
      if (I > 4)
        CHECK(Count == 0);
    }
    P.driver().release(Own);
  }
  goldy_device_destroy(Device);
}

namespace {
/// What the fake driver allocates is its own.
int *Paused = nullptr;
void enterDriver() { Paused = std::exchange(Allocations, nullptr); }
void leaveDriver() { Allocations = std::exchange(Paused, nullptr); }
} // namespace

TEST_CASE("a run on CUDA allocates nothing") {
  FakeCuda Fake;
  Fake.around(enterDriver, leaveDriver);
  // Without a group there is another graph.
  checkNoAllocationsChanging("cuda", "saxpy", 1);
  Fake.around(nullptr, nullptr);
}

// Each run but the last gets an event while they are under way.
TEST_CASE("runs that nobody waits for allocate nothing on CUDA") {
  FakeCuda Fake;
  Fake.around(enterDriver, leaveDriver);
  goldy_device_t *Device = nullptr;
  REQUIRE_FALSE(goldy_device_create("cuda", nullptr, &Device));
  {
    Prepared P(Device, "saxpy");
    P.launch(0, 1);
    P.prepare();
    for (int Round = 0; Round < 3; ++Round) {
      uint64_t Point = 0, Word = 0;
      int Count = 0;
      Fake.hold(true);
      Allocations = &Count;
      bool Good = true;
      for (Word = 1; Word <= 60; ++Word)
        Good &= P.driver().run(P.Id, {{&Word, 1}, {}}, Point).ok();
      Allocations = nullptr;
      Fake.hold(false);
      REQUIRE(Good);
      REQUIRE(P.driver().wait(Point, GOLDY_FOREVER).ok());
      if (Round)
        CHECK(Count == 0);
    }
  }
  goldy_device_destroy(Device);
  Fake.around(nullptr, nullptr);
}

TEST_CASE("a run allocates nothing") {
  checkNoAllocations("cpu", "saxpy");
  checkNoAllocationsChanging("cpu", "saxpy");
#ifdef GOLDY_HAS_VULKAN
  for (const char *Without : {"", "VK_KHR_timeline_semaphore"})
    for (const char *Version : {"1.3", "1.1"}) {
      VulkanOlder As(Version, Without);
      checkNoAllocations("vulkan", "saxpy");
      checkNoAllocations("vulkan", "far");
      if (std::strcmp(Version, "1.1") != 0) { // not by descriptors
        checkNoAllocationsChanging("vulkan", "saxpy");
        checkNoAllocationsChanging("vulkan", "far");
      }
    }
#endif
}

#ifdef GOLDY_HAS_VULKAN
namespace {

int Begun = 0, Barriers = 0;
PFN_vkBeginCommandBuffer RealBegin = nullptr;
PFN_vkCmdPipelineBarrier RealBarrier = nullptr;

VkResult VKAPI_PTR countBegin(VkCommandBuffer C,
                              const VkCommandBufferBeginInfo *Info) {
  ++Begun;
  return RealBegin(C, Info);
}
void VKAPI_PTR countBarrier(VkCommandBuffer C, VkPipelineStageFlags Before,
                            VkPipelineStageFlags After, VkDependencyFlags Flags,
                            uint32_t Memories, const VkMemoryBarrier *Memory,
                            uint32_t Buffers,
                            const VkBufferMemoryBarrier *Buffer,
                            uint32_t Images,
                            const VkImageMemoryBarrier *Image) {
  ++Barriers;
  RealBarrier(C, Before, After, Flags, Memories, Memory, Buffers, Buffer,
              Images, Image);
}
void count(vk::Api &T) {
  if (T.BeginCommandBuffer && T.BeginCommandBuffer != countBegin) {
    RealBegin = T.BeginCommandBuffer;
    T.BeginCommandBuffer = countBegin;
  }
  if (T.CmdPipelineBarrier && T.CmdPipelineBarrier != countBarrier) {
    RealBarrier = T.CmdPipelineBarrier;
    T.CmdPipelineBarrier = countBarrier;
  }
}

struct Counted {
  Counted() {
    vk::ApiHook = count;
    goldy_status_destroy(goldy_device_create("vulkan", nullptr, &Device));
  }
  ~Counted() {
    goldy_device_destroy(Device);
    vk::ApiHook = nullptr;
  }
  goldy_device_t *Device = nullptr;
};

} // namespace

TEST_CASE("words in memory reach recorded commands, words in push constants "
          "make them anew") {
  Counted C;
  if (!C.Device)
    return;
  Prepared Far(C.Device, "far"), Near(C.Device, "saxpy");
  for (Prepared *P : {&Far, &Near}) {
    P->fill(0, 1);
    P->launch(0, 1);
    P->prepare();
    P->run({1});
    Begun = 0;
    P->run({2});
    P->run({2});
    P->run({3});
    CHECK(Begun == (P == &Far ? 0 : 2));
    CHECK(P->element(1) == 8);
  }
}

TEST_CASE("a barrier stands where memory is shared, and nowhere else") {
  Counted C;
  if (!C.Device)
    return;
  Prepared Apart(C.Device, "far"), Chain(C.Device, "far");
  Apart.launch(0, 1); // both read buffer 0
  Apart.launch(0, 2);
  Chain.launch(0, 1);
  Chain.launch(1, 2); // reads what was written
  Chain.launch(0, 1); // writes what was read
  Apart.prepare();
  Chain.prepare();
  Barriers = 0;
  Apart.run({1, 1});
  CHECK(Barriers == 1); // the one that ends every run
  Barriers = 0;
  Chain.run({1, 1, 1});
  CHECK(Barriers == 3);
}
#endif
