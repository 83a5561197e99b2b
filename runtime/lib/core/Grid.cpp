//===- Grid.cpp - A grid in pieces that a device takes --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels add the piece's base to the ids that the device counts, and take the
// number of groups from the parameter block, so pieces are not seen.
//
//===----------------------------------------------------------------------===//
#include "core/Driver.h"

#include <algorithm>

using namespace goldy::rt;

std::vector<GridPiece>
goldy::rt::splitGrid(std::array<uint32_t, 3> Groups,
                     const std::array<uint64_t, 3> &Most) {
  std::vector<GridPiece> Pieces;
  std::array<uint64_t, 3> At{};
  auto Step = [&](int D) {
    return std::min<uint64_t>(Most[D], Groups[D] - At[D]);
  };
  for (At[2] = 0; At[2] < Groups[2]; At[2] += Step(2))
    for (At[1] = 0; At[1] < Groups[1]; At[1] += Step(1))
      for (At[0] = 0; At[0] < Groups[0]; At[0] += Step(0)) {
        GridPiece P;
        for (int D = 0; D < 3; ++D) {
          P.Base[D] = static_cast<uint32_t>(At[D]);
          P.Groups[D] = static_cast<uint32_t>(Step(D));
        }
        Pieces.push_back(P);
      }
  return Pieces;
}
