//===- DeviceModel.h - The worst device a table admits ----------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs one work-item of a kernel in legal form on a device that has exactly
// what its capability table promises and is as unkind as the table allows:
// NaNs get odd bits, subnormals are kept or flushed, division and square root
// are off by some units, fma rounds twice, and where a driver compiles the code
// further it skips what zeros and ones seem to make superfluous. What legal
// code must not contain (an unguarded division by zero, a conversion out of
// range, an operation that the table lacks, an identity that a driver would
// fold) is a fault.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_UNITTESTS_TRANSFORMS_DEVICEMODEL_H
#define GOLDYC_UNITTESTS_TRANSFORMS_DEVICEMODEL_H

#include "goldyc/IR/IR.h"
#include "goldyc/Transforms/Capabilities.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace goldy::test {

class DeviceModel {
public:
  DeviceModel(const Module &M, const Function &F, const Capabilities &Caps)
      : Flushes(Caps.FlushesSubnormals), M(M), F(F), Caps(Caps) {}
  /// Scalar parameters' words by parameter number.
  std::map<uint32_t, uint32_t> Scalars;
  /// Buffers' words by parameter number (one word an element).
  std::map<uint32_t, std::vector<uint32_t>> Buffers;
  /// How far the device's division and square root are off, in units.
  int Noise = 0;
  /// Whether this device flushes; one whose table says no may do so too.
  bool Flushes;
  /// Runtime switches, a bit each: what this device computes exactly.
  uint32_t Switches = 0;
  bool has(DeviceSwitch S) const {
    return Switches >> static_cast<uint32_t>(S) & 1;
  }
  /// Runs the kernel; false with `Fault` set when the code is not legal.
  bool run();
  std::string Fault;

private:
  enum class Flow { Next, Break, Continue, Return };
  Flow block(BlockId B);
  Flow statement(InstId I);
  Flow loop(InstId I);
  void memory(InstId I);
  uint32_t value(InstId I);
  uint32_t integer(InstId I);
  uint32_t floating(InstId I);
  uint32_t compare(InstId I);
  uint32_t cast(InstId I);
  uint32_t get(ValueId V);
  uint32_t arg(InstId I, unsigned N) { return get(F.operand(I, N)); }
  float operand(InstId I, unsigned N);
  uint32_t finish(double Exact, float Rounded) const;
  uint32_t rawInverse(float X) const;
  uint32_t freeSign(Op O, uint32_t Bits) const;
  uint32_t minMax(InstId I);
  void fault(InstId I, const char *Why);
  void checkIdentity(InstId I);
  std::optional<uint32_t> foldedByDriver(InstId I);
  bool isKnown(ValueId V) const;
  bool allKnown(InstId I) const;
  std::optional<uint32_t> computedByDriver(InstId I);

  const Module &M;
  const Function &F;
  const Capabilities &Caps;
  SideMap<Inst, uint32_t> Values{0};
  std::map<uint32_t, std::vector<uint32_t>> SlotWords;
  /// What a driver that unrolls every loop knows: constants, and what is made
  /// of such alone.
  SideMap<Inst, bool> Known{false};
  std::map<uint32_t, std::vector<bool>> SlotKnown;
  InstId Leaving;
};

// --- The language's arithmetic, written from its definition

uint32_t bitsOf(float X);
float ofBits(uint32_t X);
/// Subnormals to zeros of their sign.
uint32_t flushBits(uint32_t X);
/// NaNs to 0x7fc00000.
uint32_t canonBits(uint32_t X);
/// The exact value rounded to 24 bits with unbounded exponent, then flushed or
/// overflowed. `Exact` is not zero.
uint32_t roundByRule(long double Exact);
/// Any scalar operation of the language on bits.
uint32_t expected(Op O, TypeId OperandType, TypeId ResultType,
                  const std::vector<uint32_t> &A);

} // namespace goldy::test

#endif
