//===- Pipeline.cpp - A SPIR-V image ready to run -------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an image asks for is compared with the device before the driver sees a
// word of it: drivers do not report what they lack, they misbehave.
//
//===----------------------------------------------------------------------===//
#include "vulkan/Pipeline.h"

#include "vulkan/Result.h"
#include "vulkan/Rounding.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

using namespace goldy::rt;
using namespace goldy::rt::vk;

static Status refuse(const Kernel &K, goldy_code_t Code, std::string Why) {
  return Status(Code, "kernel `" + K.Name + "`: " + Why);
}

static Status checkFeatures(const PhysicalDevice &P, const Kernel &K,
                            const Image &I) {
  for (const std::string &Name : I.Features) {
    if (!isFeature(Name))
      return refuse(K, GOLDY_UNSUPPORTED,
                    "its image needs the feature `" + Name +
                        "`, which this runtime does not know");
    if (!hasFeature(P, Name))
      return refuse(K, GOLDY_UNSUPPORTED,
                    "its image needs the feature `" + Name + "`, which " +
                        P.Properties.deviceName + " does not have");
  }
  return Status();
}

static Status checkLimits(const PhysicalDevice &P, const Kernel &K,
                          const Image &I) {
  const VkPhysicalDeviceLimits &L = P.Properties.limits;
  if (I.PushConstantBytes > L.maxPushConstantsSize)
    return refuse(K, GOLDY_LIMIT,
                  std::to_string(I.PushConstantBytes) +
                      " bytes of push constants, the device's limit is " +
                      std::to_string(L.maxPushConstantsSize));
  uint32_t Most =
      std::min({L.maxPerStageDescriptorStorageBuffers,
                L.maxDescriptorSetStorageBuffers, L.maxPerStageResources});
  if (I.WordBindings > Most)
    return refuse(K, GOLDY_LIMIT,
                  std::to_string(I.WordBindings) +
                      " bindings, the device's limit is " +
                      std::to_string(Most));
  uint32_t Pictures = static_cast<uint32_t>(
      std::count_if(K.Params.begin(), K.Params.end(), [](const Param &P) {
        return P.Kind == GOLDY_PARAM_IMAGE;
      }));
  Most = std::min({L.maxPerStageDescriptorStorageImages,
                   L.maxDescriptorSetStorageImages, L.maxPerStageResources});
  if (!I.WordBindings && Pictures > Most)
    return refuse(K, GOLDY_LIMIT,
                  std::to_string(Pictures) + " images, the device's limit is " +
                      std::to_string(Most));
  const std::array<uint32_t, 3> &Size = K.threadsOf(I);
  uint64_t Items = 1;
  for (int D = 0; D < 3; ++D) {
    Items *= Size[D];
    if (Size[D] > L.maxComputeWorkGroupSize[D])
      return refuse(K, GOLDY_LIMIT,
                    "a workgroup of " + std::to_string(Size[D]) + " along " +
                        "xyz"[D] + ", the device's limit is " +
                        std::to_string(L.maxComputeWorkGroupSize[D]));
  }
  if (Items > L.maxComputeWorkGroupInvocations)
    return refuse(K, GOLDY_LIMIT,
                  "a workgroup of " + std::to_string(Items) +
                      " work-items, the device's limit is " +
                      std::to_string(L.maxComputeWorkGroupInvocations));
  return Status();
}

static Status makeSetLayout(Device &D, Pipeline &Out) {
  VkDescriptorSetLayoutBinding Array{};
  Array.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  Array.descriptorCount = Out.WordBindings;
  Array.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  VkDescriptorSetLayoutCreateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  Info.bindingCount = 1;
  Info.pBindings = &Array;
  return D.check(D.vk().CreateDescriptorSetLayout(D.handle(), &Info, nullptr,
                                                  &Out.SetLayout),
                 "vkCreateDescriptorSetLayout");
}

