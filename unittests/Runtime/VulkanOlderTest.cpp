//===- VulkanOlderTest.cpp - The Vulkan device used as an older one -------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a device is said not to have is not used: its images are chosen by what
// is left, and kernels that need more are refused by name.
//
//===----------------------------------------------------------------------===//
#include "VulkanOlder.h"
#include "TestArtifact.h"
#include "core/Objects.h"
#include "goldy/goldy.hpp"
#include "vulkan/Api.h"
#include "vulkan/Survey.h"

#include <catch2/catch.hpp>

#include <cstring>

using namespace goldy::rt;

namespace {

bool isThere() {
  if (goldy::Device::open("vulkan"))
    return true;
  WARN("no Vulkan device: not run");
  return false;
}

/// A kernel of deviceKernels() whose images of vulkan1.1 need `Feature` too.
Status load(const char *Feature) {
  goldy::cts::TestArtifact Source = goldy::cts::deviceKernels();
  if (*Feature)
    Source.Spoil = [&](goldy::schema::ArtifactT &R) {
      for (std::unique_ptr<goldy::schema::ImageT> &I : R.kernels[0]->images) {
        if (I->arch != "vulkan1.1")
          continue;
        I->features.insert(I->features.begin(),
                           std::make_unique<goldy::schema::FeatureT>());
        I->features.front()->name = Feature;
      }
    };
  std::vector<uint8_t> File = Source.bytes();
  goldy::Result<goldy::Device> D = goldy::Device::open("vulkan");
  if (!D)
    return Status(D.status().code(), D.status().message());
  goldy::Result<goldy::Artifact> A = goldy::Artifact::load(File);
  REQUIRE(A.ok());
  goldy::Result<goldy::Kernel> K = goldy::Kernel::create(*D, *A, "saxpy");
  return K ? Status() : Status(K.status().code(), K.status().message());
}

} // namespace

TEST_CASE("a device of Vulkan 1.1 or 1.2 takes images of vulkan1.1") {
  if (!isThere())
    return;
  for (const char *Version : {"1.1", "1.2"}) {
    VulkanOlder As(Version, "");
    goldy::Result<goldy::Device> D = goldy::Device::open("vulkan");
    REQUIRE(D.ok());
    CHECK(std::string(D->info().best_arch) == "vulkan1.1");
    CHECK(std::string(D->info().description)
              .find(std::string("used as ") + Version) != std::string::npos);
    CHECK(load("").ok());
  }
  goldy::Result<goldy::Device> D = goldy::Device::open("vulkan");
  REQUIRE(D.ok());
  CHECK(std::string(D->info().best_arch) == "vulkan1.3");
}

TEST_CASE("a device that lacks what addresses need takes images of vulkan1.1") {
  if (!isThere())
    return;
  for (const char *Feature :
       {"shaderInt64", "bufferDeviceAddress", "vulkanMemoryModel"}) {
    VulkanOlder As("1.3", Feature);
    goldy::Result<goldy::Device> D = goldy::Device::open("vulkan");
    REQUIRE(D.ok());
    CHECK(std::string(D->info().best_arch) == "vulkan1.1");
    CHECK(load("").ok());
  }
}

TEST_CASE("kernels that need what an older device lacks are refused by name") {
  if (!isThere())
    return;
  for (const char *Feature : {"shaderInt64", "shaderRoundingModeRTEFloat32"}) {
    VulkanOlder As("1.1", Feature);
    Status S = load(Feature);
    CHECK(S.code() == GOLDY_UNSUPPORTED);
    CHECK(S.message().find("kernel `saxpy`") != std::string::npos);
    CHECK(S.message().find(Feature) != std::string::npos);
    CHECK(load("").ok());
  }
  VulkanOlder As("1.1", "shaderStorageBufferArrayDynamicIndexing");
  CHECK(load("").code() == GOLDY_UNSUPPORTED);
}

