//===- Features.cpp - What a Vulkan device has, by version and extension --===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "vulkan/Features.h"

#include "vulkan/Result.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace goldy::rt;
using namespace goldy::rt::vk;

namespace {

/// A feature of images.
struct Feature {
  const char *Name;
  bool (*Has)(const PhysicalDevice &P);
  void (*Hide)(PhysicalDevice &P);
};
#define GOLDY_FEATURE(Name, Where)                                             \
  {#Name, [](const PhysicalDevice &P) { return P.Where.Name == VK_TRUE; },     \
   [](PhysicalDevice &P) { P.Where.Name = VK_FALSE; }}
#define GOLDY_SUBGROUP(Name, Bit)                                              \
  {"subgroup" #Name,                                                           \
   [](const PhysicalDevice &P) {                                               \
     return (P.Properties11.subgroupSupportedOperations &                      \
             VK_SUBGROUP_FEATURE_##Bit##_BIT) != 0;                            \
   },                                                                          \
   [](PhysicalDevice &P) {                                                     \
     P.Properties11.subgroupSupportedOperations &=                             \
         ~static_cast<VkSubgroupFeatureFlags>(                                 \
             VK_SUBGROUP_FEATURE_##Bit##_BIT);                                 \
   }}
constexpr Feature Features[] = {
    GOLDY_FEATURE(bufferDeviceAddress, Features12),
    GOLDY_FEATURE(scalarBlockLayout, Features12),
    GOLDY_FEATURE(shaderBufferInt64Atomics, Features12),
    GOLDY_FEATURE(shaderFloat16, Features12),
    GOLDY_FEATURE(shaderFloat64, Features),
    GOLDY_FEATURE(shaderInt16, Features),
    GOLDY_FEATURE(shaderInt64, Features),
    GOLDY_FEATURE(shaderInt8, Features12),
    GOLDY_FEATURE(shaderRoundingModeRTEFloat32, Properties12),
    GOLDY_FEATURE(shaderSignedZeroInfNanPreserveFloat32, Properties12),
    GOLDY_FEATURE(shaderStorageBufferArrayDynamicIndexing, Features),
    GOLDY_FEATURE(shaderStorageImageReadWithoutFormat, Features),
    GOLDY_FEATURE(shaderStorageImageWriteWithoutFormat, Features),
    GOLDY_FEATURE(storageBuffer16BitAccess, Features11),
    GOLDY_FEATURE(storageBuffer8BitAccess, Features12),
    GOLDY_SUBGROUP(Arithmetic, ARITHMETIC),
    GOLDY_SUBGROUP(Ballot, BALLOT),
    GOLDY_SUBGROUP(Basic, BASIC),
    GOLDY_SUBGROUP(Clustered, CLUSTERED),
    GOLDY_SUBGROUP(Quad, QUAD),
    GOLDY_SUBGROUP(Shuffle, SHUFFLE),
    GOLDY_SUBGROUP(ShuffleRelative, SHUFFLE_RELATIVE),
    GOLDY_SUBGROUP(Vote, VOTE),
    GOLDY_FEATURE(vulkanMemoryModel, Features12),
    GOLDY_FEATURE(vulkanMemoryModelDeviceScope, Features12),
};
/// No image asks for it.
constexpr const char *MappedBuffers = "mappedBuffers";
#undef GOLDY_FEATURE
#undef GOLDY_SUBGROUP

/// An extension, and the version that it is a part of.
struct Extension {
  const char *Name;
  uint32_t PartOf;
};
constexpr Extension Extensions[] = {
    {VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME, VK_API_VERSION_1_2},
    {VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME, VK_API_VERSION_1_2},
    {VK_KHR_8BIT_STORAGE_EXTENSION_NAME, VK_API_VERSION_1_2},
    {VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME, VK_API_VERSION_1_2},
    {VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME, UINT32_MAX},
};

const Feature *findFeature(const std::string &Name) {
  for (const Feature &F : Features)
    if (Name == F.Name)
      return &F;
  return nullptr;
}

bool isExtension(const std::string &Name) {
  return std::any_of(std::begin(Extensions), std::end(Extensions),
                     [&](const Extension &E) { return Name == E.Name; });
}

bool names(const PhysicalDevice &P, const char *Extension) {
  return std::any_of(
      P.Extensions.begin(), P.Extensions.end(),
      [&](const char *E) { return std::strcmp(E, Extension) == 0; });
}

/// Structures behind a first one, in the order of `add`.
class Links {
public:
  explicit Links(void **First) : Next(First) {}
  template <class T> void add(bool Has, VkStructureType Type, T &Struct) {
    if (!Has)
      return;
    Struct.sType = Type;
    Struct.pNext = nullptr;
    *Next = &Struct;
    Next = &Struct.pNext;
  }

private:
  void **Next;
};

} // namespace

bool vk::isFeature(const std::string &Name) { return findFeature(Name); }

bool vk::hasFeature(const PhysicalDevice &P, const std::string &Name) {
  const Feature *F = findFeature(Name);
  return F && F->Has(P);
}

static Status invalid(const char *Variable, const std::string &Value,
                      const char *Known) {
  return Status(GOLDY_INVALID_ARGUMENT, std::string(Variable) + " is `" +
                                            Value + "`, it takes " + Known);
}

static Status hideNames(const std::string &List, Hidden &Out) {
  for (size_t At = 0; At < List.size();) {
    size_t End = std::min(List.find(',', At), List.size());
    std::string Name = List.substr(At, End - At);
    if (!findFeature(Name) && !isExtension(Name) && Name != MappedBuffers)
      return invalid("GOLDY_VULKAN_WITHOUT", Name,
                     "names of extensions and features that this library uses");
    Out.Names.push_back(std::move(Name));
    At = End + 1;
  }
  return Status();
}

Status vk::getHidden(Hidden &Out) {
  Out = Hidden();
  const char *Without = std::getenv("GOLDY_VULKAN_WITHOUT");
  if (Without)
    GOLDY_TRY(hideNames(Without, Out));
  const char *Given = std::getenv("GOLDY_VULKAN_VERSION");
  std::string Version = Given ? Given : "";
  if (Version == "1.1")
    Out.Above = VK_API_VERSION_1_1;
  else if (Version == "1.2")
    Out.Above = VK_API_VERSION_1_2;
  else if (!Version.empty() && Version != "1.3")
    return invalid("GOLDY_VULKAN_VERSION", Version, "1.1, 1.2 or 1.3");
  return Status();
}

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

static Status findExtensions(const Api &Vk, const Hidden &Without,
                             PhysicalDevice &P) {
  uint32_t Count = 0;
  GOLDY_TRY(fromResult(
      Vk.EnumerateDeviceExtensionProperties(P.Handle, nullptr, &Count, nullptr),
      "vkEnumerateDeviceExtensionProperties"));
  std::vector<VkExtensionProperties> Has(Count);
  GOLDY_TRY(fromResult(Vk.EnumerateDeviceExtensionProperties(
                           P.Handle, nullptr, &Count, Has.data()),
                       "vkEnumerateDeviceExtensionProperties"));
  for (const Extension &E : Extensions) {
    bool IsThere = P.Version < E.PartOf &&
                   std::any_of(
                       Has.begin(), Has.begin() + Count,
                       [&](const VkExtensionProperties &H) {
                         return std::strcmp(H.extensionName, E.Name) == 0;
                       });
    bool IsHidden = std::count(Without.Names.begin(), Without.Names.end(),
                               std::string(E.Name)) != 0;
    if (IsThere && !IsHidden)
      P.Extensions.push_back(E.Name);
  }
  return Status();
}

/// What Vulkan 1.1 and its extensions tell, as 1.3's structures.
static void queryOldProperties(const Api &Vk, PhysicalDevice &P) {
  VkPhysicalDeviceIDProperties Ids{};
  VkPhysicalDeviceSubgroupProperties Subgroups{};
  VkPhysicalDeviceFloatControlsProperties Floats{};
  VkPhysicalDeviceDriverProperties Driver{};
  VkPhysicalDeviceProperties2 Head{};
  Head.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  Links L(&Head.pNext);
  L.add(true, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES, Ids);
  L.add(true, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, Subgroups);
  L.add(names(P, VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME),
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES, Floats);
  L.add(names(P, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME),
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, Driver);
  Vk.GetPhysicalDeviceProperties2(P.Handle, &Head);
  VkPhysicalDeviceVulkan11Properties &V11 = P.Properties11;
  std::memcpy(V11.deviceUUID, Ids.deviceUUID, VK_UUID_SIZE);
  std::memcpy(V11.driverUUID, Ids.driverUUID, VK_UUID_SIZE);
  V11.subgroupSize = Subgroups.subgroupSize;
  V11.subgroupSupportedStages = Subgroups.supportedStages;
  V11.subgroupSupportedOperations = Subgroups.supportedOperations;
  VkPhysicalDeviceVulkan12Properties &V12 = P.Properties12;
  V12.shaderRoundingModeRTEFloat32 = Floats.shaderRoundingModeRTEFloat32;
  V12.shaderSignedZeroInfNanPreserveFloat32 =
      Floats.shaderSignedZeroInfNanPreserveFloat32;
  std::memcpy(V12.driverName, Driver.driverName, sizeof V12.driverName);
  std::memcpy(V12.driverInfo, Driver.driverInfo, sizeof V12.driverInfo);
}

/// Zero without the extension.
static void queryHostMemory(const Api &Vk, PhysicalDevice &P) {
  if (!names(P, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME))
    return;
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT Host{};
  Host.sType =
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT;
  VkPhysicalDeviceProperties2 Head{};
  Head.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  Head.pNext = &Host;
  Vk.GetPhysicalDeviceProperties2(P.Handle, &Head);
  P.HostMemoryAlign = Host.minImportedHostPointerAlignment;
}

static void queryProperties(const Api &Vk, PhysicalDevice &P) {
  if (P.Version < VK_API_VERSION_1_2)
    return queryOldProperties(Vk, P);
  VkPhysicalDeviceProperties2 Head{};
  Head.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  Links L(&Head.pNext);
  L.add(true, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
        P.Properties11);
  L.add(true, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES,
        P.Properties12);
  L.add(P.Version >= VK_API_VERSION_1_3,
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES,
        P.Properties13);
  Vk.GetPhysicalDeviceProperties2(P.Handle, &Head);
  P.Properties11.pNext = P.Properties12.pNext = nullptr;
}

Status vk::queryDevice(const Api &Vk, const Hidden &Without,
                       PhysicalDevice &P) {
  Vk.GetPhysicalDeviceProperties(P.Handle, &P.Properties);
  uint32_t Own = P.Properties.apiVersion;
  Own = VK_MAKE_API_VERSION(0, VK_API_VERSION_MAJOR(Own),
                            VK_API_VERSION_MINOR(Own), 0);
  P.Version = std::min(Own, Without.Above);
  if (P.Version < VK_API_VERSION_1_1)
    return Status();
  GOLDY_TRY(findExtensions(Vk, Without, P));
  queryProperties(Vk, P);
  queryHostMemory(Vk, P);
  FeatureChain Has(P);
  Vk.GetPhysicalDeviceFeatures2(P.Handle, &Has.Head);
  Has.store(P);
  for (const std::string &Name : Without.Names) {
    P.MayMapBuffers &= Name != MappedBuffers;
    if (const Feature *F = findFeature(Name))
      F->Hide(P);
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

FeatureChain::FeatureChain(const PhysicalDevice &P) {
  Head.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  Links L(&Head.pNext);
  bool Middle = P.Version >= VK_API_VERSION_1_2;
  L.add(Middle, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, V11);
  L.add(Middle, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, V12);
  L.add(P.Version >= VK_API_VERSION_1_3,
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, V13);
  L.add(!Middle, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
        Shorts);
  L.add(names(P, VK_KHR_8BIT_STORAGE_EXTENSION_NAME),
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES, Bytes);
  L.add(names(P, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME),
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
        Timeline);
}

void FeatureChain::store(PhysicalDevice &P) const {
  P.Features = Head.features;
  P.Features11 = V11;
  P.Features12 = V12;
  P.Features13 = V13;
  P.Features11.pNext = P.Features12.pNext = P.Features13.pNext = nullptr;
  // One of two was asked, the other is zero.
  P.Features11.storageBuffer16BitAccess |= Shorts.storageBuffer16BitAccess;
  P.Features12.storageBuffer8BitAccess |= Bytes.storageBuffer8BitAccess;
  P.Features12.timelineSemaphore |= Timeline.timelineSemaphore;
}

void FeatureChain::want(const PhysicalDevice &P) {
  VkPhysicalDeviceFeatures &Core = Head.features;
  Core.shaderInt64 = P.Features.shaderInt64;
  Core.shaderStorageBufferArrayDynamicIndexing =
      P.Features.shaderStorageBufferArrayDynamicIndexing;
  Core.shaderFloat64 = P.Features.shaderFloat64;
  Core.shaderInt16 = P.Features.shaderInt16;
  Core.shaderStorageImageReadWithoutFormat =
      P.Features.shaderStorageImageReadWithoutFormat;
  Core.shaderStorageImageWriteWithoutFormat =
      P.Features.shaderStorageImageWriteWithoutFormat;
  V11.storageBuffer16BitAccess = Shorts.storageBuffer16BitAccess =
      P.Features11.storageBuffer16BitAccess;
  V12.storageBuffer8BitAccess = Bytes.storageBuffer8BitAccess =
      P.Features12.storageBuffer8BitAccess;
  V12.shaderBufferInt64Atomics = P.Features12.shaderBufferInt64Atomics;
  V12.shaderInt8 = P.Features12.shaderInt8;
  V12.shaderFloat16 = P.Features12.shaderFloat16;
  V12.scalarBlockLayout = P.Features12.scalarBlockLayout;
  V12.timelineSemaphore = Timeline.timelineSemaphore =
      P.Features12.timelineSemaphore;
  V12.bufferDeviceAddress = P.hasAddresses();
  V12.vulkanMemoryModel = P.Features12.vulkanMemoryModel;
  V12.vulkanMemoryModelDeviceScope = P.Features12.vulkanMemoryModel &&
                                     P.Features12.vulkanMemoryModelDeviceScope;
  V13.maintenance4 = P.Features13.maintenance4;
  V13.subgroupSizeControl = P.Features13.subgroupSizeControl;
  V13.computeFullSubgroups = P.Features13.computeFullSubgroups;
}

bool PhysicalDevice::hasAddresses() const {
  return Version >= VK_API_VERSION_1_3 && Features.shaderInt64 &&
         Features12.bufferDeviceAddress && Features12.vulkanMemoryModel;
}
