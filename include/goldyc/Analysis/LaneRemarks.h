//===- LaneRemarks.h - A lane plan in the user's terms --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the vectoriser does with each loop, branch and access of a kernel, and
// which value is the reason: for `-Rvectorise` and `--emit=report`. Made from
// the plan alone, so that what is said is what is done.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_ANALYSIS_LANEREMARKS_H
#define GOLDYC_ANALYSIS_LANEREMARKS_H

#include "goldyc/Analysis/Lanes.h"

#include <string>
#include <string_view>
#include <vector>

namespace goldy {

/// What a remark is about; also how reports and `-Rvectorise=` name it.
enum class LaneTopic : uint8_t {
  Summary, ///< the kernel
  Loop,
  Branch,
  Access, ///< how lanes reach memory
  Mask,   ///< accesses that not all lanes of a vector do
  Atomic,
  Context, ///< values kept from one region to a later one
  Rows,    ///< rows of a group that run in step
  Version, ///< copies of code in which all lanes pass
};
inline constexpr unsigned NumLaneTopics = 9;
/// "summary", "loop", …
std::string_view laneTopicName(LaneTopic T);

/// A reason with its own place in the source (invalid: none).
struct LaneNote {
  Span Where;
  std::string Text;
  friend bool operator==(const LaneNote &, const LaneNote &) = default;
};

struct LaneRemark {
  LaneTopic Topic = LaneTopic::Summary;
  /// It takes more than the same work in plain vectors would.
  bool Costs = false;
  Span Where; ///< the kernel's name where the code is not the user's own
  std::string Text;
  std::vector<LaneNote> Notes;
  friend bool operator==(const LaneRemark &, const LaneRemark &) = default;
};

struct LaneReport {
  unsigned Width = 0; ///< 0: not planned
  uint32_t VectorsPerRow = 0, VectorsPerGroup = 0, Regions = 0;
  uint64_t ContextBytes = 0;
  /// The kernel in one line, without its name and architecture.
  std::string Summary;
  /// In the order of the source, each once however often passes copied the
  /// code; the summary is not among them.
  std::vector<LaneRemark> Remarks;
};

LaneReport laneReport(const Module &M, const Function &F, const LanePlan &Plan);

} // namespace goldy

#endif
