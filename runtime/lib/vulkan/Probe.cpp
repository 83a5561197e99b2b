//===- Probe.cpp - What a device's arithmetic does ------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One or two small launches (probe.spvasm) when the first device of its kind is
// opened.
//
//===----------------------------------------------------------------------===//
#include "vulkan/Probe.h"

#include "ProbeSpirv.h"
#include "vulkan/Question.h"
#include "vulkan/Result.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

using namespace goldy::rt;
using namespace goldy::rt::vk;

static constexpr const char *Roundings = "shaderRoundingModeRTEFloat32";
static constexpr const char *Zeros = "shaderSignedZeroInfNanPreserveFloat32";

static Status askProbe(Device &D, MemoryPool &Pool, Exactness &Out,
                       std::string &Fault) {
  std::vector<ProbeCase> Cases = probeCases();
  std::vector<ProbeRow> Rows(Cases.size());
  Question Q;
  Q.Name = "probe";
  Q.Code = ProbeSpirv;
  Q.Groups = static_cast<uint32_t>(Cases.size()) / Q.GroupSize;
  Q.Features = {Roundings, Zeros};
  Q.Settings.Constants = {
      {0, 0x3f800000}, {1, 0x80000000}, {2, 0}, {3, 0x40400000}};
  Q.Settings.RoundingUndeclared = Out.RoundingUndeclared;
  GOLDY_TRY(ask(D, Pool, Q, std::as_bytes(std::span(Cases)),
                std::as_writable_bytes(std::span(Rows))));
  Out.Switches = judgeProbe(Cases, Rows, Fault);
  return Status();
}

static bool hasSums(const Exactness &E) {
  return E.Switches >> static_cast<uint32_t>(Switch::Sums) & 1;
}

/// The declaration stays unless sums and products need it gone: everything else
/// has a sequence that costs less.
static Status askInBothWays(Device &D, MemoryPool &Pool, Exactness &Out) {
  std::string Fault, OtherFault;
  Exactness Other;
  Other.RoundingUndeclared = true;
  GOLDY_TRY(askProbe(D, Pool, Out, Fault));
  if (Fault.empty() && hasSums(Out))
    return Status();
  GOLDY_TRY(askProbe(D, Pool, Other, OtherFault));
  if (OtherFault.empty() && (hasSums(Other) || !Fault.empty()))
    Out = Other;
  else if (!Fault.empty())
    return Status(GOLDY_UNSUPPORTED, D.physical().description() + ": " + Fault);
  return Status();
}

Status vk::measureExactness(Device &D, MemoryPool &Pool, Exactness &Out) {
  static std::mutex Mutex;
  static std::map<DeviceKey, Exactness> Known;
  Out = {};
  const char *Asked = std::getenv("GOLDY_DEVICE_SWITCHES");
  if (Asked && std::strcmp(Asked, "none") == 0)
    return Status();
  // Images with floats are refused.
  if (!hasFeature(D.physical(), Roundings) || !hasFeature(D.physical(), Zeros))
    return Status();
  std::lock_guard<std::mutex> Lock(Mutex);
  DeviceKey Key = keyOf(D.physical());
  if (auto Found = Known.find(Key); Found != Known.end()) {
    Out = Found->second;
    return Status();
  }
  GOLDY_TRY(askInBothWays(D, Pool, Out));
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
