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
#include "TestArtifact.h"
#include "goldy/goldy.hpp"
#include "vulkan/Api.h"
#include "vulkan/Survey.h"

#include <catch2/catch.hpp>

#include <cstdlib>

using namespace goldy::rt;

namespace {

class Older {
public:
  Older(const char *Version, const char *Without) {
    setenv("GOLDY_VULKAN_VERSION", Version, 1);
    setenv("GOLDY_VULKAN_WITHOUT", Without, 1);
  }
  ~Older() {
    unsetenv("GOLDY_VULKAN_VERSION");
    unsetenv("GOLDY_VULKAN_WITHOUT");
  }
};

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
    Older As(Version, "");
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
    Older As("1.3", Feature);
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
    Older As("1.1", Feature);
    Status S = load(Feature);
    CHECK(S.code() == GOLDY_UNSUPPORTED);
    CHECK(S.message().find("kernel `saxpy`") != std::string::npos);
    CHECK(S.message().find(Feature) != std::string::npos);
    CHECK(load("").ok());
  }
  Older As("1.1", "shaderStorageBufferArrayDynamicIndexing");
  CHECK(load("").code() == GOLDY_UNSUPPORTED);
}

TEST_CASE("an older device without float controls opens without a probe") {
  if (!isThere())
    return;
  Older As("1.1", "VK_KHR_shader_float_controls");
  CHECK(load("").ok());
  CHECK(load("shaderRoundingModeRTEFloat32").code() == GOLDY_UNSUPPORTED);
}

TEST_CASE("unknown versions and names are refused") {
  using goldy::rt::vk::getHidden;
  vk::Hidden H;
  for (const char *Version : {"1.0", "1.4", "2", "x"}) {
    Older As(Version, "");
    CHECK(getHidden(H).code() == GOLDY_INVALID_ARGUMENT);
  }
  {
    Older As("", "shaderInt64,VK_KHR_nothing");
    CHECK(getHidden(H).message() ==
          "GOLDY_VULKAN_WITHOUT is `VK_KHR_nothing`, it takes names of "
          "extensions and features that this library uses");
  }
  Older As("1.2", "shaderInt64,VK_KHR_timeline_semaphore");
  REQUIRE(getHidden(H).ok());
  CHECK(H.Above == VK_API_VERSION_1_2);
  CHECK(H.Names ==
        std::vector<std::string>{"shaderInt64", "VK_KHR_timeline_semaphore"});
}
