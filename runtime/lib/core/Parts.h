//===- Parts.h - What a run makes of a submission's parts -----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Drivers ask here what a part touches and does once a run's words and memories
// are known, and what it may touch before that. Nothing here allocates.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CORE_PARTS_H
#define GOLDY_RUNTIME_CORE_PARTS_H

#include "core/Driver.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace goldy::rt {

/// Bytes from a launch's BaseOffset to the grid's groups in its block.
inline constexpr uint32_t GroupsInBlock = 12;

/// The memory of a use in a run.
inline MemoryId memoryOf(const MemoryUse &U, const RunInput &Input) {
  return U.RunMemory == NoIndex ? U.Memory : Input.Memories[U.RunMemory];
}

/// Whether a word of the run moves that use, an end of a copy.
inline bool isMoved(const Part &P, size_t Use) {
  return P.Kind == PartKind::Copy &&
         (Use == 0 ? P.SrcWord : P.DstWord) != NoIndex;
}

/// All that use number `Use` may touch, whatever the run's words are.
inline MemoryUse reachOf(const Part &P, size_t Use) {
  MemoryUse U = P.Uses[Use];
  if (isMoved(P, Use) && U.Bytes) {
    U.Offset = 0;
    U.Bytes = AllBytes;
  }
  return U;
}

/// Offset of an end of a copy, 0 the source, in a run.
inline uint64_t offsetOf(const Part &P, size_t End, const RunInput &Input) {
  uint32_t Word = End == 0 ? P.SrcWord : P.DstWord;
  return P.Uses[End].Offset + (Word == NoIndex ? 0 : Input.Words[Word]);
}

/// What tells memories apart before a run: the number of one that it brings, or
/// the memory that a part names.
inline std::pair<uint32_t, MemoryId> nameOf(const MemoryUse &U) {
  return {U.RunMemory, U.RunMemory == NoIndex ? U.Memory : MemoryId{}};
}

/// Whether two uses of one memory, of which one writes, share a byte.
inline bool conflict(const MemoryUse &A, const MemoryUse &B) {
  return (A.Written || B.Written) && A.Bytes && B.Bytes &&
         A.Offset < B.Offset + B.Bytes && B.Offset < A.Offset + A.Bytes;
}

inline bool hasGridWords(const Part &P) {
  return std::any_of(P.GroupWords.begin(), P.GroupWords.end(),
                     [](uint32_t W) { return W != NoIndex; });
}

/// The kernel's groups in a run.
inline std::array<uint32_t, 3> groupsOf(const Part &P, const RunInput &Input) {
  std::array<uint32_t, 3> Groups = P.Groups;
  for (size_t A = 0; A < 3; ++A)
    if (P.GroupWords[A] != NoIndex)
      Groups[A] = static_cast<uint32_t>(Input.Words[P.GroupWords[A]]);
  return Groups;
}

/// The groups that are dispatched for the kernel's: each stands for
/// `GroupsAtOnce` along x.
inline std::array<uint32_t, 3> dispatchedGroups(std::array<uint32_t, 3> Groups,
                                                uint32_t GroupsAtOnce) {
  if (Groups[0])
    Groups[0] = (Groups[0] - 1) / GroupsAtOnce + 1;
  return Groups;
}

/// Calls `Take` with each piece of a grid, in the order of splitGrid; never if
/// one of `Groups` is 0.
template <class F>
void eachPiece(const std::array<uint32_t, 3> &Groups,
               const std::array<uint64_t, 3> &Most, F Take) {
  std::array<uint64_t, 3> At{};
  auto Step = [&](size_t A) {
    return std::min<uint64_t>(Most[A], Groups[A] - At[A]);
  };
  for (At[2] = 0; At[2] < Groups[2]; At[2] += Step(2))
    for (At[1] = 0; At[1] < Groups[1]; At[1] += Step(1))
      for (At[0] = 0; At[0] < Groups[0]; At[0] += Step(0)) {
        GridPiece P;
        for (size_t A = 0; A < 3; ++A) {
          P.Base[A] = static_cast<uint32_t>(At[A]);
          P.Groups[A] = static_cast<uint32_t>(Step(A));
        }
        Take(P);
      }
}

/// The same for a launch in a run, whether its grid is fixed or not.
template <class F>
void eachPieceOf(const Part &P, const RunInput &Input,
                 const std::array<uint64_t, 3> &Most, F Take) {
  if (hasGridWords(P))
    eachPiece(dispatchedGroups(groupsOf(P, Input), P.GroupsAtOnce), Most, Take);
  else
    std::for_each(P.Pieces.begin(), P.Pieces.end(), Take);
}

/// Writes what a run has for a launch's block, its slots' words and its grid.
/// `Slots` are those of the part.
inline void writeWords(const Part &P, std::span<const Slot> Slots,
                       const RunInput &Input, std::byte *Block) {
  for (const Slot &S : Slots)
    if (S.Bytes == 8)
      std::memcpy(Block + S.Offset, &Input.Words[S.Word], 8);
    else
      std::memcpy(Block + S.Offset, &Input.Words[S.Word], 4);
  if (!hasGridWords(P))
    return;
  std::array<uint32_t, 3> Groups = groupsOf(P, Input);
  std::memcpy(Block + P.BaseOffset + GroupsInBlock, Groups.data(),
              sizeof Groups);
}

/// GOLDY_UNSUPPORTED for host functions and command words, which `Device`
/// lacks.
Status refuseHostParts(const SubmissionDesc &Desc, const std::string &Device);

} // namespace goldy::rt

#endif
