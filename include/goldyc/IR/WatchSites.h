//===- WatchSites.h - What code tells the sanitizer -----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `sanitize` puts an `ir::watch` before what is to be checked. It
// names a site by number; the table of sites says what happens there, so that
// the code passes indices alone. Artifacts carry the table (docs/Sanitizers.md,
// schemas/artifact.fbs), the runtime computes addresses and keeps the books.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_IR_WATCHSITES_H
#define GOLDYC_IR_WATCHSITES_H

#include "goldyc/Support/Source.h"

#include <cstdint>
#include <string>
#include <vector>

namespace goldy {

/// What --sanitize asks for, as bits; the file has the same.
enum SanitizeBits : uint8_t {
  SanitizeBounds = 1, ///< indices out of range, failed `gpu::assume`
  SanitizeRace = 2,   ///< unordered accesses, diverging barriers
  SanitizeUninit = 4, ///< reads of what the language leaves undetermined
  SanitizeAll = 7
};

/// A place in the text, as messages show it.
struct SitePlace {
  Span Loc;
  // Made from Loc for the file: path as given, from 1, the whole line.
  std::string File, Text;
  uint32_t Line = 0, Column = 0;
};

/// One place of a kernel that is watched. An `ir::watch` of it passes one word
/// an index (a write's value behind, for races), an assumption's condition, or
/// how many elements a Copy moves.
struct WatchSite : SitePlace {
  enum class Kind : uint8_t {
    Read,
    Write,
    Atomic,
    Barrier,
    Collective, ///< its scratch array is undetermined from here on
    Assume,
    Copy ///< from the start of parameter 0 to the start of `Base`
  };
  enum class Memory : uint8_t { None, Param, Workgroup, Private };
  /// Each index must stay below `Extent`; 0: the parameter's own length (of an
  /// image's two indices: width, height), or below 0 if `Signed`.
  struct Index {
    uint64_t Stride = 0; ///< bytes
    uint32_t Extent = 0;
    bool Signed = false;
    friend bool operator==(const Index &, const Index &) = default;
  };

  Kind What = Kind::Read;
  Memory In = Memory::None;
  /// Param: its number. Workgroup: the array's first byte, where all arrays of
  /// the kernel lie one after another.
  uint32_t Base = 0;
  uint64_t Offset = 0; ///< bytes from the base, beside the indices
  uint32_t Bytes = 0;  ///< that are touched
  std::vector<Index> Indices;
  /// As the program names it, `#` for each index: `p[#].v[#]`.
  std::string Name;
  /// Of the helpers that were expanded around it, the innermost first.
  std::vector<SitePlace> Calls;
  /// More calls than these are left out, the outer ones.
  static constexpr size_t MostCalls = 64;
};

} // namespace goldy

#endif
