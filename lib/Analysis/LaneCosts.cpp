//===- LaneCosts.cpp - What operations cost on vectors --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LaneCosts.h"

using namespace goldy;

costs::OpCost costs::of(const Inst &N) {
  bool Float = N.Type == types::F32;
  if (isComparison(N.Opcode))
    return {3, 1};
  switch (N.Opcode) {
  case Op::Add:
  case Op::Sub:
    return Float ? OpCost{FloatLatency, 1} : OpCost{1, 1};
  case Op::Mul:
    return Float ? OpCost{FloatLatency, 1} : OpCost{8, 2};
  case Op::Fma:
  case Op::Floor:
  case Op::Ceil:
  case Op::Trunc:
  case Op::RoundEven:
  case Op::Cast:
  case Op::RawFloatToInt:
    return {FloatLatency, 1};
  case Op::Div:
    return {12, 8};
  case Op::Sqrt:
    return {16, 10};
  case Op::RawDiv:
  case Op::RawRem:
    return {30, 20};
  case Op::CanonNan:
    return {4, 2};
  case Op::ToBits:
  case Op::FromBits:
    return {0, 0};
  case Op::MulHi:
    return {12, 6};
  case Op::Load:
    return {5, 1};
  default:
    return {1, 1};
  }
}
