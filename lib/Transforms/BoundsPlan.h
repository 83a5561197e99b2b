//===- BoundsPlan.h - Which accesses are checked, and where once for many
//---===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every index of every access is certainly inside, certainly outside, or open.
// Open ones that an expression bounds (UpperBounds.h) are covered by a region:
// one test where it begins selects between a copy without their checks and one
// with all of them. Regions, in the order they are looked for:
//
//   the body     one test for the whole group, of parameters, lengths and
//                group ids only, so that it may hold barriers; of a large
//                body only the small statements around the accesses
//   from assume  what the program states, a work-item at a time; no barrier
//   a loop       one test a work-item before the loop; no barrier
//
// A loop's region is tried from the outermost loop inwards. A region is never
// inside a copy that has its checks, nor in another of its kind, so no
// statement is there more than four times.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TRANSFORMS_BOUNDSPLAN_H
#define GOLDYC_LIB_TRANSFORMS_BOUNDSPLAN_H

#include "UpperBounds.h"

#include "goldyc/Transforms/BoundsReport.h"
#include "goldyc/Transforms/Capabilities.h"

namespace goldy {

enum class IndexState : uint8_t { Inside, Outside, Open };

/// One index of an access.
struct AccessIndex {
  InstId Access;
  unsigned Number = 0; ///< among the access's indices
  PathElement Element;
  PlaceBase Base;
  uint64_t Extent = 0; ///< 0: a buffer's, which its length knows
  IndexState State = IndexState::Open;
};

/// `Upper < Limit` at the region's beginning.
struct BoundTest {
  BoundId Upper, Limit;
};

struct BoundsRegion {
  BoundEntry Entry;
  /// Not empty: the test stands at the entry, these statements are copied.
  std::vector<InstId> Pieces;
  bool ToEnd = false; ///< to the end of the block, else one statement
  std::vector<BoundTest> Tests;
  std::vector<InstId> Assumes;   ///< `assume` statements, tested too
  std::vector<unsigned> Covered; ///< numbers of AccessIndex
};

struct BoundsPlan {
  std::vector<AccessIndex> Indices; ///< of all accesses in program order
  SideMap<Inst, std::pair<unsigned, unsigned>> IndicesOf; ///< first, count
  std::vector<BoundsRegion> Regions;
  BoundTerms Terms;
  /// Per index that no region covers: why, and the value that nothing bounds.
  struct Stay {
    CheckReason Reason = CheckReason::NoCopies;
    ValueId Cause;
  };
  std::map<unsigned, Stay> Stays;
};

/// Adds what the plan says to a report.
void reportBounds(const Function &F, const BoundsPlan &Plan,
                  BoundsReport &Report);

/// `F` has no calls. Without regions every open index is checked.
BoundsPlan planBounds(const Module &M, const Function &F,
                      const Capabilities &Caps, bool WithRegions);

} // namespace goldy

#endif
