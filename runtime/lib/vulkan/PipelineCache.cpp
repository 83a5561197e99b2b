//===- PipelineCache.cpp - Compiled pipelines, kept between runs ----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is a header of this runtime and the driver's data, whose own header is
// compared with the device again: some drivers trust it.
//
//===----------------------------------------------------------------------===//
#include "vulkan/PipelineCache.h"

#include "vulkan/Result.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace goldy::rt;
using namespace goldy::rt::vk;

namespace {

constexpr uint64_t MostBytes = uint64_t(256) << 20;
constexpr char Magic[8] = {'G', 'D', 'Y', 'V', 'K', 'P', 'C', '1'};

struct FileHeader {
  char Magic[8];
  uint64_t Bytes;
  uint64_t Checksum;
};

/// FNV-1a over 64 bits.
uint64_t checksum(const std::vector<char> &Data) {
  uint64_t Hash = 0xcbf29ce484222325u;
  for (char C : Data)
    Hash = (Hash ^ static_cast<unsigned char>(C)) * 0x100000001b3u;
  return Hash;
}

std::string hex(const uint8_t *Bytes, size_t Count) {
  std::string Text;
  char Two[3];
  for (size_t I = 0; I < Count; ++I) {
    std::snprintf(Two, sizeof Two, "%02x", Bytes[I]);
    Text += Two;
  }
  return Text;
}

std::string pathFor(const PhysicalDevice &P) {
  const char *Folder = std::getenv("GOLDY_CACHE_DIR");
  if (!Folder || !*Folder)
    return "";
  std::string Name = "vulkan-" +
                     hex(P.Properties.pipelineCacheUUID, VK_UUID_SIZE) + "-" +
                     hex(P.Properties11.driverUUID, VK_UUID_SIZE);
  return (std::filesystem::path(Folder) / Name).string();
}

bool madeFor(const PhysicalDevice &P, const std::vector<char> &Data) {
  VkPipelineCacheHeaderVersionOne H;
  if (Data.size() < sizeof H)
    return false;
  std::memcpy(&H, Data.data(), sizeof H);
  return H.headerSize >= sizeof H && H.headerSize <= Data.size() &&
         H.headerVersion == VK_PIPELINE_CACHE_HEADER_VERSION_ONE &&
         H.vendorID == P.Properties.vendorID &&
         H.deviceID == P.Properties.deviceID &&
         std::memcmp(H.pipelineCacheUUID, P.Properties.pipelineCacheUUID,
                     VK_UUID_SIZE) == 0;
}

/// The file's data; empty unless it is whole and of this device.
std::vector<char> load(const std::string &Path, const PhysicalDevice &P) {
  std::ifstream In(Path, std::ios::binary);
  FileHeader H;
  if (!In.read(reinterpret_cast<char *>(&H), sizeof H) ||
      std::memcmp(H.Magic, Magic, sizeof Magic) != 0 || H.Bytes > MostBytes)
    return {};
  std::error_code Error;
  uint64_t Size = std::filesystem::file_size(Path, Error);
  if (Error || Size != sizeof H + H.Bytes)
    return {};
  std::vector<char> Data(H.Bytes);
  if (!In.read(Data.data(), static_cast<std::streamsize>(Data.size())) ||
      checksum(Data) != H.Checksum || !madeFor(P, Data))
    return {};
  return Data;
}

void write(const std::string &Path, const std::vector<char> &Data) {
  std::error_code Error;
  std::filesystem::create_directories(std::filesystem::path(Path).parent_path(),
                                      Error);
  std::string Aside = Path + "." + std::to_string(getpid());
  FileHeader H;
  std::memcpy(H.Magic, Magic, sizeof Magic);
  H.Bytes = Data.size();
  H.Checksum = checksum(Data);
  {
    std::ofstream Out(Aside, std::ios::binary | std::ios::trunc);
    Out.write(reinterpret_cast<const char *>(&H), sizeof H);
    Out.write(Data.data(), static_cast<std::streamsize>(Data.size()));
    Out.close();
    if (!Out) {
      std::filesystem::remove(Aside, Error);
      return;
    }
  }
  std::filesystem::rename(Aside, Path, Error);
  if (Error)
    std::filesystem::remove(Aside, Error);
}

} // namespace

PipelineCache::~PipelineCache() {
  if (!Handle)
    return;
  try {
    if (Used && !Path.empty())
      save();
  } catch (const std::bad_alloc &) { // what is not kept is compiled again
  }
  D.vk().DestroyPipelineCache(D.handle(), Handle, nullptr);
}

Status PipelineCache::open() {
  Path = pathFor(D.physical());
  std::vector<char> Data;
  if (!Path.empty())
    Data = load(Path, D.physical());
  LoadedBytes = Data.size();
  VkPipelineCacheCreateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  Info.initialDataSize = Data.size();
  Info.pInitialData = Data.data();
  return D.check(
      D.vk().CreatePipelineCache(D.handle(), &Info, nullptr, &Handle),
      "vkCreatePipelineCache");
}

/// Another process may have written meanwhile; the last one wins, and what it
/// lacks is compiled again.
void PipelineCache::save() {
  size_t Bytes = 0;
  const Api &Vk = D.vk();
  if (Vk.GetPipelineCacheData(D.handle(), Handle, &Bytes, nullptr) !=
          VK_SUCCESS ||
      Bytes == LoadedBytes || Bytes > MostBytes)
    return;
  std::vector<char> Data(Bytes);
  if (Vk.GetPipelineCacheData(D.handle(), Handle, &Bytes, Data.data()) !=
      VK_SUCCESS)
    return;
  Data.resize(Bytes);
  write(Path, Data);
}
