//===- LegaliseTest.h - What the legalisation tests share -------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel `k` of scalar parameters that stores one word, built as a
// definition, legalised for a target and run on the model of its worst device.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_UNITTESTS_TRANSFORMS_LEGALISETEST_H
#define GOLDYC_UNITTESTS_TRANSFORMS_LEGALISETEST_H

#include "DeviceModel.h"

#include "goldyc/IR/Builder.h"
#include "goldyc/IR/Text.h"
#include "goldyc/Transforms/Legalise.h"
#include "goldyc/Verify/Verify.h"

#include <catch2/catch.hpp>

#include <functional>

namespace goldy::test {

inline std::string hex(uint32_t X) {
  char Text[16];
  std::snprintf(Text, sizeof Text, "0x%08x", X);
  return Text;
}

/// Parameter 0 is the output buffer, then come the scalars.
struct Definition {
  Module M;
  Function F;
  Builder B{M, F};

  Definition(const std::vector<TypeId> &Scalars, TypeId Out) {
    F.Name = "k";
    F.Kind = FuncKind::Kernel;
    Param O;
    O.Name = "o";
    O.Kind = ParamKind::Buffer;
    O.Type = Out;
    O.Acc = Access::ReadWrite;
    F.Params.push_back(O);
    for (size_t N = 0; N < Scalars.size(); ++N) {
      Param P;
      P.Name = std::string(1, static_cast<char>('a' + N));
      P.Type = Scalars[N];
      F.Params.push_back(P);
    }
    F.Body = B.newBlock();
    B.setBlock(F.Body);
  }
  Definition(const Definition &) = delete;
  ValueId scalar(uint32_t N) { return B.param(N + 1); }
  PlaceId output(uint32_t N = 0) {
    PathElement E;
    E.Index = B.u32(N);
    return B.place({BaseKind::Param, 0}, {E});
  }
  void result(ValueId V) { B.store(output(), V); }
};

/// A legalised kernel that runs on scalars.
class Legalised {
public:
  Legalised(Definition &D, const Capabilities &Caps)
      : M(D.M), Caps(Caps), F(legaliseFunction(M, D.F, Caps)) {
    Module Whole = M;
    Whole.Level = IRLevel::Legal;
    Whole.Functions.push(F);
    std::string Why;
    bool Good = isWellFormed(Whole, Why);
    INFO(Why);
    REQUIRE(Good);
  }
  /// The word stored to the output, the same on a device that flushes and, if
  /// the table admits it, on one that does not.
  uint32_t run(const std::vector<uint32_t> &Args, int Noise = 0) {
    uint32_t Result = runOn(true, 0, Args, Noise);
    if (!Caps.FlushesSubnormals) {
      uint32_t Keeping = runOn(false, 0, Args, Noise);
      if (Keeping != Result)
        FAIL(Caps.Arch << ": " << hex(Keeping) << " where subnormals are kept, "
                       << hex(Result) << " where they are flushed");
    }
    if (Caps.DeviceSwitches)
      switched(Args, Noise, Result);
    return Result;
  }
  std::string text() const {
    std::ostringstream Out;
    printFunction(Out, M, F);
    return Out.str();
  }
  const Function &function() const { return F; }

private:
  /// The same on devices with any exactness that they can have: sums and fused
  /// operations by the rule go with flushing.
  void switched(const std::vector<uint32_t> &Args, int Noise, uint32_t Want) {
    constexpr uint32_t DivAndSqrt = 6;
    for (uint32_t Switches = 1; Switches < 1u << NumFloatSwitches; ++Switches)
      for (bool Flushes : {false, true}) {
        if (!Flushes && (Switches & ~DivAndSqrt))
          continue;
        uint32_t Got = runOn(Flushes, Switches, Args, Noise);
        if (Got != Want)
          FAIL(Caps.Arch << ": " << hex(Got) << " with switches " << Switches
                         << (Flushes ? " where subnormals are flushed, "
                                     : " where they are kept, ")
                         << hex(Want) << " without");
      }
  }
  uint32_t runOn(bool Flushes, uint32_t Switches,
                 const std::vector<uint32_t> &Args, int Noise) {
    DeviceModel Device(M, F, Caps);
    Device.Flushes = Flushes;
    Device.Switches = Switches;
    Device.Noise = Noise;
    Device.Buffers[0] = std::vector<uint32_t>(4, 0xdddddddd);
    for (size_t N = 0; N < Args.size(); ++N)
      Device.Scalars[static_cast<uint32_t>(N + 1)] = Args[N];
    if (!Device.run())
      FAIL(Caps.Arch << ": " << Device.Fault);
    return Device.Buffers[0][0];
  }

  Module M;
  const Capabilities &Caps;
  Function F;
};

/// Calls `Body` with every table, and with one that lacks everything.
inline void
forEachTarget(const std::function<void(const Capabilities &)> &Body) {
  for (const std::string &Arch : knownArches())
    Body(*capabilitiesFor(Arch));
  Capabilities Nothing = *capabilitiesFor("slang");
  Nothing.Arch = "nothing";
  Nothing.RoundInstruction = Nothing.UnsignedToFloat = false;
  Nothing.BitCounts = Nothing.MulHi = Nothing.Rotates = false;
  Nothing.IntegerMinMax = Nothing.WideBits = false;
  Body(Nothing);
}

/// Values that are likely to go wrong, and some that are not.
inline const std::vector<uint32_t> &floatEdges() {
  static const std::vector<uint32_t> Values = {
      0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff,
      0x00800000, 0x80800000, 0x00800001, 0x00ffffff, 0x1f800000, 0x20000000,
      0x1fffffff, 0x33800000, 0x34000000, 0x3e800000, 0x3effffff, 0x3f000000,
      0xbf000000, 0x3f000001, 0x3f7fffff, 0x3f800000, 0xbf800000, 0x3f800001,
      0x3fc00000, 0xbfc00000, 0x40000000, 0x40200000, 0x40490fdb, 0x4afffffe,
      0x4affffff, 0x4b000000, 0x4b000001, 0x4b7fffff, 0xcb000001, 0x4effffff,
      0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, 0x5f800000,
      0x7e800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
      0xffc00000, 0x7fc12345, 0xff812345, 0x7f800001};
  return Values;
}
inline const std::vector<uint32_t> &integerEdges() {
  static const std::vector<uint32_t> Values = {
      0,          1,          2,          3,          7,          15,
      31,         32,         33,         63,         255,        256,
      0xffff,     0x10000,    0x10001,    0x00ffffff, 0x01000000, 0x01000001,
      0x01000003, 0x7fffff7f, 0x7fffff80, 0x7fffffff, 0x80000000, 0x80000001,
      0x80000080, 0x80000081, 0xffffff7f, 0xffffff80, 0xfffffffe, 0xffffffff,
      0x12345678, 0xdeadbeef};
  return Values;
}

/// A fixed sequence of words.
class Random {
public:
  uint32_t word() {
    State = State * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<uint32_t>(State >> 32);
  }
  /// Any bits, often small exponents or significands that matter.
  uint32_t real() {
    uint32_t X = word();
    switch (word() % 5) {
    case 0:
      return (X & 0x807fffffu) | ((word() % 40) << 23);
    case 1:
      return (X & 0x807fffffu) | ((50 + word() % 30) << 23);
    case 2:
      return (X & 0x807fffffu) | ((115 + word() % 25) << 23);
    case 3:
      return X | 0x007ffff0u;
    default:
      return X;
    }
  }

private:
  uint64_t State = 0x853c49e6748fea9bull;
};

} // namespace goldy::test

#endif
