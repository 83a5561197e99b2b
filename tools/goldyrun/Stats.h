//===- Stats.h - Times of runs --------------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `bench` and `--stats` print. Times are wall times from submit to done.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYRUN_STATS_H
#define GOLDYRUN_STATS_H

#include "Session.h"

namespace goldyrun {

struct Times {
  std::vector<uint64_t> Ns; ///< one a run, not empty
  /// The sorted times' element at `Share` of the way, 0 to 1.
  uint64_t at(double Share) const;
};

/// A report as text or JSON, with a final line end.
std::string statsText(const Session &S, const Times &T);
std::string statsJson(const Session &S, const Times &T);

} // namespace goldyrun

#endif
