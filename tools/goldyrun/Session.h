//===- Session.h - A file, a device, a kernel with its arguments ----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `run`, `bench` and `diff` share: everything up to a launch that can be
// submitted.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYRUN_SESSION_H
#define GOLDYRUN_SESSION_H

#include "Arguments.h"

namespace goldyrun {

/// Loads FILE (`-` is stdin, whose bytes go to `Stdin`), trusted: the user
/// named it. Source files are refused with what to do.
Exit loadFile(const Options &O, std::vector<unsigned char> &Stdin,
              std::optional<goldy::Artifact> &Out);

/// One run, in nanoseconds of the host's monotonic clock.
struct RunTime {
  uint64_t StartNs = 0, SubmittedNs = 0, DoneNs = 0;
  std::optional<goldy_time_span_t> Device; ///< of a timed launch
};
/// That clock.
uint64_t hostNs();

class Session {
public:
  /// Loads the file, then the same as below.
  Exit open(const Options &O);
  /// Checks all arguments, then reads them and binds. `File` outlives this.
  Exit open(const Options &O, const goldy::Artifact &File);
  /// Runs once and waits.
  Exit runOnce(RunTime &Out);
  /// Lets the device measure the runs from now on. `Timed` is false if it
  /// cannot.
  Exit measure(bool &Timed);

  const Arguments &args() const { return *Args; }
  goldy_device_info_t device() const { return Device->info(); }
  goldy_kernel_info_t kernel() const { return Kernel->info(); }
  goldy::Grid grid() const { return Groups; }

private:
  Exit openDevice(const Options &O);
  Exit setGrid(const Options &O);
  Exit checkOutputs(const Options &O) const;
  Exit bind(bool Timed);
  Exit readSpecs(const Options &O, std::vector<goldy_spec_value_t> &Out) const;

  std::vector<unsigned char> Stdin; ///< outlives the artifact
  std::optional<goldy::Device> Device;
  std::optional<goldy::Artifact> Own;
  const goldy::Artifact *File = nullptr; ///< `Own`, or the caller's
  std::optional<goldy::Kernel> Kernel;
  std::optional<Arguments> Args;
  std::optional<goldy::Launch> Launch;
  bool Measures = false;
  goldy::Grid Groups;
};

} // namespace goldyrun

#endif