static Status makeImageLayout(Device &D, const Kernel &K,
                              VkDescriptorSetLayout &Out) {
  std::vector<VkDescriptorSetLayoutBinding> Bindings;
  for (uint32_t I = 0; I < K.Params.size(); ++I)
    if (K.Params[I].Kind == GOLDY_PARAM_IMAGE)
      Bindings.push_back({I, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1,
                          VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  if (Bindings.empty())
    return Status();
  VkDescriptorSetLayoutCreateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  Info.bindingCount = static_cast<uint32_t>(Bindings.size());
  Info.pBindings = Bindings.data();
  return D.check(
      D.vk().CreateDescriptorSetLayout(D.handle(), &Info, nullptr, &Out),
      "vkCreateDescriptorSetLayout");
}

static Status makeLayout(Device &D, const Kernel &K, Pipeline &Out) {
  if (Out.WordBindings)
    GOLDY_TRY(makeSetLayout(D, Out));
  else
    GOLDY_TRY(makeImageLayout(D, K, Out.SetLayout));
  Out.Images = Out.SetLayout && !Out.WordBindings;
  VkPushConstantRange Range{VK_SHADER_STAGE_COMPUTE_BIT, 0, Out.PushBytes};
  VkPipelineLayoutCreateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  Info.pushConstantRangeCount = Out.PushBytes ? 1 : 0;
  Info.pPushConstantRanges = &Range;
  Info.setLayoutCount = Out.SetLayout ? 1 : 0;
  Info.pSetLayouts = &Out.SetLayout;
  return D.check(
      D.vk().CreatePipelineLayout(D.handle(), &Info, nullptr, &Out.Layout),
      "vkCreatePipelineLayout");
}

static Status makeModule(Device &D, const Image &I, bool RoundingUndeclared,
                         VkShaderModule &Out) {
  std::vector<uint32_t> Words(I.Code.size() / 4);
  std::memcpy(Words.data(), I.Code.data(), Words.size() * 4);
  if (RoundingUndeclared)
    Words = withoutRounding(Words);
  VkShaderModuleCreateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  Info.codeSize = Words.size() * 4;
  Info.pCode = Words.data();
  return D.check(D.vk().CreateShaderModule(D.handle(), &Info, nullptr, &Out),
                 "vkCreateShaderModule");
}

/// How many lanes the code may count on: 0 if it does not ask, or if its group
/// is not made of whole subgroups or of more than one may have.
static uint32_t lanesFor(const Kernel &K, const Image &I, const Subgroups &S) {
  bool Asks = I.Switches & (1u << Neighbours8 | 1u << Neighbours32);
  const std::array<uint32_t, 3> &Size = K.threadsOf(I);
  uint32_t Items = Size[0];
  bool Row = Size[1] == 1 && Size[2] == 1;
  bool Whole = S.Width && Items % S.Width == 0;
  return Asks && Row && Whole && Items / S.Width <= S.MostInGroup ? S.Width : 0;
}

/// What the driver's compiler gives. Drivers have no result of their own for
/// code that they cannot compile.
static Status compiled(Device &D, const Image &I, VkResult R) {
  Status S = D.check(R, "vkCreateComputePipelines");
  if (S.ok() || S.code() == GOLDY_OUT_OF_MEMORY || S.code() == GOLDY_LOST)
    return S;
  return Status(GOLDY_INVALID_ARTIFACT,
                "image " + I.Arch +
                    ": vkCreateComputePipelines: the driver refuses the code "
                    "(VkResult " +
                    std::to_string(static_cast<int>(R)) + ")");
}

static Status compile(Device &D, VkPipelineCache Cache, const Kernel &K,
                      const Image &I, const PipelineSettings &Settings,
                      VkShaderModule Module, Pipeline &Out) {
  std::vector<SpecWord> Words = Settings.Constants;
  uint32_t Lanes = lanesFor(K, I, Settings.Lanes);
  Words.push_back({FirstSwitchSpecId + Neighbours8, Lanes >= 8});
  Words.push_back({FirstSwitchSpecId + Neighbours32, Lanes >= 32});
  for (const auto &[Id, Bits] : I.Specs)
    Words.push_back({Id, Bits});
  std::vector<VkSpecializationMapEntry> Entries;
  for (const SpecWord &W : Words)
    Entries.push_back({W.Id,
                       static_cast<uint32_t>(Entries.size() * sizeof W +
                                             offsetof(SpecWord, Word)),
                       sizeof W.Word});
  VkSpecializationInfo Specialisation{
      static_cast<uint32_t>(Entries.size()), Entries.data(),
      Words.size() * sizeof(SpecWord), Words.data()};
  VkComputePipelineCreateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  Info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  Info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  Info.stage.module = Module;
  Info.stage.pName = I.Entry.c_str();
  Info.stage.pSpecializationInfo = &Specialisation;
  Info.layout = Out.Layout;
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo Size{};
  Size.sType =
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
  Size.requiredSubgroupSize = Lanes;
  if (Lanes) {
    Info.stage.flags =
        VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    Info.stage.pNext = Settings.Lanes.Ask ? &Size : nullptr;
  }
  return compiled(D, I,
                  D.vk().CreateComputePipelines(D.handle(), Cache, 1, &Info,
                                                nullptr, &Out.Handle));
}

namespace {
/// The module, which is not needed in the end, and the pipeline unless it was
/// made.
struct Parts {
  Device &D;
  Pipeline *Out;
  VkShaderModule Module = VK_NULL_HANDLE;
  ~Parts() {
    if (Module)
      D.vk().DestroyShaderModule(D.handle(), Module, nullptr);
    if (Out)
      destroyPipeline(D, *Out);
  }
};
} // namespace

Status vk::makePipeline(Device &D, VkPipelineCache Cache, const Kernel &K,
                        const Image &I, const PipelineSettings &Settings,
                        Pipeline &Out) {
  GOLDY_TRY(checkFeatures(D.physical(), K, I));
  GOLDY_TRY(checkLimits(D.physical(), K, I));
  Out.PushBytes = I.PushConstantBytes;
  Out.BlockBehindAddress = I.BlockBehindAddress;
  Out.WordBindings = I.WordBindings;
  Out.LayoutTableOffset = K.LayoutTableOffset;
  for (const Param &P : K.Params) {
    Out.HasTensors |= P.Kind == GOLDY_PARAM_TENSOR;
    if (P.Kind != GOLDY_PARAM_SCALAR)
      Out.AddressOffsets.push_back(P.Offset);
  }
  uint32_t Bound = static_cast<uint32_t>(Out.AddressOffsets.size()) + 1 +
                   (I.BlockBehindAddress ? 1 : 0);
  if (I.WordBindings && I.WordBindings != Bound)
    return refuse(K, GOLDY_INVALID_ARTIFACT,
                  std::to_string(I.WordBindings) +
                      " word bindings, its parameters take " +
                      std::to_string(Bound));
  Parts New{D, &Out};
  Status S = makeModule(D, I, Settings.RoundingUndeclared, New.Module);
  if (S.ok())
    S = makeLayout(D, K, Out);
  if (S.ok())
    S = compile(D, Cache, K, I, Settings, New.Module, Out);
  if (!S.ok())
    return refuse(K, S.code(), S.message());
  New.Out = nullptr;
  return S;
}

void vk::destroyPipeline(Device &D, Pipeline &P) {
  if (P.Handle)
    D.vk().DestroyPipeline(D.handle(), P.Handle, nullptr);
  if (P.Layout)
    D.vk().DestroyPipelineLayout(D.handle(), P.Layout, nullptr);
  if (P.SetLayout)
    D.vk().DestroyDescriptorSetLayout(D.handle(), P.SetLayout, nullptr);
  P = Pipeline();
}
