//===- Findings.h - Messages of the sanitizer -----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that is wrong is wrong many times: findings of one kind at the same
// places are one, with the first one's facts and a count.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CPU_FINDINGS_H
#define GOLDY_RUNTIME_CPU_FINDINGS_H

#include "artifact/Artifact.h"
#include "cpu/DebugLog.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace goldy::rt {

class Findings {
public:
  enum class Kind : uint8_t { Index, Assume, Race, Undetermined, Barrier };
  /// Messages that are kept; more are counted.
  static constexpr size_t Most = 20;

  /// Counts a finding; true if it is the first of its kind at these places and
  /// is to be told by `tell`. The order of the places does not matter.
  bool count(Kind K, uint32_t Here, uint32_t There);
  /// What is wrong, at `Here`; `Note` at `There`, if there is such a place.
  /// Lower case, no full stop.
  void tell(const WatchSite &Here, const std::string &What,
            const WatchSite *There = nullptr, const std::string &Note = "");
  bool empty() const { return Total == 0; }
  /// Tells `To` each finding, and how often it came.
  void print(const std::string &Kernel, const DebugListener &To) const;
  /// One line.
  std::string summary(const std::string &Kernel) const;

private:
  struct Finding {
    std::string Head, Text; ///< the first line; all of it
    uint64_t Times = 1;
  };
  using Key = std::tuple<Kind, uint32_t, uint32_t>;
  std::map<Key, size_t> Known;
  std::vector<Finding> List;
  uint64_t Total = 0, Untold = 0;
};

} // namespace goldy::rt

#endif
