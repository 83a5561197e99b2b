//===- Trace.h - When host and device did what ----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Spans on two tracks, written in the JSON form that Perfetto and Chrome read.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYRUN_TRACE_H
#define GOLDYRUN_TRACE_H

#include "Session.h"

namespace goldyrun {

class Trace {
public:
  /// Times are of hostNs().
  void host(std::string Name, uint64_t BeginNs, uint64_t EndNs);
  /// Run `Number`: from submit to done on the host, the kernel on the device.
  void run(const Session &S, uint64_t Number, const RunTime &R);
  Exit write(const std::string &Path) const;

private:
  enum class Track : uint8_t { Host = 1, Device = 2 };
  struct Span {
    Track On;
    std::string Name, Detail;
    uint64_t BeginNs, EndNs;
  };
  std::string json() const;

  std::vector<Span> Spans;
  std::string DeviceName;
};

} // namespace goldyrun

#endif