TEST_CASE("an older device without float controls opens without a probe") {
  if (!isThere())
    return;
  VulkanOlder As("1.1", "VK_KHR_shader_float_controls");
  CHECK(load("").ok());
  CHECK(load("shaderRoundingModeRTEFloat32").code() == GOLDY_UNSUPPORTED);
}

namespace {

using Words = std::vector<uint32_t>;

/// Applies `Change` to the words of a blob of SPIR-V.
template <class F> void change(std::vector<uint8_t> &Blob, F Change) {
  Words W(Blob.size() / 4);
  std::memcpy(W.data(), Blob.data(), Blob.size());
  for (size_t At = 5; At < W.size(); At += W[At] >> 16)
    Change(&W[At], W[At] & 0xffff);
  std::memcpy(Blob.data(), W.data(), Blob.size());
}

/// Makes a kernel for `Arch` from a file that nobody vouches for.
Status makeUntrusted(goldy::cts::TestArtifact &Source, const char *Arch,
                     const char *Kernel) {
  std::vector<uint8_t> File = Source.bytes();
  goldy::Result<goldy::Device> D = goldy::Device::open("vulkan", {0, Arch});
  REQUIRE(D.ok());
  goldy::Result<goldy::Artifact> A = goldy::Artifact::load(File, 0);
  REQUIRE(A.ok());
  goldy::Result<goldy::Kernel> K = goldy::Kernel::create(*D, *A, Kernel);
  return K ? Status() : Status(K.status().code(), K.status().message());
}

constexpr uint32_t OpDecorate = 71, DescriptorSet = 34, Binding = 33;

/// saxpy's words after a change.
template <class F> Status makeWords(F Change) {
  goldy::cts::TestArtifact Source = goldy::cts::deviceKernels();
  change(Source.Blobs[goldy::cts::SaxpySpirvBlobs[1]], Change);
  return makeUntrusted(Source, "vulkan1.1", "saxpy");
}

void refusesVariables(const Status &S) {
  CHECK(S.code() == GOLDY_INVALID_ARTIFACT);
  CHECK(S.message().find("variables that the parameter block does not have") !=
        std::string::npos);
}

} // namespace

TEST_CASE("word blocks of files that nobody vouches for are as stated") {
  if (!isThere())
    return;
  Status Asis = makeWords([](uint32_t *, uint32_t) {});
  if (Asis.code() == GOLDY_UNTRUSTED)
    return; // a build without the validator
  CHECK(Asis.ok());
  for (uint32_t Decoration : {DescriptorSet, Binding})
    refusesVariables(makeWords([&](uint32_t *W, uint32_t Op) {
      if (Op == OpDecorate && W[2] == Decoration)
        W[3] = 1;
    }));
  goldy::cts::TestArtifact More = goldy::cts::deviceKernels();
  More.Spoil = [](goldy::schema::ArtifactT &R) {
    for (std::unique_ptr<goldy::schema::ImageT> &I : R.kernels[0]->images)
      if (I->arch == "vulkan1.1")
        I->word_bindings = 4;
  };
  refusesVariables(makeUntrusted(More, "vulkan1.1", "saxpy"));
}

TEST_CASE("storage images of files that nobody vouches for are parameters") {
  if (!isThere())
    return;
  goldy::cts::TestArtifact Asis = goldy::cts::shapeKernels();
  Status S = makeUntrusted(Asis, "vulkan1.3", "shade");
  if (S.code() == GOLDY_UNTRUSTED)
    return;
  INFO(S.message());
  CHECK(S.ok());
  goldy::cts::TestArtifact Moved = goldy::cts::shapeKernels();
  for (std::vector<uint8_t> &Blob : Moved.Blobs)
    if (Blob.size() > 4 && Blob[0] == 0x03 && Blob[3] == 0x07)
      change(Blob, [](uint32_t *W, uint32_t Op) {
        if (Op == OpDecorate && W[2] == Binding)
          W[3] = 1; // a uniform's number
      });
  refusesVariables(makeUntrusted(Moved, "vulkan1.3", "shade"));
}

