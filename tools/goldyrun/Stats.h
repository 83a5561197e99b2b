//===- Stats.h - Times of runs --------------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `bench` and `--stats` print. Wall times are from submit to done, host
// times the part of them that the submit takes, device times what the device
// measured: of a program from the begin of its first part on a device to the
// end of the last one, and each part's own.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYRUN_STATS_H
#define GOLDYRUN_STATS_H

#include "Session.h"

namespace goldyrun {

struct Times {
  /// Nanoseconds, one a run; `Device` is empty if it measured nothing.
  std::vector<uint64_t> Wall, Host, Device;
  /// By part (WorkFacts::Parts), one each time that it was done.
  std::vector<std::vector<uint64_t>> Parts;
  void add(const RunTime &R);
  void addDevice(const RunTime &R);
};

/// A report as text or JSON, with a final line end.
std::string statsText(const Session &S, const Times &T);
std::string statsJson(const Session &S, const Times &T);

} // namespace goldyrun

#endif
