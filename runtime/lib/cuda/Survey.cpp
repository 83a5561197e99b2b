//===- Survey.cpp - Which CUDA devices there are, and which can be used ---===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX of sm_80 runs on every later device; that of sm_90a on capability 9.0
// alone, and its PTX version 8.0 came with CUDA 12.0.
//
//===----------------------------------------------------------------------===//
#include "cuda/Survey.h"

#include "cuda/Result.h"

#include <algorithm>
#include <iterator>

using namespace goldy::rt;
using namespace goldy::rt::cuda;

static constexpr int VersionOfPtx80 = 12000;

std::vector<std::string> PhysicalDevice::arches(int Version) const {
  if (Major == 9 && Minor == 0 && Version >= VersionOfPtx80)
    return {"sm_90a", "sm_80"};
  return {"sm_80"};
}

std::string PhysicalDevice::description(int Version) const {
  return Name + ", compute capability " + std::to_string(Major) + "." +
         std::to_string(Minor) + ", " + std::to_string(MemoryBytes >> 30) +
         " GiB, CUDA " + versionText(Version);
}

static std::string whyUnusable(const PhysicalDevice &P, int Mode) {
  if (P.Major < 8)
    return "its compute capability is " + std::to_string(P.Major) + "." +
           std::to_string(P.Minor) + ", 8.0 is needed";
  return Mode == ComputeProhibited ? "it is closed to computing" : "";
}

static Status ask(const Api &Cu, PhysicalDevice &P) {
  char Name[256] = {};
  size_t Bytes = 0;
  GOLDY_TRY(fromResult(Cu.DeviceGetName(Name, sizeof Name - 1, P.Handle),
                       "cuDeviceGetName"));
  GOLDY_TRY(
      fromResult(Cu.DeviceTotalMem(&Bytes, P.Handle), "cuDeviceTotalMem"));
  P.Name = Name;
  P.MemoryBytes = Bytes;
  auto Fact = [&](int Number, auto &Out) -> Status {
    int Value = 0;
    Status S = fromResult(
        Cu.DeviceGetAttribute(&Value, static_cast<Attribute>(Number), P.Handle),
        "cuDeviceGetAttribute");
    Out = static_cast<std::decay_t<decltype(Out)>>(Value);
    return S;
  };
  int Mode = 0;
  for (int D = 0; D < 3; ++D) {
    GOLDY_TRY(Fact(MaxGridDimX + D, P.MaxGroups[D]));
    GOLDY_TRY(Fact(MaxBlockDimX + D, P.MaxWorkgroup[D]));
  }
  GOLDY_TRY(Fact(MaxThreadsPerBlock, P.MaxWorkItems));
  GOLDY_TRY(Fact(MaxSharedMemoryPerBlock, P.MaxWorkgroupBytes));
  GOLDY_TRY(Fact(CapabilityMajor, P.Major));
  GOLDY_TRY(Fact(CapabilityMinor, P.Minor));
  GOLDY_TRY(Fact(MemoryPoolsSupported, P.HasPools));
  GOLDY_TRY(Fact(ComputeMode, Mode));
  P.Unusable = whyUnusable(P, Mode);
  return Status();
}

Status cuda::surveyDevices(const Api &Cu, std::vector<PhysicalDevice> &Out) {
  int Count = 0;
  std::vector<PhysicalDevice> Unusable;
  GOLDY_TRY(fromResult(Cu.DeviceGetCount(&Count), "cuDeviceGetCount"));
  for (int N = 0; N < Count; ++N) {
    PhysicalDevice P;
    GOLDY_TRY(fromResult(Cu.DeviceGet(&P.Handle, N), "cuDeviceGet"));
    GOLDY_TRY(ask(Cu, P));
    (P.usable() ? Out : Unusable).push_back(std::move(P));
  }
  std::move(Unusable.begin(), Unusable.end(), std::back_inserter(Out));
  return Status();
}
