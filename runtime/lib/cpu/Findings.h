//===- Findings.h - Messages of the sanitizer -----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that is wrong is wrong many times: findings of one kind at the same
// places are one, with the first one's facts and a count. A launch tells so
// many messages and no more; a kind that has many leaves the others room.
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
  static constexpr size_t Kinds = 5;
  /// Messages that are told, in the order in which they came: the first `Sure`
  /// of each kind, and the first ones of any while there is room.
  static constexpr size_t Most = 20, Sure = 4;

  /// Counts a finding; true if it is the first of its kind at these places and
  /// is to be told by `tell`. The order of the places does not matter.
  bool count(Kind K, uint32_t Here, uint32_t There);
  /// Why bytes of a program's temporary are undetermined.
  static std::string temporaryNote(const WatchSite &Since);
  /// A message, and that note at its place.
  static std::string withNote(const std::string &Message,
                              const WatchSite &Since);
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
    Kind What;
    std::string Head, Text; ///< the first line; all of it
    uint64_t Times = 1;
  };
  using Key = std::tuple<Kind, uint32_t, uint32_t>;
  std::vector<bool> chosen() const;
  std::map<Key, size_t> Known;
  std::vector<Finding> List; ///< at most `Most` of a kind
  size_t OfKind[Kinds] = {};
  uint64_t Total = 0;
  uint64_t Lost[Kinds] = {}; ///< times, at places that List has no room for
};

} // namespace goldy::rt

#endif
