//===- Survey.h - Which CUDA devices there are, and which can be used -----===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every device of the driver is asked once for what it is; nothing is made on
// it. Usable ones come first, in the driver's order.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CUDA_SURVEY_H
#define GOLDY_RUNTIME_CUDA_SURVEY_H

#include "cuda/Api.h"

#include <array>
#include <string>
#include <vector>

namespace goldy::rt::cuda {

struct PhysicalDevice {
  DeviceOrdinal Handle = 0;
  std::string Name;
  int Major = 0, Minor = 0; ///< compute capability
  uint64_t MemoryBytes = 0;
  std::array<uint32_t, 3> MaxGroups{}, MaxWorkgroup{};
  uint32_t MaxWorkItems = 0; ///< of a workgroup
  uint32_t MaxWorkgroupBytes = 0;
  bool HasPools = false; ///< memory in stream order
  std::string Unusable;  ///< why; empty if it can be used

  bool usable() const { return Unusable.empty(); }
  /// Arches of images that it runs with a driver of `Version`, best first.
  std::vector<std::string> arches(int Version) const;
  /// "NVIDIA H200, compute capability 9.0, 139 GiB, CUDA 13.0".
  std::string description(int Version) const;
};

/// All devices, usable ones first.
Status surveyDevices(const Api &Cu, std::vector<PhysicalDevice> &Out);

} // namespace goldy::rt::cuda

#endif
