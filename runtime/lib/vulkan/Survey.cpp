//===- Survey.cpp - Which Vulkan devices there are, and which can be used -===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is required is what every image needs: addresses, the memory model,
// 64-bit integers, and a queue that computes. Features of single images are
// looked up when they are loaded.
//
//===----------------------------------------------------------------------===//
#include "vulkan/Survey.h"

#include "vulkan/Result.h"

#include <algorithm>
#include <mutex>

using namespace goldy::rt;
using namespace goldy::rt::vk;

Instance::~Instance() {
  if (Handle)
    Vk.DestroyInstance(Handle, nullptr);
}

static Status makeInstance(Instance &I) {
  GOLDY_TRY(I.Vk.loadGlobal());
  uint32_t Version = 0;
  GOLDY_TRY(fromResult(I.Vk.EnumerateInstanceVersion(&Version),
                       "vkEnumerateInstanceVersion"));
  if (Version < VK_API_VERSION_1_3)
    return Status(GOLDY_UNAVAILABLE,
                  "the Vulkan loader is of version 1." +
                      std::to_string(VK_API_VERSION_MINOR(Version)) +
                      ", 1.3 is needed");
  VkApplicationInfo App{};
  App.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  App.pEngineName = "goldyrt";
  App.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  Info.pApplicationInfo = &App;
  GOLDY_TRY(fromResult(I.Vk.CreateInstance(&Info, nullptr, &I.Handle),
                       "vkCreateInstance"));
  return I.Vk.loadInstance(I.Handle);
}

Status vk::getInstance(std::shared_ptr<Instance> &Out) {
  static std::mutex Mutex;
  static std::shared_ptr<Instance> &Kept = *new std::shared_ptr<Instance>();
  std::lock_guard<std::mutex> Lock(Mutex);
  if (!Kept) {
    std::shared_ptr<Instance> New = std::make_shared<Instance>();
    GOLDY_TRY(makeInstance(*New));
    Kept = std::move(New);
  }
  Out = Kept;
  return Status();
}

static const char *kindName(VkPhysicalDeviceType Type) {
  switch (Type) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    return "discrete";
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    return "integrated";
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
    return "virtual";
  case VK_PHYSICAL_DEVICE_TYPE_CPU:
    return "software";
  default:
    return "other";
  }
}

static constexpr int WorstRank = 5;

static int rank(const PhysicalDevice &P) {
  constexpr VkPhysicalDeviceType Best[] = {
      VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
      VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
      VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU, VK_PHYSICAL_DEVICE_TYPE_CPU};
  int Place = 0;
  for (VkPhysicalDeviceType Type : Best) {
    if (P.Properties.deviceType == Type)
      break;
    ++Place;
  }
  return P.usable() ? Place : WorstRank;
}

static std::string versionText(uint32_t V) {
  return std::to_string(VK_API_VERSION_MAJOR(V)) + "." +
         std::to_string(VK_API_VERSION_MINOR(V)) + "." +
         std::to_string(VK_API_VERSION_PATCH(V));
}

std::string PhysicalDevice::description() const {
  std::string Text = std::string(Properties.deviceName) + ", " +
                     kindName(Properties.deviceType) + ", Vulkan " +
                     versionText(Properties.apiVersion);
  if (Properties12.driverName[0])
    Text += std::string(", driver ") + Properties12.driverName + " " +
            Properties12.driverInfo;
  return Text;
}

/// Takes the first queue family that computes; false if there is none.
static bool chooseFamily(const Instance &I, PhysicalDevice &P) {
  uint32_t Count = 0;
  I.Vk.GetPhysicalDeviceQueueFamilyProperties(P.Handle, &Count, nullptr);
  std::vector<VkQueueFamilyProperties> Families(Count);
  I.Vk.GetPhysicalDeviceQueueFamilyProperties(P.Handle, &Count,
                                              Families.data());
  for (uint32_t N = 0; N < Count; ++N)
    if (Families[N].queueFlags & VK_QUEUE_COMPUTE_BIT) {
      P.QueueFamily = N;
      P.TimestampBits = Families[N].timestampValidBits;
      return true;
    }
  return false;
}

static std::string whyUnusable(const Instance &I, PhysicalDevice &P) {
  if (P.Properties.apiVersion < VK_API_VERSION_1_3)
    return "it offers Vulkan " + versionText(P.Properties.apiVersion) +
           ", 1.3 is needed";
  struct Need {
    VkBool32 Has;
    const char *Name;
  };
  const Need Needs[] = {
      {P.Features.shaderInt64, "shaderInt64"},
      {P.Features12.bufferDeviceAddress, "bufferDeviceAddress"},
      {P.Features12.vulkanMemoryModel, "vulkanMemoryModel"},
      {P.Features12.timelineSemaphore, "timelineSemaphore"},
      {P.Features13.synchronization2, "synchronization2"},
  };
  for (const Need &N : Needs)
    if (!N.Has)
      return std::string("it lacks the feature ") + N.Name;
  return chooseFamily(I, P) ? "" : "it has no queue that computes";
}

static void query(const Instance &I, PhysicalDevice &P) {
  I.Vk.GetPhysicalDeviceProperties(P.Handle, &P.Properties);
  if (P.Properties.apiVersion < VK_API_VERSION_1_2)
    return;
  P.Properties11.sType =
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
  P.Properties12.sType =
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
  P.Properties13.sType =
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES;
  P.Features11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  P.Features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  P.Features13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  VkPhysicalDeviceProperties2 Properties{};
  Properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  Properties.pNext = &P.Properties11;
  P.Properties11.pNext = &P.Properties12;
  VkPhysicalDeviceFeatures2 Features{};
  Features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  Features.pNext = &P.Features11;
  P.Features11.pNext = &P.Features12;
  if (P.Properties.apiVersion >= VK_API_VERSION_1_3) {
    P.Properties12.pNext = &P.Properties13;
    P.Features12.pNext = &P.Features13;
  }
  I.Vk.GetPhysicalDeviceProperties2(P.Handle, &Properties);
  I.Vk.GetPhysicalDeviceFeatures2(P.Handle, &Features);
  P.Features = Features.features;
  P.Properties11.pNext = P.Properties12.pNext = nullptr;
  P.Features11.pNext = P.Features12.pNext = nullptr;
}

Status vk::surveyDevices(const Instance &I, std::vector<PhysicalDevice> &Out) {
  uint32_t Count = 0;
  GOLDY_TRY(fromResult(I.Vk.EnumeratePhysicalDevices(I.Handle, &Count, nullptr),
                       "vkEnumeratePhysicalDevices"));
  std::vector<VkPhysicalDevice> Handles(Count);
  GOLDY_TRY(fromResult(
      I.Vk.EnumeratePhysicalDevices(I.Handle, &Count, Handles.data()),
      "vkEnumeratePhysicalDevices"));
  std::vector<PhysicalDevice> Found;
  for (uint32_t N = 0; N < Count; ++N) {
    PhysicalDevice P;
    P.Handle = Handles[N];
    query(I, P);
    P.Unusable = whyUnusable(I, P);
    Found.push_back(std::move(P));
  }
  for (int Rank = 0; Rank <= WorstRank; ++Rank)
    for (const PhysicalDevice &P : Found)
      if (rank(P) == Rank)
        Out.push_back(P);
  return Status();
}
