//===- Load.h - Loading a description -------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of load: the check, memory, images in the description's order,
// borrows and submissions step by step, first bytes last. What was made belongs
// to the program from the moment on in which it exists, so a refusal returns
// all of it.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_PROGRAM_LOAD_H
#define GOLDY_RUNTIME_PROGRAM_LOAD_H

#include "program/LoadRules.h"
#include "program/Loaded.h"
#include "program/Place.h"

namespace goldy::rt {

/// Loads `Desc`, which `check` took on the machine of `L`: its devices,
/// callbacks and rails are set, all else is made here.
Status loadProgram(const program::ProgramDesc &Desc, bool Trusted,
                   goldy_program &L);

// LoadMemory.cpp.

/// Makes all memory, the ints included.
Status makeMemories(const program::ProgramDesc &Desc, goldy_program &L);
/// Makes memory number `M` of the program memory of device `D`, all copies, if
/// it is not yet.
Status reachMemory(goldy_program &L, uint32_t M, uint32_t D,
                   const program::Place &At);
/// What work of device `D` names memory `M` by; it was reached.
inline MemoryId memoryOn(const goldy_program &L, uint32_t M, uint32_t D,
                         size_t Copy) {
  return L.Memories[M].of(Copy).On[D]->Id;
}
/// The word for a leaf in copy `Copy` of the program's memory. The memory that
/// it names was reached on the device that it names, or for a handle on `D` or
/// its own.
uint64_t leafWord(const goldy_program &L, const program::Leaf &Leaf,
                  size_t Copy, uint32_t D);
/// Bytes of leaves with their holes filled.
Status fillLeaves(const goldy_program &L, const program::Data<program::Leaf> &X,
                  size_t Copy, uint32_t D, const program::Place &At,
                  std::span<char> Out);
/// Writes the first bytes of all memory.
Status writeInits(const program::ProgramDesc &Desc, goldy_program &L);

// LoadImages.cpp.

Status loadImages(const program::ProgramDesc &Desc, bool Trusted,
                  goldy_program &L);
/// L2 or L3 if image `I` has no function `Name`.
Status findFunction(const goldy_program &L, Number Image,
                    const std::string &Name, const program::Place &At);
/// That an Entry names a function which is there.
Status checkLeaf(const goldy_program &L, const program::Leaf &Leaf,
                 const program::Place &At);
const Callback *findCallback(const goldy_program &L, const std::string &Name);
const RailEnd *findRail(const goldy_program &L, int64_t Id);

/// What a device says: L12 for memory, L13 for a lost device, else `Rule`.
Status refusedBy(const goldy_program &L, uint32_t Device, LoadRule Rule,
                 const std::string &At, const Status &Why);

} // namespace goldy::rt

#endif
