//===- Probe.h - What a device's arithmetic does --------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vulkan leaves open whether subnormals are flushed, how exact division and
// square root are, and whether fma is fused; the language does not. Images hold
// both the plain operation and a sequence of sure ones and choose by runtime
// switches (specialisation constants 2000 + n, docs/Legalise.md). The probe
// measures which switches a device earns. A switch that stays off costs time
// alone.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_VULKAN_PROBE_H
#define GOLDY_RUNTIME_VULKAN_PROBE_H

#include "vulkan/Memory.h"

#include <span>

namespace goldy::rt::vk {

/// The numbers of the file format's Image.switches.
enum class Switch : uint32_t { Sums = 0, Div = 1, Sqrt = 2, Fma = 3 };
inline constexpr uint32_t NumSwitches = 4;

/// Operands of one case: bits of a, b, c and a spare word.
using ProbeCase = std::array<uint32_t, 4>;
/// Bits of what one case gives.
enum ProbeResult : uint32_t {
  Added,       ///< a + b
  Subtracted,  ///< a - b
  Multiplied,  ///< a * b
  Divided,     ///< a / b
  Root,        ///< square root of a
  Fused,       ///< fma(a, b, c)
  MultiplyAdd, ///< a * b, then + c
  TimesOne,    ///< here and below the driver knows the constant
  PlusMinusZero,
  MinusZero,
  PlusZero,
  TimesZero,
  FromZero, ///< 0.0 - a
  MinusSelf,
  Third,          ///< a / 3.0
  FusedOne,       ///< fma(a, 1.0, c)
  FusedMinusZero, ///< fma(a, b, -0.0)
  FusedZero,      ///< fma(a, b, 0.0)
  FromUnsigned,   ///< a's bits as an integer, to f32
  FromSigned,
  NumProbeResults
};
using ProbeRow = std::array<uint32_t, NumProbeResults>;

/// The cases that every device is asked: edges, random values, values near
/// halfway and near 2^-126, and some with subnormal operands, which count for
/// sums, products and fma alone: images flush other operands.
std::vector<ProbeCase> probeCases();

/// Switches as a bit set from what a device answered. `Fault` says what makes
/// the device unfit: sequences rely on sums and products of normal results and
/// on conversions of integers.
uint32_t judgeProbe(std::span<const ProbeCase> Cases,
                    std::span<const ProbeRow> Rows, std::string &Fault);

/// How a device computes by the language's rules.
struct Exactness {
  uint32_t Switches = 0;
  /// It does so for modules that do not declare their rounding (Rounding.h).
  bool RoundingUndeclared = false;
};

/// Runs the probe on the device, once a process for each device and driver; a
/// second time without the declared rounding if sums and products then may
/// follow the rule. GOLDY_UNSUPPORTED for a device that is unfit in both ways.
/// GOLDY_DEVICE_SWITCHES=none in the environment leaves all switches off, for
/// tests.
Status measureExactness(Device &D, MemoryPool &Pool, Exactness &Out);

/// "sums, division": the set in words; "none".
std::string switchNames(uint32_t Switches);

} // namespace goldy::rt::vk

#endif
