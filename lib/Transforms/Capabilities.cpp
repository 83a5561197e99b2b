//===- Capabilities.cpp - The tables of all targets
//-------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each table starts from the most capable description and takes away what the
// target lacks, with the reason beside it. docs/Legalise.md says what happens
// to an operation that is taken away.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Transforms/Capabilities.h"

using namespace goldy;

namespace {

constexpr uint32_t KiB = 1024;

/// x86-64 runs with FTZ and DAZ set, so it flushes by itself.
Capabilities host(unsigned Level) {
  Capabilities C;
  C.Target = TargetKind::Host;
  C.Arch = "x86-64-v" + std::to_string(Level);
  C.FusedFma = Level >= 3;         // FMA3
  C.FmaByDoubles = Level < 3;      // the emitter's
  C.RoundInstruction = Level >= 2; // SSE4.1 roundps, which obeys DAZ
  C.UnsignedToFloat = Level >= 4;  // AVX-512 vcvtudq2ps
  C.ComparesNan = C.MasksCompares = Level >= 4; // vcmpps takes a mask
  C.FloatMinMax = true;                         // minps, maxps
  C.Trees = true; // one thread has the whole scratch array before it
  C.DebugOutput = true;
  C.MaxWorkgroupBytes = 1024 * KiB;
  return C;
}

/// Everything is emitted in its .ftz form.
Capabilities ptx(const char *Arch) {
  Capabilities C;
  C.Target = TargetKind::Ptx;
  C.Arch = Arch;
  C.FoldsUnflushed = true;    // ptxas: setp.ftz of a choice of constants
  C.LosesNan = true;          // ptxas: FMNMX.NAN gives one NaN
  C.FreshNansPositive = true; // 0x7fffffff
  C.SharesDivisors = C.ComparesNan = true;
  C.RawInverse = true; // rcp.approx
  C.FreeSigns = true;  // modifiers of operands
  C.SaturatingFloatToInt = true;
  C.UnsignedToFloat = true;
  C.WideMulHi = true;
  C.WideToFloat = true;
  C.Neighbours = 32; // a warp
  C.UnrollsSmall = true;
  C.VectorMemory = C.VectorBuffers = true;
  C.MaxWorkgroupBytes = 48 * KiB;
  return C;
}

/// No device is known at compile time: some flush, some do not; division and
/// square root have an error bound only, and fma may round twice.
Capabilities vulkan(const char *Arch) {
  Capabilities C;
  C.Target = TargetKind::Spirv;
  C.Arch = Arch;
  C.FlushesSubnormals = false;
  C.ExactDiv = C.ExactSqrt = C.FusedFma = false;
  C.DeviceSwitches = true; // measured when the device opens
  C.SharesDivisors = true;
  C.RoundKeepsRule = false;
  C.ChoosesByValue = true; // Mesa's drivers
  C.UnsignedToFloat = true;
  C.Rotates = false;
  C.WideBits = false;  // the instructions take 32 bits
  C.SignedRem = false; // OpSRem is undefined for negative operands
  C.StructuredExits = true;
  C.SpecConstants = true;
  C.UnrollsSmall = true;
  C.VectorMemory = C.BitsAsWords = true;
  C.VectorBuffers = C.Arch == "vulkan1.3"; // else blocks of words
  C.Images = C.Arch == "vulkan1.3"; // binding 0 is the array of word blocks
  C.NeighbourSwitches = C.Arch == "vulkan1.3"; // sizes of subgroups are fixed
  C.MaxWorkgroupBytes = 32 * KiB;
  return C;
}

Capabilities slang() {
  Capabilities C = vulkan("vulkan1.3");
  C.Target = TargetKind::SlangEntry;
  C.Arch = "slang";
  C.DeviceSwitches = C.NeighbourSwitches = false; // text cannot name them
  C.VectorMemory = C.VectorBuffers = false;       // not in its entries
  C.SharesDivisors = false;
  C.MulHi = false;                          // no intrinsic for it
  C.SpecConstants = C.UnrollsSmall = false; // text to be read
  return C;
}

const std::vector<Capabilities> &allTables() {
  static const std::vector<Capabilities> Tables = {host(1),
                                                   host(2),
                                                   host(3),
                                                   host(4),
                                                   vulkan("vulkan1.3"),
                                                   vulkan("vulkan1.1"),
                                                   ptx("sm_80"),
                                                   ptx("sm_90a"),
                                                   slang()};
  return Tables;
}

} // namespace

const Capabilities *goldy::capabilitiesFor(std::string_view Arch) {
  for (const Capabilities &C : allTables())
    if (C.Arch == Arch)
      return &C;
  return nullptr;
}

std::vector<std::string> goldy::knownArches() {
  std::vector<std::string> Names;
  for (const Capabilities &C : allTables())
    Names.push_back(C.Arch);
  return Names;
}
