//===- Print.cpp - Values as text -----------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Axes longer than 64 print their first and last 16 entries.
//
//===----------------------------------------------------------------------===//
#include "Print.h"

#include <bit>
#include <charconv>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>

using namespace goldyrun;
namespace npy = goldy::npy;

static std::string floatText(double Value, bool Single) {
  if (std::isnan(Value))
    return "nan";
  char Buffer[64];
  std::to_chars_result R =
      Single ? std::to_chars(Buffer, Buffer + sizeof Buffer,
                             static_cast<float>(Value))
             : std::to_chars(Buffer, Buffer + sizeof Buffer, Value);
  return std::string(Buffer, R.ptr);
}

/// Every f16 is an f32.
static float halfValue(uint16_t H) {
  uint32_t Sign = uint32_t(H & 0x8000) << 16, Exponent = (H >> 10) & 31,
           Fraction = H & 1023;
  if (Exponent == 31)
    return std::bit_cast<float>(Sign | 0x7f800000 | Fraction << 13);
  if (Exponent)
    return std::bit_cast<float>(Sign | (Exponent + 112) << 23 | Fraction << 13);
  float Small = std::ldexp(static_cast<float>(Fraction), -24);
  return Sign ? -Small : Small;
}

std::string goldyrun::scalarText(const npy::DType &T, const std::byte *At,
                                 bool Bits) {
  uint64_t Raw = 0;
  std::memcpy(&Raw, At, T.Size <= 8 ? T.Size : 8);
  std::string Text;
  if (T.Form == npy::Kind::Float)
    Text = T.Size == 4   ? floatText(std::bit_cast<float>(uint32_t(Raw)), true)
           : T.Size == 2 ? floatText(halfValue(uint16_t(Raw)), true)
                         : floatText(std::bit_cast<double>(Raw), false);
  else if (T.Form == npy::Kind::Int)
    Text = std::to_string(static_cast<int64_t>(Raw << (64 - 8 * T.Size)) >>
                          (64 - 8 * T.Size));
  else
    Text = std::to_string(Raw);
  if (!Bits || T.Form != npy::Kind::Float)
    return Text;
  char Hex[24];
  std::snprintf(Hex, sizeof Hex, " (0x%0*" PRIx64 ")",
                static_cast<int>(2 * T.Size), Raw);
  return Text + Hex;
}

std::string goldyrun::indexText(uint64_t I,
                                const std::vector<uint64_t> &Shape) {
  if (Shape.empty())
    return "";
  std::string S = "]";
  for (size_t D = Shape.size(); D-- > 1; I /= Shape[D])
    S = ", " + std::to_string(I % Shape[D]) + S;
  return "[" + std::to_string(I) + S;
}

namespace {

class Printer {
public:
  std::string Out;

  /// Prints the block at `At` whose axes start at `Axis`; returns its end.
  const std::byte *block(const std::byte *At, const npy::DType &T,
                         const std::vector<uint64_t> &Shape, size_t Axis) {
    if (Axis == Shape.size()) {
      element(At, T);
      return At + T.Size;
    }
    uint64_t Stride = T.Size;
    for (size_t D = Axis + 1; D < Shape.size(); ++D)
      Stride *= Shape[D];
    bool Rows = Axis + 1 < Shape.size();
    Out += '[';
    for (uint64_t I = 0; I < Shape[Axis]; ++I) {
      Out += I == 0 ? "" : Rows ? ",\n" + std::string(Axis + 1, ' ') : ", ";
      if (Shape[Axis] > Long && I == Kept) {
        Out += "…";
        I = Shape[Axis] - Kept - 1;
        continue;
      }
      block(At + I * Stride, T, Shape, Axis + 1);
    }
    Out += ']';
    return At + Stride * Shape[Axis];
  }

private:
  static constexpr uint64_t Long = 64, Kept = 16;

  void element(const std::byte *At, const npy::DType &T) {
    if (T.Form != npy::Kind::Struct) {
      Out += scalarText(T, At, false);
      return;
    }
    Out += '{';
    for (size_t I = 0; I < T.Fields.size(); ++I) {
      const npy::Field &F = T.Fields[I];
      Out += (I ? ", " : "") + F.Name + ": ";
      block(At + F.Offset, F.Type, F.Shape, 0);
    }
    Out += '}';
  }
};

} // namespace

std::string goldyrun::arrayText(const std::string &Name, const npy::Array &A) {
  Printer P;
  P.Out = Name + " = ";
  P.block(A.Data.data(), A.Type, A.Shape, 0);
  return P.Out + "\n";
}
