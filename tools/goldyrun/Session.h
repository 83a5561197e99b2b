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

#include <memory>

namespace goldyrun {

/// Appends all of stdin.
Exit readStdin(std::vector<unsigned char> &Out);

/// Loads FILE (`-` is stdin, whose bytes go to `Stdin` unless they
/// are there already), trusted: the user
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
  /// Runs once and waits, no longer than --time-limit. A run that takes longer
  /// is an error, and this session cannot be used further; if the run goes on,
  /// what it uses stays until the process ends.
  Exit runOnce(RunTime &Out);
  /// Whether a run took longer.
  bool exceeded() const { return !H || Exceeded; }
  /// Lets the device measure the runs from now on. `Timed` is false if it
  /// cannot.
  Exit measure(bool &Timed);

  const Arguments &args() const { return *H->Args; }
  goldy_device_info_t device() const { return H->Device->info(); }
  goldy_kernel_info_t kernel() const { return H->Kernel->info(); }
  goldy::Grid grid() const { return Groups; }

private:
  /// What a run uses.
  struct Held {
    std::vector<unsigned char> Stdin; ///< outlives the artifact
    std::optional<goldy::Device> Device;
    std::optional<goldy::Artifact> Own;
    std::optional<goldy::Kernel> Kernel;
    std::optional<Arguments> Args;
    std::optional<goldy::Launch> Launch;
  };
  /// What became of a run.
  struct Attempt {
    RunTime Time;
    goldy::Status Result;
  };

  Exit openDevice(const Options &O);
  Exit setGrid(const Options &O);
  Exit checkOutputs(const Options &O) const;
  Exit bind(bool Timed);
  Exit readSpecs(const Options &O, std::vector<goldy_spec_value_t> &Out) const;
  static void attempt(Held &H, bool Measures, std::optional<Seconds> Limit,
                      Attempt &Out);
  Exit runLimited(RunTime &Out);
  Exit exceed(const std::string &Said);

  std::unique_ptr<Held> H = std::make_unique<Held>();
  const goldy::Artifact *File = nullptr; ///< its own, or the caller's
  bool Measures = false, Exceeded = false;
  std::optional<Seconds> Limit;
  goldy::Grid Groups;
};

} // namespace goldyrun

#endif
