//===- Inputs.cpp - Hostile arguments for any kernel ----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Inputs.h"

#include "Random.h"

#include <cstring>

namespace goldy::fuzz {
namespace {

uint64_t hashOf(const std::string &Text) { // FNV-1a
  uint64_t H = 0xcbf29ce484222325u;
  for (unsigned char C : Text)
    H = (H ^ C) * 0x100000001b3u;
  return H;
}

uint64_t scalarBits(TypeKind K, Random &R) {
  switch (K) {
  case TypeKind::Bool:
    return R.pick<uint32_t>({0, 1, 2, 0x80000000u});
  case TypeKind::F32:
    if (R.chance(40))
      return R.pick<uint32_t>(
          {0,           0x80000000u, 1,           0x807fffffu, 0x007fffffu,
           0x00800000u, 0x80800001u, 0x3f800000u, 0xbf800000u, 0x7f7fffffu,
           0x7f800000u, 0xff800000u, 0x7fc00000u, 0x7f812345u, 0xffc54321u,
           0x4f000000u, 0xcf000000u, 0x5f000000u, 0x4b800001u, 0x3effffffu});
    if (R.chance(60)) // ordinary sizes
      return static_cast<uint32_t>(R.next()) % 0x08000000u + 0x3c000000u +
             (R.chance(50) ? 0x80000000u : 0);
    return R.next() >> 32;
  case TypeKind::F16:
  case TypeKind::BF16:
    return R.next() >> 48;
  default:
    break;
  }
  if (R.chance(50))
    return R.pick<uint64_t>({0, 1, 2, 3, 5, 31, 32, 33, 63, 64, 255, 256,
                             0x7fffffffu, 0x80000000u, 0xffffffffu,
                             0xffffffff80000000u, 0x7fffffffffffffffu,
                             0x8000000000000000u, ~uint64_t(0)});
  return R.chance(50) ? R.below(100) : R.next();
}

void fill(const Module &M, TypeId T, std::byte *At, Random &R) {
  uint32_t Members = M.Types.memberCount(T);
  if (Members == 0) {
    uint64_t Bits = scalarBits(M.Types.kind(T), R);
    std::memcpy(At, &Bits, M.Types.layout(T).Size);
    return;
  }
  for (uint32_t N = 0; N < Members; ++N)
    fill(M, M.Types.memberType(T, N), At + M.Types.memberOffset(T, N), R);
}

/// A view with axes in any order in memory, gaps between them, and, unless it
/// is written, repeated axes; `Length` is what its parent needs.
InterpTensor randomView(Random &R, bool Written, uint32_t &Length) {
  InterpTensor V;
  V.Rank = R.below(5);
  V.Offset = R.below(5);
  const uint32_t Most[] = {1, 200, 14, 6, 4};
  std::vector<unsigned> Order;
  for (unsigned A = 0; A < V.Rank; ++A)
    Order.insert(Order.begin() + R.below(A + 1), A);
  uint64_t Stride = 1 + R.below(2), Last = V.Offset;
  bool Dense = R.chance(30);
  for (unsigned N = 0; N < V.Rank; ++N) {
    unsigned A = Dense ? V.Rank - 1 - N : Order[N];
    V.Shape[A] = 1 + R.below(Most[V.Rank]);
    if (!Written && !Dense && R.chance(15))
      continue;
    V.Strides[A] = Dense && N == 0 ? 1 : Stride;
    Last += (V.Shape[A] - 1) * V.Strides[A];
    Stride = V.Strides[A] * (V.Shape[A] + (Dense ? 0 : R.below(2)));
  }
  Length = static_cast<uint32_t>(Last) + 1 + R.below(3);
  return V;
}

uint64_t scalarArgument(const Module &M, const Param &P, Random &R) {
  if (P.Name.starts_with("few"))
    return R.pick<uint32_t>({0, 1, 3, 7, 9});
  if (P.Name.starts_with("some"))
    return R.below(400);
  uint64_t Bits = scalarBits(M.Types.kind(P.Type), R);
  if (P.Type == types::Bool)
    return Bits != 0;
  return M.Types.bits(P.Type) == 32 ? Bits & 0xffffffffu : Bits;
}

/// A scalar without the edge values: most are of a size to reckon with.
uint64_t ordinaryBits(TypeKind K, Random &R) {
  uint32_t Noise = static_cast<uint32_t>(R.next());
  if (K == TypeKind::F32)
    return Noise % 0x02000000u + 0x3f000000u + (R.chance(50) ? 0x80000000u : 0);
  if (K == TypeKind::F16)
    return Noise % 0x1000u + 0x3800u + (R.chance(50) ? 0x8000u : 0);
  return R.chance(50) ? Noise % 1000 : Noise;
}

bool isLong(const Param &P) {
  return P.Name.starts_with("long") || P.Name.starts_with("four");
}

uint32_t countOf(const Param &P, uint32_t Items, uint32_t Run, Random &R) {
  if (P.Kind == ParamKind::Uniform)
    return 1;
  if (isLong(P))
    return 4 * Items / (Run % 3 == 2 ? 3 : 1) + R.below(40);
  return P.Acc == Access::Read ? 1 + R.below(70) : Items + R.below(5);
}

void fillBuffer(const Module &M, const Param &P, Input &I, uint32_t Count,
                bool Ordinary, Random &R) {
  I.Bytes.resize(Count * I.Stride);
  for (uint32_t E = 0; E < Count; ++E) {
    std::byte *At = I.Bytes.data() + E * I.Stride;
    if (!Ordinary) {
      fill(M, P.Type, At, R);
      continue;
    }
    uint64_t Bits = ordinaryBits(M.Types.kind(P.Type), R);
    std::memcpy(At, &Bits, I.Stride);
  }
}

std::optional<size_t> original(const std::vector<Input> &Made,
                               std::string_view Name) {
  for (size_t N = 0; N < Made.size(); ++N)
    if (Name == Made[N].Name + "_again")
      return N;
  return std::nullopt;
}

} // namespace

std::vector<Input> makeInputs(const Module &M, const Function &Kernel,
                              uint32_t Groups, uint32_t Run) {
  uint32_t Items = Groups;
  for (uint32_t Extent : Kernel.WorkgroupSize)
    Items *= Extent;
  std::vector<Input> Made;
  for (const Param &P : Kernel.Params) {
    Random R(hashOf(P.Name) + Run);
    Input I;
    I.Name = P.Name;
    I.IsBuffer = P.Kind != ParamKind::Scalar;
    I.Again = original(Made, P.Name);
    if (!I.IsBuffer) {
      I.Bits = scalarArgument(M, P, R);
    } else {
      I.Stride = M.Types.stride(P.Type);
      uint32_t Count = countOf(P, Items, Run, R);
      if (P.Kind == ParamKind::Tensor)
        I.View = randomView(R, P.Acc != Access::Read, Count);
      bool Ordinary = P.Name.starts_with("long") && Run % 2 == 0;
      if (!I.Again)
        fillBuffer(M, P, I, Count, Ordinary, R);
    }
    Made.push_back(std::move(I));
  }
  return Made;
}

} // namespace goldy::fuzz
