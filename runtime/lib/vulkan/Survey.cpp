//===- Survey.cpp - Which Vulkan devices there are, and which can be used -===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vulkan 1.1 and a queue that computes are required. What single images need is
// looked up when they are loaded.
//
//===----------------------------------------------------------------------===//
#include "vulkan/Survey.h"

#include "vulkan/Result.h"

#include <algorithm>
#include <map>
#include <mutex>

using namespace goldy::rt;
using namespace goldy::rt::vk;

Instance::~Instance() {
  if (Handle && Vk.DestroyInstance)
    Vk.DestroyInstance(Handle, nullptr);
}

static Status makeInstance(uint32_t Above, Instance &I) {
  GOLDY_TRY(I.Vk.loadGlobal());
  uint32_t Version = 0;
  GOLDY_TRY(fromResult(I.Vk.EnumerateInstanceVersion(&Version),
                       "vkEnumerateInstanceVersion"));
  if (Version < VK_API_VERSION_1_1)
    return Status(GOLDY_UNAVAILABLE,
                  "the Vulkan loader is of version 1." +
                      std::to_string(VK_API_VERSION_MINOR(Version)) +
                      ", 1.1 is needed");
  VkApplicationInfo App{};
  App.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  App.pEngineName = "goldyrt";
  App.apiVersion = Above;
  VkInstanceCreateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  Info.pApplicationInfo = &App;
  GOLDY_TRY(fromResult(I.Vk.CreateInstance(&Info, nullptr, &I.Handle),
                       "vkCreateInstance"));
  return I.Vk.loadInstance(I.Handle);
}

Status vk::getInstance(const Hidden &Without, std::shared_ptr<Instance> &Out) {
  using Instances = std::map<uint32_t, std::shared_ptr<Instance>>;
  static std::mutex Mutex;
  static Instances &Kept = *new Instances();
  std::lock_guard<std::mutex> Lock(Mutex);
  std::shared_ptr<Instance> &Place = Kept[Without.Above];
  if (!Place) {
    std::shared_ptr<Instance> New = std::make_shared<Instance>();
    GOLDY_TRY(makeInstance(Without.Above, *New));
    Place = std::move(New);
  }
  Out = Place;
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
  if (VK_API_VERSION_MINOR(Version) <
      std::min(VK_API_VERSION_MINOR(Properties.apiVersion), 3u))
    Text += " used as 1." + std::to_string(VK_API_VERSION_MINOR(Version));
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
  if (P.Version < VK_API_VERSION_1_1)
    return "it offers Vulkan " + versionText(P.Properties.apiVersion) +
           ", 1.1 is needed";
  return chooseFamily(I, P) ? "" : "it has no queue that computes";
}

Status vk::surveyDevices(const Instance &I, const Hidden &Without,
                         std::vector<PhysicalDevice> &Out) {
  uint32_t Count = 0;
  GOLDY_TRY(fromResult(I.Vk.EnumeratePhysicalDevices(I.Handle, &Count, nullptr),
                       "vkEnumeratePhysicalDevices"));
  std::vector<VkPhysicalDevice> Handles(Count);
  VkResult R = I.Vk.EnumeratePhysicalDevices(I.Handle, &Count, Handles.data());
  if (R != VK_INCOMPLETE) // one came meanwhile
    GOLDY_TRY(fromResult(R, "vkEnumeratePhysicalDevices"));
  std::vector<PhysicalDevice> Found;
  for (uint32_t N = 0; N < Count; ++N) {
    PhysicalDevice P;
    P.Handle = Handles[N];
    GOLDY_TRY(queryDevice(I.Vk, Without, P));
    P.Unusable = whyUnusable(I, P);
    Found.push_back(std::move(P));
  }
  for (int Rank = 0; Rank <= WorstRank; ++Rank)
    for (const PhysicalDevice &P : Found)
      if (rank(P) == Rank)
        Out.push_back(P);
  return Status();
}
