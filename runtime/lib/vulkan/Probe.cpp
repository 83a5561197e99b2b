//===- Probe.cpp - What a device's arithmetic does ------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One small dispatch (probe.spvasm) when the first device of its kind is
// opened.
//
//===----------------------------------------------------------------------===//
#include "vulkan/Probe.h"

#include "ProbeSpirv.h"
#include "vulkan/Pipeline.h"
#include "vulkan/Result.h"
#include "vulkan/Transfer.h"

#include <cstdlib>
#include <cstring>

using namespace goldy::rt;
using namespace goldy::rt::vk;

namespace {

constexpr uint32_t GroupSize = 64;

/// Names a device and its driver.
struct DeviceKey {
  uint8_t Device[VK_UUID_SIZE], Driver[VK_UUID_SIZE];
  bool operator<(const DeviceKey &O) const {
    return std::memcmp(this, &O, sizeof O) < 0;
  }
};

DeviceKey keyOf(const PhysicalDevice &P) {
  DeviceKey K;
  std::memcpy(K.Device, P.Properties11.deviceUUID, VK_UUID_SIZE);
  std::memcpy(K.Driver, P.Properties11.driverUUID, VK_UUID_SIZE);
  return K;
}

/// What the probe needs on the device; released in the end.
struct Run {
  Device &D;
  MemoryPool &Pool;
  Pipeline Code;
  Allocation Cases, Rows;
  Commands Work;
  ~Run() {
    D.drain();
    D.giveBack(Work);
    destroyPipeline(D, Code);
    Pool.free(Cases);
    Pool.free(Rows);
  }
};

Status makeProbe(Run &R) {
  Kernel K;
  K.Name = "probe";
  K.WorkgroupSize = {GroupSize, 1, 1};
  Image I;
  I.Arch = "vulkan1.3";
  I.Format = ImageFormat::Spirv;
  I.Code = std::as_bytes(std::span(ProbeSpirv));
  I.Entry = "probe";
  I.PushConstantBytes = 16;
  I.Features = {"shaderRoundingModeRTEFloat32",
                "shaderSignedZeroInfNanPreserveFloat32"};
  PipelineSettings Settings;
  Settings.Constants = {
      {0, 0x3f800000}, {1, 0x80000000}, {2, 0}, {3, 0x40400000}};
  return makePipeline(R.D, VK_NULL_HANDLE, K, I, Settings, R.Code);
}

Status dispatch(Run &R, uint32_t Groups) {
  const Api &Vk = R.D.vk();
  GOLDY_TRY(R.D.begin(R.Work, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT));
  uint64_t Addresses[2] = {R.Cases.address(), R.Rows.address()};
  VkCommandBuffer C = R.Work.Buffer;
  Vk.CmdBindPipeline(C, VK_PIPELINE_BIND_POINT_COMPUTE, R.Code.Handle);
  Vk.CmdPushConstants(C, R.Code.Layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                      sizeof Addresses, Addresses);
  Vk.CmdDispatch(C, Groups, 1, 1);
  fullBarrier(Vk, C);
  GOLDY_TRY(R.D.end(R.Work));
  uint64_t Point = 0;
  GOLDY_TRY(R.D.submit(C, Point));
  return R.D.wait(Point, UINT64_MAX);
}

Status ask(Device &D, MemoryPool &Pool, std::span<const ProbeCase> Cases,
           std::vector<ProbeRow> &Rows) {
  Transfer Bytes(D, Pool);
  Run R{D, Pool, {}, {}, {}, {}};
  Rows.resize(Cases.size());
  GOLDY_TRY(makeProbe(R));
  GOLDY_TRY(Pool.allocate(MemoryKind::Buffer, Cases.size_bytes(), R.Cases));
  GOLDY_TRY(Pool.allocate(MemoryKind::Buffer, Rows.size() * sizeof(ProbeRow),
                          R.Rows));
  GOLDY_TRY(Bytes.write(R.Cases, 0, std::as_bytes(Cases)));
  GOLDY_TRY(dispatch(R, static_cast<uint32_t>(Cases.size() / GroupSize)));
  return Bytes.read(R.Rows, 0, std::as_writable_bytes(std::span(Rows)));
}

} // namespace

Status vk::measureSwitches(Device &D, MemoryPool &Pool, uint32_t &Out) {
  static std::mutex Mutex;
  static std::map<DeviceKey, uint32_t> Known;
  const char *Asked = std::getenv("GOLDY_DEVICE_SWITCHES");
  if (Asked && std::strcmp(Asked, "none") == 0) {
    Out = 0;
    return Status();
  }
  std::lock_guard<std::mutex> Lock(Mutex);
  DeviceKey Key = keyOf(D.physical());
  if (auto Found = Known.find(Key); Found != Known.end()) {
    Out = Found->second;
    return Status();
  }
  std::vector<ProbeCase> Cases = probeCases();
  std::vector<ProbeRow> Rows;
  GOLDY_TRY(ask(D, Pool, Cases, Rows));
  std::string Fault;
  Out = judgeProbe(Cases, Rows, Fault);
  if (!Fault.empty())
    return Status(GOLDY_UNSUPPORTED, D.physical().description() + ": " + Fault);
  Known.emplace(Key, Out);
  return Status();
}

std::string vk::switchNames(uint32_t Switches) {
  constexpr const char *Names[NumSwitches] = {"sums and products", "division",
                                              "square root", "fma"};
  std::string Text;
  for (uint32_t N = 0; N < NumSwitches; ++N)
    if (Switches >> N & 1)
      Text += (Text.empty() ? "" : ", ") + std::string(Names[N]);
  return Text.empty() ? "none" : Text;
}
