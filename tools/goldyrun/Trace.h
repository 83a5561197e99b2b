//===- Trace.h - When host and device did what ----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Spans on a track of the host and one of each device, written in the JSON form
// that Perfetto and Chrome read.
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
  /// Run `Number`: from submit to done on the host, the kernel on the device,
  /// or the parts of the program on its devices.
  void run(const Session &S, uint64_t Number, const RunTime &R);
  Exit write(const std::string &Path) const;

private:
  /// Devices have those from 2 on, as they come.
  static constexpr size_t Host = 1;
  struct Span {
    size_t Track;
    std::string Name;
    std::vector<std::pair<const char *, std::string>> Details;
    uint64_t BeginNs, EndNs;
  };
  size_t trackOf(const std::string &Device);
  void parts(const Session &S, const std::string &Run, const RunTime &R);
  std::string json() const;

  std::vector<Span> Spans;
  std::vector<std::string> Devices;
};

} // namespace goldyrun

#endif