static VkResult VKAPI_PTR cannotStart(VkDevice, const VkSemaphoreCreateInfo *,
                                      const VkAllocationCallbacks *,
                                      VkSemaphore *) {
  return VK_ERROR_INITIALIZATION_FAILED;
}

TEST_CASE("a device that lists timelines and cannot make one takes fences") {
  if (!isThere())
    return;
  vk::ApiHook = [](vk::Api &T) { T.CreateSemaphore = cannotStart; };
  {
    VulkanOlder As("", "mappedBuffers"); // copies are submitted
    goldy::Result<goldy::Device> D = goldy::Device::open("vulkan");
    REQUIRE(D.ok());
    std::vector<uint32_t> Ones(16, 1), Got(16);
    goldy::Result<goldy::Buffer> B = D->bufferOf(Ones);
    REQUIRE(B.ok());
    REQUIRE(B->read(Got).ok());
    CHECK(Got == Ones);
  }
  vk::ApiHook = nullptr;
  CHECK(load("").ok());
}

TEST_CASE("addresses of memory that a part does not use are refused") {
  if (!isThere())
    return;
  VulkanOlder As("1.1", "");
  goldy::Result<goldy::Device> D = goldy::Device::open("vulkan");
  REQUIRE(D.ok());
  std::vector<uint8_t> File = goldy::cts::deviceKernels().bytes();
  goldy::Result<goldy::Artifact> A = goldy::Artifact::load(File);
  REQUIRE(A.ok());
  goldy::Result<goldy::Kernel> K = goldy::Kernel::create(*D, *A, "saxpy");
  goldy::Result<goldy::Buffer> X = D->buffer(64), Y = D->buffer(64);
  REQUIRE((K.ok() && X.ok() && Y.ok()));
  goldy_argument_t Args[3] = {{X->get(), 0, 16, 0, nullptr},
                              {Y->get(), 0, 16, 0, nullptr},
                              {nullptr, 0, 0, 0, nullptr}};
  goldy_launch Bound;
  SubmissionDesc Desc;
  REQUIRE(bindLaunch(*K->get()->Loaded, Args, {{1, 1, 1}}, Bound, Desc).ok());
  Desc.Slots = {{0, 0, 8, 0}};
  Desc.Words = 1;
  Driver &Dr = *D->get()->Driver;
  SubmissionId Id{};
  REQUIRE(Dr.prepare(std::move(Desc), Id).ok());
  uint64_t Point = 0, Good = Dr.address(X->get()->Memory->Id);
  for (uint64_t Wild :
       {uint64_t(0), Good - 4096, Good + (1 << 20), ~uint64_t(0)}) {
    Status S = Dr.run(Id, {{&Wild, 1}, {}}, Point);
    CHECK(S.code() == GOLDY_INVALID_ARGUMENT);
    CHECK(S.message().find("the address of resource 0") == 0);
  }
  CHECK(Dr.run(Id, {{&Good, 1}, {}}, Point).ok());
  CHECK(Dr.wait(Point, GOLDY_FOREVER).ok());
  Dr.releaseSubmission(Id);
}

TEST_CASE("unknown versions and names are refused") {
  using goldy::rt::vk::getHidden;
  vk::Hidden H;
  for (const char *Version : {"1.0", "1.4", "2", "x"}) {
    VulkanOlder As(Version, "");
    CHECK(getHidden(H).code() == GOLDY_INVALID_ARGUMENT);
  }
  {
    VulkanOlder As("", "shaderInt64,VK_KHR_nothing");
    CHECK(getHidden(H).message() ==
          "GOLDY_VULKAN_WITHOUT is `VK_KHR_nothing`, it takes names of "
          "extensions and features that this library uses");
  }
  VulkanOlder As("1.2", "shaderInt64,VK_KHR_timeline_semaphore");
  REQUIRE(getHidden(H).ok());
  CHECK(H.Above == VK_API_VERSION_1_2);
  CHECK(H.Names ==
        std::vector<std::string>{"shaderInt64", "VK_KHR_timeline_semaphore"});
}
