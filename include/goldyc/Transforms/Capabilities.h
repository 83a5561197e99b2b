//===- Capabilities.h - What a target computes by itself
//--------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalise is driven by this table and nothing else; emitters see only what
// their table says they can do. The tables of all targets are in
// lib/Transforms/Capabilities.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TRANSFORMS_CAPABILITIES_H
#define GOLDYC_TRANSFORMS_CAPABILITIES_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace goldy {

enum class TargetKind : uint8_t { Host, Spirv, Ptx, SlangEntry };

/// Runtime switches of an image (ir::device_switch): each says that the device
/// that was opened gives the language's result by its own instruction, for
/// operands that are not subnormal. The runtime measures it
/// (runtime/lib/vulkan/Probe.cpp); SpecId 2000 + number.
enum class DeviceSwitch : uint8_t {
  Sums = 0, ///< + - *: flushed by the rule, also where the driver folds
  Div = 1,  ///< normal quotients are exact; subnormal ones may be kept
  Sqrt = 2,
  Fma = 3,         ///< fused, and flushed by the rule
  Neighbours8 = 4, ///< work-items of an aligned block of 8 exchange values
  Neighbours32 = 5 ///< … of 32
};
inline constexpr uint32_t NumFloatSwitches = 4, NumDeviceSwitches = 6;

struct Capabilities {
  TargetKind Target = TargetKind::Host;
  std::string Arch; ///< "x86-64-v3", "vulkan1.3", "sm_80", "slang"
  // Floats. Each true: the plain operation already has the language's meaning.
  bool FlushesSubnormals = true; ///< arithmetic and comparisons flush (FTZ|DAZ)
  bool FoldsUnflushed =
      false;             ///< … but a compiler may lose that of comparisons
  bool LosesNan = false; ///< a compiler makes minima of choices by order
  bool ExactDiv = true, ExactSqrt = true, FusedFma = true;
  bool FmaByDoubles = false;   ///< or has exact products of floats in doubles
  bool DeviceSwitches = false; ///< the runtime says where the three above hold
  bool SharesDivisors = false; ///< a division is long, and `fma` is not
  bool RawInverse = false;     ///< has one
  bool FreeSigns = false;      ///< float Abs and Neg, for any NaN's bits
  bool ComparesNan = false;    ///< x != x is kept as the question that it is
  bool MasksCompares = false;  ///< two comparisons, or the opposite: one's cost
  bool FloatMinMax = false;    ///< of a number and any value; may flush it
  bool FreshNansPositive = false; ///< NaNs that arithmetic makes have no sign
  bool ChoosesByValue = false;    ///< takes -0.0 for 0.0 in a constant choice
  bool RoundInstruction = true;   ///< floor ceil trunc round_even
  bool RoundKeepsRule = true;     ///< … and they read subnormals as zero
  // Conversions.
  bool SaturatingFloatToInt = false; ///< Cast f32→u32/i32 may stay as it is
  bool UnsignedToFloat = false;      ///< Cast u32→f32 may stay as it is
  // Integers.
  bool BitCounts = true; ///< count_ones, leading/trailing_zeros, reverse
  bool MulHi = true;
  bool SignedRem = true; ///< RawRem takes negative operands
  bool Rotates = true;
  bool IntegerMinMax = true;
  // 64-bit integers.
  bool Int64 = true;        ///< plain operations on them; false: pairs of words
  bool WideBits = true;     ///< bit counts, reverse, minimum, maximum
  bool WideMulHi = false;   ///< upper half of a 128-bit product
  bool WideToFloat = false; ///< u64, i64 → f32 rounds once, to nearest even
  bool StructuredExits =
      false;          ///< only innermost breaks and continues (SPIR-V)
  bool Trees = false; ///< sums, maxima and minima of a group may stay whole
  /// Work-items of an aligned block of so many exchange values directly; 0 if
  /// none do.
  uint32_t Neighbours = 0;
  bool NeighbourSwitches = false; ///< the runtime says how many
  /// Loads of a small loop's repetitions are better issued together.
  bool UnrollsSmall = false;
  bool SpecConstants = false; ///< values that are set when an image is loaded
  bool Images = false;        ///< image parameters stay images
  bool DebugOutput = false;   ///< gpu::debug prints
  // Memory.
  bool VectorMemory = false;  ///< one access may move 8 or 16 aligned bytes
  bool VectorBuffers = false; ///< … of a buffer too
  bool BitsAsWords = false;   ///< floats whose bits are wanted move as integers
  uint32_t MaxWorkgroupBytes = 0;
};

/// Host levels by 1..4, "vulkan1.3", "sm_80", "sm_90a", "slang".
const Capabilities *capabilitiesFor(std::string_view Arch);
std::vector<std::string> knownArches();

} // namespace goldy

#endif
