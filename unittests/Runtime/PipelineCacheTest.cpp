//===- PipelineCacheTest.cpp - What the second start finds ----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes that the driver is given when a device is opened are looked at in
// its table.
//
//===----------------------------------------------------------------------===//
#include "TestArtifact.h"
#include "goldy/goldy.hpp"
#include "vulkan/Api.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace goldy::rt;
namespace fs = std::filesystem;

namespace {

size_t Given = 0; ///< bytes, by the last call
PFN_vkCreatePipelineCache RealCreate = nullptr;

VkResult VKAPI_PTR watch(VkDevice D, const VkPipelineCacheCreateInfo *Info,
                         const VkAllocationCallbacks *Callbacks,
                         VkPipelineCache *Out) {
  Given = Info->initialDataSize;
  return RealCreate(D, Info, Callbacks, Out);
}
void hook(vk::Api &T) {
  if (T.CreatePipelineCache && T.CreatePipelineCache != watch) {
    RealCreate = T.CreatePipelineCache;
    T.CreatePipelineCache = watch;
  }
}

struct CacheFolder {
  fs::path Path = fs::temp_directory_path() /
                  ("goldy-pipelines-" + std::to_string(std::rand()));
  CacheFolder() {
    fs::create_directories(Path);
    setenv("GOLDY_CACHE_DIR", Path.c_str(), 1);
    vk::ApiHook = hook;
  }
  ~CacheFolder() {
    vk::ApiHook = nullptr;
    unsetenv("GOLDY_CACHE_DIR");
    fs::remove_all(Path);
  }
  /// The only file.
  fs::path file() const {
    REQUIRE(std::distance(fs::directory_iterator(Path), {}) == 1);
    return fs::directory_iterator(Path)->path();
  }
};

/// Opens the device, loads a kernel, closes; false without a device.
bool start() {
  goldy::Result<goldy::Device> D = goldy::Device::open("vulkan");
  if (!D)
    return false;
  std::vector<uint8_t> File = goldy::cts::deviceKernels().bytes();
  goldy::Result<goldy::Artifact> A = goldy::Artifact::load(File);
  REQUIRE(A.ok());
  REQUIRE(goldy::Kernel::create(*D, *A, "saxpy").ok());
  return true;
}

} // namespace

TEST_CASE("the second start gives the driver what the first one compiled") {
  CacheFolder Folder;
  if (!start())
    return;
  CHECK(Given == 0);
  fs::path File = Folder.file();
  uint64_t Header = 0, Size = fs::file_size(File);
  REQUIRE(start());
  REQUIRE(Given > 0);
  Header = Size - Given;
  CHECK(Header < Size);

  // Any byte that is not as written, or missing: nothing is taken.
  std::string Whole(Size, 0);
  std::ifstream(File, std::ios::binary).read(Whole.data(), Size);
  for (uint64_t At : {uint64_t(0), Header - 1, Header, Size - 1}) {
    std::string Spoiled = Whole;
    Spoiled[At] = static_cast<char>(Spoiled[At] ^ 0x40);
    std::ofstream(File, std::ios::binary) << Spoiled;
    REQUIRE(start());
    CHECK(Given == 0);
  }
  std::ofstream(File, std::ios::binary | std::ios::trunc)
      << Whole.substr(0, Size - 1);
  REQUIRE(start());
  CHECK(Given == 0);
  REQUIRE(start());
  CHECK(Given > 0); // written anew
}
